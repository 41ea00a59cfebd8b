/**
 * A transaction that begins with the first write of a piece of work, under the claim of that write, and ends after the
 * work, with what the work came to.
 *
 * Guarantee: until something is to be written, the work holds no connection, and it waits for one as anybody does who
 * writes the same. From then on all that it reads and writes is in the transaction. Work that fails or is interrupted
 * leaves nothing of it.
 */
import { StorageUnavailable } from "@dockline/core/Errors"
import { Context, Deferred, Effect, Exit, Fiber, Option } from "effect"
import type { Claim } from "./ConnectionPool.ts"

/** The transaction of a piece of work, as its stores see it. */
export interface JoinedTransaction {
  /** Runs an effect as a part of the transaction, which begins under the claim if it has not begun. */
  readonly join: (
    claim: Claim
  ) => <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E | StorageUnavailable, R>
  /** Runs an effect as a part of the transaction if it has begun, else as it is. */
  readonly continue: <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
}

/** The transaction of the work that is at hand, if it is to be one. */
export const LateTransaction: Context.Reference<JoinedTransaction | undefined> = Context.Reference<
  JoinedTransaction | undefined
>("@dockline/sql-storage/LateTransaction", { defaultValue: () => undefined })

/** The whole of a transaction: `work` has it joined, and then gives what the work came to. */
type Transact<Outcome, A, E> = (
  claim: Claim,
  work: Effect.Effect<Outcome>
) => Effect.Effect<A, E | StorageUnavailable>

/**
 * Runs work in a transaction that begins late. It does not begin at all where nothing was written and the outcome is not
 * `kept` in it: then the outcome is answered as `unkept` says.
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
      // It ended before it was joined: as it could not begin, or as there is nothing to do in it.
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
      // What is provided around the effect stays; the transaction is added to it.
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
