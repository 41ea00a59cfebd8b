/**
 * `bench graphql`: reading history and following the log, side by side with other GraphQL servers and with a bare
 * broadcast. Everybody works on one PostgreSQL, one at a time; the order turns round with every round.
 */
import { Console, Effect } from "effect"
import { mkdirSync, writeFileSync } from "node:fs"
import { BenchError, say } from "./BenchError.ts"
import * as Cluster from "./Cluster.ts"
import { fanout } from "./graphql/Fanout.ts"
import { history } from "./graphql/History.ts"
import * as Report from "./graphql/Report.ts"
import * as Machine from "./Machine.ts"
import * as Processes from "./Processes.ts"

/** What the command line says. */
export interface GraphqlOptions {
  readonly seconds: number
  readonly warmup: number
  readonly rounds: number
  readonly connections: number
  readonly log: number
  readonly clients: number
  readonly messages: number
  readonly window: number
  readonly pool: number
  readonly history: boolean
  readonly fanout: boolean
  readonly json: boolean
  readonly write: boolean
  readonly directory: string | undefined
  readonly profile: string | undefined
}

/** The libraries whose versions are reported. */
const libraries = [
  "effect",
  "@effect/sql-pg",
  "fastify",
  "mercurius",
  "graphql-yoga",
  "graphql-ws",
  "ws"
]

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
  if (!options.history && !options.fanout) {
    return yield* new BenchError({ message: "--no-history and --no-fanout leave nothing to measure" })
  }
  if (options.log < 2000) {
    return yield* new BenchError({ message: "--log must be at least 2000, two pages of messages" })
  }
  const directory = yield* Cluster.onDisk(options.directory)
  yield* say("Starting PostgreSQL")
  const cluster = yield* Cluster.make(directory)
  const result: Report.Result = {
    date: new Date().toISOString(),
    machine: Machine.describe(cluster, directory, libraries),
    settings: settingsOf(options),
    history: options.history ? yield* history(cluster, { ...options, messages: options.log }) : undefined,
    fanout: options.fanout ? yield* fanout(cluster, options) : undefined
  }
  yield* Console.log(options.json ? JSON.stringify(result, undefined, 2) : Report.toText(result))
  if (options.write) {
    mkdirSync(Processes.fileOf("../results"), { recursive: true })
    writeFileSync(Processes.fileOf("../results/graphql.md"), Report.toMarkdown(result))
    yield* say("Written to lab/bench/results/graphql.md")
  }
}, Effect.scoped)
