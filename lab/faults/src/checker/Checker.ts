/**
 * Judges a history: which promises of the service it shows to be broken. Pure and offline; a history that is too small
 * to show anything is refused as well.
 */
import { eventsOf } from "../history/History.ts"
import type { Asked, History } from "../history/History.ts"
import { answersAreRight, liveAfterHeal, tenantsAreApart, windowsAreClear } from "./CheckerAccess.ts"
import { deliveredOrDead, inOrderOfTheShipment, sentAsInTheLog } from "./CheckerDeliveries.ts"
import { docksTellTheTruth } from "./CheckerDocks.ts"
import { acknowledgedIsDurable, allOrNothing, noDoubling, noLostUpdate } from "./CheckerDocuments.ts"
import { cancelledIsFinal, exceptionsAreListedOnce } from "./CheckerExceptions.ts"
import { Facts } from "./CheckerFacts.ts"
import type { Call, Invariant, Violation } from "./CheckerFacts.ts"
import {
  completionsTellTheTruth,
  idsInRealTimeOrder,
  nothingInvented,
  sentAtGrows
} from "./CheckerMessages.ts"
import { idsAreGivenOnce, readersAreTold, readersSeeTheLog } from "./CheckerReaders.ts"
import { answersAreWhole, readsAreCurrent } from "./CheckerReads.ts"
import { recordTellsTheTruth } from "./CheckerRecord.ts"
import { linearizable, registersAreWhole } from "./CheckerRegisters.ts"
import { expiredMessagesGo, nothingElseGoes } from "./CheckerRetention.ts"
import { othersAreServed, othersHaveTheirShare, probesAreAnswered, writingGoesOn } from "./CheckerService.ts"

export type { Violation }

/** What is said of a history. */
export interface Verdict {
  readonly violations: ReadonlyArray<Violation>
  /** How much there was to judge. */
  readonly counts: Counts
}

/** How much there is in a history. */
export type Counts = Readonly<
  Record<
    | "calls"
    | "acknowledged"
    | "unknown"
    | "refused"
    | "not sent"
    | "messages"
    | "seen"
    | "receipts"
    | "docks"
    | "recorded"
    | "exceptions"
    | "cancelled"
    | "deliveries"
    | "dead"
    | "reads"
    | "probes"
    | "lost"
    | "told"
    | "dropped"
    | "expired",
    number
  >
>

/** The least of each that a history must hold to show anything. */
const least: Counts = {
  calls: 100,
  acknowledged: 60,
  unknown: 0,
  refused: 0,
  "not sent": 0,
  messages: 20,
  seen: 40,
  receipts: 40,
  docks: 5,
  recorded: 2,
  exceptions: 3,
  cancelled: 0,
  deliveries: 40,
  dead: 0,
  reads: 20,
  probes: 0,
  lost: 0,
  told: 0,
  dropped: 0,
  expired: 0
}

/** The least number of messages that a promotion must lose, and that must expire where they do, to show anything. */
const leastLost = 3
const leastDropped = 5

/** What must have been acknowledged at least once. */
const operations: ReadonlyArray<Asked["operation"]> = [
  "overwrite",
  "add",
  "read",
  "arrive",
  "event",
  "depart",
  "report",
  "resolve",
  "cancel"
]

/** A check that finds nothing in next to nothing is none. */
const enoughHappened: Invariant = (facts) => {
  const counts = countsOf(facts)
  return [
    ...(Object.keys(least) as ReadonlyArray<keyof Counts>).filter((name) => counts[name] < least[name]).map((
      name
    ) => ({
      text: `${counts[name]} ${name} are too few to judge by; ${least[name]} is the least`,
      events: []
    })),
    ...(facts.gap !== undefined && facts.lost.length < leastLost
      ? [{ text: `${facts.lost.length} messages were lost; ${leastLost} is the least`, events: [] }]
      : []),
    ...(eventsOf(facts.history, "retention").length > 0 && facts.dropped.size < leastDropped
      ? [{ text: `${facts.dropped.size} messages were dropped; ${leastDropped} is the least`, events: [] }]
      : []),
    ...operations.filter((operation) =>
      !facts.of(operation).some(({ acknowledged }) => acknowledged !== undefined)
    )
      .map((operation) => ({ text: `no ${operation} was ever acknowledged`, events: [] })),
    ...(["reader", "endpoint", "stored", "window", "fault"] as const).filter((type) =>
      eventsOf(facts.history, type).length === 0
    )
      .map((type) => ({ text: `there is no ${type} in the history`, events: [] }))
  ]
}

