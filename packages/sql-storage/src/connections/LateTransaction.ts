/**
 * A transaction that begins with the first write of some work, under the claim of that write, and ends after the work.
 *
 * Guarantee: before its first write the work holds no connection. From then on all that it reads and writes is in the
 * transaction. Work that fails or is interrupted is rolled back.
 */
import { StorageUnavailable } from "@dockline/core/Errors"
import { Context, Deferred, Effect, Exit, Fiber, Option } from "effect"
import type { SqlClient } from "effect/sql"
import type { Claim } from "./ConnectionPool.ts"

/** The late transaction as the stores use it. */
export interface JoinedTransaction {
  /** Runs an effect in the transaction, which begins under the claim if it has not begun. */
  readonly join: (
    claim: Claim
  ) => <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E | StorageUnavailable, R>
  /** Runs an effect in the transaction if it has begun, otherwise outside. */
  readonly continue: <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
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

/** Runs the whole transaction; `work` waits inside it for the outcome. */
type Transact<Outcome, A, E> = (
  claim: Claim,
  work: Effect.Effect<Outcome>
) => Effect.Effect<A, E | StorageUnavailable>

/**
 * Runs work in a transaction that begins late. If nothing was written and `unkept` gives an answer for the outcome, no
 * transaction begins.
 */
export const run = <Outcome, A, E, E2, R>(
  work: Effect.Effect<Outcome, E2, R>,
  transact: Transact<Outcome, A, E>,
  unkept: (outcome: Outcome) => Option.Option<A>
): Effect.Effect<A, E | E2 | StorageUnavailable, R> =>
  Effect.uninterruptibleMask((restore) =>
    Effect.gen(function*() {
      const begun = Deferred.makeUnsafe<Context.Context<never>, StorageUnavailable>()
      const outcome = Deferred.makeUnsafe<Outcome>()
      let inside: Context.Context<never> | undefined
      let transaction: Fiber.Fiber<A, E | StorageUnavailable> | undefined

      const joined = Effect.flatMap(Effect.context<never>(), (context) => {
        inside = context
        return Effect.andThen(Deferred.succeed(begun, context), Deferred.await(outcome))
      })
      // It ended before the work joined: it failed to begin, or there is nothing to do in it.
      const ended = (exit: Exit.Exit<A, E | StorageUnavailable>) => {
        const failure = Exit.isFailure(exit) ? Exit.findErrorOption(exit) : Option.none()
        return Deferred.fail(
          begun,
          Option.getOrElse(
            Option.filter(failure, (error) => error instanceof StorageUnavailable),
            () => new StorageUnavailable({ cause: new Error("The transaction has ended") })
          )
        )
      }
      const begin = Effect.fnUntraced(function*(claim: Claim) {
        transaction ??= yield* transact(claim, joined).pipe(
          Effect.onExit(ended),
          Effect.provideService(LateTransaction, undefined),
          Effect.forkDetach
        )
        return transaction
      })
      // Adds the services of the transaction to those of the effect.
      const within = <A2, E3, R2>(context: Context.Context<never>, effect: Effect.Effect<A2, E3, R2>) =>
        Effect.flatMap(
          Effect.context<never>(),
          (current) => Effect.provideContext(effect, Context.merge(context, current))
        )
      const late: JoinedTransaction = {
        join: (claim) => (effect) =>
          Effect.andThen(
            begin(claim),
            Effect.flatMap(Deferred.await(begun), (context) => within(context, effect))
          ),
        continue: (effect) => Effect.suspend(() => inside === undefined ? effect : within(inside, effect))
      }

      const exit = yield* Effect.exit(restore(Effect.provideService(work, LateTransaction, late)))
      if (Exit.isFailure(exit)) {
        if (transaction !== undefined) yield* Fiber.interrupt(transaction)
        return yield* Effect.failCause(exit.cause)
      }
      if (transaction === undefined) {
        const answer = unkept(exit.value)
        if (Option.isSome(answer)) return answer.value
      }
      const ending = yield* begin({ lane: "requests" })
      yield* Deferred.succeed(outcome, exit.value)
      return yield* Fiber.join(ending)
    })
  )
