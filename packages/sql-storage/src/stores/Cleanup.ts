/**
 * Dropping what has expired: in batches until nothing is left, again within seconds where something was held by others
 * or failed, else an hour later.
 *
 * Guarantee: that nothing is left is told by a look that found nothing, never by a batch that dropped nothing: rows may
 * be held by others, or be dropped by another instance. What is held delays the rest by no more than the wait for its
 * lock. A round that fails is logged, and begins anew within {@link longestPause}.
 */
import * as Metrics from "@dockline/core/Metrics"
import { Cause, Clock, Effect } from "effect"
import type { Scope } from "effect"

/** What one batch did. */
export interface Batch {
  readonly dropped: number
  /** After which id the next batch begins; `null` after the last one. */
  readonly next: number | null
}

/** What can be dropped, by the key under which it is found: a log, an endpoint. */
export interface Expired<Key, E> {
  /** The keys under which something waits to be dropped; all of them, held by others or not. */
  readonly look: Effect.Effect<ReadonlyArray<Key>, E>
  /** Drops a batch of a key, after an id; `"held"` where a lock was not given within a second or so. */
  readonly drop: (key: Key, after: number) => Effect.Effect<Batch | "held", E>
}

/** What a round did. */
export interface Round {
  readonly dropped: number
  /** Whether nothing was left at its end; otherwise what is left is held by others. */
  readonly isDone: boolean
}

/** Drops all that waits under a key; whether it was held is told by `held`. */
const dropKey = <Key, E>({ drop }: Expired<Key, E>, key: Key) =>
  Effect.gen(function*() {
    let dropped = 0
    for (let after = 0;;) {
      const batch = yield* drop(key, after)
      if (batch === "held") return { dropped, held: true }
      dropped += batch.dropped
      if (batch.next === null) return { dropped, held: false }
      after = batch.next
    }
  })

/** One round: as long as a look finds something and dropping gets on. */
export const round = <Key, E>(expired: Expired<Key, E>): Effect.Effect<Round, E> =>
  Effect.gen(function*() {
    let dropped = 0
    for (;;) {
      const keys = yield* expired.look
      if (keys.length === 0) return { dropped, isDone: true }
      const results = yield* Effect.forEach(keys, (key) => dropKey(expired, key))
      const now = results.reduce((sum, result) => sum + result.dropped, 0)
      dropped += now
      if (now === 0 || results.some(({ held }) => held)) return { dropped, isDone: false }
    }
  })

/** What is dropped. */
export const kinds = ["messages", "deliveries", "idempotent_answers"] as const

const unclean = Metrics.sampled(
  "dockline_storage_expired_seconds",
  "For how long at most something that has expired waits to be dropped: since nothing was left",
  ["kind"]
)

/** How long after a round that left nothing the next one begins, in milliseconds. */
const period = 3_600_000

/** How long after a round that left something, or failed, the next one begins, in milliseconds: twice as long each time. */
const firstPause = 1000

/** And no longer than that. */
export const longestPause = 30_000

/** Runs rounds for as long as the scope lasts, the first one at once. */
export const run = Effect.fnUntraced(function*<Key, E>(
  kind: (typeof kinds)[number],
  expired: Expired<Key, E>
): Effect.fn.Return<void, never, Scope.Scope> {
  const clock = yield* Clock.Clock
  // In the time of a clock that nobody sets.
  const now = () => Number(clock.monotonicTimeNanosUnsafe()) / 1e9
  let cleanAt = now()
  yield* Metrics.observe(unclean.of(kind), () => now() - cleanAt)
  const once = Effect.suspend(() => {
    const begun = now()
    return Effect.map(round(expired), (result) => {
      if (result.isDone) cleanAt = begun
      return result
    })
  }).pipe(
    Effect.catchCause((cause) =>
      Cause.hasInterrupts(cause)
        ? Effect.failCause(cause as Cause.Cause<never>)
        : Effect.as(
          Effect.logWarning(`Could not drop expired ${kind.replace("_", " ")}; trying again`, cause),
          { dropped: 0, isDone: false }
        )
    )
  )
  const rounds = Effect.gen(function*() {
    for (let pause = firstPause;;) {
      const { dropped, isDone } = yield* once
      yield* Effect.sleep(isDone ? period : pause)
      // What gets on, if slowly, is not waited for longer each time.
      pause = isDone || dropped > 0 ? firstPause : Math.min(pause * 2, longestPause)
    }
  })
  yield* Effect.forkScoped(rounds)
})
