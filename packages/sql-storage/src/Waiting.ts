/**
 * How long an operation waits for a connection of its own, or for its turn among those of the same key.
 *
 * Guarantee: what has not been let in within the limit is given up as `StorageUnavailable`, and has done nothing. A
 * database that is slow makes its clients come back, rather than all of them wait for as long as it may be silent.
 */
import { StorageUnavailable } from "@dockline/core/Errors"
import { Effect } from "effect"
import { countUnavailable, waiting } from "./StorageMetrics.ts"

/** Runs an effect once it is let in by `enter`, or gives up after so long. Once it is in, it takes its time. */
export const letIn = <A, E, R>(
  enter: (effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>,
  effect: Effect.Effect<A, E, R>,
  millis: number
): Effect.Effect<A, E | StorageUnavailable, R> =>
  Effect.suspend(() => {
    let state: "waiting" | "in" | "over" = "waiting"
    const entered = Effect.suspend(() => {
      // It was let in just as it was given up.
      if (state === "over") return Effect.interrupt
      state = "in"
      return effect
    })
    const givenUp = Effect.suspend(() => {
      if (state === "in") return Effect.never
      state = "over"
      const cause = new Error(`No connection was free within ${millis} ms`)
      return Effect.andThen(countUnavailable("busy"), Effect.fail(new StorageUnavailable({ cause })))
    })
    return Effect.raceFirst(
      waiting(enter, entered),
      Effect.andThen(Effect.sleep(millis), givenUp)
    )
  })
