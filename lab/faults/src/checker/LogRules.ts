/** The guarantees for the log: one message for each event and no other, in order, and each step reported once. */
import type { AskedOf, EventOf, Operation } from "../history/History.ts"
import { found } from "./Facts.ts"
import type { Facts, Finding, Request } from "./Facts.ts"
import { isPallet } from "./MovementRules.ts"

type Logged = EventOf<"log">
type OfShipment = "event" | "arrive" | "depart" | "cancel"
type Cause = Request<OfShipment | "report" | "resolve">

/** The cause of each message. An arrival has a step as its cause, or the first pallet: any that may have been done. */
const causes = (facts: Facts) => {
  const by = <O extends Operation>(operation: O, key: (request: Request<O>) => string) => {
    const requests = new Map(facts.of(operation).map((request) => [key(request), request]))
    return (key: string) => requests.get(key) as Cause | undefined
  }
  const ofShipment = (operation: OfShipment) => {
    const requests = Map.groupBy(facts.of(operation), ({ asked }) => asked.shipmentId)
    return ({ shipmentId }: Logged): Cause | undefined =>
      requests.get(shipmentId)?.find(({ isRefused }) => !isRefused) ?? requests.get(shipmentId)?.[0]
  }
  const [arrival, passing] = [ofShipment("arrive"), ofShipment("event")]
  const [departure, cancellation] = [ofShipment("depart"), ofShipment("cancel")]
  const event = by("event", ({ asked, business }) => `${business} ${asked.occurredAt}`)
  const report = by("report", ({ asked }) => asked.description)
  const resolution = by("resolve", ({ asked, business }) => `${business} ${asked.exceptionId}`)
  const found: Readonly<Record<string, (message: Logged) => Cause | undefined>> = {
    PALLET_EVENT: ({ business, pallets }) => event(`${business} ${pallets[0]?.occurredAt}`),
    SHIPMENT_ARRIVED: (message) => {
      const step = arrival(message)
      return step === undefined || step.isRefused ? passing(message) ?? step : step
    },
    SHIPMENT_COMPLETE: departure,
    SHIPMENT_DISCREPANCIES: departure,
    SHIPMENT_CANCELLED: cancellation,
    EXCEPTION_REPORTED: ({ exception }) => report(exception?.description ?? ""),
    EXCEPTION_RESOLVED: ({ business, exception }) => resolution(`${business} ${exception?.id}`)
  }
  return (message: Logged) => found[message.messageType]?.(message)
}

/** Every message has a cause that was requested, at its place, and not refused, and agrees with it (D7.1). */
export const nothingInvented = function*(facts: Facts): Finding {
  const causeOf = causes(facts)
  for (const message of facts.log) {
    const cause = causeOf(message)
    const text = differenceOf(message, cause)
    if (text !== undefined) yield found(`message ${message.id} ${text}`, cause, message)
  }
}

/** The difference between a message and its cause. */
const differenceOf = (
  { business, facility, messageType, pallets: [pallet], shipmentId }: Logged,
  cause: Cause | undefined
): string | undefined => {
  if (cause === undefined) return "was caused by nothing that was asked for"
  const { asked, isRefused } = cause
  if (isRefused) return "was caused by something that was refused"
  if (cause.business !== business || cause.facility !== facility) {
    return `is of ${business} ${facility}, and what caused it of ${cause.business} ${cause.facility}`
  }
  if (shipmentId !== asked.shipmentId) {
    return `is of shipment ${shipmentId}, and what caused it of ${asked.shipmentId}`
  }
  if (messageType !== "PALLET_EVENT" || asked.operation !== "event") return undefined
  const { direction } = asked as AskedOf<"event">
  return pallet?.direction === direction
    ? undefined
    : `tells of ${pallet?.direction}, and what caused it was ${direction}`
}

