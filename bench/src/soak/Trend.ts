/**
 * Whether a series of measurements stays flat, told by its trend and not by single values.
 *
 * Guarantee: pure. A rise is found by the median of the slopes between all pairs of points (Theil and Sen), so up to a
 * quarter of the points may be anything at all: a collection of garbage, a checkpoint, a busy neighbour.
 */
import { median } from "../Table.ts"

/** A measurement: seconds from the beginning, and the value. */
export interface Point {
  readonly at: number
  readonly value: number
}

/** What must hold of a series. */
export type Bound =
  /** The rise over the last two thirds, relative to their level; one below `least`, in the unit of the values, is none. */
  | { readonly kind: "growth"; readonly most: number; readonly least: number }
  /** The middle of the last third over that of the first one; a difference below `least` is none. */
  | { readonly kind: "thirds"; readonly most: number; readonly least: number }
  /** It is shown and not judged. */
  | { readonly kind: "none" }

/** A series and what must hold of it. */
export interface Series {
  readonly name: string
  readonly unit: string
  readonly points: ReadonlyArray<Point>
  readonly bound: Bound
}

/** How a series goes. */
export interface Trend {
  readonly first: number
  readonly last: number
  /** The rise over the last two thirds in the unit of the values, and relative to their level. */
  readonly rise: number
  readonly growth: number
  /** `undefined` when nothing was to hold; `false` too when there is too little to judge by. */
  readonly isFlat: boolean | undefined
}

/** Fewer points than that tell nothing. */
export const leastPoints = 6

/** The slope of a line through the points in units a second, whatever a minority of them is. */
export const slopeOf = (points: ReadonlyArray<Point>): number => {
  const slopes: Array<number> = []
  for (const [at, left] of points.entries()) {
    for (const right of points.slice(at + 1)) {
      if (right.at !== left.at) slopes.push((right.value - left.value) / (right.at - left.at))
    }
  }
  return slopes.length === 0 ? 0 : median(slopes)
}

const middle = (points: ReadonlyArray<Point>): number =>
  points.length === 0 ? Number.NaN : median(points.map(({ value }) => value))

/** The points from this share of the time to that one. */
const part = (points: ReadonlyArray<Point>, from: number, to: number): ReadonlyArray<Point> => {
  const start = points[0]?.at ?? 0
  const span = (points.at(-1)?.at ?? 0) - start
  return points.filter(({ at }) => at >= start + from * span && at <= start + to * span)
}

/** How a series goes, and whether what must hold does. */
export const trendOf = ({ bound, points }: Series): Trend => {
  const first = middle(part(points, 0, 1 / 3))
  const last = middle(part(points, 2 / 3, 1))
  const judged = part(points, 1 / 3, 1)
  const span = judged.length === 0 ? 0 : judged.at(-1)!.at - judged[0]!.at
  const rise = slopeOf(judged) * span
  const level = middle(judged)
  const growth = level === 0 ? (rise > 0 ? Number.POSITIVE_INFINITY : 0) : rise / level
  return { first, last, rise, growth, isFlat: judge(bound, points, { first, last, rise, growth }) }
}

const judge = (
  bound: Bound,
  points: ReadonlyArray<Point>,
  { first, growth, last, rise }: Omit<Trend, "isFlat">
): boolean | undefined => {
  if (bound.kind === "none") return undefined
  if (points.length < leastPoints || points.some(({ value }) => !Number.isFinite(value))) return false
  return bound.kind === "growth"
    ? growth <= bound.most || rise < bound.least
    : last <= first * bound.most || last - first < bound.least
}

/** Something that is counted while nothing goes on, before and after the load. */
export interface Idle {
  readonly name: string
  readonly before: number
  readonly after: number
  /** How many more there may be: what comes and goes by itself. */
  readonly slack: number
}

/** Whether as little is held after the load as before it; unknown is not. */
export const isBack = ({ after, before, slack }: Idle): boolean => after <= before + slack
