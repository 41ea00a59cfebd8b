/**
 * What clients see of exchanged files (D18.3).
 */
import { Schema } from "effect"
import { PlaceView } from "../shipment/View.ts"
import { shownTime } from "../values/Field.ts"
import { ediDirections, ediOutcomes } from "./EdiFile.ts"
import type { EdiFile, EdiFileEntry, EdiOutgoing } from "./EdiFile.ts"

const text = (description: string) => Schema.String.annotate({ description })

const fields = {
  id: text("Its id in the record"),
  direction: Schema.Literals(ediDirections).annotate({
    description: "Whether it came from the partner (IN) or went to it (OUT)"
  }),
  business: PlaceView,
  facility: PlaceView,
  partner: text("Slug of the partner"),
  control: text("Control number of the interchange (ISA13); empty of one that could not be written"),
  at: shownTime("When it came, or was written"),
  outcome: Schema.Literals(ediOutcomes).annotate({
    description:
      "ACCEPTED, NOTED with errors, PARTIAL or REJECTED: by us if it came, by the partner's acknowledgment (997) if it went. WAITING \
for that acknowledgment; UNWRITTEN where X12 cannot hold what was to be told"
  })
} as const

/** A file in a list. */
export const EdiFileEntryView = Schema.Struct({
  ...fields,
  kinds: Schema.Array(Schema.String).annotate({ description: "The kinds of its sets, such as 856" }),
  setCount: Schema.Int.annotate({ description: "How many sets it has" }),
  rejectedCount: Schema.Int.annotate({ description: "How many of them were rejected or not written" })
}).annotate({ identifier: "EdiFileEntry", description: "An interchange of X12 that came or went." })

/** A file in a list. */
export type EdiFileEntryView = typeof EdiFileEntryView.Type

const EdiSetView = Schema.Struct({
  kind: text("Its kind, such as 856"),
  control: text("Its control number (ST02)"),
  group: text("The kind of its group (GS01), such as SH"),
  groupControl: text("The control number of its group (GS06)"),
  outcome: Schema.Literals(ediOutcomes).annotate({ description: "What became of it, as of the file" }),
  number: text("The number of the shipment, of the order, or of the group that it acknowledges; or empty"),
  shipmentId: text("Id of the shipment; empty where there is none"),
  faults: Schema.Array(Schema.String).annotate({
    description: "What is wrong with it, each with its segment, its element and the remedy"
  })
}).annotate({ identifier: "EdiSet", description: "A transaction set of an interchange." })

/** A file as a whole. */
export const EdiFileView = Schema.Struct({
  ...fields,
  sets: Schema.Array(EdiSetView).annotate({ description: "Its sets, in their order" }),
  faults: Schema.Array(Schema.String).annotate({
    description: "What is wrong with groups as a whole, or why the interchange was refused"
  }),
  text: text(
    "The interchange as it came or went; that of one that went takes the permission messages:read, and is empty without it"
  ),
  answer: text("The interchange with its acknowledgments (997); empty where nothing is to be acknowledged")
}).annotate({
  identifier: "EdiFile",
  description: "An interchange of X12 that came or went, with its sets and its text."
})

/** A file as a whole. */
export type EdiFileView = typeof EdiFileView.Type

/** What became of a file that was sent. */
export const EdiAnswer = Schema.Struct({
  files: Schema.Array(EdiFileView).annotate({
    description: "The record of each interchange of the file, in their order"
  })
}).annotate({ identifier: "EdiAnswer" })

/** What became of a file that was sent. */
export type EdiAnswer = typeof EdiAnswer.Type

/** An interchange that is to be sent. */
export const EdiOutgoingView = Schema.Struct({
  ...fields,
  kinds: Schema.Array(Schema.String).annotate({ description: "The kinds of its sets, such as 945" }),
  text: text("The interchange that is to be sent to the partner, as it is")
}).annotate({ identifier: "EdiOutgoing", description: "An interchange that is to be sent to a partner." })

/** An interchange that is to be sent. */
export type EdiOutgoingView = typeof EdiOutgoingView.Type

const shown = (
  { at, control, direction, id, location, outcome, partner }: Omit<
    EdiFileEntry,
    "kinds" | "setCount" | "rejectedCount"
  >
) => ({
  id: String(id),
  direction,
  business: location.business,
  facility: location.facility,
  partner,
  control,
  at,
  outcome
})

/** Shows a file in a list. */
export const ediFileEntryView = (file: EdiFileEntry): EdiFileEntryView => ({
  ...shown(file),
  kinds: file.kinds,
  setCount: file.setCount,
  rejectedCount: file.rejectedCount
})

/** Shows a file as a whole. */
export const ediFileView = (file: EdiFile): EdiFileView => ({
  ...shown(file),
  sets: file.sets,
  faults: file.faults,
  text: file.text,
  answer: file.answer
})

/** Shows an interchange that is to be sent. */
export const ediOutgoingView = (file: EdiOutgoing): EdiOutgoingView => ({
  ...shown(file),
  kinds: file.kinds,
  text: file.text
})
