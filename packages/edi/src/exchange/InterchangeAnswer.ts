/**
 * What partners and we say of interchanges as a whole (TA1, D23.6).
 *
 * Guarantee: a TA1 counts for what was sent to its partner alone. An interchange whose sender asks for a TA1 (ISA14) gets one: accepted,
 * accepted with what is noted of its envelope, or rejected with the code of its fault.
 */
import { Result } from "effect"
import type { EdiFileDraft, EdiSet } from "../domain/EdiFile.ts"
import { controlAfter } from "../domain/EdiPartner.ts"
import type { EdiMark, EdiState, EdiStep } from "../domain/EdiStore.ts"
import { localTime } from "../sets/Times.ts"
import { elementCodes, faultOf } from "../x12/Fault.ts"
import type { Fault } from "../x12/Fault.ts"
import type { Interchange, InterchangeAcknowledgment } from "../x12/Interchange.ts"
import { write } from "../x12/X12Writer.ts"
import { interchangeFor } from "./SetResult.ts"

/** No error (TA105). */
const noError = "000"

type EnvelopeKey = Pick<Interchange, "control" | "date" | "time">

/** The TA1 of an interchange that was taken; none if its sender asks for none. */
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

/** A date and a time as TA1 holds them, whatever an envelope says. */
const normalDate = ({ control, date, time }: EnvelopeKey): EnvelopeKey => ({
  control,
  date: /^\d{6}$/.test(date) ? date : "000101",
  time: /^\d{4}$/.test(time) ? time : "0000"
})

/** Stores the TA1 that rejects an interchange as what is to be sent, under the next control number. */
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

/** What is wrong with the TA1s of an interchange: those that say nothing of an interchange, and those of one that was never sent. */
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

/** Makes what marks a set that was sent with what its partner says of its interchange as a whole: one that is rejected was not read further. */
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
