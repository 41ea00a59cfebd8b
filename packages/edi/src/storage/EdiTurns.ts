/**
 * Batches the work of the exchange: one transaction serves all jobs that came while another ran.
 *
 * Guarantee: jobs with a common key are done one after another, in the order in which they came. If a job breaks the transaction of
 * several, each is done by itself, so that none fails because of another; if the database is away, all of them fail at once. A job that
 * nobody waits for, because its deadline has passed or its client is gone, is not begun, or is undone.
 */
import { Cause, Deferred, Effect, Exit, FiberSet, Option } from "effect"

/** The most jobs that are done at once. */
const most = 32

export interface Turns<in out S, in out A, in out E> {
  /** Does jobs that share a key: an answer to each, in their order. It fails if the database is away; a job that breaks it is a defect. */
  readonly run: (key: string, jobs: ReadonlyArray<S>) => Effect.Effect<ReadonlyArray<A>, E>
  /** Fails the wait for an answer at its deadline. */
  readonly inTime: <B>(wait: Effect.Effect<B, E>) => Effect.Effect<B, E>
  /** Undoes a job whose answer came when nobody waited for it any longer. */
  readonly onLate?: (key: string, job: S, answer: A) => Effect.Effect<void>
}

interface Waiting<out S, in out A, in out E> {
  readonly job: S
  isLate: boolean
  readonly done: Deferred.Deferred<A, E>
}

/** Makes the function that does a job in its turn, for as long as the scope lasts. */
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

    /** Does the waiting jobs of a key until none waits. */
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
