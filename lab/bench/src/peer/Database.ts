/**
 * The peer's statements: written by hand for `postgres`, on the tables of the service. The fields of documents are the columns of
 * core's tables of fields; the other columns are named, and what they do not name has its default.
 *
 * A document is one transaction. Its reads are sent in one go (`postgres` pipelines what is not awaited one by one),
 * and so are its writes, so an update takes four round trips: begin, reads, writes, commit. Every statement works on
 * a set.
 */
import type { Document } from "@dockline/core/document/Document"
import { changesAnything } from "@dockline/core/document/Plan"
import type { NewIds, OrderChange, Plan, Snapshot } from "@dockline/core/document/Plan"
import type { Place } from "@dockline/core/places/Place"
import type {
  Dock,
  itemFields,
  Order,
  orderFields,
  OrderItem,
  Shipment,
  ShipmentDraft,
  shipmentFields,
  ShipmentHeader
} from "@dockline/core/shipment/Shipment"
import type { Timestamp } from "@dockline/core/values/Timestamp"
import { indexKey, itemIndexKey } from "@dockline/sql-storage/rows/BusinessRows"
import postgres from "postgres"
import { changes, itemColumns, names, orderColumns, shipmentColumns, typed, values } from "./Columns.ts"
import type { Column } from "./Columns.ts"

/** Connects. */
export const connect = (url: string, connections: number) =>
  postgres(url, {
    max: connections,
    // To the planner arrays of unknown length look costly, so that it would plan such statements anew each time; without this setting the
    // peer is slower by a fifth to a third. Without the others its writes read all items and orders, in 1.8 to 4 of 3.2 to 5.4 ms.
    connection: {
      plan_cache_mode: "force_generic_plan",
      enable_seqscan: "off",
      enable_hashjoin: "off",
      enable_mergejoin: "off"
    },
    types: {
      time: {
        to: 1184,
        from: [1184],
        serialize: String,
        parse: (text: string) => new Date(text).toISOString()
      }
    },
    onnotice: () => {}
  })

/** The pool. */
export type Database = ReturnType<typeof connect>

type Transaction = postgres.TransactionSql<{ time: string }>

/** The place of a document. */
export interface Home {
  readonly businessId: string
  readonly facilityId: string
}

/** Rows with the fields of core. None has an owner, because only EDI partners own shipments. */
type ShipmentRow = Omit<Shipment, "orders" | "owner">
type OrderRow = Omit<Order, "items" | "owner"> & {
  readonly shipmentId: number
  readonly createdAt: Timestamp
}
type ItemRow = OrderItem & { readonly orderId: string }

/** How each member of a row is read. The compiler reports a new member of core that is missing here. */
type Reading<Row> = Readonly<Record<keyof Row, string>>

/** How the columns of fields are read. */
const read = <Fields>(columns: ReadonlyArray<Column>, row: string) =>
  Object.fromEntries(columns.map(({ field, isDate, name, type }) => {
    const column = `${row}.${name}`
    if (isDate) return [field, `coalesce(${column}::text, '')`]
    return [field, type === "bigint" ? `${column}::float8` : column]
  })) as Reading<Fields>

const list = <Row>(reading: Reading<Row>): string =>
  Object.entries(reading).map(([member, value]) => `${value} as "${member}"`).join(", ")

const readShipment = list<ShipmentRow>({
  ...read<typeof shipmentFields>(shipmentColumns, "s"),
  id: "s.id::float8",
  number: "s.number",
  status: "s.status",
  direction: "s.direction",
  expectedArrivalAt: "s.expected_arrival_at",
  scheduledAt: "s.scheduled_at",
  arrivedAt: "s.arrived_at",
  departedAt: "s.departed_at",
  cancelledAt: "s.cancelled_at",
  dock: "case when d.id is not null then json_build_object('id', d.id, 'slug', d.slug) end",
  additionalFields: "s.additional_fields",
  checkIn: "s.check_in",
  stepClients: "s.step_clients",
  version: "s.version",
  linkedShipmentIds: `array(select l.linked_shipment_id::float8 from dockline.shipment_link l
    where l.business_id = s.business_id and l.shipment_id = s.id)`,
  pallets: `coalesce((select json_agg(json_build_object('id', p.id, 'lpn', p.lpn, 'first', p.first_direction,
      'last', p.last_direction, 'dockId', p.last_dock_id) order by p.id) from dockline.pallet p
    where p.business_id = s.business_id and p.shipment_id = s.id), '[]')`
})

