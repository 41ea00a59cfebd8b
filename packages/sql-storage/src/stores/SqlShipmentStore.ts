/**
 * Reads shipments, orders and pallets on PostgreSQL. A page of shipments or orders is two statements, one for its ids and one for their bodies; it reads rows
 * in proportion to its size and to the number of its facilities (`Streams.ts`).
 */
import type { ReadScope } from "@dockline/core/Access"
import type { DayShipment } from "@dockline/core/Day"
import type { Tracking } from "@dockline/core/Discrepancies"
import { endingLength, endingOf, folded, searchDepth } from "@dockline/core/Found"
import type { Found } from "@dockline/core/Found"
import { itemText, sizeOfItem, smallAnswer } from "@dockline/core/internal/shipment/ShipmentSize"
import { sizeOfPallet } from "@dockline/core/LocatedPallet"
import { cursorOf, cutPage, pageBudget } from "@dockline/core/Page"
import type { PageRequest, TimePosition } from "@dockline/core/Page"
import type { Location } from "@dockline/core/Place"
import { AnswerRoom } from "@dockline/core/RequestLimits"
import type { ItemFilter } from "@dockline/core/ShipmentItem"
import { ShipmentStore } from "@dockline/core/ShipmentStore"
import type {
  DayFilter,
  OrderFilter,
  PalletFilter,
  SearchFilter,
  ShipmentFilter,
  TimedPageRequest,
  TimedShipmentFilter,
  TraceFilter
} from "@dockline/core/ShipmentStore"
import type { Timestamp } from "@dockline/core/Timestamp"
import { sizeOfTraced, tracedAtMost } from "@dockline/core/Trace"
import type { TraceEntry } from "@dockline/core/Trace"
import type { PalletDirection } from "@dockline/core/Vocabulary"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql"
import { operations } from "../connections/Deadline.ts"
import { loans } from "../connections/Loan.ts"
import { Nodes } from "../connections/Nodes.ts"
import { measured } from "../connections/StorageMetrics.ts"
import { indexKey } from "../rows/IndexKey.ts"
import { businessOf, keyOf, placesOf } from "../rows/ListArguments.ts"
import { anchorOutside, ownersOfShipments } from "../rows/Owners.ts"
import type { Owner } from "../rows/Owners.ts"
import { toLocatedPallet } from "../rows/PalletRows.ts"
import type { PalletBody } from "../rows/PalletRows.ts"
import { readsOf } from "../rows/ReadClaims.ts"
import { toLocatedShipment, toPlacedOrder, toShipmentItem } from "../rows/Rows.ts"
import type { LocatedBody, OrderBody, ShipmentItemBody } from "../rows/Rows.ts"

interface OrderRow extends Location {
  readonly shipment_number: string
  readonly body: OrderBody
}

/** What `shipment_page` and `order_page` return. */
interface PageRow {
  readonly page: ReadonlyArray<readonly [id: string, rows: number, text: number]>
}

/** What `shipment_page_by_time` returns. */
interface TimedPageRow {
  readonly page: ReadonlyArray<readonly [id: string, rows: number, text: number, at: Timestamp]>
}

/** What `pallets_of_shipment` returns. */
interface FoundPallets extends Location {
  readonly pallets: ReadonlyArray<PalletBody>
}

