/**
 * Runs long computations in slices, between which sockets, timers and probes are served.
 *
 * Guarantee: a slice ends once it has cost {@link sliceCost}. The next slice, of the computation that has waited longest,
 * runs in the next round of the event loop, however many computations run. A computation below that cost never waits.
 */
import { Context, Effect, Semaphore } from "effect"

/**
 * A computation that yields, at each point where it can be interrupted, its cost since the last point. The unit is the
 * cost of reading or checking one value: at most a microsecond.
 */
export type Steps<A> = Generator<number, A, void>

/** The cost of a slice; only its last step may exceed it. */
export const sliceCost = 4000

export const atOnce = <A>(steps: Steps<A>): A => {
  for (;;) {
    const { done, value } = steps.next()
    if (done === true) return value
  }
}

/** Runs a computation, in slices if it is long. Call it once for each computation. */
export const run = <A>(steps: Steps<A>): Effect.Effect<A> => begin(steps, (rest) => rest)

/** Runs a computation that needs much memory: in slices if it is long, and only a few such computations at a time. */
export const runInTurn = <A>(steps: Steps<A>): Effect.Effect<A> =>
  begin(steps, (rest) => inTurn.withPermit(rest))

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

/** Two at a time bound the memory of half-read bodies, and let a small body pass a large one. */
const inTurn = Semaphore.makeUnsafe(2)

/** Core names no platform, so it declares the globals that it uses. */
declare const setImmediate: (task: () => void) => unknown

/** Makes an effect that waits for a round of the event loop that no other computation uses. */
const makePause = (): Effect.Effect<void> => {
  const waiting = new Set<() => void>()
  let isSet = false
  const set = (): void => {
    if (isSet || waiting.size === 0) return
    isSet = true
    // An immediate set by an immediate runs after the event loop has served input and output.
    setImmediate(goOn)
  }
  const goOn = (): void => {
    isSet = false
    const [next] = waiting
    if (next === undefined) return
    waiting.delete(next)
    set()
    next()
  }
  return Effect.callback<void>((resume) => {
    const turn = () => resume(Effect.void)
    waiting.add(turn)
    set()
    return Effect.sync(() => waiting.delete(turn))
  })
}

/** The wait between two slices: one queue for the process, as it has one event loop. */
export const Pause: Context.Reference<Effect.Effect<void>> = Context.Reference("@dockline/core/Pause", {
  defaultValue: makePause
})

export const pause: Effect.Effect<void> = Effect.flatMap(Pause, (pause) => pause)
