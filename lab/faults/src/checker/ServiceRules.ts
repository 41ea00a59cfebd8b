/**
 * The guarantees to clients beside their data: no client sees data of others, refusals and failures have the right status, and the service
 * answers: when it is well, while one client demands too much, and after its primary was replaced.
 */
import { eventsOf, facilityOf } from "../history/History.ts"
import type { EventOf, History, Operation, Tag } from "../history/History.ts"
import { isTooLate, isUntimely } from "./ClockRules.ts"
import { found } from "./Facts.ts"
import type { Call, Facts, Finding } from "./Facts.ts"

/** The tags that a client must not see. */
const foreign = (tags: ReadonlyArray<Tag>, business: string, facility: string | null): string =>
  business === "*"
    ? ""
    : tags.filter((tag) =>
      facility === null ? !tag.startsWith(`${business}/`) : tag !== `${business}/${facility}`
    ).join(", ")

/** No client is shown a text of another tenant, in any answer, message or error (D10.3). */
export const tenantsAreApart = function*(facts: Facts): Finding {
  for (const call of facts.calls) {
    const { invoke: { asked, business, client }, outcome } = call
    const others = foreign(outcome?.tags ?? [], business, facilityOf[client] ?? null)
    if (others !== "") {
      yield found(`${client}, asking about ${business}, was shown what is of ${others}`, call)
    }
    if (asked.operation === "snoop" && outcome?.type === "ok") {
      yield found(`${client} was not refused what is another's`, call)
    }
  }
  for (const { business, facility, reader } of facts.events("reader")) {
    for (const seen of facts.events("seen").filter((each) => each.reader === reader)) {
      const others = foreign(seen.tags, business, facility)
      if (others === "" && seen.business === business) continue
      yield found(`${reader} saw a message of ${others || seen.business}`, seen)
    }
  }
  for (const { business, endpoint, facility } of [...facts.events("endpoint"), ...facts.events("rule")]) {
    for (const receipt of facts.events("receipt").filter((each) => each.endpoint === endpoint)) {
      const others = foreign(receipt.tags, business, facility)
      if (others !== "") {
        yield found(`${endpoint} was sent ${receipt.webhookId}, which is of ${others}`, receipt)
      }
    }
  }
}

/** Codes that a repetition cures, and those about cursors of readers, which are judged with what the readers saw. */
const passing = new Set(["IDEMPOTENCY_KEY_IN_USE", "HISTORY_EXPIRED", "CURSOR_AHEAD"])

/** Refusals that a client with all permissions may get: 408 is about a connection that waited (`Client`). */
const isPassing = (outcome: Call["outcome"]): boolean =>
  outcome?.type === "refused" && ([0, 401, 408].includes(outcome.status) || passing.has(outcome.code))

/** Whether a refusal is right: for another tenant's data, for a wrong time, or because something else may have come first. */
const isRight = (facts: Facts, call: Call): boolean => {
  const { invoke: { asked }, outcome } = call
  if (outcome?.type !== "refused" || isPassing(outcome) || asked.operation === "snoop") return true
  if (isUntimely(call) || isTooLate(facts, call)) return true
  return "contested" in asked && asked.contested === true
    && ["INVALID_TRANSITION", "SHIPMENT_CANCELLED"].includes(outcome.code)
}

/** No valid request is refused for good, and failures are 503 and not faults of the service (D4.2, D12.3). */
export const answersAreRight = function*(facts: Facts): Finding {
  for (const call of facts.calls) {
    const { invoke: { asked: { operation }, client }, outcome } = call
    const text = outcome?.type === "refused" && !isRight(facts, call)
      ? `was refused: ${outcome.status} ${outcome.code}`
      : outcome?.type === "unknown" && /^(5(?!03)|\d+, no JSON|503.*no Retry-After)/.test(outcome.reason)
      ? `was answered ${outcome.reason}`
      : undefined
    if (text !== undefined) yield found(`${operation} by ${client} ${text}`, call)
  }
  for (const strange of facts.events("strange")) yield found(`${strange.client}: ${strange.text}`, strange)
}

