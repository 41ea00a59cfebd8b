/**
 * The records of exchanged files: of a received interchange with its acknowledgment, of a file that was refused as a whole, and of an
 * interchange for a partner. Each has its sets with their outcomes, and faults in words (D18.3).
 *
 * Guarantee: the record of a received interchange is made in slices before the transaction that stores it. The transaction only fills in the
 * control numbers, compares acknowledgments with the sent files, and merges the words of orders.
 */
import type { BusinessScope, Principal } from "@dockline/core/access/Access"
import { overloaded } from "@dockline/core/access/RequestLimits"
import * as Slices from "@dockline/core/input/Slices"
import * as Authorize from "@dockline/core/places/Authorize"
import type { Directory } from "@dockline/core/places/Place"
import type { ShipmentId } from "@dockline/core/values/Id"
import * as Metrics from "@dockline/core/values/Metrics"
import type { Overloaded } from "@dockline/core/values/RequestErrors"
import { sha256 } from "@dockline/core/values/WebCrypto"
import { Cause, Effect, Result } from "effect"
import { EdiRefused } from "../domain/EdiErrors.ts"
import { answersByGroup, countsOf, ediOutcomes, ediTextLimit, markOf, outcomeOf } from "../domain/EdiFile.ts"
import type { EdiAcknowledgment, EdiFile, EdiFileDraft, EdiOutcome, EdiSet } from "../domain/EdiFile.ts"
import type { EdiReceipt } from "../domain/EdiIntake.ts"
import { controlAfter } from "../domain/EdiPartner.ts"
import type { EdiParty, EdiTerms } from "../domain/EdiPartner.ts"
import type { EdiMark, EdiState, EdiStep, EdiStore, EdiWords } from "../domain/EdiStore.ts"
import { errorRoom } from "../sets/Acknowledgments.ts"
import type { NotedError, OrderWording, SetStatus } from "../sets/SetContent.ts"
import { numberOf } from "../sets/SetReader.ts"
import type { ReadGroup, ReadSet } from "../sets/SetReader.ts"
import { localTime } from "../sets/Times.ts"
import { changedWords, textOf, wordsIn } from "../sets/Words.ts"
import { describe, detailOf, interchangeCodes, isaFault } from "../x12/Fault.ts"
import type { Fault } from "../x12/Fault.ts"
import type { Interchange } from "../x12/Interchange.ts"
import type { WriteFault } from "../x12/X12Writer.ts"
import type { Advice } from "./Advice.ts"
import { acceptanceOf, acknowledgmentFaults, answerMark, judge, rejecting } from "./InterchangeAnswer.ts"
import { groupResult, writeAnswer } from "./SetResult.ts"
import type { GroupResult, Sending, SetResult, SetWork } from "./SetResult.ts"

/** A received interchange, with its partner and its text. */
interface ReceivedInterchange {
  readonly interchange: Interchange
  readonly partner: EdiTerms
  readonly text: string
  readonly fingerprint: string
}

/** The record of a processed interchange, without the control numbers of its acknowledgment. */
export interface EdiRecord {
  readonly acknowledgments: ReturnType<typeof acknowledgmentsOf>
  /** Marks the sets of the interchanges that this interchange acknowledges as a whole (TA1). */
  readonly mark: EdiMark
  readonly file: ReturnType<typeof fileOf>
  readonly answer: ((sending: Sending) => string) | undefined
  /** The number of groups in its acknowledgment. */
  readonly answerGroups: number
  /** The words of the orders of its accepted documents. */
  readonly words: ReadonlyArray<OrderWording>
}