const readOrder = list<OrderRow>({
  ...read<typeof orderFields>(orderColumns, "o"),
  id: "o.id::text",
  number: "o.number",
  status: "o.status",
  direction: "o.direction",
  shipmentId: "o.shipment_id::float8",
  createdAt: "o.created_at"
})

const readItem = list<ItemRow>({
  ...read<typeof itemFields>(itemColumns, "i"),
  id: "i.id::text",
  orderId: "i.order_id::text"
})

/** Locks the numbers of a document and reads all data of the decision, in one round trip. */
export const load = async (
  sql: Transaction,
  { businessId, facilityId }: Home,
  document: Document,
  now: Timestamp
): Promise<Snapshot> => {
  const shipmentKey = indexKey(document.shipmentNumber)
  const orderKeys = document.orders.map((order) => indexKey(order.orderNumber))
  const target = sql`select id from dockline.shipment where business_id = ${businessId}
      and facility_id = ${facilityId} and number_key = ${shipmentKey}`
  const orders = sql`o.business_id = ${businessId} and (o.shipment_id = (${target})
    or (o.facility_id = ${facilityId} and o.number_key = any (${orderKeys})))`
  const [, [place], shipmentRows, orderRows, itemRows] = await Promise.all([
    lock(sql, facilityId, [...orderKeys, shipmentKey]),
    sql<[{ business: Place; facility: Place; dock: Dock | null }]>`
      select json_build_object('slug', b.slug, 'name', b.name) as business,
        json_build_object('slug', f.slug, 'name', f.name) as facility,
        case when d.id is not null then json_build_object('id', d.id, 'slug', d.slug) end as dock
      from dockline.facility f
      join dockline.business b on b.id = f.business_id
      left join dockline.dock d on d.facility_id = f.id and d.slug = ${document.dockSlug}
      where f.id = ${facilityId}`,
    sql<Array<ShipmentRow>>`
      select ${
      sql.unsafe(readShipment)
    } from dockline.shipment s left join dockline.dock d on d.id = s.dock_id
      where s.business_id = ${businessId} and s.id in (${target} union
        select o.shipment_id from dockline.customer_order o where o.business_id = ${businessId}
          and o.facility_id = ${facilityId} and o.number_key = any (${orderKeys}))
      order by s.id
      for no key update of s`,
    sql<Array<OrderRow>>`
      select ${sql.unsafe(readOrder)} from dockline.customer_order o where ${orders} order by o.id`,
    sql<Array<ItemRow>>`
      select ${sql.unsafe(readItem)} from dockline.customer_order o
      join dockline.order_item i on i.business_id = o.business_id and i.order_id = o.id
      where ${orders} order by i.id`
  ])
  const items = Map.groupBy(itemRows, ({ orderId }) => orderId)
  const shipments = new Map(shipmentRows.map((shipment) => [shipment.id, shipment]))
  const found = shipmentRows.find(({ number }) => number === document.shipmentNumber)
  const placed = orderRows.map(({ createdAt, shipmentId, ...order }) => ({
    order: { ...order, items: items.get(order.id) ?? [] },
    createdAt,
    shipmentId
  }))
  return {
    now,
    ...place,
    target: found === undefined ? null : {
      ...found,
      orders: placed.filter(({ shipmentId }) => shipmentId === found.id).map(({ order }) => order)
    },
    candidates: placed.flatMap((candidate) => {
      const shipment = shipments.get(candidate.shipmentId)
      if (shipment === undefined || shipment === found) return []
      const shipmentIsLinked = shipment.linkedShipmentIds.length > 0
      return [{ ...candidate, shipmentStatus: shipment.status, shipmentIsLinked }]
    })
  }
}

