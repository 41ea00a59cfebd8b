/**
 * Judges a history: which guarantees of the service it shows to be broken. Pure and offline; a history that is too small to show anything
 * is refused as well.
 */
import { epcisPath, mailPath } from "../history/History.ts"
import type { History, Operation } from "../history/History.ts"
import * as Alerts from "./AlertRules.ts"
import * as Clocks from "./ClockRules.ts"
import * as Documents from "./DocumentRules.ts"
import * as Edi from "./EdiRules.ts"
import * as Epcis from "./EpcisRules.ts"
import * as Exceptions from "./ExceptionRules.ts"
import { Facts, found } from "./Facts.ts"
import type { Call, Finding, Invariant, Violation } from "./Facts.ts"
import * as Log from "./LogRules.ts"
import * as Movement from "./MovementRules.ts"
import * as Readers from "./ReaderRules.ts"
import * as Reads from "./ReadRules.ts"
import * as Registers from "./RegisterRules.ts"
import * as Service from "./ServiceRules.ts"
import * as Webhooks from "./WebhookRules.ts"

/** The counts of things in a history, by name. */
export type Counts = Readonly<Record<string, number>>

const ended = ({ calls }: Facts, type: string): ReadonlyArray<Call> =>
  calls.filter(({ outcome }) => outcome?.type === type)

/** Whether the connection was refused. */
const isNotSent = ({ outcome }: Call): boolean => outcome?.type === "refused" && outcome.status === 0

/** The counts, and the least that a history must have of each to show anything. */
const counted: Readonly<Record<string, readonly [of: (facts: Facts) => number, least?: number]>> = {
  calls: [({ calls }) => calls.length, 100],
  acknowledged: [(facts) => ended(facts, "ok").length, 60],
  unknown: [(facts) => ended(facts, "unknown").length],
  refused: [(facts) => ended(facts, "refused").filter((call) => !isNotSent(call)).length],
  "not sent": [(facts) => ended(facts, "refused").filter(isNotSent).length],
  messages: [({ log }) => log.length, 20],
  seen: [(facts) => facts.events("seen").length, 40],
  receipts: [(facts) => facts.events("receipt").length, 40],
  late: [({ log }) => log.filter(({ late }) => late === true).length, 1],
  docks: [(facts) => facts.events("dock").length, 5],
  recorded: [(facts) => facts.events("recorded").length, 2],
  exceptions: [(facts) => facts.events("exceptions").flatMap(({ listed }) => listed).length, 3],
  cancelled: [({ stored }) => stored.filter(({ shipment }) => shipment.status === "CANCELLED").length],
  deliveries: [(facts) => facts.events("delivery").length, 40],
  dead: [(facts) => facts.events("delivery").filter(({ status }) => status === "DEAD").length],
  reads: [(facts) => ended(facts, "ok").filter(({ invoke }) => invoke.asked.operation === "read").length, 20],
  notices: [(facts) => facts.acknowledged("notice").length, 2],
  outgoing: [(facts) => facts.events("outgoing").filter(({ reader }) => reader === "all").length, 1],
  mails: [(facts) => facts.events("receipt").filter(({ path }) => path === mailPath).length, 3],
  documents: [(facts) => facts.events("receipt").filter(({ path }) => path === epcisPath).length, 20],
  scans: [(facts) => facts.events("page").filter(({ isLast }) => isLast).length, 2],
  probes: [(facts) => facts.events("probe").length],
  lost: [({ lost }) => lost.length],
  told: [(facts) => facts.events("ahead").length],
  dropped: [({ dropped }) => dropped.size],
  expired: [(facts) => facts.events("expired").length]
}

/** The least number of messages that a promotion must lose, and that must expire there, to show anything. */
const leastLost = 3
const leastDropped = 5

/** The operations that must have been acknowledged at least once. */
const operations: ReadonlyArray<Operation> = [
  ...["overwrite", "add", "notice", "read", "arrive"] as const,
  ...["event", "depart", "report", "resolve", "cancel"] as const
]

