/**
 * Port: the items of shipments by their lot, SKU or LPN, with the last sighting of their pallets (D13.14).
 *
 * Guarantee: in a database, the number of items that a read examines grows with the page, not with the rest of the stored data.
 */
import { Context, Effect, Struct } from "effect"
import type { ReadScope } from "../access/Access.ts"
import { isSameLpn } from "../labels/Lpn.ts"
import { over } from "../memory/MemoryDatabase.ts"
import type { MemoryDatabase } from "../memory/MemoryDatabase.ts"
import { oldestFirst } from "../memory/MemoryLists.ts"
import type { OrderItem } from "../shipment/OrderItem.ts"
import type { LocatedShipment, Order } from "../shipment/Shipment.ts"
import type { PlaceFilter } from "../shipment/ShipmentStore.ts"
import type { StorageUnavailable } from "../values/Errors.ts"
import type { Page, PageRequest } from "../values/Page.ts"
import { sizeOfTraced, tracedAtMost } from "./TraceOperations.ts"
import type { TraceEntry, TraceKey } from "./TraceOperations.ts"

/** Selects items. */
export interface TraceFilter extends PlaceFilter {
  /** The field of the items to compare with `text`, which is not empty. */
  readonly key: TraceKey
  readonly text: string
}

/** Reads items with the last sighting of their pallets. */
export class TraceStore extends Context.Service<TraceStore, {
  /** The items within the scopes with a lot, an SKU or an LPN, in id order; `null` for an LPN of more than `tracedAtMost` items. */
  readonly trace: (
    scopes: ReadonlyArray<ReadScope>,
    filter: TraceFilter,
    page: PageRequest
  ) => Effect.Effect<Page<TraceEntry> | null, StorageUnavailable>
}>()("@dockline/core/trace/TraceStore") {
  /** The port in memory. */
  static readonly memory = over(TraceStore, (database) => ({
    trace: (scopes, { key, text, ...place }, page) =>
      Effect.sync(() => {
        const entries = database.shipmentsWithin(scopes, place).flatMap((shipment) =>
          shipment.shipment.orders.flatMap((order) =>
            order.items
              .filter((item) => key === "lpn" ? isSameLpn(item.lpn, text) : item[key] === text)
              .map((item) => traceEntry(database, shipment, order, item))
          )
        )
        return key === "lpn" && entries.length > tracedAtMost
          ? null
          : oldestFirst(entries, page, ({ id }) => Number(id), sizeOfTraced)
      })
  }))
}

const traceEntry = (
  database: MemoryDatabase["Service"],
  match: LocatedShipment,
  order: Order,
  item: OrderItem
): TraceEntry => {
  const { location: { business, facility }, shipment } = match
  const newest = (matches: ReadonlyArray<LocatedShipment>) =>
    matches.flatMap((each) => database.palletsOf(each))
      .filter(({ lpn }) => lpn !== "" && isSameLpn(lpn, item.lpn))
      .sort((left, right) => right.id - left.id)[0]
  const here = [{ business: business.slug, facilities: [facility.slug] }]
  const sighting = newest([match]) ?? newest(database.shipmentsWithin(here, {}))
  const last = sighting?.events.at(-1)
  return {
    ...Struct.pick(item, ["id", "lot", "sku", "lpn", "quantity", "quantityUnit", "expirationDate"]),
    ...Struct.pick(order, ["supplier", "consigneeName", "destination"]),
    ...Struct.pick(shipment, ["status", "direction", "carrier", "trailerNumber"]),
    business: Struct.pick(business, ["slug", "name"]),
    facility: Struct.pick(facility, ["slug", "name"]),
    orderNumber: order.number,
    purchaseOrder: item.purchaseOrder === "" ? order.purchaseOrder : item.purchaseOrder,
    shipmentId: shipment.id,
    shipmentNumber: shipment.number,
    arrivedAt: shipment.arrivedAt ?? "",
    departedAt: shipment.departedAt ?? "",
    palletId: sighting === undefined ? "" : String(sighting.id),
    seenShipmentId: sighting?.shipmentId ?? 0,
    seenShipmentNumber: sighting?.shipmentNumber ?? "",
    seenDirection: last?.direction ?? "",
    seenDockSlug: last?.dock.slug ?? "",
    seenAt: last?.occurredAt ?? ""
  }
}