/** The locks of the service, in its order: the facility's, shared, then the numbers'. */
const lock = (sql: Transaction, facilityId: string, keys: ReadonlyArray<string>) =>
  sql`select case when kind = 0 then pg_advisory_xact_lock_shared(key) else pg_advisory_xact_lock(key) end
    from (
      select 0 as kind, hashtextextended('dockline.all_numbers:' || ${facilityId}::bigint, 0) as key
      union all
      select distinct 1, hashtextextended('dockline.number:' || ${facilityId}::bigint || ':' || key, 0)
      from unnest(${[...keys]}::text[]) as key
      order by kind, key
    ) as locks`

/** Writes the changes; statements that need no id of another statement share a round trip. */
export const write = async (sql: Transaction, home: Home, plan: Plan, now: Timestamp): Promise<NewIds> => {
  const { orders, shipment } = plan
  const shipmentId = shipment._tag === "Create"
    ? await insertShipment(sql, home, shipment.shipment, now)
    : shipment.shipment.id
  const created = orders.filter(({ order }) => order._tag === "Create")
  const newOrderIds = created.length === 0 ? [] : await insertOrders(sql, home, shipmentId, created, now)
  const newIds = newOrderIds.values()
  const rows = orders.flatMap(({ items, order }) => {
    const orderId = order._tag === "Create" ? newIds.next().value : order.order.id
    return items.created.map((item) => ({ ...item, orderId, itemKey: itemIndexKey(item) }))
  })
  const updatedOrders = orders.flatMap(({ order }) => order._tag === "Update" ? [order.order.id] : [])
  const removed = orders.flatMap(({ items }) => items.removed.map(({ id }) => id))
  const left = orders.flatMap(({ order }) =>
    order._tag === "Update" && order.remappedFrom !== null ? [order.remappedFrom] : []
  )
  const changedItems = orders.flatMap(({ changedItems, order }) =>
    order._tag === "Create" ? [] : changedItems.map((item) => ({ ...item, orderId: order.order.id }))
  )
  const [, items] = await Promise.all([
    // Statements run in the order in which they are sent: the removals come first.
    removed.length === 0 ? [] : sql`delete from dockline.order_item
      where business_id = ${home.businessId} and order_id = any (${updatedOrders}::bigint[])
        and id = any (${removed}::bigint[])`,
    rows.length === 0 ? [] : insertItems(sql, home, rows),
    changedItems.length === 0 ? [] : updateItems(sql, home, changedItems),
    shipment._tag === "Update" && changesAnything(plan) ? updateShipment(sql, home, shipment.shipment) : [],
    left.length === 0 ? [] : sql`update dockline.shipment set version = version + 1
      where business_id = ${home.businessId} and id = any (${left}::bigint[])`,
    updateOrders(sql, home, shipmentId, orders)
  ])
  return { shipment: shipmentId, orders: newOrderIds, items: items.map(({ id }) => id) }
}

const insertShipment = async (
  sql: Transaction,
  { businessId, facilityId }: Home,
  shipment: ShipmentDraft,
  now: Timestamp
) => {
  const [{ id }] = await sql<[{ id: number }]>`
    insert into dockline.shipment (business_id, facility_id, number, number_key, status, direction,
      expected_arrival_at, scheduled_at, dock_id, additional_fields, created_at,
      ${sql.unsafe(names(shipmentColumns))})
    select ${businessId}, ${facilityId}, ${shipment.number}, ${indexKey(shipment.number)}, ${shipment.status},
      ${shipment.direction}, ${shipment.expectedArrivalAt}, ${shipment.scheduledAt},
      ${shipment.dock?.id ?? null}, ${json(sql, shipment.additionalFields)}, ${now},
      ${sql.unsafe(values(shipmentColumns, "r"))}
    from jsonb_to_record(${json(sql, shipment)}) as r(${sql.unsafe(typed(shipmentColumns))})
    returning id::float8`
  return id
}

