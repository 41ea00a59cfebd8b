/**
 * What is promised of what moves: one message for each event and no other, completions and docks that tell the truth,
 * exceptions that are listed once, and cancelled shipments that stay cancelled.
 */
import type { Asked, DockFacts, EventOf, PalletFacts, ShownShipment } from "../history/History.ts"
import { found, isOk } from "./Facts.ts"
import type { Facts, Invariant, Request } from "./Facts.ts"

type Logged = EventOf<"log">
type RequestOf<Operation extends Asked["operation"]> = Operation extends Operation ? Request<Operation>
  : never
type OfShipment = RequestOf<"event" | "arrive" | "depart" | "cancel">
type Cause = OfShipment | RequestOf<"report" | "resolve">

const isPallet = ({ messageType }: Logged): boolean => messageType === "PALLET_EVENT"

/** What a message was caused by. An arrival was caused by a step, or by the first pallet: by one that may be done. */
const causes = (facts: Facts) => {
  const events = new Map(
    facts.of("event").map((request) => [`${request.business} ${request.asked.occurredAt}`, request])
  )
  const ofShipments = (all: ReadonlyArray<OfShipment>) => {
    const requests = Map.groupBy(all, ({ asked }) => asked.shipmentId)
    return ({ shipmentId }: Logged) =>
      requests.get(shipmentId)?.find(({ isRefused }) => !isRefused) ?? requests.get(shipmentId)?.[0]
  }
  const [arrivals, passing, departures, cancellations] = [
    ofShipments(facts.of("arrive")),
    ofShipments(facts.of("event")),
    ofShipments(facts.of("depart")),
    ofShipments(facts.of("cancel"))
  ]
  const reports = new Map(facts.of("report").map((request) => [request.asked.description, request]))
  const resolutions = new Map(
    facts.of("resolve").map((request) => [`${request.business} ${request.asked.exceptionId}`, request])
  )
  return (message: Logged): Cause | undefined => {
    const { business, exception, messageType } = message
    switch (messageType) {
      case "PALLET_EVENT":
        return events.get(`${business} ${message.pallets[0]?.occurredAt}`)
      case "SHIPMENT_ARRIVED": {
        const arrival = arrivals(message)
        return arrival === undefined || arrival.isRefused ? passing(message) ?? arrival : arrival
      }
      case "SHIPMENT_COMPLETE":
      case "SHIPMENT_DISCREPANCIES":
        return departures(message)
      case "SHIPMENT_CANCELLED":
        return cancellations(message)
      case "EXCEPTION_REPORTED":
        return reports.get(exception?.description ?? "")
      case "EXCEPTION_RESOLVED":
        return resolutions.get(`${business} ${exception?.id}`)
      default:
        return undefined
    }
  }
}

/** Every message was caused by something that was asked for, at its place, and not refused, and tells of it (D7.1). */
export const nothingInvented: Invariant = function*(facts) {
  const causeOf = causes(facts)
  for (const message of facts.log) {
    const cause = causeOf(message)
    const text = differenceOf(message, cause)
    if (text !== undefined) yield found(`message ${message.id} ${text}`, cause, message)
  }
}

/** In what a message differs from what caused it. */
const differenceOf = (
  { business, facility, messageType, pallets: [pallet], shipmentId }: Logged,
  cause: Cause | undefined
): string | undefined => {
  if (cause === undefined) return "was caused by nothing that was asked for"
  if (cause.isRefused) return "was caused by something that was refused"
  if (cause.business !== business || cause.facility !== facility) {
    return `is of ${business} ${facility}, and what caused it of ${cause.business} ${cause.facility}`
  }
  const { asked } = cause
  if (shipmentId !== asked.shipmentId) {
    return `is of shipment ${shipmentId}, and what caused it of ${asked.shipmentId}`
  }
  return messageType !== "PALLET_EVENT" || asked.operation !== "event" ||
      pallet?.direction === asked.direction
    ? undefined
    : `tells of ${pallet?.direction}, and what caused it was ${asked.direction}`
}

