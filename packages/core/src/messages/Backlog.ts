/**
 * Processes the backlogs of cursors over the log of messages, for example to notify partners or to publish events. A capability lists its
 * entries with a backlog, does the work of one entry, and stores its own cursors.
 *
 * Guarantee: a round works on each due entry once, however many there are. An entry whose work fails does not stop the others, and is
 * retried after growing pauses. A wake-up decides when the log is read, never what is read.
 *
 * ```ts
 * const round = Backlog.makeRound({ behind: store.behind, keyOf, work: publish, failureOf, atOnce: 2 })
 * yield* Backlog.run(round, { watch: store.watch, failure: "Publishing failed" })
 * ```
 */
import { Cause, Clock, Effect, Latch } from "effect"
import type { Scope } from "effect"
import type { StorageUnavailable } from "../values/Errors.ts"
import type { MessagePage, MessageQuery } from "./Message.ts"
import type { MessageLog } from "./MessageLog.ts"

/** The entries with a backlog, and the work of an entry. */
export interface Backlog<Entry, Failure> {
  /** The entries with a backlog, at most `limit`, in a fixed order after an entry. */
  readonly behind: (limit: number, after: Entry | undefined) => Effect.Effect<ReadonlyArray<Entry>, Failure>
  /** The key that identifies an entry. */
  readonly keyOf: (entry: Entry) => string
  /** Advances the cursor of an entry, not always to the end of the log. */
  readonly work: (entry: Entry) => Effect.Effect<void, unknown>
  /** The text for the log of the service when the work of an entry fails. */
  readonly failureOf: (entry: Entry) => string
  /** The number of entries that are worked on at once. */
  readonly atOnce: number
  /** Receives the number of entries with a backlog after each round. */
  readonly note?: (count: number) => Effect.Effect<void>
}

/** The pause after a round, and after a round without work, in milliseconds. Messages come in bursts. */
const [pauseMillis, idleMillis] = [200, 1000]

/** The longest wait for a wake-up after the pause, in milliseconds. */
const pollMillis = 5000

/** The pause after the first failure of an entry, and the longest pause after repeated failures, in milliseconds. */
const [failedMillis, longestMillis] = [1000, 300_000]

/** The most entries that are listed at once. */
const lookSize = 100

/** A reader of a log: its cursor, its name in the log of the service, and how its cursor skips dropped messages. */
export interface LogReader {
  readonly cursorId: number
  /** The most messages of a page. */
  readonly limit: number
  /** The name of the reader, as the beginning of a sentence: `Events of acme`. */
  readonly name: string
  /** Moves the cursor to the last message that was dropped by age. */
  readonly skipTo: (droppedId: number) => Effect.Effect<unknown, StorageUnavailable>
}

/**
 * Reads the messages after a cursor. If messages were dropped before they were read, the cursor skips them, and the result is `undefined`.
 * The result is also `undefined` if the log ends before the cursor, which only an operator can repair. Both are logged.
 */
export const readLog = (
  log: MessageLog["Service"],
  query: MessageQuery,
  { cursorId, limit, name, skipTo }: LogReader
): Effect.Effect<MessagePage | undefined, StorageUnavailable> =>
  Effect.catchTags(log.read(query, { afterId: cursorId }, limit), {
    HistoryExpired: ({ droppedId }) =>
      Effect.logWarning(`${name}: messages up to ${droppedId} may have been dropped before they were read`)
        .pipe(
          Effect.andThen(skipTo(droppedId)),
          Effect.as(undefined)
        ),
    CursorAhead: ({ newestId }) =>
      Effect.as(
        Effect.logError(
          `${name}: the log was read up to message ${cursorId}, and ends at ${newestId}; see dockline message advance`
        ),
        undefined
      )
  })

/** The failures of an entry: their number in a row, and the time of the next attempt, in milliseconds since 1970. */
interface FailureEntry {
  readonly times: number
  readonly againAt: number
}

/** Makes the effect of a round, which returns whether no entry was due. Failures are remembered between rounds. */
export const makeRound = <Entry, Failure>(
  { atOnce, behind: entriesBehind, failureOf, keyOf, note = () => Effect.void, work }: Backlog<Entry, Failure>
): Effect.Effect<boolean, Failure> => {
  const failures = new Map<string, FailureEntry>()

  const workOrPutOff = (entry: Entry): Effect.Effect<void> => {
    const key = keyOf(entry)
    return Effect.matchCauseEffect(work(entry), {
      onSuccess: () => Effect.sync(() => void failures.delete(key)),
      onFailure: (cause) => {
        if (Cause.hasInterrupts(cause)) return Effect.interrupt
        const times = failures.get(key)?.times ?? 0
        const pause = Math.min(failedMillis * 2 ** times, longestMillis)
        return Effect.flatMap(Clock.currentTimeMillis, (now) => {
          failures.set(key, { times: times + 1, againAt: now + pause })
          return Effect.logWarning(`${failureOf(entry)}; trying again in ${pause / 1000} s`, cause)
        })
      }
    })
  }

  return Effect.gen(function*() {
    const keys = new Set<string>()
    let isDone = true
    for (let after: Entry | undefined, isMore = true; isMore;) {
      const behind: ReadonlyArray<Entry> = yield* entriesBehind(lookSize, after)
      const now = yield* Clock.currentTimeMillis
      const due = behind.filter((entry) => (failures.get(keyOf(entry))?.againAt ?? 0) <= now)
      for (const entry of behind) keys.add(keyOf(entry))
      yield* Effect.forEach(due, workOrPutOff, { concurrency: atOnce, discard: true })
      isDone &&= due.length === 0
      after = behind.at(-1)
      isMore = behind.length === lookSize
    }
    yield* note(keys.size)
    for (const key of failures.keys()) if (!keys.has(key)) failures.delete(key)
    return isDone
  })
}

/** Runs rounds until the scope ends. */
export const run = <Failure>(
  round: Effect.Effect<boolean, Failure>,
  { failure, watch }: {
    /** Calls a function whenever there may be new messages, until the scope ends. */
    readonly watch: (wake: () => void) => Effect.Effect<void, never, Scope.Scope>
    /** The text for the log of the service when a round fails. */
    readonly failure: string
  }
): Effect.Effect<void, never, Scope.Scope> =>
  Effect.gen(function*() {
    const wakeup = Latch.makeUnsafe(true)
    yield* watch(() => wakeup.openUnsafe())
    const turn = Effect.gen(function*() {
      // The latch is closed before the round, so that messages appended during the round open it again.
      wakeup.closeUnsafe()
      const isDone = yield* round
      yield* Effect.sleep(isDone ? idleMillis : pauseMillis)
      if (isDone) yield* Effect.timeoutOption(wakeup.await, pollMillis)
    })
    yield* turn.pipe(
      Effect.withTracerEnabled(false),
      Effect.catchCause((cause) =>
        Cause.hasInterrupts(cause)
          ? Effect.failCause(cause)
          : Effect.andThen(Effect.logWarning(`${failure}; trying again`, cause), Effect.sleep(failedMillis))
      ),
      Effect.forever,
      Effect.forkScoped
    )
  })
