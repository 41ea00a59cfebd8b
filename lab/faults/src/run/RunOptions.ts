/** The input and the result of a run, as its process and the harness exchange them. */
import type { Counts } from "../checker/Checker.ts"
import type { Program } from "../system/Instance.ts"
import type { Verdict } from "./Verdict.ts"

/**
 * The courses of a run of two instances: all faults that can be healed, by the seed; messages expire within seconds, and nothing else is
 * lost; a standby that lacks acknowledged messages is promoted, and no id is used twice; or a primary is lost and its synchronous standby
 * promoted, and nothing is lost.
 */
export const pairCourses = ["faults", "retention", "promotion", "failover"] as const

export type PairCourse = (typeof pairCourses)[number]

/** The course of a run; `embedded` is one server with its own database, and `citus` a cluster of databases. */
export type Course = PairCourse | "embedded" | "citus"

/** The course of a seed over two instances: five of eight in a row are ordinary. */
export const courseOf = (seed: number): PairCourse =>
  ({ 0: "failover", 6: "retention", 7: "promotion" } as const)[seed % 8] ?? "faults"

export interface RunOptions {
  readonly course: Course
  readonly seed: number
  /** The duration of faults and clients, in seconds. */
  readonly seconds: number
  readonly program: Program
  /** An initialised data folder, or the folder of a cluster, to be copied. */
  readonly template: string
  /** The folder of the programs of a PostgreSQL with Citus, in runs of a cluster. */
  readonly postgres?: string | undefined
  /** An empty folder for the run; only the logs and the history stay in it. */
  readonly folder: string
  /** The file of the history. */
  readonly history: string
}

export interface RunResult extends Verdict {
  /** The numbers of calls and checks. */
  readonly counts: Counts
  /** The number of faults of each kind, and those that this machine does not allow. */
  readonly faults: Counts
  readonly leftOut: Counts
  /** How long it took from the start to the end, in seconds. */
  readonly seconds: number
}

/** The message of a run's process: its result, or why it could not be carried out. */
export type RunMessage = { readonly result: RunResult } | { readonly failure: string }
