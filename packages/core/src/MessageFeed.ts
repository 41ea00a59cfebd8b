/**
 * Following the message log: one reader for each business that is followed in this process, whatever the number of
 * consumers, and a cursor for each consumer that joins history and live.
 *
 * Guarantee: a consumer gets every matching message after its starting point exactly once and in order. Wake-ups may
 * be lost, repeated or late: they decide when the log is read, never what is read from it. Nothing here waits for a
 * consumer, and what waits for one is bounded: one that falls behind by more than its buffer is told so and dropped.
 */
import { Effect, Latch, RcMap, Scope, Stream } from "effect"
import { ConsumerTooSlow } from "./Errors.ts"
import type { HistoryExpired, StorageUnavailable } from "./Errors.ts"
import type { Message } from "./Message.ts"
import type { MessageLogSettings, MessagePage, MessageQuery, Position } from "./MessageLog.ts"
import { messageTypes } from "./Vocabulary.ts"

/** How a consumer follows the log. */
export interface FollowOptions {
  /** Replays everything after this id first; `undefined` starts with what is appended from now on. */
  readonly afterId: number | undefined
  /** The most live messages that may wait for the consumer. What it replays is read at its pace and does not count. */
  readonly buffer: number
}

/** Why a consumer cannot go on. */
export type FollowError = HistoryExpired | ConsumerTooSlow | StorageUnavailable

/** Who is to be woken when something may have been appended to the log of a business. */
export class Wakeups {
  readonly #sleepers = new Map<string, Set<() => void>>()

  /** Wakes whoever follows the business. */
  wake(business: string): void {
    this.#sleepers.get(business)?.forEach((wake) => wake())
  }

  /** Wakes everybody, as when notifications may have been lost. */
  wakeAll(): void {
    for (const sleepers of this.#sleepers.values()) sleepers.forEach((wake) => wake())
  }

  /** Calls `wake` when the business is woken, until the returned function is called. */
  add(business: string, wake: () => void): () => void {
    const sleepers = this.#sleepers.get(business) ?? new Set()
    this.#sleepers.set(business, sleepers.add(wake))
    return () => {
      sleepers.delete(wake)
      if (sleepers.size === 0) this.#sleepers.delete(business)
    }
  }
}

/** What a feed needs of a log. */
export interface FeedSource {
  readonly read: (
    query: MessageQuery,
    position: Position,
    limit: number
  ) => Effect.Effect<MessagePage, HistoryExpired | StorageUnavailable>
  /** The newest id of the business, 0 without one. */
  readonly lastId: (business: string) => Effect.Effect<number, StorageUnavailable>
  readonly wakeups: Wakeups
}

/** How many messages are read at once. */
const pageSize = 500

/** How many messages are passed on before consumers get a turn, so that a burst does not fill the buffer of a quick one. */
const sliceSize = 50

/** The most characters of payload that are kept at hand, or wait for one consumer. */
const textLimit = 16 * 1024 * 1024

interface Listener {
  readonly onMessages: (messages: ReadonlyArray<Message>) => void
  readonly onExpired: (error: HistoryExpired) => void
}

/** The newest messages of one business, and who listens for more. */
class LiveMessages {
  readonly #recentLimit: number
  readonly #listeners = new Set<Listener>()
  readonly #recent: Array<Message> = []
  #recentText = 0
  /** The recent messages are all there are after this id. */
  #from: number
  #at: number

  constructor(at: number, recentLimit: number) {
    this.#from = at
    this.#at = at
    this.#recentLimit = recentLimit
  }

  /** Everything up to this id has been passed on. */
  get at(): number {
    return this.#at
  }

  /** Adds a listener if nothing after the id is missing here; returns the messages after it that are at hand. */
  join(afterId: number, listener: Listener): ReadonlyArray<Message> | undefined {
    if (afterId < this.#from) return undefined
    this.#listeners.add(listener)
    return afterId >= this.#at ? [] : this.#recent.filter(({ id }) => id > afterId)
  }

  leave(listener: Listener): void {
    this.#listeners.delete(listener)
  }

  publish(messages: ReadonlyArray<Message>, at: number): void {
    this.#at = Math.max(this.#at, at)
    if (messages.length === 0) return
    for (const message of messages) {
      this.#recent.push(message)
      this.#recentText += message.size
    }
    let dropped = 0
    while (
      this.#recent.length - dropped > this.#recentLimit ||
      (this.#recentText > textLimit && dropped < this.#recent.length)
    ) {
      const oldest = this.#recent[dropped++]!
      this.#from = oldest.id
      this.#recentText -= oldest.size
    }
    if (dropped > 0) this.#recent.splice(0, dropped)
    for (const { onMessages } of this.#listeners) onMessages(messages)
  }

  /** What follows `at` has been dropped before it was read: listeners must not go on as if nothing were missing. */
  expire(error: HistoryExpired): void {
    const listeners = Array.from(this.#listeners)
    this.#listeners.clear()
    this.#recent.length = 0
    this.#recentText = 0
    this.#from = error.droppedId
    this.#at = error.droppedId
    for (const { onExpired } of listeners) onExpired(error)
  }
}

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
    // What is at hand is handed out at once: only live messages ever wait.
    if (this.#joined || this.#join()) return this.#take() ?? Effect.andThen(this.#ready, this.next)
    return Effect.flatMap(this.#read(this.#query, { afterId: this.#last }, pageSize), (page) => {
      const { messages } = page
      this.#last = Math.max(this.#last, page.more ? messages.at(-1)!.id : page.lastId)
      return messages.length > 0 ? Effect.succeed(messages) : this.next
    })
  })

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
    this.#live.leave(this.#listener)
    this.#waiting = []
  }

