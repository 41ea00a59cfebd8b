/**
 * What is promised to those who take webhooks: every message is delivered or visibly dead, in the order of its shipment,
 * and the same each time.
 */
import { eventsOf } from "../history/History.ts"
import type { EventOf } from "../history/History.ts"
import { isFor } from "../run/Collect.ts"
import type { Facts, Invariant } from "./CheckerFacts.ts"

/** A message is given up after so many attempts (D9.3). */
const attemptsOfTheDead = 10

/** What came to an endpoint, what was answered, and what the operator sees of it. */
interface Sent {
  readonly endpoint: EventOf<"endpoint">
  readonly expected: ReadonlyArray<EventOf<"log">>
  /** Messages that are gone with the database that gave them. */
  readonly lost: ReadonlyArray<EventOf<"lost">>
  readonly receipts: ReadonlyArray<EventOf<"receipt">>
  /** By receipt. */
  readonly answers: ReadonlyMap<number, EventOf<"answered">>
  readonly deliveries: ReadonlyArray<EventOf<"delivery">>
}

const sentTo = (facts: Facts): ReadonlyArray<Sent> => {
  const answers = new Map(eventsOf(facts.history, "answered").map((each) => [each.receipt, each]))
  const receipts = Map.groupBy(eventsOf(facts.history, "receipt"), ({ endpoint }) => endpoint)
  const deliveries = Map.groupBy(eventsOf(facts.history, "delivery"), ({ endpoint }) => endpoint)
  return eventsOf(facts.history, "endpoint").map((endpoint) => ({
    endpoint,
    expected: facts.log.filter((message) => isFor(endpoint, message)),
    lost: facts.lost.filter((message) => isFor(endpoint, message)),
    receipts: receipts.get(endpoint.endpoint) ?? [],
    answers,
    deliveries: deliveries.get(endpoint.endpoint) ?? []
  }))
}

const isSuccess = (answer: EventOf<"answered"> | undefined): boolean =>
  answer !== undefined && answer.status >= 200 && answer.status < 300

const idOf = ({ webhookId }: EventOf<"receipt">): number => Number(webhookId.replace(/^msg_/, ""))

/**
 * Nothing is missing but what was dropped by age, nothing waits for ever, and what counts as delivered was answered so
 * (D9.3, D9.6).
 */
export const deliveredOrDead: Invariant = (facts) => [
  ...sentTo(facts).flatMap((sent) => {
    const { answers, deliveries, endpoint, expected, lost, receipts } = sent
    const taken = new Set(receipts.filter(({ receipt }) => isSuccess(answers.get(receipt))).map(idOf))
    const records = new Map(deliveries.map((delivery) => [delivery.messageId, delivery]))
    const known = new Set([...expected, ...lost].map(({ id }) => id))
    return [
      ...expected.flatMap((message) => {
        const record = records.get(message.id)
        // The record of a message goes with the message, and what was not delivered by then is given up.
        if (record === undefined && facts.dropped.has(message.id)) return []
        const text = wrongAbout(record, taken.has(message.id), facts.dropped.has(message.id))
        return text === undefined ? [] : [{
          text: `message ${message.id} at ${endpoint.endpoint} ${text}`,
          events: [
            message.seq,
            ...receipts.filter((receipt) => idOf(receipt) === message.id).flatMap(({ receipt, seq }) => [
              seq,
              ...seqOf(answers.get(receipt))
            ]),
            ...seqOf(record)
          ]
        }]
      }),
      ...deliveries.filter(({ messageId }) => !known.has(messageId)).map((delivery) => ({
        text: `${endpoint.endpoint} has a delivery of message ${delivery.messageId}, which is not for it`,
        events: [delivery.seq]
      })),
      ...(records.size === deliveries.length ? [] : [{
        text: `${endpoint.endpoint} has two deliveries of one message`,
        events: [endpoint.seq]
      }])
    ]
  }),
  ...eventsOf(facts.history, "backlog").filter(({ count, enabled }) => count > 0 || !enabled).map((
    backlog
  ) => ({
    text: `${backlog.endpoint} is ${
      backlog.enabled ? "enabled" : "disabled"
    } with ${backlog.count} messages waiting`,
    events: [backlog.seq]
  }))
]

