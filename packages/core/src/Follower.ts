/**
 * One consumer's cursor over the message log: history first, then live.
 *
 * Guarantee: the consumer gets every matching message after its starting point exactly once and in order. What waits
 * for it is bounded: one that falls behind by more than its buffer is told so and dropped. What its callbacks throw
 * reaches no other consumer.
 */
import { Effect } from "effect"
import { ConsumerTooSlow } from "./Errors.ts"
import type { HistoryExpired, StorageUnavailable } from "./Errors.ts"
import { textLimit } from "./LiveMessages.ts"
import type { Listener, LiveMessages } from "./LiveMessages.ts"
import type { Message } from "./Message.ts"
import type { FeedSource } from "./MessageFeed.ts"
import type { MessageQuery } from "./MessageLog.ts"

/** How a consumer follows the log. */
export interface FollowOptions {
  /** Replays everything after this id first; `undefined` starts with what is appended from now on. */
  readonly afterId: number | undefined
  /** The most live messages that may wait for the consumer. What it replays is read at its pace and does not count. */
  readonly buffer: number
}

/** Why a consumer cannot go on. */
export type FollowError = HistoryExpired | ConsumerTooSlow | StorageUnavailable

/** How many messages are read at once. */
export const pageSize = 500

/** One consumer's cursor over the log of a business. To be used by one consumer, one call at a time. */
export class Follower {
  readonly #read: FeedSource["read"]
  readonly #live: LiveMessages
  readonly #query: MessageQuery
  readonly #types: ReadonlySet<string>
  readonly #buffer: number
  readonly #listener: Listener
  #last: number
  #joined = false
  #waiting: Array<Message> = []
  #waitingText = 0
  #failure: FollowError | undefined
  /** What a callback of the consumer threw: nothing of that reaches other consumers. */
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
    this.#last = options.afterId ?? live.at
    this.#listener = {
      onMessages: (messages) => this.#push(messages),
      onExpired: (error) => this.#fail(error)
    }
    if (options.afterId === undefined) this.#join()
  }

  /** The messages that come next, one at least; waits for them. */
  readonly next: Effect.Effect<ReadonlyArray<Message>, FollowError> = Effect.suspend(() => {
    const ready = this.#take()
    if (ready !== undefined) return ready
    if (!this.#joined) {
      const recent = this.#live.recentAfter(this.#last)
      if (recent === undefined) return this.#readPage
      this.#last = Math.max(this.#last, this.#live.at)
      const messages = recent.filter((message) => this.#matches(message))
      if (messages.length > 0) return Effect.succeed(messages)
      this.#join()
    }
    return Effect.andThen(this.#ready, this.next)
  })

  readonly #readPage = Effect.suspend(() =>
    Effect.flatMap(
      this.#read(this.#query, { afterId: this.#last }, pageSize),
      ({ messages, more, lastId }) => {
        this.#last = Math.max(this.#last, more ? messages.at(-1)!.id : lastId)
        return messages.length > 0 ? Effect.succeed(messages) : this.next
      }
    )
  )

  /**
   * The messages that wait, without an effect: `undefined` when there are none at hand, or something else to be told,
   * and {@link next} has to be asked. For consumers by the thousand.
   */
  takeNow(): ReadonlyArray<Message> | undefined {
    return this.#failure === undefined && this.#waiting.length > 0 ? this.#drain() : undefined
  }

  /** Whether the consumer has all history and gets messages as they come. */
  get isLive(): boolean {
    return this.#joined
  }

  /** Calls back once when {@link next} has something to say; only while {@link isLive}. Replaces an earlier call. */
  onReady(callback: (() => void) | undefined): void {
    this.#onReady = callback
    if (callback !== undefined && (this.#waiting.length > 0 || this.#failure !== undefined)) this.#announce()
  }

  /**
   * Calls back when the consumer cannot go on, whether or not it is about to ask: for one that cannot take messages
   * for now. Only while {@link isLive}; what reading history fails with is told by {@link next}.
   */
  onFailure(callback: (error: FollowError) => void): void {
    this.#onFailure = callback
    if (this.#failure !== undefined) callback(this.#failure)
  }

  /** Stops following. */
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
    const messages = this.#waiting
    this.#waiting = []
    this.#waitingText = 0
    return messages
  }

  /** Once everything up to now has been handed out: what is replayed waits nowhere, and so does not count. */
  #join(): void {
    this.#joined = true
    this.#live.listen(this.#listener)
  }

  #push(messages: ReadonlyArray<Message>): void {
    // What comes at once to a consumer that waits for it is no sign of its being slow, nor is one large message.
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
      // A consumer may have read ahead of the feed, by a page of history of its own.
      if (message.id <= this.#last) continue
      this.#last = message.id
      if (!this.#matches(message)) continue
      this.#waiting.push(message)
      this.#waitingText += message.size
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
