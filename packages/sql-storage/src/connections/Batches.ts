/**
 * Gathers jobs into batches without a timer: jobs that wait when a transaction may begin share it, up to the limits of a batch (ADR 21).
 *
 * Guarantee: jobs that share a key run in the order of arrival, and never at the same time. Holders take turns in filling a batch. A job
 * waits for at most `waitMillis`. An interruption removes a waiting job, and ends a job that runs alone; if the job runs in a batch, the
 * interruption waits for the batch.
 */
import { idle } from "@dockline/core/access/RequestLimits"
import { Effect, Exit, Fiber, FiberSet } from "effect"
import type { Scope } from "effect"

/** Work that waits for its turn. */
export interface Job {
  /** Holders take turns. */
  readonly holder: string
  /** Jobs that share a key run one after another. */
  readonly keys: ReadonlyArray<string>
  readonly size: number
  /** Whether the job runs alone, beside the batches. */
  readonly alone: boolean
}

/** The limits of a batch. Its first job is taken whatever its size is. */
export interface Most {
  readonly jobs: number
  readonly keys: number
  readonly size: number
}

/** The position of a job in the line of one of its keys. */
interface Place<E> {
  readonly key: string
  readonly spot: Spot<E>
  before: Place<E> | undefined
  after: Place<E> | undefined
}

/** A job in the queue, until it is over. */
interface Spot<E> {
  readonly entry: E
  readonly job: Job
  readonly number: number
  places: ReadonlyArray<Place<E>>
  /** The number of keys in whose lines other jobs come first. */
  blocked: number
}

/**
 * A queue of jobs, ordered by their keys and by the turns of their holders. Jobs that share a key become ready one after another, in the
 * order of arrival, each when the previous job is over. The ready jobs of a holder are taken in the order of arrival; holders take turns. An
 * operation on a job takes time proportional to the number of its keys and to the logarithm of the length of the queue.
 */
class JobQueue<E extends { readonly job: Job }> {
  readonly #onWaiting: (change: 1 | -1) => void
  readonly #spots = new Map<E, Spot<E>>()
  /** The last position in the line of each key. */
  readonly #lasts = new Map<string, Place<E>>()
  readonly #waiting = new Seniority<E>()
  /** The ready jobs that may share batches, by holder; the holder whose turn it is comes first. */
  readonly #ready = new Map<string, Seniority<E>>()
  #readyCount = 0
  readonly #alone = new Set<E>()
  #numbers = 0

  /** `onWaiting` is called when a job begins to wait (1) or stops waiting (-1). */
  constructor(onWaiting: (change: 1 | -1) => void) {
    this.#onWaiting = onWaiting
  }

  /** The number of jobs that may join a batch now. */
  get ready(): number {
    return this.#readyCount
  }

  /** The entry that has waited longest. */
  get oldest(): E | undefined {
    return this.#waiting.first?.entry
  }

