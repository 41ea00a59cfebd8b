/** An instance of the server: a process with an address that stays the same however often it is killed and started. */
import { spawn } from "node:child_process"
import type { ChildProcess } from "node:child_process"
import { until } from "../Until.ts"
import type { InstanceLog } from "./InstanceLog.ts"

/** The file that Node runs for a server, and the folder of Node's compile cache. */
export interface Program {
  readonly file: string
  readonly cache: string
}

/** The options of an instance. */
interface InstanceOptions {
  readonly program: Program
  readonly port: number
  /** Its settings besides its address. */
  readonly env: Readonly<Record<string, string>>
  readonly log: InstanceLog
  /** Called when it ends by itself. */
  readonly onEnd: (how: string) => void
}

/** How long it may take to end after SIGTERM, in milliseconds: the time of D12.3, with a reserve for a busy machine. */
const patience = 15_000

/** A process and its end; whether it reacts to signals, and whether it should end. */
interface Life {
  readonly child: ChildProcess
  readonly ended: Promise<string>
  isLoaded: boolean
  isDoomed: boolean
}

/** Whether an address answers with success. */
export const answers = async (url: string): Promise<boolean> => {
  try {
    const answer = await fetch(url, { signal: AbortSignal.timeout(2000) })
    await answer.body?.cancel()
    return answer.status === 200
  } catch {
    return false
  }
}

/** Whether the server at an address reports that it is ready. */
export const isReady = (url: string): Promise<boolean> => answers(`${url}/readyz`)

export class Instance {
  readonly url: string
  readonly #options: InstanceOptions
  #life: Life | undefined
  #isPaused = false
  #isClosed = false
  #offset = 0

  constructor(options: InstanceOptions) {
    this.#options = options
    this.url = `http://127.0.0.1:${options.port}`
  }

  /** Starts its process, unless it runs; its clock keeps its offset. */
  start(): void {
    if (this.#life !== undefined || this.#isClosed) return
    const { env, log, port, program } = this.#options
    const child = log.attach((output) =>
      spawn(process.execPath, [program.file], {
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
    )
    const ended = new Promise<string>((resolve) => {
      child.on("error", (cause) => resolve(cause.message))
      child.once(
        "exit",
        (code, signal) => resolve(signal === null ? `exit code ${code}` : `signal ${signal}`)
      )
    })
    const life: Life = { child, ended, isLoaded: false, isDoomed: false }
    child.on("message", (message) => {
      if (message === "loaded") life.isLoaded = true
    })
    this.#life = life
    this.#isPaused = false
    if (this.#offset !== 0) this.setClock(this.#offset)
    void ended.then((how) => {
      if (this.#life === life) this.#life = undefined
      if (!life.isDoomed) this.#options.onEnd(how)
    })
  }

  /** `kill -9`, whether it is paused or not; resolves when it has ended. */
  async kill(): Promise<void> {
    const life = this.#life
    if (life === undefined) return
    life.isDoomed = true
    life.child.kill("SIGKILL")
    await life.ended
  }

  /** Kills it permanently. */
  close(): Promise<void> {
    this.#isClosed = true
    return this.kill()
  }

  /** SIGTERM; resolves when it has ended, with what was wrong about its end. */
  async stop(): Promise<string | undefined> {
    const life = this.#life
    if (life === undefined) return undefined
    life.isDoomed = true
    this.resume()
    const { isLoaded } = life
    life.child.kill("SIGTERM")
    let how: string | undefined
    void life.ended.then((ended) => (how = ended))
    if (!await until(() => how !== undefined, patience, 5)) {
      await this.kill()
      return `not ended after ${patience} ms`
    }
    return how === "exit code 0" || (how === "signal SIGTERM" && !isLoaded) ? undefined : how
  }

  pause(): void {
    if (this.#life === undefined) return
    this.#isPaused = true
    this.#life.child.kill("SIGSTOP")
  }

  resume(): void {
    if (!this.#isPaused) return
    this.#isPaused = false
    this.#life?.child.kill("SIGCONT")
  }

  /** Sets the offset of its clock in milliseconds, also for its next processes. */
  setClock(offset: number): void {
    this.#offset = offset
    const child = this.#life?.child
    // Its channel is closed if it has just ended.
    if (child?.connected === true) child.send({ offset }, () => {})
  }

  get log(): InstanceLog {
    return this.#options.log
  }

  async isReady(): Promise<boolean> {
    return this.#life !== undefined && await isReady(this.url)
  }
}
