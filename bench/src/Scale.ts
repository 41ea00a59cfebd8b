/**
 * `bench scale`: what a year of many tenants takes in one database, what a document and a pallet cost in it for the largest and
 * for a small tenant, and what a model makes of both.
 */
import { Console, Effect } from "effect"
import { randomUUID } from "node:crypto"
import { mkdirSync, writeFileSync } from "node:fs"
import { loadavg } from "node:os"
import { attempt, say } from "./BenchError.ts"
import * as Cluster from "./Cluster.ts"
import type { BenchDatabase } from "./Cluster.ts"
import { cpuSecondsOf } from "./Cpu.ts"
import { documentOf } from "./intake/Documents.ts"
import { Connection, requestOf } from "./load/Connection.ts"
import * as Machine from "./Machine.ts"
import * as Processes from "./Processes.ts"
import type { Cost } from "./scale/Model.ts"
import * as Report from "./scale/Report.ts"
import * as Year from "./scale/Year.ts"
import * as Servers from "./Servers.ts"

/** What the command line says. */
export interface ScaleOptions extends Year.Year {
  readonly documents: number
  readonly peak: number
  readonly requests: number
  readonly rounds: number
  readonly pool: number
  readonly json: boolean
  readonly write: boolean
  readonly directory: string | undefined
}

/** Of a delivery out of a backlog, as `bench/results/webhooks.md` has it. */
const delivery: Cost = { server: 0.075, postgres: 0.063 }

const rowsOf = <A>({ name, sql }: BenchDatabase, statement: string) =>
  attempt(name, async () => await sql.unsafe(statement) as unknown as ReadonlyArray<A>)

const fill = Effect.fnUntraced(function*(database: BenchDatabase, year: Year.Year) {
  for (const statement of Year.statements(year)) {
    yield* rowsOf(database, statement)
    yield* say(statement.split("\n", 1)[0]!.slice(0, 60))
  }
})

/** Sends requests on four connections; any answer but a success ends the benchmark. */
const costOf = (
  { pid, port }: Servers.Server,
  cluster: Cluster.Cluster,
  requests: ReadonlyArray<Buffer>
) =>
  attempt("requests", async (): Promise<Cost> => {
    const connections = await Promise.all([0, 1, 2, 3].map(() => Connection.open(port)))
    const rest = [...requests]
    try {
      const before = [cpuSecondsOf(pid), cpuSecondsOf(cluster.pid)] as const
      await Promise.all(connections.map(async (connection) => {
        for (let next = rest.pop(); next !== undefined; next = rest.pop()) {
          const { body, status } = await connection.send(next)
          if (status !== 200 && status !== 201) throw new Error(`${status} ${body.toString("utf8", 0, 500)}`)
        }
      }))
      return {
        server: (cpuSecondsOf(pid) - before[0]) * 1000 / requests.length,
        postgres: (cpuSecondsOf(cluster.pid) - before[1]) * 1000 / requests.length
      }
    } finally {
      for (const connection of connections) connection.close()
    }
  })

/** New documents, and then a pallet of each. */
const requestsOf = (
  { port, token }: Servers.Server,
  { items, requests }: ScaleOptions,
  business: string,
  round: number
) => {
  const numbers = Array.from({ length: requests }, (_, at) => `N-${round}-${at}`)
  const lpnOf = (number: string, at: number) => `${number}-${at}`
  const like = documentOf(0, 0, 0, "OVERWRITE", { items, businesses: 1 })
  const document = numbers.map((orderNumber) =>
    requestOf("/v1/documents", port, token, {
      ...like,
      business,
      orderNumber,
      items: like.items.map((item, at) => ({
        ...item,
        identifier: lpnOf(orderNumber, at),
        lpn: lpnOf(orderNumber, at)
      }))
    })
  )
  const pallet = numbers.map((number) =>
    requestOf("/v1/pallet-events", port, token, {
      eventId: randomUUID(),
      business,
      facility: "east",
      dockSlug: "D1",
      direction: "LOADING",
      occurredAt: "2026-11-20T17:00:11Z",
      labels: [{ name: "lpn", value: lpnOf(number, 0) }]
    })
  )
  return { document, pallet }
}

