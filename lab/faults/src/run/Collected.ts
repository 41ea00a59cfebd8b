/** The state at the end of a run: the data of the database, read directly, and the views of docks and records, read over REST. */
import { tagsOf } from "../history/History.ts"
import type { Occurrence, Told } from "../history/History.ts"
import { digestOf } from "../history/Record.ts"
import { asList, asRecord, listOf, shaped } from "../Json.ts"
import { query } from "../system/Database.ts"
import { verdictOf } from "../workload/Docks.ts"
import { shipmentOf } from "../workload/Documents.ts"

/** The table of the log, and the table with a copy of the whole log in courses in which messages expire. */
export type LogTable = "dockline.message" | "faults.message"

const messages = (table: LogTable) =>
  `select b.slug as business, m.facility, m.id::float8 as id, m.type,
  m.shipment_id::float8 as shipment, (extract(epoch from m.sent_at) * 1000)::float8 as sent, m.payload::text as payload,
  e.verdict->>'kind' as verdict
  from ${table} m join dockline.business b on b.id = m.business_id
  left join dockline.pallet_event e on e.business_id = m.business_id and e.shipment_id = m.shipment_id and e.message_id = m.id
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

type Row<Texts extends string, Numbers extends string> =
  & Readonly<Record<Texts, string>>
  & Readonly<Record<Numbers, number>>

const crossingOf = shaped({
  servicePalletId: String,
  direction: String,
  orders: listOf(String),
  occurredAt: (value) => typeof value === "string" ? value : undefined
})

const exceptionOf = shaped({ id: Number, description: String, priority: String })

/** Kind and license plate of each discrepancy, sorted. */
const kindsOf = (discrepancies: ReadonlyArray<unknown>): ReadonlyArray<string> =>
  discrepancies.map(shaped({ kind: String, lpn: String })).map(({ kind, lpn }) => `${kind} ${lpn}`).toSorted()

/** All messages of a database. */
export const readLog = async (
  url: string,
  table: LogTable = "dockline.message"
): Promise<ReadonlyArray<Told<"log">>> => {
  type Message = Row<"business" | "facility" | "type" | "payload", "id" | "shipment" | "sent">
  const rows = await query<Message & { readonly verdict: string | null }>(url, messages(table))
  return rows.map(({ payload, sent, shipment, type, verdict, ...row }) => {
    const message = asRecord(JSON.parse(payload))
    const { discrepancies, exception, late, orders, pallets } = message
    return {
      type: "log",
      ...row,
      messageType: type,
      shipmentId: shipment,
      sentAt: sent,
      digest: digestOf(message),
      tags: tagsOf(payload),
      orders: listOf(String)(orders),
      pallets: (type === "PALLET_EVENT" ? [message] : asList(pallets)).map(crossingOf)
        .map(({ servicePalletId, ...pallet }) => ({ palletId: servicePalletId, ...pallet })),
      late: late === true ? true : undefined,
      verdict: verdict ?? undefined,
      exception: exception === undefined ? undefined : exceptionOf(exception),
      discrepancies: discrepancies === undefined ? undefined : kindsOf(asList(discrepancies))
    }
  })
}

/** All shipments of a database. */
export const readShipments = async (url: string): Promise<ReadonlyArray<Told<"stored">>> =>
  (await query<Row<"business" | "facility" | "shipment", never>>(url, shipments)).map((row) => ({
    type: "stored",
    ...row,
    shipment: shipmentOf(JSON.parse(row.shipment))
  }))

/** Reads an address of the service; returns the answer, or nothing if the request is refused or gets no answer. */
export type Read = (path: string) => Promise<unknown>

const palletOf = shaped({
  lpn: String,
  state: String,
  expected: Boolean,
  events: listOf(shaped({ messageId: Number, verdict: verdictOf }))
})

const progressOf = shaped({
  expectedPallets: Number,
  passedPallets: Number,
  missingPallets: Number,
  unexpectedPallets: Number
})

/** The number of pallets from which on lists are read in long pages, and the length of these pages. */
const longList = 100
const longPage = 100

/** The state of a shipment at the dock (D13.1, D13.2, D13.4); nothing if the service does not answer. */
export const readDock = async (read: Read, shipmentId: number): Promise<Occurrence | undefined> => {
  const path = `/v1/shipments/${shipmentId}`
  const shipment = await read(path)
  if (shipment === undefined) return undefined
  const progress = progressOf(asRecord(shipment)["progress"])
  const limit = progress.expectedPallets > longList ? longPage : undefined
  const pallets = (await pages(read, `${path}/pallets`, limit))?.map(palletOf)
  const discrepancies = await pages(read, `${path}/discrepancies`, limit)
  if (pallets === undefined || discrepancies === undefined) return undefined
  return {
    type: "dock",
    shipmentId,
    verdicts: pallets.flatMap(({ events }) =>
      events.map(({ messageId, verdict }) => [messageId, verdict] as const)
    ),
    expected: progress.expectedPallets,
    passed: progress.passedPallets,
    missing: progress.missingPallets,
    unexpected: progress.unexpectedPallets,
    pallets: pallets.map(({ events, expected, lpn, state }) => ({
      lpn,
      isLoaded: state === "LOADED",
      isExpected: expected,
      messageIds: events.map(({ messageId }) => messageId)
    })).toSorted((left, right) => left.lpn < right.lpn ? -1 : 1),
    discrepancies: kindsOf(discrepancies)
  }
}

const listedOf = shaped({ id: Number, description: String, status: String })

/** The exceptions of a shipment; nothing if the service does not answer. */
export const readExceptions = async (read: Read, shipmentId: number): Promise<Occurrence | undefined> => {
  const listed = (await pages(read, `/v1/shipments/${shipmentId}/exceptions`))?.map(listedOf)
  return listed && {
    type: "exceptions",
    shipmentId,
    listed: listed.map(({ status, ...each }) => ({ ...each, isResolved: status === "RESOLVED" }))
  }
}

const slugOf = (value: unknown): string => String(asRecord(value)["slug"])

const recordedOf = shaped({
  business: slugOf,
  facility: slugOf,
  clientId: String,
  correlationId: String,
  shipmentNumber: String,
  outcome: String,
  code: String,
  counts: shaped({ created: Number, updated: Number, removed: Number })
})

/** The record of documents; nothing if the service does not answer. */
export const readDocuments = async (read: Read): Promise<ReadonlyArray<Occurrence>> =>
  (await pages(read, "/v1/documents", 100, "") ?? []).map(recordedOf).map((
    { clientId, counts, ...each }
  ) => ({
    type: "recorded",
    ...each,
    client: clientId,
    counts: [counts.created, counts.updated, counts.removed]
  }))

/** All pages of a list: small ones unless the list is long, so that the transitions between pages are tested too. */
export const pages = async (
  read: Read,
  path: string,
  limit = 2,
  from: string | number = 0
): Promise<ReadonlyArray<unknown> | undefined> => {
  const all: Array<unknown> = []
  for (let after: unknown = from;;) {
    const cursor = after === "" ? "" : `&after=${encodeURIComponent(String(after))}`
    const page = await read(`${path}${path.includes("?") ? "&" : "?"}limit=${limit}${cursor}`)
    if (page === undefined) return undefined
    const { items, next } = asRecord(page)
    all.push(...asList(items))
    if (typeof next !== "string") return all
    after = next
  }
}
