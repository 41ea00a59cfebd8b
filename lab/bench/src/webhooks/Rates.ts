/**
 * The first part of the webhook benchmark: how many messages a second each contestant delivers out of a backlog, and
 * how long one takes from before it is stored until the sink has it, side by side in rounds.
 */
import { Effect } from "effect"
import { attempt, BenchError, say } from "../BenchError.ts"
import type { BenchDatabase, Cluster } from "../Cluster.ts"
import { cpuSecondsOf } from "../Cpu.ts"
import { complete, contestants, start, titles } from "./Contestants.ts"
import type { Contestant, CpuSeconds, Sender, StartOptions } from "./Contestants.ts"
import * as Pace from "./Pace.ts"
import type { Latency } from "./Pace.ts"
import type { Sink } from "./SinkProcess.ts"
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

/** Deliveries a second, and what each costs. */
export interface Throughput {
  readonly perSecond: number
  /** CPU microseconds for each delivery. */
  readonly cpu: CpuSeconds
  /** Bytes of a request. */
  readonly bytes: number
}

/** One measurement. */
export interface RatesLeg {
  readonly round: number
  readonly contestant: Contestant
  readonly throughput: Throughput
  /** Absent for the bare loop, which stores nothing. */
  readonly latency: Latency | undefined
}

/** What every measurement has to do with. */
export interface Place {
  readonly cluster: Cluster
  readonly sink: Sink
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
  const cpu = () => ({
    sender: sender.cpuSeconds,
    postgres: cpuSecondsOf(cluster.pid),
    sink: sink.cpuSeconds
  })
  const failed = sender.failed
  await sender.go()
  const from = await Promise.race([sink.first(), failed]) + warmup * 1000
  await Promise.race([sleep(from - clock()), failed])
  const before = cpu()
  const planned = from + seconds * 1000
  const reached = sink.reached()
  await Promise.race([sleep(planned - clock()), reached, failed])
  const after = cpu()
  const { arrivals, bytes, repeats } = await sink.report()
  if (repeats > 0) throw new Error(`${repeats} deliveries came again`)
  const last = arrivals.at(-1)![1]
  const to = Math.min(planned, last)
  const count = arrivals.filter(([, at]) => at >= from && at < to).length
  if (to - from < 500) throw new Error("the backlog is too small to be measured; raise --messages")
  const each = (key: keyof CpuSeconds) => (after[key] - before[key]) * 1e6 / count
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
  yield* attempt(titles[contestant], () => place.sink.reset(options.messages))
  yield* attempt(titles[contestant], () => sender.fill(0, options.messages))
  yield* place.cluster.settle(database)
  return yield* attempt(titles[contestant], () => drain(place, sender, options))
}, Effect.scoped)

const latency = Effect.fnUntraced(function*(
  place: Place,
  contestant: Contestant,
  database: BenchDatabase,
  options: RatesOptions
) {
  const sender = yield* start(contestant, database, [place.url], options)
  yield* place.cluster.settle(database)
  const warmup = Math.ceil(options.pace * options.warmup)
  const count = warmup + options.paced
  yield* attempt(titles[contestant], () => place.sink.reset(count))
  yield* attempt(titles[contestant], () => sender.go())
  const enqueued = yield* attempt(titles[contestant], () => Pace.send(sender, 0, count, options.pace))
  yield* attempt(titles[contestant], () => Pace.arrived(place.sink, sender))
  const { arrivals, repeats } = yield* attempt(titles[contestant], () => place.sink.report())
  yield* complete(contestant, arrivals.length, count, repeats)
  return Pace.latencyOf(enqueued.slice(warmup), arrivals, "")
}, Effect.scoped)

/** The bytes of a request differ at most by the digits of an id. */
const mostDifference = 8

const checkBytes = (legs: ReadonlyArray<RatesLeg>) => {
  const sizes = legs.map((leg) => leg.throughput.bytes)
  return Math.max(...sizes) - Math.min(...sizes) > mostDifference
    ? Effect.fail(
      new BenchError({
        message: `The requests are of different sizes: ${
          legs.map((leg) => `${titles[leg.contestant]} ${leg.throughput.bytes}`).join(", ")
        }`
      })
    )
    : Effect.void
}

/** Runs this part. */
export const rates = Effect.fnUntraced(function*(place: Place, options: RatesOptions) {
  const databases = new Map<Contestant, BenchDatabase>()
  for (const contestant of contestants) {
    const name = `bench_webhooks_${contestant.replaceAll("-", "_")}`
    databases.set(contestant, yield* place.cluster.database(name))
  }
  const legs: Array<RatesLeg> = []
  for (let round = 1; round <= options.rounds; round++) {
    for (const contestant of round % 2 === 1 ? contestants : contestants.toReversed()) {
      const database = databases.get(contestant)!
      const leg: RatesLeg = {
        round,
        contestant,
        throughput: yield* throughput(place, contestant, database, options),
        latency: contestant === "bare" ? undefined : yield* latency(place, contestant, database, options)
      }
      legs.push(leg)
      yield* say(
        `[${legs.length}/${options.rounds * contestants.length}] round ${round} ${describeLeg(leg)}`
      )
    }
  }
  yield* checkBytes(legs)
  return legs
})

const describeLeg = ({ contestant, latency, throughput: { cpu, perSecond } }: RatesLeg): string =>
  `${titles[contestant].padEnd(28)} ${perSecond.toFixed(0).padStart(6)} deliveries/s, sender ${
    cpu.sender.toFixed(0)
  } µs, PostgreSQL ${cpu.postgres.toFixed(0)} µs each` +
  (latency === undefined ? "" : `; p50 ${latency.p50.toFixed(1)} ms, p99 ${latency.p99.toFixed(1)} ms`)
