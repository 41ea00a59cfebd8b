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
import type { EdiReceipt } from "../domain/EdiIntake.ts"
import { controlAfter } from "../domain/EdiPartner.ts"
import type { EdiTerms } from "../domain/EdiPartner.ts"
import type { EdiMark, EdiState, EdiStep, EdiWords } from "../domain/EdiStore.ts"
import { errorRoom } from "../sets/Acknowledgments.ts"
import type { OrderWording } from "../sets/Meaning.ts"
import type { ReadGroup } from "../sets/SetReader.ts"
import { localTime } from "../sets/Times.ts"
import { changedWords, textOf, wordsIn } from "../sets/Words.ts"
import { describe, detailOf, interchangeCodes, isaFault } from "../x12/Fault.ts"
import type { Fault } from "../x12/Fault.ts"
import type { Interchange } from "../x12/Interchange.ts"
import { acknowledgmentsOf, fileOf, maxFileFaults, storable } from "./FileRecord.ts"
import { judge } from "./GroupAnswer.ts"
import { acceptanceOf, acknowledgmentFaults, answerMark } from "./InterchangeAnswer.ts"
import { groupResult, writeAnswer } from "./SetResult.ts"
import type { GroupResult, Sending, SetWork } from "./SetResult.ts"

/** An interchange that came, with its partner and its text. */
interface ReceivedInterchange {
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

/** Records an interchange with its acknowledgment, in the transaction that gives the control numbers. */
export const stepOf = (
  { fingerprint, interchange, text }: Pick<ReceivedInterchange, "fingerprint" | "interchange" | "text">,
  { acknowledgments, answer, answerGroups, file, mark, words }: EdiRecord,
  state: EdiState,
  timeZone: string
): Result.Result<EdiStep<EdiReceipt>, EdiRefused | Overloaded> => {
  const { isReserved, earlierFile, now, partner, sentFiles } = state
  // It is on record since. Wrapped in another way it gets its answer when it is sent again.
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
    // A plan with a file adds it.
    answer: (file) => ({ file: file!, isRepeated: false })
  })
}

/** The words of orders that are kept behind those that were kept before: a set that says an order anew says all of it. */
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

/** Notes on record what acknowledges nothing that was sent to the partner, or contradicts it. */
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

export const refusal = (fault: Fault): EdiRefused => {
  const { element, remedy, segment, segmentId } = fault
  const refusal = new EdiRefused({ segment, segmentId, element, detail: detailOf(fault), remedy })
  codes.set(refusal, fault.code)
  return refusal
}

/** The codes (TA105) of refusals: these are answers of clients, which have none. */
const codes = new WeakMap<EdiRefused, string>()

/** Why an interchange is refused as a whole, as a TA1 says it. */
export const codeOf = (refusal: EdiRefused): string => codes.get(refusal) ?? interchangeCodes.structure

/** Why an interchange is refused whose control number another one has. */
export const duplicateControl = (control: string): Fault =>
  isaFault({
    element: 13,
    code: interchangeCodes.duplicate,
    value: control,
    detail: `another interchange came with the control number ${control}`,
    remedy: "Number each interchange anew; to send one again, send it as it was."
  })
