/**
 * The record of the files exchanged with partners: each interchange in either direction with the outcomes of its sets (D18.3), in the form
 * in which clients and webhook endpoints get it.
 */
import type { Location } from "@dockline/core/places/Place"
import { PlaceView } from "@dockline/core/shipment/View"
import { shownTime } from "@dockline/core/values/Field"
import type { Timestamp } from "@dockline/core/values/Timestamp"
import * as ViewField from "@dockline/core/values/ViewField"
import type { OutboxDraft } from "@dockline/core/webhooks/Delivery"
import type { OutboxKind } from "@dockline/core/webhooks/MessageKinds"
import { Schema } from "effect"
import recorded from "./answers.json" with { type: "json" }

/** The media type of a file of X12 (RFC 1767). */
export const ediX12 = "application/edi-x12"

/** The directions of files: from a partner, or to a partner. */
export const ediDirections = ["IN", "OUT"] as const

/** A direction of a file. */
export type EdiDirection = (typeof ediDirections)[number]

/**
 * The outcomes of a file, and of each of its sets. We judge received files, and partners judge sent files: accepted, accepted with errors
 * noted, accepted in part, or rejected. `WAITING`: the partner has not acknowledged it yet. `UNWRITTEN`: X12 cannot hold its content, so it
 * was not sent.
 */
export const ediOutcomes = ["ACCEPTED", "NOTED", "PARTIAL", "REJECTED", "WAITING", "UNWRITTEN"] as const

/** The outcome of a file or of a set. */
export type EdiOutcome = (typeof ediOutcomes)[number]

/** A set of a file. */
export const EdiSet = Schema.Struct({
  kind: ViewField.text("Its kind, such as 856"),
  control: ViewField.text("Its control number (ST02)"),
  group: ViewField.text("The kind of its group (GS01), such as SH"),
  groupControl: ViewField.text("The control number of its group (GS06)"),
  outcome: ViewField.word(ediOutcomes, "Its outcome, in the words for the outcome of a file"),
  number: ViewField.text(
    "The number of the shipment, of the order, or of the group that it acknowledges; or empty"
  ),
  shipmentId: ViewField.text("Id of the shipment; empty where there is none"),
  faults: ViewField.list(
    Schema.String,
    "What is wrong with it, each with its segment, its element and the remedy"
  )
}).annotate({ identifier: "EdiSet", description: "A transaction set of an interchange." })

/** A set of a file. */
export type EdiSet = typeof EdiSet.Type

/** A file before it is stored. */
export interface EdiFileDraft {
  readonly direction: EdiDirection
  /** The control number of the interchange (ISA13); `""` if it was not sent. */
  readonly control: string
  readonly outcome: EdiOutcome
  readonly sets: ReadonlyArray<EdiSet>
  /** The faults of groups as a whole; or the reason why the interchange was refused as a whole, without sets. */
  readonly faults: ReadonlyArray<string>
  /** The interchange, from ISA to IEA; `""` if it was not sent. */
  readonly text: string
  /** The interchange that acknowledges this one; `""` if there is nothing to acknowledge. */
  readonly answer: string
}

/** An exchanged file. */
export interface EdiFile extends EdiFileDraft {
  readonly id: number
  readonly location: Location
  /** The slug of the partner. */
  readonly partner: string
  readonly at: Timestamp
}

/** A file in a list: it has counts instead of sets and texts. */
export interface EdiFileEntry extends Omit<EdiFile, "sets" | "faults" | "text" | "answer"> {
  /** The kinds of its sets. */
  readonly kinds: ReadonlyArray<string>
  /** The number of its sets. */
  readonly setCount: number
  /** The number of its sets that were rejected or could not be written. */
  readonly rejectedCount: number
}

/** An interchange to be sent to a partner. */
export interface EdiOutgoing extends Omit<EdiFileEntry, "setCount" | "rejectedCount"> {
  readonly text: string
}

/** How long files are kept, in milliseconds: 90 days. */
export const ediRetentionMillis = 90 * 86_400_000

/** The most characters of an interchange: as many as a document may have (D2.7). */
export const ediTextLimit = 10 * 1024 * 1024

const isFailed = (outcome: EdiOutcome): boolean => outcome === "REJECTED" || outcome === "UNWRITTEN"

/** Whether a file with this outcome has sets that were rejected, or could not be written. */
export const isRejected = (outcome: EdiOutcome): boolean => isFailed(outcome) || outcome === "PARTIAL"

