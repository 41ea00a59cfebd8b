/**
 * Finds the rate that saturates a service: the load grows step by step until what it answers well no longer grows.
 *
 * Guarantee: pure; the next step depends on the steps so far alone.
 */

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

/** What follows after these steps, the first of which has the rate `from`. */
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
