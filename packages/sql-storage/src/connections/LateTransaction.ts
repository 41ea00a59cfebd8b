/**
 * A transaction that begins with the first write of some work, under the claim of that write, and ends after the work.
 *
 * Guarantee: before its first write the work holds no connection. From then on all that it reads and writes is in the
 * transaction. Work that fails or is interrupted is rolled back. Work that writes once may leave its transaction to somebody
 * else, who shares it with others: an interruption then waits for what is under way.
 */
import { StorageUnavailable } from "@dockline/core/Errors"
import type { FirstAnswer, IdempotentRequest, KeptAnswer } from "@dockline/core/IdempotencyStore"
import { Context, Deferred, Effect, Exit, Fiber, Option } from "effect"
import { SqlError } from "effect/sql"
import type { SqlClient } from "effect/sql"
import type { Claim } from "./ConnectionPool.ts"

/** A request whose only write, and the answer to keep, are in the transaction of somebody else. */
export interface Passenger {
  readonly request: IdempotentRequest
  /**
   * Tells the request what became of its write, and waits for its answer: `undefined` if it breaks, and then its write stays, as
   * that of a request without a key. One that has been told cannot be told of another write, and is unavailable.
   */
  readonly answer: (
    written: Exit.Exit<unknown, unknown>
  ) => Effect.Effect<FirstAnswer | undefined, SqlError.SqlError>
}

/** Does the write of a request in a transaction, and keeps its answer there; gives that or an earlier one. */
export type Ride = (passenger: Passenger) => Effect.Effect<KeptAnswer, unknown>

/** The late transaction as the stores use it. */
export interface JoinedTransaction {
  /** Runs an effect in the transaction, which begins under the claim if it has not begun. */
  readonly join: (
    claim: Claim
  ) => <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E | StorageUnavailable, R>
  /** Runs an effect in the transaction if it has begun, otherwise outside. */
  readonly continue: <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  /** Leaves the write, and the transaction, to somebody else; gives what became of the write. Only for work that writes once. */
  readonly ride: ((ride: Ride) => Effect.Effect<unknown, unknown>) | undefined
}

/** The late transaction of the present work, if it has one. */
export const LateTransaction: Context.Reference<JoinedTransaction | undefined> = Context.Reference<
  JoinedTransaction | undefined
>("@dockline/sql-storage/LateTransaction", { defaultValue: () => undefined })

/** Whether the present work is a part of a transaction, also of one that begins late. */
export const isPart = (sql: SqlClient.SqlClient): Effect.Effect<boolean> =>
  Effect.flatMap(LateTransaction, (late) =>
    late === undefined
      ? Effect.map(Effect.serviceOption(sql.transactionService), Option.isSome)
      : Effect.succeed(true))

/** Work whose answer is kept. */
export interface LateWork<E, R> {
  readonly request: IdempotentRequest
  readonly first: Effect.Effect<FirstAnswer, E, R>
  /** Whether it writes at most once, and reads nothing afterwards. */
  readonly writesOnce: boolean
}

/** Runs the whole transaction; `work` waits inside it for the answer. */
type Transact<E> = (
  claim: Claim,
  work: Effect.Effect<FirstAnswer>
) => Effect.Effect<KeptAnswer, E | StorageUnavailable>

/** The answer of a first run. */
export const firstAnswer = ({ answer }: FirstAnswer): KeptAnswer => ({ answer, replayed: false })

