/**
 * Limits the number of large files that are read and executed at once (D23.7): until its answer is written, a file of many short segments
 * takes some thirty times its length of memory.
 *
 * Guarantee: the characters of the large files under way are bounded, and those of each business by half of that, though one file always
 * has room. Small files never wait, and those of each business are bounded in number. A large file waits for a bounded time, in the share
 * of its client only, and then has to be sent again; a file whose client goes away stops waiting. Businesses take turns, however many
 * clients each has, and so do the clients within a business.
 */
import type { Principal } from "@dockline/core/access/Access"
import { idle, overloaded } from "@dockline/core/access/RequestLimits"
import * as Share from "@dockline/core/access/Share"
import type { Overloaded } from "@dockline/core/values/RequestErrors"
import { Deferred, Effect } from "effect"

/** The longest file that counts as small, in characters. */
export const smallFile = 128 * 1024

/**
 * The most small files of a business under way at once: more than a server lets it send at once, because files whose clients have gone away
 * are completed too.
 */
export const smallFilesAtOnce = 64

/** The most characters of large files at a time, and the longest wait for room, in milliseconds. */
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
  /** The files under way, and those that wait, in their order. */
  readonly #begun = new Set<Waiter>()
  readonly #waiting = new Set<Waiter>()
  /** The turn in which each business and each client last began a file. */
  readonly #turns = new Map<string, number>()
  #turn = 0
  /** The number of small files of each business under way. */
  readonly #small = new Map<string, number>()

  /** Does the work of a file of a client, with this many characters, when there is room for it. */
  readonly within =
    (principal: Principal, length: number) =>
    <A, E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<A, E | Overloaded, R> =>
      length <= smallFile
        ? this.#smallOne(Share.ofPrincipal(principal).business, work)
        : Effect.uninterruptibleMask((restore) => {
          const { business, client } = Share.ofPrincipal(principal)
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

  /** Ends a file that was begun, or that stops waiting, and releases its text. */
  #leave(waiter: Waiter): void {
    this.#waiting.delete(waiter)
    if (this.#begun.delete(waiter)) this.#held -= waiter.length
    if (this.#begun.size + this.#waiting.size === 0) this.#turns.clear()
    this.#next()
  }

  /**
   * Begins the files that have room, in their turns. No file overtakes a waiting larger one, which otherwise might wait for ever.
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
   * The next file. Among businesses with room, it chooses the one with the fewest files under way, then the one whose last turn is longest
   * ago; within the business it chooses the client by the same rule, and then the client's first file.
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

/** Waits for the turn of a file, as long as its client waits, and at most for a fixed time. */
const waitFor = ({ turn }: Waiter): Effect.Effect<void, Overloaded> =>
  idle(Effect.timeoutOrElse(Deferred.await(turn), {
    duration: waitMillis,
    orElse: () => Effect.failSync(overloaded)
  }))
