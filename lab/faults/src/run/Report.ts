/** What a harness tells people: a line for each run, a table of all of them, and how to see a failure again. */
import type { Counts } from "../checker/Checker.ts"
import { historyIn, isGood } from "./Harness.ts"
import type { Ended, RunPlan } from "./Harness.ts"
import type { RunResult } from "./RunOptions.ts"

const number = (value: number): string => value.toLocaleString("en")

const addUp = (all: ReadonlyArray<Counts>): Counts => {
  const sums: Record<string, number> = {}
  for (const [name, count] of all.flatMap((counts) => Object.entries(counts))) {
    sums[name] = (sums[name] ?? 0) + count
  }
  return sums
}

const total = (counts: Counts): number => Object.values(counts).reduce((sum, count) => sum + count, 0)

/** How to run a seed again, on a server that was sabotaged where it was. */
const again = (
  seed: number,
  { course, postgres, seconds }: RunPlan,
  sabotage: string | undefined
): string => {
  const isMode = course === "embedded" || course === "citus"
  const all = { runs: 1, seed, seconds, postgres, course: isMode ? undefined : course, sabotage }
  const flags = Object.entries(all).map(([name, value]) => value === undefined ? "" : ` --${name} ${value}`)
  return `npm run test:faults --${isMode ? ` ${course}` : ""}${flags.join("")}`
}

/** The most violations, and the most events of each, that are shown. */
const mostShown = 10

/** Violations in lines, each with the events that show it. */
export const violations = ({ violations }: Pick<RunResult, "violations">): ReadonlyArray<string> => {
  const shown = violations.slice(0, mostShown).flatMap(({ events, invariant, text }) => [
    `  ${invariant}: ${text}`,
    ...events.slice(0, mostShown).map((event) => `    ${JSON.stringify(event)}`),
    ...(events.length > mostShown ? [`    and ${events.length - mostShown} events more`] : [])
  ])
  const rest = violations.length - mostShown
  return rest > 0 ? [...shown, `  and ${rest} violations more`] : shown
}

/** A run: what was done in a line, what went wrong, and how to look at it where its folder is kept. */
export const ended = (run: Ended, plan: RunPlan, sabotage?: string): string => {
  const { folder, outcome, seed } = run
  const lines: Array<string> = []
  if ("failure" in outcome) lines.push(`seed ${seed}: could not be run: ${outcome.failure}`)
  else {
    const { counts, faults, seconds, violations: all } = outcome.result
    const verdict = all.length === 0 ? "ok" : `${all.length} VIOLATIONS`
    const listed = Object.entries(counts).map(([name, count]) => `${number(count)} ${name}`).join(", ")
    lines.push(`seed ${seed}: ${verdict}, ${total(faults)} faults, ${listed} (${Math.round(seconds)} s)`)
    lines.push(...violations(outcome.result))
  }
  if (isGood(run) && !plan.keep) return lines.join("\n")
  const history = historyIn(folder)
  return [
    ...lines,
    `  history: ${history}`,
    `  logs:    ${folder}`,
    `  judge the history again: npm run test:faults -- --replay ${history}`,
    `  run the seed again:      ${again(seed, plan, sabotage)}`
  ].join("\n")
}

/** The table at the end: all runs together, each of so many seconds, in so many. */
export const table = (ended: ReadonlyArray<Ended>, secondsEach: number, seconds: number): string => {
  const results = ended.flatMap(({ outcome, seed }) =>
    "result" in outcome ? [{ seed, ...outcome.result }] : []
  )
  const faults = addUp(results.map(({ faults }) => faults))
  const range = `seeds ${ended[0]!.seed} to ${ended.at(-1)!.seed}`
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
