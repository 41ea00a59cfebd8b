/**
 * The trace of goods, such as for a recall (D13.14): the items with a lot, an SKU or an LPN, each with the last sighting of its pallet.
 *
 * Guarantee: a client traces only what it may see.
 */
import { Context, Effect, Layer, Struct } from "effect"
import { readScopes } from "../access/Access.ts"
import type { ReadScope } from "../access/Access.ts"
import type * as Operation from "../access/Operation.ts"
import * as Capability from "../capability/Capability.ts"
import { isSameLpn, soughtLpn } from "../labels/Lpn.ts"
import { over } from "../memory/MemoryDatabase.ts"
import type { MemoryDatabase } from "../memory/MemoryDatabase.ts"
import { oldestFirst } from "../memory/MemoryLists.ts"
import { checkPlace, pageRequest, placeOf } from "../places/ListQuery.ts"
import { Directory } from "../places/Place.ts"
import type { LocatedShipment, Order, OrderItem } from "../shipment/Shipment.ts"
import type { PlaceFilter } from "../shipment/ShipmentStore.ts"
import { InvalidParameter } from "../values/Errors.ts"
import type { StorageUnavailable } from "../values/Errors.ts"
import type { Page, PageRequest } from "../values/Page.ts"
import recorded from "./answers.json" with { type: "json" }
import { sizeOfTraced, trace as traceOperation, tracedAtMost, traceKeys } from "./TraceOperations.ts"
import type { TraceEntry, TraceKey } from "./TraceOperations.ts"

/** Selects items. */
export interface TraceFilter extends PlaceFilter {
  /** The field of the items to compare with `text`, which is not empty. */
  readonly key: TraceKey
  readonly text: string
}

/**
 * Port: the items of shipments by their lot, SKU or LPN, with the last sighting of their pallets (D13.14).
 *
 * Guarantee: in a database, the number of items that a read examines grows with the page, not with the rest of the stored data.
 */
export class TraceStore extends Context.Service<TraceStore, {
  /**
   * The items within the scopes with a lot, an SKU or an LPN, in id order; `null` for an LPN of more than `tracedAtMost` items. A cluster
   * counts these items for each of its shards, and lists them if no shard has more.
   */
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

/** The lot, SKU or LPN to trace, and the place. */
export type TraceQuery = Operation.Query<typeof traceOperation>

const refuse = (path: string, detail: string) =>
  Effect.fail(new InvalidParameter({ errors: [{ path, detail }] }))

/** Traces goods. */
export class Tracing extends Context.Service<Tracing, {
  /** The items with a lot, an SKU or an LPN at places that the client may see, in id order. */
  readonly trace: Operation.Handler<typeof traceOperation>
}>()("@dockline/core/Tracing") {
  /** Traces in the store. */
  static readonly layer: Layer.Layer<Tracing, never, TraceStore | Directory> = Layer.effect(
    Tracing,
    Effect.gen(function*() {
      const store = yield* TraceStore
      const directory = yield* Directory
      return Tracing.of({
        trace: Effect.fn("Tracing.trace")(function*(query, principal) {
          const keys = traceKeys.filter((key) => (query[key] ?? "") !== "")
          const [key] = keys
          if (key === undefined) return yield* refuse("lot", "is missing: send a lot, an sku or an lpn")
          if (keys.length > 1) {
            return yield* refuse(keys[1]!, `cannot be sent with ${key}: send one of them`)
          }
          const place = placeOf(query)
          yield* checkPlace(directory, principal, place)
          const page = yield* store.trace(
            readScopes(principal),
            { ...place, key, text: key === "lpn" ? soughtLpn(query.lpn ?? "") : query[key] ?? "" },
            pageRequest(query)
          )
          return page ??
            (yield* refuse(
              key,
              `is on more than ${tracedAtMost} items, so it does not identify a pallet; trace their lot or SKU`
            ))
        })
      })
    })
  )
}

/** The trace of goods. */
export const trace = Capability.make("trace", {
  title: "Trace",
  description: "Trace goods by a lot, an SKU or an LPN, such as for a recall",
  operations: {
    /** Traces goods by a lot, an SKU or an LPN: each item with its shipment, and where its pallet was seen (D13.14). */
    trace: traceOperation
  },
  services: Tracing.layer,
  handlers: Effect.map(Tracing, ({ trace }) => ({ trace })),
  memory: TraceStore.memory,
  answers: recorded.answers
})
