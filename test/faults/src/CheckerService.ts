/**
 * What is promised of the service while somebody asks too much of it: it lives, and serves everybody else.
 */
import { seqsOf } from "./CheckerFacts.ts"
import type { Call, Invariant } from "./CheckerFacts.ts"
import { eventsOf } from "./History.ts"
import type { EventOf } from "./History.ts"

/** How long an instance that lives may take to say so, in milliseconds: some hundred times of what it takes at rest. */
const probeMillis = 2000

/** An instance that is attacked says in time that it lives. */
export const probesAreAnswered: Invariant = (facts) =>
  eventsOf(facts.history, "probe").filter(({ millis, status }) => status !== 200 || millis > probeMillis)
    .map(({ instance, millis, seq, status }) => ({
      text: status === 200
        ? `instance ${instance} took ${millis} ms to say that it lives`
        : `instance ${instance} did not say that it lives: status ${status} after ${millis} ms`,
      events: [seq]
    }))

/** The shortest time for which a row is kept that shows anything, in milliseconds. */
const shortestHold = 3000

/** How long a document for a kept row may be without an answer, beyond the time for which the row is kept. */
const patienceMillis = 5000

interface Hold {
  readonly begin: EventOf<"held">
  readonly end: EventOf<"held">
}

const holdsIn = (events: ReadonlyArray<EventOf<"held">>): ReadonlyArray<Hold> =>
  events.filter(({ phase }) => phase === "begin").flatMap((begin) => {
    const end = events.find(({ phase, seq, shipment }) =>
      phase === "end" && seq > begin.seq && shipment === begin.shipment
    )
    return end === undefined || end.at - begin.at < shortestHold ? [] : [{ begin, end }]
  })

const isAbout = ({ invoke: { asked } }: Call, shipment: string): boolean =>
  "shipment" in asked && asked.shipment === shipment

/**
 * While the row of one shipment is kept and many documents wait for it, every other call at the same instance is
 * answered within half of that time; those that wait are answered soon after it at the latest (D12.3).
 */
export const othersAreServed: Invariant = (facts) =>
  holdsIn(eventsOf(facts.history, "held")).flatMap(({ begin, end }) => {
    const bound = (end.at - begin.at) / 2
    const during = facts.calls.filter(({ invoke }) =>
      invoke.instance === begin.instance && invoke.seq > begin.seq && invoke.seq < end.seq
    )
    return during.flatMap((call) => {
      const { invoke, outcome } = call
      const took = (outcome?.at ?? Infinity) - invoke.at
      const text = isAbout(call, begin.shipment)
        ? took > end.at - begin.at + patienceMillis
          ? `a document for ${begin.shipment} had no answer for ${Math.round(took)} ms`
          : undefined
        // What was asked late in that time may have been answered after it.
        : invoke.at <= end.at - bound && (took > bound || outcome?.type === "unknown")
        ? `${invoke.asked.operation} by ${invoke.client} was not served within ${Math.round(bound)} ms`
        : undefined
      return text === undefined
        ? []
        : [{
          text: `${text}, while the row of ${begin.shipment} was kept`,
          events: [begin.seq, ...seqsOf({ calls: [call] })]
        }]
    })
  })
