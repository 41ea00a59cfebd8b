/**
 * The guarantees for movements: correct completions and docks, verdicts that stay, and cancelled shipments that stay cancelled.
 */
import { lpnKey } from "@dockline/core/labels/Lpn"
import type { DockFacts, EventOf, PalletFacts, ShownShipment } from "../history/History.ts"
import { found } from "./Facts.ts"
import type { Facts, Finding, Request } from "./Facts.ts"

type Logged = EventOf<"log">

export const isPallet = ({ messageType }: Logged): boolean => messageType === "PALLET_EVENT"

/**
 * A completion names the pallets that remain: pallet by pallet in order of occurrence, repetitions of one direction collapse and opposite
 * neighbours cancel (D6.6).
 */
export const completionsTellTheTruth = function*(facts: Facts): Finding {
  for (const log of Map.groupBy(facts.log, ({ shipmentId }) => shipmentId).values()) {
    const completion = log.find(({ messageType }) => messageType === "SHIPMENT_COMPLETE")
    if (completion === undefined) continue
    const pallets = log.filter((message) => isPallet(message) && message.id < completion.id)
    const due = remainingOf(pallets.flatMap(({ pallets }) => pallets)).join(", ")
    const told = completion.pallets.map(({ direction, palletId }) => `${palletId} ${direction}`)
      .toSorted().join(", ")
    if (told === due) continue
    const text = `completion ${completion.id} names ${told || "none"}; ${due || "none"} remain`
    yield found(text, pallets, completion)
  }
}

const remainingOf = (crossings: ReadonlyArray<PalletFacts>): ReadonlyArray<string> =>
  Array.from(Map.groupBy(crossings, ({ palletId }) => palletId), ([palletId, all]) => {
    const turns = all.toSorted((left, right) => (left.occurredAt ?? "") < (right.occurredAt ?? "") ? -1 : 1)
      .map(({ direction }) => direction)
      .filter((direction, at, directions) => direction !== directions[at - 1])
    return turns.length % 2 === 1 ? [`${palletId} ${turns.at(-1)}`] : []
  }).flat().toSorted()

export interface Crossing {
  readonly request: Request<"event">
  readonly message: Logged
}

/** The events by the business and the time that identify their messages. */
export const reportedOf = (facts: Facts): ReadonlyMap<string, Request<"event">> =>
  new Map(facts.of("event").map((each) => [`${each.business} ${each.asked.occurredAt}`, each]))

/** The events of each shipment that are done, in order of occurrence. */
export const crossingsOf = (facts: Facts): ReadonlyMap<number, ReadonlyArray<Crossing>> => {
  const requests = reportedOf(facts)
  const crossings = facts.log.filter(isPallet).flatMap((message): ReadonlyArray<Crossing> => {
    const request = requests.get(`${message.business} ${message.pallets[0]?.occurredAt}`)
    return request === undefined ? [] : [{ request, message }]
  }).toSorted((left, right) => left.request.asked.occurredAt < right.request.asked.occurredAt ? -1 : 1)
  return Map.groupBy(crossings, ({ message }) => message.shipmentId)
}

/** In the end, announced pallets of notices are unloaded, and all others loaded. */
export const wayOf = (facts: Facts) => {
  const inbound = new Set(facts.of("notice").map(({ asked }) => asked.shipment))
  return ({ shipmentNumber }: ShownShipment) => inbound.has(shipmentNumber) ? "UNLOADING" : "LOADING"
}

/** The crossings of each pallet, whatever the forms in which scanners sent its SSCC (D22). */
const byPallet = (crossings: ReadonlyArray<Crossing>) =>
  Map.groupBy(crossings, ({ request }) => lpnKey(request.asked.lpn))

/** The keys of the pallets that have passed: their first and last crossings go the way of their shipment, because both ways alternate. */
export const passedOf = (crossings: ReadonlyArray<Crossing>, way: string): ReadonlySet<string> =>
  new Set(
    Array.from(byPallet(crossings)).flatMap(([lpn, all]) =>
      [all[0], all.at(-1)].every((each) => each?.request.asked.direction === way) ? [lpn] : []
    )
  )

/** All shipments of the workload are at the dock that pallets pass. */
const knownOf = ({ orders }: ShownShipment, crossings: ReadonlyArray<Crossing>, way: string): DockFacts => {
  const lpns = orders.flatMap(({ items }) => items.map(({ lpn }) => lpn))
  // The shown text is that of the document, or of the first event of the pallet.
  const expected = new Map(lpns.filter((lpn) => lpn !== "").map((lpn) => [lpnKey(lpn), lpn]))
  const seen = new Map(
    Array.from(byPallet(crossings), ([key, all]) => {
      const [first] = all.toSorted((left, right) => left.message.id - right.message.id)
      return [key, first!.request.asked.lpn]
    })
  )
  const passed = passedOf(crossings, way)
  const short = [...expected].filter(([key]) => !passed.has(key)).map(([, lpn]) => lpn)
  const over = [...passed].filter((key) => !expected.has(key)).map((key) => seen.get(key)!)
  return {
    expected: expected.size,
    passed: passed.size,
    missing: short.length,
    unexpected: over.length,
    pallets: Array.from(byPallet(crossings), ([key, all]) => ({
      lpn: seen.get(key)!,
      isLoaded: all.at(-1)?.request.asked.direction === "LOADING",
      isExpected: expected.has(key),
      messageIds: all.map(({ message }) => message.id)
    })).toSorted((left, right) => left.lpn < right.lpn ? -1 : 1),
    discrepancies: [...short.map((lpn) => `SHORT ${lpn}`), ...over.map((lpn) => `OVER ${lpn}`)].toSorted()
  }
}

