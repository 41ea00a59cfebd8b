/** The time of a change of which a list tells: it is taken after all that the change waits for, so that who reads by the clock misses none (D21.1). */
import { assert } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { SqlClient } from "effect/sql"
import { lockWaiters } from "./Movements.ts"

/** A change that waits for a lock, and the times of a list, the newest first, that tells of it. */
export interface Waiting<W, L, T> {
  readonly write: Effect.Effect<unknown, unknown, W>
  /** Holds the lock until it is committed. */
  readonly lock: Effect.Effect<{ readonly commit: Effect.Effect<unknown, unknown> }, unknown, L>
  readonly times: Effect.Effect<ReadonlyArray<string>, unknown, T>
}

/** Holds the list against the clock at the moment in which the change gets its lock. */
export const isAfterTheWait = Effect.fnUntraced(function*<W, L, T>({ lock, times, write }: Waiting<W, L, T>) {
  const sql = yield* SqlClient.SqlClient
  const before = (yield* times).length
  const hold = yield* lock
  const waiting = yield* Effect.forkChild(write)
  yield* lockWaiters(1)
  // Whoever reads by the time of the wall clock has read up to here.
  const [clock] = yield* sql<{ read: string }>`select dockline.rfc3339(clock_timestamp()) as read`
  yield* hold.commit
  yield* Fiber.join(waiting)
  const [newest, ...others] = yield* times
  assert.strictEqual(others.length, before)
  assert.isAtLeast(Date.parse(newest!), Date.parse(clock!.read))
})
