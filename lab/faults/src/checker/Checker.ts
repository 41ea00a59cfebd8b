/**
 * Judges a history: which promises of the service it shows to be broken. Pure and offline; a history that is too small
 * to show anything is refused as well.
 */
import type { Asked, History } from "../history/History.ts"
import {
  acknowledgedIsDurable,
  allOrNothing,
  noDoubling,
  noLostUpdate,
  recordTellsTheTruth
} from "./DocumentRules.ts"
import { controlNumbersHaveNoGap, departuresAreTold, noticesAreDone, outboxGrows } from "./EdiRules.ts"
import { Facts, found } from "./Facts.ts"
import type { Call, Invariant, Violation } from "./Facts.ts"
import {
  cancelledIsFinal,
  completionsTellTheTruth,
  docksTellTheTruth,
  exceptionsAreListedOnce,
  exceptionsAreToldOnce,
  idsInRealTimeOrder,
  nothingInvented,
  sentAtGrows,
  stepsAreToldOnce,
  verdictsStay
} from "./MovementRules.ts"
import {
  expiredMessagesGo,
  idsAreGivenOnce,
  nothingElseGoes,
  readersAreTold,
  readersSeeTheLog
} from "./ReaderRules.ts"
import { answersAreWhole, readsAreCurrent } from "./ReadRules.ts"
import { linearizable, registersAreWhole } from "./RegisterRules.ts"
import {
  answersAreRight,
  liveAfterHeal,
  othersAreServed,
  othersHaveTheirShare,
  probesAreAnswered,
  tenantsAreApart,
  windowsAreClear,
  writingGoesOn
} from "./ServiceRules.ts"
import { deliveredOrDead, inOrderOfTheShipment, sentAsInTheLog } from "./WebhookRules.ts"

/** How much there is in a history, by name. */
export type Counts = Readonly<Record<string, number>>

/** What is said of a history. */
export interface Verdict {
  readonly violations: ReadonlyArray<Violation>
  /** How much there was to judge. */
  readonly counts: Counts
}

const ended = ({ calls }: Facts, type: string): ReadonlyArray<Call> =>
  calls.filter(({ outcome }) => outcome?.type === type)

/** Nobody took the connection. */
const isNotSent = ({ outcome }: Call): boolean => outcome?.type === "refused" && outcome.status === 0

/** What is counted, and the least of it that a history must hold to show anything. */
const counted: Readonly<Record<string, readonly [of: (facts: Facts) => number, least?: number]>> = {
  calls: [({ calls }) => calls.length, 100],
  acknowledged: [(facts) => ended(facts, "ok").length, 60],
  unknown: [(facts) => ended(facts, "unknown").length],
  refused: [(facts) => ended(facts, "refused").filter((call) => !isNotSent(call)).length],
  "not sent": [(facts) => ended(facts, "refused").filter(isNotSent).length],
  messages: [({ log }) => log.length, 20],
  seen: [(facts) => facts.events("seen").length, 40],
  receipts: [(facts) => facts.events("receipt").length, 40],
  docks: [(facts) => facts.events("dock").length, 5],
  recorded: [(facts) => facts.events("recorded").length, 2],
  exceptions: [(facts) => facts.events("exceptions").flatMap(({ listed }) => listed).length, 3],
  cancelled: [({ stored }) => stored.filter(({ shipment }) => shipment.status === "CANCELLED").length],
  deliveries: [(facts) => facts.events("delivery").length, 40],
  dead: [(facts) => facts.events("delivery").filter(({ status }) => status === "DEAD").length],
  reads: [(facts) => ended(facts, "ok").filter(({ invoke }) => invoke.asked.operation === "read").length, 20],
  notices: [(facts) => facts.acknowledged("notice").length, 2],
  outgoing: [(facts) => facts.events("outgoing").filter(({ reader }) => reader === "all").length, 1],
  probes: [(facts) => facts.events("probe").length],
  lost: [({ lost }) => lost.length],
  told: [(facts) => facts.events("ahead").length],
  dropped: [({ dropped }) => dropped.size],
  expired: [(facts) => facts.events("expired").length]
}

/** The least number of messages that a promotion must lose, and that must expire where they do, to show anything. */
const leastLost = 3
const leastDropped = 5

/** What must have been acknowledged at least once. */
const operations: ReadonlyArray<Asked["operation"]> = [
  "overwrite",
  "add",
  "notice",
  "read",
  "arrive",
  "event",
  "depart",
  "report",
  "resolve",
  "cancel"
]

/** A check that finds nothing in next to nothing is none. */
const enoughHappened: Invariant = function*(facts) {
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
  for (const type of ["reader", "endpoint", "partner", "stored", "window", "fault"] as const) {
    if (facts.events(type).length === 0) yield found(`there is no ${type} in the history`)
  }
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
  "exceptions are told once": exceptionsAreToldOnce,
  "steps are told once": stepsAreToldOnce,
  "verdicts stay": verdictsStay,
  "cancelled is final": cancelledIsFinal,
  "readers see the log": readersSeeTheLog,
  "readers are told": readersAreTold,
  "ids are given once": idsAreGivenOnce,
  "expired messages go": expiredMessagesGo,
  "nothing else goes": nothingElseGoes,
  "delivered or dead": deliveredOrDead,
  "order of the shipment": inOrderOfTheShipment,
  "sent as in the log": sentAsInTheLog,
  "notices are done": noticesAreDone,
  "control numbers have no gap": controlNumbersHaveNoGap,
  "departures are told to partners": departuresAreTold,
  "the outbox grows": outboxGrows,
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
    violations: Object.entries<Invariant>(invariants).flatMap(([invariant, holds]) =>
      Array.from(holds(facts), (violation) => ({ invariant, ...violation }))
    ),
    counts: Object.fromEntries(Object.entries(counted).map(([name, [of]]) => [name, of(facts)]))
  }
}
