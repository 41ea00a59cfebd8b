/**
 * Reads shipments, orders and pallets on PostgreSQL. A page of shipments or orders is two statements, one for its ids and one for their bodies; it reads rows
 * in proportion to its size and to the number of its facilities (`sql/shipment_lists.sql`).
 */
import type { ReadScope } from "@dockline/core/access/Access"
import { AnswerRoom } from "@dockline/core/access/RequestLimits"
import { lpnKey } from "@dockline/core/labels/Lpn"
import type { Location } from "@dockline/core/places/Place"
import {
  countedAtMost,
  departedAtMost,
  expectedAtMost,
  overdueAtMost,
  shipmentsOfDock
} from "@dockline/core/shipment/DockBoard"
import type { BoardRows } from "@dockline/core/shipment/DockBoard"
import { endingLength, endingOf, foldText, searchDepth } from "@dockline/core/shipment/Found"
import type { SearchMatches } from "@dockline/core/shipment/Found"
import { sizeOfPallet } from "@dockline/core/shipment/LocatedPallet"
import type { LocatedPallet } from "@dockline/core/shipment/LocatedPallet"
import { soughtText } from "@dockline/core/shipment/ShipmentItem"
import { itemText, sizeOfItem, smallAnswer } from "@dockline/core/shipment/ShipmentSize"
import { ShipmentStore } from "@dockline/core/shipment/ShipmentStore"
import type {
  ShipmentFilter,
  TimedPageRequest,
  TimedShipmentFilter
} from "@dockline/core/shipment/ShipmentStore"
import { cursorOf, cutPage, pageBudget } from "@dockline/core/values/Page"
import type { PageRequest, TimePosition } from "@dockline/core/values/Page"
import type { Timestamp } from "@dockline/core/values/Timestamp"
import { Effect, Layer } from "effect"
import type { SqlClient, SqlError } from "effect/sql"
import { Nodes } from "../connections/Nodes.ts"
import { measured } from "../connections/StorageMetrics.ts"
import { operations } from "../connections/StoreOperations.ts"
import { businessId } from "../rows/BusinessId.ts"
import { indexKey, lpnIndexKey } from "../rows/IndexKey.ts"
import { keyOf, listsOf, placeAfter, placesOf, readsOf } from "../rows/ListArguments.ts"
import { anchorOutside, ownersOfShipments } from "../rows/Owners.ts"
import type { Owner } from "../rows/Owners.ts"
import { toLocatedShipment, toPlacedOrder, toShipmentItem, toTracking } from "../rows/Rows.ts"
import type { FoundTracking, LocatedBody, OrderBody, ShipmentItemBody } from "../rows/Rows.ts"

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

interface FoundPallets extends Location {
  readonly pallets: ReadonlyArray<LocatedPallet>
}

