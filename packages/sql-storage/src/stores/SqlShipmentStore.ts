/**
 * Reads shipments, orders and pallets on PostgreSQL. A page of shipments or orders takes two statements, one for its ids and one for their
 * bodies; it reads rows in proportion to its size and to the number of its facilities (`sql/shipment_lists.sql`).
 */
import type { ReadScope } from "@dockline/core/access/Access"
import { AnswerMemory } from "@dockline/core/access/RequestLimits"
import { lpnKey } from "@dockline/core/labels/Lpn"
import type { Location } from "@dockline/core/places/Place"
import {
  BoardShipment,
  countedAtMost,
  departedAtMost,
  expectedAtMost,
  overdueAtMost,
  shipmentsOfDock
} from "@dockline/core/shipment/DockBoard"
import {
  endingLength,
  endingOf,
  foldText,
  searchDepth,
  soughtText
} from "@dockline/core/shipment/ShipmentItem"
import { itemText, sizeOfItem, smallAnswer } from "@dockline/core/shipment/ShipmentSize"
import { ShipmentStore } from "@dockline/core/shipment/ShipmentStore"
import type {
  ShipmentFilter,
  TimedPageRequest,
  TimedShipmentFilter
} from "@dockline/core/shipment/ShipmentStore"
import { sizeOfPallet, Verdict } from "@dockline/core/shipment/Verdict"
import type { LocatedPallet } from "@dockline/core/shipment/Verdict"
import type { ShipmentId } from "@dockline/core/values/Id"
import { cursorOf, cutPage, pageBudget } from "@dockline/core/values/Page"
import type { PageRequest } from "@dockline/core/values/Page"
import type { Timestamp } from "@dockline/core/values/Timestamp"
import { Effect, Layer, Schema, Struct } from "effect"
import type { SqlClient, SqlError } from "effect/sql"
import { Nodes } from "../connections/Nodes.ts"
import { measured } from "../connections/StorageMetrics.ts"
import { operations } from "../connections/StoreOperations.ts"
import {
  anchorOutside,
  businessId,
  indexKey,
  keyOf,
  listsOf,
  lpnIndexKey,
  ownersOfShipments,
  placeAfter,
  placesOf,
  readsOf
} from "../rows/BusinessRows.ts"
import type { Owner } from "../rows/BusinessRows.ts"
import {
  bigintText,
  dock,
  labels,
  location,
  locationFields,
  palletDirection,
  shipmentStatus,
  texts,
  timestamp,
  whole
} from "../rows/RowFields.ts"
import {
  LocatedBody,
  OrderBody,
  ShipmentItemBody,
  toLocatedShipment,
  toOrderOnShipment,
  toShipmentItem,
  toTracking,
  TrackingBody
} from "../rows/Rows.ts"

/** A row of `orders_shown`. */
const OrderRow = Schema.Struct({ ...locationFields, shipment_number: Schema.String, body: OrderBody })

/** An entry of a page: its id, and its sizes in rows and text. */
const PageEntry = Schema.Tuple([bigintText, whole, whole])

/** An entry of a page in the order of times, with its time. */
const TimedEntry = Schema.Tuple([bigintText, whole, whole, timestamp])

/** An entry of a page in either order. */
type Entry = readonly [id: string, rows: number, text: number, ...at: ReadonlyArray<Timestamp>]

const Pallets = Schema.Array(Schema.Struct({
  location,
  shipmentId: whole,
  shipmentNumber: Schema.String,
  id: whole,
  lpn: Schema.String,
  recordedAt: timestamp,
  events: Schema.Array(Schema.Struct({
    direction: palletDirection,
    occurredAt: timestamp,
    dock,
    messageId: whole,
    labels,
    verdict: Verdict
  })),
  ordersWithLpn: texts,
  onlyOrder: Schema.NullOr(Schema.String)
}))

/** The result of `pallets_of_shipment` for a shipment. */
const PalletsBody = Schema.Struct({ ...locationFields, pallets: Pallets })

