/**
 * Drops expired rows in batches: every hour, and again within seconds if rows were locked or a statement failed.
 *
 * Guarantee: a round is done only when a look-up has found nothing, because a batch may drop nothing while other transactions lock its rows
 * or drop them first. The locked rows of a key delay the others by at most a second. A failed round is logged and repeated within
 * {@link longestPause}. All batches of a round use the same time of expiry, which a wrong clock does not affect ({@link cutoff}, D21.5).
 */
import type { StorageUnavailable } from "@dockline/core/values/Errors"
import * as Metrics from "@dockline/core/values/Metrics"
import * as Timestamp from "@dockline/core/values/Timestamp"
import { Cause, Clock, Effect, Schema } from "effect"
import type { Scope } from "effect"
import type { Operations } from "../connections/StoreOperations.ts"

/** The outcome of a statement that drops rows with a key. */
export interface Batch {
  readonly count: number
  /** The id after which the next batch begins; `null` after the last batch. */
  readonly next: number | null
}

/** Expired rows by key, such as a log or an endpoint. */
export interface Expired<Key, E> {
  /** The time of expiry for a round: earlier rows have expired. */
  readonly since: Effect.Effect<string, E>
  /** Finds all keys with expired rows, locked or not. */
  readonly look: (since: string) => Effect.Effect<ReadonlyArray<Key>, E>
  /** Drops a batch of rows with a key whose ids are higher than `after`; `"held"` if a lock was not granted within a second. */
  readonly drop: (key: Key, after: number, since: string) => Effect.Effect<Batch | "held", E>
}

/** The outcome of a round over all keys. */
export interface Round {
  readonly count: number
  /** Whether no expired row is left; otherwise other transactions lock the remaining rows. */
  readonly isDone: boolean
}

/** The most rows of a table that one statement drops. */
const batchSize = 1000

const clockJump = Metrics.sampledGauge(
  "dockline_storage_clock_jump_seconds",
  "How far the clock of the database is ahead of the clock of retention, because it has jumped or the service was off; 0 without a jump",
  []
)

/** The result of `retention_time`; times are in milliseconds. */
export const RetentionTime = Schema.Struct({
  time: Schema.Number,
  jump: Schema.Number,
  isNew: Schema.Boolean
})

/**
 * The time before which rows with this retention have expired, by the clock of the database or of this instance, whichever is behind, so
 * that one fast clock drops nothing. If the program provides a clock, only that clock counts. If the clock of the database has jumped,
 * which may also be the clock of this instance, its time from before the jump counts until the service has run for a day.
 */
export const cutoff = (
  { call, write }: Operations,
  retentionMillis: number
): Effect.Effect<string, StorageUnavailable> =>
  Effect.gen(function*() {
    const here = yield* Clock.currentTimeMillis
    if ((yield* Timestamp.givenNow) !== null) return Timestamp.fromMillis(here - retentionMillis)
    const { isNew, jump, time } = yield* write()(call(RetentionTime)`dockline.retention_time()`)
    yield* Metrics.update(clockJump.of(), jump / 1000)
    if (isNew) {
      yield* Effect.logWarning(
        `The clock of the database is ${
          Math.round(jump / 3_600_000)
        } hours ahead of when expired data was looked for last, at \
${
          Timestamp.fromMillis(time)
        }. If the clock is wrong, set it right now: nothing that has expired since is dropped before the service has run for a day. \
If the service was off, there is nothing to do`
      )
    }
    return Timestamp.fromMillis(Math.min(here, time) - retentionMillis)
  })

/** The outcome of a batch that has no order of ids: a batch smaller than the permitted size is the last. */
export const batchOf = (count: number, size: number): Batch => ({
  count,
  next: count < size ? null : 1
})

