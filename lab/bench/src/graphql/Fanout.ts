/**
 * Benchmark (b): one message to 1,000 subscribers, from before its append on PostgreSQL until the last subscriber has it. Each contestant
 * has its own database, so that no contestant sees the messages of another.
 */
import { Effect } from "effect"
import { setTimeout as sleep } from "node:timers/promises"
import { attempt, BenchError } from "../BenchError.ts"
import { Channel } from "../Channel.ts"
import type { Cluster } from "../Cluster.ts"
import { cpuSecondsOf } from "../Cpu.ts"
import * as Processes from "../Processes.ts"
import { percentile, ratioLine, ratiosOf, sectionsOf } from "../Report.ts"
import type { Figure } from "../Report.ts"
import { inRounds } from "../Rounds.ts"
import type { Server } from "../Servers.ts"
import { startDockline, startPeer, titles } from "./Contestants.ts"
import type { Contestant, GraphqlOptions } from "./Contestants.ts"
import type { AppendCommand } from "./Log.ts"
import type { Seen, SubscriberCommand } from "./Subscribers.ts"
import { clock } from "./Workload.ts"
import type { Appended } from "./Workload.ts"

/** The aims: the ratios of Dockline's deliveries to those of the others. */
const aims = { yoga: 3, bare: 0.8 }

interface Cpu {
  readonly server: number
  readonly postgres: number
  readonly client: number
}

interface Measured {
  /** The time from before the append of a message until the last client has it, with one message in flight, in milliseconds. */
  readonly p50: number
  readonly p99: number
  /** The part of it for the append and its commit. */
  readonly append: number
  /** Messages × clients a second with a window of messages in flight. */
  readonly perSecond: number
  /** Microseconds of CPU time for each delivery, while throughput was measured. */
  readonly cpu: Cpu
  /** Bytes of a message. */
  readonly bytes: number
}

const figures: ReadonlyArray<Figure<Measured>> = [
  { column: "deliveries/s", digits: 0, of: ({ perSecond }) => perSecond },
  { column: "p50 ms", digits: 1, of: ({ p50 }) => p50 },
  { column: "p99 ms", digits: 1, of: ({ p99 }) => p99 },
  { column: "append ms", digits: 1, of: ({ append }) => append },
  { column: "server CPU µs", digits: 1, of: ({ cpu }) => cpu.server },
  { column: "PostgreSQL CPU µs", digits: 1, of: ({ cpu }) => cpu.postgres },
  { column: "clients CPU µs", digits: 1, of: ({ cpu }) => cpu.client }
]

/** The number of attempts to find all clients subscribed, and the duration of an attempt. */
const probes = 40
const probeMillis = 1500

/** A server that appends messages on command, and its subscribers. */
class Drive {
  readonly #server: Channel<AppendCommand>
  readonly #subscribers: Channel<SubscriberCommand>
  readonly #postgresPid: number
  readonly #options: GraphqlOptions
  readonly #ids: Array<number> = []
  #index = 0

  constructor(
    server: Channel<AppendCommand>,
    subscribers: Channel<SubscriberCommand>,
    postgresPid: number,
    options: GraphqlOptions
  ) {
    this.#server = server
    this.#subscribers = subscribers
    this.#postgresPid = postgresPid
    this.#options = options
  }

  /** Subscribes all clients, measures, and checks that each client has seen every message. */
  async measure(port: number, token: string | null): Promise<Measured> {
    await this.#subscribers.ask({ open: this.#options.clients, port, token })
    await this.#probe()
    // Throughput first, because it warms everything up.
    const throughput = await this.#throughput()
    const latency = await this.#latency()
    const { bytes, frames, witnessed } = await this.#subscribers.ask<Seen>({ seen: true })
    const ids = this.#ids.toSorted((left, right) => left - right)
    if (frames.some((count) => count !== ids.length)) {
      throw new Error(`Of ${ids.length} messages clients saw ${frames.join(" to ")}`)
    }
    if (witnessed.join() !== ids.join()) {
      throw new Error("The first client did not see every message in order")
    }
    return { ...latency, ...throughput, bytes }
  }

