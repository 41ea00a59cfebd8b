/**
 * `bench overload`: more load than the service can take, from outside. What is answered well must stay near the most
 * that there is, and the rest must be refused with a word when to come again.
 */
import { Effect } from "effect"
import { say } from "./BenchError.ts"
import * as Cluster from "./Cluster.ts"
import * as Machine from "./Machine.ts"
import { aimsOf, goodRateOf } from "./overload/Aims.ts"
import type { Leg, Result } from "./overload/Aims.ts"
import type { Seen } from "./overload/customers.ts"
import * as Drive from "./overload/Drive.ts"
import type { Observed } from "./overload/Drive.ts"
import { kinds } from "./overload/Life.ts"
import { saturate } from "./overload/Search.ts"
import * as System from "./overload/System.ts"
import type { Manners } from "./overload/Task.ts"
import { publish } from "./Report.ts"
import type { Section } from "./Report.ts"

/** What the command line says. */
export interface OverloadOptions {
  readonly seconds: number
  readonly warmup: number
  readonly searchSeconds: number
  readonly from: number
  readonly connections: number
  readonly timeout: number
  readonly followers: number
  readonly pool: number
  readonly polite: boolean
  readonly write: boolean
  readonly directory: string | undefined
}

/** Times the saturating rate; the last one shows whether all is as before. */
const factors: ReadonlyArray<readonly [factor: number, isRecovery: boolean]> = [
  [0.5, false],
  [1, false],
  [1.5, false],
  [2, false],
  [4, false],
  [1, true]
]

const libraries = ["effect", "@effect/sql-pg"]

const describe = ({ peak }: { readonly peak: number }, leg: Leg): string => {
  const { observed } = leg
  const share = (goodRateOf(observed) / peak).toFixed(2)
  return `${leg.manners} ${leg.factor} ×: ${goodRateOf(observed).toFixed(0)} good/s, ${share} of the peak`
}

/** Measures each load with clients of one kind. */
const measure = Effect.fnUntraced(function*(
  system: System.System,
  options: OverloadOptions,
  peak: number,
  manners: Manners
) {
  const legs: Array<Leg> = []
  for (const [factor, isRecovery] of factors) {
    const observed = yield* Drive.observe(system, loadOptions(options), {
      rate: Math.max(1, Math.round(peak * factor)),
      manners,
      warmupSeconds: options.warmup,
      seconds: options.seconds
    })
    const leg: Leg = { manners, factor, isRecovery, observed }
    yield* say(describe({ peak }, leg))
    legs.push(leg)
  }
  return legs
})

const loadOptions = (options: OverloadOptions): Drive.LoadOptions => ({
  connections: options.connections,
  timeoutMillis: options.timeout * 1000
})

const titles: Readonly<Record<Manners, string>> = {
  rude: "Clients that send on whatever they are told",
  polite: "Clients that wait as `Retry-After` says"
}

/** Columns of figures of what was observed. */
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
  ["loop p99 ms", ({ loop }) => loop.p99.toFixed(0)],
  ["loop max ms", ({ loop }) => loop.max.toFixed(0)],
  ["DB connections", ({ databaseConnections }) => String(databaseConnections)]
]

/**
 * Where the processor's time went, and what PostgreSQL waited for: whether a load that fell behind was held up by the
 * service, by its disk, or by a machine that had less to give.
 */
const coreColumns: Columns = [
  ["servers", ({ cores }) => cores.servers.toFixed(2)],
  ["PostgreSQL", ({ cores }) => cores.postgres.toFixed(2)],
  ["generator", ({ cores }) => cores.load.toFixed(2)],
  ["customers", ({ cores }) => cores.customers.toFixed(2)],
  ["others", ({ rest }) => rest.others.toFixed(2)],
  ["idle", ({ rest }) => rest.idle.toFixed(2)],
  ["disk", ({ rest }) => rest.disk.toFixed(2)],
  ["stolen", ({ rest }) => rest.stolen.toFixed(2)],
  [
    "CPU ms a good answer",
    (observed) =>
      ((observed.cores.servers + observed.cores.postgres) / goodRateOf(observed) * 1000).toFixed(2)
  ],
  ["PostgreSQL waits for disk", ({ blocked }) => blocked.disk.toFixed(2)],
  ["for locks", ({ blocked }) => blocked.locks.toFixed(2)],
  ["longest without a write ms", ({ tally }) => tally.silence.toFixed(0)],
  ["webhooks behind", ({ waiting }) => String(waiting)]
]

