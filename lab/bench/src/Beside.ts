/**
 * `bench beside`: this checkout beside another one, each with a PostgreSQL of its own, in short rounds and both at once, so that other work
 * of the machine affects both equally. It compares the CPU time of a request.
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
import type { LoadTask, Measured } from "./Load.ts"
import * as Machine from "./Machine.ts"
import * as Processes from "./Processes.ts"
import { publish, ratiosOf, sectionsOf, spreadLine } from "./Report.ts"
import type { Common } from "./Report.ts"
import type { Leg } from "./Rounds.ts"
import * as Servers from "./Servers.ts"
import type { Server } from "./Servers.ts"

/** The options of the command line. */
export interface BesideOptions extends Common {
  readonly checkout: string
  readonly loads: string
  readonly requests: number
  readonly warmup: number
  readonly rounds: number
  readonly connections: number
  readonly pool: number
}

const titles = { before: "before", now: "now" } as const

type Side = keyof typeof titles

/** One of the two checkouts, ready to answer. */
interface Contestant {
  readonly side: Side
  readonly cluster: Cluster.Cluster
  readonly server: Server
  /** A token with which pallets may be reported. */
  readonly tower: string
  /** The process that sends the requests to it. */
  readonly load: Channel<BesideTask>
}

/** The highest allowed ratio of the CPU time of a request to the earlier one. */
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
  const load = new Channel<BesideTask>(`load of ${side}`, yield* Processes.startNode("beside/load.ts"))
  return { side, cluster, server, tower, load } satisfies Contestant
})

/** A task for one of both, prepared and waiting to be run. */
const ready = Effect.fnUntraced(
  function*(
    { cluster, load, server, side, tower }: Contestant,
    task: Omit<BesideTask, keyof LoadTask | "tower">,
    connections: number
  ) {
    const whole: BesideTask = {
      ...task,
      port: server.port,
      token: server.token,
      tower,
      serverPid: server.pid,
      postgresPid: cluster.pid,
      connections,
      warmupSeconds: 0,
      seconds: 0
    }
    yield* load.asking({ ...whole, prepares: true })
    yield* cluster.settle(server.database)
    return { side, sent: load.asking<Measured>(whole) }
  }
)

const both = { concurrency: 2 } as const

/** Measures one load over a number of connections, in rounds after a first one that does not count. */
const measure = Effect.fnUntraced(
  function*(
    contestants: ReadonlyArray<Contestant>,
    load: LoadName,
    connections: number,
    { requests, rounds, warmup }: BesideOptions
  ) {
    const name = `${load}, ${connections === 1 ? "1 connection" : `${connections} connections`}`
    const legs: Array<Leg<Side, Measured>> = []
    for (let round = 0; round <= rounds; round++) {
      const count = Math.ceil((round === 0 ? warmup : requests) / connections)
      const turns = round % 2 === 0 ? contestants : contestants.toReversed()
      const measured = yield* Effect.forEach(
        turns,
        (contestant) =>
          ready(contestant, { load, requests: count, run: round, prepares: false }, connections),
        both
      ).pipe(
        Effect.flatMap((each) =>
          Effect.forEach(
            each,
            ({ sent, side }) => Effect.map(sent, (measured) => ({ round, contestant: side, measured })),
            both
          )
        ),
        Effect.scoped
      )
      if (round === 0) continue
      legs.push(...measured)
      const cpu = measured.toSorted((left, right) => left.contestant.localeCompare(right.contestant)).map((
        { contestant, measured: { cpu: { postgres, server } } }
      ) => `${contestant} ${server.toFixed(3)} + ${postgres.toFixed(3)} ms`)
      yield* say(`[${round}/${rounds}] ${name.padEnd(24)} ${cpu.join(", ")}`)
    }
    const line = (what: string, valueOf: (measured: Measured) => number, aim?: { readonly most: number }) =>
      spreadLine(`${what}, now / before`, ratiosOf(legs, "now", "before", valueOf), aim)
    return sectionsOf(name, legs, titles, Load.figures, [
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
    names.flatMap((load) => [...new Set([connections, 1])].map((count) => [load, count] as const)),
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
