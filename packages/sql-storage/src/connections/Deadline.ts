/**
 * The deadline of storage operations, for a database that falls silent.
 *
 * Guarantee: a storage operation ends within its deadline, although the driver cannot be interrupted while it waits for the
 * answer to `BEGIN`, `COMMIT` or a cancellation: the operation is left to a fiber of its own, which ends when its silent
 * connection is broken (`Silence.ts`).
 */
import { StorageUnavailable } from "@dockline/core/values/Errors"
import { Context, Effect, Fiber, Option } from "effect"
import { countUnavailable } from "./StorageMetrics.ts"

/** The longest time of a storage operation. */
export interface DeadlineConfig {
  readonly millis: number
  /** The longest wait until the operation begins. */
  readonly waitMillis: number
}

/** The deadline of storage operations; `Database.layer` sets it from its statement timeout. */
export const Deadline: Context.Reference<DeadlineConfig> = Context.Reference<DeadlineConfig>(
  "@dockline/sql-storage/Deadline",
  { defaultValue: () => ({ millis: 35_000, waitMillis: 10_000 }) }
)

/** Fails with `StorageUnavailable` at the deadline, and leaves what cannot be interrupted to its fiber. */
export const within = <A, E, R>(
  effect: Effect.Effect<A, E, R>,
  millis: number
): Effect.Effect<A, E | StorageUnavailable, R> =>
  Effect.uninterruptibleMask((restore) =>
    Effect.gen(function*() {
      const fiber = yield* Effect.forkDetach(effect, { startImmediately: true })
      const exit = yield* restore(Effect.timeoutOption(Fiber.await(fiber), millis)).pipe(
        Effect.onInterrupt(() => Fiber.interrupt(fiber))
      )
      if (Option.isSome(exit)) return yield* exit.value
      fiber.interruptUnsafe()
      yield* countUnavailable("silent")
      return yield* new StorageUnavailable({ cause: new Error(`No answer within ${millis} ms`) })
    })
  )
