/**
 * What an endpoint delivers next, found in memory: the due ones of its record, then the log after the cursor.
 */
import type { Message } from "../messages/Message.ts"
import type { Timestamp } from "../values/Timestamp.ts"
import { fresh } from "../webhooks/Delivery.ts"
import type { Delivery, DueDelivery } from "../webhooks/Delivery.ts"
import type { BlockedMessage, Taken, TakeRequest } from "../webhooks/DeliveryStore.ts"
import type { WebhookEndpoint } from "../webhooks/WebhookEndpoint.ts"
import type { MemoryDeliveries } from "./MemoryDeliveries.ts"
import { firstAfter } from "./MemoryMessages.ts"
import type { LogContents, MemoryMessages } from "./MemoryMessages.ts"

/** Whether an endpoint is to get a message of its business. */
export const wants = (endpoint: WebhookEndpoint, { facility, type }: Message): boolean =>
  endpoint.messageTypes.includes(type) && (endpoint.facility ?? facility) === facility

/** What may still be handed out: messages, and characters of payload. */
interface Room {
  messages: number
  text: number
  /** Whether nothing was handed out yet: the first message always fits. */
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
  find: (messageId: number) => Message | undefined,
  taken: ReadonlySet<number>,
  now: Timestamp,
  room: Room
) => {
  const due: Array<DueDelivery> = []
  const gone: Array<Delivery> = []
  for (const delivery of deliveries.timed()) {
    if (delivery.nextAttemptAt > now) break
    if (taken.has(delivery.messageId)) continue
    const message = find(delivery.messageId)
    if (!fits(room, message?.size ?? 0)) return { due, gone, isCut: true }
    if (message === undefined) gone.push(delivery)
    else due.push({ message, progress: { tries: delivery.tries, failedSince: delivery.failedSince } })
  }
  return { due, gone, isCut: false }
}

const takeLog = (
  endpoint: WebhookEndpoint,
  deliveries: MemoryDeliveries,
  log: LogContents,
  afterId: number,
  room: Room
) => {
  const found: Array<DueDelivery> = []
  const blocked: Array<BlockedMessage> = []
  let readTo = afterId
  for (let at = firstAfter(log.messages, afterId); at < log.messages.length; at++) {
    const message = log.messages[at]!
    const { id, type, shipmentId, size } = message
    if (!wants(endpoint, message) || deliveries.get(id) !== undefined) continue
    const isBlocked = deliveries.isPending(shipmentId)
    if (!fits(room, isBlocked ? 0 : size)) return { fresh: found, blocked, readTo, more: true }
    if (isBlocked) blocked.push({ messageId: id, messageType: type, shipmentId })
    else found.push({ message, progress: fresh })
    readTo = id
  }
  return { fresh: found, blocked, readTo: Math.max(afterId, log.lastId), more: false }
}

/** The next messages of an endpoint. */
export const takeNext = (
  { messages, endpoint, deliveries, request, now }: {
    readonly messages: MemoryMessages
    readonly endpoint: WebhookEndpoint
    readonly deliveries: MemoryDeliveries
    readonly request: TakeRequest
    readonly now: Timestamp
  }
): Taken => {
  const log = messages.logOf(endpoint.business)
  const room: Room = { messages: request.limit, text: request.textLimit, isEmpty: true }
  const find = (id: number) => messages.find(endpoint.business, id)
  const { due, gone, isCut } = takeDue(deliveries, find, new Set(request.taken), now, room)
  const afterId = Math.max(request.afterId, log.droppedId)
  const read = isCut
    ? { fresh: [], blocked: [], readTo: request.afterId, more: true }
    : takeLog(endpoint, deliveries, log, afterId, room)
  return {
    endpoint: endpoint.version === request.version ? undefined : endpoint,
    due,
    gone,
    ...read,
    expiredUpTo: !isCut && request.afterId < log.droppedId ? log.droppedId : undefined
  }
}
