/**
 * What a functional acknowledgment (997) says of a group, held against what the group is that was sent (D23.6).
 *
 * Guarantee: an answer counts only where it says of the group what the group has, and the same in each of its parts: by then everyone reads
 * it alike. Any other one counts for nothing and is noted, as nobody knows what it says of which set.
 */
import { groupKey, outcomeOfOthers } from "../domain/EdiFile.ts"
import type { EdiAcknowledgment, EdiGroup } from "../domain/EdiFile.ts"
import type { EdiSentFile } from "../domain/EdiStore.ts"

/** What is wrong with an answer; `undefined` for one that counts. */
export const contradictionOf = (
  answer: EdiAcknowledgment,
  group: EdiGroup | undefined
): string | undefined => {
  const name = `${answer.group} was sent with the control number ${answer.groupControl}`
  if (group === undefined) return `No group ${name}, which is acknowledged (AK1).`
  const why = ofSets(answer, group) ?? ofCounts(answer, group)
  return why && `A group ${name}, and its acknowledgment counts for nothing: ${why}.`
}

/** Why the sets that are named are not those of the group. */
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

/** Why what is said of the group (AK9) is not what comes of its sets. */
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

/** The answers that count, and what is wrong with the others. */
export interface AnswerVerdicts {
  readonly counting: ReadonlyArray<EdiAcknowledgment>
  readonly faults: ReadonlyArray<string>
}

/** Judges what acknowledgments say of groups by the groups that were sent. */
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
