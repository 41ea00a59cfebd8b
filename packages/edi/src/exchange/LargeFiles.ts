/**
 * Lets few large files be read and done at once (D23.7): a file of many short segments takes some thirty times its length of memory until it is
 * answered.
 *
 * Guarantee: the characters of the large files that are done at a time are bounded, and those of a business by half of that, though one file always
 * has room. Small files never
 * wait, and those of a business are bounded in number. A large one waits for a bounded time, in the share of its client only, and is to be sent again then; one whose client goes away
 * waits no longer. Businesses take turns, however many clients each has, and the clients of a business within it.
 */
import type { Principal } from "@dockline/core/access/Access"
import { idle, overloaded } from "@dockline/core/access/RequestLimits"
import * as Share from "@dockline/core/access/Share"
import type { Overloaded } from "@dockline/core/values/RequestErrors"
import { Deferred, Effect } from "effect"

/** The longest file that counts as small, in characters. */
export const smallFile = 128 * 1024

/**
 * The most small files of a business that are done at a time: more than a server lets it send at once, as those whose clients have gone away
 * are done too.
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
  /** The files that are being done, and those that wait, in their order. */
  readonly #begun = new Set<Waiter>()
  readonly #waiting = new Set<Waiter>()
  /** The turn in which each business and each client last began a file. */
  readonly #turns = new Map<string, number>()
  #turn = 0
  /** How many small files each business has under way. */
  readonly #small = new Map<string, number>()

  /** Does the work of a file of a client, of so many characters, when there is room for it. */
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

  /** Ends a file that was begun or that stops waiting, and lets go of its text. */
  #leave(waiter: Waiter): void {
    this.#waiting.delete(waiter)
    if (this.#begun.delete(waiter)) this.#held -= waiter.length
    if (this.#begun.size + this.#waiting.size === 0) this.#turns.clear()
    this.#next()
  }

  /**
   * Begins the files that have room, in their turns. No file passes a larger one that waits, which could otherwise wait without end.
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
   * The file whose turn it is: of the business with room that has fewest files under way, or whose turn was longest ago; within it of the
   * client by the same rule; of one client the first.
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

/** Waits for the turn of a file, as long as its client does, and for a bounded time. */
const waitFor = ({ turn }: Waiter): Effect.Effect<void, Overloaded> =>
  idle(Effect.timeoutOrElse(Deferred.await(turn), {
    duration: waitMillis,
    orElse: () => Effect.failSync(overloaded)
  }))