/** Whether the answer to a call was that the same notice, from an earlier call, is still being executed (D18.3). */
const isBeingDone = ({ invoke: { asked }, outcome }: Call): boolean =>
  asked.operation === "notice" && outcome?.type === "unknown" && outcome.reason === "503 OVERLOADED"

/** Whether a healthy system should have given another answer. */
const isUnanswered = (call: Call): boolean =>
  call.invoke.hurried !== true && !isBeingDone(call) &&
  (call.outcome === undefined || call.outcome.type === "unknown" ||
    (call.outcome.type === "refused" && call.outcome.status === 0))

/** Periods with a beginning and an end; the last one may have no end. */
const periodsOf = <E extends { readonly seq: number; readonly phase: "begin" | "end" }>(
  events: ReadonlyArray<E>
) =>
  events.filter(({ phase }) => phase === "begin").map((begin) => ({
    begin,
    end: events.find(({ phase, seq }) => phase === "end" && seq > begin.seq)
  }))

/** Every call within a time without faults is answered (D12.3). */
export const windowsAreClear = function*(facts: Facts): Finding {
  for (const { begin, end } of periodsOf(facts.events("window"))) {
    for (const call of facts.calls) {
      const { invoke: { asked, instance, seq }, outcome } = call
      const isWithin = seq > begin.seq && outcome !== undefined && outcome.seq < (end?.seq ?? Infinity)
      if (!isWithin || !isUnanswered(call)) continue
      const text = `${asked.operation} at instance ${instance} got no answer in a time without faults`
      yield found(text, begin, call)
    }
  }
}

/** Operations that need a transaction, as documents do, and that have to be done in the end. */
export const writes: ReadonlySet<Operation> = new Set(["overwrite", "add", "event", "arrive", "depart"])
const due: ReadonlySet<Operation> = new Set([...writes, "notice", "report", "resolve", "cancel"])

/** Once healed for good, the system answers every call, and completes all requests. */
export const liveAfterHeal = function*(facts: Facts): Finding {
  const [healed] = facts.events("healed")
  if (healed === undefined) return yield found("the system was never healed")
  for (const call of facts.calls) {
    const { invoke: { asked, instance, seq } } = call
    if (seq < healed.seq || !isUnanswered(call)) continue
    yield found(`${asked.operation} at instance ${instance} got no answer after everything was healed`, call)
  }
  for (const request of facts.requests) {
    const { acknowledged, asked: { operation }, calls, invoked } = request
    const isOpen = calls.every(({ outcome }) => outcome?.type !== "refused" || isPassing(outcome))
    // The clients have given up requests that began before a promotion.
    const isGivenUp = invoked.seq <= (facts.gap?.end ?? -1)
    if (acknowledged !== undefined || isGivenUp || !due.has(operation) || !isOpen) continue
    yield found(`${operation} was never acknowledged, not after everything was healed either`, request)
  }
  if (facts.events("collected").length !== 1) {
    yield found("what is there at the end was not collected", healed)
  }
}

/** The time limit for a living instance to answer a probe, in milliseconds: some hundred times of its time at rest. */
const probeMillis = 2000

export const probesAreAnswered = function*(facts: Facts): Finding {
  for (const probe of facts.events("probe")) {
    const { instance, millis, status } = probe
    if (status === 200 && millis <= probeMillis) continue
    yield found(`instance ${instance} said that it lives with status ${status} after ${millis} ms`, probe)
  }
}

/**
 * The shortest time for which a held row shows anything, and how long a document for it may be without an answer beyond that time, in
 * milliseconds; and the least number of writes for other shipments that shows anything.
 */
const shortestHold = 3000
const patienceMillis = 8000
const leastWrites = 4

const callsAt = (facts: Facts, { instance, seq }: EventOf<"held" | "burden">): ReadonlyArray<Call> =>
  facts.calls.filter(({ invoke }) => invoke.instance === instance && invoke.seq > seq)

const took = ({ invoke, outcome }: Call): number => (outcome?.at ?? Infinity) - invoke.at