/** What was acknowledged before something else was begun has the smaller id, within a business (D7.2). */
export const idsInRealTimeOrder: Invariant = function*(facts) {
  const causeOf = causes(facts)
  const known = facts.log.flatMap((message) => {
    // An arrival may have had another cause than the one that is known.
    const cause = message.messageType === "SHIPMENT_ARRIVED" ? undefined : causeOf(message)
    return cause === undefined ? [] : [{ message, cause, end: cause.acknowledged?.seq ?? Infinity }]
  })
  for (const all of Map.groupBy(known, ({ message }) => message.business).values()) {
    const ended = all.toSorted((left, right) => left.end - right.end)
    let next = 0
    let latest: (typeof all)[number] | undefined
    for (const each of all.toSorted((left, right) => left.cause.invoked.seq - right.cause.invoked.seq)) {
      for (; next < ended.length && ended[next]!.end < each.cause.invoked.seq; next++) {
        if (latest === undefined || ended[next]!.message.id > latest.message.id) latest = ended[next]
      }
      if (latest === undefined || latest.message.id < each.message.id) continue
      const text = `was acknowledged before what made message ${each.message.id} was begun`
      yield found(
        `message ${latest.message.id} ${text}`,
        latest.cause,
        each.cause,
        latest.message,
        each.message
      )
    }
  }
}

/** `sentAt` never decreases as ids grow, within a business, whatever the clocks do (D7.2). */
export const sentAtGrows: Invariant = function*(facts) {
  for (const log of Map.groupBy(facts.log, ({ business }) => business).values()) {
    for (const [at, message] of log.slice(1).entries()) {
      const before = log[at]!
      if (message.sentAt >= before.sentAt) continue
      yield found(
        `message ${message.id} was sent before message ${before.id}, as their sentAt say`,
        before,
        message
      )
    }
  }
}

/**
 * A completion comes after all pallets of its shipment and names those that remain: pallet by pallet in order of
 * occurrence, repeats of one direction collapse and opposite neighbours cancel (D6.6).
 */
export const completionsTellTheTruth: Invariant = function*(facts) {
  for (const log of Map.groupBy(facts.log, ({ shipmentId }) => shipmentId).values()) {
    const completion = log.find(({ messageType }) => messageType === "SHIPMENT_COMPLETE")
    if (completion === undefined) continue
    const pallets = log.filter(isPallet)
    for (const message of pallets.filter(({ id }) => id > completion.id)) {
      const text = `tells of a pallet of shipment ${message.shipmentId} after its completion`
      yield found(`message ${message.id} ${text}`, completion, message)
    }
    const expected = remainingOf(pallets.flatMap(({ pallets }) => pallets)).join(", ")
    const told = completion.pallets.map(({ direction, palletId }) => `${palletId} ${direction}`).toSorted()
      .join(", ")
    if (told === expected) continue
    yield found(
      `completion ${completion.id} names ${told || "none"}; ${expected || "none"} remain`,
      pallets,
      completion
    )
  }
}

const remainingOf = (crossings: ReadonlyArray<PalletFacts>): ReadonlyArray<string> =>
  Array.from(Map.groupBy(crossings, ({ palletId }) => palletId), ([palletId, all]) => {
    const turns = all.toSorted((left, right) => (left.occurredAt ?? "") < (right.occurredAt ?? "") ? -1 : 1)
      .map(({ direction }) => direction)
      .filter((direction, at, directions) => direction !== directions[at - 1])
    return turns.length % 2 === 1 ? [`${palletId} ${turns.at(-1)}`] : []
  }).flat().toSorted()

/** An event of a pallet and its message. */
interface Crossing {
  readonly request: Request<"event">
  readonly message: Logged
}

/** The events of each shipment that are done, in order of occurrence. */
export const crossingsOf = (facts: Facts): ReadonlyMap<number, ReadonlyArray<Crossing>> => {
  const causeOf = causes(facts)
  const crossings = facts.log.filter(isPallet).flatMap((message): ReadonlyArray<Crossing> => {
    const request = causeOf(message)
    return request === undefined ? [] : [{ request: request as Request<"event">, message }]
  }).toSorted((left, right) => left.request.asked.occurredAt < right.request.asked.occurredAt ? -1 : 1)
  return Map.groupBy(crossings, ({ message }) => message.shipmentId)
}

/** What notices announce is unloaded in the end, and all else loaded. */
export const wayOf = (facts: Facts) => {
  const inbound = new Set(facts.of("notice").map(({ asked }) => asked.shipment))
  return ({ shipmentNumber }: ShownShipment) => inbound.has(shipmentNumber) ? "UNLOADING" : "LOADING"
}

/** The pallets that have passed: on the way of their shipment at first and at last, as both ways alternate when repeats are left out. */
export const passedOf = (crossings: ReadonlyArray<Crossing>, way: string): ReadonlySet<string> =>
  new Set(
    Array.from(Map.groupBy(crossings, ({ request }) => request.asked.lpn)).flatMap(([lpn, all]) =>
      [all[0], all.at(-1)].every((each) => each?.request.asked.direction === way) ? [lpn] : []
    )
  )

