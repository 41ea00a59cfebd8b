/**
 * What is stored at the end of a run, read straight from the database.
 */
import { tagsOf } from "../history/History.ts"
import type { Occurrence, PalletFacts } from "../history/History.ts"
import { digestOf } from "../history/Record.ts"
import { asList, asRecord, asTexts } from "../Json.ts"
import { query } from "../system/Database.ts"
import { shipmentOf } from "../workload/Shown.ts"
import { kindsOf } from "./CollectDocks.ts"

/** The table of the log, and the one that keeps all of it where messages expire. */
export type LogTable = "dockline.message" | "faults.message"

const messages = (table: LogTable) =>
  `select b.slug as business, m.facility, m.id::float8 as id, m.type,
  m.shipment_id::float8 as shipment, (extract(epoch from m.sent_at) * 1000)::float8 as sent, m.payload::text as payload
  from ${table} m join dockline.business b on b.id = m.business_id
  order by m.business_id, m.id`

const shipments = `select b.slug as business, f.slug as facility, json_build_object(
    'id', s.id, 'shipmentNumber', s.number, 'status', s.status, 'orders', (
      select coalesce(json_agg(json_build_object('orderNumber', o.number, 'status', o.status, 'items', (
        select coalesce(json_agg(json_build_object('id', i.id::text, 'lpn', i.lpn, 'lot', i.lot, 'quantity', i.quantity,
          'purchaseOrder', i.purchase_order, 'description', i.description, 'upc', i.upc) order by i.id), '[]')
        from dockline.order_item i where i.business_id = o.business_id and i.order_id = o.id)) order by o.id), '[]')
      from dockline.customer_order o where o.business_id = s.business_id and o.shipment_id = s.id))::text as shipment
  from dockline.shipment s
  join dockline.facility f on f.id = s.facility_id join dockline.business b on b.id = f.business_id
  order by s.id`

/** A message of the log, before it is recorded. */
export type Logged = Extract<Occurrence, { readonly type: "log" }>

interface MessageRow {
  readonly business: string
  readonly facility: string
  readonly id: number
  readonly type: string
  readonly shipment: number
  readonly sent: number
  readonly payload: string
}

interface ShipmentRow {
  readonly business: string
  readonly facility: string
  readonly shipment: string
}

const palletOf = (value: unknown): PalletFacts => {
  const { direction, occurredAt, orders, servicePalletId } = asRecord(value)
  return {
    palletId: String(servicePalletId),
    direction: String(direction),
    orders: asTexts(orders),
    ...(typeof occurredAt === "string" ? { occurredAt } : {})
  }
}

const exceptionOf = (value: unknown) => {
  const { description, id } = asRecord(value)
  return { id: Number(id), description: String(description) }
}

const messageOf = ({ business, facility, id, payload, sent, shipment, type }: MessageRow): Logged => {
  const message = asRecord(JSON.parse(payload))
  return {
    type: "log",
    business,
    facility,
    id,
    messageType: type,
    shipmentId: shipment,
    sentAt: sent,
    digest: digestOf(message),
    tags: tagsOf(payload),
    orders: asTexts(message["orders"]),
    pallets: (type === "PALLET_EVENT" ? [message] : asList(message["pallets"])).map(palletOf),
    ...(message["exception"] === undefined ? {} : { exception: exceptionOf(message["exception"]) }),
    ...(message["discrepancies"] === undefined
      ? {}
      : { discrepancies: kindsOf(asList(message["discrepancies"])) })
  }
}

/** All messages of a database. */
export const readLog = async (
  url: string,
  table: LogTable = "dockline.message"
): Promise<ReadonlyArray<Logged>> => (await query<MessageRow>(url, messages(table))).map(messageOf)

/** All shipments of a database. */
export const readShipments = async (url: string): Promise<ReadonlyArray<Occurrence>> =>
  (await query<ShipmentRow>(url, shipments)).map(({ business, facility, shipment }) => ({
    type: "stored",
    business,
    facility,
    shipment: shipmentOf(JSON.parse(shipment))
  }))
