/**
 * Classifies the failure of a statement: a conflict, an unavailable database, or a defect.
 *
 * Guarantee: `repeatConflicts` repeats a transaction after a serialization failure, a deadlock or a unique violation. `StorageUnavailable`
 * means that the database cannot be reached, refuses the login or is read-only, that no connection was free in time, that a statement or
 * its wait for a lock took too long, or that a conflict outlasted the repetitions. An interruption stays an interruption; every other SQL
 * failure is a defect.
 */
import { StorageUnavailable } from "@dockline/core/values/Errors"
import { Cause, Data, Effect, Predicate, Schedule } from "effect"
import { SqlError } from "effect/sql"
import type { PostgresHost } from "./PostgresUrl.ts"
import { countConflict, countUnavailable } from "./StorageMetrics.ts"
import type { UnavailableReason } from "./StorageMetrics.ts"

/** The number of repetitions after which a transaction with conflicts fails as `StorageUnavailable`. */
const maxRepeats = 20

const conflicts: ReadonlySet<string> = new Set(["DeadlockError", "SerializationError", "UniqueViolation"])

/** Whether a statement failed because of another transaction, so that a repetition is safe and may succeed. */
export const isConflict = (error: unknown): error is SqlError.SqlError =>
  SqlError.isSqlError(error) && conflicts.has(error.reason._tag)

/** A claim of a connection has waited for too long. */
class NoConnectionFree extends Data.TaggedError("NoConnectionFree")<{ readonly waitMillis: number }> {
  override get message(): string {
    return `No connection was free within ${this.waitMillis} ms`
  }
}

/** No host of the URL can be used; each has its own reason. */
export class NoHostWillDo extends Data.TaggedError("NoHostWillDo")<{
  readonly refusals: ReadonlyArray<{ readonly host: PostgresHost; readonly error: SqlError.SqlError }>
}> {
  override get message(): string {
    return this.refusals.map(({ error: { reason }, host }) =>
      `${host.host}:${host.port}: ${
        Predicate.isError(reason.cause) && reason.cause.message !== "" ? reason.cause.message : reason.message
      }`
    ).join("; ")
  }
}

/** The error of a claim of a connection that has waited for too long. */
export const noConnectionFree = (waitMillis: number): SqlError.SqlError =>
  new SqlError.SqlError({
    reason: new SqlError.ConnectionError({
      cause: new NoConnectionFree({ waitMillis }),
      message: "No connection was free",
      operation: "claim"
    })
  })

/** The SQLSTATE of an error, or the error code of Node. */
export const sqlState = ({ reason: { cause } }: SqlError.SqlError): string =>
  Predicate.hasProperty(cause, "code") && Predicate.isString(cause.code) ? cause.code : ""

/** The server has no TLS. */
export class TlsRefused extends Data.TaggedError("TlsRefused") {
  override get message(): string {
    return "The server does not support TLS"
  }
}

/** The error codes of Node for failures of TLS, including refused certificates. */
const tlsCodes =
  /^(?:ERR_TLS_|ERR_SSL_|CERT_|CRL_|UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_|INVALID_CA|PATH_LENGTH_)/

/** Whether TLS failed: the server does not support it, or a certificate is not accepted. */
export const isTlsRefused = (error: SqlError.SqlError): boolean =>
  error.reason.operation === "connect" &&
  (error.reason.cause instanceof TlsRefused || tlsCodes.test(sqlState(error)))

/** Whether the server refuses this user, database and encryption. */
export const isAuthorizationRefused = (error: SqlError.SqlError): boolean =>
  error.reason.operation === "connect" && sqlState(error) === "28000"

/** The SQLSTATEs of a server that is starting or stopping, or has run out of resources such as connections. */
const awayStates = /^(?:08|53|57P0|58)/

/** Whether a node of a cluster lost another node, which Citus reports as an internal error of a command. */
const isNodeLost = (error: SqlError.SqlError): boolean => {
  const { cause } = error.reason
  return sqlState(error) === "XX000" && Predicate.hasProperty(cause, "where") &&
    Predicate.isString(cause.where) && cause.where.startsWith("while executing command on ")
}

/** Whether the server does not know a start-up parameter. It must then be a pooler, because PostgreSQL knows all of them. */
export const isParameterUnknown = (error: SqlError.SqlError): boolean =>
  error.reason.operation === "connect" && sqlState(error) === "08P01"

/** Whether the database cannot be reached, has no free connection, or is starting: it may be available a little later. */
export const isAway = (error: unknown): boolean => {
  if (!SqlError.isSqlError(error)) return false
  const { _tag, cause } = error.reason
  if (cause instanceof NoHostWillDo) return cause.refusals.some((refusal) => isAway(refusal.error))
  return !isTlsRefused(error) && !isParameterUnknown(error)
    && (_tag === "ConnectionError" || awayStates.test(sqlState(error)) || isNodeLost(error))
}

/** Whether the database answers but refuses the connection: because of the password, the rights, the name of the database, or TLS. */
export const isRefused = (error: unknown): boolean =>
  SqlError.isSqlError(error) && error.reason.operation === "connect" && !isAway(error)

/** Whether the session may not write, as on a standby. */
export const isReadOnly = (error: SqlError.SqlError): boolean => sqlState(error) === "25006"

/** The reason why an operation was unavailable; `undefined` for a defect. */
const reasonOf = (error: SqlError.SqlError): UnavailableReason | undefined => {
  const { _tag, cause } = error.reason
  if (cause instanceof NoConnectionFree) return "busy"
  if (isAway(error)) return "unreachable"
  if (isRefused(error)) return "refused"
  if (_tag === "StatementTimeoutError") return "statement_timeout"
  if (_tag === "LockTimeoutError") return "lock_timeout"
  if (isConflict(error)) return "conflict"
  return isReadOnly(error) ? "read_only" : undefined
}

/**
 * Turns SQL failures of an effect into `StorageUnavailable` or a defect; other failures stay. If the connection of a transaction breaks,
 * its rollback fails too, as a defect beside the failure: both count as one failure.
 */
export const refine = <A, E, R>(
  effect: Effect.Effect<A, E | SqlError.SqlError, R>
): Effect.Effect<A, Exclude<E, SqlError.SqlError> | StorageUnavailable, R> =>
  Effect.catchCause(
    effect,
    (cause): Effect.Effect<never, Exclude<E, SqlError.SqlError> | StorageUnavailable> => {
      if (Cause.hasInterrupts(cause)) {
        return Effect.failCause(Cause.fromReasons<never>(cause.reasons.filter(Cause.isInterruptReason)))
      }
      const errors = cause.reasons.flatMap((reason) =>
        reason._tag === "Fail" ? [reason.error] : reason._tag === "Die" ? [reason.defect] : []
      ).filter(SqlError.isSqlError)
      const [first] = errors
      if (first === undefined) {
        // None of these errors remain.
        return Effect.failCause(cause as Cause.Cause<Exclude<E, SqlError.SqlError>>)
      }
      for (const error of errors) {
        const reason = reasonOf(error)
        if (reason !== undefined) {
          return Effect.andThen(
            countUnavailable(reason),
            Effect.fail(new StorageUnavailable({ cause: error }))
          )
        }
      }
      return Effect.die(first)
    }
  )

/** Repeats a whole transaction after a conflict: at once, then after short, growing, jittered waits. */
export const repeatConflicts = <A, E, R>(transaction: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.retry(transaction, {
    while: (error) => isConflict(error) ? Effect.as(countConflict(error), true) : Effect.succeed(false),
    times: maxRepeats,
    schedule: Schedule.exponential("2 millis", 1.3).pipe(Schedule.jittered)
  })
