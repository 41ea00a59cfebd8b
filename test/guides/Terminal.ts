/**
 * A terminal: a program that runs in it, its output, and how much of that the guide has shown.
 */
import { spawn } from "node:child_process"
import type { ChildProcess } from "node:child_process"
import { once } from "node:events"
import { constants } from "node:os"
import { patternOf, plain } from "./Expectation.ts"
import type { Given } from "./Expectation.ts"

/** A command to run. */
export interface Command {
  readonly program: string
  readonly args: ReadonlyArray<string>
  readonly folder: string
  readonly env: Readonly<Record<string, string>>
}

/** The time limit of every step of a guide: the suites of a storage that reads its journal again for each step take two minutes or more. */
const patienceMillis = 400_000

/** A running or ended program. */
export class Terminal {
  readonly #child: ChildProcess
  readonly #ended: Promise<number>
  #errors = ""
  #output = ""
  /** The output that no block has shown. */
  #unseen = ""
  #code: number | undefined
  #wake: () => void = () => {}

  constructor({ program, args, folder, env }: Command) {
    // A process group of its own, as in a terminal.
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
      // As in a shell: for a signal, 128 plus its number.
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

  /** The output that no block has shown yet. */
  get unseen(): string {
    return this.#unseen
  }

  /** The whole output, for people who look for a fault. */
  get everything(): string {
    return `${this.#unseen}${this.#errors}`
  }

  /** Waits for the end; `undefined` if it takes too long. */
  async end(): Promise<number | undefined> {
    await this.#until(() => this.hasEnded)
    return this.#code
  }

  /** Waits for the end, or until the output matches; returns whether it did. The matched output then counts as seen. */
  async shows(shown: string, given: Given): Promise<boolean> {
    const pattern = patternOf(shown, { given, begins: true })
    const has = () => pattern.test(this.#lines())
    await this.#until(() => this.hasEnded || has())
    if (!has()) return false
    this.#unseen = this.#unseen.slice(pattern.exec(this.#lines())![0].length)
    return true
  }

  /** Whether the program runs and has shown this, for a later guide. */
  hasShown(shown: string, given: Given): boolean {
    return !this.hasEnded && patternOf(shown, { given, begins: true }).test(plain(this.#output))
  }

  /** Sends Ctrl-C; the output so far then counts as seen. */
  interrupt(): void {
    this.#unseen = ""
    this.#signal("SIGINT")
  }

  /** Sends Ctrl-C, and kills the program if that does not help. */
  async close(): Promise<void> {
    if (this.hasEnded) return
    this.interrupt()
    if (await this.end() === undefined) this.#signal("SIGKILL")
    await this.#ended
  }

  /** Only whole lines: a partial line may still grow. */
  #lines(): string {
    const text = plain(this.#unseen)
    return this.hasEnded || this.#unseen.endsWith("\n")
      ? text
      : text.slice(0, text.lastIndexOf("\n", text.length - 2) + 1)
  }

  #signal(signal: NodeJS.Signals): void {
    if (this.#child.pid !== undefined && !this.hasEnded) process.kill(-this.#child.pid, signal)
  }

  /** Waits until a condition holds, or the time limit is over. */
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
