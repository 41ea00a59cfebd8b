/**
 * How much waits for a webhook endpoint, in memory.
 */
import type { Timestamp } from "../values/Timestamp.ts"
import type { EndpointBacklog } from "../webhooks/DeliveryStore.ts"
import { backlogLimit } from "../webhooks/WebhookEndpoint.ts"
import type { WebhookEndpoint } from "../webhooks/WebhookEndpoint.ts"
import type { MemoryDeliveries } from "./MemoryDeliveries.ts"
import { firstAfter } from "./MemoryMessages.ts"
import type { LogContents } from "./MemoryMessages.ts"
import { wants } from "./MemoryTake.ts"

/** How many messages wait for an endpoint, up to the limit. */
export const countOf = (
  endpoint: WebhookEndpoint,
  deliveries: MemoryDeliveries,
  { messages }: LogContents
): number => {
  let count = deliveries.pendingCount
  for (let at = firstAfter(messages, endpoint.cursorId); at < messages.length && count < backlogLimit; at++) {
    if (wants(endpoint, messages[at]!) && deliveries.get(messages[at]!.id) === undefined) count++
  }
  return Math.min(count, backlogLimit)
}

/** When the oldest of them was sent; of one that was dropped by age, when the last one was that was dropped. */
const oldestAt = (
  endpoint: WebhookEndpoint,
  deliveries: MemoryDeliveries,
  { droppedId, droppedSentAt, messages }: LogContents
): Timestamp | null => {
  const pending = deliveries.newestFirst("PENDING").at(-1)?.messageId
  if (pending !== undefined && pending <= droppedId) return droppedSentAt
  const oldest = messages.find((message) =>
    message.id === pending ||
    (message.id > endpoint.cursorId && wants(endpoint, message) && deliveries.get(message.id) === undefined)
  )
  return oldest?.sentAt ?? null
}

/** How much waits for an endpoint, and since when. */
export const of = (
  endpoint: WebhookEndpoint,
  deliveries: MemoryDeliveries,
  log: LogContents
): EndpointBacklog => ({
  endpointId: endpoint.id,
  business: endpoint.business,
  enabled: endpoint.enabled,
  disabledReason: endpoint.disabledReason,
  failingSince: endpoint.failingSince,
  awaitsLogin: endpoint.login !== null,
  messages: countOf(endpoint, deliveries, log),
  oldestAt: oldestAt(endpoint, deliveries, log)
})
