/**
 * Benchmark (b): one message to 1,000 subscribers, from before it is appended on PostgreSQL until the last of them has
 * its frame. Each contestant has a database of its own, so that nobody hears of another's messages.
 */
import { Effect } from "effect"
import { attempt, BenchError } from "../BenchError.ts"
import { Channel } from "../Channel.ts"
import type { Cluster } from "../Cluster.ts"
import { cpuSecondsOf } from "../Cpu.ts"
import * as Processes from "../Processes.ts"
import { percentile, ratioLine, ratiosOf, sectionsOf } from "../Report.ts"
import type { Figure } from "../Report.ts"
import { inRounds } from "../Rounds.ts"
import { fanoutContestants, start, titles } from "./Contestants.ts"
import type { LogServer, StartOptions } from "./Contestants.ts"
import type { AppendCommand } from "./Log.ts"
import type { Seen, SubscriberCommand } from "./Subscribers.ts"
import { clock, path, query, subscriptionDocument } from "./Workload.ts"
import type { Appended } from "./Workload.ts"

/** How it is measured. */
export interface FanoutOptions extends StartOptions {
  readonly rounds: number
  readonly clients: number
  /** Messages sent one at a time. */
  readonly messages: number
  /** Messages in flight while throughput is measured, and for how long. */
  readonly window: number
  readonly warmup: number
  readonly seconds: number
}

/** The aims: deliveries of Dockline over those of the others. */
const aims = { yoga: 3, bare: 0.8 }

interface Cpu {
  readonly server: number
  readonly postgres: number
  readonly client: number
}

interface Measured {
  /** From before a message is appended until the last client has it, one message in flight, in milliseconds. */
  readonly p50: number
  readonly p99: number
  /** How long its append took of that, committed. */
  readonly append: number
  /** Messages × clients a second with a window of messages in flight. */
  readonly perSecond: number
  /** Microseconds of CPU time for each delivery, while throughput was measured. */
  readonly cpu: Cpu
  /** Bytes of a frame's payload. */
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

/** How long it is tried to find everybody subscribed, and how long one try takes. */
const probes = 40
const probeMillis = 1500

/** One server that appends what it is told, and its subscribers. */
class Drive {
  readonly #server: Channel<AppendCommand>
  readonly #subscribers: Channel<SubscriberCommand>
  readonly #postgresPid: number
  readonly #options: FanoutOptions
  /** In the order in which the log has them. */
  readonly #ids: Array<number> = []
  #appended = 0
  #index = 0

  constructor(
    server: Channel<AppendCommand>,
    subscribers: Channel<SubscriberCommand>,
    postgresPid: number,
    options: FanoutOptions
  ) {
    this.#server = server
    this.#subscribers = subscribers
    this.#postgresPid = postgresPid
    this.#options = options
  }

  /** Subscribes everybody, measures, and checks that everybody has seen everything. */
  async measure({ contestant, port, token }: LogServer): Promise<Measured> {
    const variables = { filter: { businessSlug: query.business } }
    const subscribe = contestant === "bare" ? null : { token, document: subscriptionDocument, variables }
    await this.#subscribers.ask({ open: { port, path, clients: this.#options.clients, subscribe } })
    await this.#probe()
    await this.#subscribers.ask({ lookInside: false })
    // Throughput first: it leaves everything warm.
    const throughput = await this.#throughput()
    const latency = await this.#latency()
    await this.#subscribers.ask({ lookInside: true })
    this.#ids.push((await this.#one()).id)
    const seen = await this.#subscribers.ask<Seen>({ seen: true })
    this.#check(seen)
    return { ...latency, ...throughput, bytes: seen.sampleSize }
  }

  #append(): Promise<Appended> {
    return this.#server.ask<Appended>({ append: this.#appended++ })
  }

