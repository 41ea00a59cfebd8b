import * as Metrics from "@dockline/core/values/Metrics"
import { Effect, Metric } from "effect"
import type { SqlError } from "effect/sql"

const operations = [
  "document",
  "pallet",
  "step",
  "link",
  "exception",
  "append",
  "read_messages",
  "read_shipments",
  "read_documents",
  "webhook_ready",
  "webhook_open",
  "webhook_take",
  "webhook_settle",
  "webhook_backlog"
] as const

const durations = Metrics.histogram(
  "dockline_storage_operation_duration_seconds",
  "Duration of an operation of the storage, including waits for a connection and repeats after conflicts",
  [["operation", operations]]
)

/** Measures the duration of an operation. */
export const measured =
  (operation: (typeof operations)[number]) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Metrics.time(effect, durations.of(operation))

const conflicts = Metrics.counter(
  "dockline_storage_conflicts_total",
  "Transactions that were rolled back because of another one; they are repeated",
  [["reason", ["deadlock", "serialization", "unique"]]]
)

/** Counts a transaction that failed because of another one. */
export const countConflict = ({ reason: { _tag } }: SqlError.SqlError): Effect.Effect<void> =>
  Metric.update(
    conflicts.of(
      _tag === "DeadlockError" ? "deadlock" : _tag === "SerializationError" ? "serialization" : "unique"
    ),
    1
  )

const unavailableReasons = [
  "unreachable",
  "refused",
  "statement_timeout",
  "lock_timeout",
  "conflict",
  "read_only",
  "silent",
  "busy"
] as const

/** Why an operation failed as unavailable. */
export type UnavailableReason = (typeof unavailableReasons)[number]

const unavailable = Metrics.counter(
  "dockline_storage_unavailable_total",
  "Operations of the storage that were given up; most of them were answered 503",
  [["reason", unavailableReasons]]
)

/** Counts an operation that failed as unavailable. */
export const countUnavailable = (reason: UnavailableReason): Effect.Effect<void> =>
  Metric.update(unavailable.of(reason), 1)

const ofStates = (name: string, description: string) =>
  Metrics.gauge(name, description, [["state", ["running", "waiting"]]])

const transactions = ofStates(
  "dockline_storage_transactions",
  "Transactions that run, each with its own connection, and those that wait for a connection, their turn or a batch"
)

const reads = ofStates(
  "dockline_storage_reads",
  "Reads of clients that run, each on its own connection, and those that wait for a connection or for the share of their business"
)

/** Runs an effect through `enter`: the effect counts as waiting until it begins, then as running. */
const countedBy = (gauge: typeof transactions) =>
<A, E, R, E2, R2>(
  enter: (effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E2, R2>,
  effect: Effect.Effect<A, E, R>
): Effect.Effect<A, E2, R2> =>
  Effect.contextWith((context) => {
    const [running, waits] = [gauge.of("running"), gauge.of("waiting")]
    let state: typeof running | undefined
    const move = (to: typeof running | undefined): void => {
      state?.modifyUnsafe(-1, context)
      to?.modifyUnsafe(1, context)
      state = to
    }
    // An interruption at any time also ends the count.
    return Effect.acquireUseRelease(
      Effect.sync(() => move(waits)),
      () =>
        enter(Effect.suspend(() => {
          move(running)
          return effect
        })),
      () => Effect.sync(() => move(undefined))
    )
  })

/** Runs an effect through `enter`, and counts it as a transaction. */
export const waiting = countedBy(transactions)

/** Runs an effect through `enter`, and counts it as a read. */
export const reading = countedBy(reads)

/** Counts jobs that wait for a shared transaction. */
export const countWaiting: Effect.Effect<(change: 1 | -1) => void> = Effect.contextWith((context) =>
  Effect.succeed((change) => transactions.of("waiting").modifyUnsafe(change, context))
)

const gauge = (name: string, description: string) => Metrics.sampledGauge(name, description, [])

export const transactionLimit = gauge(
  "dockline_storage_transactions_limit",
  "Transactions of requests that may run at once in this process"
)

export const readLimit = gauge(
  "dockline_storage_reads_limit",
  "Reads of clients that may run at once in this process"
)

export const connections = gauge("dockline_storage_connections", "Open connections to the database")

export const connectionLimit = gauge(
  "dockline_storage_connections_limit",
  "Connections to the database that this process may have open"
)

export const clockOffset = gauge(
  "dockline_storage_clock_offset_seconds",
  "How far the clock of this process is ahead of the clock of the database; measured together with backlogs"
)
