/**
 * The record of an interchange that came, with its acknowledgment.
 *
 * Guarantee: the record is made in slices before the transaction that stores it, which puts in the control numbers alone.
 */
import { acknowledged, answersByGroup } from "@dockline/core/EdiFile"
import type { EdiTaken } from "@dockline/core/EdiIntake"
import { controlAfter } from "@dockline/core/EdiPartner"
import type { EdiTerms } from "@dockline/core/EdiPartner"
import type { EdiState, EdiStep } from "@dockline/core/EdiStore"
import { EdiRefused } from "@dockline/core/Errors"
import { overloaded } from "@dockline/core/internal/access/RequestLimits"
import type * as Slices from "@dockline/core/internal/input/Slices"
import type { Overloaded } from "@dockline/core/internal/values/RequestErrors"
import { Result } from "effect"
import { errorRoom } from "../sets/Acknowledgments.ts"
import type { ReadGroup } from "../sets/SetReader.ts"
import { localTime } from "../sets/Times.ts"
import { interchangeCodes, isaFault } from "../x12/Fault.ts"
import type { Fault } from "../x12/Fault.ts"
import type { Interchange } from "../x12/Interchange.ts"
import { acknowledgmentsOf, fileOf } from "./FileRecord.ts"
import { takenGroup, writeAnswer } from "./Taken.ts"
import type { DoneSet, Sending, TakenGroup } from "./Taken.ts"

/** An interchange that came, with its partner and its text. */
interface Came {
  readonly interchange: Interchange
  readonly partner: EdiTerms
  readonly text: string
}

/** What is stored of an interchange that was done, but for the numbers of its acknowledgment. */
export interface EdiRecord {
  readonly acknowledgments: ReturnType<typeof acknowledgmentsOf>
  readonly file: ReturnType<typeof fileOf>
  readonly answer: ((sending: Sending) => string) | undefined
}

export function* recordOf(
  { interchange: { control }, partner, text }: Came,
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
    file: fileOf(control, groups, taken, text, ""),
    answer: yield* writeAnswer(taken, partner)
  }
}

/** Records an interchange with its acknowledgment, in the transaction that gives the control numbers. */
export const recorded = (
  { text }: Pick<Came, "text">,
  { acknowledgments, answer, file }: EdiRecord,
  { isReserved, known, now, partner, sent }: EdiState,
  timeZone: string
): Result.Result<EdiStep<EdiTaken>, EdiRefused | Overloaded> => {
  if (known !== null) {
    return Result.map(repeated(known, text), (again) => ({ plan: null, answer: () => again }))
  }
  if (!isReserved) return Result.fail(overloaded())
  const { cursorId, nextGroup, nextInterchange } = partner
  const sending = { interchange: nextInterchange, group: nextGroup, ...localTime(now, timeZone) }
  const numbers = answer === undefined ? 0 : 1
  const answers = answersByGroup(acknowledgments)
  return Result.succeed({
    plan: {
      cursorId,
      nextGroup: controlAfter(nextGroup, numbers),
      nextInterchange: controlAfter(nextInterchange, numbers),
      file: { ...file, answer: answer?.(sending) ?? "" },
      marked: sent.map(({ id, ...each }) => ({ id, ...acknowledged(each, answers) }))
    },
    // A plan with a file adds it.
    answer: (added) => ({ file: added!, isRepeated: false })
  })
}

export const refusal = ({ detail, element, remedy, segment, segmentId }: Fault): EdiRefused =>
  new EdiRefused({ segment, segmentId, element, detail, remedy })

/** Why an interchange is refused whose control number another one has. */
export const reused = (control: string): Fault =>
  isaFault({
    element: 13,
    code: interchangeCodes.number,
    value: control,
    detail: `another interchange came with the control number ${control}`,
    remedy: "Number each interchange anew; to send one again, send it as it was."
  })

/** An interchange that came before, if its text is the same. */
export const repeated = (file: EdiTaken["file"], text: string): Result.Result<EdiTaken, EdiRefused> =>
  file.text === text
    ? Result.succeed({ file, isRepeated: true })
    : Result.fail(refusal(reused(file.control)))
