/**
 * The sink as the benchmark sees it.
 */
import { Effect } from "effect"
import type { ChildProcess } from "node:child_process"
import { attempt } from "../BenchError.ts"
import { cpuSecondsOf } from "../Cpu.ts"
import * as Processes from "../Processes.ts"
import type { Report, SinkCommand, SinkEvent } from "./SinkProtocol.ts"

/** How long the sink may take for one answer, in milliseconds. */
const patience = 60_000

/** A sink that listens. */
export class Sink {
  readonly #child: ChildProcess
  readonly #port = Promise.withResolvers<number>()
  readonly #fault = Promise.withResolvers<never>()
  #answer: PromiseWithResolvers<Report | null> | undefined
  #first = Promise.withResolvers<number>()
  #reached = Promise.withResolvers<number>()

  constructor(child: ChildProcess) {
    this.#child = child
    this.#fault.promise.catch(() => undefined)
    child.on("message", (event) => this.#hear(event as SinkEvent))
    child.once("exit", () => this.#fault.reject(new Error("the sink ended")))
  }

  get cpuSeconds(): number {
    return cpuSecondsOf(this.#child.pid!)
  }

  port(): Promise<number> {
    return this.#or(this.#port.promise)
  }

  /** Rejects when something came that is no delivery as it should be; never resolves. */
  get failed(): Promise<never> {
    return this.#fault.promise
  }

  /** Forgets what came. */
  async reset(expect: number): Promise<void> {
    this.#first = Promise.withResolvers()
    this.#reached = Promise.withResolvers()
    await this.#ask({ reset: { expect } })
  }

  /** When the first delivery came. */
  first(): Promise<number> {
    return this.#or(this.#first.promise)
  }

  /** When the last one that is expected came. */
  reached(): Promise<number> {
    return this.#or(this.#reached.promise)
  }

  async report(): Promise<Report> {
    const report = await this.#ask({ report: true })
    if (report === null) throw new Error("the sink gave no report")
    return report
  }

  #ask(command: SinkCommand): Promise<Report | null> {
    const answer = Promise.withResolvers<Report | null>()
    this.#answer = answer
    this.#child.send(command)
    const timer = setTimeout(
      () => answer.reject(new Error(`the sink did not answer in ${patience} ms`)),
      patience
    )
    return this.#or(answer.promise).finally(() => clearTimeout(timer))
  }

  #or<A>(promise: Promise<A>): Promise<A> {
    return Promise.race([promise, this.#fault.promise])
  }

  #hear(event: SinkEvent): void {
    if ("fault" in event) this.#fault.reject(new Error(event.fault))
    else if ("port" in event) this.#port.resolve(event.port)
    else if ("first" in event) this.#first.resolve(event.first)
    else if ("reached" in event) this.#reached.resolve(event.reached)
    else this.#answer?.resolve(event.done)
  }
}

/** Starts a sink, which ends with the scope; with its address. */
export const start = Effect.gen(function*() {
  const sink = new Sink(yield* Processes.startNode("webhooks/Sink.ts", {}, { ipc: true }))
  const port = yield* attempt("sink", () => sink.port())
  return { sink, url: `http://127.0.0.1:${port}` }
})
