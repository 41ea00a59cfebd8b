/**
 * What is promised of the message log: one message for each event and no other, ids in the order of time, completions
 * that tell the truth.
 */
import type { EventOf, PalletFacts } from "../history/History.ts"
import { endOf, seqsOf } from "./CheckerFacts.ts"
import type { Facts, Invariant, Request } from "./CheckerFacts.ts"

type Logged = EventOf<"log">

const isPallet = ({ messageType }: Logged): boolean => messageType === "PALLET_EVENT"

/** What a message was caused by. */
const causes = (facts: Facts) => {
  const events = new Map(
    facts.of("event").map((request) => [`${request.business} ${request.asked.occurredAt}`, request])
  )
  const departures = Map.groupBy(facts.of("depart"), ({ asked }) => asked.shipmentId)
  return (message: Logged): Request<"event"> | Request<"depart"> | undefined =>
    isPallet(message)
      ? events.get(`${message.business} ${message.pallets[0]?.occurredAt}`)
      : departures.get(message.shipmentId)?.[0]
}

/** Every message was caused by something that was asked for, at its place, and not refused, and tells of it (D7.1). */
export const nothingInvented: Invariant = (facts) => {
  const causeOf = causes(facts)
  return facts.log.flatMap((message) => {
    const cause = causeOf(message)
    const text = cause === undefined
      ? "was caused by nothing that was asked for"
      : cause.isRefused
      ? "was caused by something that was refused"
      : cause.business !== message.business || cause.facility !== message.facility
      ? `is of ${message.business} ${message.facility}, and what caused it of ${cause.business} ${cause.facility}`
      : differenceOf(message, cause)
    return text === undefined
      ? []
      : [{
        text: `message ${message.id} ${text}`,
        events: [...cause === undefined ? [] : seqsOf(cause), message.seq]
      }]
  })
}

/** In what a message differs from what caused it. */
const differenceOf = (
  { pallets: [pallet], shipmentId }: Logged,
  { asked }: Request<"event"> | Request<"depart">
): string | undefined => {
  if (shipmentId !== asked.shipmentId) {
    return `is of shipment ${shipmentId}, and what caused it of ${asked.shipmentId}`
  }
  return asked.operation === "depart" || pallet?.direction === asked.direction
    ? undefined
    : `tells of ${pallet?.direction}, and what caused it was ${asked.direction}`
}

/** What was acknowledged before something else was begun has the smaller id, within a business (D7.2). */
export const idsInRealTimeOrder: Invariant = (facts) => {
  const causeOf = causes(facts)
  const known = facts.log.flatMap((message) => {
    const cause = causeOf(message)
    return cause === undefined ? [] : [{ message, cause }]
  })
  return [...Map.groupBy(known, ({ message }) => message.business).values()].flatMap((all) => {
    const ended = all.toSorted((left, right) =>
      endOf(left.cause.acknowledged) - endOf(right.cause.acknowledged)
    )
    const begun = all.toSorted((left, right) => left.cause.invoked.seq - right.cause.invoked.seq)
    let next = 0
    let latest: (typeof all)[number] | undefined
    return begun.flatMap((each) => {
      for (; next < ended.length && endOf(ended[next]!.cause.acknowledged) < each.cause.invoked.seq; next++) {
        if (latest === undefined || ended[next]!.message.id > latest.message.id) latest = ended[next]
      }
      if (latest === undefined || latest.message.id < each.message.id) return []
      return [{
        text:
          `message ${latest.message.id} was acknowledged before what made message ${each.message.id} was begun`,
        events: [...seqsOf(latest.cause), ...seqsOf(each.cause), latest.message.seq, each.message.seq]
      }]
    })
  })
}

/** `sentAt` never decreases as ids grow, within a business, whatever the clocks do (D7.2). */
export const sentAtGrows: Invariant = (facts) =>
  [...Map.groupBy(facts.log, ({ business }) => business).values()].flatMap((log) =>
    log.slice(1).flatMap((message, at) => {
      const before = log[at]!
      return message.sentAt >= before.sentAt ? [] : [{
        text: `message ${message.id} was sent before message ${before.id}, as their sentAt say`,
        events: [before.seq, message.seq]
      }]
    })
  )

/**
 * A completion comes after all pallets of its shipment and names those that remain: pallet by pallet in order of
 * occurrence, repeats of one direction collapse and opposite neighbours cancel (D6.6).
 */
export const completionsTellTheTruth: Invariant = (facts) =>
  [...Map.groupBy(facts.log, ({ shipmentId }) => shipmentId).values()].flatMap((log) => {
    const completion = log.find((message) => !isPallet(message))
    if (completion === undefined) return []
    const pallets = log.filter(isPallet)
    const late = pallets.filter(({ id }) => id > completion.id)
    const expected = remainingOf(pallets.flatMap(({ pallets }) => pallets))
    const told = completion.pallets.map(({ direction, palletId }) => `${palletId} ${direction}`).toSorted()
    return [
      ...late.map((message) => ({
        text:
          `message ${message.id} tells of a pallet of shipment ${message.shipmentId} after its completion`,
        events: [completion.seq, message.seq]
      })),
      ...(told.join() === expected.join() ? [] : [{
        text: `completion ${completion.id} names ${told.join(", ") || "none"}; ${
          expected.join(", ") || "none"
        } remain`,
        events: [...pallets.map(({ seq }) => seq), completion.seq]
      }])
    ]
  })

const remainingOf = (crossings: ReadonlyArray<PalletFacts>): ReadonlyArray<string> =>
  Array.from(Map.groupBy(crossings, ({ palletId }) => palletId), ([palletId, all]) => {
    const turns = all.toSorted((left, right) => (left.occurredAt ?? "") < (right.occurredAt ?? "") ? -1 : 1)
      .map(({ direction }) => direction)
      .filter((direction, at, directions) => direction !== directions[at - 1])
    return turns.length % 2 === 1 ? [`${palletId} ${turns.at(-1)}`] : []
  }).flat().toSorted()
