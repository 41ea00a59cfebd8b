/**
 * The aims under overload, and whether they were met.
 */
import type { Observed } from "./Drive.ts"
import type { Manners } from "./Task.ts"

/** A part of the benchmark, at a multiple of the saturating rate. */
export interface Leg {
  readonly manners: Manners
  readonly factor: number
  /** Whether it comes after the overload, to see whether the service has recovered. */
  readonly isRecovery: boolean
  readonly observed: Observed
}

/** All measurements. */
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

/** The aim beyond saturation, as a share of the peak. */
const leastShare = 0.9

/** The aim for the ratio of memory under overload to memory before it: queues must not grow with the load. */
const mostMemory = 2

/** The aim for the ratio of good answers at the saturating rate after the overload to those before it. */
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

/** The search begins below the saturating rate and ends above it, so the process is warm afterwards. */
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