export function* recordOf(
  { interchange, partner, text }: ReceivedInterchange,
  groups: ReadonlyArray<ReadGroup>,
  done: ReadonlyArray<ReadonlyArray<SetWork>>
): Slices.Steps<EdiRecord> {
  const room = errorRoom()
  const results: Array<GroupResult> = []
  for (const [index, group] of groups.entries()) {
    results.push(yield* groupResult(group, done[index] ?? [], partner, room))
  }
  return {
    acknowledgments: acknowledgmentsOf(results),
    mark: answerMark(interchange),
    file: fileOf(interchange, groups, results, text),
    answer: yield* writeAnswer(results, partner, acceptanceOf(interchange)),
    answerGroups: results.some(({ acknowledgment }) => acknowledgment.length > 0) ? 1 : 0,
    words: groups.flatMap(({ sets }, group) =>
      sets.flatMap(({ meaning }, index) =>
        meaning?._tag === "Document" && done[group]?.[index]?.outcome._tag === "Document"
          ? meaning.words ?? []
          : []
      )
    )
  }
}

/** Records an interchange with its acknowledgment, in the transaction that assigns the control numbers. */
export const stepOf = (
  { fingerprint, interchange, text }: Pick<ReceivedInterchange, "fingerprint" | "interchange" | "text">,
  { acknowledgments, answer, answerGroups, file, mark, words }: EdiRecord,
  state: EdiState,
  timeZone: string
): Result.Result<EdiStep<EdiReceipt>, Overloaded> => {
  const { isReserved, earlierFile, now, partner, sentFiles } = state
  // Another request has recorded the interchange meanwhile. A copy with other line breaks gets its answer only when it is sent again.
  if (earlierFile?.text === text) {
    return Result.succeed({ plan: null, answer: () => ({ file: earlierFile, isRepeated: true }) })
  }
  if (earlierFile !== null) return Result.fail(overloaded())
  if (!isReserved) return Result.fail(overloaded())
  const { cursorId, nextGroup, nextInterchange } = partner
  const sending = { interchange: nextInterchange, group: nextGroup, ...localTime(now, timeZone) }
  const numbers = answer === undefined ? 0 : 1
  const { counting, faults } = judge(acknowledgments, sentFiles)
  const ofGroup = markOf(answersByGroup(counting))
  return Result.succeed({
    plan: {
      cursorId,
      nextGroup: controlAfter(nextGroup, answerGroups),
      nextInterchange: controlAfter(nextInterchange, numbers),
      fingerprint,
      file: { ...withNotes(file, interchange, faults, sentFiles), answer: answer?.(sending) ?? "" },
      mark: (set, control) => mark(ofGroup(set), control),
      words: wordsAfter(words, state.words)
    },
    // A plan with a file adds the file.
    answer: (file) => ({ file: file!, isRepeated: false })
  })
}

/** The words of orders after an interchange: a set that restates an order replaces all its words, and a change adds to the stored words. */
const wordsAfter = (
  wordings: ReadonlyArray<OrderWording>,
  before: ReadonlyArray<EdiWords>
): ReadonlyArray<EdiWords> => {
  const wordsByOrder = new Map(before.map(({ orderNumber, words }) => [orderNumber, wordsIn(words)]))
  for (const { isChange, orderNumber, words } of wordings) {
    wordsByOrder.set(orderNumber, isChange ? changedWords(wordsByOrder.get(orderNumber) ?? {}, words) : words)
  }
  return Array.from(wordsByOrder, ([orderNumber, words]) => ({ orderNumber, words: textOf(words) }))
}

/** Adds notes about acknowledgments that contradict the files sent to the partner, or match none of them. */
const withNotes = (
  file: EdiRecord["file"],
  interchange: Interchange,
  ofGroups: ReadonlyArray<string>,
  sentFiles: EdiState["sentFiles"]
): EdiRecord["file"] => {
  const notes = [...acknowledgmentFaults(interchange, sentFiles).map(describe), ...ofGroups].map(storable)
  return notes.length === 0 ? file : {
    ...file,
    faults: [...file.faults, ...notes].slice(0, maxFileFaults),
    outcome: file.outcome === "ACCEPTED" ? "NOTED" : file.outcome
  }
}

