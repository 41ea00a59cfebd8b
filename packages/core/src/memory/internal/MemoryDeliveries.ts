/**
 * The deliveries of one webhook endpoint in memory. After {@link MemoryDeliveries.arrange} only the earliest pending
 * delivery of a shipment has a time for its next attempt (D9.4).
 */
import { Order, Struct } from "effect"
import type { MessageId, ShipmentId } from "../../values/Id.ts"
import type { Timestamp } from "../../values/Timestamp.ts"
import { noProgress, sizeOf } from "../../webhooks/Delivery.ts"
import type { Deliverable, Delivery, DeliveryStatus, DueDelivery } from "../../webhooks/Delivery.ts"
import type {
  BlockedMessage,
  EndpointBacklog,
  TakenMessages,
  TakeRequest
} from "../../webhooks/DeliveryStore.ts"
import { backlogLimit } from "../../webhooks/WebhookEndpoint.ts"
import type { WebhookEndpoint } from "../../webhooks/WebhookEndpoint.ts"
import { after, droppedOf } from "./MemoryMessages.ts"
import type { LogContents, MemoryMessages } from "./MemoryMessages.ts"

/** Invariant: each id in `#pending` and `#timed` is in `#rows`. */
export class MemoryDeliveries {
  readonly #rows = new Map<number, Delivery>()
  readonly #pending = new Map<number, Set<number>>()
  readonly #timed = new Set<number>()

  get(messageId: MessageId): Delivery | undefined {
    return this.#rows.get(messageId)
  }

  put(delivery: Delivery): void {
    const { messageId, shipmentId, status, nextAttemptAt } = delivery
    this.#rows.set(messageId, delivery)
    if (nextAttemptAt === null) this.#timed.delete(messageId)
    else this.#timed.add(messageId)
    if (status === "PENDING") {
      this.#pending.set(shipmentId, (this.#pending.get(shipmentId) ?? new Set()).add(messageId))
    } else this.#settle(shipmentId, messageId)
  }

  remove({ messageId, shipmentId }: Delivery): void {
    this.#rows.delete(messageId)
    this.#timed.delete(messageId)
    this.#settle(shipmentId, messageId)
  }

  isPending(shipmentId: ShipmentId): boolean {
    return this.#pending.has(shipmentId)
  }

