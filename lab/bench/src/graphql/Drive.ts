/**
 * Drives one measurement of the subscription benchmark: a server process that appends what it is told, and a process
 * of subscribers that says when a message has reached all of them.
 */
import type { ChildProcess } from "node:child_process"
import { cpuSecondsOf } from "../Cpu.ts"
import { percentile } from "../load/Task.ts"
import type { AppendCommand, Appended } from "./Control.ts"
import type { SubscriberCommand, SubscriberEvent } from "./SubscriberLoad.ts"
import type { Complete, Seen, SubscribersTask } from "./Subscribers.ts"
import { clock } from "./Workload.ts"

/** How it is measured. */
export interface FanoutPlan {
  /** Messages sent one at a time. */
  readonly messages: number
  /** Messages in flight while throughput is measured, and for how long. */
  readonly window: number
  readonly warmup: number
  readonly seconds: number
}

/** What was measured. */
export interface FanoutMeasured {
  /** From before a message is appended until the last client has it, one message in flight, in milliseconds. */
  readonly p50: number
  readonly p99: number
  /** How long its append took of that, committed. */
  readonly append: number
  /** Messages × clients a second with a window of messages in flight. */
  readonly perSecond: number
  /** Microseconds of CPU time for each delivery, while throughput was measured. */
  readonly cpu: { readonly server: number; readonly postgres: number; readonly client: number }
  /** Bytes of a frame's payload. */
  readonly bytes: number
}

/** How long a message may take to reach everybody. */
const patience = 60_000

/** How long it is tried to find everybody subscribed, and how long one try takes. */
const probes = 40
const probeMillis = 1500

type Waiter<A> = PromiseWithResolvers<A>

/** One server, and its subscribers. */
export class Drive {
  readonly #server: ChildProcess
  readonly #load: ChildProcess
  readonly #pids: { readonly server: number; readonly postgres: number; readonly client: number }
  readonly #fault = Promise.withResolvers<never>()
  readonly #appends = new Map<number, Waiter<Appended>>()
  readonly #completes = new Map<number, Waiter<Complete>>()
  #answer: Waiter<Seen | null> | undefined
  #appended = 0
  #index = 0
  #stop: () => void

  constructor(server: ChildProcess, load: ChildProcess, postgresPid: number) {
    this.#server = server
    this.#load = load
    this.#pids = { server: server.pid!, postgres: postgresPid, client: load.pid! }
    this.#fault.promise.catch(() => undefined)
    const onAppended = (event: unknown) => {
      const appended = event as Appended
      this.#appends.get(appended.appended)?.resolve(appended)
      this.#appends.delete(appended.appended)
    }
    const onExit = () => this.#fault.reject(new Error("the server ended"))
    server.on("message", onAppended)
    server.once("exit", onExit)
    load.on("message", (event) => this.#hear(event as SubscriberEvent))
    load.once("exit", () => this.#fault.reject(new Error("the subscribers' process ended")))
    this.#stop = () => {
      server.off("message", onAppended)
      server.off("exit", onExit)
    }
  }

  /** Subscribes everybody, measures, and checks that everybody has seen everything. */
  async measure(task: SubscribersTask, plan: FanoutPlan): Promise<FanoutMeasured> {
    try {
      await this.#ask({ open: task })
      await this.#probe()
      await this.#ask({ lookInside: false })
      const ids: Array<number> = []
      // Throughput first: it leaves everything warm.
      const throughput = await this.#throughput(plan, task.clients, ids)
      const latency = await this.#latency(plan.messages, ids)
      await this.#ask({ lookInside: true })
      ids.push((await this.#one()).id)
      const seen = await this.#seen()
      this.#check(seen, ids)
      return { ...latency, ...throughput, bytes: seen.sampleSize }
    } finally {
      this.#stop()
    }
  }

  #hear(event: SubscriberEvent): void {
    if ("fault" in event) {
      this.#fault.reject(new Error(event.fault))
    } else if ("done" in event) {
      const answer = this.#answer
      this.#answer = undefined
      answer?.resolve(event.done)
    } else {
      this.#completes.get(event.complete)?.resolve(event)
      this.#completes.delete(event.complete)
    }
  }

  async #within<A>(promise: Promise<A>, millis: number, what: string): Promise<A> {
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<never>((_resolve, reject) => {
      timer = setTimeout(() => reject(new Error(`${what} within ${millis} ms`)), millis)
    })
    return Promise.race([promise, this.#fault.promise, late]).finally(() => clearTimeout(timer))
  }

  #ask(command: SubscriberCommand): Promise<Seen | null> {
    this.#answer = Promise.withResolvers()
    this.#load.send(command)
    return this.#within(this.#answer.promise, patience, `No answer to ${Object.keys(command).join()}`)
  }

  async #seen(): Promise<Seen> {
    const seen = await this.#ask({ report: true })
    if (seen === null) throw new Error("The subscribers gave no report")
    return seen
  }

  /** Appends a message. Those that are appended at once get their ids in any order. */
  #append(): Promise<Appended> {
    const waiter = Promise.withResolvers<Appended>()
    const n = this.#appended++
    this.#appends.set(n, waiter)
    this.#server.send({ append: n } satisfies AppendCommand)
    return this.#within(waiter.promise, patience, "A message was not appended")
  }

