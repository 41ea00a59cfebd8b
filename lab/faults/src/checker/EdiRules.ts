/**
 * The guarantees for the exchange with partners (D18): a notice is executed once and answered once, control numbers have no gap, each
 * departure is told once, and a reader of the outbox misses nothing.
 */
import { lpnKey } from "@dockline/core/labels/Lpn"
import type { EventOf, ShownShipment, Told } from "../history/History.ts"
import { keysOf, lpnsIn } from "./DocumentRules.ts"
import { found, isOk } from "./Facts.ts"
import type { Facts, Finding } from "./Facts.ts"
import { crossingsOf, passedOf, wayOf } from "./MovementRules.ts"
import type { Crossing } from "./MovementRules.ts"
import { keysIn, segmentsOf, setsOf } from "./SentSets.ts"
import type { SentSet, ToldSet } from "./SentSets.ts"

type Partner = Told<"partner">
type Outgoing = EventOf<"outgoing">

/** An accepted notice gets the same answer (997) each time; its orders have its pallets, and its shipment has no others. */
export const noticesAreDone = function*(facts: Facts): Finding {
  const orders = new Set(facts.of("notice").flatMap(({ asked }) => Object.keys(asked.own)))
  for (const request of facts.of("notice")) {
    const { acknowledged, asked: { control, own, shipment }, calls, isRefused } = request
    const answers = new Set(calls.filter(isOk).map(({ outcome }) => outcome.answer.acknowledgment))
    if (answers.size > 1) yield found(`notice ${control} was answered in ${answers.size} ways`, request)
    const says = segmentsOf(acknowledged?.answer.acknowledgment ?? "")
      .filter(([id]) => ["AK1", "AK5", "AK9"].includes(id!)).map((segment) => segment.join("*")).join(" ")
    const due = `AK1*SH*${Number(control)} AK5*A AK9*A*1*1*1`
    if (acknowledged !== undefined && says !== due) {
      yield found(`notice ${control} was answered ${says || "nothing"}, and not ${due}`, request)
    }
    const stored = facts.storedAs(request)
    // Other notices may have announced orders of the same shipment.
    const there = lpnsIn(stored?.shipment).filter((key) => {
      const order = key.slice(0, key.indexOf(" "))
      return order in own || !orders.has(order)
    }).toSorted().join(", ")
    const all = keysOf(own).toSorted().join(", ")
    const isDone = there === all && !isRefused
    if (isDone || (there === "" && acknowledged === undefined)) continue
    const what = isRefused ? "refused" : acknowledged === undefined ? "not answered" : "acknowledged"
    const left = `has left ${there || "nothing"} in ${shipment}, and not ${all}`
    yield found(`notice ${control}, which was ${what}, ${left}`, request, stored)
  }
}

const outboxAtEnd = (facts: Facts, partner: string): ReadonlyArray<Outgoing> =>
  facts.events("outgoing").filter((each) => each.reader === "all" && each.partner === partner)

/** The texts that a partner saw: the answers to its notices, and its outbox at the end. */
const textsFor = (facts: Facts, { business, facility, partner }: Partner) => [
  ...facts.acknowledged("notice").filter((each) =>
    each.business === business && each.facility === facility && each.asked.partner === partner
  ).map((shown) => ({ shown, text: shown.acknowledged.answer.acknowledgment ?? "" })),
  ...outboxAtEnd(facts, partner).map((shown) => ({ shown, text: shown.text }))
]

/** The same by control number. */
const interchangesFor = (facts: Facts, partner: Partner) =>
  textsFor(facts, partner).map(({ shown, text }) => {
    const segments = segmentsOf(text)
    return {
      shown,
      control: Number(segments.find(([id]) => id === "ISA")?.[13]),
      groups: segments.filter(([id]) => id === "GS").map((segment) => Number(segment[6]))
    }
  }).toSorted((left, right) => left.control - right.control)

/**
 * The control numbers that a partner sees grow by one, over answers and other interchanges, and so do those of groups. After the loss of a
 * database, answers may be missing; then no number may occur twice.
 */
