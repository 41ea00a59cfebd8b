/**
 * What a failing statement means: a conflict that is repeated, a database that is away, or a defect.
 *
 * Guarantee: serialization failures, deadlocks and unique conflicts are repeated and never reach a client; a
 * database that cannot be reached or lets us in no more, and a lock that is not given in time, are
 * `StorageUnavailable`; an interruption comes out alone; everything else is a defect of ours.
 */
import { StorageUnavailable } from "@dockline/core/Errors"
import { Cause, Data, Effect, Predicate, Schedule } from "effect"
import { SqlError } from "effect/sql"
import { countConflict, countUnavailable } from "./StorageMetrics.ts"
import type { UnavailableReason } from "./StorageMetrics.ts"

/** How often a transaction is repeated after a conflict before it is given up as unavailable. */
const maxRepeats = 20

const conflicts: ReadonlySet<string> = new Set([
  "DeadlockError",
  "SerializationError",
  "UniqueViolation"
])

/** Whether the transaction was rolled back because of another one, so that repeating it is safe and may succeed. */
export const isConflict = (error: unknown): boolean =>
  SqlError.isSqlError(error) && conflicts.has(error.reason._tag)

/** What a claim for a connection is given up with. */
export class NoConnectionFree extends Data.TaggedError("NoConnectionFree")<{ readonly waitMillis: number }> {
  override get message(): string {
    return `No connection was free within ${this.waitMillis} ms`
  }
}

const isBusy = ({ reason }: SqlError.SqlError): boolean => reason.cause instanceof NoConnectionFree

/** An SQLSTATE, or what Node calls an error. */
const sqlState = ({ reason: { cause } }: SqlError.SqlError): string =>
  Predicate.hasProperty(cause, "code") && Predicate.isString(cause.code) ? cause.code : ""

/** Codes of Node for certificates that are not accepted, and for what else goes wrong as TLS is agreed upon. */
const tlsCodes =
  /^(?:ERR_TLS_|ERR_SSL_|CERT_|CRL_|UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_|INVALID_CA|PATH_LENGTH_)/

/** Whether TLS was wanted and not had: the server has none, or its certificate or ours is not accepted. */
export const isTlsRefused = (error: SqlError.SqlError): boolean =>
  error.reason.operation === "connect" &&
  (error.reason.message === "PgConnection: Server refused TLS" || tlsCodes.test(sqlState(error)))

/** Whether nobody is let in this way: as this user, to this database, with or without TLS. */
export const isAuthorizationRefused = (error: SqlError.SqlError): boolean =>
  error.reason.operation === "connect" && sqlState(error) === "28000"

/** SQLSTATE classes of a server that is out of resources, such as connections, going down or coming up. */
const awayStates = /^(?:08|53|57P0|58)/

/** Whether it says no to how we connect, and will say so again: to TLS, or to a parameter that a pooler does not know. */
const isRefusedForGood = (error: SqlError.SqlError): boolean =>
  isTlsRefused(error) || (error.reason.operation === "connect" && sqlState(error) === "08P01")

/** Whether the database is away, has no connection to spare, or comes up: it may be there a little later. */
export const isAway = (error: unknown): boolean =>
  SqlError.isSqlError(error) && !isRefusedForGood(error) &&
  (error.reason._tag === "ConnectionError" || awayStates.test(sqlState(error)))

/**
 * Whether the database is there and does not let us in: another password, no right to, no database of that name, another
 * idea of TLS.
 */
export const isRefused = (error: unknown): boolean =>
  SqlError.isSqlError(error) && error.reason.operation === "connect" && !isAway(error)

const isUnavailable = (error: SqlError.SqlError): boolean =>
  isAway(error) ||
  isRefused(error) ||
  error.reason._tag === "StatementTimeoutError" ||
  error.reason._tag === "LockTimeoutError" ||
  isConflict(error) ||
  // A standby that is read only.
  sqlState(error) === "25006"

const reasonOf = (error: SqlError.SqlError): UnavailableReason => {
  if (isBusy(error)) return "busy"
  if (isAway(error)) return "unreachable"
  if (isRefused(error)) return "refused"
  if (error.reason._tag === "StatementTimeoutError") return "statement_timeout"
  if (error.reason._tag === "LockTimeoutError") return "lock_timeout"
  return isConflict(error) ? "conflict" : "read_only"
}

/**
 * Turns SQL failures of an effect into `StorageUnavailable` or a defect; other failures pass. A transaction whose
 * connection breaks also fails to roll back, which is a defect beside the failure: the two are judged as one.
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
        return Effect.failCause(cause as Cause.Cause<Exclude<E, SqlError.SqlError>>)
      }
      const unavailable = errors.find(isUnavailable)
      return unavailable === undefined
        ? Effect.die(first)
        : Effect.andThen(
          countUnavailable(reasonOf(unavailable)),
          Effect.fail(new StorageUnavailable({ cause: unavailable }))
        )
    }
  )

/** Repeats a whole transaction after a conflict: at once, then after short, growing, jittered waits. */
export const repeatConflicts = <A, E, R>(transaction: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.retry(transaction, {
    while: (error) =>
      isConflict(error) && SqlError.isSqlError(error)
        ? Effect.as(countConflict(error), true)
        : Effect.succeed(false),
    times: maxRepeats,
    schedule: Schedule.exponential("2 millis", 1.3).pipe(Schedule.jittered)
  })
