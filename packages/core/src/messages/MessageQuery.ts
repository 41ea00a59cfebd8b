/**
 * What is read of a log of messages, from where on, and what a page of it holds.
 */
import type * as Timestamp from "../values/Timestamp.ts"
import type { MessageType } from "../values/Vocabulary.ts"
import type { Message } from "./Message.ts"

/** Which messages of a business. */
export interface MessageQuery {
  /** Business slug. */
  readonly business: string
  /** Facility slug; `undefined` for all facilities. */
  readonly facility: string | undefined
  readonly types: ReadonlyArray<MessageType>
}

/** From where on the log is read: after an id, and not before a time. */
export interface Position {
  /** Messages with ids above; 0 for the beginning. */
  readonly afterId: number
  /** Messages sent then or later. */
  readonly since?: Timestamp.Timestamp | undefined
}

/** A part of the log. */
export interface MessagePage {
  /** In id order. */
  readonly messages: ReadonlyArray<Message>
  /** Whether more messages match after the last one: the page was cut by its limit or by `pageTextLimit`. */
  readonly more: boolean
  /** The newest id of the business when the page was read. Unless there is more, everything up to it has been read. */
  readonly lastId: number
}
