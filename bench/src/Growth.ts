/**
 * `bench growth`: what a document, a pallet event and a page of messages cost as the service fills.
 *
 * Databases of each size stand side by side, each with a bundled server, and take turns: what the machine does meanwhile
 * concerns all of them.
 */
import { Console, Effect } from "effect"
import { mkdirSync, writeFileSync } from "node:fs"
import { loadavg } from "node:os"
import { attempt, say } from "./BenchError.ts"
import * as Cluster from "./Cluster.ts"
import type { BenchDatabase } from "./Cluster.ts"
import * as Curves from "./growth/Curves.ts"
import * as Filled from "./growth/Filled.ts"
import { picture } from "./growth/Picture.ts"
import * as Report from "./growth/Report.ts"
import * as Machine from "./Machine.ts"
import * as Processes from "./Processes.ts"
import * as Servers from "./Servers.ts"

/** What the command line says. */
export interface GrowthOptions {
  readonly shipments: number
  readonly messages: number
  readonly tenants: number
  readonly items: number
  readonly rounds: number
  /** Requests of each measurement. */
  readonly requests: number
  readonly pool: number
  readonly json: boolean
  readonly write: boolean
  readonly directory: string | undefined
}

const fill = Effect.fnUntraced(function*({ name, sql }: BenchDatabase, size: Filled.Size) {
  const begun = performance.now()
  const run = (statement: string) => attempt(name, () => sql.unsafe(statement))
  const found = yield* run(Filled.made)
  yield* run("set maintenance_work_mem = '1GB'")
  for (const statement of Filled.statements(size, found as unknown as ReadonlyArray<Filled.Made>)) {
    yield* run(statement)
  }
  yield* say(`${name}: ${Report.described(size)}, in ${((performance.now() - begun) / 1000).toFixed(0)} s`)
})

/** A database of that size, with a server and the client of each business. */
const start = Effect.fnUntraced(function*(
  cluster: Cluster.Cluster,
  name: string,
  size: Filled.Size,
  options: GrowthOptions
) {
  const database = yield* cluster.database(name)
  yield* fill(database, size)
  const { pid, port } = yield* Servers.startDockline(database, options)
  const token = (business: string) =>
    Servers.requestToken(`http://127.0.0.1:${port}`, Filled.clientOf(business))
  const here = { size, port, pid, postgresPid: cluster.pid }
  return { ...here, token: yield* token("acme"), tokenOf: token } satisfies Curves.Service
})

/** Nothing, a tenth and the whole; the smallest log is still much longer than what the server holds in memory of it. */
const sizesOf = (
  { messages, shipments }: GrowthOptions
): ReadonlyArray<readonly [name: string, size: Filled.Size]> => [
  ["growth_empty", { shipments: 0, messages: Math.min(10_000, messages), tenants: 0 }],
  ["growth_tenth", { shipments: Math.ceil(shipments / 10), messages: Math.ceil(messages / 10), tenants: 0 }],
  ["growth_full", { shipments, messages, tenants: 0 }]
]

const stored = Effect.fnUntraced(function*(cluster: Cluster.Cluster, options: GrowthOptions) {
  const services: Array<Curves.Service> = []
  for (const [name, size] of sizesOf(options)) services.push(yield* start(cluster, name, size, options))
  const curves = yield* Curves.stored(services, options)
  const items = yield* Curves.items(services[0]!, options)
  return [...curves, items]
}, Effect.scoped)

/** Powers of ten from 10 to the most. */
const powers = (most: number): ReadonlyArray<number> =>
  Array.from({ length: Math.max(1, Math.round(Math.log10(most))) }, (_, at) => Math.min(most, 10 ** (at + 1)))

const tenants = Effect.fnUntraced(function*(cluster: Cluster.Cluster, options: GrowthOptions) {
  const services: Array<Curves.Service> = []
  for (const count of powers(options.tenants)) {
    const size = { shipments: 0, messages: 0, tenants: count }
    services.push(yield* start(cluster, `growth_tenants_${count}`, size, options))
  }
  return yield* Curves.tenants(services, options)
}, Effect.scoped)

/** Runs the benchmark. */
export const growth = Effect.fnUntraced(function*(options: GrowthOptions) {
  const directory = yield* Cluster.onDisk(options.directory)
  yield* say("Starting PostgreSQL")
  const cluster = yield* Cluster.make(directory)
  const curves = [...(yield* stored(cluster, options)), ...(yield* tenants(cluster, options))]
  const result: Report.Result = {
    date: new Date().toISOString(),
    machine: Machine.describe(cluster, directory, ["effect", "@effect/sql-pg"]),
    load: loadavg()[0]!,
    settings:
      `${options.rounds} rounds of ${options.requests} requests each, ${options.pool} database connections`,
    curves
  }
  yield* Console.log(options.json ? JSON.stringify(result, undefined, 2) : Report.toText(result))
  if (options.write) {
    mkdirSync(Processes.fileOf("../results"), { recursive: true })
    writeFileSync(Processes.fileOf("../results/growth.md"), Report.toMarkdown(result))
    writeFileSync(Processes.fileOf("../results/growth.svg"), picture(curves))
    yield* say("Written to bench/results/growth.md and growth.svg")
  }
}, Effect.scoped)