export const controlNumbersHaveNoGap = function*(facts: Facts): Finding {
  for (const partner of facts.events("partner")) {
    let before = { control: 0, group: 0 }
    for (const { control, groups, shown } of interchangesFor(facts, partner)) {
      const isNext = control === before.control + 1 &&
        groups.every((group, at) => group === before.group + at + 1)
      const isLater = control > before.control && groups.every((group, at) => group > before.group + at)
      if (facts.gap === undefined ? !isNext : !isLater) {
        const got = `${partner.partner} got interchange ${control} with groups ${groups.join(", ")}`
        const after = `after interchange ${before.control}, the last group of which is ${before.group}`
        yield found(`${got} ${after}`, shown)
      }
      before = { control, group: groups.at(-1) ?? before.group }
    }
  }
}

/** The pallets that had passed at the departure of a shipment, and after each late pallet; in the end, partners know the last of these. */
const statesOf = (facts: Facts, id: number, all: ReadonlyArray<Crossing>) => {
  const completion = facts.log.find(({ messageType, shipmentId }) =>
    messageType === "SHIPMENT_COMPLETE" && shipmentId === id
  )
  const departedAt = completion?.id ?? Infinity
  const late = all.map(({ message }) => message.id).filter((messageId) => messageId > departedAt)
  return [departedAt, ...late].map((last) => all.filter(({ message }) => message.id <= last))
}

/**
 * The departures about which a partner has to be told, with their sets, at the departure and after each late pallet; no sets if X12 has
 * nothing to tell.
 */
export const departuresFor = (facts: Facts, { business, facility, partner, tellsOf }: Partner) => {
  const own = new Set(
    facts.of("notice").filter(({ asked }) => asked.partner === partner).flatMap(({ asked }) =>
      Object.keys(asked.own)
    )
  )
  const isTold = ({ orderNumber }: ShownShipment["orders"][number]) =>
    tellsOf === "ALL" || own.has(orderNumber)
  const crossings = crossingsOf(facts)
  const wayTo = wayOf(facts)
  return facts.stored.filter((each) =>
    each.business === business && each.facility === facility && each.shipment.status === "DEPARTED" &&
    each.shipment.orders.some(isTold)
  ).map((stored) => {
    const { id, shipmentNumber } = stored.shipment
    const orders = stored.shipment.orders.filter(isTold)
    const way = wayTo(stored.shipment)
    const setsOf = (passed: ReadonlySet<string>): ReadonlyArray<ToldSet> => {
      const set = (kind: string, order: string, items: (typeof orders)[number]["items"]): ToldSet => {
        const all = keysIn(items.map(({ lpn }) => lpn))
        const lpns = all.filter((lpn) => passed.has(lpn))
        // Only a shipping advice names missing pallets.
        const absent = kind === "945" ? all.filter((lpn) => !passed.has(lpn)) : []
        return { kind, shipment: shipmentNumber, order, lpns, absent }
      }
      const advices = (kind: string) => orders.map(({ items, orderNumber }) => set(kind, orderNumber, items))
      const sets = way === "UNLOADING"
        ? advices("944")
        : [set("856", "", orders.flatMap(({ items }) => items)), ...advices("945")]
      // A shipping advice also states that nothing was shipped.
      return sets.filter(({ kind, lpns }) => kind === "945" || lpns.length > 0)
    }
    const states = statesOf(facts, id, crossings.get(id) ?? [])
    return { stored, sets: states.map((state) => setsOf(passedOf(state, way))) }
  })
}

const written = (sets: ReadonlyArray<ToldSet>): string =>
  sets.map(({ absent, kind, lpns, order }) =>
    `${kind} ${order} (${lpns.join(", ")}${absent.length === 0 ? "" : ` without ${absent.join(", ")}`})`
  ).toSorted().join(", ") || "nothing"

/** A partner's knowledge of a shipment from all sets about it, and whether each later set for the same subject is a replacement. */
const knownBy = (sent: ReadonlyArray<SentSet>) => {
  const known = new Map<string, ToldSet>()
  let isOnce = true
  for (const { isAgain, ...set } of sent) {
    const key = `${set.kind} ${set.order}`
    isOnce &&= isAgain === known.has(key)
    // A ship notice that is cancelled has no pallets.
    if (set.kind === "856" && set.lpns.length === 0) known.delete(key)
    else known.set(key, set)
  }
  // An empty receipt means the same as none.
  return { isOnce, sets: [...known.values()].filter(({ kind, lpns }) => kind !== "944" || lpns.length > 0) }
}

