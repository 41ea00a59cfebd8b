/**
 * A model of the whole service: documents and their record, pallets, arrivals, departures, links, exceptions, messages and
 * reads, for stateful tests. It is a second opinion: written from WIRE.md, sharing nothing with the rules of core, naive
 * where those are quick.
 *
 * Guarantee: pure. {@link step} says what is answered and what is there afterwards; a request that is refused, and a
 * dry run, leave what was there, but for the record of a refused document (D13.6) and the answer that is kept under an
 * idempotency key (D5.2). The client may do everything at every business; limits of size are not modelled.
 */
import type { DocumentRecordView } from "../../document/DocumentRecord.ts"
import type { RecordQuery } from "../../document/Intake.ts"
import type { PalletQuery } from "../../movement/Pallets.ts"
import type { PalletView } from "../../movement/PalletView.ts"
import type { OrderQuery, ShipmentQuery } from "../../movement/Shipments.ts"
import type { BusinessEntry } from "../../places/Directory.ts"
import type { Discrepancy } from "../../shipment/Discrepancies.ts"
import type { Page } from "../../values/Page.ts"
import type { Json } from "../generators/History.ts"
import { discrepancies, keep } from "./ModelDiscrepancies.ts"
import { submit } from "./ModelDocument.ts"
import { exceptionsOf, report, resolve } from "./ModelExceptions.ts"
import { arrive, cancel, depart, link, recordPallet } from "./ModelMovement.ts"
import { palletsOf, palletsWith } from "./ModelPallets.ts"
import { record, recordOf, recordsWith } from "./ModelRecord.ts"
import { businessOf, empty, placeOf, Refused, shipmentOf } from "./ModelState.ts"
import type { State } from "./ModelState.ts"
import { showLocatedOrder, showShipment } from "./ModelView.ts"
import type { MessagePageQuery, Reply, Service } from "./Service.ts"

export type { State } from "./ModelState.ts"

/** A call of the model: the methods of a {@link Service}. */
export type Request =
  | { readonly _tag: "Places"; readonly businesses: ReadonlyArray<BusinessEntry> }
  | { readonly _tag: "Submit"; readonly document: Json; readonly dryRun: boolean }
  | { readonly _tag: "RecordPallet"; readonly event: Json }
  | { readonly _tag: "Arrive"; readonly id: string; readonly arrival: Json }
  | { readonly _tag: "Depart"; readonly id: string; readonly departure: Json }
  | { readonly _tag: "Link"; readonly id: string; readonly linkedShipmentId: string }
  | { readonly _tag: "Cancel"; readonly id: string }
  | {
    readonly _tag: "Report"
    readonly id: string
    readonly report: Json
    readonly key: string | undefined
  }
  | {
    readonly _tag: "Resolve"
    readonly id: string
    readonly exceptionId: string
    readonly resolution: Json
  }
  | { readonly _tag: "Exceptions"; readonly id: string }
  | { readonly _tag: "Records"; readonly query: RecordQuery }
  | { readonly _tag: "Record"; readonly id: string }
  | { readonly _tag: "Shipment"; readonly id: string }
  | { readonly _tag: "Discrepancies"; readonly id: string }
  | { readonly _tag: "ShipmentPallets"; readonly id: string }
  | { readonly _tag: "Pallets"; readonly query: PalletQuery }
  | { readonly _tag: "Shipments"; readonly query: ShipmentQuery }
  | { readonly _tag: "Orders"; readonly query: OrderQuery }
  | { readonly _tag: "Messages"; readonly query: MessagePageQuery }

/** What a request made of the state. */
export interface Step {
  readonly state: State
  readonly reply: Reply<unknown>
}

/** Before anything has happened. */
export const initial: State = empty

/** The answer at a time, and the state after it. */
export const step = (state: State, request: Request, now: string): Step => {
  if (request._tag === "Report" && request.key !== undefined) {
    return once(
      state,
      request.key,
      JSON.stringify([request.id, request.report]),
      () => attempt(state, request, now)
    )
  }
  const done = attempt(state, request, now)
  if (request._tag !== "Submit" || request.dryRun) return done
  const after = copy(done.state)
  record(state, after, { document: request.document, now, reply: done.reply })
  return { state: after, reply: done.reply }
}

