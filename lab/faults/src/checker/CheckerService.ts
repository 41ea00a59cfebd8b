/**
 * What is promised of the service while somebody asks too much of it: it lives, and serves everybody else. And of one
 * whose primary was replaced: it goes on.
 */
import { eventsOf } from "../history/History.ts"
import type { Asked, EventOf, History } from "../history/History.ts"
import { seqsOf } from "./CheckerFacts.ts"
import type { Call, Invariant } from "./CheckerFacts.ts"

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
const patienceMillis = 8000

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

/** The fewest writes for other numbers that show anything. */
const leastWrites = 4

/** What takes a transaction as the documents do that wait. */
export const writes: ReadonlySet<Asked["operation"]> = new Set([
  "overwrite",
  "add",
  "event",
  "arrive",
  "depart"
])

const isAbout = ({ invoke: { asked } }: Call, shipment: string): boolean =>
  "shipment" in asked && asked.shipment === shipment

/**
 * While the row of one shipment is kept and many documents wait for it, writes for others at the same instance are
 * served: more of them than not within half of that time, as a busy machine may have some of them wait for longer. The
 * documents that wait are answered soon after it at the latest (D12.3).
 */
export const othersAreServed: Invariant = (facts) =>
  holdsIn(eventsOf(facts.history, "held")).flatMap(({ begin, end }) => {
    const bound = (end.at - begin.at) / 2
    const took = ({ invoke, outcome }: Call) => (outcome?.at ?? Infinity) - invoke.at
    const during = facts.calls.filter(({ invoke }) =>
      invoke.hurried !== true && invoke.instance === begin.instance && invoke.seq > begin.seq &&
      invoke.seq < end.seq
    )
    const late = during.filter((call) =>
      isAbout(call, begin.shipment) && took(call) > end.at - begin.at + patienceMillis
    )
    // What was asked late in that time may have been answered after it.
    const others = during.filter((call) =>
      !isAbout(call, begin.shipment) && writes.has(call.invoke.asked.operation) &&
      call.invoke.at <= end.at - bound
    )
    const waited = others.filter((call) => took(call) > bound || call.outcome?.type === "unknown")
    return [
      ...late.map((call) => ({
        text: `a document for ${begin.shipment}, whose row was kept, had no answer for ${
          Math.round(took(call))
        } ms`,
        events: [begin.seq, ...seqsOf({ calls: [call] })]
      })),
      ...(others.length < leastWrites || waited.length * 2 < others.length ? [] : [{
        text: `${waited.length} of ${others.length} writes for others were not served within ${
          Math.round(bound)
        } ms while the row of ${begin.shipment} was kept`,
        events: [begin.seq, ...seqsOf({ calls: waited }), end.seq]
      }])
    ]
  })

const isOverloaded = ({ outcome }: Call): boolean =>
  outcome?.type === "unknown" && outcome.reason.endsWith(" OVERLOADED")

/**
 * The least part of the calls of others that shows that they have no share of their own: on a machine that is busy they may
 * together want more at once than what one client leaves.
 */
const refusedPart = 1 / 5

/**
 * While one client asks an instance for as much as it can get, calls there of other businesses are not refused for overload
 * (D12.3). A client none of whose requests is answered shows nothing.
 */
export const othersHaveTheirShare: Invariant = (facts) => {
  const burdens = eventsOf(facts.history, "burden")
  return burdens.filter(({ phase }) => phase === "begin").flatMap((begin) => {
    const end = burdens.find(({ phase, seq }) => phase === "end" && seq > begin.seq)
    const until = end?.seq ?? Infinity
    const others = facts.calls.filter(({ invoke, outcome }) =>
      invoke.business !== begin.business && invoke.instance === begin.instance && invoke.seq > begin.seq &&
      outcome !== undefined && outcome.seq < until
    )
    const refused = others.filter(isOverloaded)
    return [
      ...(refused.length === 0 || refused.length < others.length * refusedPart ? [] : [{
        text:
          `${refused.length} of ${others.length} calls of others were refused for overload beside ${begin.kind} of ${begin.business}`,
        events: [begin.seq, ...seqsOf({ calls: refused })]
      }]),
      ...(end?.answered === 0
        ? [{
          text: `nothing of ${begin.kind} of ${begin.business} was answered`,
          events: [begin.seq, end.seq]
        }]
        : [])
    ]
  })
}

/**
 * How soon after a promotion each instance acknowledges writes again, in milliseconds: at once where the lost primary
 * refuses connections, else when its silence is noticed.
 */
const writingMillis: Readonly<Record<EventOf<"failover">["how"], number>> = {
  kill: 5000,
  hang: 10_000,
  isolation: 10_000
}

/** For each instance, the first write that it acknowledged after a promotion, and whether that was in time. */
export const writing = (
  history: History,
  promoted: EventOf<"failover">
): ReadonlyArray<{ readonly millis: number; readonly isInTime: boolean }> => {
  const invoked = new Map(
    eventsOf(history, "invoke").filter(({ asked }) => writes.has(asked.operation)).map((
      each
    ) => [each.call, each])
  )
  const done = eventsOf(history, "ok").filter(({ seq }) => seq > promoted.seq)
  return Array.from({ length: promoted.instances }, (_, instance) => {
    const first = done.find(({ call }) => invoked.get(call)?.instance === instance)
    const millis = (first?.at ?? Infinity) - promoted.at
    return { millis, isInTime: millis <= writingMillis[promoted.how] }
  })
}

/** After a promotion each instance soon acknowledges writes again. */
export const writingGoesOn: Invariant = ({ history }) =>
  eventsOf(history, "failover").flatMap((promoted) =>
    writing(history, promoted).flatMap(({ isInTime, millis }, instance) =>
      isInTime ? [] : [{
        text: `instance ${instance} acknowledged no write for ${
          Math.round(millis)
        } ms after a promotion (${promoted.how})`,
        events: [promoted.seq]
      }]
    )
  )
