/**
 * The first part of the webhook benchmark: how many messages a second each contestant delivers out of a backlog, and
 * how long one takes from before it is stored until the sink has it, side by side in rounds.
 */
import { Effect } from "effect"
import { attempt, BenchError } from "../BenchError.ts"
import type { Channel } from "../Channel.ts"
import type { BenchDatabase, Cluster } from "../Cluster.ts"
import { cpuSecondsOf } from "../Cpu.ts"
import { ratioLine, ratiosOf, sectionsOf } from "../Report.ts"
import type { Figure } from "../Report.ts"
import { inRounds } from "../Rounds.ts"
import { contestants, start, titles } from "./Contestants.ts"
import type { Contestant, Sender, StartOptions } from "./Contestants.ts"
import * as Pace from "./Pace.ts"
import type { Latency } from "./Pace.ts"
import type { Came, SinkCommand } from "./Sink.ts"
import { clock } from "./Workload.ts"

/** How it is measured. */
export interface RatesOptions extends StartOptions {
  readonly rounds: number
  readonly seconds: number
  readonly warmup: number
  /** Messages of the backlog that deliveries a second are measured with. */
  readonly messages: number
  /** Messages a second while the latency is measured, and how many of them. */
  readonly pace: number
  readonly paced: number
}

/** The aims: deliveries of Dockline over those of the others. */
const aims = { graphile: 3, "local-queue": 1, bare: 0.6 }

/** CPU time of those who take part. */
interface Cpu {
  readonly sender: number
  readonly postgres: number
  readonly sink: number
}

/** Deliveries a second, and what each costs. */
interface Throughput {
  readonly perSecond: number
  /** CPU microseconds for each delivery. */
  readonly cpu: Cpu
  /** Bytes of a request. */
  readonly bytes: number
}

interface Measured extends Throughput {
  /** Absent for the bare loop, which stores nothing. */
  readonly latency: Latency | undefined
}

const figures: ReadonlyArray<Figure<Measured>> = [
  { column: "deliveries/s", digits: 0, of: ({ perSecond }) => perSecond },
  { column: "p50 ms", digits: 1, of: ({ latency }) => latency?.p50 },
  { column: "p99 ms", digits: 1, of: ({ latency }) => latency?.p99 },
  { column: "stored after ms", digits: 1, of: ({ latency }) => latency?.enqueue },
  { column: "sender CPU µs", digits: 0, of: ({ cpu }) => cpu.sender },
  { column: "PostgreSQL CPU µs", digits: 0, of: ({ cpu }) => cpu.postgres },
  { column: "sink CPU µs", digits: 0, of: ({ cpu }) => cpu.sink }
]

/** What every measurement has to do with. */
export interface Place {
  readonly cluster: Cluster
  readonly sink: Channel<SinkCommand>
  /** The sink's address. */
  readonly url: string
}

const sleep = (millis: number) => new Promise<void>((resolve) => setTimeout(resolve, Math.max(0, millis)))

/** Measures from `warmup` after the first delivery for `seconds`, or until the last. */
const drain = async (
  { cluster, sink }: Place,
  sender: Sender,
  { seconds, warmup }: RatesOptions
): Promise<Throughput> => {
  const cpu = (): Cpu => ({
    sender: cpuSecondsOf(sender.pid),
    postgres: cpuSecondsOf(cluster.pid),
    sink: cpuSecondsOf(sink.pid)
  })
  const failed = sender.failed
  await sender.ask({ go: true })
  const from = await Promise.race([sink.ask<number>({ first: true }), failed]) + warmup * 1000
  await Promise.race([sleep(from - clock()), failed])
  const before = cpu()
  const planned = from + seconds * 1000
  const reached = sink.ask<number>({ reached: true })
  await Promise.race([sleep(planned - clock()), reached, failed])
  const after = cpu()
  const { arrivals, bytes, repeats } = await sink.ask<Came>({ report: true })
  if (repeats > 0) throw new Error(`${repeats} deliveries came again`)
  const last = arrivals.at(-1)![1]
  const to = Math.min(planned, last)
  const count = arrivals.filter(([, at]) => at >= from && at < to).length
  if (to - from < 500) throw new Error("the backlog is too small to be measured; raise --messages")
  const each = (key: keyof Cpu) => (after[key] - before[key]) * 1e6 / count
  return {
    perSecond: count / ((to - from) / 1000),
    cpu: { sender: each("sender"), postgres: each("postgres"), sink: each("sink") },
    bytes
  }
}

const throughput = Effect.fnUntraced(function*(
  place: Place,
  contestant: Contestant,
  database: BenchDatabase,
  options: RatesOptions
) {
  const sender = yield* start(contestant, database, [place.url], options)
  yield* place.sink.asking({ reset: options.messages })
  yield* sender.asking({ fill: options.messages, from: 0 })
  yield* place.cluster.settle(database)
  return yield* attempt(titles[contestant], () => drain(place, sender, options))
}, Effect.scoped)

/** The way of one message of a sender that delivers to these endpoints, the last of which answers. */
export const latency = Effect.fnUntraced(function*(
  place: Place,
  contestant: Contestant,
  database: BenchDatabase,
  urls: ReadonlyArray<string>,
  options: Pick<RatesOptions, "pace" | "paced" | "warmup" | "pool">
) {
  const sender = yield* start(contestant, database, urls, options)
  yield* place.cluster.settle(database)
  const warmup = Math.ceil(options.pace * options.warmup)
  const { arrivals, enqueued } = yield* attempt(
    titles[contestant],
    () => Pace.measure(place.sink, sender, warmup + options.paced, options.pace)
  )
  return Pace.latencyOf(enqueued.slice(warmup), arrivals, "")
}, Effect.scoped)

/** The bytes of a request differ at most by the digits of an id. */
const mostDifference = 8

const describe = (contestant: Contestant, { cpu, latency, perSecond }: Measured): string =>
  `${titles[contestant].padEnd(28)} ${perSecond.toFixed(0).padStart(6)} deliveries/s, sender ${
    cpu.sender.toFixed(0)
  } µs, PostgreSQL ${cpu.postgres.toFixed(0)} µs each` +
  (latency === undefined ? "" : `; p50 ${latency.p50.toFixed(1)} ms, p99 ${latency.p99.toFixed(1)} ms`)

/** Runs this part. */
export const rates = Effect.fnUntraced(function*(place: Place, options: RatesOptions) {
  const databases = new Map<Contestant, BenchDatabase>()
  for (const contestant of contestants) {
    const name = `bench_webhooks_${contestant.replaceAll("-", "_")}`
    databases.set(contestant, yield* place.cluster.database(name))
  }
  const legs = yield* inRounds(
    options.rounds,
    contestants,
    Effect.fnUntraced(function*(contestant) {
      const database = databases.get(contestant)!
      const measured: Measured = {
        ...yield* throughput(place, contestant, database, options),
        latency: contestant === "bare"
          ? undefined
          : yield* latency(place, contestant, database, [place.url], options)
      }
      return measured
    }),
    describe
  )
  const sizes = legs.map(({ measured }) => measured.bytes)
  if (Math.max(...sizes) - Math.min(...sizes) > mostDifference) {
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
