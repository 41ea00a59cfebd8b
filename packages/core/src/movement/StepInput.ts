/**
 * Reads the steps of shipments as clients send them (D6.5).
 */
import { Schema } from "effect"
import * as RequestInput from "../input/RequestInput.ts"
import type { CheckInNote } from "../shipment/CheckIn.ts"
import * as Field from "../values/Field.ts"
import * as Timestamp from "../values/Timestamp.ts"
import { checkInSteps } from "../values/Vocabulary.ts"
import type { CheckInStep } from "../values/Vocabulary.ts"

/** When a shipment departed, now unless given. */
export interface DepartureInput {
  readonly occurredAt?: Timestamp.Timestamp | undefined
}

/** When a shipment arrived, now unless given, and at which dock; the expected dock unless given. */
export interface ArrivalInput extends DepartureInput {
  readonly dockSlug?: string | undefined
}

/** A step of a check-in, and the dock of a door that it assigns; the shipment's dock unless given. */
export interface CheckInInput extends CheckInNote {
  readonly dockSlug?: string | undefined
}

const optional = Schema.optionalKey

/** The schema of an arrival's JSON form. */
export const arriveSchema = Schema.Struct({
  occurredAt: optional(Field.dateTime("When the shipment arrived; now when absent")),
  dockSlug: optional(Field.text("Slug of the dock at which it arrived; the expected dock when absent"))
}).annotate({ identifier: "ArriveShipment", description: "The arrival of a shipment." })

/** The schema of a departure's JSON form. */
export const departSchema = Schema.Struct({
  occurredAt: optional(Field.dateTime("When the shipment departed; now when absent"))
}).annotate({ identifier: "DepartShipment", description: "The departure of a shipment." })

/** The schema of the JSON form of a step of a check-in. */
export const checkInSchema = Schema.Struct({
  step: Field.name<CheckInStep>(checkInSteps, "Which step of the check-in it is"),
  occurredAt: optional(Field.dateTime("When the step was; now when absent")),
  dockSlug: optional(
    Field.text("With DOOR_ASSIGNED, the slug of the dock; the shipment's dock when absent")
  )
}).annotate({ identifier: "CheckInShipment", description: "A step of the check-in of a shipment." })

/** The schema of a cancellation's JSON form, which has no fields. */
export const cancelSchema = Schema.Struct({}).annotate({
  identifier: "CancelShipment",
  description: "The cancellation of a shipment."
})

/** The schema of a link's JSON form. */
export const linkSchema = Schema.Struct({
  linkedShipmentId: Field.id("Id of the other shipment; the link holds for both")
}).annotate({ identifier: "LinkShipments", description: "Two shipments that belong together." })

/** Reads an untyped value into an arrival; a missing body (`undefined`) is an arrival too. */
export const readArrive: RequestInput.Reader<ArrivalInput> = RequestInput.map(
  RequestInput.reader(arriveSchema, "an arrival"),
  ({ occurredAt, dockSlug }) => ({ occurredAt: Timestamp.parse(occurredAt ?? ""), dockSlug }),
  {}
)

/** Reads an untyped value into a departure; a missing body (`undefined`) is a departure too. */
export const readDepart: RequestInput.Reader<DepartureInput> = RequestInput.map(
  RequestInput.reader(departSchema, "a departure"),
  ({ occurredAt }) => ({ occurredAt: Timestamp.parse(occurredAt ?? "") }),
  {}
)

/** Reads an untyped value into a step of a check-in. */
export const readCheckIn: RequestInput.Reader<CheckInInput> = RequestInput.map(
  RequestInput.reader(checkInSchema, "a step of a check-in", ({ dockSlug = "", step }, faults) => {
    if (dockSlug !== "" && step !== "DOOR_ASSIGNED") {
      faults.add("goes with the step DOOR_ASSIGNED", "dockSlug")
    }
    if (step === undefined) faults.add("is required", "step")
  }),
  ({ dockSlug, occurredAt, step }) => ({ step, occurredAt: Timestamp.parse(occurredAt ?? ""), dockSlug })
)

/** Reads an untyped value into a cancellation; a missing body (`undefined`) is a cancellation too. */
export const readCancel: RequestInput.Reader<object> = RequestInput.map(
  RequestInput.reader(cancelSchema, "a cancellation"),
  () => ({}),
  {}
)

/** Reads an untyped value into a link, with the id as text for `Shipments.link`. */
export const readLink: RequestInput.Reader<{ readonly linkedShipmentId: string }> = RequestInput.map(
  RequestInput.reader(linkSchema, "a link"),
  ({ linkedShipmentId }) => ({ linkedShipmentId: String(linkedShipmentId) })
)
