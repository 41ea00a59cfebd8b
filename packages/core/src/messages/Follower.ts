/**
 * One consumer's cursor over the message log: history first, then live.
 *
 * Guarantee: the consumer gets every matching message after its starting point exactly once and in order. What waits
 * for it is bounded: one that falls behind by more than its buffer is told so and dropped. What its callbacks throw
 * reaches no other consumer.
 */
import { Effect } from "effect"
import { ConsumerTooSlow } from "../values/Errors.ts"
import type { StorageUnavailable } from "../values/Errors.ts"
import type { Timestamp } from "../values/Timestamp.ts"
import type { FeedSource } from "./FeedSource.ts"
import { textLimit } from "./LiveMessages.ts"
import type { Listener, LiveMessages, LogFailure } from "./LiveMessages.ts"
import type { Message } from "./Message.ts"
import type { MessageQuery } from "./MessageQuery.ts"

/** How a consumer follows the log. */
export interface FollowOptions {
  /** Replays everything after this id first; `undefined` starts with what is appended from now on. */
  readonly afterId: number | undefined
  /** The most live messages that may wait for the consumer. What it replays is read at its pace and does not count. */
  readonly buffer: number
  /** The most that it replays at once; a page of the log unless given. For consumers by the thousand. */
  readonly page?: ReplayPage | undefined
}

/** The most that a consumer is handed at once of what it replays; one message at least. */
export interface ReplayPage {
  readonly messages: number
  /** Characters of payload. */
  readonly text: number
}

/** Why a consumer cannot go on. */
export type FollowError = LogFailure | ConsumerTooSlow | StorageUnavailable

/** How many messages are read at once. */
export const pageSize = 500

/** One consumer's cursor over the log of a business. To be used by one consumer, one call at a time. */
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
  /** Whether the log itself was read up to `#last`, at which it had no more. */
  #isRead = false
  /** When the last message of history was sent that was handed out. */
  #replayedAt: Timestamp | undefined
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
    this.#page = options.page
    this.#last = options.afterId ?? live.at
    this.#listener = {
      onMessages: (messages) => this.#push(messages),
      onFailure: (error) => this.#fail(error)
    }
    if (options.afterId === undefined) this.#join()
  }

  /** The messages that come next, one at least; waits for them. */
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
   * What comes next of history, possibly nothing; waits for the log alone, never for messages to come. For consumers
   * that may read it only now and then: to be asked until {@link isLive}, and {@link next} from there on.
   */
  readonly replay: Effect.Effect<ReadonlyArray<Message>, FollowError> = Effect.suspend(() => {
    const ready = this.#take()
    if (ready !== undefined) return ready
    if (this.#joined) return Effect.succeed([])
    const recent = this.#live.recentAfter(this.#last)
    if (recent === undefined) {
      if (!this.#isRead || this.#last <= this.#live.at) return this.#readPage
      // It has read on beyond the feed, which will pass on what it has already.
      this.#join()
      return Effect.succeed([])
    }
    const matching = recent.filter((message) => this.#matches(message))
    const messages = matching.slice(0, this.#fitting(matching))
    // What is left over is found again, at hand or in the log.
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

  /** How many of these fit into a page. */
  #fitting(messages: ReadonlyArray<Message>): number {
    if (this.#page === undefined) return messages.length
    let count = 0
    let text = 0
    for (const { size } of messages) {
      text += size
      if (count === this.#page.messages || (text > this.#page.text && count > 0)) break
      count++
    }
    return count
  }

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

  /**
   * When the oldest message was sent that waits for the consumer; of one that reads history, when the newest was that it
   * has been handed. `undefined` when it has all there is.
   */
  get behindSince(): Timestamp | undefined {
    return this.#joined ? this.#waiting[0]?.sentAt : this.#replayedAt
  }

  /** How many live messages wait for the consumer. */
  get waiting(): number {
    return this.#waiting.length
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
