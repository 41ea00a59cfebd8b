/**
 * The peer's statements: written by hand for `postgres`, on the tables of the service.
 *
 * A document is one transaction. Its reads are sent in one go (`postgres` pipelines what is not awaited one by one),
 * and so are its writes, so an update takes four round trips: begin, reads, writes, commit. Every statement works on
 * a set. There are no stored procedures: who writes with `postgres` writes SQL in TypeScript, and calling the two
 * functions of the service instead is no faster (lab/bench/README.md has the figures).
 */
import { createHash } from "node:crypto"
import postgres from "postgres"
import type { OrderChange, Plan, ShipmentAfter } from "./Decide.ts"
import { itemKey } from "./Model.ts"
import type { Document, ItemFields, ItemRow, OrderRow, Place, ShipmentRow, Snapshot } from "./Model.ts"

/** Connects; dates stay text, as a calendar date is no point in time. */
export const connect = (url: string, connections: number) =>
  postgres(url, {
    max: connections,
    transform: { column: { from: postgres.toCamel } },
    types: {
      date: { to: 1082, from: [1082], serialize: (text: string) => text, parse: (text: string) => text },
      double: { to: 701, from: [701], serialize: String, parse: Number }
    },
    // Arrays of unknown length look dear to the planner, which would plan such statements anew each time; without
    // this the peer does a fifth to a third less.
    connection: { plan_cache_mode: "force_generic_plan" },
    onnotice: () => {}
  })

/** The pool. */
export type Database = ReturnType<typeof connect>

type Transaction = postgres.TransactionSql<{ date: string; double: number }>

/** Where a document belongs. */
export interface Home {
  readonly businessId: string
  readonly facilityId: string
}

/** What stands for a text in a unique index, which takes no more than 2.7 KiB. */
const indexKey = (text: string): string =>
  text.length <= 512 ? `=${text}` : `#${createHash("sha256").update(text).digest("hex")}`

/** More orders than these lock the facility as a whole. */
const maxNumberLocks = 32

/** Locks the numbers of a document and reads everything it is judged by, in one round trip. */
export const load = async (
  sql: Transaction,
  { businessId, facilityId }: Home,
  document: Document
): Promise<Snapshot> => {
  const shipmentKey = indexKey(document.shipmentNumber)
  const orderKeys = document.orders.map((order) => indexKey(order.orderNumber))
  const target = sql`select id from dockline.shipment where business_id = ${businessId}
      and facility_id = ${facilityId} and number_key = ${shipmentKey}`
  const orders = sql`o.business_id = ${businessId} and (o.shipment_id = (${target})
    or (o.facility_id = ${facilityId} and o.number_key = any (${orderKeys})))`
  const [, [place], shipments, orderRows, items] = await Promise.all([
    lock(sql, facilityId, [...orderKeys, shipmentKey], orderKeys.length > maxNumberLocks),
    sql<[Place]>`select b.slug as business_slug, b.name as business_name, f.slug as facility_slug,
        f.name as facility_name, d.id as dock_id
      from dockline.facility f
      join dockline.business b on b.id = f.business_id
      left join dockline.dock d on d.facility_id = f.id and d.slug = ${document.dockSlug}
      where f.id = ${facilityId}`,
    sql<
      Array<ShipmentRow>
    >`select s.id, s.number, s.status, s.direction, s.expected_arrival_at, s.scheduled_at,
        s.arrived_at, s.departed_at, s.trailer_number, s.carrier, s.dock_id, d.slug as dock_slug,
        s.additional_fields,
        exists (select from dockline.shipment_link l where l.business_id = s.business_id and l.shipment_id = s.id) as is_linked,
        coalesce((select json_agg(json_build_array(p.lpn, p.first_direction, p.last_direction)) from dockline.pallet p
          where p.business_id = s.business_id and p.shipment_id = s.id), '[]') as pallets
      from dockline.shipment s left join dockline.dock d on d.id = s.dock_id
      where s.business_id = ${businessId} and s.id in (${target} union select o.shipment_id from dockline.customer_order o
        where o.business_id = ${businessId} and o.facility_id = ${facilityId} and o.number_key = any (${orderKeys}))
      order by s.id
      for no key update of s`,
    sql<Array<OrderRow>>`select o.id, o.shipment_id, o.number, o.status, o.direction, o.order_type,
        o.purchase_order, o.consignee_name, o.consignee_phone_number, o.bol_number,
        o.expected_quantity::float8 as expected_quantity, o.carrier, o.seal_number, o.supplier, o.client,
        o.destination, o.created_at
      from dockline.customer_order o where ${orders} order by o.id`,
    sql<Array<ItemRow>>`select i.id, i.order_id, i.identifier, i.lpn, i.sku, i.quantity, i.quantity_unit,
        i.purchase_order, i.description, i.upc, i.weight_per_unit, i.weight_unit, i.height, i.length, i.width,
        i.dimension_unit, i.is_dangerous_good, i.lot, coalesce(i.expiration_date::text, '') as expiration_date,
        coalesce(i.manufacturing_date::text, '') as manufacturing_date, i.case_serials
      from dockline.customer_order o join dockline.order_item i on i.business_id = o.business_id and i.order_id = o.id
      where ${orders} order by i.id`
  ])
  return { place, shipments, orders: orderRows, items }
}

