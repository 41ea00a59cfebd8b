/**
 * The guarantees to people who are told by e-mail (D26): about each incident once, and about nothing that has not happened.
 */
import { thingOf } from "../history/History.ts"
import type { EventOf } from "../history/History.ts"
import { found } from "./Facts.ts"
import type { Facts, Finding } from "./Facts.ts"

type Rule = EventOf<"rule">
type Logged = EventOf<"log">

/** Verdicts that let a pallet go on. */
const fineVerdicts = new Set(["EXPECTED", "REPEATED"])

/** The incident in a message, if there is one. */
const thingIn = (message: Logged): readonly [kind: string, thing: string] | undefined => {
  const { discrepancies = [], exception, messageType, pallets: [pallet], shipmentId, verdict } = message
  const as = (kind: string, about: string | number) => [kind, thingOf(kind, about)] as const
  if (messageType === "EXCEPTION_REPORTED" && exception?.priority === "HIGH") {
    return as("URGENT_EXCEPTION", exception.description)
  }
  if (messageType === "PALLET_EVENT" && verdict !== undefined && !fineVerdicts.has(verdict)) {
    return as("WRONG_PALLET", pallet?.palletId ?? "")
  }
  if (messageType === "SHIPMENT_DISCREPANCIES" && discrepancies.some((each) => each.startsWith("SHORT "))) {
    return as("SHORT_DEPARTURE", shipmentId)
  }
  return undefined
}

/** The incidents that a rule covers, with the messages about them. */
const causesOf = (
  facts: Facts,
  { business, facility, kinds }: Rule
): ReadonlyMap<string, ReadonlyArray<Logged>> => {
  const causes = new Map<string, Array<Logged>>()
  for (const message of facts.log) {
    if (message.business !== business || message.facility !== facility) continue
    const [kind, thing] = thingIn(message) ?? []
    if (kind === undefined || thing === undefined || !kinds.includes(kind)) continue
    causes.set(thing, [...causes.get(thing) ?? [], message])
  }
  return causes
}

/** The e-mails, each with its answer. */
const mailsFor = (facts: Facts, { endpoint }: Rule) => {
  const answers = new Map(facts.events("answered").map((each) => [each.receipt, each]))
  return facts.events("receipt").filter((each) => each.endpoint === endpoint).map((receipt) => {
    const answer = answers.get(receipt.receipt)
    return { receipt, answer, things: receipt.things ?? [], isTaken: answer?.status === 250 }
  })
}

/** The incidents about which people still have to be told, with their causes; messages dropped before they were read do not count. */
export const untold = (facts: Facts) =>
  facts.events("rule").flatMap((rule) => {
    const told = new Set(mailsFor(facts, rule).flatMap(({ isTaken, things }) => isTaken ? things : []))
    return Array.from(causesOf(facts, rule)).flatMap(([thing, causes]) =>
      told.has(thing) || causes.some(({ id }) => facts.dropped.has(id)) ? [] : [{ rule, thing, causes }]
    )
  })

/** Each incident that a rule covers has an accepted e-mail (D26.2, D26.4). */
export const alertsAreTold = function*(facts: Facts): Finding {
  for (const { causes, rule, thing } of untold(facts)) {
    const tries = mailsFor(facts, rule).filter(({ things }) => things.includes(thing))
    yield found(`${rule.endpoint} was never told of ${thing}`, causes, tries.map(({ receipt }) => receipt))
  }
}

/** The times without faults, each from one event to another. */
const calmTimes = (facts: Facts): ReadonlyArray<readonly [begin: number, end: number]> => [
  ...facts.events("window").filter(({ phase }) => phase === "begin").map(({ seq }) => {
    const end = facts.events("window").find((each) => each.phase === "end" && each.seq > seq)
    return [seq, end?.seq ?? Infinity] as const
  }),
  ...facts.events("healed").map(({ seq }) => [seq, Infinity] as const)
]

/**
 * Each reported incident has happened, and is reported by one e-mail: a repetition has the same id. An accepted e-mail is repeated only if
 * there was a fault between its sending and its record, and never without a fault (D26.2, D26.4).
 */
export const alertsAreToldOnce = function*(facts: Facts): Finding {
  const calm = calmTimes(facts)
  // The promoted database may not know the e-mails of the one before it.
  const since = facts.gap?.end ?? -1
  for (const rule of facts.events("rule")) {
    const name = rule.endpoint
    const causes = causesOf(facts, rule)
    const mails = mailsFor(facts, rule).filter(({ receipt }) => receipt.seq > since)
    const ids = new Map<string, string>()
    for (const { receipt, things } of mails) {
      for (const thing of things) {
        if (!causes.has(thing)) yield found(`${name} was told of ${thing}, which has not happened`, receipt)
        const before = ids.get(thing)
        ids.set(thing, receipt.webhookId)
        if (before === undefined || before === receipt.webhookId) continue
        const first = mails.find((each) => each.receipt.webhookId === before)
        yield found(`${name} was told of ${thing} by two e-mails`, first?.receipt, receipt)
      }
    }
    const taken = Map.groupBy(mails.filter(({ isTaken }) => isTaken), ({ receipt }) => receipt.webhookId)
    for (const [id, [first, ...others]] of taken) {
      const again = others.find(({ answer }) =>
        calm.some(([begin, end]) => first!.receipt.seq > begin && answer!.seq < end)
      )
      if (again === undefined) continue
      const text = `${name} was sent ${id} twice while nothing went wrong`
      yield found(text, first!.receipt, first!.answer, again.receipt)
    }
  }
}
