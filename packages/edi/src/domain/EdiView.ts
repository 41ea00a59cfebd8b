/**
 * What clients see of exchanged files (D18.3).
 */
import { PlaceView } from "@dockline/core/shipment/View"
import { shownTime } from "@dockline/core/values/Field"
import * as ViewField from "@dockline/core/values/ViewField"
import { Schema } from "effect"
import { ediDirections, ediOutcomes, EdiSet } from "./EdiFile.ts"
import type { EdiFile, EdiFileEntry, EdiOutgoing } from "./EdiFile.ts"

const fields = {
  id: ViewField.text("Its id in the record"),
  direction: ViewField.word(ediDirections, "Whether it came from the partner (IN) or went to it (OUT)"),
  business: PlaceView,
  facility: PlaceView,
  partner: ViewField.text("Slug of the partner"),
  control: ViewField.text(
    "Control number of the interchange (ISA13); empty of one that could not be written"
  ),
  at: shownTime("When it came, or was written"),
  outcome: ViewField.word(
    ediOutcomes,
    "ACCEPTED, NOTED with errors, PARTIAL or REJECTED: by us if it came, by the partner's acknowledgment (997) if it went. WAITING \
for that acknowledgment; UNWRITTEN where X12 cannot hold what was to be told"
  )
} as const

/** A file in a list. */
export const EdiFileEntryView = Schema.Struct({
  ...fields,
  kinds: ViewField.list(Schema.String, "The kinds of its sets, such as 856"),
  setCount: ViewField.whole("How many sets it has"),
  rejectedCount: ViewField.whole("How many of them were rejected or not written")
}).annotate({ identifier: "EdiFileEntry", description: "An interchange of X12 that came or went." })

/** A file in a list. */
export type EdiFileEntryView = typeof EdiFileEntryView.Type

/** A file as a whole. */
export const EdiFileView = Schema.Struct({
  ...fields,
  sets: ViewField.list(EdiSet, "Its sets, in their order"),
  faults: ViewField.list(
    Schema.String,
    "What is wrong with groups as a whole, or why the interchange was refused"
  ),
  text: ViewField.text(
    "The interchange as it came or went; that of one that went takes the permission messages:read, and is empty without it"
  ),
  answer: ViewField.text(
    "The interchange with its acknowledgments (997); empty where nothing is to be acknowledged"
  )
}).annotate({
  identifier: "EdiFile",
  description: "An interchange of X12 that came or went, with its sets and its text."
})

/** A file as a whole. */
export type EdiFileView = typeof EdiFileView.Type

/** What became of a file that was sent. */
export const EdiAnswer = Schema.Struct({
  files: ViewField.list(EdiFileView, "The record of each interchange of the file, in their order")
}).annotate({ identifier: "EdiAnswer" })

/** What became of a file that was sent. */
export type EdiAnswer = typeof EdiAnswer.Type

/** An interchange that is to be sent. */
export const EdiOutgoingView = Schema.Struct({
  ...fields,
  kinds: ViewField.list(Schema.String, "The kinds of its sets, such as 945"),
  text: ViewField.text("The interchange that is to be sent to the partner, as it is")
}).annotate({ identifier: "EdiOutgoing", description: "An interchange that is to be sent to a partner." })

/** An interchange that is to be sent. */
export type EdiOutgoingView = typeof EdiOutgoingView.Type

const identity = ({ id, location }: Pick<EdiFileEntry, "id" | "location">) => ({
  id: String(id),
  ...location
})

/** Shows a file in a list. */
export const ediFileEntryView = (file: EdiFileEntry): EdiFileEntryView =>
  ViewField.show(EdiFileEntryView, file, identity(file))

/** Shows a file as a whole. */
export const ediFileView = (file: EdiFile): EdiFileView => ViewField.show(EdiFileView, file, identity(file))

/** Shows an interchange that is to be sent. */
export const ediOutgoingView = (file: EdiOutgoing): EdiOutgoingView =>
  ViewField.show(EdiOutgoingView, file, identity(file))