/** The failure to accept a file as a whole. Its fault has a code for a TA1 (TA105), which `EdiRefused` does not have. */
export class FaultyFile {
  readonly fault: Fault

  constructor(fault: Fault) {
    this.fault = fault
  }
}

/** The fault of a file as its client sees it. */
export const refusalOf = (fault: Fault): EdiRefused => {
  const { element, remedy, segment, segmentId } = fault
  return new EdiRefused({ segment, segmentId, element, detail: detailOf(fault), remedy })
}

/** The fault of an interchange with the control number of a different interchange. */
export const duplicateControl = (control: string): Fault =>
  isaFault({
    element: 13,
    code: interchangeCodes.duplicate,
    value: control,
    detail: `another interchange came with the control number ${control}`,
    remedy: "Give each interchange its own control number; to send one again, send it unchanged."
  })

interface Head {
  readonly sender: EdiParty
  readonly receiver: EdiParty
  readonly control: string
  readonly date: string
  readonly time: string
  readonly wantsAcknowledgment: boolean
}

/** The length of ISA up to its terminator: its elements have fixed widths. */
const isaLength = 105

/** The characters of a control number (ISA13). */
const controlLength = 9

/** The number of characters that are searched between two steps, and their cost in the unit of slices. */
const [stepLength, stepCost] = [65_536, 500]

/** Characters that cannot precede `ISA` at the beginning of an interchange, and characters that cannot follow it. */
const [before, behind] = [/[A-Za-z0-9]/, /[A-Za-z0-9\s]/]

/** Whether a second interchange seems to begin in a text, whatever its delimiters are. */
function* beginsAgain(text: string): Slices.Steps<boolean> {
  let from = 0
  for (let at = text.indexOf("ISA", 3); at !== -1; at = text.indexOf("ISA", at + 3)) {
    const next = text[at + 3] ?? " "
    if (!before.test(text[at - 1] ?? "") && !behind.test(next)) return true
    if (at - from < stepLength) continue
    yield stepCost
    from = at
  }
  return false
}

/** Reads the ISA of a text in steps; `undefined` if the text does not have a whole ISA, or seems to have several interchanges. */
export function* headOf(text: string): Slices.Steps<Head | undefined> {
  if (!text.startsWith("ISA") || behind.test(text[3] ?? " ")) return undefined
  const elements = text.slice(0, isaLength).split(text[3] ?? "")
  if (elements.length < 17 || (yield* beginsAgain(text))) return undefined
  const [, , , , , senderQualifier = "", sender = "", receiverQualifier = "", receiver = ""] = elements
  return {
    sender: { qualifier: senderQualifier.trimEnd(), id: sender.trimEnd() },
    receiver: { qualifier: receiverQualifier.trimEnd(), id: receiver.trimEnd() },
    control: storable((elements[13] ?? "").slice(0, controlLength)),
    date: elements[9] ?? "",
    time: elements[10] ?? "",
    wantsAcknowledgment: elements[14] === "1"
  }
}

/**
 * Makes the function that records files that were refused as a whole, so that people see what their partners send (D18.3).
 *
 * Guarantee: a file of one interchange is recorded with its fault, at most `ediTextLimit` characters of it, if its ISA names exactly one
 * partner for whom the client may send. Each text is recorded once, and uses up no control number. A file of several interchanges is not
 * recorded, because its fault belongs to one of them, whose end is unknown. A file that cannot be recorded is still refused. If its ISA has a
 * valid control number and requests a TA1, the transaction also stores a TA1 that rejects the file (D23.6).
 */
