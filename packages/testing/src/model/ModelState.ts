/**
 * What the model of the service knows: plain lists, in the order in which things came to be. Ids are numbers counted
 * up, one count for everything, so that a higher id is a later one.
 */
import type { BusinessEntry } from "@dockline/core/Directory"
import type { Discrepancy } from "@dockline/core/Discrepancies"
import type { DocumentRecordView } from "@dockline/core/DocumentRecord"
import type { Json } from "../generators/History.ts"
import type { Recorded, Reply, ToldMessage } from "./Service.ts"

/** An item: its id, and every item-level field. */
export interface Item {
  readonly id: number
  readonly fields: Record<string, unknown>
}

/** An order, with the shipment that it is on. */
export interface Order {
  readonly id: number
  readonly number: string
  readonly direction: string
  shipmentId: number
  status: "CREATED" | "COMPLETED" | "CANCELLED"
  /** Every order-level field. */
  readonly fields: Record<string, unknown>
  /** In the order of their creation. */
  items: Array<Item>
}

/** A shipment; `""` where there is no such time or text. */
export interface Shipment {
  readonly id: number
  readonly business: string
  readonly facility: string
  readonly number: string
  readonly direction: string
  readonly scheduledAt: string
  status: "SCHEDULED" | "ARRIVED" | "DEPARTED" | "CANCELLED"
  arrivedAt: string
  departedAt: string
  /** The text fields that a document replaces when it gives them. */
  readonly fields: Record<string, string> & { expectedArrivalAt: string; dockSlug: string }
  additionalFields: Array<{ readonly name: string; value: string }>
  readonly linked: Array<number>
  /** Those that were kept at its departure. */
  discrepancies: ReadonlyArray<Discrepancy>
}

/** A pallet event that was recorded. */
export interface PalletRecord {
  readonly business: string
  readonly facility: string
  readonly eventId: string
  /** All that it says. */
  readonly said: string
  readonly answer: Recorded["answer"]
  readonly shipmentId: number
  readonly palletId: number
  readonly lpn: string
  readonly dockSlug: string
  readonly occurredAt: string
  readonly labels: ReadonlyArray<{ readonly name: string; readonly value: string }>
  /** Its message. */
  readonly payload: Json
}

/** An exception; `""` where there is no such text or time. */
export interface Exception {
  readonly id: number
  readonly shipmentId: number
  readonly palletId: string
  readonly lpn: string
  readonly kind: string
  readonly priority: string
  readonly description: string
  readonly reportedAt: string
  resolvedAt: string
  note: string
}

/** The first answer under an idempotency key, and all that its request says. */
export interface Kept {
  readonly key: string
  readonly said: string
  readonly reply: Reply<unknown>
}

/** All there is. */
export interface State {
  readonly places: Array<BusinessEntry>
  readonly shipments: Array<Shipment>
  readonly orders: Array<Order>
  readonly pallets: Array<PalletRecord>
  readonly messages: Array<ToldMessage>
  readonly exceptions: Array<Exception>
  readonly records: Array<DocumentRecordView>
  /** The LPNs that each of them removed for good, by its id. */
  readonly removedLpns: Record<number, ReadonlyArray<string>>
  readonly kept: Array<Kept>
  lastId: number
}

/** Nothing yet. */
export const empty: State = {
  places: [],
  shipments: [],
  orders: [],
  pallets: [],
  messages: [],
  exceptions: [],
  records: [],
  removedLpns: {},
  kept: [],
  lastId: 0
}

/** The id of the client that asks. */
export const clientId = "client"

/** An id that nothing has had. */
export const newId = (state: State): number => ++state.lastId

/** The refusal of a request: thrown, as whatever was done until then is forgotten. */
export class Refused extends Error {
  readonly code: string

  constructor(code: string, message = "") {
    super(message)
    this.code = code
  }
}

/** The business of a slug, which must be there. */
export const businessOf = (state: State, businessSlug: unknown): BusinessEntry => {
  const business = state.places.find(({ slug }) => slug === businessSlug)
  if (business === undefined) throw new Refused("BUSINESS_NOT_FOUND")
  return business
}

/** The business and facility of these slugs, which must be there. */
export const placeOf = (state: State, businessSlug: unknown, facilitySlug: unknown) => {
  const business = businessOf(state, businessSlug)
  const facility = business.facilities.find(({ slug }) => slug === facilitySlug)
  if (facility === undefined) throw new Refused("FACILITY_NOT_FOUND")
  return { business, facility }
}

/** Refuses a dock that the facility does not have. */
export const checkDock = (facility: { readonly docks: ReadonlyArray<string> }, dockSlug: string): void => {
  if (!facility.docks.includes(dockSlug)) throw new Refused("UNKNOWN_DOCK")
}

/** The id of a dock: its place in the list of all docks. */
export const dockIdOf = (state: State, business: string, facility: string, dockSlug: string): string => {
  if (dockSlug === "") return ""
  const docks = state.places.flatMap((place) =>
    place.facilities.flatMap(({ slug, docks }) =>
      docks.map((dock) => place.slug === business && slug === facility && dock === dockSlug)
    )
  )
  return String(docks.indexOf(true) + 1)
}

/** The shipment of an id written as text, which must be there. */
export const shipmentOf = (state: State, id: string): Shipment => {
  const shipment = state.shipments.find((each) => String(each.id) === id)
  if (shipment === undefined) throw new Refused("SHIPMENT_NOT_FOUND")
  return shipment
}

/** The orders of a shipment, the oldest first. */
export const ordersOf = (state: State, shipment: Shipment): ReadonlyArray<Order> =>
  state.orders.filter(({ shipmentId }) => shipmentId === shipment.id).sort((left, right) =>
    left.id - right.id
  )

/** A member of a JSON object; `null` is absent (D2.3). */
export const memberOf = (json: Json, name: string): unknown => json[name] ?? undefined

/** A text of a JSON object; `""` when absent. */
export const textOf = (json: Json, name: string): string => String(memberOf(json, name) ?? "")

/** A list of a JSON object; `[]` when absent. */
export const listOf = (json: Json, name: string): ReadonlyArray<Json> =>
  (memberOf(json, name) ?? []) as ReadonlyArray<Json>

/** A time as it is shown, UTC with milliseconds (D1.6); `""` when absent. */
export const timeOf = (json: Json, name: string): string => {
  const text = textOf(json, name)
  if (text === "") return ""
  const hasOffset = /([Zz]|[+-]\d\d:\d\d)$/.test(text)
  return new Date(hasOffset ? text : `${text}Z`).toISOString()
}
