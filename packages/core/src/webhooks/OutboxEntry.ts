/**
 * Outboxes: what capabilities have endpoints receive, and readers of the log do not. An endpoint gets what is of a type that its settings
 * name, as it gets messages: in order within a shipment, again until it is taken, on record (D9).
 *
 * Guarantee: an entry has its id of the log of its business, so that one cursor of an endpoint goes over messages and entries alike. It
 * holds how it is sent, so that it is delivered whichever capabilities the service has now. No reader of the log notices it: neither
 * that it is there, nor that it was dropped by age.
 */
import type { Message, MessageDraft } from "../messages/Message.ts"

/** A text that endpoints get as it is. */
export interface OutboxText {
  /** The path under the base URL of the endpoint, such as `/api/letters`. */
  readonly path: string
  readonly mediaType: string
  readonly text: string
}

/** What is to be added to an outbox. */
export interface OutboxDraft extends Omit<MessageDraft, "payload">, OutboxText {}

/** An entry of an outbox. */
export interface OutboxEntry extends Omit<Message, "json">, OutboxText {}

/** What an endpoint gets: a message of the log, or an entry of an outbox. */
export type Deliverable = Message | OutboxEntry
