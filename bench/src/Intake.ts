/**
 * `bench intake`: document intake side by side with the same rules written by hand, and with what PostgreSQL gives.
 *
 * Everybody works on one PostgreSQL, each in a database of its own and one at a time. The rounds are interleaved, and
 * the order turns round with every round, so that a machine that gets slower or busier does so for all.
 */
import { Console, Effect } from "effect"
import { mkdirSync, writeFileSync } from "node:fs"
import { BenchError, say } from "./BenchError.ts"
import * as Cluster from "./Cluster.ts"
import type { BenchDatabase } from "./Cluster.ts"
import * as Differential from "./intake/Differential.ts"
import { workloads } from "./intake/Documents.ts"
import type { Variant, Workload } from "./intake/Documents.ts"
import * as Pgbench from "./intake/Pgbench.ts"
import * as Report from "./intake/Report.ts"
import type { Contestant, Leg } from "./intake/Report.ts"
import { verify } from "./intake/Verify.ts"
import type { Measured, Task, TaskResult } from "./load/Task.ts"
import * as Machine from "./Machine.ts"
import * as Processes from "./Processes.ts"
import * as Servers from "./Servers.ts"
import type { Server } from "./Servers.ts"

/** What the command line says. */
export interface IntakeOptions {
  readonly seconds: number
  readonly warmup: number
  readonly rounds: number
  readonly connections: number
  readonly orders: number
  readonly pool: number
  readonly limit: boolean
  readonly json: boolean
  readonly write: boolean
  readonly directory: string | undefined
}

/** The libraries whose versions are reported. */
const libraries = ["effect", "@effect/sql-pg", "fastify", "postgres"]

type Variants = ReadonlyArray<ReadonlyArray<Variant>>

/** A contestant that is ready: measures a workload, and checks its tables at the end. */
interface Ready {
  readonly contestant: Contestant
  readonly database: BenchDatabase
  readonly measure: (
    workload: Workload,
    warmup: number,
    seconds: number
  ) => Effect.Effect<Measured, BenchError>
  readonly check: Effect.Effect<void, BenchError>
}

/** Runs the load generator against a server; any answer but a success ends the benchmark. */
const load = Effect.fnUntraced(function*(server: Server, task: Omit<Task, "port" | "token" | "serverPid">) {
  const child = yield* Processes.startNode("load/main.ts", {}, { ipc: true })
  const { firstFailure, measured, statuses, variants } = yield* Processes.ask<TaskResult>(
    child,
    { ...task, port: server.port, token: server.token, serverPid: server.pid } satisfies Task
  )
  if (firstFailure !== null) {
    return yield* new BenchError({
      message: `${server.name} answered ${JSON.stringify(statuses)}; the first failure: ${firstFailure}`
    })
  }
  return { measured, variants }
}, Effect.scoped)

/** Creates the orders of a server, then makes it a contestant. */
const readyServer = Effect.fnUntraced(
  function*(contestant: Contestant, server: Server, options: IntakeOptions, postgresPid: number) {
    const shared = {
      connections: options.connections,
      ordersPerConnection: options.orders,
      postgresPid
    }
    let variants: Variants = Array.from(
      { length: options.connections },
      () => Array.from({ length: options.orders }, () => 0)
    )
    const send = Effect.fnUntraced(function*(workload: Workload, warmupSeconds: number, seconds: number) {
      const result = yield* load(server, { ...shared, workload, warmupSeconds, seconds, variants })
      variants = result.variants
      return result.measured
    })
    yield* send("OVERWRITE", 0, 0)
    return {
      contestant,
      database: server.database,
      measure: send,
      check: Effect.suspend(() => verify(server.database, options.connections, options.orders, variants))
    } satisfies Ready
  }
)

