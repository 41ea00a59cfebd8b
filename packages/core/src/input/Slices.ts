/**
 * Long computations in slices, between which sockets, timers and probes are served.
 *
 * Guarantee: a slice ends as soon as it has done {@link sliceCost}, and the next one, of whichever computation has waited
 * longest, begins in the next round of the event loop. However many computations are under way, input and output are
 * looked at after every single slice. A computation below that cost never waits.
 */
import { Context, Effect, Semaphore } from "effect"

/**
 * A computation that says, each time that it can be interrupted, what it has done since. The unit is what one value costs
 * to be read or checked: a microsecond at most.
 */
export type Steps<A> = Generator<number, A, void>

/** The most that is done at a stretch, but for what the last step does beyond it. */
export const sliceCost = 4000

/** Runs a computation at a stretch. */
export const atOnce = <A>(steps: Steps<A>): A => {
  for (;;) {
    const { done, value } = steps.next()
    if (done === true) return value
  }
}

/** Runs a computation, a long one in slices; to be called once for each. */
export const run = <A>(steps: Steps<A>): Effect.Effect<A> => begin(steps, (rest) => rest)

/** Runs a computation that takes much memory: a long one in slices, and when its turn has come. */
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

/** Runs a computation until it has done enough for a slice, or ends. */
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
 * Two at a time: what half-read bodies take of memory is bounded, and one that is soon read does not wait for all that a
 * larger one takes.
 */
const inTurn = Semaphore.makeUnsafe(2)

/** What is used of the runtime's own: core names no platform, so that it declares this itself. */
declare const setImmediate: (task: () => void) => unknown

/** Waits for a round of the event loop that no other computation has. */
const makePause = (): Effect.Effect<void> => {
  const waiting = new Set<() => void>()
  let isSet = false
  const set = (): void => {
    if (isSet || waiting.size === 0) return
    isSet = true
    // An immediate that is set by an immediate runs after the next look at input and output.
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

/** What a computation waits for between two slices: one queue for the whole process, as it has one event loop. */
export const Pause: Context.Reference<Effect.Effect<void>> = Context.Reference("@dockline/core/Pause", {
  defaultValue: makePause
})

/** Lets others go on before something long. */
export const pause: Effect.Effect<void> = Effect.flatMap(Pause, (pause) => pause)