  get pendingCount(): number {
    let count = 0
    for (const ids of this.#pending.values()) count += ids.size
    return count
  }

  /**
   * Sets the time of the earliest pending delivery of each shipment to `now` if it has none, and removes the times of the other deliveries.
   */
  arrange(shipmentIds: Iterable<number>, now: Timestamp): void {
    for (const shipmentId of new Set(shipmentIds)) {
      const ids = this.#pending.get(shipmentId)
      if (ids === undefined) continue
      let first = Infinity
      for (const id of ids) if (id < first) first = id
      for (const id of ids) {
        const row = this.#rows.get(id)!
        if (id === first && row.nextAttemptAt === null) this.put({ ...row, nextAttemptAt: now })
        if (id !== first && row.nextAttemptAt !== null) this.put({ ...row, nextAttemptAt: null })
      }
    }
  }

  /** Restarts the schedules of all pending deliveries. Those with a time for their next attempt are attempted now. */
  restart(now: Timestamp): void {
    for (const ids of this.#pending.values()) {
      for (const id of ids) {
        const row = this.#rows.get(id)!
        const nextAttemptAt = row.nextAttemptAt === null ? null : now
        this.put({ ...row, tries: 0, failedSince: null, nextAttemptAt })
      }
    }
  }

  /** The deliveries with a time for their next attempt, in the order of times and ids. */
  withTime(): ReadonlyArray<Delivery & { readonly nextAttemptAt: Timestamp }> {
    return Array.from(this.#timed, (id) => this.#rows.get(id)!)
      .filter((row): row is Delivery & { readonly nextAttemptAt: Timestamp } => row.nextAttemptAt !== null)
      .sort((left, right) =>
        Order.String(left.nextAttemptAt, right.nextAttemptAt) || left.messageId - right.messageId
      )
  }

  newestFirst(status: DeliveryStatus | undefined): ReadonlyArray<Delivery> {
    return Array.from(this.#rows.values())
      .filter((row) => status === undefined || row.status === status)
      .sort((left, right) => right.messageId - left.messageId)
  }

  #settle(shipmentId: ShipmentId, messageId: MessageId): void {
    const ids = this.#pending.get(shipmentId)
    ids?.delete(messageId)
    if (ids?.size === 0) this.#pending.delete(shipmentId)
  }
}

/** Whether an endpoint receives a message of its business. */
export const wants = (endpoint: WebhookEndpoint, { facility, type }: Deliverable): boolean =>
  endpoint.messageTypes.includes(type) && (endpoint.facility ?? facility) === facility

/** The number of messages, and of characters of payload, that may still be taken. */
interface Room {
  messages: number
  text: number
  /** Whether no payload has been taken yet: the first one fits, however long it is. */
  isEmpty: boolean
}

const fits = (room: Room, size: number): boolean => {
  if (room.messages === 0 || (size > room.text && !room.isEmpty)) return false
  room.messages -= 1
  room.text -= size
  room.isEmpty &&= size === 0
  return true
}

const takeDue = (
  deliveries: MemoryDeliveries,
  find: (messageId: MessageId) => Deliverable | undefined,
  takenIds: ReadonlySet<MessageId>,
  now: Timestamp,
  room: Room
) => {
  const due: Array<DueDelivery> = []
  const drops: Array<Delivery> = []
  for (const delivery of deliveries.withTime()) {
    if (delivery.nextAttemptAt > now) break
    if (takenIds.has(delivery.messageId)) continue
    const message = find(delivery.messageId)
    if (!fits(room, message === undefined ? 0 : sizeOf(message))) return { due, gone: drops, isCut: true }
    if (message === undefined) drops.push(delivery)
    else due.push({ message, progress: { tries: delivery.tries, failedSince: delivery.failedSince } })
  }
  return { due, gone: drops, isCut: false }
}

const takeLog = (
  endpoint: WebhookEndpoint,
  deliveries: MemoryDeliveries,
  log: LogContents,
  afterId: MessageId,
  room: Room
) => {
  const dues: Array<DueDelivery> = []
  const blocked: Array<BlockedMessage> = []
  let readTo = afterId
  for (const message of after(log, afterId)) {
    const { id, type, shipmentId } = message
    if (!wants(endpoint, message) || deliveries.get(id) !== undefined) continue
    const isBlocked = deliveries.isPending(shipmentId)
    if (!fits(room, isBlocked ? 0 : sizeOf(message))) return { fresh: dues, blocked, readTo, more: true }
    if (isBlocked) blocked.push({ messageId: id, messageType: type, shipmentId })
    else dues.push({ message, progress: noProgress })
    readTo = id
  }
  return { fresh: dues, blocked, readTo: Math.max(afterId, log.lastId), more: false }
}

export const takeNext = (
  { messages, endpoint, deliveries, request, now }: {
    readonly messages: MemoryMessages
    readonly endpoint: WebhookEndpoint
    readonly deliveries: MemoryDeliveries
    readonly request: TakeRequest
    readonly now: Timestamp
  }
): TakenMessages => {
  const log = messages.logOf(endpoint.business)
  const room: Room = { messages: request.limit, text: request.textLimit, isEmpty: true }
  const find = (id: number) => messages.find(endpoint.business, id)
  const { due, gone, isCut } = takeDue(deliveries, find, new Set(request.takenIds), now, room)
  const { droppedId } = droppedOf(log, endpoint.messageTypes)
  const afterId = Math.max(request.afterId, droppedId)
  const read = isCut
    ? { fresh: [], blocked: [], readTo: request.afterId, more: true }
    : takeLog(endpoint, deliveries, log, afterId, room)
  return {
    endpoint: endpoint.version === request.version ? undefined : endpoint,
    due,
    staleDeliveries: gone,
    ...read,
    expiredUpTo: !isCut && request.afterId < droppedId ? droppedId : undefined
  }
}

/** The number of messages that wait for an endpoint, up to {@link backlogLimit}. */
export const backlogCount = (
  endpoint: WebhookEndpoint,
  deliveries: MemoryDeliveries,
  log: LogContents
): number => {
  let count = deliveries.pendingCount
  for (const each of after(log, endpoint.cursorId)) {
    if (count >= backlogLimit) break
    if (wants(endpoint, each) && deliveries.get(each.id) === undefined) count++
  }
  return Math.min(count, backlogLimit)
}

/** The time of the oldest waiting message; if that message was dropped by age, the time of the newest dropped message. */
const oldestAt = (
  endpoint: WebhookEndpoint,
  deliveries: MemoryDeliveries,
  log: LogContents
): Timestamp | null => {
  const { droppedId, droppedSentAt } = droppedOf(log, endpoint.messageTypes)
  const pending = deliveries.newestFirst("PENDING").at(-1)?.messageId
  if (pending !== undefined && pending <= droppedId) return droppedSentAt
  for (const message of after(log, 0)) {
    const isFresh = message.id > endpoint.cursorId && wants(endpoint, message) &&
      deliveries.get(message.id) === undefined
    if (message.id === pending || isFresh) return message.sentAt
  }
  return null
}

export const backlogOf = (
  endpoint: WebhookEndpoint,
  deliveries: MemoryDeliveries,
  log: LogContents
): EndpointBacklog => ({
  ...Struct.pick(endpoint, ["business", "enabled", "disabledReason", "failingSince"]),
  endpointId: endpoint.id,
  awaitsLogin: endpoint.login !== null,
  messages: backlogCount(endpoint, deliveries, log),
  oldestAt: oldestAt(endpoint, deliveries, log)
})
