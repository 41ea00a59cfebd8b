/**
 * The error that stops the benchmark: a message for the person who runs it.
 */
import { Data, Effect } from "effect"

/** The benchmark cannot go on, or its result would not count. */
export class BenchError extends Data.TaggedError("BenchError")<{ readonly message: string }> {}

/** Waits for a promise; its rejection becomes a {@link BenchError} that names the attempt. */
export const attempt = <A>(what: string, run: () => Promise<A>): Effect.Effect<A, BenchError> =>
  Effect.tryPromise({
    try: run,
    catch: (cause) =>
      new BenchError({ message: `${what}: ${cause instanceof Error ? cause.message : String(cause)}` })
  })

/** Writes a line about the progress to standard error, so that standard output only has the result. */
export const say = (line: string): Effect.Effect<void> =>
  Effect.sync(() => void process.stderr.write(`${line}\n`))
