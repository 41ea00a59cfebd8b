/**
 * Many runs: of seeds one after another, several at once, each in a process of its own. What they share, the bundled
 * server and an initialised data folder, is made once and is gone at the end.
 */
import { chmodSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Replacement } from "../../../../programs/Bundle.mjs"
import * as Bundle from "../system/Bundle.ts"
import type { Program } from "../system/Bundle.ts"
import { launch } from "../system/Disk.ts"
import type { Launch } from "../system/Disk.ts"
import { makeTemplate } from "../system/PostgresServer.ts"
import { courseOf } from "./Course.ts"
import type { Course } from "./Course.ts"
import type { RunResult } from "./RunOptions.ts"
import { runInProcess } from "./RunProcess.ts"

/** Which runs. */
export interface RunPlan {
  /** What goes wrong in all of them; `undefined`: in each what its seed says. */
  readonly course: Course | undefined
  /** The seed of the first; each next one has the next. */
  readonly seed: number
  readonly runs: number
  readonly seconds: number
  /** How many at once. */
  readonly jobs: number
  /** Whether the folders of runs that went well are kept too. */
  readonly keep: boolean
  /** Where histories go; with several runs the seed is added to the name. `undefined`: into the folders of the runs. */
  readonly history: string | undefined
}

/** How a run ended. */
export interface Ended {
  readonly seed: number
  /** The history, as far as it is kept. */
  readonly history: string
  /** Logs and history, as far as they are kept. */
  readonly folder: string
  /** `failure`: the run could not be done, and shows nothing. */
  readonly outcome: { readonly result: RunResult } | { readonly failure: string }
}

/** Whether a run was done and everything promised was kept. */
export const isGood = ({ outcome }: Ended): boolean =>
  "result" in outcome && outcome.result.violations.length === 0

/** What runs share. */
export class Harness {
  readonly #folder: string
  readonly #launch: Launch
  readonly #template: string

  private constructor(folder: string) {
    this.#folder = folder
    this.#launch = launch()
    this.#template = join(folder, "template")
  }

  /** Makes what all runs need. */
  static async open(): Promise<Harness> {
    const folder = mkdtempSync(join(tmpdir(), "dockline-faults-"))
    // PostgreSQL may run as somebody else, who passes through.
    chmodSync(folder, 0o711)
    const harness = new Harness(folder)
    try {
      await makeTemplate(harness.#template)
      return harness
    } catch (failure) {
      harness.close()
      throw failure
    }
  }

  /** Whether this machine allows disks to be filled. */
  get canFillDisks(): boolean {
    return this.#launch.prefix.length > 0
  }

  /** Makes the server, with or without a sabotage. */
  program(name: string, replacements: ReadonlyArray<Replacement> = []): Promise<Program> {
    return Bundle.make(join(this.#folder, `program-${name}`), replacements)
  }

  /** Runs all seeds; `onEnd` is told of each as it ends, and says whether to go on. */
  async run(
    plan: RunPlan,
    program: Program,
    signal: AbortSignal,
    onEnd: (ended: Ended) => boolean
  ): Promise<void> {
    let next = plan.seed
    let goesOn = true
    const work = async () => {
      while (goesOn && !signal.aborted && next < plan.seed + plan.runs) {
        const ended = await this.#runOne(plan, next++, program, signal)
        if (!signal.aborted && !onEnd(ended)) goesOn = false
      }
    }
    await Promise.all(Array.from({ length: plan.jobs }, work))
  }

  /** Removes what was shared. */
  close(): void {
    rmSync(this.#folder, { recursive: true, force: true })
  }

  async #runOne(plan: RunPlan, seed: number, program: Program, signal: AbortSignal): Promise<Ended> {
    const folder = mkdtempSync(join(tmpdir(), `dockline-faults-${seed}-`))
    chmodSync(folder, 0o711)
    const history = historyOf(plan, seed) ?? join(folder, "history.jsonl")
    const { course = courseOf(seed), seconds } = plan
    const options = { course, seed, seconds, program, template: this.#template, folder, history }
    const ended = await runInProcess(options, this.#launch, signal).then(
      (result): Ended => ({ seed, history, folder, outcome: { result } }),
      (failure: unknown): Ended => ({ seed, history, folder, outcome: { failure: String(failure) } })
    )
    if (signal.aborted || (isGood(ended) && !plan.keep)) rmSync(folder, { recursive: true, force: true })
    return ended
  }
}

const historyOf = ({ history, runs }: RunPlan, seed: number): string | undefined =>
  history === undefined || runs === 1 ? history : history.replace(/(\.\w+)?$/, `-${seed}$1`)
