/** Clocks of instances that differ from that of the database. */
import { Effect } from "effect"
import { vi } from "vitest"

/** A day, in seconds. */
export const day = 86_400

/** The work of an instance whose clock differs from the database's by some seconds: ahead, or, if negative, behind. */
export const ahead = (seconds: number) => <A, E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.acquireUseRelease(
    Effect.sync(() => vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + seconds * 1000 })),
    () => work,
    () => Effect.sync(() => vi.useRealTimers())
  )