/** All shipments of the workload stand at the dock that pallets pass. */
const knownOf = (
  { orders }: ShownShipment,
  crossings: ReadonlyArray<Crossing>,
  way: string
): DockFacts => {
  const lpns = orders.flatMap(({ items }) => items.map(({ lpn }) => lpn))
  const expected = new Set(lpns.filter((lpn) => lpn !== ""))
  const pallets = Array.from(
    Map.groupBy(crossings, ({ request }) => request.asked.lpn),
    ([lpn, all]) => ({
      lpn,
      directions: all.map(({ request }) => request.asked.direction),
      messageIds: all.map(({ message }) => message.id)
    })
  ).toSorted((left, right) => left.lpn < right.lpn ? -1 : 1)
  const passed = passedOf(crossings, way)
  const short = [...expected].filter((lpn) => !passed.has(lpn))
  const over = [...passed].filter((lpn) => !expected.has(lpn))
  return {
    expected: expected.size,
    passed: passed.size,
    missing: short.length,
    unexpected: over.length,
    pallets: pallets.map(({ directions, lpn, messageIds }) => ({
      lpn,
      isLoaded: directions.at(-1) === "LOADING",
      isExpected: expected.has(lpn),
      messageIds
    })),
    discrepancies: [...short.map((lpn) => `SHORT ${lpn}`), ...over.map((lpn) => `OVER ${lpn}`)].toSorted()
  }
}

/** What REST shows of the pallets of a shipment is what was acknowledged, each event counted once (D13.1, D13.2, D13.4). */
export const docksTellTheTruth: Invariant = function*(facts) {
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

/** How often each step of a shipment is told, by its status at the end. */
const timesTold: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  SHIPMENT_ARRIVED: { ARRIVED: 1, DEPARTED: 1 },
  SHIPMENT_COMPLETE: { DEPARTED: 1 },
  SHIPMENT_CANCELLED: { CANCELLED: 1 }
}

/** Each step of a shipment is told once: its arrival before its pallets, what it lacks right after its departure (D15.1). */
export const stepsAreToldOnce: Invariant = function*(facts) {
  const logs = Map.groupBy(facts.log, ({ shipmentId }) => shipmentId)
  const businesses = Map.groupBy(facts.log, ({ business }) => business)
  const docks = new Map(facts.events("dock").map((dock) => [dock.shipmentId, dock]))
  for (const stored of facts.stored) {
    const { id, status } = stored.shipment
    const log = logs.get(id) ?? []
    const of = (type: string) => log.filter(({ messageType }) => messageType === type)
    for (const [type, times] of Object.entries(timesTold)) {
      const due = times[status] ?? 0
      const told = of(type)
      if (told.length === due) continue
      yield found(`shipment ${id} is ${status}, and the log holds ${told.length} of ${type}`, stored, told)
    }
    const [arrival] = of("SHIPMENT_ARRIVED")
    const early = log.find((message) => isPallet(message) && message.id < (arrival?.id ?? 0))
    if (early !== undefined) {
      yield found(
        `message ${early.id} tells of a pallet of shipment ${id} before its arrival`,
        arrival,
        early
      )
    }
    const [completion] = of("SHIPMENT_COMPLETE")
    const [discrepancies, ...others] = of("SHIPMENT_DISCREPANCIES")
    const dock = docks.get(id)
    const due = completion === undefined ? "none" : dock?.discrepancies.join(", ") || "none"
    const told = discrepancies?.discrepancies?.join(", ") ?? "none"
    const after = businesses.get(stored.business)?.find(({ id }) => id > (completion?.id ?? 0))
    const text = others.length > 0
      ? "are told twice"
      : (completion === undefined || dock !== undefined) && told !== due
      ? `are told as ${told}, and are ${due}`
      : discrepancies !== undefined && after?.id !== discrepancies.id
      ? "are not told right after its departure"
      : undefined
    if (text === undefined) continue
    yield found(`the discrepancies of shipment ${id} ${text}`, completion, discrepancies, others, dock, after)
  }
}