/** The first answer under the key, if the request says the same (D5.2). */
const once = (state: State, key: string, said: string, first: () => Step): Step => {
  const kept = state.kept.find((each) => each.key === key)
  if (kept === undefined) {
    const { reply, state: after } = first()
    return { state: { ...after, kept: [...after.kept, { key, said, reply }] }, reply }
  }
  return { state, reply: kept.said === said ? kept.reply : refusal(new Refused("IDEMPOTENCY_KEY_REUSED")) }
}

const refusal = ({ code, message }: Refused): Reply<never> => ({ ok: false, error: { code, message } })

const attempt = (state: State, request: Request, now: string): Step => {
  const after = copy(state)
  try {
    const value = copy(answer(after, request, now))
    const isDry = request._tag === "Submit" && request.dryRun
    return { state: isDry ? state : after, reply: { ok: true, value } }
  } catch (error) {
    if (!(error instanceof Refused)) throw error
    return { state, reply: refusal(error) }
  }
}

/** A copy of lists, objects and values. */
const copy = <A>(value: A): A => {
  if (Array.isArray(value)) return value.map(copy) as A
  if (typeof value !== "object" || value === null) return value
  const members: Record<string, unknown> = {}
  for (const [name, member] of Object.entries(value)) members[name] = copy(member)
  return members as A
}

const answer = (state: State, request: Request, now: string): unknown => {
  switch (request._tag) {
    case "Places":
      return void state.places.push(...request.businesses)
    case "Submit":
      return submit(state, request.document, request.dryRun, now)
    case "RecordPallet":
      return recordPallet(state, request.event, now)
    case "Arrive":
      return showShipment(state, arrive(state, request.id, request.arrival, now))
    case "Depart":
      return showShipment(state, departing(state, request.id, request.departure, now))
    case "Link":
      return showShipment(state, link(state, request.id, request.linkedShipmentId))
    case "Cancel":
      return showShipment(state, cancel(state, request.id))
    case "Report":
      return { exceptionId: report(state, request.id, request.report, now) }
    case "Resolve":
      return resolve(state, request.id, request.exceptionId, request.resolution, now)
    case "Exceptions":
      return firstPage(exceptionsOf(state, request.id))
    case "Records":
      return recordPage(state, request.query)
    case "Record":
      return recordOf(state, request.id)
    case "Discrepancies":
      return discrepancyPage(state, request.id)
    case "ShipmentPallets":
      return firstPage(palletsOf(state, shipmentOf(state, request.id)))
    case "Pallets":
      return palletPage(state, request.query)
    case "Shipment":
      return showShipment(state, shipmentOf(state, request.id))
    case "Shipments":
      return shipmentPage(state, request.query)
    case "Orders":
      return orderPage(state, request.query)
    case "Messages":
      return messagePage(state, request.query)
  }
}

/** The first of what comes after an id, and where to go on (D5.1). */
const pageOf = <A extends { readonly id: number }>(
  all: ReadonlyArray<A>,
  { limit = 100, after = 0 }: { readonly limit?: number | undefined; readonly after?: number | undefined }
): Page<A> => {
  const rest = all.filter(({ id }) => id > after).sort((left, right) => left.id - right.id)
  const items = rest.slice(0, limit)
  return { items, next: rest.length > limit ? String(items.at(-1)!.id) : null }
}

const isAsked = (asked: string | undefined, actual: string): boolean =>
  asked === undefined || asked === "" || asked === actual

/** The business that is asked about, and the facility if one is, must be there. */
const checkAsked = (state: State, business: string | undefined, facility: string | undefined): void => {
  if (business === undefined) return
  if (facility === undefined || facility === "") businessOf(state, business)
  else placeOf(state, business, facility)
}

const shipmentPage = (state: State, query: ShipmentQuery) => {
  checkAsked(state, query.business, query.facility)
  const found = state.shipments.filter((each) =>
    isAsked(query.business, each.business) && isAsked(query.facility, each.facility) &&
    isAsked(query.shipmentNumber, each.number) && isAsked(query.status, each.status) &&
    (query.discrepancies !== true || discrepancies(state, each).length > 0)
  )
  const { items, next } = pageOf(found, { ...query, after: Number(query.after ?? 0) })
  return { items: items.map((each) => showShipment(state, each)), next }
}

