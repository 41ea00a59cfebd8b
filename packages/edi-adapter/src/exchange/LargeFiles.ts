/**
 * Lets few large files be read and done at once: a file of many short segments takes some thirty times its length of memory until it is
 * answered.
 *
 * Guarantee: the characters of the large files that are done at a time are bounded, though one file always has room. Small files never
 * wait. A large one waits for a bounded time, and is to be sent again then; a client that has one waits behind those that have none.
 */
import { overloaded } from "@dockline/core/internal/access/RequestLimits"
import type { Overloaded } from "@dockline/core/internal/values/RequestErrors"
import { Deferred, Effect } from "effect"

/** The longest file that counts as small, in characters. */
export const smallFile = 128 * 1024

/** The most characters of large files at a time, and the longest wait for room, in milliseconds. */
const [mostText, waitMillis] = [12 * 1024 * 1024, 10_000]

interface Waiter {
  readonly client: string
  readonly length: number
  readonly turn: Deferred.Deferred<void>
  hasBegun: boolean
}

export class LargeFiles {
  #held = 0
  /** How many large files of each client are done. */
  readonly #clients = new Map<string, number>()
  #waiting: ReadonlyArray<Waiter> = []

  /** Does the work of a file of a client, of so many characters, when there is room for it. */
  readonly within =
    (client: string, length: number) =>
    <A, E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<A, E | Overloaded, R> =>
      length <= smallFile
        ? work
        : Effect.acquireUseRelease(
          this.#enter(client, length),
          () => work,
          () => Effect.sync(() => this.#leave(client, length))
        )

  #enter(client: string, length: number): Effect.Effect<void, Overloaded> {
    return Effect.suspend(() => {
      const waiter: Waiter = { client, length, turn: Deferred.makeUnsafe(), hasBegun: false }
      this.#waiting = [...this.#waiting, waiter]
      this.#next()
      return Effect.timeoutOrElse(Deferred.await(waiter.turn), {
        duration: waitMillis,
        orElse: () =>
          Effect.suspend(() => {
            if (waiter.hasBegun) return Effect.void
            this.#waiting = this.#waiting.filter((each) => each !== waiter)
            return Effect.fail(overloaded())
          })
      })
    })
  }

  #leave(client: string, length: number): void {
    this.#held -= length
    const left = (this.#clients.get(client) ?? 1) - 1
    if (left === 0) this.#clients.delete(client)
    else this.#clients.set(client, left)
    this.#next()
  }

  /** Begins those that have room, in their order: none passes a larger one, which would wait without end. */
  #next(): void {
    for (;;) {
      const next = this.#waiting.find(({ client }) => !this.#clients.has(client)) ?? this.#waiting[0]
      if (next === undefined || (this.#held > 0 && this.#held + next.length > mostText)) return
      this.#waiting = this.#waiting.filter((each) => each !== next)
      this.#held += next.length
      this.#clients.set(next.client, (this.#clients.get(next.client) ?? 0) + 1)
      next.hasBegun = true
      Deferred.doneUnsafe(next.turn, Effect.void)
    }
  }
}
