/** Queries of the message log and their pages (D7.4, D8.1). */
import type * as Timestamp from "../values/Timestamp.ts"
import type { MessageType } from "../values/Vocabulary.ts"
import type { Message } from "./Message.ts"

/** Selects messages of a business. */
export interface MessageQuery {
  readonly business: string
  /** `undefined` for all facilities. */
  readonly facility: string | undefined
  readonly types: ReadonlyArray<MessageType>
}

/** The position from which the log is read: after an id, and not before a time. */
export interface Position {
  /** Reads messages with ids above; 0 reads from the beginning. */
  readonly afterId: number
  /** Reads messages that were sent then or later: what was dropped is no gap if all of it was sent before (D7.4). */
  readonly since?: Timestamp.Timestamp | undefined
}

/** Messages that were read at once. */
export interface MessagePage {
  /** In id order. */
  readonly messages: ReadonlyArray<Message>
  /** Whether more messages match after the last one, because a limit or `pageTextLimit` cut the page. */
  readonly more: boolean
  /** The newest id of the business when the page was read. Unless `more` is set, all messages up to it have been read. */
  readonly lastId: number
}