const legs = Effect.fnUntraced(
  function*(cluster: Cluster.Cluster, database: BenchDatabase, options: ScaleOptions) {
    const server = yield* Servers.startDockline(database, { ...options, client: Year.client })
    const [largest, smallest] = Year.measured(options)
    const found = (["document", "pallet"] as const).flatMap((what) =>
      (["largest", "smallest"] as const).map((tenant) => ({ what, tenant, costs: [] as Array<Cost> }))
    )
    for (let round = 0; round <= options.rounds; round++) {
      for (const [tenant, business] of [["largest", largest], ["smallest", smallest]] as const) {
        const requests = requestsOf(server, options, business, round)
        for (const what of ["document", "pallet"] as const) {
          const cost = yield* costOf(server, cluster, requests[what])
          // The first round warms up.
          if (round > 0) found.find((leg) => leg.what === what && leg.tenant === tenant)!.costs.push(cost)
        }
      }
    }
    return found
  },
  Effect.scoped
)

/** Seconds, and seconds of PostgreSQL's CPU time, that an effect takes. */
const timed = <A, E>(cluster: Cluster.Cluster, effect: Effect.Effect<A, E>) =>
  Effect.gen(function*() {
    const [begun, cpu] = [performance.now(), cpuSecondsOf(cluster.pid)]
    yield* effect
    return [(performance.now() - begun) / 1000, cpuSecondsOf(cluster.pid) - cpu] as const
  })

/** Drops the oldest day of messages as the server does, a thousand of a business at a time; and one as a partition. */
const dropped = Effect.fnUntraced(
  function*(cluster: Cluster.Cluster, database: BenchDatabase, { retentionDays }: ScaleOptions) {
    const day = `sent_at <= now() - interval '${retentionDays - 1} days'`
    yield* rowsOf(
      database,
      `create table dockline.day (like dockline.message including all);
      insert into dockline.day select * from dockline.message where ${day}`
    )
    const [expired] = yield* rowsOf<{ readonly count: number }>(
      database,
      `select count(*)::int as count from dockline.day`
    )
    const logs = yield* rowsOf<{ readonly id: string; readonly last: string }>(
      database,
      `select business_id::text as id, max(id)::text as last from dockline.day group by business_id`
    )
    const deleted = yield* timed(
      cluster,
      Effect.forEach(logs, ({ id, last }) =>
        Effect.gen(function*() {
          yield* rowsOf(
            database,
            `update dockline.message_log set dropped_id = ${last} where business_id = ${id}`
          )
          for (let after = "0";;) {
            const [row] = yield* rowsOf<{ readonly result: readonly [number, number | null] }>(
              database,
              `select dockline.message_drop(${id}, ${after}, 1000) as result`
            )
            if (row!.result[1] === null) return
            after = String(row!.result[1])
          }
        }))
    )
    const partition = yield* timed(cluster, rowsOf(database, "drop table dockline.day"))
    return { messages: expired!.count, deleted, partition } satisfies Report.Dropped
  }
)

/** Runs the benchmark. */
export const scale = Effect.fnUntraced(function*(options: ScaleOptions) {
  const directory = yield* Cluster.onDisk(options.directory)
  yield* say("Starting PostgreSQL")
  const cluster = yield* Cluster.make(directory)
  const database = yield* cluster.database("scale")
  yield* fill(database, options)
  const sizes = yield* rowsOf<Report.TableSize>(database, Year.sizes)
  const [skew] = yield* rowsOf<Report.Result["skew"]>(database, Year.skew)
  const found = yield* legs(cluster, database, options)
  const { days, documents, items, pallets, peak, requests, retentionDays, rounds, shipmentsPerDay, tenants } =
    options
  const result: Report.Result = {
    date: new Date().toISOString(),
    machine: Machine.describe(cluster, directory, ["effect", "@effect/sql-pg"]),
    settings:
      `${tenants} tenants, ${shipmentsPerDay} shipments a day of ${items} items and ${pallets} pallets, ${days} days; messages and \
deliveries of ${retentionDays} days; ${rounds} rounds of ${requests} requests`,
    skew: skew!,
    sizes,
    legs: found,
    dropped: yield* dropped(cluster, database, options),
    delivery,
    use: { shipmentsPerDay, documents, pallets, peak, retentionDays, busy: 0.5 },
    load: loadavg()[0]!
  }
  yield* Console.log(options.json ? JSON.stringify(result, undefined, 2) : Report.toText(result))
  if (options.write) {
    mkdirSync(Processes.fileOf("../results"), { recursive: true })
    writeFileSync(Processes.fileOf("../results/scale.md"), Report.toMarkdown(result))
    yield* say("Written to bench/results/scale.md")
  }
}, Effect.scoped)
