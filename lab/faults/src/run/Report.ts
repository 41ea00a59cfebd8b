/** What a harness tells people: a line for each run, a table of all of them, and how to see a failure again. */
import type { Ended, RunPlan } from "./Harness.ts"
import type { Counts, RunResult } from "./RunOptions.ts"

const number = (value: number): string => value.toLocaleString("en")

const addUp = (all: ReadonlyArray<Counts>): Counts => {
  const sums: Record<string, number> = {}
  for (const [name, count] of all.flatMap((counts) => Object.entries(counts))) {
    sums[name] = (sums[name] ?? 0) + count
  }
  return sums
}

const total = (counts: Counts): number => Object.values(counts).reduce((sum, count) => sum + count, 0)

const listed = (counts: Counts): string =>
  Object.entries(counts).map(([name, count]) => `${number(count)} ${name}`).join(", ")

/** A run in one line. */
export const line = ({ outcome, seed }: Ended): string => {
  if ("failure" in outcome) return `seed ${seed}: could not be run`
  const { counts, faults, seconds, violations } = outcome.result
  const verdict = violations.length === 0 ? "ok" : `${violations.length} VIOLATIONS`
  return `seed ${seed}: ${verdict}, ${total(faults)} faults, ${listed(counts)} (${Math.round(seconds)} s)`
}

/** How runs were made. */
type How = Pick<RunPlan, "course" | "postgres" | "seconds">

/** What the command line says of a course. */
const courseFlags = ({ course, postgres }: How): { readonly mode: string; readonly flags: string } => {
  const isMode = course === "embedded" || course === "citus"
  return {
    mode: isMode ? `${course} ` : "",
    flags: (postgres === undefined ? "" : ` --postgres ${postgres}`)
      + (isMode || course === undefined ? "" : ` --course ${course}`)
  }
}

/** How to run a seed again, on a server that was sabotaged where it was. */
export const again = (seed: number, how: How, sabotage?: string): string => {
  const { flags, mode } = courseFlags(how)
  return `npm run test:faults -- ${mode}--runs 1 --seed ${seed} --seconds ${how.seconds}${flags}`
    + (sabotage === undefined ? "" : ` --sabotage ${sabotage}`)
}

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

/** The table at the end: all runs together, each of so many seconds, in so many. */
export const table = (ended: ReadonlyArray<Ended>, secondsEach: number, seconds: number): string => {
  const results = ended.flatMap(({ outcome, seed }) =>
    "result" in outcome ? [{ seed, ...outcome.result }] : []
  )
  const seeds = ended.map(({ seed }) => seed)
  const faults = addUp(results.map(({ faults }) => faults))
  const range = `seeds ${Math.min(...seeds)} to ${Math.max(...seeds)}`
  const rowsOf = (counts: Counts, indent = "") =>
    Object.entries(counts).map(([name, count]) => [`${indent}${name}`, number(count)] as const)
  const rows: ReadonlyArray<readonly [string, string]> = [
    ["runs", `${number(ended.length)} of ${secondsEach} s, ${range}, in ${number(Math.round(seconds))} s`],
    ...rowsOf(addUp(results.map(({ counts }) => counts))),
    ["faults", number(total(faults))],
    ...rowsOf(faults, "  ").toSorted(),
    ...rowsOf(addUp(results.map(({ leftOut }) => leftOut)), "  ").map(([kind, count]) =>
      [kind, `${count} left out: this machine does not allow it`] as const
    ),
    ...rowsOf({ "could not be run": ended.length - results.length }).filter(([, count]) => count !== "0"),
    ["violations", number(results.flatMap(({ violations }) => violations).length)],
    ...results.filter(({ violations }) => violations.length > 0).map(({ seed, violations }) =>
      [`  seed ${seed}`, [...new Set(violations.map(({ invariant }) => invariant))].join(", ")] as const
    )
  ]
  const width = Math.max(...rows.map(([name]) => name.length))
  return rows.map(([name, value]) => `${name.padEnd(width)}  ${value}`).join("\n")
}
