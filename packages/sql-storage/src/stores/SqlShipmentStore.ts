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
import type { LocatedPallet } from "@dockline/core/LocatedPallet"
import { cursorOf, cutPage, pageBudget } from "@dockline/core/Page"
import type { PageRequest, TimePosition } from "@dockline/core/Page"
import type { Location } from "@dockline/core/Place"
import { AnswerRoom } from "@dockline/core/RequestLimits"
import { ShipmentStore } from "@dockline/core/ShipmentStore"
import type { ShipmentFilter, TimedPageRequest, TimedShipmentFilter } from "@dockline/core/ShipmentStore"
import type { Timestamp } from "@dockline/core/Timestamp"
import { sizeOfTraced, tracedAtMost } from "@dockline/core/Trace"
import type { TraceEntry } from "@dockline/core/Trace"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql"
import { operations } from "../connections/Deadline.ts"
import { loans } from "../connections/Loan.ts"
import { Nodes } from "../connections/Nodes.ts"
import { oneRow } from "../connections/OneRow.ts"
import { measured } from "../connections/StorageMetrics.ts"
import { businessId } from "../rows/BusinessId.ts"
import { indexKey } from "../rows/IndexKey.ts"
import { businessOf, keyOf, placesOf, readsOf } from "../rows/ListArguments.ts"
import { anchorOutside, ownersOfShipments } from "../rows/Owners.ts"
import type { Owner } from "../rows/Owners.ts"
import { toLocatedShipment, toPlacedOrder, toShipmentItem } from "../rows/Rows.ts"
import type { LocatedBody, OrderBody, ShipmentItemBody } from "../rows/Rows.ts"

interface OrderRow extends Location {
  readonly shipment_number: string
  readonly body: OrderBody
}

/** An entry of a page, by its sizes; in the order of times it has its time too. */
type Entry<At extends ReadonlyArray<Timestamp> = ReadonlyArray<Timestamp>> = readonly [
  id: string,
  rows: number,
  text: number,
  ...at: At
]

/** What `shipment_tracking` returns. */
interface FoundTracking extends Location, Omit<Tracking, "expectedLpns"> {
  /** Of each item, in the order of orders and items. */
  readonly lpns: ReadonlyArray<string>
}

/** What `shipments_shown` returns of a shipment of which the answer may be large. */
interface FoundShipment extends Omit<LocatedBody, "orders"> {
  readonly orders: LocatedBody["orders"] | null
  /** A 64-bit number, which comes as text. */
  readonly characters: string
}

const isShown = (found: FoundShipment): found is FoundShipment & LocatedBody => found.orders !== null

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

type Store = ShipmentStore["Service"]

const toLocatedOrder = ({ business, facility, shipment_number, body }: OrderRow) => {
  const { order, shipmentId } = toPlacedOrder(body)
  return { location: { business, facility }, shipmentId, shipmentNumber: shipment_number, order }
}

/** The bodies go as far as the page at least: the statements count no orders of pallets. */
const cutPallets = (pallets: ReadonlyArray<LocatedPallet>, limit: number) =>
  cutPage(pallets, limit, (pallet) => ({ id: String(pallet.id), ...sizeOfPallet(pallet) }))

/** What a function has found. */
const foundBy = <A, E>(
  statement: Effect.Effect<ReadonlyArray<{ readonly found: A }>, E>
): Effect.Effect<A, E> => Effect.map(oneRow(statement), ({ found }) => found)

