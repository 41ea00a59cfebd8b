/**
 * Reads from the service again and again, until the run is interrupted or nothing more can come.
 *
 * Guarantee: once following has begun, a passing failure, such as a restart of the service, does not end it.
 */
import { Duration, Effect } from "effect"
import * as Arguments from "../Arguments.ts"
import { isPassing, messageOf, Refusal } from "../Failure.ts"
import { Screen } from "../Screen.ts"

/** The flag `--interval`. */
export const interval = Arguments.seconds("interval", "Seconds between two reads", 1)

const longestWaitMillis = 30_000

const longestAskedMillis = 24 * 3_600_000

const waitMillis = (error: unknown, failures: number): number =>
  Math.max(
    Math.min(1000 * 2 ** failures, longestWaitMillis),
    error instanceof Refusal ? Math.min(1000 * (error.retryAfter ?? 0), longestAskedMillis) : 0
  )

/** Reads; a failure that may pass is reported once, and the read is tried again, later each time. */
const patiently = Effect.fnUntraced(function*<A, E, R>(read: Effect.Effect<A, E, R>) {
  const { say } = yield* Screen
  const attempt = (failures: number): Effect.Effect<A, E, R> =>
    Effect.catch(read, (error) =>
      isPassing(error)
        ? (failures === 0 ? say(`${messageOf(error)}\nTrying again until it answers.`) : Effect.void).pipe(
          Effect.andThen(Effect.sleep(waitMillis(error, failures))),
          Effect.andThen(attempt(failures + 1))
        )
        : Effect.fail(error))
  return yield* attempt(0)
})

/** A watcher pauses for this many times the duration of an answer, so that many watchers leave the service room. */
const restFactor = 10

/** What was read, and how long that took. */
export interface Timing<A> {
  readonly value: A
  readonly tookMillis: number
}

/** Reads patiently, and measures the read that succeeds. */
export const withTiming = <A, E, R>(read: Effect.Effect<A, E, R>) =>
  patiently(Effect.map(Effect.timed(read), ([took, value]): Timing<A> => ({
    value,
    tookMillis: Duration.toMillis(took)
  })))

/** The pause before the next read. */
export const rest = (seconds: number, tookMillis: number): Effect.Effect<void> =>
  Effect.sleep(Math.max(seconds * 1000, tookMillis * restFactor))
