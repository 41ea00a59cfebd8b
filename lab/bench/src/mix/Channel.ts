/**
 * Questions to a child process, each with its answer, and what it says by itself.
 */
import type { Effect } from "effect"
import type { ChildProcess } from "node:child_process"
import { attempt } from "../BenchError.ts"
import type { BenchError } from "../BenchError.ts"

/** How long a process may take for one answer, in milliseconds. */
const patience = 120_000

interface Reply {
  readonly id: number
  readonly answer?: unknown
  readonly error?: string
}

/** A channel to a process that answers `{id, command}` with `{id, answer}` or `{id, error}`. */
export class Channel<Command extends object, Answer> {
  readonly #name: string
  readonly #child: ChildProcess
  readonly #asked = new Map<number, PromiseWithResolvers<Answer>>()
  #lastId = 0

  constructor(name: string, child: ChildProcess) {
    this.#name = name
    this.#child = child
    child.on("message", (message) => this.#hear(message as Reply))
    child.once("exit", (code, signal) => {
      for (const { reject } of this.#asked.values()) {
        reject(new Error(`it ended early (${code ?? signal})`))
      }
    })
  }

  get pid(): number {
    return this.#child.pid!
  }

  /** Sends a command and waits for its answer. */
  ask(command: Command): Effect.Effect<Answer, BenchError> {
    return attempt(this.#name, async () => {
      const id = ++this.#lastId
      const asked = Promise.withResolvers<Answer>()
      this.#asked.set(id, asked)
      const timer = setTimeout(() => asked.reject(new Error(`no answer in ${patience} ms`)), patience)
      this.#child.send({ id, command }, (error) => {
        if (error !== null) asked.reject(error)
      })
      return await asked.promise.finally(() => {
        clearTimeout(timer)
        this.#asked.delete(id)
      })
    })
  }

  #hear({ answer, error, id }: Reply): void {
    const asked = this.#asked.get(id)
    if (error === undefined) asked?.resolve(answer as Answer)
    else asked?.reject(new Error(error))
  }
}
