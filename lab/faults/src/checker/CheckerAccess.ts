/**
 * What is promised to clients beside their data: nobody sees what is another's, refusals and failures are what they are
 * said to be, and a system that is well answers.
 */
import { eventsOf, facilityOf } from "../history/History.ts"
import type { Tag } from "../history/History.ts"
import { seqsOf } from "./CheckerFacts.ts"
import type { Call, Invariant } from "./CheckerFacts.ts"

/** The tags that are none of somebody's business. */
const foreign = (tags: ReadonlyArray<Tag>, business: string, facility: string | null): ReadonlyArray<Tag> =>
  business === "*"
    ? []
    : tags.filter((tag) =>
      facility === null ? !tag.startsWith(`${business}/`) : tag !== `${business}/${facility}`
    )

/** Nobody is shown a text of another tenant, in whatever answer, message or error (D10.3). */
export const tenantsAreApart: Invariant = (facts) => [
  ...facts.calls.flatMap(({ invoke, outcome }) => {
    if (outcome === undefined) return []
    const found = foreign(outcome.tags, invoke.business, facilityOf[invoke.client] ?? null)
    return found.length === 0 ? [] : [{
      text: `${invoke.client}, asking about ${invoke.business}, was shown what is of ${found.join(", ")}`,
      events: [invoke.seq, outcome.seq]
    }]
  }),
  ...facts.calls.filter(({ invoke, outcome }) => invoke.asked.operation === "snoop" && outcome?.type === "ok")
    .map(
      (call) => ({
        text: `${call.invoke.client} was not refused what is another's`,
        events: seqsOf({ calls: [call] })
      })
    ),
  ...eventsOf(facts.history, "reader").flatMap((reader) =>
    eventsOf(facts.history, "seen").filter((seen) => seen.reader === reader.reader).flatMap((seen) => {
      const found = foreign(seen.tags, reader.business, reader.facility)
      if (found.length === 0 && seen.business === reader.business) return []
      return [{
        text: `${reader.reader} saw a message of ${found.join(", ") || seen.business}`,
        events: [seen.seq]
      }]
    })
  ),
  ...eventsOf(facts.history, "endpoint").flatMap(({ business, endpoint, facility }) =>
    eventsOf(facts.history, "receipt").filter((receipt) => receipt.endpoint === endpoint).flatMap(
      (receipt) => {
        const found = foreign(receipt.tags, business, facility)
        return found.length === 0 ? [] : [{
          text: `${endpoint} was sent ${receipt.webhookId}, which is of ${found.join(", ")}`,
          events: [receipt.seq]
        }]
      }
    )
  )
]

/** What is over when it is repeated, and what readers are told of their cursors, which is judged with what they saw. */
const passing = new Set(["IDEMPOTENCY_KEY_IN_USE", "HISTORY_EXPIRED", "CURSOR_AHEAD"])

/** Refusals that a client with every right may meet: 408 is about a connection that waited (`WorkloadClient`). */
const isPassing = ({ outcome }: Call): boolean =>
  outcome?.type === "refused" &&
  (outcome.status === 0 || outcome.status === 401 || outcome.status === 408 || passing.has(outcome.code))

/** Whether a pallet came when its shipment may have departed. */
const isLate = ({ invoke: { asked }, outcome }: Call): boolean =>
  asked.operation === "event" && asked.late && outcome?.type === "refused" &&
  outcome.code === "SHIPMENT_DEPARTED"

/** Whether a step or a document came when another one may have come first. */
const isContested = ({ invoke: { asked }, outcome }: Call): boolean =>
  "contested" in asked && asked.contested === true && outcome?.type === "refused" &&
  ["INVALID_TRANSITION", "SHIPMENT_CANCELLED"].includes(outcome.code)

/** Nothing valid is refused for good, and what fails is 503 and not a fault of the service (D4.2, D12.3). */
export const answersAreRight: Invariant = (facts) => [
  ...facts.calls.flatMap((call) => {
    const { invoke, outcome } = call
    const isSnoop = invoke.asked.operation === "snoop"
    const text = outcome?.type === "refused" && !isPassing(call) && !isSnoop && !isLate(call) &&
        !isContested(call)
      ? `was refused: ${outcome.status} ${outcome.code}`
      : outcome?.type === "unknown" && /^(5(?!03)|\d+, no JSON|503.*no Retry-After)/.test(outcome.reason)
      ? `was answered ${outcome.reason}`
      : undefined
    return text === undefined ? [] : [{
      text: `${invoke.asked.operation} by ${invoke.client} ${text}`,
      events: seqsOf({ calls: [call] })
    }]
  }),
  ...eventsOf(facts.history, "strange").map(({ client, seq, text }) => ({
    text: `${client}: ${text}`,
    events: [seq]
  }))
]

/** Whether a system that is well ought to have answered it otherwise. */
const isUnanswered = ({ invoke, outcome }: Call): boolean =>
  invoke.hurried !== true &&
  (outcome === undefined || outcome.type === "unknown" ||
    (outcome.type === "refused" && outcome.status === 0))

/** Every call within a time without faults is answered (D12.3). */
export const windowsAreClear: Invariant = (facts) => {
  const windows = eventsOf(facts.history, "window")
  return windows.filter(({ phase }) => phase === "begin").flatMap((begin) => {
    const end = windows.find(({ phase, seq }) => phase === "end" && seq > begin.seq)?.seq ?? Infinity
    return facts.calls.filter((call) =>
      call.invoke.seq > begin.seq && call.outcome !== undefined && call.outcome.seq < end &&
      isUnanswered(call)
    ).map((call) => ({
      text:
        `${call.invoke.asked.operation} at instance ${call.invoke.instance} got no answer in a time without faults`,
      events: [begin.seq, ...seqsOf({ calls: [call] })]
    }))
  })
}

/** Once healed for good the system answers every call, and ends what it was asked to do. */
export const liveAfterHeal: Invariant = (facts) => {
  const [healed] = eventsOf(facts.history, "healed")
  if (healed === undefined) return [{ text: "the system was never healed", events: [] }]
  const unanswered = facts.calls.filter((call) => call.invoke.seq > healed.seq && isUnanswered(call))
  // What was begun before a promotion was given up by those who asked for it.
  const given = facts.gap?.end ?? -1
  const left = facts.requests.filter(({ acknowledged, asked, calls, invoked }) =>
    acknowledged === undefined && invoked.seq > given &&
    ["overwrite", "add", "event", "arrive", "depart", "report", "resolve", "cancel"].includes(
      asked.operation
    ) &&
    calls.every(({ outcome }) =>
      outcome?.type !== "refused" || isPassing({ outcome, invoke: calls[0]!.invoke })
    )
  )
  return [
    ...unanswered.map((call) => ({
      text:
        `${call.invoke.asked.operation} at instance ${call.invoke.instance} got no answer after everything was healed`,
      events: seqsOf({ calls: [call] })
    })),
    ...left.map((request) => ({
      text: `${request.asked.operation} was never acknowledged, not after everything was healed either`,
      events: seqsOf(request)
    })),
    ...(eventsOf(facts.history, "collected").length === 1
      ? []
      : [{ text: "what is there at the end was not collected", events: [healed.seq] }])
  ]
}