/** The invariants by name. */
export const invariants = {
  "enough happened": enoughHappened,
  "acknowledged is durable": acknowledgedIsDurable,
  "all or nothing": (facts) => [...allOrNothing(facts), ...answersAreWhole(facts)],
  "no doubling": noDoubling,
  "no lost update": noLostUpdate,
  "reads are current": readsAreCurrent,
  "registers are whole": registersAreWhole,
  "registers are linearizable": linearizable,
  "nothing is invented": nothingInvented,
  "ids in real-time order": idsInRealTimeOrder,
  "sentAt grows": sentAtGrows,
  "completions tell the truth": completionsTellTheTruth,
  "docks tell the truth": docksTellTheTruth,
  "the record tells the truth": recordTellsTheTruth,
  "exceptions are listed once": exceptionsAreListedOnce,
  "cancelled is final": cancelledIsFinal,
  "readers see the log": readersSeeTheLog,
  "readers are told": readersAreTold,
  "ids are given once": idsAreGivenOnce,
  "expired messages go": expiredMessagesGo,
  "nothing else goes": nothingElseGoes,
  "delivered or dead": deliveredOrDead,
  "order of the shipment": inOrderOfTheShipment,
  "sent as in the log": sentAsInTheLog,
  "tenants are apart": tenantsAreApart,
  "answers are right": answersAreRight,
  "probes are answered": probesAreAnswered,
  "others are served": othersAreServed,
  "others have their share": othersHaveTheirShare,
  "writing goes on": writingGoesOn,
  "windows are clear": windowsAreClear,
  "live after heal": liveAfterHeal
} satisfies Readonly<Record<string, Invariant>>

/** The name of an invariant. */
export type InvariantName = keyof typeof invariants

/** Judges a history by every invariant. */
export const check = (history: History): Verdict => {
  const facts = new Facts(history)
  return {
    violations: Object.entries(invariants).flatMap(([invariant, holds]) =>
      holds(facts).map((found) => ({ invariant, ...found }))
    ),
    counts: countsOf(facts)
  }
}

/** Nobody took the connection. */
const isNotSent = (outcome: Call["outcome"]): boolean => outcome?.type === "refused" && outcome.status === 0

const countsOf = (facts: Facts): Counts => {
  const ended = (type: string) => facts.calls.filter(({ outcome }) => outcome?.type === type)
  return {
    calls: facts.calls.length,
    acknowledged: ended("ok").length,
    unknown: ended("unknown").length,
    refused: ended("refused").filter(({ outcome }) => !isNotSent(outcome)).length,
    "not sent": ended("refused").filter(({ outcome }) => isNotSent(outcome)).length,
    messages: facts.log.length,
    seen: eventsOf(facts.history, "seen").length,
    receipts: eventsOf(facts.history, "receipt").length,
    docks: eventsOf(facts.history, "dock").length,
    recorded: eventsOf(facts.history, "recorded").length,
    exceptions: eventsOf(facts.history, "exceptions").reduce((sum, { listed }) => sum + listed.length, 0),
    cancelled: facts.stored.filter(({ shipment }) => shipment.status === "CANCELLED").length,
    deliveries: eventsOf(facts.history, "delivery").length,
    dead: eventsOf(facts.history, "delivery").filter(({ status }) => status === "DEAD").length,
    reads: ended("ok").filter(({ invoke }) => invoke.asked.operation === "read").length,
    probes: eventsOf(facts.history, "probe").length,
    lost: facts.lost.length,
    told: eventsOf(facts.history, "ahead").length,
    dropped: facts.dropped.size,
    expired: eventsOf(facts.history, "expired").length
  }
}
