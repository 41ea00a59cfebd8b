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
import { firstDocuments, usual, workloadsOf } from "./intake/Documents.ts"
import type { Choice, Shape, Strategy, Variant, Workload } from "./intake/Documents.ts"
import * as Pgbench from "./intake/Pgbench.ts"
import * as Report from "./intake/Report.ts"
import type { Contestant, Leg } from "./intake/Report.ts"
import * as Tenants from "./intake/Tenants.ts"
import { verify } from "./intake/Verify.ts"
import type { Measured, Task, TaskResult } from "./load/Task.ts"
import * as Machine from "./Machine.ts"
import * as Processes from "./Processes.ts"
import * as Servers from "./Servers.ts"
import type { Server } from "./Servers.ts"

/** What the command line says. */
export interface IntakeOptions extends Shape {
  readonly workload: Choice
  readonly keys: boolean
  readonly seconds: number
  readonly warmup: number
  readonly rounds: number
  readonly connections: number
  readonly orders: number
  readonly instances: number
  readonly pool: number
  readonly limit: boolean
  readonly record: boolean
  readonly json: boolean
  readonly write: boolean
  readonly directory: string | undefined
}

/** The libraries whose versions are reported. */
const libraries = ["effect", "@effect/sql-pg", "fastify", "postgres"]

type Variants = ReadonlyArray<ReadonlyArray<Variant>>

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

/** Runs the load generator against the instances of a server; any answer but a success ends the benchmark. */
const load = Effect.fnUntraced(
  function*(
    instances: ReadonlyArray<Server>,
    task: Omit<Task, "ports" | "token" | "serverPids">
  ) {
    const { name, token } = instances[0]!
    const child = yield* Processes.startNode("load/main.ts", {}, { ipc: true })
    const { firstFailure, measured, statuses, variants } = yield* Processes.ask<TaskResult>(
      child,
      {
        ...task,
        ports: instances.map(({ port }) => port),
        token,
        serverPids: instances.map(({ pid }) => pid)
      } satisfies Task
    )
    if (firstFailure !== null) {
      return yield* new BenchError({
        message: `${name} answered ${JSON.stringify(statuses)}; the first failure: ${firstFailure}`
      })
    }
    const answers = Object.values(statuses).reduce((sum, count) => sum + count, 0)
    return { answers, measured, variants }
  },
  Effect.scoped
)

/** Creates the orders of a server, then makes it a contestant. */
const readyServer = Effect.fnUntraced(
  function*(
    contestant: Contestant,
    instances: ReadonlyArray<Server>,
    options: IntakeOptions,
    postgresPid: number
  ) {
    const { database } = instances[0]!
    const { businesses, connections, items, orders: ordersPerConnection } = options
    const shape = { businesses, items }
    let variants: Variants = Array.from(
      { length: connections },
      () => Array.from({ length: ordersPerConnection }, () => 0)
    )
    const sent = { FIRST: 0, PALLETS: 0, OVERWRITE: 0, MERGE: 0 }
    const send: Ready["measure"] = Effect.fnUntraced(function*(workload, run, warmupSeconds, seconds) {
      const result = yield* load(instances, {
        connections,
        ordersPerConnection,
        postgresPid,
        shape,
        keys: options.keys,
        workload,
        run,
        warmupSeconds,
        seconds,
        variants
      })
      variants = result.variants
      sent[workload] += result.answers
      return result.measured
    })
    yield* send("OVERWRITE", 0, 0, 0)
    return {
      contestant,
      database,
      measure: send,
      check: Effect.suspend(() =>
        verify(database, {
          connections,
          ordersPerConnection,
          items,
          variants,
          firstDocuments: sent.FIRST,
          pallets: sent.PALLETS
        })
      )
    } satisfies Ready
  }
)

/** Has our server create the orders of the limit's database, then makes pgbench a contestant. */
const readyLimit = Effect.fnUntraced(
  function*(cluster: Cluster.Cluster, options: IntakeOptions, directory: string) {
    const { connections, items, orders: ordersPerConnection } = options
    const database = yield* databaseOf(cluster, "bench_limit", options)
    yield* Effect.scoped(
      Effect.flatMap(
        Servers.startDockline(database, { ...options, client: Tenants.client }),
        (server) => readyServer("limit", [server], options, cluster.pid)
      )
    )
    yield* Pgbench.prepare(database, connections, ordersPerConnection, options)
    return {
      contestant: "limit",
      database,
      measure: (workload, _, warmupSeconds, seconds) =>
        Pgbench.measure(cluster, database, {
          workload: workload as Strategy,
          connections,
          ordersPerConnection,
          warmupSeconds,
          seconds
        }, directory),
      check: verify(database, {
        connections,
        ordersPerConnection,
        items,
        variants: undefined,
        firstDocuments: 0,
        pallets: 0
      })
    } satisfies Ready
  }
)

const databaseOf = (cluster: Cluster.Cluster, name: string, { businesses }: IntakeOptions) =>
  Effect.tap(cluster.database(name), (database) => Tenants.install(database, businesses))

/** Starts the instances of a server, the others after the first. */
const startInstances = Effect.fnUntraced(
  function*<S extends Server, E, R>(
    { instances }: IntakeOptions,
    start: (first?: S) => Effect.Effect<S, E, R>
  ) {
    const first = yield* start()
    const all: Array<Server> = [first]
    while (all.length < instances) all.push(yield* start(first))
    return all
  }
)

