/**
 * Batches the work of the exchange: the jobs that arrive while a transaction runs share the next one.
 *
 * Guarantee: jobs with the same key run one after another, in the order of their arrival. If a job breaks a shared transaction, each of its
 * jobs runs again by itself, so that no job fails because of another. If the database is unreachable, all jobs of the transaction fail at
 * once. A job whose deadline has passed or whose client has disconnected is not begun, or is undone.
 */
import { Cause, Deferred, Effect, Exit, FiberSet, Option } from "effect"

/** The most jobs that share a transaction. */
const most = 32

export interface Turns<in out S, in out A, in out E> {
  /**
   * Runs jobs with the same key, and returns their answers in the order of the jobs. It fails if the database is unreachable, and dies if a
   * job breaks the transaction.
   */
  readonly run: (key: string, jobs: ReadonlyArray<S>) => Effect.Effect<ReadonlyArray<A>, E>
  /** Fails the wait for an answer at its deadline. */
  readonly inTime: <B>(wait: Effect.Effect<B, E>) => Effect.Effect<B, E>
  /** Undoes a job whose answer came after its caller had stopped waiting. */
  readonly onLate?: (key: string, job: S, answer: A) => Effect.Effect<void>
}

interface Waiting<out S, in out A, in out E> {
  readonly job: S
  isLate: boolean
  readonly done: Deferred.Deferred<A, E>
}

/** Makes the function that runs a job in its turn, as long as the scope lasts. */
export const make = <S, A, E>({ inTime, onLate, run }: Turns<S, A, E>) =>
  Effect.map(FiberSet.makeRuntime<never, void, never>(), (fork) => {
    const waiting = new Map<string, Array<Waiting<S, A, E>>>()

    const together = (key: string, all: ReadonlyArray<Waiting<S, A, E>>): Effect.Effect<void> =>
      Effect.matchCauseEffect(run(key, all.map(({ job }) => job)), {
        onFailure: (cause) =>
          Effect.forEach(
            all,
            (each) =>
              all.length === 1 || Cause.hasFails(cause)
                ? Effect.asVoid(Deferred.failCause(each.done, cause))
                : each.isLate
                ? Effect.void
                : together(key, [each]),
            { discard: true }
          ),
        onSuccess: (answers) =>
          Effect.forEach(
            answers,
            (answer, index) => {
              const each = all[index]
              if (each === undefined) return Effect.void
              return each.isLate && onLate !== undefined
                ? onLate(key, each.job, answer)
                : Deferred.succeed(each.done, answer)
            },
            { discard: true }
          )
      })

    /** Runs the waiting jobs of a key until no job waits. */
    const work = (key: string): Effect.Effect<void> =>
      Effect.suspend(() => {
        const came = waiting.get(key)?.splice(0, most) ?? []
        if (came.length === 0) {
          waiting.delete(key)
          return Effect.void
        }
        const next = came.filter(({ isLate }) => !isLate)
        return Effect.andThen(next.length === 0 ? Effect.void : together(key, next), work(key))
      })

    return (key: string, job: S): Effect.Effect<A, E> =>
      Effect.gen(function*() {
        const done = yield* Deferred.make<A, E>()
        const own: Waiting<S, A, E> = { job, done, isLate: false }
        const queue = waiting.get(key)
        if (queue !== undefined) queue.push(own)
        else {
          waiting.set(key, [own])
          fork(work(key))
        }
        return yield* Effect.onExit(inTime(Deferred.await(done)), (exit) => {
          if (Exit.isSuccess(exit)) return Effect.void
          own.isLate = true
          return onLate === undefined ? Effect.void : Effect.flatMap(
            Deferred.poll(done),
            // The answer may have come after the wait had ended.
            Option.match({
              onNone: () => Effect.void,
              onSome: (answer) => Effect.ignore(Effect.flatMap(answer, (answer) => onLate(key, job, answer)))
            })
          )
        })
      })
  })
