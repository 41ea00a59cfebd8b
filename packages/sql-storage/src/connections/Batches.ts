/**
 * Gathers jobs into batches without a timer: all jobs that wait when a transaction may begin share it (ADR 21).
 *
 * Guarantee: jobs that share a key run in the order of arrival, and never at the same time. Holders take turns in filling a batch. A job
 * waits for at most `waitMillis`. An interruption removes a waiting job, and ends a job that runs alone; if the job runs in a batch, the
 * interruption waits for the batch.
 */
import { idle } from "@dockline/core/access/RequestLimits"
import { Effect, Exit, Fiber, FiberSet } from "effect"
import type { Scope } from "effect"
import { JobQueue } from "./JobQueue.ts"
import type { Job, Most } from "./JobQueue.ts"

/** The answer of a job in a batch, or `alone` if the job has to run alone. */
export type Outcome<A, E> = Effect.Effect<A, E> | "alone"

/** The time in milliseconds after which a running transaction is slow: its connection may be silent. */
const slowMillis = 250

export interface BatchesConfig<J extends Job, A, E> {
  readonly concurrency: number
  /** The number of waiting jobs at which a batch begins while other batches run. If all of these are slow, one job is enough. */
  readonly enough: number
  readonly most: Most
  /** The longest wait of a job, in milliseconds. */
  readonly waitMillis: number
  /** Called when a job begins to wait (1) or stops waiting (-1). */
  readonly onWaiting: (change: 1 | -1) => void
  /** Fails a job whose wait ended before a batch took it. */
  readonly tooLate: Effect.Effect<never, E>
  /** Calls `take` once its transaction can begin, does the jobs that `take` returns, and returns their outcomes. */
  readonly transact: (take: () => ReadonlyArray<J>) => Effect.Effect<ReadonlyArray<Outcome<A, E>>>
  readonly alone: (job: J) => Effect.Effect<A, E>
}

interface Entry<J extends Job, A, E> {
  readonly job: J
  readonly since: number
  readonly resume: (answer: Effect.Effect<A, E>) => void
  state: "waiting" | "batched" | "done" | Fiber.Fiber<unknown, unknown>
  /** Called when the job is done, if it was interrupted while its batch ran. */
  whenDone?: () => void
}

/** Makes the function that adds a job. Batches run until the scope closes. */
export const make = <J extends Job, A, E>(
  config: BatchesConfig<J, A, E>
): Effect.Effect<(job: J) => Effect.Effect<A, E>, never, Scope.Scope> =>
  Effect.gen(function*() {
    const run = yield* FiberSet.makeRuntime<never>()
    const clock = yield* Effect.clockWith(Effect.succeed)
    const queue = new JobQueue<Entry<J, A, E>>(config.onWaiting)
    /** The running transactions, with the times when they began. */
    const running = new Set<{ readonly since: number }>()
    let isTaking = false
    let isWatching = false
    let isClosed = false

    const finish = (entry: Entry<J, A, E>, outcome: Outcome<A, E>): void => {
      if (outcome === "alone") return runAlone(entry)
      queue.release(entry)
      entry.state = "done"
      entry.resume(outcome)
      entry.whenDone?.()
    }

    /** Ends an entry that is interrupted. */
    const withdraw = (entry: Entry<J, A, E>): Effect.Effect<void> =>
      Effect.suspend(() => {
        const { state } = entry
        if (state === "done") return Effect.void
        if (state === "batched") {
          return Effect.callback((resume) => {
            entry.whenDone = () => resume(Effect.void)
          })
        }
        if (state !== "waiting") return Effect.asVoid(Fiber.interrupt(state))
        queue.remove(entry)
        return Effect.sync(dispatch)
      })

    const runAlone = (entry: Entry<J, A, E>): void => {
      entry.state = run(Effect.onExit(config.alone(entry.job), (exit) =>
        Effect.sync(() => {
          finish(entry, exit)
          dispatch()
        })))
    }

    const begin = (): void => {
      let batch: ReadonlyArray<Entry<J, A, E>> | undefined
      const take = () => {
        isTaking = false
        const nextBatch = queue.takeBatch(config.most)
        for (const entry of nextBatch) entry.state = "batched"
        batch = nextBatch
        dispatch()
        return nextBatch.map(({ job }) => job)
      }
      const transaction = { since: clock.currentTimeMillisUnsafe() }
      running.add(transaction)
      isTaking = true
      run(Effect.onExit(config.transact(take), (exit) =>
        Effect.sync(() => {
          running.delete(transaction)
          if (batch === undefined) isTaking = false
          batch?.forEach((entry, at) =>
            finish(entry, Exit.isSuccess(exit) ? exit.value[at]! : Effect.failCause(exit.cause))
          )
          dispatch()
        })))
    }

    /** The number of waiting jobs at which the next batch begins. */
    const threshold = (): number => {
      if (isTaking || running.size >= config.concurrency) return Infinity
      const slowSince = clock.currentTimeMillisUnsafe() - slowMillis
      return Array.from(running).every(({ since }) => since <= slowSince) ? 1 : config.enough
    }

    const dispatch = (): void => {
      queue.takeAlone().forEach(runAlone)
      if (queue.ready >= threshold()) begin()
    }

    /** Refuses jobs that have waited too long, and begins a batch of waiting jobs when all running transactions have become slow. */
    const watch = Effect.gen(function*() {
      for (;;) {
        const { oldest } = queue
        if (oldest === undefined) {
          isWatching = false
          return
        }
        const remainingMillis = oldest.since + config.waitMillis - clock.currentTimeMillisUnsafe()
        if (remainingMillis > 0) {
          yield* Effect.sleep(Math.min(remainingMillis, slowMillis))
          dispatch()
        } else {
          queue.remove(oldest)
          oldest.state = "done"
          oldest.resume(config.tooLate)
        }
      }
    })

    yield* Effect.addFinalizer(() =>
      Effect.sync(() => {
        isClosed = true
        for (let entry = queue.oldest; entry !== undefined; entry = queue.oldest) {
          queue.remove(entry)
          entry.resume(Effect.interrupt)
        }
      })
    )

    return (job) =>
      idle(Effect.callback<A, E>((resume) => {
        if (isClosed) return resume(Effect.interrupt)
        const since = clock.currentTimeMillisUnsafe()
        const entry: Entry<J, A, E> = { job, since, resume, state: "waiting" }
        queue.add(entry)
        dispatch()
        if (entry.state === "waiting" && !isWatching) {
          isWatching = true
          run(watch)
        }
        return withdraw(entry)
      }))
  })
