/**
 * The source of a message feed: the part of a message log that a storage implements, and the callbacks by which it announces appended
 * messages.
 */
import { Effect } from "effect"
import type { Scope } from "effect"
import { everything } from "../access/Access.ts"
import type { CursorAhead, HistoryExpired, StorageUnavailable } from "../values/Errors.ts"
import type { MessagePage, MessageQuery, Position } from "./Message.ts"

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
