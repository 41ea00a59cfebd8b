/**
 * Controls a running server from within: it can stop the server before a transaction, move its clock, and take its errors.
 */
import { IntakeStore } from "@dockline/core/document/DocumentRecord"
import { MovementStore } from "@dockline/core/movement/Movement"
import type { StorageUnavailable } from "@dockline/core/values/Errors"
import { Cause, Clock, Deferred, Effect, Layer, Logger, References, Schedule } from "effect"
import type { Scope } from "effect"
import { SqlClient } from "effect/sql"
import { lockWaits } from "./database/LockWaits.ts"

/** A line that the server logged. */
export interface LogLine {
  readonly level: string
  readonly message: string
  readonly cause: string
  readonly annotations: Readonly<Record<string, unknown>>
}

/** A document that is kept from being processed. */
export interface Hold {
  /** Completes when a document waits. */
  readonly waiting: Effect.Effect<void>
  /** Releases it. */
  readonly release: Effect.Effect<void>
}

/** Keeps documents of a shipment from being processed, until the scope ends. */
export type MakeHold = (shipmentNumber: string) => Effect.Effect<Hold, never, Scope.Scope>

/** The state of a running server that tests change and read. */
export interface Control {
  intercept: Effect.Effect<void, StorageUnavailable>
  offset: number
  errors: Array<LogLine>
}

/** The unchanged server. */
export const make = (): Control => ({ intercept: Effect.void, offset: 0, errors: [] })

/** The stores that write, with the interception of {@link Control} before each transaction. */
export const intercepted = (control: Control) => {
  const before = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
    Effect.andThen(Effect.suspend(() => control.intercept), effect)
  return Layer.mergeAll(
    Layer.effect(
      IntakeStore,
      IntakeStore.useSync((store) =>
        IntakeStore.of({ ...store, transact: (...args) => before(store.transact(...args)) })
      )
    ),
    Layer.effect(
      MovementStore,
      MovementStore.useSync((store) =>
        MovementStore.of({
          recordPallet: (...args) => before(store.recordPallet(...args)),
          step: (...args) => before(store.step(...args)),
          link: (...args) => before(store.link(...args))
        })
      )
    )
  )
}

/** Keeps the lines that are logged as errors, and passes all lines to `onLog`. */
export const logger = (control: Control, onLog?: (line: string) => void) =>
  Layer.merge(
    Logger.layer([errorsOf(control), ...(onLog === undefined ? [] : [Logger.map(Logger.formatJson, onLog)])]),
    Layer.succeed(References.MinimumLogLevel, onLog === undefined ? "Info" : "All")
  )

const errorsOf = (control: Control) =>
  Logger.make<unknown, void>(({ logLevel, message, cause, fiber }) => {
    if (logLevel !== "Error" && logLevel !== "Fatal") return
    control.errors.push({
      level: logLevel,
      message: Array.isArray(message) ? message.join(" ") : String(message),
      cause: Cause.pretty(cause),
      annotations: fiber.getRef(References.CurrentLogAnnotations)
    })
  })

/** A clock that is ahead by the offset. */
export const clock = (control: Control) =>
  Layer.effect(
    Clock.Clock,
    Clock.clockWith((clock) => {
      const nanos = () => BigInt(control.offset) * 1_000_000n
      return Effect.succeed<Clock.Clock>({
        currentTimeMillisUnsafe: () => clock.currentTimeMillisUnsafe() + control.offset,
        currentTimeMillis: Effect.map(clock.currentTimeMillis, (now) => now + control.offset),
        currentTimeNanosUnsafe: () => clock.currentTimeNanosUnsafe() + nanos(),
        currentTimeNanos: Effect.map(clock.currentTimeNanos, (now) => now + nanos()),
        monotonicTimeNanosUnsafe: () => clock.monotonicTimeNanosUnsafe() + nanos(),
        monotonicTimeNanos: Effect.map(clock.monotonicTimeNanos, (now) => now + nanos()),
        sleep: (duration) => clock.sleep(duration)
      })
    })
  )

/** Holds any document before its transaction. */
export const holdInMemory = (control: Control): Effect.Effect<MakeHold> =>
  Effect.succeed(() =>
    Effect.gen(function*() {
      const arrived = yield* Deferred.make<void>()
      const gate = yield* Deferred.make<void>()
      yield* Effect.acquireRelease(
        Effect.sync(() => {
          control.intercept = Effect.andThen(Deferred.succeed(arrived, undefined), Deferred.await(gate))
        }),
        () =>
          Effect.suspend(() => {
            control.intercept = Effect.void
            return Deferred.succeed(gate, undefined)
          })
      )
      return { waiting: Deferred.await(arrived), release: Effect.asVoid(Deferred.succeed(gate, undefined)) }
    })
  )

/** Holds the documents of a shipment by a lock on its row. */
export const holdByLock = SqlClient.SqlClient.useSync((sql): MakeHold =>
  Effect.fnUntraced(function*(shipmentNumber) {
    const locked = yield* Deferred.make<void>()
    const gate = yield* Deferred.make<void>()
    yield* Effect.addFinalizer(() => Deferred.succeed(gate, undefined))
    yield* Effect.forkScoped(
      sql.withTransaction(Effect.gen(function*() {
        const [found] = yield* sql<{ readonly business: string }>`select business_id::text as business
            from dockline.shipment where number = ${shipmentNumber}`
        yield* sql`select from dockline.shipment
            where business_id = ${found!.business}::bigint and number = ${shipmentNumber} for update`
        yield* Deferred.succeed(locked, undefined)
        yield* Deferred.await(gate)
      }))
    )
    yield* Deferred.await(locked)
    return {
      waiting: lockWaits.pipe(
        Effect.provideService(SqlClient.SqlClient, sql),
        Effect.flatMap((count) => count > 0 ? Effect.void : Effect.fail("not yet")),
        Effect.retry(Schedule.spaced("5 millis")),
        Effect.orDie
      ),
      release: Effect.asVoid(Deferred.succeed(gate, undefined))
    }
  })
)
