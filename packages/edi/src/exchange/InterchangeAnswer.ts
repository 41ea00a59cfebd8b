/**
 * Acknowledgments of interchanges as a whole (TA1) by partners and by us, and partners' acknowledgments of groups (997, D23.6).
 *
 * Guarantee: a TA1 counts only for interchanges sent to its partner. An accepted interchange whose sender requests a TA1 (ISA14) gets one,
 * with the code of a note on its envelope. `Record` decides which refused files get a TA1 that rejects them.
 */
import { Result } from "effect"
import { groupKey, outcomeOfOthers } from "../domain/EdiFile.ts"
import type { EdiAcknowledgment, EdiFileDraft, EdiGroup, EdiSet } from "../domain/EdiFile.ts"
import { controlAfter } from "../domain/EdiPartner.ts"
import type { EdiMark, EdiSentFile, EdiState, EdiStep } from "../domain/EdiStore.ts"
import { localTime } from "../sets/Times.ts"
import { elementCodes, faultOf } from "../x12/Fault.ts"
import type { Fault } from "../x12/Fault.ts"
import type { Interchange, InterchangeAcknowledgment } from "../x12/Interchange.ts"
import { write } from "../x12/X12Writer.ts"
import { interchangeFor } from "./SetResult.ts"

/**
 * Compares a functional acknowledgment (997) with the group that was sent (D23.6).
 *
 * Guarantee: an answer counts only if it matches the group and does not contradict itself. Any other answer is noted and ignored, because
 * it is unclear which sets it accepts.
 *
 * Returns the contradiction in an answer; `undefined` if the answer counts.
 */
export const contradictionOf = (
  answer: EdiAcknowledgment,
  group: EdiGroup | undefined
): string | undefined => {
  const name = `${answer.group} was sent with the control number ${answer.groupControl}`
  if (group === undefined) return `No group ${name}, which is acknowledged (AK1).`
  const why = ofSets(answer, group) ?? ofCounts(answer, group)
  return why && `A group ${name}, and its acknowledgment counts for nothing: ${why}.`
}

/** The reason why the sets that an answer names are not sets of the group; `undefined` if they are. */
const ofSets = ({ sets }: EdiAcknowledgment, { kind, setCount }: EdiGroup): string | undefined => {
  const controls = new Set<number>()
  for (const set of sets) {
    const control = /^\d{1,9}$/.test(set.control) ? Number(set.control) : 0
    const name = `the set ${set.kind} ${set.control}`
    if (set.kind !== kind || control < 1 || control > setCount) return `it has no ${name.slice(4)} (AK2)`
    if (controls.has(control)) return `${name} is named twice (AK2)`
    controls.add(control)
  }
  return undefined
}

/** The reason why the counts and the outcome of the group (AK9) do not follow from the outcomes of its sets; `undefined` if they do. */
const ofCounts = (answer: EdiAcknowledgment, { setCount }: EdiGroup): string | undefined => {
  const { acceptedCount, includedCount, outcome, receivedCount, sets } = answer
  const isRejected = (set: { readonly outcome: string }): boolean => set.outcome === "REJECTED"
  const ofOthers = outcomeOfOthers(answer)
  const others = isRejected({ outcome: ofOthers }) ? setCount - sets.length : 0
  const acceptedSets = setCount - sets.filter(isRejected).length - others
  if (includedCount !== setCount) return `it had ${setCount} sets, not ${includedCount} (AK902)`
  if (receivedCount !== setCount) return `${receivedCount} of its ${setCount} sets were received (AK903)`
  if (acceptedCount !== acceptedSets) {
    return `${acceptedCount} of its sets are accepted (AK904), and ${acceptedSets} by what is said of them`
  }
  const due = acceptedSets === 0
    ? ["REJECTED"]
    : acceptedSets < setCount
    ? ["PARTIAL"]
    : ["ACCEPTED", "NOTED"]
  return due.includes(outcome)
    ? undefined
    : `${acceptedSets} of its ${setCount} sets are accepted, which its code does not say (AK901)`
}

/** The answers that count, and the faults of the others. */
export interface AnswerVerdicts {
  readonly counting: ReadonlyArray<EdiAcknowledgment>
  readonly faults: ReadonlyArray<string>
}

