/** What a run is given and what it tells, as its process and the harness exchange them. */
import type { Event } from "../history/History.ts"
import type { Program } from "../system/Bundle.ts"
import type { Course } from "./Course.ts"

/** What a run is. */
export interface RunOptions {
  readonly course: Course
  readonly seed: number
  /** How long faults and clients go on, in seconds. */
  readonly seconds: number
  readonly program: Program
  /** A data folder that has been initialised, to be copied. */
  readonly template: string
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

/** How a run went. */
export interface RunResult {
  readonly seed: number
  readonly violations: ReadonlyArray<Violation>
  /** What was done and checked, by name. */
  readonly counts: Readonly<Record<string, number>>
  /** How often each kind of fault happened. */
  readonly faults: Readonly<Record<string, number>>
  /** Faults that this machine does not allow. */
  readonly leftOut: Readonly<Record<string, number>>
  /** How long it took from the start to the end, in seconds. */
  readonly seconds: number
}

/** What is said by the process of a run: how it went, or why it could not be done. */
export type RunMessage = { readonly result: RunResult } | { readonly failure: string }
