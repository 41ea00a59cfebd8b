/**
 * `bench graphql`: reading history and following the log, compared with graphql-yoga and with a bare broadcast. All contestants use one
 * PostgreSQL, one at a time.
 */
import { Effect } from "effect"
import { BenchError, say } from "./BenchError.ts"
import * as Cluster from "./Cluster.ts"
import type { GraphqlOptions } from "./graphql/Contestants.ts"
import { fanout } from "./graphql/Fanout.ts"
import { history } from "./graphql/History.ts"
import { pageSize } from "./graphql/Workload.ts"
import * as Machine from "./Machine.ts"
import { publish } from "./Report.ts"

/** Runs the benchmark. */
export const graphql = Effect.fnUntraced(function*(options: GraphqlOptions) {
  const { clients, connections, log, messages, pool, rounds, seconds, warmup, window } = options
  if (log < 2 * pageSize) {
    return yield* new BenchError({ message: `--log must be at least ${2 * pageSize}, two pages of messages` })
  }
  const directory = yield* Cluster.onDisk(options.directory)
  yield* say("Starting PostgreSQL")
  const cluster = yield* Cluster.make(directory)
  const libraries = ["effect", "@effect/sql-pg", "graphql-yoga", "graphql-ws", "ws"]
  yield* publish({
    name: "graphql",
    title: "GraphQL",
    note: "Medians of the rounds; CPU time is user and system time for each request (a) or delivery (b).",
    facts: [
      Machine.describe(cluster, directory, libraries),
      `${rounds} rounds of ${warmup} + ${seconds} s; ${pool} database connections; (a) ${connections} connections, ` +
      `a log of ${log} messages; (b) ${clients} subscribers, ${messages} messages one by one, then ${window} in flight`
    ],
    sections: [...yield* history(cluster, options), ...yield* fanout(cluster, options)]
  }, options.write)
}, Effect.scoped)