/** Each exception that is listed is told once, and its resolution once after it; no other is (D15.1). */
export const exceptionsAreToldOnce: Invariant = function*(facts) {
  const about = Map.groupBy(
    facts.log.filter(({ exception }) => exception !== undefined),
    ({ business, exception }) => `${business} ${exception!.id}`
  )
  for (const list of facts.events("exceptions")) {
    const business = facts.storedUnder(list.shipmentId)?.business
    for (const { id, isResolved } of list.listed) {
      const log = about.get(`${business} ${id}`) ?? []
      const told = log.map(({ messageType }) => messageType).join(", ")
      const due = isResolved ? "EXCEPTION_REPORTED, EXCEPTION_RESOLVED" : "EXCEPTION_REPORTED"
      if (told === due) continue
      yield found(
        `exception ${id} of shipment ${list.shipmentId} is told by ${told || "none"}, and not ${due}`,
        log,
        list
      )
    }
    const listed = new Set(list.listed.map(({ id }) => id))
    for (const message of facts.log) {
      const { exception, id, shipmentId } = message
      if (exception === undefined || shipmentId !== list.shipmentId || listed.has(exception.id)) continue
      yield found(`message ${id} tells of exception ${exception.id}, which is not listed`, message, list)
    }
  }
}

/** A verdict stays as the tower was told it, and no pallet is unexpected that was announced before (D15.2). */
export const verdictsStay: Invariant = function*(facts) {
  const shown = new Map(
    facts.events("dock").flatMap((dock) =>
      dock.verdicts.map(([messageId, verdict]) => [messageId, { dock, verdict }] as const)
    )
  )
  const announced = Map.groupBy(
    [...facts.acknowledged("add"), ...facts.acknowledged("notice")].flatMap((request) =>
      Object.values(request.asked.own).flat().map((lpn) => ({ lpn, request }))
    ),
    ({ lpn }) => lpn
  )
  for (const request of facts.acknowledged("event")) {
    const { acknowledged: { answer }, asked: { eventId, lpn }, invoked } = request
    const { messageId, verdict } = answer
    const later = messageId === undefined ? undefined : shown.get(messageId)
    if (later !== undefined && later.verdict !== verdict) {
      yield found(
        `event ${eventId} was answered ${verdict}, and is shown as ${later.verdict}`,
        request,
        later.dock
      )
    }
    const known = announced.get(lpn)?.find(({ request }) => request.acknowledged.seq < invoked.seq)
    if (known !== undefined && (verdict === "UNEXPECTED" || verdict === "WRONG_SHIPMENT")) {
      yield found(
        `event ${eventId} was answered ${verdict}, and ${lpn} had been announced`,
        request,
        known.request
      )
    }
  }
}

/** Each exception that was acknowledged is listed once, under the id that its answer named, and stays (D13.5). */
export const exceptionsAreListedOnce: Invariant = function*(facts) {
  const reports = facts.of("report")
  const lists = facts.events("exceptions")
  for (const request of reports) {
    const { acknowledged, asked: { description, shipmentId }, isRefused } = request
    const list = lists.findLast((each) => each.shipmentId === shipmentId)
    const listed = (list?.listed ?? []).filter((each) => each.description === description)
    const ids = new Set(request.calls.filter(isOk).map(({ outcome }) => outcome.answer.exceptionId))
    const text = listed.length > 1
      ? `is listed ${listed.length} times`
      : acknowledged !== undefined && [...ids].some((id) => id !== listed[0]?.id)
      ? `was acknowledged as ${[...ids].join(", ")}, and is listed as ${listed[0]?.id ?? "none"}`
      : isRefused && listed.length > 0
      ? "was refused, and is listed"
      : undefined
    if (text === undefined) continue
    yield found(`the exception ${description} of shipment ${shipmentId} ${text}`, request, list)
  }
  for (const list of lists) {
    for (const { description, id, isResolved } of list.listed) {
      const asked = facts.of("resolve").filter((request) =>
        request.asked.shipmentId === list.shipmentId && request.asked.exceptionId === id
      )
      const isDue = asked.some(({ acknowledged }) => acknowledged !== undefined)
      const text = !reports.some(({ asked }) => asked.description === description)
        ? "is listed, and nobody has reported it"
        : isResolved && asked.every(({ isRefused }) => isRefused)
        ? "is resolved, and nobody has resolved it"
        : isDue && !isResolved
        ? "is open, though its resolution was acknowledged"
        : undefined
      if (text === undefined) continue
      yield found(`the exception ${description} of shipment ${list.shipmentId} ${text}`, asked, list)
    }
  }
}

/** A shipment is cancelled for good, and only one that has not arrived (D13.9). */
export const cancelledIsFinal: Invariant = function*(facts) {
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
    if (status === "CANCELLED" && !cancels.some(({ asked }) => asked.shipmentId === id)) {
      yield found(`shipment ${id} is cancelled, and nobody has asked for it`, stored)
    }
  }
}