/** A check without enough data to find a fault shows nothing. */
const enoughHappened = function*(facts: Facts): Finding {
  for (const [name, [of, least = 0]] of Object.entries(counted)) {
    if (of(facts) < least) yield found(`${of(facts)} ${name} are too few to judge by; ${least} is the least`)
  }
  if (facts.gap !== undefined && facts.lost.length < leastLost) {
    yield found(`${facts.lost.length} messages were lost; ${leastLost} is the least`)
  }
  if (facts.events("retention").length > 0 && facts.dropped.size < leastDropped) {
    yield found(`${facts.dropped.size} messages were dropped; ${leastDropped} is the least`)
  }
  for (const operation of operations) {
    if (facts.acknowledged(operation).length === 0) yield found(`no ${operation} was ever acknowledged`)
  }
  for (const type of ["reader", "endpoint", "rule", "partner", "stored", "window", "fault"] as const) {
    if (facts.events(type).length === 0) yield found(`there is no ${type} in the history`)
  }
}

export const invariants = {
  "enough happened": enoughHappened,
  "acknowledged is durable": Documents.acknowledgedIsDurable,
  "all or nothing": (facts) => [...Documents.allOrNothing(facts), ...Reads.answersAreWhole(facts)],
  "no doubling": Documents.noDoubling,
  "no lost update": Documents.noLostUpdate,
  "reads are current": Reads.readsAreCurrent,
  "registers are whole": Registers.registersAreWhole,
  "registers are linearizable": Registers.linearizable,
  "nothing is invented": Log.nothingInvented,
  "ids in real-time order": Log.idsInRealTimeOrder,
  "sentAt grows": Log.sentAtGrows,
  "completions tell the truth": Movement.completionsTellTheTruth,
  "docks tell the truth": Movement.docksTellTheTruth,
  "the record tells the truth": Documents.recordTellsTheTruth,
  "exceptions are listed once": Exceptions.exceptionsAreListedOnce,
  "exceptions are told once": Exceptions.exceptionsAreToldOnce,
  "steps are told once": Log.stepsAreToldOnce,
  "times are bounded": Clocks.timesAreBounded,
  "late pallets are marked": Clocks.latePalletsAreMarked,
  "verdicts stay": Movement.verdictsStay,
  "cancelled is final": Movement.cancelledIsFinal,
  "readers see the log": Readers.readersSeeTheLog,
  "readers are told": Readers.readersAreTold,
  "ids are given once": Readers.idsAreGivenOnce,
  "expired messages go": Readers.expiredMessagesGo,
  "nothing else goes": Readers.nothingElseGoes,
  "delivered or dead": Webhooks.deliveredOrDead,
  "order of the shipment": Webhooks.inOrderOfTheShipment,
  "sent as in the log": Webhooks.sentAsInTheLog,
  "notices are done": Edi.noticesAreDone,
  "control numbers have no gap": Edi.controlNumbersHaveNoGap,
  "departures are told to partners": Edi.departuresAreTold,
  "partners are apart": Edi.partnersAreApart,
  "the outbox grows": Edi.outboxGrows,
  "alerts are told": Alerts.alertsAreTold,
  "alerts are told once": Alerts.alertsAreToldOnce,
  "events are read once": Epcis.eventsAreReadOnce,
  "events are published once": Epcis.eventsArePublishedOnce,
  "tenants are apart": Service.tenantsAreApart,
  "answers are right": Service.answersAreRight,
  "probes are answered": Service.probesAreAnswered,
  "others are served": Service.othersAreServed,
  "others have their share": Service.othersHaveTheirShare,
  "writing goes on": Service.writingGoesOn,
  "windows are clear": Service.windowsAreClear,
  "live after heal": Service.liveAfterHeal
} satisfies Readonly<Record<string, Invariant>>

export type InvariantName = keyof typeof invariants

/** Judges a history by every invariant; also returns the counts. */
export const check = (
  history: History
): { readonly violations: ReadonlyArray<Violation>; readonly counts: Counts } => {
  const facts = new Facts(history)
  return {
    violations: Object.entries<Invariant>(invariants).flatMap(([invariant, holds]) =>
      Array.from(holds(facts), (violation) => ({ invariant, ...violation }))
    ),
    counts: Object.fromEntries(Object.entries(counted).map(([name, [of]]) => [name, of(facts)]))
  }
}
