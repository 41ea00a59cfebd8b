/**
 * `bench decide`: what deciding a document costs for each item, at sizes from 10 to 100,000 items; no database.
 */
import { Console, Effect } from "effect"
import { mkdirSync, writeFileSync } from "node:fs"
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import { BenchError, say } from "./BenchError.ts"
import { cases } from "./decide/Cases.ts"
import * as Measure from "./decide/Measure.ts"
import * as Report from "./decide/Report.ts"
import * as Machine from "./Machine.ts"
import * as Processes from "./Processes.ts"

/** What the command line says. */
export interface DecideOptions {
  readonly rounds: number
  readonly items: number
  readonly json: boolean
  readonly write: boolean
}

/** The collection of garbage at will, so that no measurement pays for the one before it. */
const collector = (): () => void => {
  setFlagsFromString("--expose-gc")
  return runInNewContext("gc") as () => void
}

/** One round of everything: each size of each case, small and large by turns of the round. */
const measureRound = (
  round: number,
  options: DecideOptions,
  collect: () => void
): ReadonlyArray<Report.Leg> => {
  const sizes = round % 2 === 1 ? Report.sizes : Report.sizes.toReversed()
  return sizes.flatMap((items) =>
    cases.map(({ make, title }) => ({
      round,
      title,
      items,
      costs: Measure.measure(make(items), items, options.items, collect)
    }))
  )
}

/** Runs the benchmark. */
export const decide = Effect.fnUntraced(function*(options: DecideOptions) {
  const collect = collector()
  yield* say("Warming up")
  measureRound(0, options, collect)
  const legs: Array<Report.Leg> = []
  for (let round = 1; round <= options.rounds; round++) {
    legs.push(...measureRound(round, options, collect))
    yield* say(`[${round}/${options.rounds}]`)
  }
  if (Measure.lastMade() === undefined) return yield* new BenchError({ message: "Nothing was measured" })
  const result: Report.Result = {
    date: new Date().toISOString(),
    machine: Machine.describeWithoutDatabase(["effect"]),
    settings: `${options.rounds} rounds after one that does not count; ` +
      `${options.items} items in each measurement, one document at least`,
    legs
  }
  yield* Console.log(options.json ? JSON.stringify(result, undefined, 2) : Report.toText(result))
  if (options.write) {
    mkdirSync(Processes.fileOf("../results"), { recursive: true })
    writeFileSync(Processes.fileOf("../results/decide.md"), Report.toMarkdown(result))
    yield* say("Written to bench/results/decide.md")
  }
})
