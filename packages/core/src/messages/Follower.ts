/**
 * One consumer's cursor over the message log: first history, then live messages. For all consumers together, the process keeps the newest
 * messages of each followed business, bounded in number and in text. This module also has the source of a feed: the part of a message log
 * that a storage implements, and the callbacks by which it announces appended messages.
 *
 * Guarantee: until it fails or is closed, the consumer gets every matching message after its starting point exactly once and in order. A
 * consumer that falls behind by more than its buffer or {@link textLimit} fails with `ConsumerTooSlow`; the reader waits for no consumer.
 * An exception in a callback affects no other consumer.
 */
import { Effect } from "effect"
import type { Scope } from "effect"
import { everything } from "../access/Access.ts"
import { ConsumerTooSlow } from "../values/Errors.ts"
import type { CursorAhead, HistoryExpired, StorageUnavailable } from "../values/Errors.ts"
import type { MessageId } from "../values/Id.ts"
import type { Timestamp } from "../values/Timestamp.ts"
import type { Message, MessagePage, MessageQuery, Position } from "./Message.ts"

/** The part of a message log that a feed needs. */
export interface FeedSource {
  /** Reads a page. It ends early rather than exceed `textLimit` characters or the log's own limit. */
  readonly read: (
    query: MessageQuery,
    position: Position,
    limit: number,
    textLimit?: number
  ) => Effect.Effect<MessagePage, HistoryExpired | CursorAhead | StorageUnavailable>
  /** The newest id of the business; 0 when it has no messages. */
  readonly lastId: (business: string) => Effect.Effect<number, StorageUnavailable>
  /** The callbacks that the storage calls after the commit of appended messages, so that followers read at once. */
  readonly wakeups: Wakeups
}

/**
 * The callbacks to call when messages may have been appended to the log of a business. A storage has one instance. It wakes the callbacks
 * after its own appends and, as far as its database notifies it, after the appends of other processes. Without a wake-up, followers find
 * new messages within `pollMillis`.
 */
export class Wakeups {
  /** Callbacks by business. The key {@link everything} has the callbacks for all businesses. */
  readonly #sleepers = new Map<string, Set<() => void>>()

  /** Calls the callbacks of a business. */
  wake(business: string): void {
    this.#sleepers.get(business)?.forEach((wake) => wake())
    this.#sleepers.get(everything)?.forEach((wake) => wake())
  }

  /** Calls all callbacks, for example when notifications may have been lost. */
  wakeAll(): void {
    for (const sleepers of this.#sleepers.values()) sleepers.forEach((wake) => wake())
  }

  /** Calls `wake` when the business, or any business (`"*"`), is woken, until the scope ends. */
  watch(business: string, wake: () => void): Effect.Effect<void, never, Scope.Scope> {
    return Effect.asVoid(
      Effect.acquireRelease(Effect.sync(() => this.add(business, wake)), (leave) => Effect.sync(leave))
    )
  }

  /** Calls `wake` when the business, or any business (`"*"`), is woken, until the returned function is called. */
  add(business: string, wake: () => void): () => void {
    const sleeper = () => wake()
    const sleepers = this.#sleepers.get(business) ?? new Set()
    this.#sleepers.set(business, sleepers.add(sleeper))
    return () => {
      sleepers.delete(sleeper)
      if (sleepers.size === 0) this.#sleepers.delete(business)
    }
  }
}

/** The most characters of payload that are kept in memory for a business, or that wait for one consumer. */
export const textLimit = 16 * 1024 * 1024

/** Why following ends: the log no longer has the messages after the cursor, or does not reach the cursor yet. */
export type LogFailure = HistoryExpired | CursorAhead

/** A consumer of new messages. Its functions do not throw. */
export interface Listener {
  /** Receives new messages, in order. */
  readonly onMessages: (messages: ReadonlyArray<Message>) => void
  /** Is called when messages may be missing. The listener then receives no more messages. */
  readonly onFailure: (error: LogFailure) => void
}

/** The newest messages of a business, for all consumers in the process. */
export class LiveMessages {
  readonly #recentLimit: number
  readonly #listeners = new Set<Listener>()
  readonly #recent: Array<Message> = []
  #recentText = 0
  /** The recent messages are all messages after this id. */
  #from = 0
  #at = 0
  #isOpen = false

