/**
 * Runs long computations in slices, between which sockets, timers and probes are served.
 *
 * Guarantee: a slice ends once it has cost {@link sliceCost}. Each round of the event loop runs at most one slice of the computations that
 * wait, however many there are. Businesses take turns ({@link CurrentWork}), and within a business the computation that has waited longest
 * comes first. A computation below that cost never waits.
 */
import { Context, Effect } from "effect"

/**
 * A computation that yields, at each point where it can be interrupted, its cost since the last point. The unit is the
 * cost of reading or checking one value: at most a microsecond.
 */
export type Steps<A> = Generator<number, A, void>

/** The cost of a slice; only its last step may exceed it. */
export const sliceCost = 4000

/** Runs a computation to its end without a pause, whatever its cost. The event loop waits for it. */
export const atOnce = <A>(steps: Steps<A>): A => {
  for (;;) {
    const { done, value } = steps.next()
    if (done === true) return value
  }
}

/** Runs a computation, in slices if it is long. Call it once for each computation. */
export const run = <A>(steps: Steps<A>): Effect.Effect<A> => begin(steps, (rest) => rest)

/** Runs a computation that needs much memory: in slices if it is long, and only a few such computations at a time. */
export const runInTurn = <A>(steps: Steps<A>): Effect.Effect<A> => begin(steps, inTurn)

const begin = <A>(steps: Steps<A>, goOn: (rest: Effect.Effect<A>) => Effect.Effect<A>): Effect.Effect<A> =>
  Effect.suspend(() => {
    const first = slice(steps)
    return first.done === true ? Effect.succeed(first.value) : goOn(rest(steps))
  })

const rest = Effect.fnUntraced(function*<A>(steps: Steps<A>): Effect.fn.Return<A> {
  for (;;) {
    yield* pause
    const next = slice(steps)
    if (next.done === true) return next.value
  }
})

/** Runs a computation until its slice or the computation ends. */
const slice = <A>(steps: Steps<A>): IteratorResult<number, A> => {
  let cost = 0
  for (;;) {
    const next = steps.next()
    if (next.done === true) return next
    cost += next.value
    if (cost >= sliceCost) return next
  }
}

/**
 * Runs a wait within the process: for a connection to the storage, for its turn to use the storage, or for memory. While the work waits, it
 * counts only in its own share, and not as running work.
 */
export type WaitIdle = <A, E, R>(waiting: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>

/** The key of the owner of a computation, and the function that runs its waits. */
export interface Work {
  /** Keys take turns: in each turn of a key, one of its computations runs. All work without a known client has the same key. */
  readonly turn: string
  readonly idle: WaitIdle
}

/** The present work; by default its client is unknown and its waits are not counted. */
export const CurrentWork: Context.Reference<Work> = Context.Reference<Work>("@dockline/core/CurrentWork", {
  defaultValue: () => ({ turn: "", idle: (waiting) => waiting })
})

/** Runs a computation with the turns of a key. */
export const inTurnsOf = <A, E, R>(turn: string, effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.updateService(effect, CurrentWork, ({ idle }) => ({ turn, idle }))

/** Waiting computations, in one queue for each key. `next` takes the first computation of each queue in rotation. */
class Lines {
  readonly #lines = new Map<string, Set<() => void>>()

  get isEmpty(): boolean {
    return this.#lines.size === 0
  }

  /** Adds a function to the end of a queue; returns the function that removes it. */
  add(key: string, call: () => void): () => void {
    const line = this.#lines.get(key) ?? new Set()
    this.#lines.set(key, line.add(call))
    return () => {
      line.delete(call)
      // The queue may have been replaced by a new queue.
      if (line.size === 0 && this.#lines.get(key) === line) this.#lines.delete(key)
    }
  }

  /** Removes and returns the first function of the queue whose turn it is. */
  next(): (() => void) | undefined {
    for (const [key, line] of this.#lines) {
      const [call] = line
      if (call === undefined) continue
      line.delete(call)
      this.#lines.delete(key)
      if (line.size > 0) this.#lines.set(key, line)
      return call
    }
    return undefined
  }
}

/** Waits in the queue of the present work until `call` is called. */
const inLine = (register: (key: string, call: () => void) => (() => void) | undefined): Effect.Effect<void> =>
  Effect.flatMap(CurrentWork, ({ turn }) =>
    Effect.callback((resume) => {
      const remove = register(turn, () => resume(Effect.void))
      return remove && Effect.sync(remove)
    }))

/** Lets at most `count` computations run at a time. */
const makePermits = (count: number) => {
  const lines = new Lines()
  let free = count
  const take = inLine((key, call) => {
    if (free === 0) return lines.add(key, call)
    free--
    call()
    return undefined
  })
  const give = Effect.sync(() => {
    const next = lines.next()
    if (next === undefined) free++
    else next()
  })
  return <A>(effect: Effect.Effect<A>): Effect.Effect<A> =>
    Effect.uninterruptibleMask((restore) =>
      Effect.andThen(restore(take), Effect.ensuring(restore(effect), give))
    )
}

/** Two computations at a time: few enough to bound the memory of half-read bodies, but a small body can overtake a large one. */
const inTurn = makePermits(2)

/** Core includes the types of no platform, so it declares the globals that it uses. */
declare const setImmediate: (task: () => void) => unknown

/** Makes an effect that waits for a round of the event loop that no other computation uses. */
const makePause = (): Effect.Effect<void> => {
  const lines = new Lines()
  let isSet = false
  const set = (): void => {
    if (isSet || lines.isEmpty) return
    isSet = true
    // An immediate set by an immediate runs after the event loop has served input and output.
    setImmediate(goOn)
  }
  const goOn = (): void => {
    isSet = false
    const next = lines.next()
    set()
    next?.()
  }
  return inLine((key, call) => {
    const remove = lines.add(key, call)
    set()
    return remove
  })
}

/** The wait between two slices. The whole process shares its queues, because it has one event loop. */
export const Pause: Context.Reference<Effect.Effect<void>> = Context.Reference("@dockline/core/Pause", {
  defaultValue: makePause
})

/** Waits for a round of the event loop that no other computation uses. Sockets and timers are served before it. */
export const pause: Effect.Effect<void> = Effect.flatMap(Pause, (pause) => pause)