/** Reads from the PostgreSQL database of the `SqlClient`, whose schema must be migrated. */
export const layer: Layer.Layer<ShipmentStore, never, SqlClient.SqlClient> = Layer.effect(
  ShipmentStore,
  Effect.map(
    Effect.all([SqlClient.SqlClient, operations, loans, ownersOfShipments, Nodes]),
    ([sql, operation, loan, ownerOf, nodes]) => {
      const shipmentsById = (ids: ReadonlyArray<string>) =>
        sql<LocatedBody>`select * from dockline.shipments_shown(${ids}::text[]::bigint[], null::int)`

      const ordersById = (ids: ReadonlyArray<string>) =>
        sql<OrderRow>`select * from dockline.orders_shown(${ids}::text[]::bigint[])`

      /** A connection for who may read these scopes, and a list of what is in them. None is held while an answer waits for room. */
      const lendTo = (reader: ReadonlyArray<ReadScope>, filter: Pick<ShipmentFilter, "business">) =>
        loan({ ...readsOf(reader), business: businessOf(reader, filter) })

      const read = <A, E>(reads: Effect.Effect<A, E | SqlError.SqlError>) =>
        measured("read_shipments")(operation(reads))

      /** Reads something of a shipment, for who may read these scopes. */
      const ofShipment = <A, E>(
        shipmentId: number,
        reader: ReadonlyArray<ReadScope>,
        reads: (owner: Owner) => Effect.Effect<A, E | SqlError.SqlError>
      ) =>
        read(Effect.flatMap(
          ownerOf(shipmentId),
          (owner) => loan({ ...readsOf(reader), business: owner.business })(reads(owner))
        ))

      /** Reads the entities of a page once there is room for the answer with them. */
      const shown = <Row, A>(
        lent: ReturnType<typeof lendTo>,
        { items, next }: { readonly items: ReadonlyArray<Entry>; readonly next: string | null },
        rowsOf: (ids: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<Row>, SqlError.SqlError>,
        of: (row: Row) => A
      ) =>
        Effect.gen(function*() {
          const room = yield* AnswerRoom
          yield* room.take(items.reduce((sum, [, rows, text]) => sum + rows * itemText + text, 0))
          const rows = items.length === 0 ? [] : yield* lent(rowsOf(items.map(([id]) => id)))
          return { items: rows.map(of), next }
        })

      const cut = (page: ReadonlyArray<Entry>, { limit }: PageRequest) =>
        cutPage(page, limit, ([id, rows, text]) => ({ id, rows, text }))

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

      const pageOfShipments: Store["listShipments"] = (scopes, filter, page) => {
        const lent = lendTo(scopes, filter)
        const found = foundBy(sql<{ readonly found: ReadonlyArray<Entry> }>`select dockline.shipment_page(
          ${placesOf(scopes, filter)}::text::json, ${keyOf(filter.shipmentNumber)}::text,
          ${filter.lpn ?? null}::text, ${filter.status ?? null}::text,
          ${filter.discrepancies === true}::boolean, ${page.after}::bigint, ${page.limit + 1}::int,
          ${pageBudget.rows}::int, ${pageBudget.text}::int) as found`)
        return read(Effect.flatMap(
          lent(found),
          (entries) => shown(lent, cut(entries, page), shipmentsById, toLocatedShipment)
        ))
      }

      const pageByTime: Store["listShipmentsByTime"] = (scopes, filter, page) => {
        const lent = lendTo(scopes, filter)
        const { first, last } = boundsOf(filter, page)
        const found = foundBy(sql<
          { readonly found: ReadonlyArray<Entry<[Timestamp]>> }
        >`select dockline.shipment_page_by_time(
          ${placesOf(scopes, filter)}::text::json, ${keyOf(filter.shipmentNumber)}::text,
          ${filter.status ?? null}::text, ${filter.discrepancies === true}::boolean,
          ${filter.carrier ?? null}::text, ${filter.trailerNumber ?? null}::text,
          ${page.order === "LATEST"}::boolean, ${first.at}::timestamptz, ${first.id}::bigint,
          ${last.at}::timestamptz, ${last.id}::bigint, ${page.limit + 1}::int, ${pageBudget.rows}::int,
          ${pageBudget.text}::int) as found`)
        const positionOf = ([id, rows, text, at]: Entry<[Timestamp]>) => ({
          id: cursorOf({ at, id: Number(id) }),
          rows,
          text
        })
        return read(
          Effect.flatMap(
            lent(found),
            (entries) =>
              shown(lent, cutPage(entries, page.limit, positionOf), shipmentsById, toLocatedShipment)
          )
        )
      }

      const pageOfOrders: Store["listOrders"] = (scopes, filter, page) => {
        const lent = lendTo(scopes, filter)
        const found = foundBy(sql<{ readonly found: ReadonlyArray<Entry> }>`select dockline.order_page(
          ${placesOf(scopes, filter)}::text::json, ${keyOf(filter.orderNumber)}::text, ${page.after}::bigint,
          ${page.limit + 1}::int, ${pageBudget.rows}::int, ${pageBudget.text}::int) as found`)
        return read(Effect.flatMap(
          lent(found),
          (entries) => shown(lent, cut(entries, page), ordersById, toLocatedOrder)
        ))
      }

      return ShipmentStore.of({
        find: (id, reader) => read(find(id, reader)),
        listShipments: pageOfShipments,
        listShipmentsByTime: pageByTime,
        listOrders: pageOfOrders,
        listDay: (scopes, filter, limit) =>
          read(
            lendTo(scopes, filter)(foundBy(sql<
              { readonly found: ReadonlyArray<DayShipment> }
            >`select dockline.day_shipments(
            ${placesOf(scopes, filter)}::text::json, ${filter.from}::timestamptz, ${filter.to}::timestamptz,
            ${limit}::int) as found`))
          ),
        palletsOf: (shipmentId, { after, limit }, reader) =>
          ofShipment(shipmentId, reader, (owner) =>
            Effect.map(
              foundBy(sql<
                { readonly found: Location & { readonly pallets: ReadonlyArray<LocatedPallet> } | null }
              >`select dockline.pallets_of_shipment(${owner.id}, ${shipmentId}::bigint, ${after}::bigint,
                ${limit + 1}::int, ${pageBudget.rows}::int, ${pageBudget.text}::int) as found`),
              (found) => {
                if (found === null) return null
                const { pallets, ...location } = found
                return { location, page: cutPallets(pallets, limit) }
              }
            )),
        palletsOn: ({ business, facility }, shipmentIds, { after, limit }) =>
          read(
            loan({ ...readsOf([business]), business: businessId(business) })(Effect.map(
              foundBy(sql<
                { readonly found: ReadonlyArray<LocatedPallet> }
              >`select dockline.pallets_of_shipments(${businessId(business)}::bigint, ${facility},
                ${shipmentIds.map(String)}::bigint[], ${after}::bigint, ${limit + 1}::int,
                ${pageBudget.rows}::int, ${pageBudget.text}::int) as found`),
              (pallets) => cutPallets(pallets, limit)
            ))
          ),
        itemsOf: (shipmentId, { find, orderId, unseen }, { after, limit }, reader) =>
          ofShipment(shipmentId, reader, (owner) =>
            Effect.map(
              foundBy(sql<
                { readonly found: Location & { readonly items: ReadonlyArray<ShipmentItemBody> } | null }
              >`select dockline.items_of_shipment(${owner.id}, ${shipmentId}::bigint,
                ${orderId ?? null}::bigint,
                ${find === undefined ? null : folded(find)}::text, ${
                unseen === true
              }::boolean, ${after}::bigint,
                ${limit + 1}::int, ${pageBudget.rows}::int, ${pageBudget.text}::int) as found`),
              (found) => {
                if (found === null) return null
                const { items, ...location } = found
                const page = cutPage(
                  items.map(toShipmentItem),
                  limit,
                  ({ item }) => ({ id: item.id, ...sizeOfItem(item) })
                )
                return { location, page }
              }
            )),
        track: (shipmentId, reader) =>
          ofShipment(shipmentId, reader, (owner) =>
            Effect.map(
              foundBy(sql<{ readonly found: FoundTracking | null }>`select dockline.shipment_tracking(
                ${owner.id}, ${shipmentId}::bigint) as found`),
              (found) => {
                if (found === null) return null
                const { business, facility, lpns, ...tracking } = found
                const expectedLpns = Array.from(new Set(lpns))
                return { location: { business, facility }, tracking: { ...tracking, expectedLpns } }
              }
            )),
        listPallets: (scopes, filter, { after, limit }) =>
          read(
            lendTo(scopes, filter)(Effect.map(
              foundBy(sql<{ readonly found: ReadonlyArray<LocatedPallet> }>`select dockline.pallet_page(
              ${placesOf(scopes, filter)}::text::json, ${indexKey(filter.lpn)}::text,
              ${after === 0 ? -Number.MAX_SAFE_INTEGER : -after}::bigint, ${limit + 1}::int,
              ${pageBudget.rows}::int, ${pageBudget.text}::int) as found`),
              (pallets) => cutPallets(pallets, limit)
            ))
          ),
        search: (scopes, filter, limit) =>
          read(
            lendTo(scopes, filter)(foundBy(sql<{ readonly found: Found }>`select dockline.search_entries(
            ${placesOf(scopes, filter)}::text::json, ${endingOf(filter.text)}::text, ${
              folded(filter.text)
            }::text,
            ${Array.from(filter.text).length >= endingLength}::boolean, ${searchDepth}::int,
            ${limit}::int) as found`))
          ),
        trace: (scopes, filter, { after, limit }) =>
          read(
            lendTo(scopes, filter)(Effect.map(
              foundBy(sql<{ readonly found: ReadonlyArray<TraceEntry> }>`select dockline.trace_page(
              ${placesOf(scopes, filter)}::text::json, ${filter.key}::text, ${filter.text}::text,
              ${tracedAtMost}::int, ${after}::bigint, ${limit + 1}::int) as found`),
              (entries) =>
                entries[0]?.id === "0"
                  ? null
                  : cutPage(entries, limit, (entry) => ({ id: entry.id, ...sizeOfTraced(entry) }))
            ))
          )
      })
    }
  )
)