/** The outcome of a file, computed from the outcomes of its sets. A file waits as long as any of its sets waits. */
export const outcomeOf = (sets: ReadonlyArray<Pick<EdiSet, "outcome">>): EdiOutcome => {
  const outcomes = new Set(sets.map(({ outcome }) => outcome))
  if (outcomes.has("WAITING")) return "WAITING"
  const failures = sets.filter(({ outcome }) => isFailed(outcome)).length
  if (failures > 0 && failures === sets.length) return outcomes.has("REJECTED") ? "REJECTED" : "UNWRITTEN"
  if (failures > 0) return "PARTIAL"
  return outcomes.has("NOTED") ? "NOTED" : "ACCEPTED"
}

/** The counts that a list shows of a file. */
export const countsOf = (
  sets: ReadonlyArray<Pick<EdiSet, "kind" | "outcome">>
): Pick<EdiFileEntry, "kinds" | "rejectedCount" | "setCount"> => ({
  kinds: Array.from(new Set(sets.map(({ kind }) => kind))).sort(),
  setCount: sets.length,
  rejectedCount: sets.filter(({ outcome }) => isFailed(outcome)).length
})

/** A group of an interchange: its kind and its control number, with the kind and the number of its sets, which are numbered from 1 on. */
export interface EdiGroup extends Pick<EdiSet, "group" | "groupControl" | "kind"> {
  readonly setCount: number
}

/** The groups to which sets belong, each once. A set that was not sent belongs to no group. */
export const groupsOf = (sets: ReadonlyArray<EdiSet>): ReadonlyArray<EdiGroup> => {
  const groups = new Map<string, EdiGroup>()
  for (const { group, groupControl, kind } of sets) {
    if (groupControl === "") continue
    const key = `${group} ${groupControl}`
    groups.set(key, { group, groupControl, kind, setCount: (groups.get(key)?.setCount ?? 0) + 1 })
  }
  return Array.from(groups.values())
}

/**
 * A partner's acknowledgment of a group. It states the outcome of the sets that it names; the outcome of the group applies to the other
 * sets.
 */
export interface EdiAcknowledgment {
  readonly group: string
  readonly groupControl: string
  readonly outcome: "ACCEPTED" | "NOTED" | "PARTIAL" | "REJECTED"
  /** The numbers of sets that the group contained, that arrived, and that were accepted. */
  readonly includedCount: number
  readonly receivedCount: number
  readonly acceptedCount: number
  readonly sets: ReadonlyArray<
    {
      readonly kind: string
      readonly control: string
      readonly outcome: "ACCEPTED" | "NOTED" | "REJECTED"
      readonly faults: ReadonlyArray<string>
    }
  >
}

/** The key of a group among the groups that were sent. */
export const groupKey = (group: string, control: string): string => `${Number(control)} ${group}`

/** A partner's answers about groups, by their kinds and numbers. A later answer replaces an earlier one. */
export const answersByGroup = (
  answers: ReadonlyArray<EdiAcknowledgment>
): ReadonlyMap<string, EdiAcknowledgment> =>
  new Map(answers.map((answer) => [groupKey(answer.group, answer.groupControl), answer]))

/** The outcome of the sets that an answer does not name. An answer that accepts a group in part names the sets that it does not accept. */
export const outcomeOfOthers = (
  { outcome }: Pick<EdiAcknowledgment, "outcome">
): "ACCEPTED" | "NOTED" | "REJECTED" => outcome === "PARTIAL" ? "ACCEPTED" : outcome

/**
 * Makes the function that marks a set with its partner's answer about its group. It leaves a set unchanged if the partner has not answered,
 * or if the set was not written.
 */
export const markOf = (answers: ReadonlyMap<string, EdiAcknowledgment>): (set: EdiSet) => EdiSet => {
  /** The answers to the sets of a group by their control numbers, computed once for each group. */
  const byControl = new Map<EdiAcknowledgment, ReadonlyMap<number, EdiAcknowledgment["sets"][number]>>()
  const setsOf = (answer: EdiAcknowledgment) => {
    const cache = byControl.get(answer)
    if (cache !== undefined) return cache
    const sets = new Map(answer.sets.map((each) => [Number(each.control), each] as const))
    byControl.set(answer, sets)
    return sets
  }
  return (set) => {
    const answer = answers.get(groupKey(set.group, set.groupControl))
    if (answer === undefined || set.outcome === "UNWRITTEN") return set
    const setAnswer = setsOf(answer).get(Number(set.control))
    const outcome = setAnswer?.outcome ?? outcomeOfOthers(answer)
    return { ...set, outcome, faults: setAnswer?.faults ?? [] }
  }
}

