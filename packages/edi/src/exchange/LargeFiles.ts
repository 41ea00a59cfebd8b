/**
 * Limits how many large files are read and executed at once (D23.7): until it is recorded, a file with many short segments needs memory of
 * about thirty times its length.
 *
 * Guarantee: the total length of the large files in progress is bounded, and each business may use half of it, though a business with no
 * file in progress may always begin one of any length when its turn comes. Small files never wait; the number of small files in progress is
 * bounded for each business. A large file waits for a bounded time and then has to be sent again. While it waits, it occupies only the
 * share of its client. A file whose client disconnects stops waiting. Businesses take turns, however many clients each has, and so do the
 * clients of a business.
 */
import type { Principal } from "@dockline/core/access/Access"
import { idle, overloaded, shareOf } from "@dockline/core/access/RequestLimits"
import type { Overloaded } from "@dockline/core/values/RequestErrors"
import { Deferred, Effect } from "effect"

/** The longest file that counts as small, in characters. */
export const smallFile = 128 * 1024

/**
 * The most small files of a business in progress at once. It is higher than the number of requests that a server allows the business at
 * once, because files are completed even if their clients disconnect.
 */
export const smallFilesAtOnce = 64

/** The most characters of large files in progress, and the longest wait in milliseconds. */
const [mostText, waitMillis] = [12 * 1024 * 1024, 10_000]

interface Waiter {
  /** Its business, and its client there. */
  readonly keys: readonly [business: string, client: string]
  readonly length: number
  readonly turn: Deferred.Deferred<void>
  hasBegun: boolean
}

export class LargeFiles {
  #held = 0
  /** The files in progress, and the waiting files in the order of their arrival. */
  readonly #begun = new Set<Waiter>()
  readonly #waiting = new Set<Waiter>()
  /** The number of the turn in which each business and each client last began a file. */
  readonly #turns = new Map<string, number>()
  #turn = 0
  /** The number of small files in progress of each business. */
  readonly #small = new Map<string, number>()

  /** Executes the work of a client's file with `length` characters. A large file first waits until the limits allow it. */
  readonly within =
    (principal: Principal, length: number) =>
    <A, E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<A, E | Overloaded, R> =>
      length <= smallFile
        ? this.#smallOne(shareOf(principal).business, work)
        : Effect.uninterruptibleMask((restore) => {
          const { business, client } = shareOf(principal)
          const waiter: Waiter = {
            keys: [business, `${business} ${client}`],
            length,
            turn: Deferred.makeUnsafe(),
            hasBegun: false
          }
          this.#waiting.add(waiter)
          this.#next()
          return Effect.ensuring(
            restore(Effect.andThen(waiter.hasBegun ? Effect.void : waitFor(waiter), work)),
            Effect.sync(() => this.#leave(waiter))
          )
        })

  #smallOne<A, E, R>(business: string, work: Effect.Effect<A, E, R>): Effect.Effect<A, E | Overloaded, R> {
    return Effect.suspend((): Effect.Effect<A, E | Overloaded, R> => {
      const count = this.#small.get(business) ?? 0
      if (count >= smallFilesAtOnce) return Effect.fail(overloaded())
      this.#small.set(business, count + 1)
      return Effect.ensuring(
        work,
        Effect.sync(() => {
          const rest = (this.#small.get(business) ?? 1) - 1
          if (rest === 0) this.#small.delete(business)
          else this.#small.set(business, rest)
        })
      )
    })
  }

  /** Removes a file that has ended or stops waiting, and begins the files that now fit. */
  #leave(waiter: Waiter): void {
    this.#waiting.delete(waiter)
    if (this.#begun.delete(waiter)) this.#held -= waiter.length
    if (this.#begun.size + this.#waiting.size === 0) this.#turns.clear()
    this.#next()
  }

  /**
   * Begins files in their turns as long as they fit. If the next file does not fit, no smaller file overtakes it, so that it cannot wait
   * for ever.
   */
  #next(): void {
    for (let next = this.#first(); next !== undefined; next = this.#first()) {
      if (this.#held > 0 && this.#held + next.length > mostText) return
      this.#waiting.delete(next)
      this.#begun.add(next)
      this.#held += next.length
      this.#turn++
      for (const key of next.keys) this.#turns.set(key, this.#turn)
      next.hasBegun = true
      Deferred.doneUnsafe(next.turn, Effect.void)
    }
  }

  /**
   * The next file. Among the businesses within their limit, it chooses the business with the fewest files in progress, then the business
   * whose last turn is longest ago. It chooses a client of this business by the same rule, and then the client's first file.
   */
  #first(): Waiter | undefined {
    const counts = new Map<string, number>()
    const lengths = new Map<string, number>()
    for (const { keys, length } of this.#begun) {
      for (const key of keys) counts.set(key, (counts.get(key) ?? 0) + 1)
      lengths.set(keys[0], (lengths.get(keys[0]) ?? 0) + length)
    }
    let first: Waiter | undefined
    let best: ReadonlyArray<number> = []
    for (const waiter of this.#waiting) {
      const own = lengths.get(waiter.keys[0]) ?? 0
      if (own > 0 && own + waiter.length > mostText / 2) continue
      const rank = waiter.keys.flatMap((key) => [counts.get(key) ?? 0, this.#turns.get(key) ?? 0])
      const at = rank.findIndex((value, at) => value !== best[at])
      if (first === undefined || (at >= 0 && rank[at]! < best[at]!)) [first, best] = [waiter, rank]
    }
    return first
  }
}

/** Waits for the turn of a file, at most for a fixed time. */
const waitFor = ({ turn }: Waiter): Effect.Effect<void, Overloaded> =>
  idle(Effect.timeoutOrElse(Deferred.await(turn), {
    duration: waitMillis,
    orElse: () => Effect.failSync(overloaded)
  }))
