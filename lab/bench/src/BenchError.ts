/**
 * Why the benchmark stops: a message for the person who runs it.
 */
import { Data, Effect } from "effect"

/** The benchmark cannot go on, or its result would not count. */
export class BenchError extends Data.TaggedError("BenchError")<{ readonly message: string }> {}

/** Waits for a promise; its rejection is a {@link BenchError} that says what was tried. */
export const attempt = <A>(what: string, run: () => Promise<A>): Effect.Effect<A, BenchError> =>
  Effect.tryPromise({
    try: run,
    catch: (cause) =>
      new BenchError({ message: `${what}: ${cause instanceof Error ? cause.message : String(cause)}` })
  })

/** A line about what is going on, on standard error, so that standard output holds the result alone. */
export const say = (line: string): Effect.Effect<void> =>
  Effect.sync(() => void process.stderr.write(`${line}\n`))
