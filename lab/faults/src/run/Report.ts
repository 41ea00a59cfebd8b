/** The report of a harness for people: each run, all runs, and how to repeat a failure. */
import type { Counts } from "../checker/Checker.ts"
import { historyIn, isGood } from "./Harness.ts"
import type { Ended, RunPlan } from "./Harness.ts"
import type { RunResult } from "./RunOptions.ts"
import type { Verdict } from "./Verdict.ts"

const addUp = (all: ReadonlyArray<Counts>): Counts => {
  const sums: Record<string, number> = {}
  for (const [name, count] of all.flatMap((counts) => Object.entries(counts))) {
    sums[name] = (sums[name] ?? 0) + count
  }
  return sums
}

const listed = (counts: Counts): string =>
  Object.entries(counts).map(([name, count]) => `${count.toLocaleString("en")} ${name}`).join(", ")

const countOf = ({ violated }: Verdict): number =>
  Object.values(violated).reduce((sum, count) => sum + count, 0)

/** Violations in lines, each with the events that show it. */
export const violations = (verdict: Verdict): ReadonlyArray<string> => {
  const shown = verdict.violations.flatMap(({ events, invariant, more, text }) => [
    `  ${invariant}: ${text}`,
    ...events.map((event) => `    ${event}`),
    ...(more > 0 ? [`    and ${more} events more`] : [])
  ])
  const rest = countOf(verdict) - verdict.violations.length
  return rest > 0 ? [...shown, `  and ${rest} violations more: ${listed(verdict.violated)} in all`] : shown
}

/** A line about the results of some runs. */
const line = (name: string, results: ReadonlyArray<RunResult>, seconds: number): string => {
  const broken = results.reduce((sum, result) => sum + countOf(result), 0)
  const faults = results.flatMap(({ faults }) => Object.values(faults)).reduce((sum, count) => sum + count, 0)
  const counts = listed({ faults, ...addUp(results.map(({ counts }) => counts)) })
  return `${name}: ${broken === 0 ? "ok" : `${broken} VIOLATIONS`}, ${counts} (${Math.round(seconds)} s)`
}

/** The command that runs a seed again, with the same sabotage. */
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

/** A run: its calls, its violations, and how to examine them if its folder is kept. */
export const ended = (run: Ended, plan: RunPlan, sabotage?: string): string => {
  const { folder, outcome, seed } = run
  const history = historyIn(folder)
  return [
    ..."failure" in outcome
      ? [`seed ${seed}: could not be run: ${outcome.failure}`]
      : [line(`seed ${seed}`, [outcome.result], outcome.result.seconds), ...violations(outcome.result)],
    ...isGood(run) && !plan.keep ? [] : [
      `  history: ${history}`,
      `  logs:    ${folder}`,
      `  judge the history again: npm run test:faults -- --replay ${history}`,
      `  run the seed again:      ${again(seed, plan, sabotage)}`
    ]
  ].join("\n")
}

/** All runs together, with the seconds of each and of all. */
export const summary = (all: ReadonlyArray<Ended>, secondsEach: number, seconds: number): string => {
  const results = all.flatMap(({ outcome }) => "result" in outcome ? [outcome.result] : [])
  const failed = all.filter((run) => !isGood(run)).map(({ seed }) => seed).join(", ")
  const leftOut = listed(addUp(results.map(({ leftOut }) => leftOut)))
  const name = `${all.length} runs of ${secondsEach} s, seeds ${all[0]!.seed} to ${all.at(-1)!.seed}`
  return [
    line(name, results, seconds),
    `  faults: ${listed(addUp(results.map(({ faults }) => faults)))}`,
    ...leftOut === "" ? [] : [`  left out, as this machine does not allow it: ${leftOut}`],
    ...failed === "" ? [] : [`  promises were not kept, or a run could not be done, with the seeds ${failed}`]
  ].join("\n")
}
