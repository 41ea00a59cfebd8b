/** What a run is given and what it tells, as its process and the harness exchange them. */
import type { Counts } from "../checker/Checker.ts"
import type { Program } from "../system/Instance.ts"
import type { Verdict } from "./Verdict.ts"

/**
 * What may go wrong in a run of two instances: everything that can be healed, as the seed says; messages expire within seconds,
 * and nothing else goes away; a standby that lacks acknowledged messages is promoted, and no id is given twice; or a primary is
 * lost and its synchronous standby promoted, and nothing is lost.
 */
export const pairCourses = ["faults", "retention", "promotion", "failover"] as const

export type PairCourse = (typeof pairCourses)[number]

/** What may go wrong in a run; `embedded` is one server, with its database inside, and `citus` a cluster of databases. */
export type Course = PairCourse | "embedded" | "citus"

/** The course of a seed over two instances: five of eight in a row are ordinary. */
export const courseOf = (seed: number): PairCourse =>
  ({ 0: "failover", 6: "retention", 7: "promotion" } as const)[seed % 8] ?? "faults"

export interface RunOptions {
  readonly course: Course
  readonly seed: number
  /** How long faults and clients go on, in seconds. */
  readonly seconds: number
  readonly program: Program
  /** A data folder that has been initialised, or the folder of a cluster, to be copied. */
  readonly template: string
  /** The folder of the programs of a PostgreSQL with Citus, in runs of a cluster. */
  readonly postgres?: string | undefined
  /** An empty folder for the run; nothing is left in it but the logs and the history. */
  readonly folder: string
  /** The file that the history is written to. */
  readonly history: string
}

export interface RunResult extends Verdict {
  /** What was done and checked. */
  readonly counts: Counts
  /** How often each kind of fault happened, and those that this machine does not allow. */
  readonly faults: Counts
  readonly leftOut: Counts
  /** How long it took from the start to the end, in seconds. */
  readonly seconds: number
}

/** What is said by the process of a run: how it went, or why it could not be done. */
export type RunMessage = { readonly result: RunResult } | { readonly failure: string }