/** The result of `items_of_shipment` for a shipment. */
const ItemsBody = Schema.Struct({ ...locationFields, items: Schema.Array(ShipmentItemBody) })

/** A row of `shipments_shown`. */
const ShipmentRow = Schema.Struct({ ...LocatedBody.fields, characters: Schema.BigInt })

/** A row of `shipments_shown`; the orders are null if an answer with them may be large. */
const ShipmentRowIfSmall = Schema.Struct({
  ...LocatedBody.fields,
  orders: Schema.NullOr(LocatedBody.fields.orders),
  characters: Schema.BigInt
})

const BoardShipments = Schema.Array(Schema.Struct({
  ...Struct.omit(BoardShipment.fields, ["progress", "finishesAt", "detainedAt"]),
  passedPallets: whole,
  missingPallets: whole,
  unexpectedPallets: whole
}))

/** The result of `dock_board`. */
const BoardBody = Schema.Struct({
  docks: Schema.Array(
    Schema.Struct({ dockSlug: Schema.String, shipments: BoardShipments, others: whole })
  ),
  overdue: BoardShipments,
  expected: BoardShipments,
  departed: BoardShipments,
  departedToday: whole,
  shortToday: whole
})

/** The result of `search_entries`. */
const SearchBody = Schema.Struct({
  entries: Schema.Array(Schema.Struct({
    kind: Schema.Literals(["SHIPMENT", "TRAILER", "ORDER", "PALLET", "ITEM"]),
    id: whole,
    text: Schema.String,
    location,
    shipmentId: whole,
    shipmentNumber: Schema.String,
    status: shipmentStatus,
    missingPallets: whole,
    unexpectedPallets: whole,
    orderNumber: Schema.String
  })),
  removed: texts
})

/** A position in a list; `-infinity` is before and `infinity` is after all others. */
interface ListPosition {
  readonly at: string
  readonly id: number
}

/** The first and the last position that may be on a page; both are included. */
const boundsOf = (
  { from, to }: TimedShipmentFilter,
  { after, order }: TimedPageRequest
): { readonly first: ListPosition; readonly last: ListPosition } => {
  const isLatest = order === "LATEST"
  const first = { at: from ?? "-infinity", id: 0 }
  const last = to === undefined ? { at: "infinity", id: 0 } : { at: to, id: -1 }
  if (after === undefined) return { first, last }
  return isLatest
    ? { first, last: to !== undefined && to <= after.at ? last : { at: after.at, id: after.id - 1 } }
    : { first: from !== undefined && from > after.at ? first : { at: after.at, id: after.id + 1 }, last }
}

const toLocatedOrder = ({ business, facility, shipment_number, body }: typeof OrderRow.Type) => {
  const { order, shipmentId } = toOrderOnShipment(body)
  return { location: { business, facility }, shipmentId, shipmentNumber: shipment_number, order }
}

/** Cuts a page by its size: the statements do not count the orders of pallets, so the page may end before the last row. */
const cutPallets = (pallets: ReadonlyArray<LocatedPallet>, limit: number) =>
  cutPage(pallets, limit, (pallet) => ({ id: String(pallet.id), ...sizeOfPallet(pallet) }))

/** A page of entries of a shipment, cut from a body, with the location of the shipment. */
const pageIn = <Body extends Location, Page>(
  body: Body | null,
  pageOf: (body: Body) => Page
): { readonly location: Location; readonly page: Page } | null =>
  body && { location: { business: body.business, facility: body.facility }, page: pageOf(body) }