/** Checks acknowledgments of groups against the groups that were sent. */
export const judge = (
  answers: ReadonlyArray<EdiAcknowledgment>,
  sentFiles: ReadonlyArray<EdiSentFile>
): AnswerVerdicts => {
  const groups = new Map(
    sentFiles.flatMap(({ groups }) => groups).map((each) => [groupKey(each.group, each.groupControl), each])
  )
  const counting: Array<EdiAcknowledgment> = []
  const faults: Array<string> = []
  for (const answer of answers) {
    const fault = contradictionOf(answer, groups.get(groupKey(answer.group, answer.groupControl)))
    if (fault === undefined) counting.push(answer)
    else faults.push(fault)
  }
  return { counting, faults }
}

/** No error (TA105). */
const noError = "000"

type EnvelopeKey = Pick<Interchange, "control" | "date" | "time">

/** The TA1 of an accepted interchange; none if its sender requests none. */
export const acceptanceOf = (
  { control, date, notes, time, wantsAcknowledgment }: Pick<
    Interchange,
    "control" | "date" | "notes" | "time" | "wantsAcknowledgment"
  >
): ReadonlyArray<InterchangeAcknowledgment> =>
  wantsAcknowledgment
    ? [{
      ...normalDate({ control, date, time }),
      status: notes.length === 0 ? "A" : "E",
      code: notes[0]?.code ?? noError
    }]
    : []

/** The date and the time of an envelope in the form of TA1; a default if they do not have this form. */
const normalDate = ({ control, date, time }: EnvelopeKey): EnvelopeKey => ({
  control,
  date: /^\d{6}$/.test(date) ? date : "000101",
  time: /^\d{4}$/.test(time) ? time : "0000"
})

/** Makes the decision that stores a TA1 rejecting an interchange, to be sent under the next control number. */
export const rejecting =
  (interchange: EnvelopeKey, code: string, timeZone: string) =>
  ({ now, partner }: EdiState): Result.Result<EdiStep<void>, never> => {
    const { cursorId, nextGroup, nextInterchange } = partner
    const sending = { interchange: nextInterchange, group: nextGroup, ...localTime(now, timeZone) }
    const acknowledgments = [{ ...normalDate(interchange), status: "R", code }]
    const text = write({ ...interchangeFor(partner, [], sending), acknowledgments })
    if (Result.isFailure(text)) return Result.succeed({ plan: null, answer: () => undefined })
    const set: EdiSet = {
      kind: "TA1",
      control: "",
      group: "",
      groupControl: "",
      outcome: "ACCEPTED",
      number: interchange.control,
      shipmentId: "",
      faults: []
    }
    const file: EdiFileDraft = {
      direction: "OUT",
      control: String(nextInterchange).padStart(9, "0"),
      outcome: "ACCEPTED",
      sets: [set],
      faults: [],
      text: text.success,
      answer: ""
    }
    return Result.succeed({
      plan: { cursorId, nextGroup, nextInterchange: controlAfter(nextInterchange, 1), file },
      answer: () => undefined
    })
  }

const words: Readonly<Record<string, string>> = { A: "accepts", E: "accepts with errors", R: "rejects" }

/** The faults of the TA1s of an interchange: a TA1 has an unknown status, or names an interchange that was never sent. */
export const acknowledgmentFaults = (
  { acknowledgments }: Pick<Interchange, "acknowledgments">,
  sentFiles: EdiState["sentFiles"]
): ReadonlyArray<Fault> => {
  const controls = new Set(sentFiles.map(({ control }) => Number(control)))
  return acknowledgments.flatMap(({ control, segment, status }) => {
    const [element, detail] = words[status] === undefined
      ? [4, "the code says nothing of an interchange"] as const
      : [1, `no interchange that tells of a shipment was sent with the control number ${control}`] as const
    if (element === 1 && controls.has(Number(control))) return []
    return [faultOf(segment, {
      scope: "INTERCHANGE",
      element,
      code: elementCodes.code,
      detail,
      remedy: element === 1 ? "Send the control number (ISA13) of one that you got." : "Send A, E or R.",
      isNoted: true
    })]
  })
}

/**
 * Makes the function that marks a set with its partner's answer to the interchange as a whole. All sets of a rejected interchange are
 * rejected, because the partner reads no further.
 */
export const answerMark = ({ acknowledgments }: Pick<Interchange, "acknowledgments">): EdiMark => {
  const last = new Map(acknowledgments.map((each) => [Number(each.control), each]))
  return (set, control) => {
    const answer = last.get(Number(control))
    if ((answer?.status !== "R" && answer?.status !== "E") || set.outcome === "UNWRITTEN") return set
    const fault = `The partner ${words[answer.status]} the interchange: code ${
      answer.code.slice(0, 3)
    } (TA105).`
    return { ...set, outcome: answer.status === "R" ? "REJECTED" : set.outcome, faults: [fault] }
  }
}