/** The locks of the service, in its order: the facility's, shared unless alone, then the numbers'. */
const lock = (sql: Transaction, facilityId: string, keys: ReadonlyArray<string>, wholeFacility: boolean) =>
  wholeFacility
    ? sql`select pg_advisory_xact_lock(hashtextextended('dockline.facility:' || ${facilityId}::bigint, 0))`
    : sql`select case when kind = 0 then pg_advisory_xact_lock_shared(key) else pg_advisory_xact_lock(key) end
      from (
        select 0 as kind, hashtextextended('dockline.facility:' || ${facilityId}::bigint, 0) as key
        union all
        select distinct 1, hashtextextended('dockline.number:' || ${facilityId}::bigint || ':' || key, 0)
        from unnest(${keys}::text[]) as key
        order by kind, key
      ) as locks`

/** The ids that writing gave. */
export interface NewIds {
  readonly shipment: string
  readonly orders: ReadonlyArray<string>
  readonly items: ReadonlyArray<string>
}

/** Writes what changes; what needs no id of another statement goes in one round trip. */
export const write = async (sql: Transaction, home: Home, plan: Plan, now: Date): Promise<NewIds> => {
  const { orders, shipment } = plan
  const shipmentId = shipment.id ?? (await insertShipment(sql, home, shipment, now))
  const created = orders.filter((change) => change.order.id === null)
  const newOrderIds = created.length === 0
    ? []
    : await insertOrders(sql, home, shipmentId, created.map((change) => change.order), now)
  const newIds = newOrderIds.values()
  const rows = orders.flatMap((change) => {
    const orderId = change.order.id ?? newIds.next().value!
    return change.created.map((item) => ({ ...item, orderId, itemKey: indexKey(itemKey(item)) }))
  })
  const removed = orders.flatMap((change) => change.removed.map((item) => item.id))
  const written = orders.flatMap((change) => change.written)
  const [items] = await Promise.all([
    // The order of sending is the order of running, so the removals come first.
    removed.length === 0
      ? []
      : sql<Array<never>>`delete from dockline.order_item
        where business_id = ${home.businessId} and id = any (${removed}::bigint[])`,
    plan.shipmentChanged ? updateShipment(sql, home, shipment) : [],
    updateOrders(sql, home, shipmentId, orders.filter((change) => change.changed)),
    written.length === 0 ? [] : updateItems(sql, home, written),
    rows.length === 0 ? [] : insertItems(sql, home, rows)
  ]).then((results) => [results[4]] as const)
  return { shipment: shipmentId, orders: newOrderIds, items: items.map((row) => row.id) }
}

const insertShipment = async (
  sql: Transaction,
  { businessId, facilityId }: Home,
  shipment: ShipmentAfter,
  now: Date
) => {
  const [row] = await sql<
    [{ id: string }]
  >`insert into dockline.shipment (business_id, facility_id, number, number_key, status,
      direction, expected_arrival_at, scheduled_at, trailer_number, carrier, dock_id, additional_fields, created_at)
    values (${businessId}, ${facilityId}, ${shipment.number}, ${
    indexKey(shipment.number)
  }, ${shipment.status},
      ${shipment.direction}, ${shipment.expectedArrivalAt}, ${shipment.scheduledAt}, ${shipment.trailerNumber},
      ${shipment.carrier}, ${shipment.dockId}, ${json(sql, shipment.additionalFields)}, ${now})
    returning id`
  return row.id
}

const updateShipment = (sql: Transaction, { businessId }: Home, shipment: ShipmentAfter) =>
  sql<Array<never>>`update dockline.shipment set expected_arrival_at = ${shipment.expectedArrivalAt},
      trailer_number = ${shipment.trailerNumber}, carrier = ${shipment.carrier}, dock_id = ${shipment.dockId},
      additional_fields = ${json(sql, shipment.additionalFields)}
    where business_id = ${businessId} and id = ${shipment.id}`

const orderColumns = `r("id" bigint, "number" text, "numberKey" text, "status" text, "direction" text,
  "orderType" text, "purchaseOrder" text, "consigneeName" text, "consigneePhoneNumber" text, "bolNumber" text,
  "expectedQuantity" bigint, "carrier" text, "sealNumber" text, "supplier" text, "client" text,
  "destination" text)`

