/**
 * The record of an interchange that came, with its acknowledgment.
 *
 * Guarantee: the record is made in slices before the transaction that stores it, which puts in the control numbers alone.
 */
import { overloaded } from "@dockline/core/access/RequestLimits"
import type * as Slices from "@dockline/core/input/Slices"
import type { Overloaded } from "@dockline/core/values/RequestErrors"
import { Result } from "effect"
import { EdiRefused } from "../domain/EdiErrors.ts"
import { answersByGroup, markOf } from "../domain/EdiFile.ts"
import type { EdiTaken } from "../domain/EdiIntake.ts"
import { controlAfter } from "../domain/EdiPartner.ts"
import type { EdiTerms } from "../domain/EdiPartner.ts"
import type { EdiMark, EdiState, EdiStep, EdiWords } from "../domain/EdiStore.ts"
import { errorRoom } from "../sets/Acknowledgments.ts"
import type { SaidOrder } from "../sets/Meaning.ts"
import type { ReadGroup } from "../sets/SetReader.ts"
import { localTime } from "../sets/Times.ts"
import { changedWords, textOf, wordsIn } from "../sets/Words.ts"
import { describe, detailOf, interchangeCodes, isaFault } from "../x12/Fault.ts"
import type { Fault } from "../x12/Fault.ts"
import type { Interchange } from "../x12/Interchange.ts"
import { acknowledgmentsOf, fileOf, maxFileFaults, storable } from "./FileRecord.ts"
import { judged } from "./GroupAnswer.ts"
import { acceptanceOf, acknowledgmentFaults, answerMark } from "./InterchangeAnswer.ts"
import { takenGroup, writeAnswer } from "./Taken.ts"
import type { DoneSet, Sending, TakenGroup } from "./Taken.ts"

/** An interchange that came, with its partner and its text. */
interface Came {
  readonly interchange: Interchange
  readonly partner: EdiTerms
  readonly text: string
  readonly fingerprint: string
}

/** What is stored of an interchange that was done, but for the numbers of its acknowledgment. */
export interface EdiRecord {
  readonly acknowledgments: ReturnType<typeof acknowledgmentsOf>
  /** What it says of sets that were sent by saying it of their interchanges. */
  readonly mark: EdiMark
  readonly file: ReturnType<typeof fileOf>
  readonly answer: ((sending: Sending) => string) | undefined
  /** How many groups its acknowledgment has. */
  readonly answerGroups: number
  /** The words of the orders of its documents that were taken. */
  readonly words: ReadonlyArray<SaidOrder>
}

export function* recordOf(
  { interchange, partner, text }: Came,
  groups: ReadonlyArray<ReadGroup>,
  done: ReadonlyArray<ReadonlyArray<DoneSet>>
): Slices.Steps<EdiRecord> {
  const room = errorRoom()
  const taken: Array<TakenGroup> = []
  for (const [index, group] of groups.entries()) {
    taken.push(yield* takenGroup(group, done[index] ?? [], partner, room))
  }
  return {
    acknowledgments: acknowledgmentsOf(taken),
    mark: answerMark(interchange),
    file: fileOf(interchange, groups, taken, text),
    answer: yield* writeAnswer(taken, partner, acceptanceOf(interchange)),
    answerGroups: taken.some(({ acknowledgment }) => acknowledgment.length > 0) ? 1 : 0,
    words: groups.flatMap(({ sets }, group) =>
      sets.flatMap(({ meaning }, index) =>
        meaning?._tag === "Document" && done[group]?.[index]?.outcome._tag === "Document"
          ? meaning.words ?? []
          : []
      )
    )
  }
}

/** Records an interchange with its acknowledgment, in the transaction that gives the control numbers. */
export const recorded = (
  { fingerprint, interchange, text }: Pick<Came, "fingerprint" | "interchange" | "text">,
  { acknowledgments, answer, answerGroups, file, mark, words }: EdiRecord,
  state: EdiState,
  timeZone: string
): Result.Result<EdiStep<EdiTaken>, EdiRefused | Overloaded> => {
  const { isReserved, known, now, partner, sent } = state
  // It is on record since. Wrapped in another way it gets its answer when it is sent again.
  if (known?.text === text) {
    return Result.succeed({ plan: null, answer: () => ({ file: known, isRepeated: true }) })
  }
  if (known !== null) return Result.fail(overloaded())
  if (!isReserved) return Result.fail(overloaded())
  const { cursorId, nextGroup, nextInterchange } = partner
  const sending = { interchange: nextInterchange, group: nextGroup, ...localTime(now, timeZone) }
  const numbers = answer === undefined ? 0 : 1
  const { counting, faults } = judged(acknowledgments, sent)
  const ofGroup = markOf(answersByGroup(counting))
  return Result.succeed({
    plan: {
      cursorId,
      nextGroup: controlAfter(nextGroup, answerGroups),
      nextInterchange: controlAfter(nextInterchange, numbers),
      fingerprint,
      file: { ...withNotes(file, interchange, faults, sent), answer: answer?.(sending) ?? "" },
      mark: (set, control) => mark(ofGroup(set), control),
      words: keptWords(words, state.words)
    },
    // A plan with a file adds it.
    answer: (added) => ({ file: added!, isRepeated: false })
  })
}

/** The words of orders that are kept behind those that were kept before: a set that says an order anew says all of it. */
const keptWords = (
  said: ReadonlyArray<SaidOrder>,
  before: ReadonlyArray<EdiWords>
): ReadonlyArray<EdiWords> => {
  const kept = new Map(before.map(({ orderNumber, words }) => [orderNumber, wordsIn(words)]))
  for (const { isChange, orderNumber, words } of said) {
    kept.set(orderNumber, isChange ? changedWords(kept.get(orderNumber) ?? {}, words) : words)
  }
  return Array.from(kept, ([orderNumber, words]) => ({ orderNumber, words: textOf(words) }))
}

/** Notes on record what acknowledges nothing that was sent to the partner, or contradicts it. */
const withNotes = (
  file: EdiRecord["file"],
  interchange: Interchange,
  ofGroups: ReadonlyArray<string>,
  sent: EdiState["sent"]
): EdiRecord["file"] => {
  const notes = [...acknowledgmentFaults(interchange, sent).map(describe), ...ofGroups].map(storable)
  return notes.length === 0 ? file : {
    ...file,
    faults: [...file.faults, ...notes].slice(0, maxFileFaults),
    outcome: file.outcome === "ACCEPTED" ? "NOTED" : file.outcome
  }
}

export const refusal = (fault: Fault): EdiRefused => {
  const { element, remedy, segment, segmentId } = fault
  const refused = new EdiRefused({ segment, segmentId, element, detail: detailOf(fault), remedy })
  codes.set(refused, fault.code)
  return refused
}

/** The codes (TA105) of refusals: these are answers of clients, which have none. */
const codes = new WeakMap<EdiRefused, string>()

/** Why an interchange is refused as a whole, as a TA1 says it. */
export const codeOf = (refused: EdiRefused): string => codes.get(refused) ?? interchangeCodes.structure

/** Why an interchange is refused whose control number another one has. */
export const reused = (control: string): Fault =>
  isaFault({
    element: 13,
    code: interchangeCodes.duplicate,
    value: control,
    detail: `another interchange came with the control number ${control}`,
    remedy: "Number each interchange anew; to send one again, send it as it was."
  })
