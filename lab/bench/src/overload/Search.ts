/** Finds the rate that saturates a service: the load grows step by step until what it answers well no longer grows. */
import { Effect } from "effect"
import { say } from "../BenchError.ts"
import { observe } from "./Drive.ts"
import type { LoadOptions, Observed } from "./Drive.ts"
import type { System } from "./System.ts"

/** A step of the search: requests a second that fell due, and good answers a second. */
export interface SearchStep {
  readonly rate: number
  readonly good: number
}

/** What follows: a further step, or the most good answers a second that there were. */
export type Verdict = { readonly next: number } | { readonly peak: number }

/** Each step has so many times the rate of the one before. */
const growth = 1.35

/** A step counts as growth from this ratio on to the best one before. */
const notable = 1.05

/** So many steps without growth end the search: one alone may be a hiccup. */
const patience = 2

/** Nobody needs more steps than that; the search ends by itself. */
const mostSteps = 25

/** What follows after these steps alone, the first of which has the rate `from`. */
export const follow = (steps: ReadonlyArray<SearchStep>, from: number): Verdict => {
  let best = 0
  let grownAt = -1
  for (const [at, { good }] of steps.entries()) {
    if (good > best * notable) grownAt = at
    best = Math.max(best, good)
  }
  const last = steps.at(-1)
  if (last === undefined) return { next: from }
  const isOver = steps.length - 1 - grownAt >= patience || steps.length >= mostSteps
  return isOver ? { peak: best } : { next: Math.ceil(last.rate * growth) }
}

/** Seconds of each step: before it counts, and while it does. */
export interface SearchOptions extends LoadOptions {
  readonly from: number
  readonly warmupSeconds: number
  readonly seconds: number
}

/** What was found. */
export interface Saturation {
  /** The most good answers a second. */
  readonly peak: number
  readonly steps: ReadonlyArray<Observed>
}

/** Raises the load until what is answered well no longer grows. Clients are rude: a polite one would not go on. */
export const saturate = Effect.fnUntraced(function*(system: System, options: SearchOptions) {
  const observed: Array<Observed> = []
  const steps: Array<SearchStep> = []
  for (;;) {
    const verdict = follow(steps, options.from)
    if ("peak" in verdict) return { peak: verdict.peak, steps: observed } satisfies Saturation
    const { seconds, warmupSeconds } = options
    const stretch = { rate: verdict.next, manners: "rude", warmupSeconds, seconds } as const
    const step = yield* observe(system, options, stretch)
    const good = step.tally.good / step.tally.seconds
    observed.push(step)
    steps.push({ rate: verdict.next, good })
    yield* say(`${verdict.next} requests/s: ${good.toFixed(0)} good answers/s`)
  }
})
