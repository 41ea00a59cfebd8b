/**
 * The outcomes of the groups and sets of an accepted file, and the interchange that acknowledges them.
 */
import * as Slices from "@dockline/core/input/Slices"
import { Result } from "effect"
import { controlAfter } from "../domain/EdiPartner.ts"
import type { EdiTerms } from "../domain/EdiPartner.ts"
import { acknowledgeSteps } from "../sets/Acknowledgments.ts"
import type { ErrorRoom } from "../sets/Acknowledgments.ts"
import { acknowledgmentGroup, groupStatusOf, statusOf } from "../sets/SetContent.ts"
import type { Acknowledgment, GroupStatus, SetStatus, SetVerdict } from "../sets/SetContent.ts"
import type { ReadGroup } from "../sets/SetReader.ts"
import type { SegmentDraft } from "../x12/Fault.ts"
import type { FunctionalGroup, InterchangeAcknowledgment } from "../x12/Interchange.ts"
import { write, writeSteps } from "../x12/X12Writer.ts"
import type { InterchangeDraft, SetDraft } from "../x12/X12Writer.ts"

/** The effects of a set. */
export type SetOutcome =
  | { readonly _tag: "Document" | "Cancelled"; readonly shipmentId: string; readonly shipmentNumber: string }
  | { readonly _tag: "Acknowledged"; readonly acknowledgment: Acknowledgment }
  /** No effect, because the set is rejected. */
  | { readonly _tag: "Rejected" }

/** An accepted or rejected set. */
export interface SetResult extends SetVerdict {
  readonly status: SetStatus
  readonly outcome: SetOutcome
}

/** A processed group. */
export interface GroupResult extends Pick<FunctionalGroup, "functionalId" | "control" | "faults"> {
  readonly status: GroupStatus
  readonly sets: ReadonlyArray<SetResult>
  /** The segments of its acknowledgment (997); none for a group of acknowledgments. */
  readonly acknowledgment: ReadonlyArray<SegmentDraft>
}

/** The faults and the effects of a set, from which its outcome follows. */
export type SetWork = Pick<SetResult, "faults" | "outcome">

/** The cost of a group, in the unit of slices: a file may have very many empty groups. */
const groupCost = 20

/** Combines the outcomes of sets into a group, in steps. */
export function* groupResult(
  { group, sets }: ReadGroup,
  done: ReadonlyArray<SetWork>,
  { release }: EdiTerms,
  room: ErrorRoom
): Slices.Steps<GroupResult> {
  yield groupCost
  const { control, faults, functionalId } = group
  const results = sets.map(({ faults: ownFaults, set: { control, id } }, index): SetResult => {
    const set: SetWork = done[index] ?? { faults: ownFaults, outcome: { _tag: "Rejected" } }
    return { id, control, status: faults.length > 0 ? "R" : statusOf(set.faults), ...set }
  })
  const acknowledgment = functionalId === acknowledgmentGroup
    ? []
    : yield* acknowledgeSteps(group, results, release, room)
  const status = groupStatusOf(results.map(({ status }) => status), faults)
  return { functionalId, control, status, faults, sets: results, acknowledgment }
}

/** The control numbers and the time of an interchange to be sent. */
export interface Sending {
  /** The number of the interchange, from 0 to 999999999. */
  readonly interchange: number
  /** The control number of the first group. The numbers of further groups follow it. */
  readonly group: number
  /** The date as `CCYYMMDD` and the time as `HHMM`. */
  readonly date: string
  readonly time: string
}

/** The control number of a group by its position in the interchange, given the number of the first group. */
export const groupControl = (first: number, place: number): string => String(controlAfter(first, place))

/** The control number of a set by its position in its group. */
export const setControl = (place: number): string => String(place + 1).padStart(4, "0")

/** The interchange in which groups of sets are sent to a partner. */
export const interchangeFor = (
  { ours, release, theirs, usage }: EdiTerms,
  groups: ReadonlyArray<
    { readonly functionalId: string; readonly sets: ReadonlyArray<Omit<SetDraft, "control">> }
  >,
  { date, group, interchange, time }: Sending
): InterchangeDraft => ({
  sender: ours,
  receiver: theirs,
  date,
  time: time.slice(0, 4),
  control: interchange,
  release,
  usage,
  groups: groups.map(({ functionalId, sets }, index) => ({
    functionalId,
    sender: ours.group,
    receiver: theirs.group,
    control: groupControl(group, index),
    sets: sets.map((set, place) => ({ ...set, control: setControl(place) }))
  }))
})

/** Placeholders until the interchange gets its own numbers. */
const provisional: Sending = { interchange: 0, group: 1, date: "20000101", time: "0000" }

/**
 * Writes the interchange that acknowledges received groups, in steps. Returns the function that fills in its numbers and its time in one
 * step; `undefined` if there is nothing to acknowledge.
 */
export function* writeAnswer(
  groups: ReadonlyArray<GroupResult>,
  partner: EdiTerms,
  acknowledgments: ReadonlyArray<InterchangeAcknowledgment> = []
): Slices.Steps<((sending: Sending) => string) | undefined> {
  const sets = groups.filter(({ acknowledgment }) => acknowledgment.length > 0)
    .map(({ acknowledgment }) => ({ id: "997", segments: acknowledgment }))
  if (sets.length + acknowledgments.length === 0) return undefined
  const draft = (of: typeof sets, sending: Sending) => ({
    ...interchangeFor(
      partner,
      of.length === 0 ? [] : [{ functionalId: acknowledgmentGroup, sets: of }],
      sending
    ),
    acknowledgments
  })
  if (sets.length === 0) return (sending) => Result.getOrThrow(write(draft([], sending)))
  // The ids of a partner are valid in X12, and all other texts of an acknowledgment were shortened to fit.
  const text = Result.getOrThrow(yield* writeSteps(draft(sets, provisional)))
  const body = text.slice(headEnd(text), tailStart(text))
  const [count] = countOf.exec(text.slice(tailStart(text))) ?? [""]
  const [empty] = sets.map(({ id }) => ({ id, segments: [] }))
  return (sending) => {
    // Only the envelope of one set is written here, because this runs within a transaction.
    const envelope = Result.getOrThrow(write(draft(empty === undefined ? [] : [empty], sending)))
    const tail = envelope.slice(tailStart(envelope)).replace(countOf, count)
    return `${envelope.slice(0, headEnd(envelope))}${body}${tail}`
  }
}

/** The beginning of GE, with the number of sets of the group. */
const countOf = /^GE\*\d+\*/

/** The beginning of the sets of an interchange with one group: after ISA and GS. */
const headEnd = (text: string): number => text.indexOf("\nST") + 1

/** The end of the sets. */
const tailStart = (text: string): number => text.lastIndexOf("\nGE") + 1