/** Has our server create the orders of the limit's database, then makes pgbench a contestant. */
const readyLimit = Effect.fnUntraced(
  function*(cluster: Cluster.Cluster, options: IntakeOptions, directory: string) {
    const database = yield* cluster.database("bench_limit")
    yield* Effect.scoped(
      Effect.flatMap(
        Servers.startDockline(database, options),
        (server) => readyServer("limit", server, options, cluster.pid)
      )
    )
    yield* Pgbench.prepare(database, options.connections, options.orders)
    return {
      contestant: "limit",
      database,
      measure: (workload, warmupSeconds, seconds) =>
        Pgbench.measure(cluster, database, {
          workload,
          connections: options.connections,
          ordersPerConnection: options.orders,
          warmupSeconds,
          seconds
        }, directory),
      check: verify(database, options.connections, options.orders, undefined)
    } satisfies Ready
  }
)

const describeMeasured = ({ p50, p99, perSecond }: Measured): string =>
  `${perSecond.toFixed(0).padStart(5)} requests/s, p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms`

const measureAll = Effect.fnUntraced(function*(
  cluster: Cluster.Cluster,
  ready: ReadonlyArray<Ready>,
  options: IntakeOptions
) {
  const legs: Array<Leg> = []
  const total = options.rounds * workloads.length * ready.length
  const minutes = Math.ceil((total * (options.warmup + options.seconds + 1.5)) / 60)
  yield* say(`Measuring: ${total} times ${options.warmup} + ${options.seconds} s, about ${minutes} minutes`)
  for (let round = 1; round <= options.rounds; round++) {
    const order = round % 2 === 1 ? ready : ready.toReversed()
    for (const workload of workloads) {
      for (const { contestant, database, measure } of order) {
        yield* cluster.settle(database)
        const measured = yield* measure(workload, options.warmup, options.seconds)
        legs.push({ round, workload, contestant, measured })
        const where = `[${String(legs.length).padStart(String(total).length)}/${total}] round ${round}`
        const what = `${workload.padEnd(9)} ${Report.titles[contestant].padEnd(22)}`
        yield* say(`${where} ${what} ${describeMeasured(measured)}`)
      }
    }
  }
  return legs
})

/** Runs the benchmark. */
export const intake = Effect.fnUntraced(function*(options: IntakeOptions) {
  const directory = yield* Cluster.onDisk(options.directory)
  const pgbench = options.limit ? yield* Pgbench.version : "no pgbench"
  yield* say("Starting PostgreSQL, Dockline and the peer")
  const cluster = yield* Cluster.make(directory)
  const dockline = yield* Servers.startDockline(yield* cluster.database("bench_dockline"), options)
  const peer = yield* Servers.startPeer(yield* cluster.database("bench_peer"), options)
  const compared = yield* Differential.compare(dockline, peer)
  yield* say(`Dockline and the peer give the same ${compared} answers`)
  yield* say(`Creating ${options.connections} × ${options.orders} orders of 10 items for each`)
  const ready: Array<Ready> = [
    yield* readyServer("dockline", dockline, options, cluster.pid),
    yield* readyServer("peer", peer, options, cluster.pid),
    ...(options.limit ? [yield* readyLimit(cluster, options, directory)] : [])
  ]
  yield* say("Warming up")
  for (const { measure } of ready.slice(0, 2)) {
    for (const workload of workloads) yield* measure(workload, 0, Math.max(3, options.warmup))
  }
  const legs = yield* measureAll(cluster, ready, options)
  for (const { check } of ready) yield* check
  yield* say("The tables of all hold what was answered: every order once, with its 10 items\n")
  const result: Report.Result = {
    date: new Date().toISOString(),
    machine: Machine.describe(cluster, directory, libraries, pgbench),
    settings: `${options.connections} connections, ${options.connections * options.orders} orders, ` +
      `${options.pool} database connections, ${options.rounds} rounds of ${options.seconds} s`,
    compared,
    legs
  }
  yield* Console.log(options.json ? JSON.stringify(result, undefined, 2) : Report.toText(result))
  if (options.write) {
    mkdirSync(Processes.fileOf("../results"), { recursive: true })
    writeFileSync(Processes.fileOf("../results/intake.md"), Report.toMarkdown(result))
    yield* say("Written to bench/results/intake.md")
  }
}, Effect.scoped)