  constructor(recentLimit: number) {
    this.#recentLimit = recentLimit
  }

  /** Whether the beginning of the live messages is known. */
  get isOpen(): boolean {
    return this.#isOpen
  }

  /** Begins the live messages after this id, unless they have begun already. */
  open(at: number): void {
    if (this.#isOpen) return
    this.#isOpen = true
    this.#from = at
    this.#at = at
  }

  /** All messages up to this id have been passed on. */
  get at(): number {
    return this.#at
  }

  /**
   * The messages after an id from memory; `undefined` when some of them are only in the log, or when the id lies beyond
   * {@link at}: only the log knows whether it has given that id.
   */
  recentAfter(id: number): ReadonlyArray<Message> | undefined {
    if (id < this.#from || id > this.#at) return undefined
    return this.#recent.filter((message) => message.id > id)
  }

  /** Adds a consumer. */
  listen(listener: Listener): void {
    this.#listeners.add(listener)
  }

  /** Removes a consumer. */
  leave(listener: Listener): void {
    this.#listeners.delete(listener)
  }

  /** Passes messages on to all consumers. Afterwards all messages up to `at` have been passed on. */
  publish(messages: ReadonlyArray<Message>, at: number): void {
    this.#at = Math.max(this.#at, at)
    if (messages.length === 0) return
    for (const message of messages) {
      this.#recent.push(message)
      this.#recentText += message.json.length
    }
    let count = 0
    while (
      this.#recent.length - count > this.#recentLimit ||
      (this.#recentText > textLimit && count < this.#recent.length)
    ) {
      const oldest = this.#recent[count++]!
      this.#from = oldest.id
      this.#recentText -= oldest.json.length
    }
    if (count > 0) this.#recent.splice(0, count)
    for (const { onMessages } of this.#listeners) onMessages(messages)
  }

  /**
   * Fails all listeners, because the log cannot be read after {@link at} and messages may be missing. The live messages begin again after
   * the id `from`.
   */
  fail(error: LogFailure, from: number): void {
    const listeners = Array.from(this.#listeners)
    this.#listeners.clear()
    this.#recent.length = 0
    this.#recentText = 0
    this.#from = from
    this.#at = from
    for (const { onFailure } of listeners) onFailure(error)
  }
}

/** The start of a consumer, and how many messages may wait for it. */
export interface FollowOptions {
  /** The id after which to begin with history; `undefined` begins with the messages that are appended from now on. */
  readonly afterId: MessageId | undefined
  /** The most live messages that may wait for the consumer. History is read at the consumer's pace and does not count. */
  readonly buffer: number
  /**
   * The most history that is handed out at once; by default a page of the log or all recent messages, which is much for thousands of
   * consumers.
   */
  readonly page?: ReplayPage | undefined
}

/** The most history that a consumer gets at once; at least one message. */
export interface ReplayPage {
  readonly messages: number
  /** The characters of payload. */
  readonly text: number
}

/**
 * Why a consumer gets no further messages: the log cannot continue from its cursor, the consumer was too slow, or the storage is
 * unavailable.
 */
export type FollowError = LogFailure | ConsumerTooSlow | StorageUnavailable

/** The most messages that are read from the log at once. */
export const pageSize = 500

/** The most live messages that are handed out at once. Further messages wait in the buffer of the consumer. */
const handful = 50

/** One consumer's cursor over the log of a business. One consumer uses it, one call at a time. */
export class Follower {
  readonly #read: FeedSource["read"]
  readonly #live: LiveMessages
  readonly #query: MessageQuery
  readonly #types: ReadonlySet<string>
  readonly #buffer: number
  readonly #page: ReplayPage | undefined
  readonly #listener: Listener
  #last: number
  #joined = false
  /** Whether the log was read up to `#last` and had no more messages there. */
  #isRead = false
  /** The time of sending of the last history message that was handed out. */
  #replayedAt: Timestamp | undefined
  #waiting: Array<Message> = []
  #waitingText = 0
  #failure: FollowError | undefined
  /** The exception of a callback of the consumer. */
  #defect: { readonly cause: unknown } | undefined
  #closed = false
  #onReady: (() => void) | undefined
  #onFailure: ((error: FollowError) => void) | undefined

  /** @internal */
  constructor(read: FeedSource["read"], live: LiveMessages, query: MessageQuery, options: FollowOptions) {
    this.#read = read
    this.#live = live
    this.#query = query
    this.#types = new Set(query.types)
    this.#buffer = options.buffer
    this.#page = options.page
    this.#last = options.afterId ?? live.at
    this.#listener = {
      onMessages: (messages) => this.#push(messages),
      onFailure: (error) => this.#fail(error)
    }
    if (options.afterId === undefined) this.#join()
  }

  /** The next messages, at least one; waits for them. */
  readonly next: Effect.Effect<ReadonlyArray<Message>, FollowError> = Effect.suspend(() => {
    const ready = this.#take()
    if (ready !== undefined) return ready
    if (this.#joined) return Effect.andThen(this.#ready, this.next)
    return Effect.flatMap(
      this.replay,
      (messages) => messages.length > 0 ? Effect.succeed(messages) : this.next
    )
  })

  /**
   * The next messages of history, possibly none; waits only for the log, never for new messages. Consumers that can read
   * only from time to time use this until {@link isLive}, and {@link next} afterwards.
   */
  readonly replay: Effect.Effect<ReadonlyArray<Message>, FollowError> = Effect.suspend(() => {
    const ready = this.#take()
    if (ready !== undefined) return ready
    if (this.#joined) return Effect.succeed([])
    const recent = this.#live.recentAfter(this.#last)
    if (recent === undefined) {
      if (!this.#isRead || this.#last <= this.#live.at) return this.#readPage
      // The consumer has read beyond the feed. The feed will pass on messages that the consumer already has; `#add` skips them.
      this.#join()
      return Effect.succeed([])
    }
    const matching = recent.filter((message) => this.#matches(message))
    const messages = matching.slice(0, this.#fitting(matching))
    // The next call reads the remaining messages again, from memory or from the log.
    this.#last = messages.length < matching.length
      ? messages.at(-1)!.id
      : Math.max(this.#last, this.#live.at)
    if (messages.length === 0) this.#join()
    return Effect.succeed(messages)
  })

  readonly #readPage = Effect.suspend(() =>
    Effect.map(
      this.#read(this.#query, { afterId: this.#last }, this.#page?.messages ?? pageSize, this.#page?.text),
      ({ messages, more, lastId }) => {
        this.#last = Math.max(this.#last, more ? messages.at(-1)!.id : lastId)
        this.#isRead = !more
        this.#replayedAt = messages.at(-1)?.sentAt ?? this.#replayedAt
        return messages
      }
    )
  )

  /** The number of messages, from the first on, that fit into a page. */
  #fitting(messages: ReadonlyArray<Message>): number {
    if (this.#page === undefined) return messages.length
    let count = 0
    let text = 0
    for (const { json } of messages) {
      text += json.length
      if (count === this.#page.messages || (text > this.#page.text && count > 0)) break
      count++
    }
    return count
  }

  /**
   * The waiting messages, without an effect; `undefined` when there are none, or when {@link next} has to report a failure. It is cheap
   * enough for thousands of consumers.
   */
  takeNow(): ReadonlyArray<Message> | undefined {
    return this.#failure === undefined && this.#waiting.length > 0 ? this.#drain() : undefined
  }

  /** Whether the consumer has all history and gets messages as they are appended. */
  get isLive(): boolean {
    return this.#joined
  }

  /**
   * The time of the oldest waiting message; while the consumer reads history, the time of the last message that it got. `undefined` when
   * the consumer has all messages, or has not got any yet.
   */
  get behindSince(): Timestamp | undefined {
    return this.#joined ? this.#waiting[0]?.sentAt : this.#replayedAt
  }

  get waiting(): number {
    return this.#waiting.length
  }

  /** Calls back once when {@link next} has messages or a failure; only while {@link isLive}. Replaces an earlier callback. */
  onReady(callback: (() => void) | undefined): void {
    this.#onReady = callback
    if (callback !== undefined && (this.#waiting.length > 0 || this.#failure !== undefined)) this.#announce()
  }

  /**
   * Calls back when the consumer cannot continue, even if it reads no messages at present. Only while {@link isLive}; failures of reading
   * history come from {@link next}.
   */
  onFailure(callback: (error: FollowError) => void): void {
    this.#onFailure = callback
    if (this.#failure !== undefined) callback(this.#failure)
  }

  /** Ends the consumer: waiting messages are dropped, it gets no more, and a later {@link next} is interrupted. */
  close(): void {
    this.#closed = true
    this.#live.leave(this.#listener)
    this.#waiting = []
  }

  readonly #ready: Effect.Effect<void> = Effect.callback<void>((resume) => {
    this.onReady(() => resume(Effect.void))
    return Effect.sync(() => this.onReady(undefined))
  })

  #take(): Effect.Effect<ReadonlyArray<Message>, FollowError> | undefined {
    if (this.#defect !== undefined) return Effect.die(this.#defect.cause)
    if (this.#failure !== undefined) return Effect.fail(this.#failure)
    if (this.#closed) return Effect.interrupt
    return this.#waiting.length > 0 ? Effect.succeed(this.#drain()) : undefined
  }

  #drain(): ReadonlyArray<Message> {
    const messages = this.#waiting.splice(0, handful)
    for (const { json } of messages) this.#waitingText -= json.length
    return messages
  }

  /** Begins to listen, once all earlier messages have been handed out: history does not count toward the buffer. */
  #join(): void {
    this.#joined = true
    this.#live.listen(this.#listener)
  }

  #push(messages: ReadonlyArray<Message>): void {
    // A burst does not make a waiting consumer slow, and neither does one large message.
    const isAsking = this.#onReady !== undefined
    this.#add(messages)
    const count = this.#waiting.length
    if (!isAsking && (count > this.#buffer || (count > 1 && this.#waitingText > textLimit))) {
      this.#fail(new ConsumerTooSlow({ buffer: this.#buffer }))
    } else if (count > 0) {
      this.#announce()
    }
  }

  #add(messages: ReadonlyArray<Message>): void {
    for (const message of messages) {
      // A consumer may be ahead of the feed by a page of its own history.
      if (message.id <= this.#last) continue
      this.#last = message.id
      if (!this.#matches(message)) continue
      this.#waiting.push(message)
      this.#waitingText += message.json.length
    }
  }

  #matches({ type, facility }: Message): boolean {
    return this.#types.has(type) && (this.#query.facility === undefined || facility === this.#query.facility)
  }

  #fail(error: FollowError): void {
    this.close()
    this.#failure = error
    this.#call(() => this.#onFailure?.(error))
    this.#announce()
  }

  #announce(): void {
    const callback = this.#onReady
    this.#onReady = undefined
    if (callback !== undefined) this.#call(callback)
  }

  #call(callback: () => void): void {
    try {
      callback()
    } catch (cause) {
      this.#defect = { cause }
      this.close()
    }
  }
}
