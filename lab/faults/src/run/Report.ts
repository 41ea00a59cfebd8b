/** What a harness tells people: a line for each run, a table of all of them, and how to see a failure again. */
import type { Ended, RunPlan } from "./Harness.ts"
import type { RunResult } from "./RunOptions.ts"

/** All runs together. */
export interface Summary {
  readonly runs: number
  /** Runs that could not be done. */
  readonly failures: number
  readonly seeds: { readonly first: number; readonly last: number }
  /** How long faults and clients went on in each, in seconds. */
  readonly secondsEach: number
  readonly seconds: number
  readonly counts: Readonly<Record<string, number>>
  readonly faults: Readonly<Record<string, number>>
  /** Faults that this machine did not allow. */
  readonly leftOut: Readonly<Record<string, number>>
  readonly violations: number
  readonly violated: ReadonlyArray<{ readonly seed: number; readonly invariants: ReadonlyArray<string> }>
}

const number = (value: number): string => value.toLocaleString("en")

const addUp = (all: ReadonlyArray<Readonly<Record<string, number>>>): Readonly<Record<string, number>> => {
  const sums: Record<string, number> = {}
  for (const each of all) {
    for (const [name, count] of Object.entries(each)) sums[name] = (sums[name] ?? 0) + count
  }
  return sums
}

const total = (counts: Readonly<Record<string, number>>): number =>
  Object.values(counts).reduce((sum, count) => sum + count, 0)

const resultsOf = (ended: ReadonlyArray<Ended>): ReadonlyArray<RunResult> =>
  ended.flatMap(({ outcome }) => "result" in outcome ? [outcome.result] : [])

/** Adds up runs. */
export const summarize = (ended: ReadonlyArray<Ended>, secondsEach: number, seconds: number): Summary => {
  const results = resultsOf(ended)
  const seeds = ended.map(({ seed }) => seed)
  return {
    runs: ended.length,
    failures: ended.length - results.length,
    seeds: { first: Math.min(...seeds), last: Math.max(...seeds) },
    secondsEach,
    seconds: Math.round(seconds),
    counts: addUp(results.map(({ counts }) => counts)),
    faults: addUp(results.map(({ faults }) => faults)),
    leftOut: addUp(results.map(({ leftOut }) => leftOut)),
    violations: results.reduce((sum, { violations }) => sum + violations.length, 0),
    violated: results.filter(({ violations }) => violations.length > 0).map(({ seed, violations }) => ({
      seed,
      invariants: [...new Set(violations.map(({ invariant }) => invariant))]
    }))
  }
}

const listed = (counts: Readonly<Record<string, number>>): string =>
  Object.entries(counts).map(([name, count]) => `${number(count)} ${name}`).join(", ")

/** A run in one line. */
export const line = ({ outcome, seed }: Ended): string => {
  if ("failure" in outcome) return `seed ${seed}: could not be run`
  const { counts, faults, seconds, violations } = outcome.result
  const verdict = violations.length === 0 ? "ok" : `${violations.length} VIOLATIONS`
  return `seed ${seed}: ${verdict}, ${total(faults)} faults, ${listed(counts)} (${Math.round(seconds)} s)`
}

/** How runs were made. */
type How = Pick<RunPlan, "course" | "seconds">

/** How to run a seed again, on a server that was sabotaged where it was. */
export const again = (seed: number, { course, seconds }: How, sabotage?: string): string =>
  `npm run test:faults -- --runs 1 --seed ${seed} --seconds ${seconds}`
  + (course === undefined ? "" : ` --course ${course}`)
  + (sabotage === undefined ? "" : ` --sabotage ${sabotage}`)

/** Where a run is to be looked at, and how to see it again. */
export const traces = (
  { folder, history, seed }: Ended,
  how: How,
  sabotage?: string
): ReadonlyArray<string> => [
  `  history: ${history}`,
  `  logs:    ${folder}`,
  `  judge the history again: npm run test:faults -- --replay ${history}`,
  `  run the seed again:      ${again(seed, how, sabotage)}`
]

/** The most violations, and the most events of each, that are shown. */
const mostShown = 10

/** What went wrong in a run, with the events that show it. */
export const failure = (ended: Ended, how: How, sabotage?: string): string => {
  const { outcome, seed } = ended
  const where = traces(ended, how, sabotage)
  if ("failure" in outcome) return [`seed ${seed} could not be run: ${outcome.failure}`, ...where].join("\n")
  return [`seed ${seed} did not keep its promises:`, ...violations(outcome.result), ...where].join("\n")
}

/** Violations in lines. */
export const violations = ({ violations }: Pick<RunResult, "violations">): ReadonlyArray<string> => {
  const shown = violations.slice(0, mostShown).flatMap(({ events, invariant, text }) => [
    `  ${invariant}: ${text}`,
    ...events.slice(0, mostShown).map((event) => `    ${JSON.stringify(event)}`),
    ...(events.length > mostShown ? [`    and ${events.length - mostShown} events more`] : [])
  ])
  const rest = violations.length - mostShown
  return rest > 0 ? [...shown, `  and ${rest} violations more`] : shown
}

/** The table at the end. */
export const table = (summary: Summary): string => {
  const { counts, failures, faults, leftOut, runs, seconds, seeds, violated } = summary
  const rows: ReadonlyArray<readonly [string, string]> = [
    [
      "runs",
      `${number(runs)} of ${summary.secondsEach} s, seeds ${seeds.first} to ${seeds.last}, in ${
        number(seconds)
      } s`
    ],
    ...Object.entries(counts).map(([name, count]) => [name, number(count)] as const),
    ["faults", number(total(faults))],
    ...Object.entries(faults).toSorted().map(([kind, count]) => [`  ${kind}`, number(count)] as const),
    ...Object.entries(leftOut).map(([kind, count]) =>
      [`  ${kind}`, `${number(count)} left out: this machine does not allow it`] as const
    ),
    ...(failures > 0 ? [["could not be run", number(failures)] as const] : []),
    ["violations", number(summary.violations)],
    ...violated.map(({ invariants, seed }) => [`  seed ${seed}`, invariants.join(", ")] as const)
  ]
  const width = Math.max(...rows.map(([name]) => name.length))
  return rows.map(([name, value]) => `${name.padEnd(width)}  ${value}`).join("\n")
}
