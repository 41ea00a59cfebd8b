/** Finds the rate that saturates a service: the load grows step by step until the rate of good answers no longer grows. */
import { Effect } from "effect"
import { say } from "../BenchError.ts"
import { observe } from "./Drive.ts"
import type { LoadOptions, Observed } from "./Drive.ts"
import type { System } from "./System.ts"

/** A step of the search: requests a second that became due, and good answers a second. */
export interface SearchStep {
  readonly rate: number
  readonly good: number
}

/** The result of a step: the rate of the next step, or the highest rate of good answers. */
export type Verdict = { readonly next: number } | { readonly peak: number }

/** The factor between the rates of two steps. */
const growth = 1.35

/** The least ratio to the best earlier step that counts as growth. */
const notable = 1.05

/** The number of steps without growth that ends the search: a single one may be chance. */
const patience = 2

/** A limit for the steps, which a search does not reach. */
const mostSteps = 25

/** What follows these steps, the first of which has the rate `from`. */
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

/** The seconds of each step: of its warm-up, and of its measurement. */
export interface SearchOptions extends LoadOptions {
  readonly from: number
  readonly warmupSeconds: number
  readonly seconds: number
}

/** The result of the search. */
export interface Saturation {
  /** The most good answers a second. */
  readonly peak: number
  readonly steps: ReadonlyArray<Observed>
}

/** Raises the load until the rate of good answers no longer grows. Clients are rude, because polite ones would stop sending. */
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
