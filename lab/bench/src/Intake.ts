/**
 * `bench intake`: document intake side by side with the same rules written by hand. Both work on one PostgreSQL, each in a database of its own and one at a time.
 */
import { Effect } from "effect"
import { BenchError, say } from "./BenchError.ts"
import { Channel } from "./Channel.ts"
import * as Cluster from "./Cluster.ts"
import type { BenchDatabase } from "./Cluster.ts"
import * as Differential from "./intake/Differential.ts"
import { firstDocuments, usualItems, workloadsOf } from "./intake/Documents.ts"
import type { Choice, Workload } from "./intake/Documents.ts"
import type { IntakeLoad, IntakeTask, Variants } from "./intake/load.ts"
import { verify } from "./intake/Verify.ts"
import * as Load from "./Load.ts"
import type { Measured } from "./Load.ts"
import * as Machine from "./Machine.ts"
import * as Processes from "./Processes.ts"
import { publish, ratioLine, ratiosOf, sectionsOf } from "./Report.ts"
import { inRounds } from "./Rounds.ts"
import type { Leg } from "./Rounds.ts"
import * as Servers from "./Servers.ts"
import type { Server } from "./Servers.ts"

/** What the command line says. */
export interface IntakeOptions {
  readonly workload: Choice
  readonly items: number
  readonly seconds: number
  readonly warmup: number
  readonly rounds: number
  readonly connections: number
  readonly orders: number
  readonly pool: number
  readonly write: boolean
  readonly directory: string | undefined
}

/** The name of each contestant in tables. */
const titles = { dockline: "Dockline", peer: "Fastify + postgres" } as const

type Contestant = keyof typeof titles

/** The libraries whose versions are reported. */
const libraries = ["effect", "@effect/sql-pg", "fastify", "postgres"]

/** A contestant that is ready: measures a workload in a round, and checks its tables at the end. */
interface Ready {
  readonly contestant: Contestant
  readonly database: BenchDatabase
  readonly measure: (
    workload: Workload,
    round: number,
    warmup: number,
    seconds: number
  ) => Effect.Effect<Measured, BenchError>
  readonly check: Effect.Effect<void, BenchError>
}

/** Runs the load generator against a server; any answer but a success ends the benchmark. */
const load = Effect.fnUntraced(function*({ name }: Server, task: IntakeTask) {
  const child = yield* Processes.startNode("intake/load.ts", {}, { ipc: true })
  const result = yield* new Channel<IntakeTask>("load generator", child).asking<IntakeLoad>(task)
  if (result.firstFailure === null) return result
  return yield* new BenchError({ message: `${name} answered ${result.firstFailure}` })
}, Effect.scoped)

/** Creates the orders of a server, then makes it a contestant. */
const readyServer = Effect.fnUntraced(
  function*(contestant: Contestant, server: Server, options: IntakeOptions, postgresPid: number) {
    const { connections, items, orders: ordersPerConnection } = options
    let variants: Variants = Array.from(
      { length: connections },
      () => Array.from({ length: ordersPerConnection }, () => 0)
    )
    let created = 0
    const send = Effect.fnUntraced(
      function*(workload: Workload, run: number, warmupSeconds: number, seconds: number, isFirst: boolean) {
        const { answers, measured, variants: after } = yield* load(server, {
          port: server.port,
          token: server.token,
          serverPid: server.pid,
          postgresPid,
          connections,
          ordersPerConnection,
          items,
          workload,
          run,
          warmupSeconds,
          seconds,
          variants,
          isFirst
        })
        variants = after
        if (workload === "FIRST") created += answers
        return measured
      }
    )
    yield* send("OVERWRITE", 0, 0, 0, true)
    return {
      contestant,
      database: server.database,
      measure: (workload, round, warmup, seconds) =>
        workload === "FIRST"
          ? send(workload, round, 0, 0, false)
          : send(workload, round, warmup, seconds, false),
      check: Effect.suspend(() =>
        verify(server.database, {
          connections,
          ordersPerConnection,
          items,
          variants,
          firstDocuments: created
        })
      )
    } satisfies Ready
  }
)