const seqOf = (event: { readonly seq: number } | undefined): ReadonlyArray<number> =>
  event === undefined ? [] : [event.seq]

const wrongAbout = (
  record: EventOf<"delivery"> | undefined,
  isTaken: boolean,
  isDropped: boolean
): string | undefined => {
  if (record === undefined) return "has no delivery"
  switch (record.status) {
    case "DELIVERED":
      return isTaken ? undefined : "counts as delivered, and was never answered so"
    case "DEAD":
      return record.attempts >= attemptsOfTheDead || isDropped
        ? undefined
        : `is dead after ${record.attempts} attempts`
    default:
      return `is ${record.status} after everything was healed`
  }
}

/** A message is sent only when the earlier ones of its shipment were delivered, or are dead (D9.4). */
export const inOrderOfTheShipment: Invariant = (facts) =>
  sentTo(facts).flatMap(({ answers, deliveries, endpoint, expected, receipts }) => {
    const taken = new Set(receipts.filter(({ receipt }) => isSuccess(answers.get(receipt))).map(idOf))
    const dead = new Set([
      ...deliveries.filter(({ status }) => status === "DEAD").map(({ messageId }) => messageId),
      ...expected.filter(({ id }) => facts.dropped.has(id) && !taken.has(id)).map(({ id }) => id)
    ])
    const shipments = Map.groupBy(expected, ({ shipmentId }) => shipmentId)
    const shipmentOf = new Map(expected.map(({ id, shipmentId }) => [id, shipmentId]))
    /** When each message was first answered as delivered, or came for the last time before it was dead. */
    const done = new Map<number, number>()
    for (const receipt of receipts) {
      const id = idOf(receipt)
      const answer = answers.get(receipt.receipt)
      if (dead.has(id)) done.set(id, receipt.seq)
      else if (isSuccess(answer)) done.set(id, Math.min(done.get(id) ?? Infinity, answer!.seq))
    }
    // One that never came may be dead since any time.
    const doneAt = (id: number) => done.get(id) ?? (dead.has(id) ? -1 : Infinity)
    return receipts.flatMap((receipt) => {
      const id = idOf(receipt)
      const before = (shipments.get(shipmentOf.get(id) ?? -1) ?? []).filter((message) => message.id < id)
      const open = before.filter((message) => doneAt(message.id) > receipt.seq)
      return open.length === 0 ? [] : [{
        text: `${endpoint.endpoint} was sent message ${id} before message ${
          open[0]!.id
        } of the same shipment was delivered or dead`,
        events: [receipt.seq, ...open.map(({ seq }) => seq)]
      }]
    })
  })

const paths: Readonly<Record<string, string>> = {
  PALLET_EVENT: "/api/palletEvent",
  SHIPMENT_COMPLETE: "/api/shipmentComplete"
}

/** What is sent is a message of the log under its id, to the letter, signed, where it belongs, each time (D9.1, D9.5). */
export const sentAsInTheLog: Invariant = (facts) =>
  sentTo(facts).flatMap(({ endpoint, expected, lost, receipts }) => {
    const byId = new Map([...lost, ...expected].map((message) => [`msg_${message.id}`, message]))
    return receipts.flatMap((receipt) => {
      const message = byId.get(receipt.webhookId)
      const text = message === undefined
        ? "is no message of the log for it"
        : receipt.digest !== message.digest
        ? "is another one than in the log"
        : receipt.path !== paths[message.messageType]
        ? `came to ${receipt.path}`
        : receipt.signed
        ? undefined
        : "has no good signature"
      return text === undefined ? [] : [{
        text: `what ${endpoint.endpoint} got as ${receipt.webhookId} ${text}`,
        events: [receipt.seq, ...seqOf(message)]
      }]
    })
  })
