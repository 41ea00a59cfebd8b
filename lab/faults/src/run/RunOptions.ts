/** What a run is given and what it tells, as its process and the harness exchange them. */
import type { Event } from "../history/History.ts"
import type { Program } from "../system/Instance.ts"

/** What may go wrong in a run of two instances. */
export const pairCourses = [
  /** Everything that can be healed goes wrong, as the seed says. */
  "faults",
  /** Messages expire within seconds while the log is written to: they go away, nothing else does, and readers are told. */
  "retention",
  /** A standby that lacks acknowledged messages is promoted: nobody is silent, and no id is given twice. */
  "promotion",
  /** A primary is lost, and its synchronous standby promoted: nothing is lost, and writing goes on. */
  "failover"
] as const

/** What may go wrong in a run of two instances. */
export type PairCourse = (typeof pairCourses)[number]

/** What may go wrong in a run; `embedded` is one server, with its database inside, and `citus` a cluster of databases. */
export type Course = PairCourse | "embedded" | "citus"

/** The courses of runs over two instances: five of eight in a row are ordinary. */
const drawn: ReadonlyArray<PairCourse> = [
  "failover",
  "faults",
  "faults",
  "faults",
  "faults",
  "faults",
  "retention",
  "promotion"
]

/** The course of a seed over two instances. */
export const courseOf = (seed: number): PairCourse => drawn[seed % drawn.length]!

/** What a run is. */
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

/** A promise that was not kept, with the events that show it. */
export interface Violation {
  readonly invariant: string
  readonly text: string
  readonly events: ReadonlyArray<Event>
}

/** How often something happened, by name. */
export type Counts = Readonly<Record<string, number>>

/** How a run went. */
export interface RunResult {
  readonly violations: ReadonlyArray<Violation>
  /** What was done and checked. */
  readonly counts: Counts
  /** How often each kind of fault happened. */
  readonly faults: Counts
  /** Faults that this machine does not allow. */
  readonly leftOut: Counts
  /** How long it took from the start to the end, in seconds. */
  readonly seconds: number
}

/** What is said by the process of a run: how it went, or why it could not be done. */
export type RunMessage = { readonly result: RunResult } | { readonly failure: string }
