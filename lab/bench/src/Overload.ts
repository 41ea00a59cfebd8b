/**
 * `bench overload`: more load than the service can handle, from outside. The rate of good answers must stay near its highest, and all other
 * requests must be refused with the time of the next attempt.
 */
import { Effect } from "effect"
import { say } from "./BenchError.ts"
import * as Cluster from "./Cluster.ts"
import * as Machine from "./Machine.ts"
import { aimsOf, goodRateOf } from "./overload/Aims.ts"
import type { Leg, Result } from "./overload/Aims.ts"
import * as Drive from "./overload/Drive.ts"
import type { Observed } from "./overload/Drive.ts"
import { saturate } from "./overload/Search.ts"
import * as System from "./overload/System.ts"
import type { Manners } from "./overload/Task.ts"
import { publish } from "./Report.ts"
import type { Common, Section } from "./Report.ts"

/** The options of the command line. */
export interface OverloadOptions extends Common, Drive.LoadOptions {
  readonly seconds: number
  readonly warmup: number
  readonly searchSeconds: number
  readonly from: number
  readonly followers: number
  readonly pool: number
}

/** Factors of the saturating rate; the last one shows whether the service has recovered. */
const factors: ReadonlyArray<readonly [factor: number, isRecovery: boolean]> = [
  [0.5, false],
  [1, false],
  [1.5, false],
  [2, false],
  [4, false],
  [1, true]
]

const titles: Readonly<Record<Manners, string>> = {
  rude: "Clients that send on whatever they are told",
  polite: "Clients that wait as `Retry-After` says"
}

const nameOf = ({ factor, isRecovery }: Leg): string => `${factor} ×${isRecovery ? " again" : ""}`

/** Measures each load with clients of one kind. */
const measure = Effect.fnUntraced(
  function*(system: System.System, options: OverloadOptions, peak: number, manners: Manners) {
    const legs: Array<Leg> = []
    for (const [factor, isRecovery] of factors) {
      const observed = yield* Drive.observe(system, options, {
        rate: Math.max(1, Math.round(peak * factor)),
        manners,
        warmupSeconds: options.warmup,
        seconds: options.seconds
      })
      const leg: Leg = { manners, factor, isRecovery, observed }
      yield* say(`${manners} ${nameOf(leg)}: ${goodRateOf(observed).toFixed(0)} of ${peak.toFixed(0)} good/s`)
      legs.push(leg)
    }
    return legs
  }
)

/** Columns of figures of the observations. */
type Columns = ReadonlyArray<readonly [column: string, of: (observed: Observed) => string]>

const rate = (count: (tally: Observed["tally"]) => number) => ({ tally }: Observed): string =>
  (count(tally) / tally.seconds).toFixed(0)

const columnsOf = (peak: number): Columns => [
  ["due/s", rate(({ due }) => due)],
  ["left out/s", rate(({ held }) => held)],
  ["good/s", rate(({ good }) => good)],
  ["of peak", (observed) => (goodRateOf(observed) / peak).toFixed(2)],
  ["refused/s", rate(({ refused }) => refused)],
  ["timeouts", ({ tally }) => String(tally.timeouts)],
  ["errors", ({ tally }) => String(tally.errors)],
  ["p50 ms", ({ tally }) => tally.p50.toFixed(1)],
  ["p99 ms", ({ tally }) => tally.p99.toFixed(0)],
  ["memory MiB", ({ residentPeak }) => (residentPeak / 2 ** 20).toFixed(0)],
  ["server cores", ({ cores }) => cores.server.toFixed(2)],
  ["PostgreSQL cores", ({ cores }) => cores.postgres.toFixed(2)],
  ["load cores", ({ cores }) => cores.load.toFixed(2)],
  ["webhooks behind", ({ waiting }) => String(waiting)]
]

const tableOf = (
  title: string,
  peak: number,
  observed: ReadonlyArray<readonly [name: string, observed: Observed]>
): Section => {
  const columns = columnsOf(peak)
  return {
    title,
    columns: ["load", ...columns.map(([column]) => column)],
    rows: observed.map(([name, each]) => [name, ...columns.map(([, of]) => of(each))])
  }
}

const sectionsOf = (result: Result): ReadonlyArray<Section> => {
  const { legs, peak, search } = result
  const errors = new Set(legs.flatMap(({ observed: { tally } }) => tally.firstError ?? []))
  return [
    ...(["rude", "polite"] as const).map((manners) => {
      const own = legs.filter((leg) => leg.manners === manners)
      return {
        ...tableOf(titles[manners], peak, own.map((leg) => [nameOf(leg), leg.observed])),
        lines: aimsOf(result, manners).map(({ isMet, text }) => `${isMet ? "met" : "not met"}: ${text}`)
      }
    }),
    {
      ...tableOf("The search for the peak", peak, search.map((step, at) => [String(at + 1), step])),
      lines: Array.from(errors, (error) => `error: \`${error}\``)
    }
  ]
}

/** Runs the benchmark. */
export const overload = Effect.fnUntraced(function*(options: OverloadOptions) {
  const { connections, followers, from, pool, searchSeconds, seconds, timeout, warmup } = options
  const directory = yield* Cluster.onDisk(options.directory)
  yield* say("Starting PostgreSQL, Dockline, customers and the generator")
  const system = yield* System.start(directory, pool, followers)
  yield* say("Warming up, then looking for the rate that saturates it")
  const step = { warmupSeconds: Math.min(warmup, searchSeconds), seconds: searchSeconds }
  yield* Drive.observe(system, options, { ...step, rate: from, manners: "rude" })
  const { peak, steps } = yield* saturate(system, { connections, timeout, from, ...step })
  const legs = [
    ...yield* measure(system, options, peak, "rude"),
    ...yield* measure(system, options, peak, "polite")
  ]
  yield* publish({
    name: "overload",
    title: "Overload",
    note:
      "Times are those of good answers, from when a request was due; memory is the most that was resident.",
    facts: [
      Machine.describe(system.cluster, directory, ["effect", "@effect/sql-pg"]),
      `one instance, ${pool} database connections; up to ${connections} connections of ${Drive.clients} clients, ` +
      `who wait ${timeout} s; ${followers} followers, 2 webhook endpoints; ${warmup} + ${seconds} s each`,
      `Saturated at ${peak.toFixed(0)} good answers/s`
    ],
    sections: sectionsOf({ search: steps, peak, legs })
  }, options.write)
}, Effect.scoped)
