/**
 * `bench webhooks`: delivering messages to endpoints, side by side with graphile-worker doing the same requests out of
 * the same PostgreSQL, and with a bare loop; a large backlog; and an endpoint beside one that hangs.
 */
import { Effect } from "effect"
import { say } from "./BenchError.ts"
import { Channel } from "./Channel.ts"
import * as Cluster from "./Cluster.ts"
import * as Machine from "./Machine.ts"
import * as Processes from "./Processes.ts"
import { publish } from "./Report.ts"
import { backlog } from "./webhooks/Backlog.ts"
import type { BacklogOptions } from "./webhooks/Backlog.ts"
import { fairness } from "./webhooks/Fairness.ts"
import { rates } from "./webhooks/Rates.ts"
import type { Place, RatesOptions } from "./webhooks/Rates.ts"
import type { SinkCommand } from "./webhooks/Sink.ts"
import { concurrency } from "./webhooks/Workload.ts"

/** What the command line says. */
export interface WebhooksOptions extends RatesOptions, BacklogOptions {
  readonly rates: boolean
  readonly backlog: boolean
  readonly fairness: boolean
  readonly quick: boolean
  readonly write: boolean
  readonly directory: string | undefined
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
  const directory = yield* Cluster.onDisk(options.directory)
  yield* say("Starting PostgreSQL and the sink")
  const cluster = yield* Cluster.make(directory)
  const child = yield* Processes.startNode("webhooks/Sink.ts", {}, { ipc: true })
  const sink = new Channel<SinkCommand>("sink", child)
  const place: Place = {
    cluster,
    sink,
    url: `http://127.0.0.1:${yield* sink.asking<number>({ port: true })}`
  }
  yield* publish({
    name: "webhooks",
    title: "Webhooks",
    note: "Medians of the rounds; CPU time is user and system time for each delivery.",
    facts: [Machine.describe(cluster, directory, libraries), settingsOf(options)],
    sections: [
      ...(options.rates ? yield* rates(place, options) : []),
      ...(options.backlog ? yield* backlog(place, options) : []),
      ...(options.fairness ? yield* fairness(place, options) : [])
    ]
  }, options.write)
}, Effect.scoped)
