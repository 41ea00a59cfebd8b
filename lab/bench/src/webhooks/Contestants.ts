/**
 * Who competes in the webhook benchmark, and how each is started and driven.
 */
import { Effect } from "effect"
import type { ChildProcess } from "node:child_process"
import { readFileSync } from "node:fs"
import { resolve } from "node:path"
import { attempt, BenchError } from "../BenchError.ts"
import type { BenchDatabase } from "../Cluster.ts"
import { cpuSecondsOf } from "../Cpu.ts"
import * as Processes from "../Processes.ts"
import type { Command, Enqueued, SenderEvent } from "./Control.ts"

/** Everybody, in the order of the first round. */
export const contestants = ["dockline", "graphile", "local-queue", "bare"] as const

/** Somebody who is measured. */
export type Contestant = (typeof contestants)[number]

/** The name of each contestant in tables. */
export const titles: Readonly<Record<Contestant, string>> = {
  dockline: "Dockline",
  graphile: "graphile-worker",
  "local-queue": "graphile-worker, local queue",
  bare: "bare undici loop"
}

/** How contestants are started. */
export interface StartOptions {
  /** Connections of ours to the database; graphile-worker has as many as it recommends. */
  readonly pool: number
  /** The folder in which each sender leaves a CPU profile when it ends, if any. */
  readonly profile: string | undefined
}

/** CPU seconds so far. */
export interface CpuSeconds {
  readonly sender: number
  readonly postgres: number
  readonly sink: number
}

/** How long a sender may take for one command, in milliseconds. */
const patience = 300_000

/** A sender that runs. */
export class Sender {
  readonly #child: ChildProcess
  readonly #fault = Promise.withResolvers<never>()
  readonly #enqueues = new Map<number, PromiseWithResolvers<Enqueued>>()
  #done: PromiseWithResolvers<void> | undefined

  constructor(child: ChildProcess) {
    this.#child = child
    this.#fault.promise.catch(() => undefined)
    child.on("message", (event) => this.#hear(event as SenderEvent))
    child.once("exit", (code) => this.#fault.reject(new Error(`the sender ended with exit code ${code}`)))
  }

  /** Rejects when the sender ends or fails; never resolves. */
  get failed(): Promise<never> {
    return this.#fault.promise
  }

  get cpuSeconds(): number {
    return cpuSecondsOf(this.#child.pid!)
  }

  /** The most memory it has had, in MiB; NaN where it is not known. */
  get peakMemory(): number {
    try {
      const status = readFileSync(`/proc/${this.#child.pid}/status`, "utf8")
      return Number(/^VmHWM:\s+(\d+) kB/m.exec(status)?.[1]) / 1024
    } catch {
      return Number.NaN
    }
  }

  /** Resolves when it has its endpoints. */
  ready(): Promise<void> {
    return this.#wait()
  }

  fill(from: number, count: number): Promise<void> {
    return this.#tell({ fill: { from, count } })
  }

  go(): Promise<void> {
    return this.#tell({ go: true })
  }

  /** Stores one message; any number may be asked for at once. */
  one(n: number): Promise<Enqueued> {
    const waiter = Promise.withResolvers<Enqueued>()
    this.#enqueues.set(n, waiter)
    this.#child.send({ one: n } satisfies Command)
    return Promise.race([waiter.promise, this.#fault.promise])
  }

  #tell(command: Command): Promise<void> {
    const done = this.#wait()
    this.#child.send(command)
    return done
  }

  #wait(): Promise<void> {
    const done = Promise.withResolvers<void>()
    this.#done = done
    const timer = setTimeout(
      () => done.reject(new Error(`the sender did not answer in ${patience} ms`)),
      patience
    )
    return Promise.race([done.promise, this.#fault.promise]).finally(() => clearTimeout(timer))
  }

  #hear(event: SenderEvent): void {
    if ("fault" in event) this.#fault.reject(new Error(event.fault))
    else if ("done" in event) this.#done?.resolve()
    else {
      this.#enqueues.get(event.enqueued)?.resolve(event)
      this.#enqueues.delete(event.enqueued)
    }
  }
}

const programs: Readonly<Record<Contestant, string>> = {
  dockline: "webhooks/dockline.ts",
  graphile: "webhooks/graphile.ts",
  "local-queue": "webhooks/graphile.ts",
  bare: "webhooks/bare.ts"
}

/** Starts a contestant that delivers to these base URLs. It ends with the scope. */
export const start = Effect.fnUntraced(function*(
  contestant: Contestant,
  database: BenchDatabase,
  endpoints: ReadonlyArray<string>,
  { pool, profile }: StartOptions
) {
  const nodeArgs = profile === undefined
    ? []
    : ["--cpu-prof", `--cpu-prof-dir=${resolve(profile)}`, `--cpu-prof-name=${contestant}.cpuprofile`]
  const child = yield* Processes.startNode(programs[contestant], {
    DATABASE_URL: database.url,
    DATABASE_CONNECTIONS: String(pool),
    ENDPOINTS: JSON.stringify(endpoints),
    LOCAL_QUEUE: String(contestant === "local-queue")
  }, { ipc: true, nodeArgs })
  const sender = new Sender(child)
  yield* attempt(titles[contestant], () => sender.ready())
  return sender
})

/** What must hold of what came: everything expected, nothing twice. */
export const complete = (
  contestant: Contestant,
  distinct: number,
  expected: number,
  repeats: number
): Effect.Effect<void, BenchError> =>
  distinct === expected && repeats === 0
    ? Effect.void
    : Effect.fail(
      new BenchError({
        message: `Of ${expected} deliveries of ${
          titles[contestant]
        } ${distinct} came, and ${repeats} came again`
      })
    )
