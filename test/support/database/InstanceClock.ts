/** Clocks of instances that differ from that of the database. */
import { Effect } from "effect"
import { vi } from "vitest"

/** A day, in seconds. */
export const day = 86_400

/** Work of an instance whose clock is ahead of the database's by some seconds, or behind it. */
export const ahead = (seconds: number) => <A, E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.acquireUseRelease(
    Effect.sync(() => vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + seconds * 1000 })),
    () => work,
    () => Effect.sync(() => vi.useRealTimers())
  )