export const refusalRecorder = (store: EdiStore["Service"], directory: Directory["Service"]) =>
  Effect.fnUntraced(
    function*(file: string, scope: BusinessScope, principal: Principal, fault: Fault) {
      const text = storable(file.trimStart().slice(0, ediTextLimit))
      const head = yield* Slices.run(headOf(text))
      if (head === undefined) return
      const [addressee, ...others] = yield* store.between(scope, head)
      if (addressee === undefined || others.length > 0) return
      const { partner, timeZone } = addressee
      yield* Authorize.permission(directory, principal, "documents:write", partner)
      const record = {
        control: head.control,
        fingerprint: yield* sha256(JSON.stringify([partner.slug, text])),
        fault: storable(`${refusalOf(fault).message}.`),
        text
      }
      // An ISA without a control number gets no TA1. `refuse` answers a repeated file only once.
      const isAnswered = head.wantsAcknowledgment && /^\d{9}$/.test(head.control)
      yield* store.refuse(
        partner,
        record,
        isAnswered ? rejecting(head, fault.code, timeZone) : undefined
      )
    },
    (recording) =>
      Effect.catchCause(
        recording,
        (cause) =>
          Cause.hasInterrupts(cause)
            ? Effect.interrupt
            : Effect.logWarning("A refused EDI file is not on record", cause)
      )
  )

/** Interchanges by outcome. A refused file is counted once, however many interchanges it contains. */
export const filesTaken = Metrics.counter(
  "dockline_edi_files_total",
  "Interchanges of X12 that were received (IN) or written (OUT), by outcome",
  [["direction", ["IN", "OUT"]], ["outcome", [...ediOutcomes, "repeated", "refused"]]],
  { capability: "edi" }
)

const failedSets = Metrics.counter(
  "dockline_edi_failed_sets_total",
  "Transaction sets of X12 that were received and rejected (IN), or that could not be written (OUT)",
  [["direction", ["IN", "OUT"]]],
  { capability: "edi" }
)

export const countFile = (
  { direction, outcome, sets }: Pick<EdiFile, "direction" | "outcome" | "sets">
): Effect.Effect<void> =>
  Effect.andThen(
    Metrics.update(filesTaken.of(direction, outcome), 1),
    Metrics.update(failedSets.of(direction), countsOf(sets).rejectedCount)
  )

/** A text in a form that every storage accepts: NUL and halves of surrogate pairs become U+FFFD. */
export const storable = (text: string): string => text.toWellFormed().replaceAll("\0", "\ufffd")

/** The most faults of a file that the record keeps. */
export const maxFileFaults = 1000

const outcomes: Readonly<Record<SetStatus, "ACCEPTED" | "NOTED" | "REJECTED">> = {
  A: "ACCEPTED",
  E: "NOTED",
  R: "REJECTED"
}

/** The record of a received interchange. */
export const fileOf = (
  { control, notes }: Pick<Interchange, "control" | "notes">,
  read: ReadonlyArray<ReadGroup>,
  results: ReadonlyArray<GroupResult>,
  text: string
): EdiFileDraft => {
  let room = maxFileFaults
  const inWords = (faults: SetResult["faults"]): ReadonlyArray<string> => {
    const lines = faults.slice(0, room).map((fault) => storable(describe(fault)))
    room -= lines.length
    return lines
  }
  const faults = results.flatMap((group) => inWords(group.faults))
  const sets = results.flatMap((group, index) =>
    group.sets.map((set, place): EdiSet => ({
      kind: storable(set.id),
      control: storable(set.control),
      group: storable(group.functionalId),
      groupControl: storable(group.control),
      outcome: outcomes[set.status],
      ...aboutOf(set, read[index]?.sets[place]),
      faults: inWords(set.faults)
    }))
  )
  const outcome = faults.length > 0 && sets.length === 0 ? "REJECTED" : outcomeOf(sets)
  return {
    direction: "IN",
    control,
    outcome: outcome === "ACCEPTED" && notes.length > 0 ? "NOTED" : outcome,
    sets,
    faults: [...inWords(notes), ...faults],
    text,
    answer: ""
  }
}

