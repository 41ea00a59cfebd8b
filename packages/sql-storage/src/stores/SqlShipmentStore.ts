/**
 * Reads of shipments and orders on PostgreSQL: a page is two statements, whatever it holds, and reads rows in
 * proportion to what it shows and to the number of facilities that it spans (migration 10).
 *
 * The first finds the ids of the page within its limits, the second their bodies.
 */
import { everything } from "@dockline/core/Access"
import type { ReadScope } from "@dockline/core/Access"
import { cutPage, pageItemBudget } from "@dockline/core/Page"
import type { PageRequest } from "@dockline/core/Page"
import type { Place } from "@dockline/core/Place"
import { ShipmentStore } from "@dockline/core/ShipmentStore"
import type { OrderFilter, ShipmentFilter } from "@dockline/core/ShipmentStore"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { operations } from "../connections/Deadline.ts"
import { measured } from "../connections/StorageMetrics.ts"
import { indexKey } from "../rows/IndexKey.ts"
import { toOrder, toShipmentHeader } from "../rows/Rows.ts"
import type { OrderBody, ShipmentBody } from "../rows/Rows.ts"

interface ShipmentRow {
  readonly business: Place
  readonly facility: Place
  readonly shipment: ShipmentBody
  readonly orders: ReadonlyArray<OrderBody>
}

interface OrderRow {
  readonly business: Place
  readonly facility: Place
  readonly shipment_number: string
  readonly body: OrderBody
}

/** What `shipment_page` and `order_page` return. */
interface PageRow {
  readonly page: ReadonlyArray<readonly [id: string, items: number]>
}

const toLocatedShipment = ({ business, facility, shipment, orders }: ShipmentRow) => ({
  location: { business, facility },
  shipment: { ...toShipmentHeader(shipment), orders: orders.map(toOrder) }
})

const toLocatedOrder = ({ business, facility, shipment_number, body }: OrderRow) => ({
  location: { business, facility },
  shipmentId: body[15],
  shipmentNumber: shipment_number,
  order: toOrder(body)
})

/**
 * What `facilities_within` takes: the places that are both in scope and asked for, `null` when that is every facility.
 */
const placesOf = (scopes: ReadonlyArray<ReadScope>, filter: ShipmentFilter | OrderFilter): string | null => {
  const places = scopes
    .filter(({ business }) => business === everything || (filter.business ?? business) === business)
    .map(({ business, facilities }) => [
      filter.business ?? (business === everything ? null : business),
      facilities === everything
        ? filter.facility === undefined ? null : [filter.facility]
        : facilities.filter((facility) => (filter.facility ?? facility) === facility)
    ])
  return places.some(([business, facilities]) => business === null && facilities === null)
    ? null
    : JSON.stringify(places)
}

const keyOf = (number: string | undefined): string | null => number === undefined ? null : indexKey(number)

/** The ids of a page and the `next` of it. */
const cut = ([row]: ReadonlyArray<PageRow>, { limit }: PageRequest) => {
  const { items, next } = cutPage(row!.page, limit, ([id, items]) => ({ id, items }))
  return { ids: items.map(([id]) => id), next }
}

/** Reads from the PostgreSQL database of the `SqlClient`, whose schema must be migrated. */
export const layer: Layer.Layer<ShipmentStore, never, SqlClient.SqlClient> = Layer.effect(
  ShipmentStore,
  Effect.map(Effect.all([SqlClient.SqlClient, operations]), ([sql, operation]) => {
    const shipmentsById = (ids: ReadonlyArray<string>) =>
      sql<ShipmentRow>`select * from dockline.shipments_shown(${ids}::text[]::bigint[])`

    const ordersById = (ids: ReadonlyArray<string>) =>
      sql<OrderRow>`select * from dockline.orders_shown(${ids}::text[]::bigint[])`

    const listShipments = Effect.fnUntraced(function*(
      scopes: ReadonlyArray<ReadScope>,
      filter: ShipmentFilter,
      page: PageRequest
    ) {
      const found = yield* sql<PageRow>`select dockline.shipment_page(
        ${placesOf(scopes, filter)}::text::json, ${keyOf(filter.shipmentNumber)}::text, ${
        filter.status ?? null
      }::text, ${page.after}::bigint, ${page.limit + 1}::int, ${pageItemBudget}::int) as page`
      const { ids, next } = cut(found, page)
      const rows = ids.length === 0 ? [] : yield* shipmentsById(ids)
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

    return ShipmentStore.of({
      find: (id) =>
        shipmentsById([String(id)]).pipe(
          Effect.map((rows) => rows[0] === undefined ? null : toLocatedShipment(rows[0])),
          operation,
          measured("read_shipments")
        ),
      listShipments: (scopes, filter, page) =>
        measured("read_shipments")(operation(listShipments(scopes, filter, page))),
      listOrders: (scopes, filter, page) =>
        measured("read_shipments")(operation(listOrders(scopes, filter, page)))
    })
  })
)
