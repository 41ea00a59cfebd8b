/**
 * Reads of shipments and orders on PostgreSQL: a page is two statements, whatever it holds.
 *
 * The first finds the ids of the page within its limits, the second their bodies.
 */
import type { ReadScope } from "@dockline/core/Access"
import type { Place } from "@dockline/core/Plan"
import { cutPage, ShipmentStore } from "@dockline/core/ShipmentStore"
import type { OrderFilter, PageRequest, ShipmentFilter } from "@dockline/core/ShipmentStore"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { Statement } from "effect/sql"
import { operations } from "./Deadline.ts"
import { indexKey } from "./IndexKey.ts"
import { toOrder, toShipmentHeader } from "./Rows.ts"
import type { OrderBody, ShipmentBody } from "./Rows.ts"
import { measured } from "./StorageMetrics.ts"

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

interface SizedId {
  readonly id: string
  readonly items: number
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

/** Reads from the PostgreSQL database of the `SqlClient`, whose schema must be migrated. */
export const layer: Layer.Layer<ShipmentStore, never, SqlClient.SqlClient> = Layer.effect(
  ShipmentStore,
  Effect.map(Effect.all([SqlClient.SqlClient, operations]), ([sql, operation]) => {
    const places = sql`json_build_object('slug', b.slug, 'name', b.name) as business,
      json_build_object('slug', f.slug, 'name', f.name) as facility`

    const shipmentsById = (ids: ReadonlyArray<string>) =>
      sql<ShipmentRow>`select ${places}, s.body as shipment,
          (select coalesce(json_agg(o.body order by o.id), '[]') from dockline.order_body o
            where o.shipment_id = s.id) as orders
        from dockline.shipment_body s
        join dockline.facility f on f.id = s.facility_id
        join dockline.business b on b.id = f.business_id
        where s.id = any (${ids}::text[]::bigint[])
        order by s.id`

    const ordersById = (ids: ReadonlyArray<string>) =>
      sql<OrderRow>`select ${places}, s.number as shipment_number, o.body
        from dockline.order_body o
        join dockline.shipment s on s.id = o.shipment_id
        join dockline.facility f on f.id = o.facility_id
        join dockline.business b on b.id = f.business_id
        where o.id = any (${ids}::text[]::bigint[])
        order by o.id`

    /** The facilities that are both in scope and asked for. */
    const facilities = (
      scopes: ReadonlyArray<ReadScope>,
      filter: ShipmentFilter | OrderFilter
    ): Statement.Fragment => {
      const granted = JSON.stringify(
        scopes.map(({ business, facilities }) => ({
          business,
          facilities: facilities === "*" ? null : facilities
        }))
      )
      return sql`select f.id from dockline.facility f
        join dockline.business b on b.id = f.business_id
        where exists (select from jsonb_to_recordset(${granted}::text::jsonb) as g(business text, facilities jsonb)
          where g.business in (b.slug, '*') and (jsonb_typeof(g.facilities) is distinct from 'array' or g.facilities ? f.slug))
        and ${narrow(sql`b.slug`, filter.business)} and ${narrow(sql`f.slug`, filter.facility)}`
    }

    const narrow = (column: Statement.Fragment, value: string | undefined): Statement.Fragment =>
      value === undefined ? sql`true` : sql`${column} = ${value}`

    const listShipments = Effect.fnUntraced(function*(
      scopes: ReadonlyArray<ReadScope>,
      filter: ShipmentFilter,
      page: PageRequest
    ) {
      const number = filter.shipmentNumber === undefined ? undefined : indexKey(filter.shipmentNumber)
      const found = yield* sql<
        SizedId
      >`select s.id::text as id, (select count(*)::int from dockline.order_item i
            join dockline.customer_order o on o.id = i.order_id where o.shipment_id = s.id) as items
        from dockline.shipment s
        where s.facility_id in (${facilities(scopes, filter)}) and s.id > ${page.after}::bigint
          and ${narrow(sql`s.number_key`, number)} and ${narrow(sql`s.status`, filter.status)}
        order by s.id limit ${page.limit + 1}::int`
      const { items, next } = cutPage(found, page.limit, (entry) => entry)
      const rows = items.length === 0 ? [] : yield* shipmentsById(items.map(({ id }) => id))
      return { items: rows.map(toLocatedShipment), next }
    })

    const listOrders = Effect.fnUntraced(function*(
      scopes: ReadonlyArray<ReadScope>,
      filter: OrderFilter,
      page: PageRequest
    ) {
      const number = filter.orderNumber === undefined ? undefined : indexKey(filter.orderNumber)
      const found = yield* sql<SizedId>`select o.id::text as id,
          (select count(*)::int from dockline.order_item i where i.order_id = o.id) as items
        from dockline.customer_order o
        where o.facility_id in (${facilities(scopes, filter)}) and o.id > ${page.after}::bigint
          and ${narrow(sql`o.number_key`, number)}
        order by o.id limit ${page.limit + 1}::int`
      const { items, next } = cutPage(found, page.limit, (entry) => entry)
      const rows = items.length === 0 ? [] : yield* ordersById(items.map(({ id }) => id))
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