/** If one request was acknowledged before another began, its message has the smaller id, within a business (D7.2). */
export const idsInRealTimeOrder = function*(facts: Facts): Finding {
  const causeOf = causes(facts)
  const known = facts.log.flatMap((message) => {
    // These may have another cause than the known one: the first pallet, or a late one.
    const isUnsure = ["SHIPMENT_ARRIVED", "SHIPMENT_DISCREPANCIES"].includes(message.messageType)
    const cause = isUnsure ? undefined : causeOf(message)
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
      const shown = [latest.cause, each.cause, latest.message, each.message]
      yield found(`message ${latest.message.id} ${text}`, shown)
    }
  }
}

/** `sentAt` never decreases as ids grow, within a business, whatever the clocks do (D7.2). */
export const sentAtGrows = function*(facts: Facts): Finding {
  for (const log of Map.groupBy(facts.log, ({ business }) => business).values()) {
    for (const [at, message] of log.slice(1).entries()) {
      const before = log[at]!
      if (message.sentAt >= before.sentAt) continue
      const text = `message ${message.id} was sent before message ${before.id}, as their sentAt say`
      yield found(text, before, message)
    }
  }
}

/** The number of messages about each step of a shipment, by its status at the end. */
const timesTold: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  SHIPMENT_ARRIVED: { ARRIVED: 1, DEPARTED: 1 },
  SHIPMENT_COMPLETE: { DEPARTED: 1 },
  SHIPMENT_CANCELLED: { CANCELLED: 1 }
}

/**
 * Each step of a shipment is reported once: its arrival before its pallets, its discrepancies right after its departure (D15.1), and again
 * only right after a late pallet that changes them (D21.4).
 */
export const stepsAreToldOnce = function*(facts: Facts): Finding {
  const logs = Map.groupBy(facts.log, ({ shipmentId }) => shipmentId)
  const before = new Map(
    [...Map.groupBy(facts.log, ({ business }) => business).values()].flatMap((log) =>
      log.map((message, at) => [message, log[at - 1]] as const)
    )
  )
  const docks = new Map(facts.events("dock").map((dock) => [dock.shipmentId, dock]))
  for (const stored of facts.stored) {
    const { id, status } = stored.shipment
    const log = logs.get(id) ?? []
    const of = (type: string) => log.filter(({ messageType }) => messageType === type)
    for (const [type, times] of Object.entries(timesTold)) {
      const told = of(type)
      if (told.length === (times[status] ?? 0)) continue
      yield found(`shipment ${id} is ${status}, and the log holds ${told.length} of ${type}`, stored, told)
    }
    const [arrival] = of("SHIPMENT_ARRIVED")
    const early = log.find((message) => isPallet(message) && message.id < (arrival?.id ?? 0))
    if (early !== undefined) {
      const text = `message ${early.id} tells of a pallet of shipment ${id} before its arrival`
      yield found(text, arrival, early)
    }
    const [completion] = of("SHIPMENT_COMPLETE")
    const discrepancies = of("SHIPMENT_DISCREPANCIES")
    const dock = docks.get(id)
    const due = completion === undefined ? "none" : dock?.discrepancies.join(", ") || "none"
    const says = (message: Logged | undefined) => message?.discrepancies?.join(", ") || "none"
    const told = says(discrepancies.at(-1))
    const isCaused = (message: Logged): boolean => {
      const cause = before.get(message)
      return cause?.shipmentId === id && (cause === completion || (isPallet(cause) && cause.late === true))
    }
    const text = !discrepancies.every(isCaused)
      ? "are not told right after its departure or a late pallet"
      : discrepancies.some((message, at) => says(message) === says(discrepancies[at - 1]))
      ? "are told twice"
      : (completion === undefined || dock !== undefined) && told !== due
      ? `are told as ${told}, and are ${due}`
      : undefined
    if (text !== undefined) {
      yield found(`the discrepancies of shipment ${id} ${text}`, completion, discrepancies, dock)
    }
  }
}