/** Reads from the PostgreSQL database of the `SqlClient`, whose schema must be migrated. */
export const layer: Layer.Layer<ShipmentStore, never, SqlClient.SqlClient> = Layer.effect(
  ShipmentStore,
  Effect.map(
    Effect.all([operations, ownersOfShipments, Nodes]),
    ([{ call, loan, operation, rows, sql }, ownerOf, nodes]) => {
      const shipmentsById = (ids: ReadonlyArray<string>) =>
        rows(ShipmentRow)`dockline.shipments_shown(${ids}::bigint[], null)`

      const ordersById = (ids: ReadonlyArray<string>) =>
        rows(OrderRow)`dockline.orders_shown(${ids}::bigint[])`

      const read = <A, E>(reads: Effect.Effect<A, E | SqlError.SqlError>) =>
        measured("read_shipments")(operation(reads))

      /** Reads a part of a shipment for a reader with these scopes. */
      const ofShipment = <A, E>(
        shipmentId: ShipmentId,
        reader: ReadonlyArray<ReadScope>,
        reads: (owner: Owner) => Effect.Effect<A, E | SqlError.SqlError>
      ) =>
        read(Effect.flatMap(
          ownerOf(shipmentId),
          (owner) => loan({ ...readsOf(reader), business: owner.business })(reads(owner))
        ))

      const onList = <A, E>(
        scopes: ReadonlyArray<ReadScope>,
        filter: Pick<ShipmentFilter, "business">,
        reads: Effect.Effect<A, E | SqlError.SqlError>
      ) => read(loan(listsOf(scopes, filter))(reads))

      /**
       * Reads the ids of a page, and its entities once memory for the answer is reserved (`AnswerMemory`). No connection is held during this
       * wait.
       */
      const pageOf = <E extends Entry, Row, A>(
        claim: ReturnType<typeof listsOf>,
        entries: Effect.Effect<ReadonlyArray<E>, SqlError.SqlError>,
        cutter: (
          entries: ReadonlyArray<E>
        ) => { readonly items: ReadonlyArray<E>; readonly next: string | null },
        rowsOf: (ids: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<Row>, SqlError.SqlError>,
        of: (row: Row) => A
      ) =>
        read(Effect.gen(function*() {
          const onLoan = loan(claim)
          const { items, next } = cutter(yield* onLoan(entries))
          const memory = yield* AnswerMemory
          yield* memory.reserve(items.reduce((sum, [, rows, text]) => sum + rows * itemText + text, 0))
          const rows = items.length === 0 ? [] : yield* onLoan(rowsOf(items.map(([id]) => id)))
          return { items: rows.map(of), next }
        }))

      const cutById = ({ limit }: PageRequest) => (page: ReadonlyArray<Entry>) =>
        cutPage(page, limit, ([id, rows, text]) => ({ id, rows, text }))

      const find = Effect.fnUntraced(function*(id: number, reader: ReadonlyArray<ReadScope>) {
        const anchor = yield* anchorOutside(sql, nodes, id)
        const onLoan = loan({ ...readsOf(reader), business: anchor })
        const [row] = yield* onLoan(
          rows(ShipmentRowIfSmall)`dockline.shipments_shown(array[${id}::bigint], ${smallAnswer})`
        )
        if (row === undefined) return null
        const { characters, orders, ...shipment } = row
        if (orders !== null) return toLocatedShipment({ ...shipment, orders })
        // Reserves memory for the answer before it reads the shipment with its orders.
        const memory = yield* AnswerMemory
        yield* memory.reserve(Number(characters))
        const [whole] = yield* onLoan(shipmentsById([String(id)]))
        return whole === undefined ? null : toLocatedShipment(whole)
      })

      return ShipmentStore.of({
        find: (id, reader) => read(find(id, reader)),
        listShipments: (scopes, filter, page) =>
          pageOf(
            listsOf(scopes, filter),
            call(Schema.Array(TimedEntry))`dockline.shipment_page(${placesOf(scopes, filter)},
              ${keyOf(filter.shipmentNumber)}, ${filter.lpn === undefined ? null : lpnKey(filter.lpn)}, ${
              filter.status ?? null
            },
              ${filter.discrepancies === true}, ${page.after}, ${page.limit + 1}, ${pageBudget.rows},
              ${pageBudget.text})`,
            cutById(page),
            shipmentsById,
            toLocatedShipment
          ),
        listShipmentsByTime: (scopes, filter, page) => {
          const { first, last } = boundsOf(filter, page)
          return pageOf(
            listsOf(scopes, filter),
            call(Schema.Array(TimedEntry))`dockline.shipment_page_by_time(
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
          pageOf(
            listsOf(scopes, filter),
            call(Schema.Array(PageEntry))`dockline.order_page(${placesOf(scopes, filter)},
              ${keyOf(filter.orderNumber)}, ${page.after}, ${page.limit + 1}, ${pageBudget.rows},
              ${pageBudget.text})`,
            cutById(page),
            ordersById,
            toLocatedOrder
          ),
        dockBoard: ({ business, facility }, { dueFrom, today }) =>
          read(
            loan({ ...readsOf([business]), business: businessId(business) })(
              call(BoardBody)`dockline.dock_board(${businessId(business)}, ${facility}, ${dueFrom}, ${today},
                ${shipmentsOfDock}, ${countedAtMost}, ${overdueAtMost + 1}, ${expectedAtMost + 1},
                ${departedAtMost})`
            )
          ),
        palletsOf: (shipmentId, { after, limit }, reader) =>
          ofShipment(shipmentId, reader, (owner) =>
            Effect.map(
              call(
                Schema.NullOr(PalletsBody)
              )`dockline.pallets_of_shipment(${owner.id}, ${shipmentId}, ${after},
                ${limit + 1}, ${pageBudget.rows}, ${pageBudget.text})`,
              (body) => pageIn(body, ({ pallets }) => cutPallets(pallets, limit))
            )),
        palletsOn: ({ business, facility }, shipmentIds, { after, limit }) =>
          read(
            loan({ ...readsOf([business]), business: businessId(business) })(Effect.map(
              call(Pallets)`dockline.pallets_of_shipments(${businessId(business)},
                ${facility}, ${shipmentIds.map(String)}::bigint[], ${after}, ${limit + 1},
                ${pageBudget.rows}, ${pageBudget.text})`,
              (pallets) => cutPallets(pallets, limit)
            ))
          ),
        itemsOf: (shipmentId, { find, orderId, unseen = false }, { after, limit }, reader) =>
          ofShipment(shipmentId, reader, (owner) =>
            Effect.map(
              call(Schema.NullOr(ItemsBody))`dockline.items_of_shipment(${owner.id}, ${shipmentId},
                ${orderId ?? null}, ${find === undefined ? null : foldText(soughtText(find))}, ${unseen},
                ${after}, ${limit + 1}, ${pageBudget.rows}, ${pageBudget.text})`,
              (body) =>
                pageIn(body, ({ items }) =>
                  cutPage(
                    items.map(toShipmentItem),
                    limit,
                    ({ item }) => ({ id: item.id, ...sizeOfItem(item) })
                  ))
            )),
        track: (shipmentId, reader) =>
          ofShipment(shipmentId, reader, (owner) =>
            Effect.map(
              call(Schema.NullOr(TrackingBody))`dockline.shipment_tracking(${owner.id}, ${shipmentId})`,
              (body) => {
                if (body === null) return null
                const { business, facility } = body
                return {
                  location: { business, facility },
                  tracking: toTracking(body)
                }
              }
            )),
        listPallets: (scopes, filter, { after, limit }) =>
          onList(
            scopes,
            filter,
            Effect.map(
              call(Pallets)`dockline.pallet_page(${placesOf(scopes, filter)},
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
          onList(
            scopes,
            filter,
            call(SearchBody)`dockline.search_entries(${placesOf(scopes, filter)}, ${filter.text},
              ${indexKey(filter.text)}, ${foldText(filter.text)}, ${endingOf(filter.text)},
              ${Array.from(filter.text).length >= endingLength}, ${searchDepth}, ${limit})`
          )
      })
    }
  )
)