const kindColumns: Columns = kinds.flatMap((kind): Columns => [
  [`${kind} p50 ms`, ({ tally }) => tally.kinds[kind].p50.toFixed(1)],
  [`${kind} p99 ms`, ({ tally }) => tally.kinds[kind].p99.toFixed(0)]
])

const tableOf = (
  title: string,
  columns: Columns,
  observed: ReadonlyArray<readonly [name: string, observed: Observed]>
): Section => ({
  title,
  columns: ["load", ...columns.map(([column]) => column)],
  rows: observed.map(([name, each]) => [name, ...columns.map(([, of]) => of(each))])
})

const nameOf = ({ factor, isRecovery }: Leg): string => `${factor} ×${isRecovery ? " again" : ""}`

const sectionsOf = (result: Result): ReadonlyArray<Section> => {
  const { legs, peak, search } = result
  const all = legs.map((leg) => [`${nameOf(leg)}, ${leg.manners}`, leg.observed] as const)
  const errors = new Set(legs.flatMap(({ observed: { tally } }) => tally.firstError ?? []))
  const shown = [...new Set(legs.map(({ manners }) => manners))]
  return [
    ...shown.map((manners) => ({
      ...tableOf(
        titles[manners],
        columnsOf(peak),
        legs.filter((leg) => leg.manners === manners).map((leg) => [nameOf(leg), leg.observed] as const)
      ),
      lines: aimsOf(result, manners).map(({ isMet, text }) => `${isMet ? "met" : "not met"}: ${text}`)
    })),
    {
      ...tableOf("Where the time of the cores went", coreColumns, all),
      lines: Array.from(errors, (error) => `error: \`${error}\``)
    },
    { ...tableOf("Times by what was asked", kindColumns, all), isDetail: true },
    {
      ...tableOf(
        "The search for the peak",
        columnsOf(peak),
        search.map((step, at) => [String(at + 1), step] as const)
      ),
      isDetail: true
    }
  ]
}

/** Runs the benchmark. */
export const overload = Effect.fnUntraced(function*(options: OverloadOptions) {
  const directory = yield* Cluster.onDisk(options.directory)
  yield* say("Starting PostgreSQL, Dockline, customers and the generator")
  const system = yield* System.start(directory, options.pool)
  const { customer: token } = yield* System.tokens(system.baseUrl)
  yield* system.customers.asking<Seen>({ follow: options.followers, port: system.port, token })
  yield* say("Warming up, then looking for the rate that saturates it")
  yield* Drive.observe(system, loadOptions(options), {
    rate: options.from,
    manners: "rude",
    warmupSeconds: options.warmup,
    seconds: options.searchSeconds
  })
  const { peak, steps } = yield* saturate(system, {
    ...loadOptions(options),
    from: options.from,
    warmupSeconds: Math.min(options.warmup, options.searchSeconds),
    seconds: options.searchSeconds
  })
  const manners: ReadonlyArray<Manners> = options.polite ? ["rude", "polite"] : ["rude"]
  const legs = (yield* Effect.forEach(manners, (each) => measure(system, options, peak, each))).flat()
  const { faults, refused } = yield* system.customers.asking<Seen>({ leave: true })
  for (const fault of faults) yield* say(`customers: ${fault}`)
  yield* publish({
    name: "overload",
    title: "Overload",
    note:
      "Times are those of good answers, from when a request was due; memory is the most that was resident.",
    facts: [
      Machine.describe(system.cluster, directory, libraries),
      `one instance, ${options.pool} database connections; up to ${options.connections} connections of ` +
      `${Drive.clients} clients, who wait ${options.timeout} s; ${options.followers} followers (${refused} times ` +
      `refused or broken), 2 webhook endpoints; ${options.warmup} + ${options.seconds} s each`,
      `Saturated at ${peak.toFixed(0)} good answers/s`
    ],
    sections: sectionsOf({ search: steps, peak, legs })
  }, options.write)
}, Effect.scoped)