  add(entry: E): void {
    const { job } = entry
    const spot: Spot<E> = { entry, job, number: this.#numbers++, places: [], blocked: 0 }
    spot.places = Array.from(new Set(job.keys), (key) => this.#join(key, spot))
    this.#spots.set(entry, spot)
    this.#waiting.add(spot)
    this.#onWaiting(1)
    if (spot.blocked === 0) this.#becomeReady(spot)
  }

  /** Takes the next batch: one job of each holder in turn. */
  takeBatch(most: Most): ReadonlyArray<E> {
    const batch: Array<Spot<E>> = []
    let [keys, size] = [0, 0]
    const next = (line: Seniority<E>): boolean => {
      const spot = line.first
      if (spot === undefined) return true
      keys += spot.places.length
      size += spot.job.size
      const fits = batch.length < most.jobs && keys <= most.keys && size <= most.size
      if (batch.length > 0 && !fits) return false
      batch.push(spot)
      line.delete(spot)
      return true
    }
    const round = (): boolean => {
      for (const line of this.#ready.values()) if (!next(line)) return false
      return batch.length < this.#readyCount
    }
    while (round());
    this.#readyCount -= batch.length
    for (const holder of new Set(batch.map(({ job }) => job.holder))) this.#endTurn(holder)
    return batch.map((spot) => this.#stopWaiting(spot))
  }

  /** Takes the ready jobs that run alone. */
  takeAlone(): ReadonlyArray<E> {
    const alone = Array.from(this.#alone)
    this.#alone.clear()
    return alone.map((entry) => this.#stopWaiting(this.#spots.get(entry)!))
  }

  /** Removes a waiting job. */
  remove(entry: E): void {
    const spot = this.#spots.get(entry)
    if (spot === undefined) return
    const { job: { holder } } = spot
    const line = this.#ready.get(holder)
    if (line?.delete(spot) === true) {
      this.#readyCount--
      if (line.first === undefined) this.#ready.delete(holder)
    }
    this.#alone.delete(entry)
    this.#stopWaiting(spot)
    this.release(entry)
  }

  /** Ends a job that was taken: in the lines of its keys, the next jobs now come first. */
  release(entry: E): void {
    const { places } = this.#spots.get(entry) ?? { places: [] }
    this.#spots.delete(entry)
    for (const place of places) this.#leave(place)
  }

  #join(key: string, spot: Spot<E>): Place<E> {
    const before = this.#lasts.get(key)
    const place: Place<E> = { key, spot, before, after: undefined }
    if (before !== undefined) {
      before.after = place
      spot.blocked++
    }
    this.#lasts.set(key, place)
    return place
  }

  #leave({ after, before, key }: Place<E>): void {
    if (before !== undefined) before.after = after
    if (after !== undefined) after.before = before
    else if (before !== undefined) this.#lasts.set(key, before)
    else this.#lasts.delete(key)
    if (before !== undefined || after === undefined) return
    if (--after.spot.blocked === 0) this.#becomeReady(after.spot)
  }

  #becomeReady(spot: Spot<E>): void {
    const { entry, job: { alone, holder } } = spot
    if (alone) return void this.#alone.add(entry)
    const line = this.#ready.get(holder) ?? new Seniority()
    this.#ready.set(holder, line)
    line.add(spot)
    this.#readyCount++
  }

  #endTurn(holder: string): void {
    const line = this.#ready.get(holder)
    if (line === undefined) return
    this.#ready.delete(holder)
    if (line.first !== undefined) this.#ready.set(holder, line)
  }

  /** Ends the wait of a job. It keeps its positions in the lines of its keys until it is released. */
  #stopWaiting(spot: Spot<E>): E {
    this.#waiting.delete(spot)
    this.#onWaiting(-1)
    return spot.entry
  }
}

/** Spots in the order of their numbers, the lowest first: a heap that knows the position of each spot. */
class Seniority<E> {
  readonly #heap: Array<Spot<E>> = []
  readonly #places = new Map<Spot<E>, number>()

  get first(): Spot<E> | undefined {
    return this.#heap[0]
  }

  add(spot: Spot<E>): void {
    this.#put(spot, this.#heap.length)
    this.#rise(spot)
  }

  /** Removes a spot; returns whether the heap had it. */
  delete(spot: Spot<E>): boolean {
    const at = this.#places.get(spot)
    if (at === undefined) return false
    this.#places.delete(spot)
    const last = this.#heap.pop()!
    if (last !== spot) {
      this.#put(last, at)
      this.#sink(last)
      this.#rise(last)
    }
    return true
  }

  #put(spot: Spot<E>, at: number): void {
    this.#heap[at] = spot
    this.#places.set(spot, at)
  }

  #swap(spot: Spot<E>, other: Spot<E>): void {
    const at = this.#places.get(spot)!
    this.#put(spot, this.#places.get(other)!)
    this.#put(other, at)
  }

  #rise(spot: Spot<E>): void {
    for (;;) {
      const above = this.#heap[(this.#places.get(spot)! - 1) >> 1]
      if (above === undefined || above.number <= spot.number) return
      this.#swap(spot, above)
    }
  }

  #sink(spot: Spot<E>): void {
    for (;;) {
      const at = 2 * this.#places.get(spot)!
      const [left, right] = [this.#heap[at + 1], this.#heap[at + 2]]
      const least = right !== undefined && left !== undefined && right.number < left.number ? right : left
      if (least === undefined || least.number >= spot.number) return
      this.#swap(spot, least)
    }
  }
}

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