const measureAll = Effect.fnUntraced(function*(
  cluster: Cluster.Cluster,
  ready: ReadonlyArray<Ready>,
  workload: Workload,
  { rounds, seconds, warmup }: IntakeOptions
) {
  const legs = yield* inRounds(
    rounds,
    ready,
    ({ database, measure }, round) =>
      Effect.andThen(cluster.settle(database), measure(workload, round, warmup, seconds)),
    ({ contestant }, measured) =>
      `${workload.padEnd(9)} ${titles[contestant].padEnd(22)} ${Load.describe(measured)}`
  )
  return legs.map((leg) => ({ ...leg, contestant: leg.contestant.contestant }))
})

/** The aim for the ratio of requests per second: a document that comes alone has no batch to share. */
const aimOf = ({ connections }: IntakeOptions): number => connections === 1 ? 1 : 1.5

const reportOf = (
  workload: Workload,
  legs: ReadonlyArray<Leg<Contestant, Measured>>,
  options: IntakeOptions
) => {
  const title = workload === "FIRST"
    ? `${firstDocuments} first documents of ${options.items} items`
    : `${options.items}-item ${workload}`
  const ratios = ratiosOf(legs, "dockline", "peer", ({ perSecond }) => perSecond)
  const lines = [ratioLine(`Dockline / ${titles.peer}`, ratios, { least: aimOf(options) })]
  return sectionsOf(title, legs, titles, Load.figures, lines)
}

/** The name of the result: what was not as usual is in it. */
const nameOf = ({ connections, items, workload }: IntakeOptions): string =>
  [
    "intake",
    ...(workload === "documents" ? [] : [workload]),
    ...(connections === 32 ? [] : [`${connections}-connections`]),
    ...(items === usualItems ? [] : [`${items}-items`])
  ].join("-")

/** Runs the benchmark. */
export const intake = Effect.fnUntraced(function*(options: IntakeOptions) {
  const { connections, items, orders, pool, rounds, seconds, warmup, workload } = options
  const directory = yield* Cluster.onDisk(options.directory)
  yield* say("Starting PostgreSQL, Dockline and the peer")
  const cluster = yield* Cluster.make(directory)
  const dockline = yield* Servers.startDockline(yield* cluster.database("bench_dockline"), options)
  const peer = yield* Servers.startPeer(yield* cluster.database("bench_peer"), options)
  const compared = yield* Differential.compare(dockline, peer)
  yield* say(`Dockline and the peer give the same ${compared} answers`)
  yield* say(`Creating ${connections} × ${orders} orders of ${items} items for each`)
  const ready: ReadonlyArray<Ready> = [
    yield* readyServer("dockline", dockline, options, cluster.pid),
    yield* readyServer("peer", peer, options, cluster.pid)
  ]
  const workloads: ReadonlyArray<Workload> = workloadsOf[workload]
  yield* say("Warming up")
  for (const { measure } of ready) {
    for (const each of workloads) yield* measure(each, 0, 0, Math.max(3, warmup))
  }
  const sections = yield* Effect.forEach(
    workloads,
    (each) => Effect.map(measureAll(cluster, ready, each, options), (legs) => reportOf(each, legs, options))
  )
  for (const { check } of ready) yield* check
  yield* say(`The tables of all hold what was answered: every order once, with its ${items} items\n`)
  yield* publish({
    name: nameOf(options),
    title: "Document intake",
    note: "Medians of the rounds; CPU time is user and system time for each request.",
    facts: [
      Machine.describe(cluster, directory, libraries),
      `${connections} connections, ${
        connections * orders
      } orders, ${items} items, ${pool} database connections, ${rounds} rounds of ${
        workload === "first" ? `${firstDocuments} documents` : `${seconds} s`
      }`,
      `${compared} answers of Dockline and its peer compared before, and found alike`
    ],
    sections: sections.flat()
  }, options.write)
}, Effect.scoped)
