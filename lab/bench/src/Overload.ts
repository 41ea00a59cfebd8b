/**
 * `bench overload`: more load than the service can take, from outside. What is answered well must stay near the most
 * that there is, and the rest must be refused with a word when to come again.
 */
import { Console, Effect } from "effect"
import { mkdirSync, writeFileSync } from "node:fs"
import { say } from "./BenchError.ts"
import * as Cluster from "./Cluster.ts"
import * as Machine from "./Machine.ts"
import * as Drive from "./mix/Drive.ts"
import { saturate } from "./mix/Saturate.ts"
import * as System from "./mix/System.ts"
import type { Manners } from "./mix/Task.ts"
import { goodRateOf } from "./overload/Aims.ts"
import type { Leg, Result } from "./overload/Aims.ts"
import * as Report from "./overload/Report.ts"
import * as Processes from "./Processes.ts"

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
  readonly json: boolean
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

/** Runs the benchmark. */
export const overload = Effect.fnUntraced(function*(options: OverloadOptions) {
  const directory = yield* Cluster.onDisk(options.directory)
  yield* say("Starting PostgreSQL, Dockline, customers and the generator")
  const system = yield* System.start(directory, {
    instances: 1,
    pool: options.pool,
    tokenSeconds: 86_400,
    endpoints: ["good", "flaky"]
  })
  yield* system.customer.ask({
    follow: {
      ports: system.instances.map(({ port }) => port),
      followers: options.followers,
      stay: null,
      baseUrl: system.baseUrl
    }
  })
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
  const { faults, refused } = yield* system.customer.ask({ leave: true })
  for (const fault of faults) yield* say(`customers: ${fault}`)
  const result: Result = {
    date: new Date().toISOString(),
    machine: Machine.describe(system.cluster, directory, libraries),
    settings:
      `one instance, ${options.pool} database connections; up to ${options.connections} connections of ` +
      `${Drive.clients} clients, who wait ${options.timeout} s; ${options.followers} followers (${refused} times ` +
      `refused or broken), 2 webhook endpoints; ${options.warmup} + ${options.seconds} s each`,
    search: steps,
    peak,
    legs
  }
  yield* Console.log(options.json ? JSON.stringify(result, undefined, 2) : Report.toText(result))
  if (options.write) {
    mkdirSync(Processes.fileOf("../results"), { recursive: true })
    writeFileSync(Processes.fileOf("../results/overload.md"), Report.toMarkdown(result))
    yield* say("Written to lab/bench/results/overload.md")
  }
}, Effect.scoped)