  #complete(index: number, millis = patience): Promise<Complete> {
    const waiter = Promise.withResolvers<Complete>()
    this.#completes.set(index, waiter)
    return this.#within(waiter.promise, millis, `Message ${index} did not reach every client`)
  }

  /** Appends a message and waits until everybody has it. */
  async #one(): Promise<Appended & { readonly at: number }> {
    const [{ at }, appended] = await Promise.all([this.#complete(this.#index++), this.#append()])
    return { ...appended, at }
  }

  /** Sends messages until one reaches everybody, which shows that everybody is subscribed. */
  async #probe(): Promise<void> {
    for (let attempt = 1; attempt <= probes; attempt++) {
      await this.#ask({ reset: true })
      this.#completes.clear()
      const complete = this.#complete(0, probeMillis).then(() => true, () => false)
      const { id } = await this.#append()
      await Promise.race([complete, this.#fault.promise])
      const { frames, lastIds } = await this.#seen()
      if (lastIds[0] === id && lastIds[1] === id && frames[0] === 1 && frames[1] === 1) {
        await this.#ask({ reset: true })
        this.#index = 0
        return
      }
    }
    throw new Error(`Not every client was subscribed after ${probes} messages`)
  }

  async #latency(messages: number, ids: Array<number>) {
    const latencies = new Float64Array(messages)
    const appends = new Float64Array(messages)
    for (let at = 0; at < messages; at++) {
      const one = await this.#one()
      ids.push(one.id)
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

  async #throughput({ seconds, warmup, window }: FanoutPlan, clients: number, ids: Array<number>) {
    const measureFrom = clock() + warmup * 1000
    const stopAt = measureFrom + seconds * 1000
    const appended: Array<Promise<Appended>> = []
    let complete = 0
    const work = async () => {
      while (clock() < stopAt) {
        const reached = this.#complete(this.#index++)
        appended.push(this.#append())
        const { at } = await reached
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
    const appendedIds = (await Promise.all(appended)).map(({ id }) => id)
    ids.push(...appendedIds.toSorted((left, right) => left - right))
    const deliveries = complete * clients
    const each = (key: keyof typeof before) => ((after[key] - before[key]) * 1e6) / deliveries
    return {
      perSecond: deliveries / seconds,
      cpu: { server: each("server"), postgres: each("postgres"), client: each("client") }
    }
  }

  #cpu() {
    const { client, postgres, server } = this.#pids
    return { server: cpuSecondsOf(server), postgres: cpuSecondsOf(postgres), client: cpuSecondsOf(client) }
  }

  #check({ frames, lastIds, witnessed }: Seen, ids: ReadonlyArray<number>): void {
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
