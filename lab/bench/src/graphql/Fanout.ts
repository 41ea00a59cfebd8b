/**
 * Benchmark (b): one message to 1,000 subscribers, from before it is appended on PostgreSQL until the last of them has
 * its frame. Each contestant has a database of its own, so that nobody hears of another's messages.
 */
import { Effect } from "effect"
import { attempt, BenchError, say } from "../BenchError.ts"
import type { Cluster } from "../Cluster.ts"
import * as Processes from "../Processes.ts"
import { fanoutContestants, start, titles } from "./Contestants.ts"
import type { LogServer, StartOptions } from "./Contestants.ts"
import { Drive } from "./Drive.ts"
import type { FanoutMeasured, FanoutPlan } from "./Drive.ts"
import { path, query, subscriptionDocument } from "./Workload.ts"

/** How it is measured. */
export interface FanoutOptions extends FanoutPlan, StartOptions {
  readonly rounds: number
  readonly clients: number
}

/** One measurement. */
export interface FanoutLeg {
  readonly round: number
  readonly contestant: (typeof fanoutContestants)[number]
  readonly measured: FanoutMeasured
}

const measure = Effect.fnUntraced(function*(server: LogServer, postgresPid: number, options: FanoutOptions) {
  const subscribers = yield* Processes.startNode("graphql/SubscriberLoad.ts", {}, { ipc: true })
  return yield* attempt(server.name, () =>
    new Drive(server.child, subscribers, postgresPid).measure({
      port: server.port,
      path,
      clients: options.clients,
      subscribe: server.contestant === "bare" ? null : {
        token: server.token,
        document: subscriptionDocument,
        variables: { filter: { businessSlug: query.business } }
      }
    }, options))
}, Effect.scoped)

/** Runs the benchmark. */
export const fanout = Effect.fnUntraced(function*(cluster: Cluster, options: FanoutOptions) {
  const servers = yield* Effect.forEach(fanoutContestants, (contestant) =>
    Effect.gen(function*() {
      const database = yield* cluster.database(`bench_fanout_${contestant}`)
      const server = yield* start(contestant, database, options)
      return { ...server, contestant }
    }))
  const legs: Array<FanoutLeg> = []
  for (let round = 1; round <= options.rounds; round++) {
    for (const server of round % 2 === 1 ? servers : servers.toReversed()) {
      const measured = yield* measure(server, cluster.pid, options)
      legs.push({ round, contestant: server.contestant, measured })
      const { cpu, p50, p99, perSecond } = measured
      yield* say(
        `(b) [${legs.length}/${options.rounds * servers.length}] round ${round} ` +
          `${titles[server.contestant].padEnd(18)} last client p50 ${p50.toFixed(1)} ms, p99 ${
            p99.toFixed(1)
          } ms; ` +
          `${perSecond.toFixed(0).padStart(6)} deliveries/s, server ${cpu.server.toFixed(1)} µs each`
      )
    }
  }
  const sizes = legs.map(({ measured }) => measured.bytes)
  if (Math.max(...sizes) - Math.min(...sizes) > 8) {
    return yield* new BenchError({
      message: `The frames are of different sizes: ${[...new Set(sizes)].join(", ")}`
    })
  }
  return legs
}, Effect.scoped)