/** What `items_of_shipment` returns. */
interface FoundItems extends Location {
  readonly items: ReadonlyArray<ShipmentItemBody>
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

/** What `shipments_shown` returns of a shipment of which the answer may be large. */
interface FoundShipment extends Omit<LocatedBody, "orders"> {
  readonly orders: LocatedBody["orders"] | null
  /** A 64-bit number, which comes as text. */
  readonly characters: string
}

const isShown = (found: FoundShipment): found is FoundShipment & LocatedBody => found.orders !== null

/** What `pallet_page` returns. */
interface PalletPageRow {
  readonly page: ReadonlyArray<PalletBody>
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

/** Takes room for the answer with the entries of a page. */
const takeRoom = (
  page: ReadonlyArray<readonly [id: string, rows: number, text: number, ...rest: ReadonlyArray<unknown>]>
) =>
  Effect.flatMap(
    AnswerRoom,
    (room) => room.take(page.reduce((sum, [, rows, text]) => sum + rows * itemText + text, 0))
  )

const cut = ([row]: ReadonlyArray<PageRow>, { limit }: PageRequest) => {
  const { items, next } = cutPage(row!.page, limit, ([id, rows, text]) => ({ id, rows, text }))
  return { found: items, ids: items.map(([id]) => id), next }
}

/** The bodies go as far as the page at least: the statements count no orders of pallets. */
const cutPallets = (bodies: ReadonlyArray<PalletBody>, limit: number) =>
  cutPage(
    bodies.map(toLocatedPallet),
    limit,
    (pallet) => ({ id: String(pallet.id), ...sizeOfPallet(pallet) })
  )

/** Reads from the PostgreSQL database of the `SqlClient`, whose schema must be migrated. */
export const layer: Layer.Layer<ShipmentStore, never, SqlClient.SqlClient> = Layer.effect(
  ShipmentStore,
  Effect.map(
    Effect.all([SqlClient.SqlClient, operations, loans, ownersOfShipments, Nodes]),
    ([sql, operation, loan, ownerOf, nodes]) => {
      const shipmentsById = (ids: ReadonlyArray<string>) =>
        sql<LocatedBody>`select * from dockline.shipments_shown(${ids}::text[]::bigint[], null::int)`

      /** A connection for who may read these scopes, and a list of what is in them. None is held while an answer waits for room. */
      const lendTo = (reader: ReadonlyArray<ReadScope>, filter: Pick<ShipmentFilter, "business">) =>
        loan({ ...readsOf(reader), business: businessOf(reader, filter) })

      const find = Effect.fnUntraced(function*(id: number, reader: ReadonlyArray<ReadScope>) {
        const anchor = yield* anchorOutside(sql, nodes, id)
        const lent = loan({ ...readsOf(reader), business: anchor })
        const [found] = yield* lent(sql<
          FoundShipment
        >`select * from dockline.shipments_shown(array[${id}::bigint], ${smallAnswer}::int)`)
        if (found === undefined) return null
        if (isShown(found)) return toLocatedShipment(found)
        // Its room first, then its orders.
        const room = yield* AnswerRoom
        yield* room.take(Number(found.characters))
        const [whole] = yield* lent(shipmentsById([String(id)]))
        return whole === undefined ? null : toLocatedShipment(whole)
      })

      const ordersById = (ids: ReadonlyArray<string>) =>
        sql<OrderRow>`select * from dockline.orders_shown(${ids}::text[]::bigint[])`

      const listShipments = Effect.fnUntraced(function*(
        scopes: ReadonlyArray<ReadScope>,
        filter: ShipmentFilter,
        page: PageRequest
      ) {
        const lent = lendTo(scopes, filter)
        const asked = yield* lent(sql<PageRow>`select dockline.shipment_page(
        ${placesOf(scopes, filter)}::text::json, ${keyOf(filter.shipmentNumber)}::text,
        ${filter.lpn ?? null}::text, ${filter.status ?? null}::text,
        ${filter.discrepancies === true}::boolean, ${page.after}::bigint, ${page.limit + 1}::int,
        ${pageBudget.rows}::int, ${pageBudget.text}::int) as page`)
        const { found, ids, next } = cut(asked, page)
        yield* takeRoom(found)
        const rows = ids.length === 0 ? [] : yield* lent(shipmentsById(ids))
        return { items: rows.map(toLocatedShipment), next }
      })

      const listShipmentsByTime = Effect.fnUntraced(function*(
        scopes: ReadonlyArray<ReadScope>,
        filter: TimedShipmentFilter,
        page: TimedPageRequest
      ) {
        const lent = lendTo(scopes, filter)
        const { first, last } = boundsOf(filter, page)
        const [row] = yield* lent(sql<TimedPageRow>`select dockline.shipment_page_by_time(
        ${placesOf(scopes, filter)}::text::json, ${keyOf(filter.shipmentNumber)}::text,
        ${filter.status ?? null}::text, ${filter.discrepancies === true}::boolean,
        ${filter.carrier ?? null}::text,
        ${filter.trailerNumber ?? null}::text,
        ${page.order === "LATEST"}::boolean, ${first.at}::timestamptz, ${first.id}::bigint,
        ${last.at}::timestamptz,
        ${last.id}::bigint, ${page.limit + 1}::int, ${pageBudget.rows}::int,
        ${pageBudget.text}::int) as page`)
        const { items: found, next } = cutPage(
          row!.page,
          page.limit,
          ([id, rows, text, at]) => ({ id: cursorOf({ at, id: Number(id) }), rows, text })
        )
        yield* takeRoom(found)
        const rows = found.length === 0 ? [] : yield* lent(shipmentsById(found.map(([id]) => id)))
        return { items: rows.map(toLocatedShipment), next }
      })

      const listDay = Effect.fnUntraced(function*(
        scopes: ReadonlyArray<ReadScope>,
        filter: DayFilter,
        limit: number
      ) {
        const [row] = yield* sql<
          { readonly found: ReadonlyArray<DayShipment> }
        >`select dockline.day_shipments(
        ${placesOf(scopes, filter)}::text::json, ${filter.from}::timestamptz, ${filter.to}::timestamptz,
        ${limit}::int) as found`
        return row!.found
      })

      const listOrders = Effect.fnUntraced(function*(
        scopes: ReadonlyArray<ReadScope>,
        filter: OrderFilter,
        page: PageRequest
      ) {
        const lent = lendTo(scopes, filter)
        const asked = yield* lent(sql<PageRow>`select dockline.order_page(
        ${placesOf(scopes, filter)}::text::json, ${keyOf(filter.orderNumber)}::text, ${page.after}::bigint,
        ${page.limit + 1}::int, ${pageBudget.rows}::int, ${pageBudget.text}::int) as page`)
        const { found, ids, next } = cut(asked, page)
        yield* takeRoom(found)
        const rows = ids.length === 0 ? [] : yield* lent(ordersById(ids))
        return { items: rows.map(toLocatedOrder), next }
      })

      const palletsOf = Effect.fnUntraced(
        function*(owner: Owner, shipmentId: number, { after, limit }: PageRequest) {
          const [row] = yield* sql<
            { readonly found: FoundPallets | null }
          >`select dockline.pallets_of_shipment(
        ${owner.id}, ${shipmentId}::bigint, ${after}::bigint,
        ${limit + 1}::int, ${pageBudget.rows}::int, ${pageBudget.text}::int) as found`
          const { found } = row!
          if (found === null) return null
          const { business, facility, pallets } = found
          return { location: { business, facility }, page: cutPallets(pallets, limit) }
        }
      )

      const itemsOf = Effect.fnUntraced(
        function*(owner: Owner, shipmentId: number, filter: ItemFilter, { after, limit }: PageRequest) {
          const { find, orderId, unseen } = filter
          const [row] = yield* sql<{ readonly found: FoundItems | null }>`select dockline.items_of_shipment(
          ${owner.id}, ${shipmentId}::bigint,
          ${orderId ?? null}::bigint,
          ${find === undefined ? null : folded(find)}::text, ${unseen === true}::boolean, ${after}::bigint,
          ${limit + 1}::int, ${pageBudget.rows}::int, ${pageBudget.text}::int) as found`
          const { found } = row!
          if (found === null) return null
          const { business, facility, items } = found
          const page = cutPage(
            items.map(toShipmentItem),
            limit,
            ({ item }) => ({ id: item.id, ...sizeOfItem(item) })
          )
          return { location: { business, facility }, page }
        }
      )

      const track = Effect.fnUntraced(function*(owner: Owner, shipmentId: number) {
        const [row] = yield* sql<{ readonly found: FoundTracking | null }>`select dockline.shipment_tracking(
        ${owner.id}, ${shipmentId}::bigint) as found`
        return row!.found === null ? null : toTracked(row!.found)
      })

      const listPallets = Effect.fnUntraced(function*(
        scopes: ReadonlyArray<ReadScope>,
        filter: PalletFilter,
        { after, limit }: PageRequest
      ) {
        const [row] = yield* sql<PalletPageRow>`select dockline.pallet_page(
        ${placesOf(scopes, filter)}::text::json, ${indexKey(filter.lpn)}::text,
        ${after === 0 ? -Number.MAX_SAFE_INTEGER : -after}::bigint, ${limit + 1}::int,
        ${pageBudget.rows}::int, ${pageBudget.text}::int) as page`
        return cutPallets(row!.page, limit)
      })

      const search = Effect.fnUntraced(function*(
        scopes: ReadonlyArray<ReadScope>,
        filter: SearchFilter,
        limit: number
      ) {
        const isLong = Array.from(filter.text).length >= endingLength
        const [row] = yield* sql<{ readonly found: Found }>`select dockline.search_entries(
        ${placesOf(scopes, filter)}::text::json, ${endingOf(filter.text)}::text, ${folded(filter.text)}::text,
        ${isLong}::boolean, ${searchDepth}::int, ${limit}::int) as found`
        return row!.found
      })

      const trace = Effect.fnUntraced(function*(
        scopes: ReadonlyArray<ReadScope>,
        filter: TraceFilter,
        { after, limit }: PageRequest
      ) {
        const [row] = yield* sql<{ readonly page: ReadonlyArray<TraceEntry> }>`select dockline.trace_page(
        ${
          placesOf(scopes, filter)
        }::text::json, ${filter.key}::text, ${filter.text}::text, ${tracedAtMost}::int,
        ${after}::bigint, ${limit + 1}::int) as page`
        const { page } = row!
        return page[0]?.id === "0"
          ? null
          : cutPage(page, limit, (entry) => ({ id: entry.id, ...sizeOfTraced(entry) }))
      })

      /** Reads something of a shipment, for who may read these scopes. */
      const ofShipment = <A, E>(
        shipmentId: number,
        reader: ReadonlyArray<ReadScope>,
        reads: (owner: Owner) => Effect.Effect<A, E | SqlError.SqlError>
      ) =>
        Effect.flatMap(
          ownerOf(shipmentId),
          (owner) => loan({ ...readsOf(reader), business: owner.business })(reads(owner))
        )

      const read = <A, E>(reads: Effect.Effect<A, E | SqlError.SqlError>) =>
        measured("read_shipments")(operation(reads))

      return ShipmentStore.of({
        find: (id, reader) => read(find(id, reader)),
        listShipments: (scopes, filter, page) => read(listShipments(scopes, filter, page)),
        listShipmentsByTime: (scopes, filter, page) => read(listShipmentsByTime(scopes, filter, page)),
        listDay: (scopes, filter, limit) => read(lendTo(scopes, filter)(listDay(scopes, filter, limit))),
        listOrders: (scopes, filter, page) => read(listOrders(scopes, filter, page)),
        palletsOf: (shipmentId, page, reader) =>
          read(ofShipment(shipmentId, reader, (owner) => palletsOf(owner, shipmentId, page))),
        itemsOf: (shipmentId, filter, page, reader) =>
          read(ofShipment(shipmentId, reader, (owner) => itemsOf(owner, shipmentId, filter, page))),
        track: (shipmentId, reader) =>
          read(ofShipment(shipmentId, reader, (owner) => track(owner, shipmentId))),
        listPallets: (scopes, filter, page) =>
          read(lendTo(scopes, filter)(listPallets(scopes, filter, page))),
        search: (scopes, filter, limit) => read(lendTo(scopes, filter)(search(scopes, filter, limit))),
        trace: (scopes, filter, page) => read(lendTo(scopes, filter)(trace(scopes, filter, page)))
      })
    }
  )
)
