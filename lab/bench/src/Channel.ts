/** The parent's side of the channel to a child process: questions, each with its answer. */
import type { Effect } from "effect"
import type { ChildProcess } from "node:child_process"
import { attempt } from "./BenchError.ts"
import type { BenchError } from "./BenchError.ts"
import type { Asked, Said } from "./Serve.ts"

/** The time limit of a process for one answer, in milliseconds. */
const patience = 300_000

/** A channel to a child that answers with `serve`. */
export class Channel<Command extends object> {
  readonly #name: string
  readonly #child: ChildProcess
  readonly #asked = new Map<number, PromiseWithResolvers<unknown>>()
  readonly #failed = Promise.withResolvers<never>()
  #lastId = 0

  constructor(name: string, child: ChildProcess) {
    this.#name = name
    this.#child = child
    this.#failed.promise.catch(() => {})
    child.on("message", (said) => this.#hear(said as Said))
    child.once(
      "exit",
      (code, signal) => this.#failed.reject(new Error(`${name} ended early (${code ?? signal})`))
    )
  }

  get pid(): number {
    return this.#child.pid!
  }

  /** Rejects when the child ends or reports a fault; never resolves. */
  get failed(): Promise<never> {
    return this.#failed.promise
  }

  /** Asks, and waits for the answer, at most for this number of milliseconds. */
  ask<Answer = void>(command: Command, millis = patience): Promise<Answer> {
    const id = ++this.#lastId
    const asked = Promise.withResolvers<unknown>()
    this.#asked.set(id, asked)
    const what = `${this.#name} did not answer ${Object.keys(command).join()} in ${millis} ms`
    const timer = setTimeout(() => asked.reject(new Error(what)), millis)
    this.#child.send({ id, command } satisfies Asked<Command>, (error) => {
      if (error !== null) asked.reject(error)
    })
    const answered = Promise.race([asked.promise, this.#failed.promise]).finally(() => {
      clearTimeout(timer)
      this.#asked.delete(id)
    })
    // Some callers stop waiting, because the measurement is over.
    answered.catch(() => {})
    return answered as Promise<Answer>
  }

  /** The same as an effect. */
  asking<Answer = void>(command: Command): Effect.Effect<Answer, BenchError> {
    return attempt(this.#name, () => this.ask<Answer>(command))
  }

  #hear(said: Said): void {
    if ("fault" in said) this.#failed.reject(new Error(said.fault))
    else if (said.error === undefined) this.#asked.get(said.id)?.resolve(said.answer)
    else this.#asked.get(said.id)?.reject(new Error(said.error))
  }
}