  readonly #ready: Effect.Effect<void> = Effect.callback<void>((resume) => {
    this.onReady(() => resume(Effect.void))
    return Effect.sync(() => this.onReady(undefined))
  })

  #take(): Effect.Effect<ReadonlyArray<Message>, FollowError> | undefined {
    if (this.#failure !== undefined) return Effect.fail(this.#failure)
    return this.#waiting.length > 0 ? Effect.succeed(this.#drain()) : undefined
  }

  #drain(): ReadonlyArray<Message> {
    const messages = this.#waiting
    this.#waiting = []
    this.#waitingText = 0
    return messages
  }

  #join(): boolean {
    const recent = this.#live.join(this.#last, this.#listener)
    if (recent === undefined) return false
    this.#joined = true
    this.#add(recent)
    return true
  }

  #push(messages: ReadonlyArray<Message>): void {
    this.#add(messages)
    if (this.#waiting.length > this.#buffer || this.#waitingText > textLimit) {
      this.#fail(new ConsumerTooSlow({ buffer: this.#buffer }))
    } else if (this.#waiting.length > 0) {
      this.#announce()
    }
  }

  #add(messages: ReadonlyArray<Message>): void {
    for (const message of messages) {
      // A consumer may have read ahead of the feed, by a page of history of its own.
      if (message.id <= this.#last) continue
      this.#last = message.id
      if (!this.#types.has(message.type)) continue
      if (this.#query.facility !== undefined && message.facility !== this.#query.facility) continue
      this.#waiting.push(message)
      this.#waitingText += message.size
    }
  }

  #fail(error: FollowError): void {
    this.close()
    this.#failure = error
    this.#onFailure?.(error)
    this.#announce()
  }

  #announce(): void {
    const callback = this.#onReady
    this.#onReady = undefined
    callback?.()
  }
}

/** Reads the log of one business as it grows, for as long as the scope is open. */
const openLive = Effect.fnUntraced(function*(
  source: FeedSource,
  business: string,
  settings: MessageLogSettings
) {
  const woken = Latch.makeUnsafe(false)
  yield* Effect.acquireRelease(
    Effect.sync(() => source.wakeups.add(business, () => woken.openUnsafe())),
    (leave) => Effect.sync(leave)
  )
  const live = new LiveMessages(yield* source.lastId(business), settings.recentLimit)
  const query: MessageQuery = { business, facility: undefined, types: messageTypes }

  const readOn = Effect.gen(function*() {
    // Closed before the read: what is appended while it runs opens the latch again.
    woken.closeUnsafe()
    const { messages, more, lastId } = yield* source.read(query, { afterId: live.at }, pageSize)
    for (let start = 0; start < messages.length; start += sliceSize) {
      const slice = messages.slice(start, start + sliceSize)
      live.publish(slice, slice.at(-1)!.id)
      yield* Effect.yieldNow
    }
    if (!more) live.publish([], lastId)
    if (!more) yield* Effect.timeoutOption(woken.await, settings.pollMillis)
  })

  yield* readOn.pipe(
    Effect.catchTags({
      HistoryExpired: (error) => Effect.sync(() => live.expire(error)),
      // The log comes back, and nothing is lost meanwhile: the next read begins where this one did.
      StorageUnavailable: () => Effect.sleep(settings.pollMillis)
    }),
    Effect.forever,
    Effect.forkScoped
  )
  return live
})

/** Following a log. */
export interface MessageFeed {
  readonly follow: (
    query: MessageQuery,
    options: FollowOptions
  ) => Effect.Effect<Follower, StorageUnavailable, Scope.Scope>
  readonly tail: (query: MessageQuery, options: FollowOptions) => Stream.Stream<Message, FollowError>
}

/** Makes the feed of a log: each business is read while somebody follows it. */
export const make = Effect.fnUntraced(function*(
  source: FeedSource,
  settings: MessageLogSettings
): Effect.fn.Return<MessageFeed, never, Scope.Scope> {
  const lives = yield* RcMap.make({ lookup: (business: string) => openLive(source, business, settings) })

  const follow = (query: MessageQuery, options: FollowOptions) =>
    Effect.flatMap(RcMap.get(lives, query.business), (live) =>
      Effect.acquireRelease(
        Effect.sync(() => new Follower(source.read, live, query, options)),
        (follower) => Effect.sync(() => follower.close())
      ))

  return {
    follow,
    tail: (query, options) =>
      Stream.unwrap(
        Effect.map(follow(query, options), (follower) => Stream.fromIterableEffectRepeat(follower.next))
      )
  }
})
