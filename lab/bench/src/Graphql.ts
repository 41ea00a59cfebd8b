/**
 * `bench graphql`: reading history and following the log, side by side with graphql-yoga and with a bare
 * broadcast. Everybody works on one PostgreSQL, one at a time.
 */
import { Effect } from "effect"
import { BenchError, say } from "./BenchError.ts"
import * as Cluster from "./Cluster.ts"
import { fanout } from "./graphql/Fanout.ts"
import type { FanoutOptions } from "./graphql/Fanout.ts"
import { history } from "./graphql/History.ts"
import type { HistoryOptions } from "./graphql/History.ts"
import * as Machine from "./Machine.ts"
import { publish } from "./Report.ts"

/** What the command line says. */
export interface GraphqlOptions extends HistoryOptions, FanoutOptions {
  readonly history: boolean
  readonly fanout: boolean
  readonly write: boolean
  readonly directory: string | undefined
}

/** The libraries whose versions are reported. */
const libraries = ["effect", "@effect/sql-pg", "graphql-yoga", "graphql-ws", "ws"]

const settingsOf = (options: GraphqlOptions): string =>
  [
    `${options.rounds} rounds of ${options.warmup} + ${options.seconds} s`,
    `${options.pool} database connections`,
    ...(options.history ? [`(a) ${options.connections} connections, a log of ${options.log} messages`] : []),
    ...(options.fanout
      ? [
        `(b) ${options.clients} subscribers, ${options.messages} messages one by one, then ${options.window} in flight`
      ]
      : [])
  ].join("; ")

/** Runs the benchmark. */
export const graphql = Effect.fnUntraced(function*(options: GraphqlOptions) {
  if (options.log < 2000) {
    return yield* new BenchError({ message: "--log must be at least 2000, two pages of messages" })
  }
  const directory = yield* Cluster.onDisk(options.directory)
  yield* say("Starting PostgreSQL")
  const cluster = yield* Cluster.make(directory)
  yield* publish({
    name: "graphql",
    title: "GraphQL",
    note: "Medians of the rounds; CPU time is user and system time for each request (a) or delivery (b).",
    facts: [Machine.describe(cluster, directory, libraries), settingsOf(options)],
    sections: [
      ...(options.history ? yield* history(cluster, options) : []),
      ...(options.fanout ? yield* fanout(cluster, options) : [])
    ]
  }, options.write)
}, Effect.scoped)
