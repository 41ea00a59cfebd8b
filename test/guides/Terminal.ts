/**
 * A terminal: a program that runs in it, what it has written, and how much of that a guide has shown.
 */
import { spawn } from "node:child_process"
import type { ChildProcess } from "node:child_process"
import { once } from "node:events"
import { constants } from "node:os"
import { patternOf, plain } from "./Expectation.ts"
import type { Given } from "./Expectation.ts"

/** What is to be run. */
export interface Command {
  readonly program: string
  readonly args: ReadonlyArray<string>
  readonly folder: string
  readonly env: Readonly<Record<string, string>>
}

/** How long anything that a guide shows may take. */
const patienceMillis = 120_000

/** A program, running or ended. */
export class Terminal {
  readonly #child: ChildProcess
  readonly #ended: Promise<number>
  #errors = ""
  #output = ""
  /** What it has written and no block has shown. */
  #unseen = ""
  #code: number | undefined
  #wake: () => void = () => {}

  constructor({ program, args, folder, env }: Command) {
    // A process group of its own, as a terminal gives it.
    this.#child = spawn(program, args, {
      cwd: folder,
      env,
      detached: true,
      stdio: ["ignore", "pipe", "pipe"]
    })
    this.#child.stdout?.on("data", (chunk: Buffer) => {
      this.#output += chunk.toString()
      this.#unseen += chunk.toString()
      this.#wake()
    })
    this.#child.stderr?.on("data", (chunk: Buffer) => (this.#errors += chunk.toString()))
    this.#ended = once(this.#child, "close").then(([code, signal]: ReadonlyArray<unknown>) => {
      // As a shell tells it: of a signal 128 and its number.
      this.#code = typeof code === "number" ? code : 128 + constants.signals[signal as NodeJS.Signals]
      this.#wake()
      return this.#code
    })
  }

  /** Whether the program has ended. */
  get hasEnded(): boolean {
    return this.#code !== undefined
  }

  /** Its code; `undefined` while it runs. */
  get code(): number | undefined {
    return this.#code
  }

  /** What no block has shown yet. */
  get unseen(): string {
    return this.#unseen
  }

  /** The text for people who look for what went wrong. */
  get everything(): string {
    return `${this.#unseen}${this.#errors}`
  }

  /** Waits for the end; `undefined` when it takes too long. */
  async end(): Promise<number | undefined> {
    await this.#until(() => this.hasEnded)
    return this.#code
  }

  /** Waits for the end, or until it has shown this; whether that came. What was shown is seen then. */
  async shows(shown: string, given: Given): Promise<boolean> {
    const pattern = patternOf(shown, { given, begins: true })
    const has = () => pattern.test(this.#lines())
    await this.#until(() => this.hasEnded || has())
    if (!has()) return false
    this.#unseen = this.#unseen.slice(pattern.exec(this.#lines())![0].length)
    return true
  }

  /** Whether it runs and has shown this, for whoever comes to it later. */
  hasShown(shown: string, given: Given): boolean {
    return !this.hasEnded && patternOf(shown, { given, begins: true }).test(plain(this.#output))
  }

  /** Ctrl-C; what was there before is seen then. */
  interrupt(): void {
    this.#unseen = ""
    this.#signal("SIGINT")
  }

  /** Ctrl-C, and the hard way where that does not help. */
  async close(): Promise<void> {
    if (this.hasEnded) return
    this.interrupt()
    if (await this.end() === undefined) this.#signal("SIGKILL")
    await this.#ended
  }

  /** Whole lines alone: half of one may go on. */
  #lines(): string {
    const text = plain(this.#unseen)
    return this.hasEnded || this.#unseen.endsWith("\n")
      ? text
      : text.slice(0, text.lastIndexOf("\n", text.length - 2) + 1)
  }

  #signal(signal: NodeJS.Signals): void {
    if (this.#child.pid !== undefined && !this.hasEnded) process.kill(-this.#child.pid, signal)
  }

  /** Waits until it is so, or patience is over. */
  async #until(isSo: () => boolean): Promise<void> {
    const limit = Date.now() + patienceMillis
    while (!isSo() && Date.now() < limit) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, limit - Date.now())
        this.#wake = () => {
          clearTimeout(timer)
          resolve()
        }
      })
    }
  }
}
