/**
 * `bench beside`: this checkout beside another one, each with a PostgreSQL of its own, one at a time and in short rounds. What
 * others do on the machine adds little to the CPU time of a request, so that is what is compared.
 */
import { Effect } from "effect"
import { execFileSync } from "node:child_process"
import { resolve } from "node:path"
import { attempt, BenchError, say } from "./BenchError.ts"
import { loads } from "./beside/Loads.ts"
import type { BesideTask, LoadName } from "./beside/Loads.ts"
import { partner } from "./beside/Notice.ts"
import { Channel } from "./Channel.ts"
import * as Cluster from "./Cluster.ts"
import * as Load from "./Load.ts"
import type { Measured } from "./Load.ts"
import * as Machine from "./Machine.ts"
import * as Processes from "./Processes.ts"
import { publish, ratiosOf, sectionsOf, spreadLine } from "./Report.ts"
import type { Common } from "./Report.ts"
import { inRounds } from "./Rounds.ts"
import * as Servers from "./Servers.ts"
import type { Server } from "./Servers.ts"

/** What the command line says. */
export interface BesideOptions extends Common {
  readonly checkout: string
  readonly loads: string
  readonly requests: number
  readonly rounds: number
  readonly connections: number
  readonly pool: number
}

const titles = { before: "before", now: "now" } as const

type Side = keyof typeof titles

/** One of the two checkouts, that answers. */
interface Contestant {
  readonly side: Side
  readonly cluster: Cluster.Cluster
  readonly server: Server
  readonly tower: string
}

/** CPU time of a request may be so many times that before. */
const most = 1.03

const root = Processes.fileOf("../../..")

const commitOf = (checkout: string): string =>
  execFileSync("git", ["-C", checkout, "log", "-1", "--format=%h %s"], { encoding: "utf8" }).trim()

const start = Effect.fnUntraced(function*(side: Side, checkout: string, directory: string, pool: number) {
  const cluster = yield* Cluster.make(directory)
  // The checkout migrates it by itself.
  const database = yield* cluster.empty(`bench_${side}`)
  const server = yield* Servers.startDockline(
    database,
    pool,
    {},
    resolve(checkout, "packages/server/src/main.ts")
  )
  const url = Servers.urlOf(server)
  const [operator, tower] = [
    yield* Servers.requestToken(url, "operator"),
    yield* Servers.requestToken(url, "tower")
  ]
  yield* attempt("EDI partner", async () => {
    const response = await fetch(`${url}/v1/operator/businesses/acme/edi-partners`, {
      method: "POST",
      headers: { authorization: `Bearer ${operator}`, "content-type": "application/json" },
      body: JSON.stringify(partner)
    })
    if (response.status !== 201) throw new Error(`${response.status} ${await response.text()}`)
  })
  return { side, cluster, server, tower } satisfies Contestant
})

/** Measures one load over so many connections, in rounds after one that does not count. */
const measure = Effect.fnUntraced(
  function*(
    contestants: ReadonlyArray<Contestant>,
    load: LoadName,
    connections: number,
    options: BesideOptions
  ) {
    const leg = Effect.fnUntraced(function*({ cluster, server, side, tower }: Contestant, run: number) {
      const child = yield* Processes.startNode("beside/load.ts")
      const channel = new Channel<BesideTask>(`load of ${side}`, child)
      const task: BesideTask = {
        port: server.port,
        token: server.token,
        tower,
        serverPid: server.pid,
        postgresPid: cluster.pid,
        connections,
        warmupSeconds: 0,
        seconds: 0,
        load,
        requests: Math.ceil(options.requests / connections),
        run,
        prepares: true
      }
      yield* channel.asking(task)
      yield* cluster.settle(server.database)
      return yield* channel.asking<Measured>({ ...task, prepares: false })
    }, Effect.scoped)
    const name = `${load}, ${connections === 1 ? "1 connection" : `${connections} connections`}`
    yield* say(name)
    for (const contestant of contestants) yield* leg(contestant, 0)
    const legs = yield* inRounds(
      options.rounds,
      contestants,
      leg,
      ({ side }, measured) =>
        `${name.padEnd(24)} ${side.padEnd(6)} ${Load.describe(measured)}, CPU ${
          measured.cpu.server.toFixed(3)
        } + ${measured.cpu.postgres.toFixed(3)} ms`
    )
    const named = legs.map((each) => ({ ...each, contestant: each.contestant.side }))
    const line = (what: string, valueOf: (measured: Measured) => number, aim?: { readonly most: number }) =>
      spreadLine(`${what}, now / before`, ratiosOf(named, "now", "before", valueOf), aim)
    return sectionsOf(name, named, titles, Load.figures, [
      line("CPU of the server", ({ cpu }) => cpu.server),
      line("CPU of PostgreSQL", ({ cpu }) => cpu.postgres),
      line("CPU of both", ({ cpu }) => cpu.server + cpu.postgres, { most }),
      line("requests/s", ({ perSecond }) => perSecond)
    ])
  }
)

const loadsOf = Effect.fnUntraced(function*(text: string) {
  const names = text.split(",")
  const unknown = names.filter((name) => !loads.some((load) => load === name))
  if (unknown.length === 0) return names as ReadonlyArray<LoadName>
  return yield* new BenchError({ message: `--loads has ${unknown.join()}; there are ${loads.join()}` })
})

/** Runs the benchmark. */
export const beside = Effect.fnUntraced(function*(options: BesideOptions) {
  const { checkout, connections, pool, requests, rounds } = options
  const names = yield* loadsOf(options.loads)
  const directory = yield* Cluster.onDisk(options.directory)
  yield* say("Starting both")
  const contestants = [
    yield* start("before", checkout, directory, pool),
    yield* start("now", root, directory, pool)
  ]
  const sections = yield* Effect.forEach(
    names.flatMap((load) => [...new Set([1, connections])].map((count) => [load, count] as const)),
    ([load, count]) => measure(contestants, load, count, options)
  )
  yield* publish({
    name: "beside",
    title: "Beside another checkout",
    note: "Medians of the rounds; CPU time is user and system time for each request.",
    facts: [
      Machine.describe(contestants[0]!.cluster, directory, ["effect", "@effect/sql-pg"]),
      `before: ${commitOf(checkout)}`,
      `now: ${commitOf(root)}`,
      `documents of 10 items, notices of 10 pallets; ${pool} database connections; ${rounds} rounds of ${requests} requests each`
    ],
    sections: sections.flat()
  }, options.write)
}, Effect.scoped)
