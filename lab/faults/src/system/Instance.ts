/**
 * An instance of the server: a process with an address that stays the same however often it is killed and started.
 */
import { spawn } from "node:child_process"
import type { ChildProcess } from "node:child_process"
import { closeSync, openSync } from "node:fs"
import { isReady } from "./Health.ts"

/** A server that can be started. */
export interface Program {
  /** The file that Node runs. */
  readonly file: string
  /** Where Node keeps what it has compiled of it. */
  readonly cache: string
}

/** How an instance is started. */
export interface InstanceOptions {
  readonly program: Program
  readonly port: number
  /** Its settings, beside its address. */
  readonly env: Readonly<Record<string, string>>
  /** The file that everything it says is added to. */
  readonly log: string
  /** Told when it ends and nobody asked for it. */
  readonly onEnd: (how: string) => void
}

/** How long it may take to end after SIGTERM, in milliseconds: what D12.3 allows, and a little for a busy machine. */
const patience = 15_000

/** A process and how it ends. */
interface Life {
  readonly child: ChildProcess
  readonly ended: Promise<string>
  /** Whether it heeds signals. */
  isLoaded: boolean
  /** Whether it is to end. */
  isDoomed: boolean
}

/** An instance. */
export class Instance {
  readonly #options: InstanceOptions
  #life: Life | undefined
  #isPaused = false
  #isClosed = false
  #offset = 0

  constructor(options: InstanceOptions) {
    this.#options = options
  }

  get url(): string {
    return `http://127.0.0.1:${this.#options.port}`
  }

  /** Whether its process is there. */
  get isRunning(): boolean {
    return this.#life !== undefined
  }

  /** Starts its process, unless there is one. Its clock goes as it went. */
  start(): void {
    if (this.#life !== undefined || this.#isClosed) return
    const { env, log, port, program } = this.#options
    const output = openSync(log, "a")
    const child = spawn(process.execPath, [program.file], {
      env: {
        PATH: process.env["PATH"] ?? "",
        HOME: process.env["HOME"] ?? "",
        NODE_COMPILE_CACHE: program.cache,
        HOST: "127.0.0.1",
        PORT: String(port),
        ...env
      },
      stdio: ["ignore", output, output, "ipc"]
    })
    closeSync(output)
    const life: Life = { child, ended: endOf(child), isLoaded: false, isDoomed: false }
    child.on("error", () => {})
    child.on("message", (message) => {
      if (message === "loaded") life.isLoaded = true
    })
    this.#life = life
    this.#isPaused = false
    if (this.#offset !== 0) this.#tellClock()
    void life.ended.then((how) => {
      if (this.#life === life) this.#life = undefined
      if (!life.isDoomed) this.#options.onEnd(how)
    })
  }

  /** `kill -9`, paused or not; ends when it is gone. */
  async kill(): Promise<void> {
    const life = this.#life
    if (life === undefined) return
    life.isDoomed = true
    life.child.kill("SIGKILL")
    await life.ended
  }

  /** Kills it for good. */
  close(): Promise<void> {
    this.#isClosed = true
    return this.kill()
  }

  /** SIGTERM; ends when it is gone, with what was wrong about the way it went. */
  async stop(): Promise<string | undefined> {
    const life = this.#life
    if (life === undefined) return undefined
    life.isDoomed = true
    this.resume()
    const { isLoaded } = life
    life.child.kill("SIGTERM")
    const late = Promise.withResolvers<"late">()
    const timer = setTimeout(() => late.resolve("late"), patience)
    const how = await Promise.race([life.ended, late.promise])
    clearTimeout(timer)
    if (how === "late") await this.kill()
    if (how === "late") return `not ended after ${patience} ms`
    const isEnded = how === "exit code 0" || (how === "signal SIGTERM" && !isLoaded)
    return isEnded ? undefined : how
  }

  /** SIGSTOP. */
  pause(): void {
    if (this.#life === undefined) return
    this.#isPaused = true
    this.#life.child.kill("SIGSTOP")
  }

  /** SIGCONT. */
  resume(): void {
    if (!this.#isPaused) return
    this.#isPaused = false
    this.#life?.child.kill("SIGCONT")
  }

  /** Sets how wrong its clock is, in milliseconds, from now on and for its next processes. */
  setClock(offset: number): void {
    this.#offset = offset
    this.#tellClock()
  }

  /** Sets the clock further, from where it is. */
  advance(millis: number): void {
    this.setClock(this.#offset + millis)
  }

  /** Whether it says that it is ready. */
  async isReady(): Promise<boolean> {
    return this.isRunning && await isReady(this.url)
  }

  #tellClock(): void {
    const child = this.#life?.child
    // Its channel is closed when it has just ended.
    if (child?.connected === true) child.send({ offset: this.#offset }, () => {})
  }
}

const endOf = (child: ChildProcess): Promise<string> =>
  new Promise((resolve) => {
    child.once("error", (cause) => resolve(cause.message))
    child.once("exit", (code, signal) => resolve(signal === null ? `exit code ${code}` : `signal ${signal}`))
  })
