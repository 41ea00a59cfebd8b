/**
 * Reads shipments, orders and pallets on PostgreSQL. A page of shipments or orders is two statements, one for its ids and one for their bodies; it reads rows
 * in proportion to its size and to the number of its facilities (`Streams.ts`).
 */
import type { ReadScope } from "@dockline/core/Access"
import type { Tracking } from "@dockline/core/Discrepancies"
import { cursorOf, cutPage, mapPage, pageItemBudget } from "@dockline/core/Page"
import type { PageRequest, TimePosition } from "@dockline/core/Page"
import type { Location } from "@dockline/core/Place"
import { ShipmentStore } from "@dockline/core/ShipmentStore"
import type {
  OrderFilter,
  PalletFilter,
  ShipmentFilter,
  TimedPageRequest,
  TimedShipmentFilter
} from "@dockline/core/ShipmentStore"
import type { Timestamp } from "@dockline/core/Timestamp"
import type { PalletDirection } from "@dockline/core/Vocabulary"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { operations } from "../connections/Deadline.ts"
import { measured } from "../connections/StorageMetrics.ts"
import { indexKey } from "../rows/IndexKey.ts"
import { keyOf, placesOf } from "../rows/ListArguments.ts"
import { toLocatedPallet } from "../rows/PalletRows.ts"
import type { PalletBody } from "../rows/PalletRows.ts"
import { toLocatedShipment, toPlacedOrder } from "../rows/Rows.ts"
import type { LocatedBody, OrderBody } from "../rows/Rows.ts"

interface OrderRow extends Location {
  readonly shipment_number: string
  readonly body: OrderBody
}

/** What `shipment_page` and `order_page` return. */
interface PageRow {
  readonly page: ReadonlyArray<readonly [id: string, items: number]>
}

/** What `shipment_page_by_time` returns. */
interface TimedPageRow {
  readonly page: ReadonlyArray<readonly [id: string, items: number, at: Timestamp]>
}

/** What `pallets_of_shipment` returns. */
interface FoundPallets extends Location {
  readonly pallets: ReadonlyArray<PalletBody>
}

/** What `shipment_tracking` returns. */
interface FoundTracking extends Location, Omit<Tracking, "expectedLpns" | "pallets"> {
  /** Of each item, in the order of orders and items. */
  readonly lpns: ReadonlyArray<string>
  readonly pallets: ReadonlyArray<
    readonly [
      id: number,
      lpn: string,
      first: PalletDirection,
      last: PalletDirection,
      dockId: number,
      dockSlug: string
    ]
  >
}

const toTracked = ({ business, facility, lpns, pallets, ...tracking }: FoundTracking) => ({
  location: { business, facility },
  tracking: {
    ...tracking,
    expectedLpns: Array.from(new Set(lpns)),
    pallets: pallets.map(([id, lpn, first, last, dockId, dockSlug]) => ({
      id,
      lpn,
      first,
      last,
      dockId,
      dockSlug
    }))
  }
})

/** What `pallet_page` returns. */
interface PalletPageRow {
  readonly page: ReadonlyArray<readonly [items: number, body: PalletBody]>
}

/** The first and the last position that may be on a page; both are included. */
const boundsOf = (
  { from, to }: TimedShipmentFilter,
  { after, order }: TimedPageRequest
): { readonly first: TimePosition; readonly last: TimePosition } => {
  const isLatest = order === "LATEST"
  const first = { at: from ?? "-infinity", id: 0 }
  const last = to === undefined ? { at: "infinity", id: 0 } : { at: to, id: -1 }
  if (after === undefined) return { first, last }
  return isLatest
    ? { first, last: to !== undefined && to <= after.at ? last : { at: after.at, id: after.id - 1 } }
    : { first: from !== undefined && from > after.at ? first : { at: after.at, id: after.id + 1 }, last }
}

const toLocatedOrder = ({ business, facility, shipment_number, body }: OrderRow) => {
  const { order, shipmentId } = toPlacedOrder(body)
  return { location: { business, facility }, shipmentId, shipmentNumber: shipment_number, order }
}

const cut = ([row]: ReadonlyArray<PageRow>, { limit }: PageRequest) => {
  const { items, next } = cutPage(row!.page, limit, ([id, items]) => ({ id, items }))
  return { ids: items.map(([id]) => id), next }
}

