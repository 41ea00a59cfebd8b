/**
 * Waits for a database that is away while the server starts, and logs that. A server that ended instead would leave
 * requests that it has accepted without an answer.
 */
import { StorageUnavailable } from "@dockline/core/values/Errors"
import { isAway, isRefused } from "@dockline/sql-storage/connections/StorageErrors"
import * as Migrations from "@dockline/sql-storage/schema/Migrations"
import { Cause, Effect, Layer, Schedule } from "effect"
import { Migrator, SqlError } from "effect/sql"
import * as StartFailure from "./StartFailure.ts"

/** The most repetitions of a step, one each second. */
const repeats = 30

/** Repeats a step of the start while the database is away; other failures are final. */
export const withWait = <A, E, R>(step: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  step.pipe(
    Effect.sandbox,
    Effect.retry({
      while: (cause) => {
        const error = errorsOf(cause).find(isNotReady)
        return error === undefined
          ? Effect.succeed(false)
          : Effect.as(
            Effect.logWarning(`The database is not ready yet: ${StartFailure.reasonOf(error)}`),
            true
          )
      },
      schedule: Schedule.spaced("1 second"),
      times: repeats
    }),
    Effect.catch((cause) => Effect.failCause(cause))
  )

/** {@link withWait} for a layer, which is built anew each time. */
export const awaitedLayer = <A, E, R>(layer: Layer.Layer<A, E, R>): Layer.Layer<A, E, R> =>
  Layer.effectContext(withWait(Layer.build(Layer.fresh(layer))))

/** Failures and defects: when a transaction breaks, its rollback fails too, as a defect. */
const errorsOf = (cause: Cause.Cause<unknown>): ReadonlyArray<unknown> =>
  Cause.hasInterrupts(cause) ?
    [] :
    cause.reasons.flatMap((reason) =>
      reason._tag === "Fail" ? [reason.error] : reason._tag === "Die" ? [reason.defect] : []
    )

/**
 * Whether the database is away, coming up, being migrated by another instance, or in use so that a migration had no turn.
 * Waiting does not fix a wrong password, a missing database, a mismatch of TLS, or the schema of another version: those
 * fail at once.
 */
const isNotReady = (error: unknown): boolean =>
  isAway(error) ||
  (error instanceof StorageUnavailable && !isRefused(error.cause) && !isOtherSchema(error.cause)) ||
  (SqlError.isSqlError(error) && error.reason._tag === "LockTimeoutError") ||
  (error instanceof Migrator.MigrationError && isNotReady(error.cause))

const isOtherSchema = (error: unknown): boolean =>
  error instanceof Migrations.SchemaOutdated || error instanceof Migrations.SchemaNewer