const insertOrders = async (
  sql: Transaction,
  { businessId, facilityId }: Home,
  shipmentId: string,
  orders: ReadonlyArray<OrderChange["order"]>,
  now: Date
) => {
  const rows = orders.map((order) => ({ ...order, numberKey: indexKey(order.number) }))
  const inserted = await sql<
    Array<{ id: string }>
  >`insert into dockline.customer_order (business_id, facility_id, shipment_id,
      number, number_key, status, direction, order_type, purchase_order, consignee_name, consignee_phone_number,
      bol_number, expected_quantity, carrier, seal_number, supplier, client, destination, created_at)
    select ${businessId}::bigint, ${facilityId}::bigint, ${shipmentId}::bigint, r.number, r."numberKey", r.status, r.direction, r."orderType",
      r."purchaseOrder", r."consigneeName", r."consigneePhoneNumber", r."bolNumber", r."expectedQuantity",
      r.carrier, r."sealNumber", r.supplier, r.client, r.destination, ${now}::timestamptz
    from jsonb_to_recordset(${json(sql, rows)}) as ${sql.unsafe(orderColumns)}
    returning id`
  return inserted.map((row) => row.id)
}

const updateOrders = (
  sql: Transaction,
  { businessId }: Home,
  shipmentId: string,
  changes: ReadonlyArray<OrderChange>
) =>
  changes.length === 0
    ? []
    : sql<Array<never>>`with changed as (update dockline.customer_order o set shipment_id = ${shipmentId},
        order_type = r."orderType", purchase_order = r."purchaseOrder", consignee_name = r."consigneeName",
        consignee_phone_number = r."consigneePhoneNumber", bol_number = r."bolNumber",
        expected_quantity = r."expectedQuantity", carrier = r.carrier, seal_number = r."sealNumber",
        supplier = r.supplier, client = r.client, destination = r.destination
      from jsonb_to_recordset(${json(sql, changes.map((change) => change.order))})
        as ${sql.unsafe(orderColumns)}
      where o.business_id = ${businessId} and o.id = r.id returning o.id)
      update dockline.order_item i set lpn_shipment_id = ${shipmentId} from changed
      where i.business_id = ${businessId} and i.order_id = changed.id and i.lpn_shipment_id <> ${shipmentId}`

const itemColumns =
  `r("id" bigint, "orderId" bigint, "itemKey" text, "identifier" text, "lpn" text, "sku" text,
  "quantity" float8, "quantityUnit" text, "purchaseOrder" text, "description" text, "upc" text,
  "weightPerUnit" float8, "weightUnit" text, "height" float8, "length" float8, "width" float8,
  "dimensionUnit" text, "isDangerousGood" boolean, "lot" text, "expirationDate" text, "manufacturingDate" text,
  "caseSerials" jsonb)`

const updateItems = (sql: Transaction, { businessId }: Home, items: ReadonlyArray<ItemRow>) =>
  sql<Array<never>>`update dockline.order_item i set identifier = r.identifier, quantity = r.quantity,
      quantity_unit = r."quantityUnit", purchase_order = r."purchaseOrder", description = r.description,
      upc = r.upc, weight_per_unit = r."weightPerUnit", weight_unit = r."weightUnit", height = r.height,
      length = r.length, width = r.width, dimension_unit = r."dimensionUnit",
      is_dangerous_good = r."isDangerousGood", lot = r.lot,
      expiration_date = nullif(r."expirationDate", '')::date,
      manufacturing_date = nullif(r."manufacturingDate", '')::date, case_serials = r."caseSerials"
    from jsonb_to_recordset(${json(sql, items)}) as ${sql.unsafe(itemColumns)}
    where i.business_id = ${businessId} and i.id = r.id`

const insertItems = (
  sql: Transaction,
  { businessId }: Home,
  items: ReadonlyArray<ItemFields & { readonly orderId: string }>
) =>
  sql<
    Array<{ id: string }>
  >`insert into dockline.order_item (business_id, order_id, item_key, identifier, lpn, sku, quantity,
      quantity_unit, purchase_order, description, upc, weight_per_unit, weight_unit, height, length, width,
      dimension_unit, is_dangerous_good, lot, expiration_date, manufacturing_date, case_serials, facility_id,
      lpn_shipment_id)
    select o.business_id, r."orderId", r."itemKey", r.identifier, r.lpn, r.sku, r.quantity, r."quantityUnit", r."purchaseOrder",
      r.description, r.upc, r."weightPerUnit", r."weightUnit", r.height, r.length, r.width, r."dimensionUnit",
      r."isDangerousGood", r.lot, nullif(r."expirationDate", '')::date,
      nullif(r."manufacturingDate", '')::date, r."caseSerials", o.facility_id, o.shipment_id
    from jsonb_to_recordset(${json(sql, items)}) as ${sql.unsafe(itemColumns)}
    join dockline.customer_order o on o.business_id = ${businessId} and o.id = r."orderId"
    returning id`

const json = (sql: Transaction, value: object) => sql.json(value as postgres.JSONValue)