/** Reads from the PostgreSQL database of the `SqlClient`, whose schema must be migrated. */
export const layer: Layer.Layer<ShipmentStore, never, SqlClient.SqlClient> = Layer.effect(
  ShipmentStore,
  Effect.map(Effect.all([SqlClient.SqlClient, operations]), ([sql, operation]) => {
    const shipmentsById = (ids: ReadonlyArray<string>) =>
      sql<LocatedBody>`select * from dockline.shipments_shown(${ids}::text[]::bigint[])`

    const ordersById = (ids: ReadonlyArray<string>) =>
      sql<OrderRow>`select * from dockline.orders_shown(${ids}::text[]::bigint[])`

    const listShipments = Effect.fnUntraced(function*(
      scopes: ReadonlyArray<ReadScope>,
      filter: ShipmentFilter,
      page: PageRequest
    ) {
      const found = yield* sql<PageRow>`select dockline.shipment_page(
        ${placesOf(scopes, filter)}::text::json, ${keyOf(filter.shipmentNumber)}::text, ${
        filter.lpn ?? null
      }::text, ${filter.status ?? null}::text, ${
        filter.discrepancies === true
      }::boolean, ${page.after}::bigint, ${page.limit + 1}::int, ${pageItemBudget}::int) as page`
      const { ids, next } = cut(found, page)
      const rows = ids.length === 0 ? [] : yield* shipmentsById(ids)
      return { items: rows.map(toLocatedShipment), next }
    })

    const listShipmentsByTime = Effect.fnUntraced(function*(
      scopes: ReadonlyArray<ReadScope>,
      filter: TimedShipmentFilter,
      page: TimedPageRequest
    ) {
      const { first, last } = boundsOf(filter, page)
      const [row] = yield* sql<TimedPageRow>`select dockline.shipment_page_by_time(
        ${placesOf(scopes, filter)}::text::json, ${keyOf(filter.shipmentNumber)}::text, ${
        filter.status ?? null
      }::text, ${filter.discrepancies === true}::boolean, ${filter.carrier ?? null}::text,
        ${filter.trailerNumber ?? null}::text,
        ${
        page.order === "LATEST"
      }::boolean, ${first.at}::timestamptz, ${first.id}::bigint, ${last.at}::timestamptz,
        ${last.id}::bigint, ${page.limit + 1}::int, ${pageItemBudget}::int) as page`
      const { items: found, next } = cutPage(
        row!.page,
        page.limit,
        ([id, items, at]) => ({ id: cursorOf({ at, id: Number(id) }), items })
      )
      const rows = found.length === 0 ? [] : yield* shipmentsById(found.map(([id]) => id))
      return { items: rows.map(toLocatedShipment), next }
    })

    const listOrders = Effect.fnUntraced(function*(
      scopes: ReadonlyArray<ReadScope>,
      filter: OrderFilter,
      page: PageRequest
    ) {
      const found = yield* sql<PageRow>`select dockline.order_page(
        ${placesOf(scopes, filter)}::text::json, ${keyOf(filter.orderNumber)}::text, ${page.after}::bigint,
        ${page.limit + 1}::int, ${pageItemBudget}::int) as page`
      const { ids, next } = cut(found, page)
      const rows = ids.length === 0 ? [] : yield* ordersById(ids)
      return { items: rows.map(toLocatedOrder), next }
    })

    const palletsOf = Effect.fnUntraced(function*(shipmentId: number, { after, limit }: PageRequest) {
      const [row] = yield* sql<{ readonly found: FoundPallets | null }>`select dockline.pallets_of_shipment(
        dockline.shipment_business(${shipmentId}::bigint), ${shipmentId}::bigint, ${after}::bigint,
        ${limit + 1}::int) as found`
      const { found } = row!
      if (found === null) return null
      const { business, facility, pallets } = found
      const page = cutPage(pallets.map(toLocatedPallet), limit, ({ id }) => ({ id: String(id), items: 0 }))
      return { location: { business, facility }, page }
    })

    const track = Effect.fnUntraced(function*(shipmentId: number) {
      const [row] = yield* sql<{ readonly found: FoundTracking | null }>`select dockline.shipment_tracking(
        dockline.shipment_business(${shipmentId}::bigint), ${shipmentId}::bigint) as found`
      return row!.found === null ? null : toTracked(row!.found)
    })

    const listPallets = Effect.fnUntraced(function*(
      scopes: ReadonlyArray<ReadScope>,
      filter: PalletFilter,
      { after, limit }: PageRequest
    ) {
      const [row] = yield* sql<PalletPageRow>`select dockline.pallet_page(
        ${placesOf(scopes, filter)}::text::json, ${indexKey(filter.lpn)}::text,
        ${after === 0 ? -Number.MAX_SAFE_INTEGER : -after}::bigint, ${
        limit + 1
      }::int, ${pageItemBudget}::int) as page`
      const found = row!.page.map(([items, body]) => ({ items, pallet: toLocatedPallet(body) }))
      const page = cutPage(found, limit, ({ items, pallet }) => ({ id: String(pallet.id), items }))
      return mapPage(page, ({ pallet }) => pallet)
    })

    return ShipmentStore.of({
      find: (id) =>
        shipmentsById([String(id)]).pipe(
          Effect.map((rows) => rows[0] === undefined ? null : toLocatedShipment(rows[0])),
          operation,
          measured("read_shipments")
        ),
      listShipments: (scopes, filter, page) =>
        measured("read_shipments")(operation(listShipments(scopes, filter, page))),
      listShipmentsByTime: (scopes, filter, page) =>
        measured("read_shipments")(operation(listShipmentsByTime(scopes, filter, page))),
      listOrders: (scopes, filter, page) =>
        measured("read_shipments")(operation(listOrders(scopes, filter, page))),
      palletsOf: (shipmentId, page) => measured("read_shipments")(operation(palletsOf(shipmentId, page))),
      track: (shipmentId) => measured("read_shipments")(operation(track(shipmentId))),
      listPallets: (scopes, filter, page) =>
        measured("read_shipments")(operation(listPallets(scopes, filter, page)))
    })
  })
)
