/**
 * The steps of a shipment as clients send them (D6.5).
 */
import { Schema } from "effect"
import * as RequestInput from "../input/RequestInput.ts"
import * as Field from "../values/Field.ts"
import * as Timestamp from "../values/Timestamp.ts"
import type { ArrivalInput, DepartureInput } from "./Shipments.ts"

const optional = Schema.optionalKey

/** The schema of an arrival's JSON form. */
export const arriveSchema = Schema.Struct({
  occurredAt: optional(Field.dateTime("When the shipment arrived; now when absent")),
  dockSlug: optional(Field.text("Slug of the dock it arrived at; where it was expected when absent"))
}).annotate({ identifier: "ArriveShipment" })

/** The schema of a departure's JSON form. */
export const departSchema = Schema.Struct({
  occurredAt: optional(Field.dateTime("When the shipment departed; now when absent"))
}).annotate({ identifier: "DepartShipment" })

/** The schema of a link's JSON form. */
export const linkSchema = Schema.Struct({
  linkedShipmentId: Field.id("Id of the shipment to link it to; the link holds for both")
}).annotate({ identifier: "LinkShipments" })

const readArriveInput = RequestInput.reader(arriveSchema, "an arrival")
const readDepartInput = RequestInput.reader(departSchema, "a departure")
const readLinkInput = RequestInput.reader(linkSchema, "a link")

const time = (text: string | undefined): Timestamp.Timestamp | undefined =>
  text === undefined || text === "" ? undefined : Timestamp.parse(text)

/** Reads an untyped value into an arrival; no body at all, `undefined`, is one too. */
export const readArrive: RequestInput.Reader<ArrivalInput> = RequestInput.mapped(
  readArriveInput,
  ({ occurredAt, dockSlug }) => ({ occurredAt: time(occurredAt), dockSlug }),
  {}
)

/** Reads an untyped value into a departure; no body at all, `undefined`, is one too. */
export const readDepart: RequestInput.Reader<DepartureInput> = RequestInput.mapped(
  readDepartInput,
  ({ occurredAt }) => ({ occurredAt: time(occurredAt) }),
  {}
)

/** Reads an untyped value into a link. The id is as `Shipments.link` takes it. */
export const readLink: RequestInput.Reader<{ readonly linkedShipmentId: string }> = RequestInput.mapped(
  readLinkInput,
  ({ linkedShipmentId }) => ({ linkedShipmentId: String(linkedShipmentId) })
)
