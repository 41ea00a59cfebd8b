/**
 * The message log of the database in memory. Every method is synchronous, so it is a transaction of its own.
 */
import { Result } from "effect"
import { Wakeups } from "../messages/FeedSource.ts"
import type { Message, MessageDraft } from "../messages/Message.ts"
import type { MessagePage, MessageQuery, Position } from "../messages/MessageQuery.ts"
import { CursorAhead, HistoryExpired } from "../values/Errors.ts"
import type { BusinessNotFound, FacilityNotFound } from "../values/Errors.ts"
import { fromMillis } from "../values/Timestamp.ts"
import type { Timestamp } from "../values/Timestamp.ts"

interface StoredLog {
  messages: Array<Message>
  lastId: number
  lastSentAt: Timestamp
  droppedId: number
  droppedSentAt: Timestamp
}

/** A log as it is. */
export interface LogContents {
  /** In id order. */
  readonly messages: ReadonlyArray<Message>
  readonly lastId: number
  readonly droppedId: number
  readonly droppedSentAt: Timestamp
}

/** How often expired messages are looked for, in milliseconds. */
const dropMillis = 3_600_000

const emptyLog: LogContents = { messages: [], lastId: 0, droppedId: 0, droppedSentAt: "" }

/** When messages are appended, in which trace, and how long messages are kept. */
export interface Appending {
  readonly now: Timestamp
  readonly trace: string | undefined
  readonly retentionMillis: number
}

/** Refuses a draft whose business or facility is unknown. */
export type CheckPlace = (draft: MessageDraft) => BusinessNotFound | FacilityNotFound | undefined

/** The logs of all businesses. What has expired is dropped as messages are appended. */
export class MemoryMessages {
  readonly wakeups: Wakeups = new Wakeups()
  readonly #logs = new Map<string, StoredLog>()
  readonly #checkPlace: CheckPlace
  #lastId = 0
  readonly #onDropped: () => void
  #droppedAt: number | undefined

  /** `onDropped` is called when messages were dropped as others were appended. */
  constructor(checkPlace: CheckPlace, onDropped: () => void) {
    this.#checkPlace = checkPlace
    this.#onDropped = onDropped
  }

  append(
    drafts: ReadonlyArray<MessageDraft>,
    { now, trace, retentionMillis }: Appending
  ): Result.Result<ReadonlyArray<Message>, BusinessNotFound | FacilityNotFound> {
    for (const draft of drafts) {
      const refusal = this.#checkPlace(draft)
      if (refusal !== undefined) return Result.fail(refusal)
    }
    this.#dropHourly(Date.parse(now), retentionMillis)
    const messages = drafts.map((draft) => this.#append(draft, now, trace))
    for (const business of new Set(drafts.map((draft) => draft.business))) this.wakeups.wake(business)
    return Result.succeed(messages)
  }

  read(
    query: MessageQuery,
    { afterId, since }: Position,
    limit: number,
    textLimit: number
  ): Result.Result<MessagePage, HistoryExpired | CursorAhead> {
    const { business, facility, types } = query
    const log = this.logOf(business)
    if (afterId > log.lastId) return Result.fail(new CursorAhead({ business, newestId: log.lastId }))
    if (afterId < log.droppedId && (since === undefined || since <= log.droppedSentAt)) {
      return Result.fail(new HistoryExpired({ business, droppedId: log.droppedId }))
    }
    const messages: Array<Message> = []
    let text = 0
    let more = false
    for (let at = firstAfter(log.messages, afterId); at < log.messages.length; at++) {
      const message = log.messages[at]!
      if (since !== undefined && message.sentAt < since) continue
      if (!types.includes(message.type) || (facility !== undefined && message.facility !== facility)) continue
      text += message.size
      more = messages.length === limit || (text > textLimit && messages.length > 0)
      if (more) break
      messages.push(message)
    }
    return Result.succeed({ messages, more, lastId: log.lastId })
  }

  lastId(business: string): number {
    return this.logOf(business).lastId
  }

  /** What is left of the log of a business, with its newest id and the newest that was dropped; 0 without one. */
  logOf(business: string): LogContents {
    return this.#logs.get(business) ?? emptyLog
  }

  /** A message of a business; `undefined` when it has none of that id, or no longer. */
  find(business: string, id: number): Message | undefined {
    const { messages } = this.logOf(business)
    const message = messages[firstAfter(messages, id - 1)]
    return message?.id === id ? message : undefined
  }

  /** Moves the ids that are given next beyond an id, and the newest of these businesses; whether ids have moved. */
  advance(beyond: number, businesses: ReadonlyArray<string>): boolean {
    const moves = beyond > this.#lastId
    if (moves) this.#lastId = beyond
    for (const business of businesses) {
      const log = this.#storedOf(business)
      log.lastId = Math.max(log.lastId, beyond)
    }
    return moves
  }

  /** The newest id that any log has given. */
  get newestId(): number {
    return this.#lastId
  }

  /** Drops what was sent before, and says how much it was. */
  dropBefore(cutoff: Timestamp): number {
    let dropped = 0
    for (const log of this.#logs.values()) {
      const kept = log.messages.findIndex(({ sentAt }) => sentAt >= cutoff)
      const gone = log.messages.splice(0, kept < 0 ? log.messages.length : kept)
      const newest = gone.at(-1)
      if (newest === undefined) continue
      dropped += gone.length
      log.droppedId = newest.id
      log.droppedSentAt = newest.sentAt
    }
    return dropped
  }

  /** Once an hour, as messages are appended: no timer, as logs that nothing is appended to do not grow either. */
  #dropHourly(now: number, retentionMillis: number): void {
    this.#droppedAt ??= now
    if (now - this.#droppedAt < dropMillis) return
    this.#droppedAt = now
    if (this.dropBefore(fromMillis(now - retentionMillis)) > 0) this.#onDropped()
  }

  #storedOf(business: string): StoredLog {
    const log = this.#logs.get(business) ??
      { messages: [], lastId: 0, lastSentAt: "", droppedId: 0, droppedSentAt: "" }
    this.#logs.set(business, log)
    return log
  }

  #append(draft: MessageDraft, now: Timestamp, trace: string | undefined): Message {
    const log = this.#storedOf(draft.business)
    const message: Message = {
      ...draft,
      id: ++this.#lastId,
      sentAt: now > log.lastSentAt ? now : log.lastSentAt,
      size: JSON.stringify(draft.payload).length,
      ...(trace === undefined ? {} : { trace })
    }
    log.messages.push(message)
    log.lastId = message.id
    log.lastSentAt = message.sentAt
    return message
  }
}

/** The index of the first message with a higher id; messages are in id order. */
export const firstAfter = (messages: ReadonlyArray<Message>, id: number): number => {
  let low = 0
  let high = messages.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if (messages[middle]!.id <= id) low = middle + 1
    else high = middle
  }
  return low
}