/**
 * While the row of one shipment is held and many documents wait for it, the same instance serves writes for others: most of them within
 * half of that time, because on a busy machine some may wait longer. The waiting documents are answered soon after it at the latest
 * (D12.3).
 */
export const othersAreServed = function*(facts: Facts): Finding {
  for (const { begin, end } of periodsOf(facts.events("held"))) {
    const kept = (end?.at ?? 0) - begin.at
    if (end === undefined || kept < shortestHold) continue
    const isAbout = ({ invoke: { asked } }: Call) => "shipment" in asked && asked.shipment === begin.shipment
    const during = callsAt(facts, begin).filter(({ invoke }) =>
      invoke.hurried !== true && invoke.seq < end.seq
    )
    for (const call of during) {
      if (!isAbout(call) || took(call) <= kept + patienceMillis) continue
      const text = `whose row was kept, had no answer for ${Math.round(took(call))} ms`
      yield found(`a document for ${begin.shipment}, ${text}`, begin, call)
    }
    // Requests late in that time may have been answered after it.
    const others = during.filter((call) =>
      !isAbout(call) && writes.has(call.invoke.asked.operation) && call.invoke.at <= end.at - kept / 2
    )
    const waited = others.filter((call) => took(call) > kept / 2 || call.outcome?.type === "unknown")
    if (others.length < leastWrites || waited.length * 2 < others.length) continue
    const text = `${waited.length} of ${others.length} writes for others were not served within`
    const time = `${Math.round(kept / 2)} ms while the row of ${begin.shipment} was kept`
    yield found(`${text} ${time}`, begin, waited, end)
  }
}

/**
 * The least part of refused calls of others that shows that they have no share of their own: on a busy machine they may together want more
 * at once than one client leaves.
 */
const refusedPart = 1 / 5

/**
 * While one client demands as much as possible from an instance, calls of other businesses there are not refused for overload (D12.3). A
 * client without any answered request shows nothing.
 */
export const othersHaveTheirShare = function*(facts: Facts): Finding {
  for (const { begin, end } of periodsOf(facts.events("burden"))) {
    const others = callsAt(facts, begin).filter(({ invoke, outcome }) =>
      invoke.business !== begin.business && outcome !== undefined && outcome.seq < (end?.seq ?? Infinity)
    )
    const refused = others.filter(({ outcome }) =>
      outcome?.type === "unknown" && outcome.reason.endsWith(" OVERLOADED")
    )
    const burden = `${begin.kind} of ${begin.business}`
    if (refused.length > 0 && refused.length >= others.length * refusedPart) {
      const text = `${refused.length} of ${others.length} calls of others were refused for overload`
      yield found(`${text} beside ${burden}`, begin, refused)
    }
    if (end?.answered === 0) yield found(`nothing of ${burden} was answered`, begin, end)
  }
}

/**
 * The time after a promotion within which each instance acknowledges writes again, in milliseconds: soon if the lost primary refuses
 * connections, otherwise once its silence is noticed.
 */
const writingMillis = { kill: 5000, hang: 10_000, isolation: 10_000 } as const

/** For each instance, the time of its first acknowledged write after a promotion, and whether that was in time. */
export const writing = (history: History, promoted: EventOf<"failover">) => {
  const asked = eventsOf(history, "invoke").filter(({ asked }) => writes.has(asked.operation))
  const invoked = new Map(asked.map((each) => [each.call, each]))
  const done = eventsOf(history, "ok").filter(({ seq }) => seq > promoted.seq)
  return Array.from({ length: promoted.instances }, (_, instance) => {
    const first = done.find(({ call }) => invoked.get(call)?.instance === instance)
    const millis = (first?.at ?? Infinity) - promoted.at
    return { millis, isInTime: millis <= writingMillis[promoted.how] }
  })
}

export const writingGoesOn = function*(facts: Facts): Finding {
  for (const promoted of facts.events("failover")) {
    for (const [instance, { isInTime, millis }] of writing(facts.history, promoted).entries()) {
      if (isInTime) continue
      const text = `acknowledged no write for ${Math.round(millis)} ms after a promotion (${promoted.how})`
      yield found(`instance ${instance} ${text}`, promoted)
    }
  }
}