const updateShipment = (sql: Transaction, { businessId }: Home, shipment: ShipmentHeader) =>
  sql`update dockline.shipment s set expected_arrival_at = ${shipment.expectedArrivalAt},
      dock_id = ${shipment.dock?.id ?? null}, additional_fields = ${json(sql, shipment.additionalFields)},
      version = s.version + 1, ${sql.unsafe(changes(shipmentColumns, "r"))}
    from jsonb_to_record(${json(sql, shipment)}) as r(${sql.unsafe(typed(shipmentColumns))})
    where s.business_id = ${businessId} and s.id = ${shipment.id}`

const insertOrders = async (
  sql: Transaction,
  { businessId, facilityId }: Home,
  shipmentId: number,
  created: ReadonlyArray<OrderChange>,
  now: Timestamp
) => {
  const rows = created.map(({ order: { order } }) => ({ ...order, key: indexKey(order.number) }))
  const inserted = await sql<Array<{ id: string }>>`
    insert into dockline.customer_order (business_id, facility_id, shipment_id, number, number_key, status,
      direction, created_at, ${sql.unsafe(names(orderColumns))})
    select ${businessId}::bigint, ${facilityId}::bigint, ${shipmentId}::bigint, r.number, r.key, r.status,
      r.direction, ${now}::timestamptz, ${sql.unsafe(values(orderColumns, "r"))}
    from jsonb_to_recordset(${json(sql, rows)})
      as r(number text, key text, status text, direction text, ${sql.unsafe(typed(orderColumns))})
    returning id`
  return inserted.map(({ id }) => id)
}

const updateOrders = (
  sql: Transaction,
  { businessId }: Home,
  shipmentId: number,
  orders: ReadonlyArray<OrderChange>
) => {
  const rows = orders.flatMap(({ order }) =>
    order._tag === "Update" && (order.isChanged || order.remappedFrom !== null) ? [order.order] : []
  )
  return rows.length === 0 ? [] : sql`
    with changed as (update dockline.customer_order o set shipment_id = ${shipmentId},
        ${sql.unsafe(changes(orderColumns, "r"))}
      from jsonb_to_recordset(${json(sql, rows)}) as r(id bigint, ${sql.unsafe(typed(orderColumns))})
      where o.business_id = ${businessId} and o.id = r.id returning o.id)
    update dockline.order_item i set lpn_shipment_id = ${shipmentId} from changed
    where i.business_id = ${businessId} and i.order_id = changed.id and i.lpn_shipment_id <> ${shipmentId}`
}

const updateItems = (sql: Transaction, { businessId }: Home, items: ReadonlyArray<object>) =>
  sql`update dockline.order_item i set ${sql.unsafe(changes(itemColumns, "r"))}
    from jsonb_to_recordset(${json(sql, items)})
      as r(id bigint, "orderId" bigint, ${sql.unsafe(typed(itemColumns))})
    where i.business_id = ${businessId} and i.order_id = r."orderId" and i.id = r.id`

const insertItems = (sql: Transaction, { businessId }: Home, items: ReadonlyArray<object>) =>
  sql<Array<{ id: string }>>`
    insert into dockline.order_item (business_id, order_id, item_key, facility_id, lpn_shipment_id,
      ${sql.unsafe(names(itemColumns))})
    select o.business_id, r."orderId", r."itemKey", o.facility_id, o.shipment_id,
      ${sql.unsafe(values(itemColumns, "r"))}
    from jsonb_to_recordset(${json(sql, items)})
      as r("orderId" bigint, "itemKey" text, ${sql.unsafe(typed(itemColumns))})
    join dockline.customer_order o on o.business_id = ${businessId} and o.id = r."orderId"
    returning id`

// Entities contain only JSON.
const json = (sql: Transaction, value: object) => sql.json(value as postgres.JSONValue)
