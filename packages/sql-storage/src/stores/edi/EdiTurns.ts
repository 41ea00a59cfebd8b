/**
 * Steps of the exchange that wait for their business share a transaction: each waits for the lock of the business, and one commit serves
 * all that came meanwhile.
 *
 * Guarantee: steps of a business run one after another, in the order in which they came. Where the transaction of several fails, each
 * is done by itself, so that none fails for another.
 */
import { Deferred, Effect, FiberSet } from "effect"
import type { Exit } from "effect"

/** The most steps of a transaction. */
const most = 32

/** A step: what it comes to, or why the transaction is to be rolled back. */
export type Step<F> = Effect.Effect<Exit.Exit<unknown, unknown>, F>

interface Waiting<F, E> {
  readonly step: Step<F>
  readonly done: Deferred.Deferred<Exit.Exit<unknown, unknown>, E>
}

/** Does steps, for as long as the scope lasts; `transaction` runs the steps of a business in one. */
export const make = <F, E>(
  transaction: <A>(business: string, steps: Effect.Effect<A, F>) => Effect.Effect<A, E>
) =>
  Effect.map(FiberSet.makeRuntime<never, void, never>(), (fork) => {
    const waiting = new Map<string, Array<Waiting<F, E>>>()

    const alone = (business: string, { done, step }: Waiting<F, E>) =>
      Effect.asVoid(Deferred.into(transaction(business, step), done))

    const together = (business: string, steps: ReadonlyArray<Waiting<F, E>>) => {
      const all = Effect.forEach(steps, ({ step }) => step)
      return Effect.matchCauseEffect(transaction(business, all), {
        onFailure: () => Effect.forEach(steps, (each) => alone(business, each), { discard: true }),
        onSuccess: (exits) =>
          Effect.forEach(
            exits,
            (exit, index) => {
              const step = steps[index]
              return step === undefined ? Effect.void : Deferred.succeed(step.done, exit)
            },
            { discard: true }
          )
      })
    }

    /** Does what waits for a business until nothing does. */
    const work = (business: string): Effect.Effect<void> =>
      Effect.suspend(() => {
        const next = waiting.get(business)?.splice(0, most) ?? []
        const [first] = next
        if (first === undefined) {
          waiting.delete(business)
          return Effect.void
        }
        const begun = next.length === 1 ? alone(business, first) : together(business, next)
        return Effect.andThen(begun, work(business))
      })

    return (business: string, given: Step<F>): Effect.Effect<Exit.Exit<unknown, unknown>, E> =>
      Effect.gen(function*() {
        // The step runs for its request: by its clock, in its trace.
        const step = Effect.provideContext(given, yield* Effect.context<never>())
        const done = yield* Deferred.make<Exit.Exit<unknown, unknown>, E>()
        const queue = waiting.get(business)
        if (queue !== undefined) queue.push({ step, done })
        else {
          waiting.set(business, [{ step, done }])
          fork(work(business))
        }
        return yield* Deferred.await(done)
      })
  })