  /** Appends a message and waits until everybody has it. */
  async #one(): Promise<Appended & { readonly at: number }> {
    const reached = this.#subscribers.ask<number>({ reached: this.#index++ })
    const [at, appended] = await Promise.all([reached, this.#append()])
    return { ...appended, at }
  }

  /** Sends messages until one reaches everybody, which shows that everybody is subscribed. */
  async #probe(): Promise<void> {
    for (let attempt = 1; attempt <= probes; attempt++) {
      await this.#subscribers.ask({ reset: true })
      const reached = this.#subscribers.ask({ reached: 0 }, probeMillis).then(() => true, () => false)
      const { id } = await this.#append()
      await Promise.race([reached, this.#subscribers.failed])
      const { frames, lastIds } = await this.#subscribers.ask<Seen>({ seen: true })
      if (lastIds[0] === id && lastIds[1] === id && frames[0] === 1 && frames[1] === 1) {
        return this.#subscribers.ask({ reset: true })
      }
    }
    throw new Error(`Not every client was subscribed after ${probes} messages`)
  }

  async #latency() {
    const { messages } = this.#options
    const latencies = new Float64Array(messages)
    const appends = new Float64Array(messages)
    for (let at = 0; at < messages; at++) {
      const one = await this.#one()
      this.#ids.push(one.id)
      latencies[at] = one.at - one.startedAt
      appends[at] = one.endedAt - one.startedAt
    }
    latencies.sort()
    return {
      p50: percentile(latencies, 0.5),
      p99: percentile(latencies, 0.99),
      append: percentile(appends.sort(), 0.5)
    }
  }

  async #throughput() {
    const { clients, seconds, warmup, window } = this.#options
    const measureFrom = clock() + warmup * 1000
    const stopAt = measureFrom + seconds * 1000
    const appended: Array<number> = []
    let complete = 0
    const work = async () => {
      while (clock() < stopAt) {
        const { at, id } = await this.#one()
        appended.push(id)
        if (at >= measureFrom && at < stopAt) complete++
      }
    }
    const watch = async () => {
      await new Promise((resolve) => setTimeout(resolve, measureFrom - clock()))
      const before = this.#cpu()
      await new Promise((resolve) => setTimeout(resolve, stopAt - clock()))
      return [before, this.#cpu()] as const
    }
    const [[before, after]] = await Promise.all([watch(), ...Array.from({ length: window }, work)])
    this.#ids.push(...appended.toSorted((left, right) => left - right))
    const deliveries = complete * clients
    const each = (key: keyof Cpu) => ((after[key] - before[key]) * 1e6) / deliveries
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

  #check({ frames, lastIds, witnessed }: Seen): void {
    const ids = this.#ids
    const last = ids.at(-1)
    if (frames.some((count) => count !== ids.length) || lastIds.some((id) => id !== last)) {
      throw new Error(
        `Of ${ids.length} messages clients saw ${frames.join(" to ")}, ending with ${
          lastIds.join(" to ")
        } instead of ${last}`
      )
    }
    if (witnessed.length !== ids.length || witnessed.some((id, at) => id !== ids[at])) {
      throw new Error("The first client did not see every message in order")
    }
  }
}

/** Runs the benchmark. */
export const fanout = Effect.fnUntraced(function*(cluster: Cluster, options: FanoutOptions) {
  const servers = yield* Effect.forEach(fanoutContestants, (contestant) =>
    Effect.gen(function*() {
      const server = yield* start(contestant, yield* cluster.database(`bench_fanout_${contestant}`), options)
      return { ...server, contestant, channel: new Channel<AppendCommand>(server.name, server.child) }
    }))
  const measured = yield* inRounds(
    options.rounds,
    servers,
    Effect.fnUntraced(function*(server) {
      const child = yield* Processes.startNode("graphql/Subscribers.ts", {}, { ipc: true })
      const subscribers = new Channel<SubscriberCommand>("subscribers", child)
      return yield* attempt(
        server.name,
        () => new Drive(server.channel, subscribers, cluster.pid, options).measure(server)
      )
    }, Effect.scoped),
    ({ contestant }, { cpu, p50, p99, perSecond }) =>
      `(b) ${titles[contestant].padEnd(18)} last client p50 ${p50.toFixed(1)} ms, p99 ${
        p99.toFixed(1)
      } ms; ` +
      `${perSecond.toFixed(0).padStart(6)} deliveries/s, server ${cpu.server.toFixed(1)} µs each`
  )
  const legs = measured.map((leg) => ({ ...leg, contestant: leg.contestant.contestant }))
  const sizes = legs.map(({ measured }) => measured.bytes)
  if (Math.max(...sizes) - Math.min(...sizes) > 8) {
    return yield* new BenchError({
      message: `The frames are of different sizes: ${[...new Set(sizes)].join(", ")}`
    })
  }
  const deliveries = (other: "yoga" | "bare") =>
    ratioLine(
      `Deliveries, Dockline / ${other}`,
      ratiosOf(legs, "dockline", other, ({ perSecond }) => perSecond),
      { least: aims[other] }
    )
  const latency = (other: "yoga" | "bare") =>
    ratioLine(
      `Time to the last client, ${other} / Dockline`,
      ratiosOf(legs, other, "dockline", ({ p50 }) => p50)
    )
  return sectionsOf("(b) one message to every subscriber", legs, titles, figures, [
    deliveries("yoga"),
    deliveries("bare"),
    latency("yoga"),
    latency("bare"),
    `A frame has ${sizes[0]} bytes`
  ])
}, Effect.scoped)
