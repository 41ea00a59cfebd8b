/**
 * Many runs: one for each seed, each in a separate process. They share the bundled server and an initialised data folder, which are made
 * once and deleted at the end.
 */
import { spawn } from "node:child_process"
import { chmodSync, closeSync, mkdirSync, mkdtempSync, openSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { bundle } from "../../../../programs/Bundle.mjs"
import type { Replacement } from "../../../../programs/Bundle.mjs"
import { compileCache } from "../../../../test/support/ProgramSettings.ts"
import { makeClusterTemplate } from "../citus/ClusterSystem.ts"
import { launch } from "../system/Disk.ts"
import type { Program } from "../system/Instance.ts"
import { makeTemplate } from "../system/PostgresServer.ts"
import { courseOf } from "./RunOptions.ts"
import type { Course, RunMessage, RunOptions, RunResult } from "./RunOptions.ts"

export interface RunPlan {
  /** The course of all runs; `undefined`: the seed of each run selects its course. */
  readonly course: Course | undefined
  /** The folder of the programs of a PostgreSQL with Citus, in runs of a cluster. */
  readonly postgres: string | undefined
  /** The seeds of the runs, in order. */
  readonly seeds: ReadonlyArray<number>
  readonly seconds: number
  /** Whether the folders of successful runs are kept too. */
  readonly keep: boolean
}

/** A run that has ended, and the folder of its logs and its history if it is kept. */
export interface Ended {
  readonly seed: number
  readonly folder: string
  /** `failure`: the run could not be carried out, and shows nothing. */
  readonly outcome: { readonly result: RunResult } | { readonly failure: string }
}

/** Whether a run was carried out without a violation. */
export const isGood = ({ outcome }: Ended): boolean =>
  "result" in outcome && outcome.result.violations.length === 0

/** The path of the history of a run. */
export const historyIn = (folder: string): string => join(folder, "history.jsonl")

/** An empty folder that other users may enter, because PostgreSQL may run as another user. */
const makeFolder = (name: string): string => {
  const folder = mkdtempSync(join(tmpdir(), `dockline-faults-${name}`))
  chmodSync(folder, 0o711)
  return folder
}

export class Harness {
  readonly #folder = makeFolder("")
  readonly #template = join(this.#folder, "template")
  readonly #launch = launch()

  /** Prepares the shared parts of all runs; for a cluster, with the PostgreSQL programs of a folder. */
  async open(postgres?: string): Promise<void> {
    await (postgres === undefined
      ? makeTemplate(this.#template)
      : makeClusterTemplate(this.#template, postgres))
  }

  /** Whether this machine allows disks to be filled. */
  get canFillDisks(): boolean {
    return this.#launch.prefix.length > 0
  }

  /**
   * Bundles the server into one file, which starts in some 0.3 s; a sabotage changes its sources, to show that the checker notices.
   */
  async program(name: string, replacements: ReadonlyArray<Replacement> = []): Promise<Program> {
    const folder = join(this.#folder, `program-${name}`)
    const program = { file: join(folder, "instance.mjs"), cache: join(folder, "compiled") }
    mkdirSync(program.cache, { recursive: true })
    const entry = fileURLToPath(new URL("../system/InstanceMain.ts", import.meta.url))
    await bundle({ entry, outfile: program.file, replacements })
    return program
  }

  /** Runs all seeds; `onEnd` is called when a run ends, and returns whether to continue. */
  async run(
    plan: RunPlan,
    program: Program,
    signal: AbortSignal,
    onEnd: (ended: Ended) => boolean
  ): Promise<void> {
    for (const seed of plan.seeds) {
      if (signal.aborted) return
      const folder = makeFolder(`${seed}-`)
      const { course = courseOf(seed), postgres, seconds } = plan
      const history = historyIn(folder)
      const options = { course, seed, seconds, program, template: this.#template, postgres, folder, history }
      const outcome = await this.#runInProcess(options, signal).then(
        (result) => ({ result }),
        (failure: unknown) => ({ failure: String(failure) })
      )
      const ended: Ended = { seed, folder, outcome }
      const goesOn = !signal.aborted && onEnd(ended)
      if (signal.aborted || (isGood(ended) && !plan.keep)) rmSync(folder, { recursive: true, force: true })
      if (!goesOn) return
    }
  }

  close(): void {
    rmSync(this.#folder, { recursive: true, force: true })
  }

  /** Runs a seed in a separate process, so that faults depend on its seed alone; a run that could not be carried out is an error. */
  #runInProcess(options: RunOptions, signal: AbortSignal): Promise<RunResult> {
    const { env, prefix } = this.#launch
    const output = openSync(join(options.folder, "run.log"), "a")
    const main = fileURLToPath(new URL("RunMain.ts", import.meta.url))
    const [command, ...rest] = [...prefix, process.execPath, "--conditions=@dockline/source", main]
    const child = spawn(command!, rest, {
      env: { ...process.env, ...compileCache, ...env },
      stdio: ["ignore", output, output, "ipc"]
    })
    closeSync(output)
    const stop = () => child.kill("SIGTERM")
    signal.addEventListener("abort", stop, { once: true })
    return new Promise<RunResult>((resolve, reject) => {
      let message: RunMessage | undefined
      child.once("message", (received) => {
        message = received as RunMessage
      })
      child.once("error", reject)
      child.once("close", (code, signal) => {
        if (message === undefined) {
          reject(new Error(`the run of seed ${options.seed} ended with ${signal ?? code}`))
        } else if ("failure" in message) reject(new Error(message.failure))
        else resolve(message.result)
      })
      child.send(options, () => {})
      if (signal.aborted) stop()
    }).finally(() => signal.removeEventListener("abort", stop))
  }
}