/** Whether the texts to a partner give it the right knowledge of a departure in the end. */
export const isKnown = (
  texts: ReadonlyArray<string>,
  { sets, stored }: ReturnType<typeof departuresFor>[number]
): boolean => {
  const sent = texts.flatMap(setsOf).filter(({ shipment }) => shipment === stored.shipment.shipmentNumber)
  return written(knownBy(sent).sets) === written(sets.at(-1) ?? [])
}

/**
 * A partner is told about each of its departures, with the pallets that passed, and about nothing else: once, except replacements after
 * late pallets, so that it knows all pallets that passed in the end.
 */
export const departuresAreTold = function*(facts: Facts): Finding {
  for (const partner of facts.events("partner")) {
    const told = Map.groupBy(
      outboxAtEnd(facts, partner.partner).flatMap((row) => setsOf(row.text).map((set) => ({ row, set }))),
      ({ set }) => set.shipment
    )
    for (const { sets, stored } of departuresFor(facts, partner)) {
      const { id, shipmentNumber } = stored.shipment
      const about = told.get(shipmentNumber) ?? []
      told.delete(shipmentNumber)
      // Only the messages of a departure, and of later changes, may be dropped before a partner is told about them.
      const dropped = new Set(
        facts.log.filter((message) => message.shipmentId === id && facts.dropped.has(message.id)).map((
          { messageType }
        ) => messageType)
      )
      const { isOnce, sets: known } = knownBy(about.map(({ set }) => set))
      const is = written(known)
      const due = (dropped.size === 0 ? sets.slice(-1) : sets).map(written)
      const isRight = due.includes(is) || (dropped.has("SHIPMENT_COMPLETE") && about.length === 0)
      if (isOnce && isRight) continue
      const how = isOnce ? "" : ", again without a word of it"
      const text = `${partner.partner} was told of ${shipmentNumber} by ${is}${how}, and not by ${
        due.join(" or ")
      }`
      yield found(text, about.map(({ row }) => row), stored)
    }
    for (const [shipment, about] of told) {
      const text = `${partner.partner} was told of ${shipment}, of which it was not to be told`
      yield found(text, about.map(({ row }) => row))
    }
  }
}

/** No text to a partner names an order or a pallet of another one, unless the partner is told about all (D23.2). */
export const partnersAreApart = function*(facts: Facts): Finding {
  for (const partner of facts.events("partner").filter(({ tellsOf }) => tellsOf === "OWN")) {
    const foreign = facts.of("notice").filter(({ asked, business, facility }) =>
      asked.partner !== partner.partner && business === partner.business && facility === partner.facility
    ).flatMap(({ asked: { own } }) => [...Object.keys(own), ...Object.values(own).flat().map(lpnKey)])
    for (const { shown, text } of textsFor(facts, partner)) {
      // Numbers end where an element does, and the key of a pallet may come after `00`.
      const elements = new Set(segmentsOf(text).flat().map(lpnKey))
      const names = foreign.filter((name) => elements.has(name)).join(", ")
      if (names !== "") yield found(`${partner.partner} was sent what is of another partner: ${names}`, shown)
    }
  }
}

/** The ids of the outbox grow, and a reader that has seen one never misses a lower one: it saw everything that is there at the end. */
export const outboxGrows = function*(facts: Facts): Finding {
  const { gap } = facts
  const isKept = ({ seq }: Outgoing) => gap === undefined || seq < gap.begin || seq > gap.end
  const readings = Map.groupBy(
    facts.events("outgoing").filter(isKept),
    ({ partner, reader }) => `${reader} of ${partner}`
  )
  for (const [reader, seen] of readings) {
    for (const [at, row] of seen.slice(1).entries()) {
      const before = seen[at]!
      if (before.id >= row.id) yield found(`${reader} saw ${row.id} after ${before.id}`, before, row)
    }
    const all = outboxAtEnd(facts, seen[0]!.partner)
    const last = seen.at(-1)!.id
    const known = new Map(seen.map((row) => [row.id, row]))
    const kept = new Set(all.map(({ id }) => id))
    for (const row of all) {
      const own = known.get(row.id)
      if (own?.text === row.text || row.id > last) continue
      const text = own === undefined ? "did not see" : "saw another text of"
      yield found(`${reader} ${text} ${row.id}, and has seen ${last}`, own, row)
    }
    for (const row of seen) {
      if (!kept.has(row.id)) yield found(`${reader} saw ${row.id}, which is not there at the end`, row)
    }
  }
}
