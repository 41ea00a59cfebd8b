/**
 * `bench webhooks`: delivering messages to an endpoint, compared with graphile-worker, which makes the same requests from the same
 * PostgreSQL, and with a bare loop.
 *
 * It measures how many messages a second each delivers from a backlog, and, at a steady pace, the time of a message from before it is
 * stored until the sink has it.
 */
import { Effect } from "effect"
import { setTimeout as sleep } from "node:timers/promises"
import { attempt, BenchError, say } from "./BenchError.ts"
import { Channel } from "./Channel.ts"
import * as Cluster from "./Cluster.ts"
import type { BenchDatabase } from "./Cluster.ts"
import { cpuSecondsOf } from "./Cpu.ts"
import type { Appended } from "./graphql/Workload.ts"
import * as Machine from "./Machine.ts"
import * as Processes from "./Processes.ts"
import { percentile, publish, ratioLine, ratiosOf, sectionsOf } from "./Report.ts"
import type { Common, Figure } from "./Report.ts"
import { inRounds } from "./Rounds.ts"
import type { SenderCommand } from "./webhooks/Sender.ts"
import type { Came, SinkCommand } from "./webhooks/Sink.ts"
import { clock, concurrency } from "./webhooks/Workload.ts"

/** The options of the command line. */
export interface WebhooksOptions extends Common {
  readonly rounds: number
  readonly seconds: number
  readonly warmup: number
  /** Messages of the backlog with which deliveries a second are measured. */
  readonly messages: number
  /** Messages a second while the latency is measured, and how many of them. */
  readonly pace: number
  readonly paced: number
  readonly pool: number
}

const titles = {
  dockline: "Dockline",
  graphile: "graphile-worker",
  "local-queue": "graphile-worker, local queue",
  bare: "bare undici loop"
} as const

type Contestant = keyof typeof titles

/** All contestants, in the order of the first round. */
const contestants: ReadonlyArray<Contestant> = ["dockline", "graphile", "local-queue", "bare"]

const programs: Readonly<Record<Contestant, string>> = {
  dockline: "webhooks/dockline.ts",
  graphile: "webhooks/graphile.ts",
  "local-queue": "webhooks/graphile.ts",
  bare: "webhooks/bare.ts"
}

/** The aims: the ratios of Dockline's deliveries to those of the others. */
const aims = { graphile: 3, "local-queue": 1, bare: 0.6 }

/** CPU microseconds of each participant for each delivery. */
interface Cpu {
  readonly sender: number
  readonly postgres: number
  readonly sink: number
}

/** The time from before a message is stored until the sink has it, and the part of it for storing, in milliseconds. */
interface Latency {
  readonly p50: number
  readonly p99: number
  readonly stored: number
}

interface Measured {
  readonly perSecond: number
  readonly cpu: Cpu
  /** Bytes of a request. */
  readonly bytes: number
  /** Absent for the bare loop, which stores nothing. */
  readonly latency: Latency | undefined
}

const figures: ReadonlyArray<Figure<Measured>> = [
  { column: "deliveries/s", digits: 0, of: ({ perSecond }) => perSecond },
  { column: "p50 ms", digits: 1, of: ({ latency }) => latency?.p50 },
  { column: "p99 ms", digits: 1, of: ({ latency }) => latency?.p99 },
  { column: "stored after ms", digits: 1, of: ({ latency }) => latency?.stored },
  { column: "sender CPU µs", digits: 0, of: ({ cpu }) => cpu.sender },
  { column: "PostgreSQL CPU µs", digits: 0, of: ({ cpu }) => cpu.postgres },
  { column: "sink CPU µs", digits: 0, of: ({ cpu }) => cpu.sink }
]

/** The common parts of all measurements. */
interface Place {
  readonly cluster: Cluster.Cluster
  readonly sink: Channel<SinkCommand>
  /** The sink's address. */
  readonly url: string
}

type Sender = Channel<SenderCommand>

/** Starts a contestant on its database, which is reset. It ends with the scope. */
const start = Effect.fnUntraced(
  function*({ cluster, url }: Place, contestant: Contestant, database: BenchDatabase, pool: number) {
    const child = yield* Processes.startNode(programs[contestant], {
      DATABASE_URL: database.url,
      DATABASE_CONNECTIONS: String(pool),
      ENDPOINT: url,
      LOCAL_QUEUE: String(contestant === "local-queue")
    })
    const sender: Sender = new Channel(titles[contestant], child)
    yield* sender.asking({ ready: true })
    yield* cluster.settle(database)
    return sender
  }
)

/** Measures from `warmup` after the first delivery for `seconds`, or until the last. */
const drain = async ({ cluster, sink }: Place, sender: Sender, options: WebhooksOptions) => {
  const cpu = (): Cpu => ({
    sender: cpuSecondsOf(sender.pid),
    postgres: cpuSecondsOf(cluster.pid),
    sink: cpuSecondsOf(sink.pid)
  })
  await sink.ask({ reset: options.messages })
  await sender.ask({ fill: options.messages })
  await sender.ask({ go: true })
  const first = await Promise.race([sink.ask<number>({ first: true }), sender.failed])
  const from = first + options.warmup * 1000
  const planned = from + options.seconds * 1000
  await Promise.race([sleep(from - clock()), sender.failed])
  const before = cpu()
  await Promise.race([sleep(planned - clock()), sink.ask({ reached: true }), sender.failed])
  const after = cpu()
  const { arrivals, bytes, repeats } = await sink.ask<Came>({ report: true })
  if (repeats > 0) throw new Error(`${repeats} deliveries came again`)
  const to = Math.min(planned, arrivals.at(-1)?.[1] ?? 0)
  if (to - from < 500) throw new Error("the backlog is too small to be measured; raise --messages")
  const count = arrivals.filter(([, at]) => at >= from && at < to).length
  const each = (key: keyof Cpu) => (after[key] - before[key]) * 1e6 / count
  return {
    perSecond: count * 1000 / (to - from),
    cpu: { sender: each("sender"), postgres: each("postgres"), sink: each("sink") },
    bytes
  }
}