/** A departure, at which the discrepancies are kept. */
const departing = (state: State, id: string, departure: Json, now: string) => {
  const { status } = shipmentOf(state, id)
  const shipment = depart(state, id, departure, now)
  if (status !== "DEPARTED") keep(state, shipment)
  return shipment
}

/** The first page of a list of a shipment. */
const firstPage = <A extends { readonly id: string }>(all: ReadonlyArray<A>): Page<A> => {
  const items = all.slice(0, 100)
  return { items, next: all.length > items.length ? items.at(-1)!.id : null }
}

/** A page of a list whose newest entries come first. */
const newestPage = <A extends { readonly id: number | string }>(
  all: ReadonlyArray<A>,
  { after = 0, limit = 100 }: { readonly limit?: number | undefined; readonly after?: number | undefined }
): Page<A> => {
  const rest = all.filter(({ id }) => after === 0 || Number(id) < after)
  const items = rest.slice(0, limit)
  return { items, next: rest.length > limit ? String(items.at(-1)!.id) : null }
}

const palletPage = (state: State, query: PalletQuery): Page<PalletView> => {
  checkAsked(state, query.business, query.facility)
  return newestPage(palletsWith(state, query), query)
}

const recordPage = (state: State, query: RecordQuery): Page<DocumentRecordView> => {
  checkAsked(state, query.business, query.facility)
  return newestPage(recordsWith(state, query), query)
}

const discrepancyPage = (state: State, id: string): Page<Discrepancy> => {
  const all = discrepancies(state, shipmentOf(state, id))
  return { items: all.slice(0, 100), next: all.length > 100 ? "100" : null }
}

const orderPage = (state: State, query: OrderQuery) => {
  checkAsked(state, query.business, query.facility)
  const found = state.orders.filter((order) => {
    const { business, facility } = state.shipments.find(({ id }) => id === order.shipmentId)!
    return isAsked(query.business, business) && isAsked(query.facility, facility) &&
      isAsked(query.orderNumber, order.number)
  })
  const { items, next } = pageOf(found, query)
  return { items: items.map((each) => showLocatedOrder(state, each)), next }
}

const messagePage = (state: State, { business, facility, types, afterId, limit }: MessagePageQuery) => {
  checkAsked(state, business, facility)
  const found = state.messages.filter((each) =>
    each.business === business && isAsked(facility, each.facility) && types.includes(each.type)
  )
  return pageOf(found, { limit, after: afterId }).items
}

/** The model as a {@link Service}, to be asked like any other. */
export const service = (): Service => {
  let state = initial
  let now = 0
  // The answers are of the form that the request asks for: what is held against them says so.
  const ask = async <A>(request: Request): Promise<Reply<A>> => {
    const { state: after, reply } = step(state, request, new Date(now).toISOString())
    state = after
    return reply as Reply<A>
  }
  return {
    setTime: (millis) => {
      now = millis
    },
    places: async (businesses) => void (await ask({ _tag: "Places", businesses })),
    submit: (document, { dryRun }) => ask({ _tag: "Submit", document: document as Json, dryRun }),
    recordPallet: (event) => ask({ _tag: "RecordPallet", event: event as Json }),
    arrive: (id, arrival) => ask({ _tag: "Arrive", id, arrival: arrival as Json }),
    depart: (id, departure) => ask({ _tag: "Depart", id, departure: departure as Json }),
    link: (id, linkedShipmentId) => ask({ _tag: "Link", id, linkedShipmentId }),
    cancel: (id) => ask({ _tag: "Cancel", id }),
    reportException: (id, report, { key }) => ask({ _tag: "Report", id, report: report as Json, key }),
    resolveException: (id, exceptionId, resolution) =>
      ask({ _tag: "Resolve", id, exceptionId, resolution: resolution as Json }),
    exceptions: (id) => ask({ _tag: "Exceptions", id }),
    records: (query) => ask({ _tag: "Records", query }),
    record: (id) => ask({ _tag: "Record", id }),
    shipment: (id) => ask({ _tag: "Shipment", id }),
    discrepancies: (id) => ask({ _tag: "Discrepancies", id }),
    shipmentPallets: (id) => ask({ _tag: "ShipmentPallets", id }),
    pallets: (query) => ask({ _tag: "Pallets", query }),
    shipments: (query) => ask({ _tag: "Shipments", query }),
    orders: (query) => ask({ _tag: "Orders", query }),
    messages: (query) => ask({ _tag: "Messages", query })
  }
}