  /** Appends a message and waits until all clients have it. */
  async #one(): Promise<Appended & { readonly at: number }> {
    const index = this.#index++
    const [at, appended] = await Promise.all([
      this.#subscribers.ask<number>({ reached: index }),
      this.#server.ask<Appended>({ append: index })
    ])
    this.#ids.push(appended.id)
    return { ...appended, at }
  }

  /** Sends messages until one reaches all clients, which shows that all are subscribed. */
  async #probe(): Promise<void> {
    for (let tried = 0; tried < probes; tried++) {
      await this.#subscribers.ask({ reset: true })
      const reached = this.#subscribers.ask({ reached: 0 }, probeMillis).then(() => true, () => false)
      await this.#server.ask({ append: tried })
      const isComplete = await Promise.race([reached, this.#subscribers.failed])
      if (isComplete) return this.#subscribers.ask({ reset: true })
    }
    throw new Error(`Not every client was subscribed after ${probes} messages`)
  }

  async #latency() {
    const latencies: Array<number> = []
    const appends: Array<number> = []
    while (latencies.length < this.#options.messages) {
      const { at, endedAt, startedAt } = await this.#one()
      latencies.push(at - startedAt)
      appends.push(endedAt - startedAt)
    }
    return {
      p50: percentile(latencies, 0.5),
      p99: percentile(latencies, 0.99),
      append: percentile(appends, 0.5)
    }
  }

  async #throughput() {
    const { clients, seconds, warmup, window } = this.#options
    const from = clock() + warmup * 1000
    const until = from + seconds * 1000
    let complete = 0
    const work = async () => {
      while (clock() < until) {
        const { at } = await this.#one()
        if (at >= from && at < until) complete++
      }
    }
    const working = Promise.all(Array.from({ length: window }, work))
    await Promise.race([sleep(from - clock()), working])
    const before = this.#cpu()
    await Promise.race([sleep(until - clock()), working])
    const after = this.#cpu()
    await working
    const deliveries = complete * clients
    const each = (key: keyof Cpu) => (after[key] - before[key]) * 1e6 / deliveries
    return {
      perSecond: deliveries / seconds,
      cpu: { server: each("server"), postgres: each("postgres"), client: each("client") }
    }
  }

  #cpu(): Cpu {
    return {
      server: cpuSecondsOf(this.#server.pid),
      postgres: cpuSecondsOf(this.#postgresPid),
      client: cpuSecondsOf(this.#subscribers.pid)
    }
  }
}

/** Runs the benchmark. */
export const fanout = Effect.fnUntraced(function*(cluster: Cluster, options: GraphqlOptions) {
  const databaseOf = (contestant: Contestant) => cluster.database(`bench_fanout_${contestant}`)
  const dockline = yield* startDockline(yield* databaseOf("dockline"), options.pool)
  const peerOf = (peer: "yoga" | "bare") =>
    Effect.flatMap(databaseOf(peer), (database) => startPeer(peer, dockline, database, options.pool))
  const contestants: ReadonlyArray<readonly [Contestant, Server]> = [
    ["dockline", dockline],
    ["yoga", yield* peerOf("yoga")],
    ["bare", yield* peerOf("bare")]
  ]
  const measured = yield* inRounds(
    options.rounds,
    contestants.map(([contestant, server]) => ({
      contestant,
      server,
      channel: new Channel<AppendCommand>(server.name, server.child)
    })),
    Effect.fnUntraced(function*({ channel, contestant, server: { name, port, token } }) {
      const child = yield* Processes.startNode("graphql/Subscribers.ts")
      const subscribers = new Channel<SubscriberCommand>("subscribers", child)
      const drive = new Drive(channel, subscribers, cluster.pid, options)
      return yield* attempt(name, () => drive.measure(port, contestant === "bare" ? null : token))
    }, Effect.scoped),
    ({ server }, { cpu, p50, p99, perSecond }) =>
      `(b) ${server.name.padEnd(18)} ${perSecond.toFixed(0).padStart(6)} deliveries/s, ` +
      `server ${cpu.server.toFixed(1)} µs each; last client p50 ${p50.toFixed(1)} ms, p99 ${
        p99.toFixed(1)
      } ms`
  )
  const legs = measured.map((leg) => ({ ...leg, contestant: leg.contestant.contestant }))
  const sizes = legs.map(({ measured }) => measured.bytes)
  // The ids of subscriptions and messages differ in length.
  if (Math.max(...sizes) - Math.min(...sizes) > 8) {
    return yield* new BenchError({ message: `The messages are of different sizes: ${sizes.join(", ")}` })
  }
  const lines = (["yoga", "bare"] as const).flatMap((other) => [
    ratioLine(
      `Deliveries, Dockline / ${titles[other]}`,
      ratiosOf(legs, "dockline", other, ({ perSecond }) => perSecond),
      { least: aims[other] }
    ),
    ratioLine(
      `Time to the last client, ${titles[other]} / Dockline`,
      ratiosOf(legs, other, "dockline", ({ p50 }) => p50)
    )
  ])
  return sectionsOf("(b) one message to every subscriber", legs, titles, figures, [
    ...lines,
    `A message has ${sizes[0]} bytes`
  ])
}, Effect.scoped)
