/**
 * Messages to customers: what the log holds, and how a record of it is shown.
 */
import { Metric } from "effect"
import type { Effect } from "effect"
import * as Metrics from "../values/Metrics.ts"
import type { Timestamp } from "../values/Timestamp.ts"
import { messageTypes } from "../values/Vocabulary.ts"
import type { MessageType } from "../values/Vocabulary.ts"

/** The payload of a message: the JSON object that GraphQL and webhooks carry alike (WIRE.md, pallet message). */
export type MessagePayload = Readonly<Record<string, unknown>>

/** A message before the log has taken it. */
export interface MessageDraft {
  /** Business slug. */
  readonly business: string
  /** Facility slug. */
  readonly facility: string
  readonly type: MessageType
  readonly payload: MessagePayload
  /** The shipment it is about: messages of one shipment reach one endpoint in order (D9.4). */
  readonly shipmentId: number
}

/** A message of the log. */
export interface Message extends MessageDraft {
  /** Grows in commit order within a business; unique over all businesses; a positive integer below 2^53 (D7.2). */
  readonly id: number
  /** When it was appended; never decreases as ids grow within a business (D7.2). */
  readonly sentAt: Timestamp
  /** Characters of the payload as JSON. */
  readonly size: number
  /** The W3C `traceparent` of what appended it, if that was traced: its deliveries belong to the same trace. */
  readonly trace?: string
}

/** `sentAt` as it is shown: UTC written with an offset, `2026-11-20T17:00:00.000+00:00` (D1.6). */
export const shownSentAt = (sentAt: Timestamp): string => `${sentAt.slice(0, -1)}+00:00`

const appended = Metrics.counter(
  "dockline_messages_appended_total",
  "Messages that pallets and departures made",
  [
    ["type", messageTypes]
  ]
)

/** Counts a message that was appended by a pallet event or a departure. */
export const countAppended = (type: MessageType): Effect.Effect<void> => Metric.update(appended.of(type), 1)