/** The expired rows of a whole table, in the order of their times. Rows that another transaction has locked are skipped. */
export const ofTable = (
  means: Operations,
  { at, key, name }: { readonly name: string; readonly at: string; readonly key: ReadonlyArray<string> },
  retentionMillis: number
): Expired<"all", StorageUnavailable> => {
  const run = (text: string, since: string) => means.write()(means.sql.unsafe(text, [since]))
  const same = key.map((column) => `t.${column} = old.${column}`).join(" and ")
  return {
    since: cutoff(means, retentionMillis),
    look: (since) =>
      Effect.map(
        run(
          `select 1 as found from dockline.${name} where ${at} <= $1::timestamptz order by ${at} limit 1`,
          since
        ),
        (rows) => rows.map(() => "all" as const)
      ),
    drop: (_key, _after, since) =>
      Effect.map(
        run(
          `delete from dockline.${name} t using (
          select ${key.join(", ")} from dockline.${name} where ${at} <= $1::timestamptz
          order by ${[at, ...key].join(", ")} limit ${batchSize} for update skip locked) as old
        where ${same} and t.${at} <= $1::timestamptz returning 1 as dropped`,
          since
        ),
        ({ length }) => batchOf(length, batchSize)
      )
  }
}

const dropKey = <Key, E>({ drop }: Expired<Key, E>, key: Key, since: string) =>
  Effect.gen(function*() {
    let count = 0
    for (let after = 0;;) {
      const batch = yield* drop(key, after, since)
      if (batch === "held") return { count, held: true }
      count += batch.count
      if (batch.next === null) return { count, held: false }
      after = batch.next
    }
  })

/** Drops expired rows until a look-up finds none, a lock is not granted in time, or a pass over all keys drops nothing. */
export const round = <Key, E>(expired: Expired<Key, E>): Effect.Effect<Round, E> =>
  Effect.gen(function*() {
    const since = yield* expired.since
    let count = 0
    for (;;) {
      const keys = yield* expired.look(since)
      if (keys.length === 0) return { count, isDone: true }
      const results = yield* Effect.forEach(keys, (key) => dropKey(expired, key, since))
      const now = results.reduce((sum, result) => sum + result.count, 0)
      count += now
      if (now === 0 || results.some(({ held }) => held)) return { count, isDone: false }
    }
  })

const unclean = Metrics.sampledGauge(
  "dockline_storage_expired_seconds",
  "The longest time for which expired rows may have waited for their deletion: since none was left",
  ["kind"]
)

/** The pause after a round that left no expired row, in milliseconds. */
const period = 3_600_000

/** The first pause after a round that left expired rows or failed, in milliseconds; it doubles after each such round that drops nothing. */
const firstPause = 1000

/** The longest pause after a round that left expired rows or failed, in milliseconds. */
export const longestPause = 30_000

/** Runs rounds until the scope closes, the first at once. Metrics and the log name the kind of the expired rows, such as `messages`. */
export const run = Effect.fnUntraced(function*<Key, E>(
  kind: string,
  expired: Expired<Key, E>
): Effect.fn.Return<void, never, Scope.Scope> {
  const clock = yield* Clock.Clock
  const now = () => Number(clock.monotonicTimeNanosUnsafe()) / 1e9
  let cleanAt = now()
  yield* Metrics.observe(unclean.of(kind), () => now() - cleanAt)
  const once = Effect.suspend(() => {
    const startedAt = now()
    return Effect.map(round(expired), (result) => {
      if (result.isDone) cleanAt = startedAt
      return result
    })
  }).pipe(
    Effect.catchCause((cause) =>
      Cause.hasInterrupts(cause)
        // An interruption is no failure of any type.
        ? Effect.failCause(cause as Cause.Cause<never>)
        : Effect.as(
          Effect.logWarning(`Could not drop expired ${kind.replace("_", " ")}; trying again`, cause),
          { count: 0, isDone: false }
        )
    )
  )
  const rounds = Effect.gen(function*() {
    for (let pause = firstPause;;) {
      const { count, isDone } = yield* once
      yield* Effect.sleep(isDone ? period : pause)
      // The pause grows only while nothing is dropped.
      pause = isDone || count > 0 ? firstPause : Math.min(pause * 2, longestPause)
    }
  })
  yield* Effect.forkScoped(rounds)
})
