/**
 * The record of interchanges: their sets, with outcomes and faults in words (D18.3).
 */
import type { ShipmentId } from "@dockline/core/values/Id"
import * as Metrics from "@dockline/core/values/Metrics"
import { Effect } from "effect"
import { countsOf, ediOutcomes, outcomeOf } from "../domain/EdiFile.ts"
import type { EdiAcknowledgment, EdiFile, EdiFileDraft, EdiOutcome, EdiSet } from "../domain/EdiFile.ts"
import { numberOf } from "../sets/SetReader.ts"
import type { ReadGroup, ReadSet } from "../sets/SetReader.ts"
import type { NotedError, SetStatus } from "../sets/SetStatus.ts"
import { describe } from "../x12/Fault.ts"
import type { Interchange } from "../x12/Interchange.ts"
import type { WriteFault } from "../x12/X12Writer.ts"
import type { Advice } from "./Advice.ts"
import type { GroupResult, SetResult } from "./SetResult.ts"

/** Files by outcome; a refused file is counted once, whatever its content. */
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

/** The most faults of a file that the record keeps, in words. */
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
 * The acknowledgments in an interchange of groups that we sent. The record keeps as many of their errors as of a file.
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

/**
 * The errors that a partner names. The error of a segment is left out if an error names one of its elements.
 */
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

/** The record of an interchange about a shipment; `null` if there was nothing to tell. */
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