interface FoundItems extends Location {
  readonly items: ReadonlyArray<ShipmentItemBody>
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

const toLocatedOrder = ({ business, facility, shipment_number, body }: OrderRow) => {
  const { order, shipmentId } = toPlacedOrder(body)
  return { location: { business, facility }, shipmentId, shipmentNumber: shipment_number, order }
}

/** The bodies go as far as the page at least: the statements count no orders of pallets. */
const cutPallets = (pallets: ReadonlyArray<LocatedPallet>, limit: number) =>
  cutPage(pallets, limit, (pallet) => ({ id: String(pallet.id), ...sizeOfPallet(pallet) }))

/** The page of what is found of a shipment: how its entries are cut, with its location. */
const located = <Found extends Location, Page>(
  found: Found | null,
  pageOf: (found: Found) => Page
): { readonly location: Location; readonly page: Page } | null =>
  found && { location: { business: found.business, facility: found.facility }, page: pageOf(found) }

/** Reads from the PostgreSQL database of the `SqlClient`, whose schema must be migrated. */
export const layer: Layer.Layer<ShipmentStore, never, SqlClient.SqlClient> = Layer.effect(
  ShipmentStore,
  Effect.map(
    Effect.all([operations, ownersOfShipments, Nodes]),
    ([{ call, loan, operation, rows, sql }, ownerOf, nodes]) => {
      const shipmentsById = (ids: ReadonlyArray<string>) =>
        rows<LocatedBody>`dockline.shipments_shown(${ids}::bigint[], null)`

      const ordersById = (ids: ReadonlyArray<string>) =>
        rows<OrderRow>`dockline.orders_shown(${ids}::bigint[])`

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

      const listed = <A, E>(
        scopes: ReadonlyArray<ReadScope>,
        filter: Pick<ShipmentFilter, "business">,
        reads: Effect.Effect<A, E | SqlError.SqlError>
      ) => read(loan(listsOf(scopes, filter))(reads))

      /** Reads the ids of a page, and its entities once there is room for the answer with them. No connection is held while it waits. */
      const paged = <E extends Entry, Row, A>(
        claim: ReturnType<typeof listsOf>,
        found: Effect.Effect<ReadonlyArray<E>, SqlError.SqlError>,
        cut: (
          entries: ReadonlyArray<E>
        ) => { readonly items: ReadonlyArray<E>; readonly next: string | null },
        rowsOf: (ids: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<Row>, SqlError.SqlError>,
        of: (row: Row) => A
      ) =>
        read(Effect.gen(function*() {
          const lent = loan(claim)
          const { items, next } = cut(yield* lent(found))
          const room = yield* AnswerRoom
          yield* room.take(items.reduce((sum, [, rows, text]) => sum + rows * itemText + text, 0))
          const shown = items.length === 0 ? [] : yield* lent(rowsOf(items.map(([id]) => id)))
          return { items: shown.map(of), next }
        }))

      const cut = ({ limit }: PageRequest) => (page: ReadonlyArray<Entry>) =>
        cutPage(page, limit, ([id, rows, text]) => ({ id, rows, text }))

      const find = Effect.fnUntraced(function*(id: number, reader: ReadonlyArray<ReadScope>) {
        const anchor = yield* anchorOutside(sql, nodes, id)
        const lent = loan({ ...readsOf(reader), business: anchor })
        const [found] = yield* lent(
          rows<FoundShipment>`dockline.shipments_shown(array[${id}::bigint], ${smallAnswer})`
        )
        if (found === undefined) return null
        if (isShown(found)) return toLocatedShipment(found)
        // Its room first, then its orders.
        const room = yield* AnswerRoom
        yield* room.take(Number(found.characters))
        const [whole] = yield* lent(shipmentsById([String(id)]))
        return whole === undefined ? null : toLocatedShipment(whole)
      })

      return ShipmentStore.of({
        find: (id, reader) => read(find(id, reader)),
        listShipments: (scopes, filter, page) =>
          paged(
            listsOf(scopes, filter),
            call<ReadonlyArray<Entry>>`dockline.shipment_page(${placesOf(scopes, filter)},
              ${keyOf(filter.shipmentNumber)}, ${filter.lpn === undefined ? null : lpnKey(filter.lpn)}, ${
              filter.status ?? null
            },
              ${filter.discrepancies === true}, ${page.after}, ${page.limit + 1}, ${pageBudget.rows},
              ${pageBudget.text})`,
            cut(page),
            shipmentsById,
            toLocatedShipment
          ),
        listShipmentsByTime: (scopes, filter, page) => {
          const { first, last } = boundsOf(filter, page)
          return paged(
            listsOf(scopes, filter),
            call<ReadonlyArray<Entry<[Timestamp]>>>`dockline.shipment_page_by_time(
              ${placesOf(scopes, filter)}, ${keyOf(filter.shipmentNumber)}, ${filter.status ?? null},
              ${filter.discrepancies === true}, ${filter.carrier ?? null}, ${filter.trailerNumber ?? null},
              ${page.order === "LATEST"}, ${first.at}, ${first.id}, ${last.at}, ${last.id},
              ${page.limit + 1}, ${pageBudget.rows}, ${pageBudget.text})`,
            (entries) =>
              cutPage(entries, page.limit, ([id, rows, text, at]) => ({
                id: cursorOf({ at, id: Number(id) }),
                rows,
                text
              })),
            shipmentsById,
            toLocatedShipment
          )
        },
        listOrders: (scopes, filter, page) =>
          paged(
            listsOf(scopes, filter),
            call<ReadonlyArray<Entry>>`dockline.order_page(${placesOf(scopes, filter)},
              ${keyOf(filter.orderNumber)}, ${page.after}, ${page.limit + 1}, ${pageBudget.rows},
              ${pageBudget.text})`,
            cut(page),
            ordersById,
            toLocatedOrder
          ),
        dockBoard: ({ business, facility }, { dueFrom, today }) =>
          read(
            loan({ ...readsOf([business]), business: businessId(business) })(
              call<BoardRows>`dockline.dock_board(${businessId(business)}, ${facility}, ${dueFrom}, ${today},
                ${shipmentsOfDock}, ${countedAtMost}, ${overdueAtMost + 1}, ${expectedAtMost + 1},
                ${departedAtMost})`
            )
          ),
        palletsOf: (shipmentId, { after, limit }, reader) =>
          ofShipment(shipmentId, reader, (owner) =>
            Effect.map(
              call<FoundPallets | null>`dockline.pallets_of_shipment(${owner.id}, ${shipmentId}, ${after},
                ${limit + 1}, ${pageBudget.rows}, ${pageBudget.text})`,
              (found) => located(found, ({ pallets }) => cutPallets(pallets, limit))
            )),
        palletsOn: ({ business, facility }, shipmentIds, { after, limit }) =>
          read(
            loan({ ...readsOf([business]), business: businessId(business) })(Effect.map(
              call<ReadonlyArray<LocatedPallet>>`dockline.pallets_of_shipments(${businessId(business)},
                ${facility}, ${shipmentIds.map(String)}::bigint[], ${after}, ${limit + 1},
                ${pageBudget.rows}, ${pageBudget.text})`,
              (pallets) => cutPallets(pallets, limit)
            ))
          ),
        itemsOf: (shipmentId, { find, orderId, unseen = false }, { after, limit }, reader) =>
          ofShipment(shipmentId, reader, (owner) =>
            Effect.map(
              call<FoundItems | null>`dockline.items_of_shipment(${owner.id}, ${shipmentId},
                ${orderId ?? null}, ${find === undefined ? null : foldText(soughtText(find))}, ${unseen},
                ${after}, ${limit + 1}, ${pageBudget.rows}, ${pageBudget.text})`,
              (found) =>
                located(found, ({ items }) =>
                  cutPage(
                    items.map(toShipmentItem),
                    limit,
                    ({ item }) => ({ id: item.id, ...sizeOfItem(item) })
                  ))
            )),
        track: (shipmentId, reader) =>
          ofShipment(shipmentId, reader, (owner) =>
            Effect.map(
              call<FoundTracking | null>`dockline.shipment_tracking(${owner.id}, ${shipmentId})`,
              (found) => {
                if (found === null) return null
                const { business, facility } = found
                return {
                  location: { business, facility },
                  tracking: toTracking(found)
                }
              }
            )),
        listPallets: (scopes, filter, { after, limit }) =>
          listed(
            scopes,
            filter,
            Effect.map(
              call<ReadonlyArray<LocatedPallet>>`dockline.pallet_page(${placesOf(scopes, filter)},
                ${lpnIndexKey(filter.lpn)}, ${placeAfter(after)}, ${limit + 1}, ${pageBudget.rows},
                ${pageBudget.text})`,
              (pallets) =>
                cutPage(pallets, limit, (pallet) => ({
                  id: cursorOf({ at: pallet.recordedAt, id: pallet.id }),
                  ...sizeOfPallet(pallet)
                }))
            )
          ),
        search: (scopes, filter, limit) =>
          listed(
            scopes,
            filter,
            call<SearchMatches>`dockline.search_entries(${placesOf(scopes, filter)}, ${filter.text},
              ${indexKey(filter.text)}, ${foldText(filter.text)}, ${endingOf(filter.text)},
              ${Array.from(filter.text).length >= endingLength}, ${searchDepth}, ${limit})`
          )
      })
    }
  )
)