const fields = {
  id: ViewField.text("Its id in the record"),
  direction: ViewField.word(
    ediDirections,
    "Whether it was received from the partner (IN) or written for it (OUT)"
  ),
  business: PlaceView,
  facility: PlaceView,
  partner: ViewField.text("Slug of the partner"),
  control: ViewField.text(
    "Control number of the interchange (ISA13); empty if it could not be written"
  ),
  at: shownTime("When it was received, or written"),
  outcome: ViewField.word(
    ediOutcomes,
    "ACCEPTED, NOTED with errors, PARTIAL or REJECTED: by us for a received file, by the partner's acknowledgment (997) for a sent one. \
WAITING for that acknowledgment; UNWRITTEN if X12 cannot hold the content"
  )
} as const

/** A file in a list. */
export const EdiFileEntryView = Schema.Struct({
  ...fields,
  kinds: ViewField.list(Schema.String, "The kinds of its sets, such as 856"),
  setCount: ViewField.whole("How many sets it has"),
  rejectedCount: ViewField.whole("How many of them were rejected or not written")
}).annotate({
  identifier: "EdiFileEntry",
  description: "An X12 interchange that was received from a partner or written for one."
})

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
    "The text of the interchange. For one written for the partner, it is empty without the permission messages:read"
  ),
  answer: ViewField.text(
    "The interchange with its acknowledgments (997); empty where nothing is to be acknowledged"
  )
}).annotate({
  identifier: "EdiFile",
  description: "An EDI file with its sets and its text."
})

/** A file as a whole. */
export type EdiFileView = typeof EdiFileView.Type

/** The answer to a client that sends a file. */
export const EdiAnswer = Schema.Struct({
  files: ViewField.list(EdiFileView, "The record of each interchange of the file, in their order")
}).annotate({ identifier: "EdiAnswer" })

/** The answer to a client that sends a file. */
export type EdiAnswer = typeof EdiAnswer.Type

/** An interchange to be sent. */
export const EdiOutgoingView = Schema.Struct({
  ...fields,
  kinds: ViewField.list(Schema.String, "The kinds of its sets, such as 945"),
  text: ViewField.text("The interchange that is to be sent to the partner, unchanged")
}).annotate({ identifier: "EdiOutgoing", description: "An interchange in the outbox for a partner." })

/** An interchange to be sent. */
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

/** Shows an interchange to be sent. */
export const ediOutgoingView = (file: EdiOutgoing): EdiOutgoingView =>
  ViewField.show(EdiOutgoingView, file, identity(file))

/**
 * The type of the interchanges to be sent to EDI partners, in the outbox for webhook endpoints (D18.3). An endpoint with this type gets each
 * interchange soon after it was written.
 */
export const ediInterchange = "EDI_INTERCHANGE"

/** An interchange for tests (ISA15 is `T`) without groups, whose sender and receiver are no partners (D9.9). */
const testInterchange = (now: Timestamp): string => {
  const date = now.slice(2, 10).replaceAll("-", "")
  const time = now.slice(11, 16).replace(":", "")
  const [sender, receiver] = ["DOCKLINE", "TEST"].map((id) => id.padEnd(15))
  const blank = " ".repeat(10)
  return `ISA*00*${blank}*00*${blank}*ZZ*${sender}*ZZ*${receiver}*${date}*${time}*U*00401*000000001*0*T*>~
IEA*0*000000001~`
}

const kind: OutboxKind = {
  path: "/api/edi",
  mediaType: ediX12,
  name: "EdiInterchange",
  title: "EDI interchange",
  about: "interchanges for EDI partners, as X12",
  when:
    "A shipment has departed, and an EDI partner is to be told: the body is the interchange, as X12. Only endpoints whose settings name \
the type get it.",
  content: "The text is that of the outbox, from ISA to IEA.",
  example: recorded.answers.ediOutbox.text,
  aboutNothing: testInterchange
}

/** The types of entries in the outbox. */
export const ediOutboxes = { [ediInterchange]: kind } as const

/** The outbox entry of an interchange, written for a shipment of a place. */
export const ediEntry = (
  place: Pick<OutboxDraft, "business" | "facility" | "shipmentId">,
  text: string
): OutboxDraft => ({ ...place, type: ediInterchange, path: kind.path, mediaType: kind.mediaType, text })
