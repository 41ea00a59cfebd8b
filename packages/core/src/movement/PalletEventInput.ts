/**
 * Reads pallet events as towers and lift cameras send them (D6.1).
 */
import { Schema } from "effect"
import * as RequestInput from "../input/RequestInput.ts"
import * as Field from "../values/Field.ts"
import * as Timestamp from "../values/Timestamp.ts"
import { palletDirections } from "../values/Vocabulary.ts"
import type { PalletDirection } from "../values/Vocabulary.ts"
import { readableLabels } from "./Pallet.ts"
import type { PalletEvent } from "./Pallet.ts"

/** The most labels of one event. */
export const maxLabels = 200

const optional = Schema.optionalKey

/** The schema of a pallet event's JSON form. */
export const schema = Schema.Struct({
  eventId: Field.requiredText(
    "Permanent id of the event within its facility: a repeat gets the answer of the first"
  ),
  business: Field.slug("Business slug"),
  facility: Field.slug("Facility slug"),
  dockSlug: Field.requiredText("Slug of the dock that the pallet crossed"),
  direction: Field.name<PalletDirection>(palletDirections, "Direction in which the pallet crossed the dock"),
  occurredAt: Field.requiredDateTime("When the pallet crossed the dock"),
  shipmentId: optional(Field.id("Id of the shipment, when the sender knows it")),
  shipmentNumber: optional(
    Field.text("Number of the shipment, when the sender knows it; excludes shipmentId")
  ),
  labels: Schema.Array(
    Schema.Struct({
      name: Field.requiredText("Name of the label, such as lpn"),
      value: Field.text("Value of the label; a label with an empty value counts as absent")
    }).annotate({ identifier: "Label", description: "One value read from a label of the pallet." })
  ).check(Field.atMost(maxLabels)).annotate({
    description:
      "Labels read from the pallet, in this order; a name may occur several times. All forms in which scanners send one SSCC are the same lpn; \
characters of an lpn that cannot be seen are left out, which the answer notes"
  })
}).annotate({
  identifier: "PalletEvent",
  description: "A pallet seen at a dock, as a tower or lift camera reports it."
})

const readInput = RequestInput.reader(schema, "a pallet event", ({ shipmentId, shipmentNumber }, faults) => {
  if (shipmentId !== undefined && shipmentNumber !== undefined && shipmentNumber !== "") {
    faults.add("cannot be sent beside shipmentId; send one of the two", "shipmentNumber")
  }
})

/** Reads an untyped value into a pallet event. */
export const read: RequestInput.Reader<PalletEvent> = RequestInput.map(readInput, (input): PalletEvent => {
  const { occurredAt, shipmentId, shipmentNumber, ...fields } = input
  return {
    ...fields,
    ...readableLabels(fields.labels),
    // The schema has checked it.
    occurredAt: Timestamp.parse(occurredAt)!,
    shipmentId: shipmentId ?? null,
    shipmentNumber: shipmentNumber ?? ""
  }
})
