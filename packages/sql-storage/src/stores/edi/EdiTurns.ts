/**
 * Steps of the exchange that wait for their business share a transaction: each waits for the lock of the business, and one commit serves
 * all that came meanwhile.
 *
 * Guarantee: steps of a business run one after another, in the order in which they came. Where a step breaks the transaction of several,
 * each is done by itself, so that none fails for another; where the database is away, all of them fail at once. A step that nobody waits
 * for any longer, as its deadline has passed, is not begun.
 */
import { Cause, Deferred, Effect, FiberSet } from "effect"
import type { Exit } from "effect"

/** The most steps of a transaction. */
const most = 32

/** A step: what it comes to, or why the transaction is to be rolled back. */
export type Step<F> = Effect.Effect<Exit.Exit<unknown, unknown>, F>

interface Waiting<F, E> {
  readonly step: Step<F>
  /** Its deadline has passed. */
  isLate: boolean
  readonly done: Deferred.Deferred<Exit.Exit<unknown, unknown>, E>
}

/**
 * Does steps, for as long as the scope lasts; `transaction` runs the steps of a business in one. It fails where the database is away; a
 * step that breaks it is a defect. `inTime` fails the wait for a step at its deadline.
 */
export const make = <F, E>(
  transaction: <A>(business: string, steps: Effect.Effect<A, F>) => Effect.Effect<A, E>,
  inTime: <A>(wait: Effect.Effect<A, E>) => Effect.Effect<A, E>
) =>
  Effect.map(FiberSet.makeRuntime<never, void, never>(), (fork) => {
    const waiting = new Map<string, Array<Waiting<F, E>>>()

    const alone = (business: string, { done, step }: Waiting<F, E>) =>
      Effect.asVoid(Deferred.into(transaction(business, step), done))

    const together = (business: string, steps: ReadonlyArray<Waiting<F, E>>) => {
      const all = Effect.forEach(steps, ({ step }) => step)
      return Effect.matchCauseEffect(transaction(business, all), {
        onFailure: (cause) =>
          Effect.forEach(
            steps,
            (each) => Cause.hasFails(cause) ? Deferred.failCause(each.done, cause) : alone(business, each),
            { discard: true }
          ),
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
        const came = waiting.get(business)?.splice(0, most) ?? []
        if (came.length === 0) {
          waiting.delete(business)
          return Effect.void
        }
        const next = came.filter(({ isLate }) => !isLate)
        const [first] = next
        const begun = first === undefined
          ? Effect.void
          : next.length === 1
          ? alone(business, first)
          : together(business, next)
        return Effect.andThen(begun, work(business))
      })

    return (business: string, given: Step<F>): Effect.Effect<Exit.Exit<unknown, unknown>, E> =>
      Effect.gen(function*() {
        // The step runs for its request: by its clock, in its trace.
        const step = Effect.provideContext(given, yield* Effect.context<never>())
        const done = yield* Deferred.make<Exit.Exit<unknown, unknown>, E>()
        const own: Waiting<F, E> = { step, done, isLate: false }
        const queue = waiting.get(business)
        if (queue !== undefined) queue.push(own)
        else {
          waiting.set(business, [own])
          fork(work(business))
        }
        return yield* Effect.tapError(inTime(Deferred.await(done)), () =>
          Effect.sync(() => {
            own.isLate = true
          }))
      })
  })
