/**
 * Starting while the database is away, or going away while the server starts: it is waited for, and said so. A server
 * that ended instead would take the answers of the requests with it that it takes already.
 */
import { StorageUnavailable } from "@dockline/core/Errors"
import { isAway, isRefused } from "@dockline/sql-storage/StorageErrors"
import { Cause, Effect, Layer, Schedule } from "effect"
import { Migrator, SqlError } from "effect/sql"
import * as StartFailure from "./StartFailure.ts"

/** How often a step of the start is repeated, a second after the one before. */
const repeats = 30

/** Repeats a step of the start while the database is away; whatever else fails, fails at once. */
export const awaited = <A, E, R>(step: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
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

/** {@link awaited} for what is built; each time it is built anew. */
export const awaitedLayer = <A, E, R>(layer: Layer.Layer<A, E, R>): Layer.Layer<A, E, R> =>
  Layer.effectContext(awaited(Layer.build(Layer.fresh(layer))))

/** Where a transaction breaks, its rollback fails too, which is a defect beside the failure. */
const errorsOf = (cause: Cause.Cause<unknown>): ReadonlyArray<unknown> =>
  Cause.hasInterrupts(cause) ?
    [] :
    cause.reasons.flatMap((reason) =>
      reason._tag === "Fail" ? [reason.error] : reason._tag === "Die" ? [reason.defect] : []
    )

/**
 * Away, coming up, being migrated by another instance, or in use so that a migration had no turn. A wrong password, a
 * database that nobody has created, and TLS that one side does not want do not get better by waiting: who runs the
 * server is told at once, and may start it again.
 */
const isNotReady = (error: unknown): boolean =>
  isAway(error) || (error instanceof StorageUnavailable && !isRefused(error.cause)) ||
  (SqlError.isSqlError(error) && error.reason._tag === "LockTimeoutError") ||
  (error instanceof Migrator.MigrationError && isNotReady(error.cause))