/** REST shows the pallets of a shipment as they were acknowledged, with each event counted once (D13.1, D13.2, D13.4). */
export const docksTellTheTruth = function*(facts: Facts): Finding {
  const crossings = crossingsOf(facts)
  const way = wayOf(facts)
  for (const told of facts.events("dock")) {
    const { shipmentId } = told
    const stored = facts.storedUnder(shipmentId)
    if (stored === undefined) {
      yield found(`shipment ${shipmentId} is shown, and not stored`, told)
      continue
    }
    const passed = crossings.get(shipmentId) ?? []
    const known = knownOf(stored.shipment, passed, way(stored.shipment))
    for (const name of Object.keys(known) as ReadonlyArray<keyof DockFacts>) {
      const [actual, due] = [JSON.stringify(told[name]), JSON.stringify(known[name])]
      if (actual === due) continue
      const events = passed.flatMap(({ message, request }) => [request, message])
      yield found(`shipment ${shipmentId} shows ${name} as ${actual}, and it is ${due}`, events, stored, told)
    }
  }
}

/** A verdict stays the one that the tower got, and no pallet is unexpected that was announced before (D15.2). */
export const verdictsStay = function*(facts: Facts): Finding {
  const shown = new Map(
    facts.events("dock").flatMap((dock) => dock.verdicts.map(([id, kind]) => [id, { dock, kind }] as const))
  )
  const announced = Map.groupBy(
    [...facts.acknowledged("add"), ...facts.acknowledged("notice")].flatMap((request) =>
      Object.values(request.asked.own).flat().map((lpn) => ({ lpn, request }))
    ),
    ({ lpn }) => lpnKey(lpn)
  )
  for (const request of facts.acknowledged("event")) {
    const { acknowledged: { answer }, asked: { eventId, lpn }, invoked } = request
    const { messageId, verdict } = answer
    const later = messageId === undefined ? undefined : shown.get(messageId)
    if (later !== undefined && later.kind !== verdict) {
      yield found(
        `event ${eventId} was answered ${verdict}, and is shown as ${later.kind}`,
        request,
        later.dock
      )
    }
    const known = announced.get(lpnKey(lpn))?.find(({ request }) => request.acknowledged.seq < invoked.seq)
    if (known !== undefined && /^(UNEXPECTED|WRONG_SHIPMENT)/.test(verdict ?? "")) {
      const text = `event ${eventId} was answered ${verdict}, and ${lpn} had been announced`
      yield found(text, request, known.request)
    }
  }
}

/** A cancellation is final, and only for a shipment that has not arrived (D13.9). */
export const cancelledIsFinal = function*(facts: Facts): Finding {
  const cancels = facts.of("cancel")
  for (const request of cancels) {
    const { acknowledged, asked: { shipmentId }, business, facility, isRefused } = request
    const stored = facts.storedUnder(shipmentId)
    const isCancelled = stored?.shipment.status === "CANCELLED"
    const arrival = facts.acknowledged("arrive").find(({ asked }) => asked.shipmentId === shipmentId)
    const later = facts.acknowledged("add").find((add) =>
      add.asked.shipment === stored?.shipment.shipmentNumber && add.business === business
      && add.facility === facility && add.invoked.seq > (acknowledged?.seq ?? Infinity)
    )
    const text = acknowledged !== undefined && !isCancelled
      ? `was cancelled, and is stored as ${stored?.shipment.status}`
      : isCancelled && isRefused
      ? "is cancelled, though that was refused"
      : isCancelled && arrival !== undefined
      ? "is cancelled, though its arrival was acknowledged"
      : isCancelled && stored.shipment.orders.some(({ status }) => status !== "CANCELLED")
      ? "is cancelled, and its orders are not"
      : later !== undefined
      ? "was cancelled, and took a document later"
      : undefined
    if (text !== undefined) yield found(`shipment ${shipmentId} ${text}`, request, arrival, later, stored)
  }
  for (const stored of facts.stored) {
    const { id, status } = stored.shipment
    if (status !== "CANCELLED" || cancels.some(({ asked }) => asked.shipmentId === id)) continue
    yield found(`shipment ${id} is cancelled, and nobody has asked for it`, stored)
  }
}