/** Starts the instances of both servers. */
const startServers = Effect.fnUntraced(function*(cluster: Cluster.Cluster, options: IntakeOptions) {
  const config = { ...options, client: Tenants.client }
  const unrecorded = { ...config, settings: { DOCUMENT_RETENTION_DAYS: "0" } }
  const ours = yield* databaseOf(cluster, "bench_dockline", options)
  const theirs = yield* databaseOf(cluster, "bench_peer", options)
  const dockline = yield* startInstances(
    options,
    (first?: Server) => Servers.startDockline(ours, config, first)
  )
  const peer = options.record
    ? yield* startInstances(options, (first?: Server) => Servers.startDockline(theirs, unrecorded, first))
    : yield* startInstances(
      options,
      (first?: Effect.Success<ReturnType<typeof Servers.startPeer>>) =>
        Servers.startPeer(theirs, config, first)
    )
  return { dockline, peer }
})

const describeMeasured = ({ p50, p99, perSecond }: Measured): string =>
  `${perSecond.toFixed(0).padStart(5)} requests/s, p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms`

const measureAll = Effect.fnUntraced(function*(
  cluster: Cluster.Cluster,
  ready: ReadonlyArray<Ready>,
  options: IntakeOptions
) {
  const workloads = workloadsOf[options.workload]
  const legs: Array<Leg> = []
  const total = options.rounds * workloads.length * ready.length
  const minutes = Math.ceil((total * (options.warmup + options.seconds + 1.5)) / 60)
  yield* say(`Measuring: ${total} times ${options.warmup} + ${options.seconds} s, about ${minutes} minutes`)
  for (let round = 1; round <= options.rounds; round++) {
    const order = round % 2 === 1 ? ready : ready.toReversed()
    for (const workload of workloads) {
      for (const { contestant, database, measure } of order) {
        yield* cluster.settle(database)
        const measured = yield* measure(workload, round, options.warmup, options.seconds)
        legs.push({ round, workload, contestant, measured })
        const where = `[${String(legs.length).padStart(String(total).length)}/${total}] round ${round}`
        const what = `${workload.padEnd(9)} ${Report.titles[contestant].padEnd(22)}`
        yield* say(`${where} ${what} ${describeMeasured(measured)}`)
      }
    }
  }
  return legs
})

/** What was not as usual, for the name of the file. */
const variationsOf = (
  { businesses, connections, instances, items, keys, record, workload }: IntakeOptions
) => [
  ...(keys ? ["keys"] : []),
  ...(record ? ["record"] : []),
  ...(workload === "documents" ? [] : [workload]),
  ...(connections === 32 ? [] : [`${connections}-connections`]),
  ...(items === usual.items ? [] : [`${items}-items`]),
  ...(businesses === usual.businesses ? [] : [`${businesses}-businesses`]),
  ...(instances === 1 ? [] : [`${instances}-instances`])
]

const settingsOf = (options: IntakeOptions): string =>
  [
    `${options.connections} connections`,
    `${options.connections * options.orders} orders`,
    `${options.items} items`,
    ...(options.keys ? ["each with an Idempotency-Key, which the peer does not know"] : []),
    ...(options.businesses === 1 ? [] : [`${options.businesses} businesses`]),
    ...(options.instances === 1 ? [] : [`${options.instances} instances`]),
    `${options.pool} database connections`,
    options.workload === "first"
      ? `${options.rounds} rounds of ${firstDocuments} documents`
      : `${options.rounds} rounds of ${options.seconds} s`
  ].join(", ")

/** Runs the benchmark. */
export const intake = Effect.fnUntraced(function*(options: IntakeOptions) {
  const directory = yield* Cluster.onDisk(options.directory)
  // pgbench has the plans of one business, and no statements for what is created.
  const hasLimit = options.limit && !options.record && options.workload === "documents" &&
    options.businesses === 1
  const pgbench = hasLimit ? yield* Pgbench.version : "no pgbench"
  yield* say("Starting PostgreSQL, Dockline and the peer")
  const cluster = yield* Cluster.make(directory)
  const { dockline, peer } = yield* startServers(cluster, options)
  const compared = yield* Differential.compare(dockline[0]!, peer[0]!)
  yield* say(`Dockline and the peer give the same ${compared} answers`)
  const { connections, items, orders } = options
  yield* say(`Creating ${connections} × ${orders} orders of ${items} items for each`)
  const ready: Array<Ready> = [
    yield* readyServer("dockline", dockline, options, cluster.pid),
    // The peer knows no pallets.
    ...(options.workload === "pallets" && !options.record
      ? []
      : [yield* readyServer(options.record ? "unrecorded" : "peer", peer, options, cluster.pid)]),
    ...(hasLimit ? [yield* readyLimit(cluster, options, directory)] : [])
  ]
  yield* say("Warming up")
  for (const { measure } of ready.slice(0, 2)) {
    for (const workload of workloadsOf[options.workload]) {
      yield* measure(workload, 0, 0, Math.max(3, options.warmup))
    }
  }
  const legs = yield* measureAll(cluster, ready, options)
  for (const { check } of ready) yield* check
  yield* say(`The tables of all hold what was answered: every order once, with its ${items} items\n`)
  const result: Report.Result = {
    date: new Date().toISOString(),
    machine: Machine.describe(cluster, directory, libraries, pgbench),
    settings: settingsOf(options),
    connections,
    items,
    compared,
    legs
  }
  yield* Console.log(options.json ? JSON.stringify(result, undefined, 2) : Report.toText(result))
  if (options.write) {
    const name = ["intake", ...variationsOf(options)].join("-")
    mkdirSync(Processes.fileOf("../results"), { recursive: true })
    writeFileSync(Processes.fileOf(`../results/${name}.md`), Report.toMarkdown(result))
    yield* say(`Written to lab/bench/results/${name}.md`)
  }
}, Effect.scoped)
