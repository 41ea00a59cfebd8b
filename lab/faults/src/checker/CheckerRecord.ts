/**
 * What is promised of the record of documents (D13.6): it tells of each document that was decided once, with what became of
 * it, and of nothing else. A try is known in it by its correlation id.
 */
import type { EventOf } from "../history/History.ts"
import { correlationOf, eventsOf } from "../history/History.ts"
import { keysOf, lpnsIn } from "./CheckerDocuments.ts"
import { isOk, mayBeLost, seqsOf } from "./CheckerFacts.ts"
import type { Call, Facts, Invariant, Request } from "./CheckerFacts.ts"

type Recorded = EventOf<"recorded">

/** A document that clients sent. */
type Sent = Request<"add"> | Request<"overwrite">

const isTaken = ({ outcome }: Recorded): boolean => outcome !== "REFUSED"

const seqs = (recorded: ReadonlyArray<Recorded>): ReadonlyArray<number> => recorded.map(({ seq }) => seq)

/** What the record says of one try that the service has answered, or may have done. */
const wrongAboutTry = ({ outcome }: Call, told: ReadonlyArray<Recorded>): string | undefined => {
  if (told.length > 1) return `is recorded ${told.length} times`
  const [only] = told
  if (outcome?.type === "ok" && outcome.answer.replayed !== true) {
    if (only === undefined || !isTaken(only)) {
      return `was acknowledged, and is recorded as ${only?.outcome ?? "nothing"}`
    }
    const { counts } = outcome.answer
    return counts === undefined || String(counts) === String(only.counts)
      ? undefined
      : `was answered with the counts ${counts}, and is recorded with ${only.counts}`
  }
  if (only === undefined) return undefined
  if (outcome?.type === "ok") return "was answered with what is kept under its key, and is recorded"
  if (outcome?.type === "refused" && (isTaken(only) || only.code !== outcome.code)) {
    return `was refused with ${outcome.code}, and is recorded as ${only.outcome} ${only.code}`
  }
  return undefined
}

/** Refusals of documents that were decided: these are recorded, at the first of the tries under one key. */
const decided = new Set(["SHIPMENT_CANCELLED", "SHIPMENT_DEPARTED"])

const wrongAbout = (facts: Facts, request: Sent, told: ReadonlyArray<Recorded>): string | undefined => {
  const taken = told.filter(isTaken)
  if (request.once && taken.length > 1) return `is recorded as taken ${taken.length} times`
  if (request.acknowledged !== undefined && taken.length === 0) return "was acknowledged, and is not recorded"
  const refusals = request.calls.filter((call) => !mayBeLost(call, facts.gap))
    .flatMap(({ outcome }) => outcome?.type === "refused" ? [outcome.code] : [])
  if (refusals.some((code) => decided.has(code)) && told.length === taken.length) {
    return `was refused with ${refusals.join(", ")}, and is not recorded`
  }
  if (request.asked.operation !== "add") return undefined
  const there = new Set(lpnsIn(facts.storedAs(request, request.asked.shipment)?.shipment))
  const isDone = keysOf(request.asked.own).some((key) => there.has(key))
  return isDone === taken.length > 0
    ? undefined
    : `is ${isDone ? "" : "not "}stored, and ${isDone ? "not " : ""}recorded as taken`
}

/** The record tells of each document what became of it. */
export const recordTellsTheTruth: Invariant = (facts) => {
  const recorded = eventsOf(facts.history, "recorded")
  const byId = Map.groupBy(recorded, ({ correlationId }) => correlationId)
  const toldOf = ({ invoke }: Call) => byId.get(correlationOf(invoke.call)) ?? []
  const sent: ReadonlyArray<Sent> = [...facts.of("add"), ...facts.of("overwrite")]
  const known = new Map(
    sent.flatMap((request) =>
      request.calls.map((call) => [correlationOf(call.invoke.call), { call, request }])
    )
  )
  return [
    ...sent.flatMap((request) => {
      const told = request.calls.flatMap(toldOf)
      const text = wrongAbout(facts, request, told)
      return text === undefined
        ? []
        : [{
          text: `a document for ${request.asked.shipment} ${text}`,
          events: [...seqsOf(request), ...seqs(told)]
        }]
    }),
    ...sent.flatMap(({ asked, calls }) =>
      calls.flatMap((call) => {
        const text = wrongAboutTry(call, toldOf(call))
        return text === undefined ? [] : [{
          text: `a try of a document for ${asked.shipment} ${text}`,
          events: [...seqsOf({ calls: [call] }), ...seqs(toldOf(call))]
        }]
      })
    ),
    ...recorded.flatMap(({ business, client, correlationId, facility, seq, shipmentNumber }) => {
      const found = known.get(correlationId)
      const { invoke } = found?.call ?? {}
      const isIt = invoke?.business === business && invoke.facility === facility &&
        invoke.client === client &&
        found?.request.asked.shipment === shipmentNumber
      return isIt ? [] : [{
        text:
          `the record tells of a document of ${client} for ${shipmentNumber} that was not sent (${correlationId})`,
        events: [...(invoke === undefined ? [] : [invoke.seq]), seq]
      }]
    }),
    ...(recorded.length === 0 && facts.calls.filter(isOk).length > 0
      ? [{ text: "the record of documents was not collected", events: [] }]
      : [])
  ]
}
