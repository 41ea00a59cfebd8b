/**
 * What a feed needs of a log: pages of it, and to be woken when it has grown.
 */
import type { Effect } from "effect"
import type { CursorAhead, HistoryExpired, StorageUnavailable } from "../values/Errors.ts"
import type { MessagePage, MessageQuery, Position } from "./MessageQuery.ts"

/** What a feed needs of a log. */
export interface FeedSource {
  /** A page ends early rather than hold more than `textLimit` characters, where that is less than the log's own limit. */
  readonly read: (
    query: MessageQuery,
    position: Position,
    limit: number,
    textLimit?: number
  ) => Effect.Effect<MessagePage, HistoryExpired | CursorAhead | StorageUnavailable>
  /** The newest id of the business, 0 without one. */
  readonly lastId: (business: string) => Effect.Effect<number, StorageUnavailable>
  readonly wakeups: Wakeups
}

/** Who is to be woken when something may have been appended to the log of a business. */
export class Wakeups {
  readonly #sleepers = new Map<string, Set<() => void>>()
  /** Those that are woken by every business. */
  readonly #lightSleepers = new Set<{ readonly wake: () => void }>()

  /** Wakes whoever follows the business. */
  wake(business: string): void {
    this.#sleepers.get(business)?.forEach((wake) => wake())
    this.#lightSleepers.forEach(({ wake }) => wake())
  }

  /** Wakes everybody, as when notifications may have been lost. */
  wakeAll(): void {
    for (const sleepers of this.#sleepers.values()) sleepers.forEach((wake) => wake())
    this.#lightSleepers.forEach(({ wake }) => wake())
  }

  /** Calls `wake` when any business is woken, until the returned function is called. */
  addAny(wake: () => void): () => void {
    const sleeper = { wake }
    this.#lightSleepers.add(sleeper)
    return () => {
      this.#lightSleepers.delete(sleeper)
    }
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
