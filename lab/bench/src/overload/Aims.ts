/**
 * What is aimed at under overload, and whether it was met.
 */
import type { Observed } from "./Drive.ts"
import type { Manners } from "./Task.ts"

/** A stretch of the benchmark: so many times the saturating rate. */
export interface Leg {
  readonly manners: Manners
  readonly factor: number
  /** After the overload, to see whether the service is as it was before. */
  readonly isRecovery: boolean
  readonly observed: Observed
}

/** Everything that was measured. */
export interface Result {
  /** The search: good answers a second by rate. */
  readonly search: ReadonlyArray<Observed>
  /** The most good answers a second in the search. */
  readonly peak: number
  readonly legs: ReadonlyArray<Leg>
}

/** Good answers a second. */
export const goodRateOf = ({ tally }: Observed): number => tally.good / tally.seconds

/** Whether an aim was met. */
export interface Aim {
  readonly text: string
  readonly isMet: boolean
}

/** The share of the peak that is aimed at beyond saturation. */
const leastShare = 0.9

/** Memory under overload, over memory before there was any: what is queued must not grow with the load. */
const mostMemory = 2

/** Good answers at the saturating rate after the overload, over those before it. */
const leastRecovery = 0.9

const at = (legs: ReadonlyArray<Leg>, factor: number): Leg | undefined =>
  legs.find((leg) => leg.factor === factor && !leg.isRecovery)

const shareAim = (peak: number, leg: Leg): Aim => {
  const share = goodRateOf(leg.observed) / peak
  return {
    text: `at ${leg.factor} times the load, ${share.toFixed(2)} of the peak (aim ${leastShare})`,
    isMet: share >= leastShare
  }
}

/** The search begins below what saturates; it ends beyond, so that what comes after it is warmed by overload. */
const memoryAim = (search: Result["search"], legs: ReadonlyArray<Leg>): ReadonlyArray<Aim> => {
  const before = search[0]
  const peaks = legs.filter(({ factor }) => factor > 1).map(({ observed }) => observed.residentPeak)
  if (before === undefined || peaks.length === 0) return []
  const ratio = Math.max(...peaks) / before.residentPeak
  return [{
    text: `memory at most ${ratio.toFixed(2)} times that before (aim ${mostMemory})`,
    isMet: ratio <= mostMemory
  }]
}

const recoveryAim = (legs: ReadonlyArray<Leg>): ReadonlyArray<Aim> => {
  const before = at(legs, 1)
  const after = legs.find(({ isRecovery }) => isRecovery)
  if (before === undefined || after === undefined) return []
  const ratio = goodRateOf(after.observed) / goodRateOf(before.observed)
  return [{
    text: `after it, ${ratio.toFixed(2)} of the good answers before it (aim ${leastRecovery})`,
    isMet: ratio >= leastRecovery
  }]
}

const cleanAim = (legs: ReadonlyArray<Leg>): Aim => {
  const sum = (count: (leg: Leg) => number) => legs.reduce((total, leg) => total + count(leg), 0)
  const timeouts = sum(({ observed }) => observed.tally.timeouts)
  const errors = sum(({ observed }) => observed.tally.errors)
  return {
    text: `${timeouts} requests without an answer in time, ${errors} errors (aim 0)`,
    isMet: timeouts + errors === 0
  }
}

/** The aims for the clients of one kind, in the order of the load. */
export const aimsOf = ({ legs, peak, search }: Result, manners: Manners): ReadonlyArray<Aim> => {
  const ours = legs.filter((leg) => leg.manners === manners)
  if (ours.length === 0) return []
  return [
    ...ours.filter(({ factor }) => factor > 1).map((leg) => shareAim(peak, leg)),
    cleanAim(ours),
    ...memoryAim(search, ours),
    ...recoveryAim(ours)
  ]
}