const aboutOf = (
  { outcome }: SetResult,
  read: ReadSet | undefined
): Pick<EdiSet, "number" | "shipmentId"> => {
  switch (outcome._tag) {
    case "Acknowledged":
      return { number: outcome.acknowledgment.control, shipmentId: "" }
    case "Rejected":
      return { number: storable(read === undefined ? "" : numberIn(read)), shipmentId: "" }
    default:
      return { number: storable(outcome.shipmentNumber), shipmentId: outcome.shipmentId }
  }
}

/**
 * The number of the shipment that a set describes or cancels; without a meaning, the number in its first segment.
 */
const numberIn = ({ meaning, set }: ReadSet): string =>
  (meaning?._tag === "Document"
    ? meaning.document.shipmentNumber
    : meaning?._tag === "Cancellation"
    ? meaning.shipmentNumber
    : undefined) ?? numberOf(set)

/**
 * The acknowledgments, in a received interchange, of groups that we sent. The record keeps at most `maxFileFaults` of their errors.
 */
export const acknowledgmentsOf = (results: ReadonlyArray<GroupResult>): ReadonlyArray<EdiAcknowledgment> => {
  let room = maxFileFaults
  const inWords = (errors: ReadonlyArray<NotedError>): ReadonlyArray<string> => {
    const lines = room === 0 ? [] : errorsOf(errors).slice(0, room).map(errorText)
    room -= lines.length
    return lines
  }
  return results.flatMap(({ sets }) => sets).flatMap(({ outcome }) => {
    if (outcome._tag !== "Acknowledged") return []
    const { acceptedCount, control, functionalId, includedCount, receivedCount, sets, status } =
      outcome.acknowledgment
    return [{
      group: functionalId,
      groupControl: control,
      outcome: status === "P" ? "PARTIAL" : outcomes[status],
      includedCount,
      receivedCount,
      acceptedCount,
      sets: sets.map(({ control, errors, id, status }) => ({
        kind: id,
        control,
        outcome: outcomes[status],
        faults: inWords(errors)
      }))
    }]
  })
}

/** The errors that a partner reports, at most 100. The error of a segment is left out if another error names one of its elements. */
const errorsOf = (errors: ReadonlyArray<NotedError>): ReadonlyArray<NotedError> => {
  const segments = new Set(errors.filter(({ element }) => element > 0).map(({ segment }) => segment))
  return errors.filter(({ element, segment }) => element > 0 || !segments.has(segment)).slice(0, 100)
}

const errorText = ({ code, element, segment, segmentId, value }: NotedError): string =>
  storable(
    `${
      segment === 0
        ? "The set as a whole"
        : `Segment ${segment} of its set (${segmentId})${element === 0 ? "" : `, element ${element}`}`
    }: the partner answers code ${code}${value === "" ? "" : ` to ${value}`}.`
  )

const faultText = ({ detail, place, value }: WriteFault): string => storable(`${place} ${detail}: ${value}`)

/** The record of an interchange that tells a partner about a shipment; `null` if there is neither a written nor an unwritten set. */
export const adviceFile = (
  { notes, sets, text, unwritten }: Pick<Advice, "notes" | "sets" | "text" | "unwritten">,
  control: number,
  shipmentId: ShipmentId
): EdiFileDraft | null => {
  const setOf = (outcome: EdiOutcome) => ({ outcome, shipmentId: String(shipmentId) })
  const all: ReadonlyArray<EdiSet> = [
    ...sets.map(({ id, ...set }) => ({ kind: id, ...set, ...setOf("WAITING"), faults: [] })),
    ...unwritten.map(({ faults, id, number }) => ({
      kind: id,
      control: "",
      group: "",
      groupControl: "",
      number,
      ...setOf("UNWRITTEN"),
      faults: faults.slice(0, 100).map(faultText)
    }))
  ]
  if (all.length === 0) return null
  return {
    direction: "OUT",
    control: text === "" ? "" : String(control).padStart(9, "0"),
    outcome: outcomeOf(all),
    sets: all,
    faults: notes.map(storable),
    text,
    answer: ""
  }
}