/** Runs work in a transaction that begins late. If nothing was written and the answer is not to be kept, none begins. */
export const run = <E, E2, R>(
  { first, request, writesOnce }: LateWork<E2, R>,
  transact: Transact<E>
): Effect.Effect<KeptAnswer, E | E2 | StorageUnavailable, R> =>
  Effect.uninterruptibleMask((restore) =>
    Effect.gen(function*() {
      const begun = Deferred.makeUnsafe<Context.Context<never>, StorageUnavailable>()
      const answer = Deferred.makeUnsafe<FirstAnswer>()
      /** The answer of work that rides; `undefined` if it breaks. */
      const ridden = Deferred.makeUnsafe<FirstAnswer | undefined>()
      let inside: Context.Context<never> | undefined
      let transaction: Fiber.Fiber<KeptAnswer, E | StorageUnavailable> | undefined
      let isRiding = false

      const joined = Effect.flatMap(Effect.context<never>(), (context) => {
        inside = context
        return Effect.andThen(Deferred.succeed(begun, context), Deferred.await(answer))
      })
      const start = (
        effect: Effect.Effect<KeptAnswer, E | StorageUnavailable>,
        onEnd: (error: StorageUnavailable) => Effect.Effect<unknown>
      ) =>
        effect.pipe(
          // Whoever has not been told of the transaction waits in vain: it failed to begin, or there is nothing to do in it.
          Effect.onExit((exit) => onEnd(endOf(exit))),
          Effect.provideService(LateTransaction, undefined),
          Effect.forkDetach,
          Effect.map((fiber) => {
            transaction = fiber
            return fiber
          }),
          Effect.uninterruptible
        )
      const begin = (claim: Claim) =>
        Effect.suspend(() =>
          transaction === undefined
            ? start(transact(claim, joined), (error) => Deferred.fail(begun, error))
            : Effect.succeed(transaction)
        )
      const ride = Effect.fnUntraced(function*(ride: Ride) {
        const written = Deferred.makeUnsafe<unknown, unknown>()
        isRiding = true
        const transact = ride({
          request,
          answer: (exit) =>
            Effect.flatMap(
              Deferred.done(written, exit),
              (isTold) => isTold ? Deferred.await(ridden) : Effect.fail(toldBefore)
            )
        })
        yield* start(
          transact as Effect.Effect<KeptAnswer, E | StorageUnavailable>,
          (error) => Deferred.fail(written, error)
        )
        return yield* Deferred.await(written)
      })
      // Adds the services of the transaction to those of the effect.
      const within = <A2, E3, R2>(context: Context.Context<never>, effect: Effect.Effect<A2, E3, R2>) =>
        Effect.flatMap(
          Effect.context<never>(),
          (current) => Effect.provideContext(effect, Context.merge(context, current))
        )
      const late: JoinedTransaction = {
        join: (claim) => (effect) =>
          Effect.suspend(() =>
            isRiding
              ? Effect.die(new Error("Work that writes once has written already"))
              : Effect.andThen(
                begin(claim),
                Effect.flatMap(Deferred.await(begun), (context) => within(context, effect))
              )
          ),
        continue: (effect) => Effect.suspend(() => inside === undefined ? effect : within(inside, effect)),
        get ride() {
          return writesOnce && transaction === undefined ? ride : undefined
        }
      }

      // A fiber of its own, as it goes on where an interruption waits for the write.
      const work = yield* restore(Effect.provideService(first, LateTransaction, late)).pipe(
        Effect.onExit((exit) => Deferred.succeed(ridden, Exit.isSuccess(exit) ? exit.value : undefined)),
        Effect.forkDetach({ startImmediately: true })
      )
      const endTransaction = Effect.suspend(() =>
        transaction === undefined ? Effect.void : Fiber.interrupt(transaction)
      )
      const exit = yield* restore(Fiber.await(work)).pipe(Effect.onInterrupt(() => {
        const endWork = Fiber.interrupt(work)
        return isRiding ? Effect.andThen(endTransaction, endWork) : Effect.andThen(endWork, endTransaction)
      }))
      if (Exit.isFailure(exit)) {
        yield* endTransaction
        return yield* Effect.failCause(exit.cause)
      }
      if (transaction === undefined && !exit.value.keep) return firstAnswer(exit.value)
      const ending = yield* begin({ lane: "requests" })
      yield* Deferred.succeed(answer, exit.value)
      return yield* Fiber.join(ending)
    })
  )

const toldBefore = new SqlError.SqlError({
  reason: new SqlError.ConnectionError({
    cause: new Error("The transaction of the answer has failed"),
    message: "The transaction of the answer has failed",
    operation: "answer"
  })
})

/** What whoever waits for a transaction that has ended is told. */
const endOf = (exit: Exit.Exit<unknown, unknown>): StorageUnavailable => {
  const failure = Exit.isFailure(exit) ? Option.getOrUndefined(Exit.findErrorOption(exit)) : undefined
  return failure instanceof StorageUnavailable
    ? failure
    : new StorageUnavailable({ cause: new Error("The transaction has ended") })
}
