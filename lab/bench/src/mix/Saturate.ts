/**
 * The search for the rate that saturates the system, done.
 */
import { Effect } from "effect"
import { say } from "../BenchError.ts"
import { observe } from "./Drive.ts"
import type { LoadOptions, Observed } from "./Drive.ts"
import { follow } from "./Search.ts"
import type { SearchStep } from "./Search.ts"
import type { System } from "./System.ts"

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
