/**
 * `bench webhooks`: delivering messages to endpoints, side by side with graphile-worker doing the same requests out of
 * the same PostgreSQL, and with a bare loop; a large backlog; and an endpoint beside one that hangs.
 */
import { Console, Effect } from "effect"
import { mkdirSync, writeFileSync } from "node:fs"
import { BenchError, say } from "./BenchError.ts"
import * as Cluster from "./Cluster.ts"
import * as Machine from "./Machine.ts"
import * as Processes from "./Processes.ts"
import { backlog } from "./webhooks/Backlog.ts"
import { fairness } from "./webhooks/Fairness.ts"
import { rates } from "./webhooks/Rates.ts"
import * as Report from "./webhooks/Report.ts"
import * as SinkProcess from "./webhooks/SinkProcess.ts"
import { concurrency } from "./webhooks/Workload.ts"

/** What the command line says. */
export interface WebhooksOptions {
  readonly seconds: number
  readonly warmup: number
  readonly rounds: number
  readonly messages: number
  readonly pace: number
  readonly paced: number
  readonly backlogSize: number
  readonly endpoints: number
  readonly fanouts: number
  readonly pool: number
  readonly rates: boolean
  readonly backlog: boolean
  readonly fairness: boolean
  readonly quick: boolean
  readonly json: boolean
  readonly write: boolean
  readonly directory: string | undefined
  readonly profile: string | undefined
}

/** The libraries whose versions are reported. */
const libraries = ["effect", "@effect/sql-pg", "graphile-worker", "pg", "undici"]

/** Enough to see that everything works; the figures mean little. */
const quick = {
  seconds: 2,
  warmup: 1,
  rounds: 1,
  messages: 20_000,
  pace: 100,
  paced: 200,
  backlogSize: 5000,
  endpoints: 50,
  fanouts: 3
}

const settingsOf = (options: WebhooksOptions): string =>
  [
    ...(options.rates
      ? [
        `${options.rounds} rounds of ${options.warmup} + ${options.seconds} s out of ${options.messages} messages`
      ]
      : []),
    `${options.rounds} rounds of ${options.paced} messages at ${options.pace} a second`,
    `${concurrency} requests at once`,
    `${options.pool} database connections of ours, ${concurrency + 2} of graphile-worker`,
    ...(options.quick ? ["--quick: the figures mean little"] : [])
  ].join("; ")

/** Runs the benchmark. */
export const webhooks = Effect.fnUntraced(function*(given: WebhooksOptions) {
  const options = given.quick ? { ...given, ...quick } : given
  if (!options.rates && !options.backlog && !options.fairness) {
    return yield* new BenchError({
      message: "--no-rates, --no-backlog and --no-fairness leave nothing to measure"
    })
  }
  const directory = yield* Cluster.onDisk(options.directory)
  yield* say("Starting PostgreSQL and the sink")
  const cluster = yield* Cluster.make(directory)
  const place = { cluster, ...yield* SinkProcess.start }
  const result: Report.Result = {
    date: new Date().toISOString(),
    machine: Machine.describe(cluster, directory, libraries),
    settings: settingsOf(options),
    rates: options.rates ? yield* rates(place, options) : undefined,
    backlog: options.backlog
      ? yield* backlog(place, { ...options, backlog: options.backlogSize })
      : undefined,
    fairness: options.fairness ? yield* fairness(place, options) : undefined
  }
  yield* Console.log(options.json ? JSON.stringify(result, undefined, 2) : Report.toText(result))
  if (options.write) {
    mkdirSync(Processes.fileOf("../results"), { recursive: true })
    writeFileSync(Processes.fileOf("../results/webhooks.md"), Report.toMarkdown(result))
    yield* say("Written to lab/bench/results/webhooks.md")
  }
}, Effect.scoped)
