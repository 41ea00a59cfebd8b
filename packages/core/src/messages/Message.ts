/** The messages to customers, as the log holds them, and the queries for pages of them (D7.4, D8.1). */
import { Effect, Metric } from "effect"
import type { MessageId, ShipmentId } from "../values/Id.ts"
import * as Metrics from "../values/Metrics.ts"
import type * as Timestamp from "../values/Timestamp.ts"
import { messageTypes } from "../values/Vocabulary.ts"
import type { MessageType } from "../values/Vocabulary.ts"

/** The JSON object that GraphQL and webhooks both carry. */
export type MessagePayload = Readonly<Record<string, unknown>>

/** A message before it is appended to the log. */
export interface MessageDraft {
  readonly business: string
  readonly facility: string
  readonly type: MessageType
  readonly payload: MessagePayload
  /** The shipment of the message: messages of one shipment reach an endpoint in order (D9.4). */
  readonly shipmentId: ShipmentId
}

/** A message of the log. */
export interface Message extends Omit<MessageDraft, "payload"> {
  /**
   * The id grows in commit order within a business; it is unique over all businesses and a positive integer below 2^53
   * (D7.2).
   */
  readonly id: MessageId
  /** When the message was appended; never decreases as ids grow within a business (D7.2). */
  readonly sentAt: Timestamp.Timestamp
  /** The payload as JSON text. GraphQL and webhooks pass it on without parsing it. */
  readonly json: string
  /** The W3C `traceparent` of the request that appended the message, if it was traced. */
  readonly trace?: string
}

/** Reads the payload of a message. */
export const payloadOf = ({ json }: Message): MessagePayload => JSON.parse(json)

/** Formats `sentAt` for clients: UTC with an offset, `2026-11-20T17:00:00.000+00:00` (D1.6). */
export const shownSentAt = (sentAt: Timestamp.Timestamp): string => `${sentAt.slice(0, -1)}+00:00`

const appends = Metrics.counter(
  "dockline_messages_appended_total",
  "Messages appended to the logs",
  [["type", "chosen"]],
  { series: messageTypes.map((type) => [type]) }
)

/** Counts messages that were appended. */
export const countAppended = (messages: ReadonlyArray<Pick<MessageDraft, "type">>): Effect.Effect<void> =>
  Effect.forEach(messages, ({ type }) => Metric.update(appends.of(type), 1), { discard: true })

/** Selects messages of a business. */
export interface MessageQuery {
  readonly business: string
  /** `undefined` for all facilities. */
  readonly facility: string | undefined
  readonly types: ReadonlyArray<MessageType>
}

/** The position from which the log is read: after an id, and not before a time. */
export interface Position {
  /** Only messages with higher ids; 0 reads from the beginning. */
  readonly afterId: MessageId
  /** Only messages sent at this time or later. Dropped messages that were all sent earlier are not a gap (D7.4). */
  readonly since?: Timestamp.Timestamp | undefined
}

/** A page of messages. */
export interface MessagePage {
  /** In id order. */
  readonly messages: ReadonlyArray<Message>
  /** Whether more messages match after the last one, because a limit or `pageTextLimit` cut the page. */
  readonly more: boolean
  /** The newest id of the business when the page was read. Unless `more` is set, all matching messages up to this id have been read. */
  readonly lastId: MessageId
}