/** Stores messages at a pace, however long earlier ones take, until all are delivered. */
const pace = async ({ sink }: Place, sender: Sender, options: WebhooksOptions): Promise<Latency> => {
  const warmup = options.pace * options.warmup
  const count = warmup + options.paced
  await sink.ask({ reset: count })
  await sender.ask({ go: true })
  const begun = clock()
  const storing: Array<Promise<Appended>> = []
  while (storing.length < count) {
    const due = Math.min(count, Math.floor((clock() - begun) * options.pace / 1000) + 1)
    while (storing.length < due) storing.push(sender.ask<Appended>({ one: storing.length }))
    const next = begun + storing.length * 1000 / options.pace
    await Promise.race([sleep(Math.max(0, next - clock())), sender.failed])
  }
  const stored = await Promise.all(storing)
  await Promise.race([sink.ask({ reached: true }), sender.failed])
  const { arrivals, repeats } = await sink.ask<Came>({ report: true })
  if (repeats > 0) throw new Error(`${repeats} deliveries came again`)
  const times = new Map(arrivals)
  const counted = stored.slice(warmup)
  const latencies = counted.map(({ id, startedAt }) => (times.get(id) ?? Number.NaN) - startedAt)
  return {
    p50: percentile(latencies, 0.5),
    p99: percentile(latencies, 0.99),
    stored: percentile(counted.map(({ endedAt, startedAt }) => endedAt - startedAt), 0.5)
  }
}

const describe = (contestant: Contestant, { cpu, latency, perSecond }: Measured): string =>
  `${titles[contestant].padEnd(28)} ${perSecond.toFixed(0).padStart(6)} deliveries/s, sender ${
    cpu.sender.toFixed(0)
  } µs, PostgreSQL ${cpu.postgres.toFixed(0)} µs each` +
  (latency === undefined ? "" : `; p50 ${latency.p50.toFixed(1)} ms, p99 ${latency.p99.toFixed(1)} ms`)

/** Measures all contestants in rounds. */
const measure = Effect.fnUntraced(function*(place: Place, options: WebhooksOptions) {
  const databases = new Map<Contestant, BenchDatabase>()
  for (const contestant of contestants) {
    databases.set(contestant, yield* place.cluster.database(`bench_${contestant.replace("-", "_")}`))
  }
  const alone = <A>(contestant: Contestant, run: (sender: Sender) => Promise<A>) =>
    Effect.fromNullishOr(databases.get(contestant)).pipe(
      Effect.orDie,
      Effect.flatMap((database) => start(place, contestant, database, options.pool)),
      Effect.flatMap((sender) => attempt(titles[contestant], () => run(sender))),
      Effect.scoped
    )
  const legs = yield* inRounds(
    options.rounds,
    contestants,
    Effect.fnUntraced(function*(contestant) {
      const throughput = yield* alone(contestant, (sender) => drain(place, sender, options))
      const latency = contestant === "bare"
        ? undefined
        : yield* alone(contestant, (sender) => pace(place, sender, options))
      return { ...throughput, latency } satisfies Measured
    }),
    describe
  )
  const sizes = legs.map(({ measured }) => measured.bytes)
  // The lengths of requests differ at most by the digits of an id.
  if (Math.max(...sizes) - Math.min(...sizes) > 8) {
    return yield* new BenchError({ message: `The requests are of different sizes: ${sizes.join(", ")}` })
  }
  const lines = (["graphile", "local-queue", "bare"] as const).map((other) =>
    ratioLine(
      `Deliveries, Dockline / ${titles[other]}`,
      ratiosOf(legs, "dockline", other, ({ perSecond }) => perSecond),
      { least: aims[other] }
    )
  )
  return sectionsOf("Deliveries out of a backlog, and the way of one message", legs, titles, figures, [
    ...lines,
    `A request has ${sizes[0]} bytes`
  ])
})

/** Runs the benchmark. */
export const webhooks = Effect.fnUntraced(function*(options: WebhooksOptions) {
  const directory = yield* Cluster.onDisk(options.directory)
  yield* say("Starting PostgreSQL and the sink")
  const cluster = yield* Cluster.make(directory)
  const sink = new Channel<SinkCommand>("sink", yield* Processes.startNode("webhooks/Sink.ts"))
  const url = `http://127.0.0.1:${yield* sink.asking<number>({ port: true })}`
  const libraries = ["effect", "@effect/sql-pg", "graphile-worker", "pg", "undici"]
  const { messages, paced, pool, rounds, seconds, warmup } = options
  yield* publish({
    name: "webhooks",
    title: "Webhooks",
    note: "Medians of the rounds; CPU time is user and system time for each delivery.",
    facts: [
      Machine.describe(cluster, directory, libraries),
      `${rounds} rounds of ${warmup} + ${seconds} s out of ${messages} messages, and of ${paced} messages at ` +
      `${options.pace} a second; ${concurrency} requests at once; ${pool} database connections of ours, ` +
      `${concurrency + 2} of graphile-worker`
    ],
    sections: yield* measure({ cluster, sink, url }, options)
  }, options.write)
}, Effect.scoped)
