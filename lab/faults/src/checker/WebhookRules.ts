/**
 * The guarantees for receivers of webhooks: every message is delivered or visibly dead, in the order of its shipment, and is the same each
 * time.
 */
import { isFor, messagePaths } from "../history/History.ts"
import type { EventOf } from "../history/History.ts"
import { documentsAt, getsEvents } from "./EpcisRules.ts"
import { found } from "./Facts.ts"
import type { Facts, Finding } from "./Facts.ts"

/** The number of attempts after which a message is given up (D9.3). */
const attemptsOfTheDead = 10

/**
 * The receipts of an endpoint, the messages that it has to get, and lost ones that it may have got; documents of EPCIS have their own ids.
 */
const dueTo = (facts: Facts, endpoint: EventOf<"endpoint">) => {
  if (!getsEvents(endpoint)) {
    return {
      came: facts.events("receipt").filter((each) => each.endpoint === endpoint.endpoint),
      expected: facts.log.filter((message) => isFor(endpoint, message)),
      lost: facts.lost.filter((message) => isFor(endpoint, message))
    }
  }
  const { documents } = documentsAt(facts, endpoint)
  return {
    // The id of a lost document may have been used again.
    came: documents.flatMap(({ isLost, receipts }) => isLost ? [] : receipts)
      .toSorted((one, other) => one.seq - other.seq),
    expected: documents.flatMap(({ id, isLost, source }) =>
      source === undefined || isLost || facts.dropped.has(source.message.id)
        ? []
        : [{ ...source.message, id }]
    ),
    lost: documents
  }
}

/** The receipts of each endpoint, the messages that it has to get or that are lost, and the operator's view of them. */
const sentTo = (facts: Facts) => {
  const answers = new Map(facts.events("answered").map((each) => [each.receipt, each]))
  return facts.events("endpoint").map((endpoint) => {
    const { came, ...due } = dueTo(facts, endpoint)
    const receipts = came.map((receipt) => {
      const answer = answers.get(receipt.receipt)
      const isTaken = answer !== undefined && answer.status >= 200 && answer.status < 300
      return { ...receipt, id: Number(receipt.webhookId.replace(/^msg_/, "")), answer, isTaken }
    })
    return {
      endpoint,
      ...due,
      receipts,
      taken: new Set(receipts.filter(({ isTaken }) => isTaken).map(({ id }) => id)),
      deliveries: facts.events("delivery").filter((each) => each.endpoint === endpoint.endpoint)
    }
  })
}

/**
 * Only messages dropped by age are missing, nothing waits for ever, and deliveries that count as delivered had such an answer (D9.3, D9.6).
 */
export const deliveredOrDead = function*(facts: Facts): Finding {
  for (const { deliveries, endpoint, expected, lost, receipts, taken } of sentTo(facts)) {
    const name = endpoint.endpoint
    const records = new Map(deliveries.map((delivery) => [delivery.messageId, delivery]))
    const known = new Set([...expected, ...lost].map(({ id }) => id))
    for (const message of expected) {
      const record = records.get(message.id)
      const isDropped = facts.dropped.has(message.id)
      // The record of a message is dropped with the message, and then undelivered ones are given up.
      if (record === undefined && isDropped) continue
      const text = wrongAbout(record, taken.has(message.id), isDropped)
      if (text === undefined) continue
      const own = receipts.filter(({ id }) => id === message.id).flatMap((each) => [each, each.answer])
      yield found(`message ${message.id} at ${name} ${text}`, message, own, record)
    }
    // Only receipts tell which document of EPCIS has an id: one that was dropped by age may never have come.
    const mayBeDropped = getsEvents(endpoint) && facts.dropped.size > 0
    for (const delivery of deliveries) {
      if (known.has(delivery.messageId) || (mayBeDropped && delivery.status === "DEAD")) continue
      yield found(`${name} has a delivery of message ${delivery.messageId}, which is not for it`, delivery)
    }
    if (records.size < deliveries.length) yield found(`${name} has two deliveries of one message`, endpoint)
  }
  for (const backlog of facts.events("backlog")) {
    const { count, enabled, endpoint } = backlog
    if (count === 0 && enabled) continue
    yield found(`${endpoint} is ${enabled ? "enabled" : "disabled"} with ${count} messages waiting`, backlog)
  }
}

const wrongAbout = (
  record: EventOf<"delivery"> | undefined,
  isTaken: boolean,
  isDropped: boolean
): string | undefined => {
  if (record === undefined) return "has no delivery"
  const { attempts, status } = record
  if (status === "DELIVERED") return isTaken ? undefined : "counts as delivered, and was never answered so"
  if (status !== "DEAD") return `is ${status} after everything was healed`
  return attempts >= attemptsOfTheDead || isDropped ? undefined : `is dead after ${attempts} attempts`
}

/** A message is sent only when the earlier ones of its shipment were delivered, or are dead (D9.4). */
export const inOrderOfTheShipment = function*(facts: Facts): Finding {
  for (const { deliveries, endpoint, expected, receipts, taken } of sentTo(facts)) {
    const dead = new Set([
      ...deliveries.filter(({ status }) => status === "DEAD").map(({ messageId }) => messageId),
      ...expected.filter(({ id }) => facts.dropped.has(id) && !taken.has(id)).map(({ id }) => id)
    ])
    /** The time at which each message was first answered as delivered, or came for the last time before it was dead. */
    const done = new Map<number, number>()
    for (const { answer, id, isTaken, seq } of receipts) {
      if (dead.has(id)) done.set(id, seq)
      else if (isTaken) done.set(id, Math.min(done.get(id) ?? Infinity, answer!.seq))
    }
    // A message that never came may have been dead at any time.
    const doneAt = (id: number) => done.get(id) ?? (dead.has(id) ? -1 : Infinity)
    const shipments = Map.groupBy(expected, ({ shipmentId }) => shipmentId)
    const shipmentOf = new Map(expected.map(({ id, shipmentId }) => [id, shipmentId]))
    for (const receipt of receipts) {
      const all = shipments.get(shipmentOf.get(receipt.id) ?? -1) ?? []
      const open = all.filter(({ id }) => id < receipt.id && doneAt(id) > receipt.seq)
      if (open.length === 0) continue
      const early = `was sent message ${receipt.id} before message ${open[0]!.id}`
      yield found(`${endpoint.endpoint} ${early} of the same shipment was delivered or dead`, receipt, open)
    }
  }
}

/** Each delivery is an exact message of the log under its id, signed, to the right place, each time (D9.1, D9.5). */
export const sentAsInTheLog = function*(facts: Facts): Finding {
  for (const { endpoint, expected, receipts } of sentTo(facts)) {
    if (getsEvents(endpoint)) continue
    const lost = facts.lost.filter((message) => isFor(endpoint, message))
    const byId = new Map([...lost, ...expected].map((message) => [`msg_${message.id}`, message]))
    for (const receipt of receipts) {
      const message = byId.get(receipt.webhookId)
      const text = message === undefined
        ? "is no message of the log for it"
        : receipt.digest !== message.digest
        ? "is another one than in the log"
        : receipt.path !== messagePaths[message.messageType]
        ? `came to ${receipt.path}`
        : receipt.signed
        ? undefined
        : "has no good signature"
      if (text === undefined) continue
      yield found(`what ${endpoint.endpoint} got as ${receipt.webhookId} ${text}`, receipt, message)
    }
  }
}
