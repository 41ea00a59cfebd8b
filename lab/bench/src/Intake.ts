/**
 * `bench intake`: document intake, compared with a peer on Fastify and `postgres`. Both use one PostgreSQL, each with a database of its own
 * and one at a time.
 */
import { Effect } from "effect"
import { say } from "./BenchError.ts"
import { Channel } from "./Channel.ts"
import * as Cluster from "./Cluster.ts"
import * as Differential from "./intake/Differential.ts"
import { strategies, usualItems } from "./intake/Documents.ts"
import type { Strategy } from "./intake/Documents.ts"
import type { IntakeLoad, IntakeTask, Variants } from "./intake/load.ts"
import { verify } from "./intake/Verify.ts"
import * as Load from "./Load.ts"
import * as Machine from "./Machine.ts"
import * as Processes from "./Processes.ts"
import { publish, ratioLine, ratiosOf, sectionsOf } from "./Report.ts"
import type { Common } from "./Report.ts"
import { inRounds } from "./Rounds.ts"
import * as Servers from "./Servers.ts"
import type { Server } from "./Servers.ts"

/** The options of the command line. */
export interface IntakeOptions extends Common {
  readonly items: number
  readonly seconds: number
  readonly warmup: number
  readonly rounds: number
  readonly connections: number
  readonly orders: number
  readonly pool: number
}

/** The name of each contestant in tables. */
const titles = { dockline: "Dockline", peer: "Fastify + postgres" } as const

type Contestant = keyof typeof titles

/** A contestant with its orders; `variants` are those of the last answers. */
class Ready {
  readonly contestant: Contestant
  readonly server: Server
  readonly #postgresPid: number
  readonly #options: IntakeOptions
  variants: Variants

  constructor(contestant: Contestant, server: Server, postgresPid: number, options: IntakeOptions) {
    this.contestant = contestant
    this.server = server
    this.#postgresPid = postgresPid
    this.#options = options
    const { connections, orders } = options
    this.variants = Array.from(
      { length: connections },
      () => Array.from({ length: orders }, () => 0 as const)
    )
  }

  /** Sends documents for a number of seconds, or each order once; any answer except success ends the benchmark. */
  send(strategy: Strategy, warmupSeconds: number, seconds: number) {
    const { connections, items } = this.#options
    const { pid, port, token } = this.server
    const task: IntakeTask = {
      port,
      token,
      serverPid: pid,
      postgresPid: this.#postgresPid,
      connections,
      items,
      strategy,
      warmupSeconds,
      seconds,
      variants: this.variants,
      isFirst: seconds === 0
    }
    return Processes.startNode("intake/load.ts").pipe(
      Effect.flatMap((child) =>
        new Channel<IntakeTask>(`load of ${this.server.name}`, child).asking<IntakeLoad>(task)
      ),
      Effect.tap(({ variants }) => Effect.sync(() => void (this.variants = variants))),
      Effect.map(({ measured }) => measured),
      Effect.scoped
    )
  }
}

/** The aim for the ratio of requests per second: a single document has no batch to share. */
const aimOf = ({ connections }: IntakeOptions): number => connections === 1 ? 1 : 1.5

/** The name of the result, which includes unusual options. */
const nameOf = ({ connections, items }: IntakeOptions): string =>
  [
    "intake",
    ...(connections === 32 ? [] : [`${connections}-connections`]),
    ...(items === usualItems ? [] : [`${items}-items`])
  ].join("-")

/** Runs the benchmark. */
export const intake = Effect.fnUntraced(function*(options: IntakeOptions) {
  const { connections, items, orders, pool, rounds, seconds, warmup } = options
  const directory = yield* Cluster.onDisk(options.directory)
  yield* say("Starting PostgreSQL, Dockline and the peer")
  const cluster = yield* Cluster.make(directory)
  const dockline = yield* Servers.startDockline(yield* cluster.database("bench_dockline"), pool)
  const peerDatabase = yield* cluster.database("bench_peer")
  const peer = yield* Servers.startPeer(titles.peer, "peer/main.ts", dockline, peerDatabase, pool)
  const compared = yield* Differential.compare(dockline, peer)
  yield* say(`Dockline and the peer give the same ${compared} answers`)
  yield* say(`Creating ${connections} × ${orders} orders of ${items} items for each, and warming up`)
  const ready = [
    new Ready("dockline", dockline, cluster.pid, options),
    new Ready("peer", peer, cluster.pid, options)
  ]
  for (const each of ready) {
    yield* each.send("OVERWRITE", 0, 0)
    for (const strategy of strategies) yield* each.send(strategy, 0, Math.max(3, warmup))
  }
  const sections = yield* Effect.forEach(strategies, (strategy) =>
    Effect.gen(function*() {
      const legs = yield* inRounds(
        rounds,
        ready,
        (each) => Effect.andThen(cluster.settle(each.server.database), each.send(strategy, warmup, seconds)),
        (each, measured) => `${strategy.padEnd(9)} ${each.server.name.padEnd(18)} ${Load.describe(measured)}`
      )
      const named = legs.map((leg) => ({ ...leg, contestant: leg.contestant.contestant }))
      const ratios = ratiosOf(named, "dockline", "peer", ({ perSecond }) => perSecond)
      return sectionsOf(`${items}-item ${strategy}`, named, titles, Load.figures, [
        ratioLine(`Dockline / ${titles.peer}`, ratios, { least: aimOf(options) })
      ])
    }))
  for (const { server, variants } of ready) yield* verify(server.database, variants, items)
  yield* say(`The tables of both hold what was answered: every order once, with its ${items} items\n`)
  yield* publish({
    name: nameOf(options),
    title: "Document intake",
    note: "Medians of the rounds; CPU time is user and system time for each request.",
    facts: [
      Machine.describe(cluster, directory, ["effect", "@effect/sql-pg", "fastify", "postgres"]),
      `${connections} connections, ${
        connections * orders
      } orders, ${items} items, ${pool} database connections, ` +
      `${rounds} rounds of ${seconds} s`,
      `${compared} answers of Dockline and its peer compared before, and found alike`
    ],
    sections: sections.flat()
  }, options.write)
}, Effect.scoped)
