/** What every mode has in common: what a run is made of, and the times in which nothing goes wrong. */
import { setTimeout as wait } from "node:timers/promises"
import type { Recorder } from "../history/Record.ts"
import type { System } from "../system/System.ts"
import type { Customer } from "../workload/Customer.ts"
import type { Workload } from "../workload/Workload.ts"
import type { RunOptions } from "./RunOptions.ts"

/** A run under way. */
export interface Scene {
  readonly options: RunOptions
  readonly recorder: Recorder
  /** Something happened that is not of the schedule, so many times. */
  readonly count: (kind: string, times: number) => void
  /** This machine does not allow something, so many times. */
  readonly leaveOut: (kind: string, times: number) => void
  /** A promise was not kept that no event of the history is about. */
  readonly onBroken: (invariant: string, text: string) => void
  /** Ends waiting when the run is to be given up. */
  readonly signal: AbortSignal
}

/** What a run is made of. */
export interface Play {
  readonly system: System
  readonly customers: Customer
  /** Whether messages expire. */
  readonly expires?: boolean
  /** Before clients begin, when they have been given everything back, and when everything is collected. */
  readonly note?: (when: "begin" | "healed" | "collected") => Promise<void>
  /** Lets things go wrong, and heals them. */
  readonly act: (workload: Workload) => Promise<void>
  /** At last. */
  readonly end?: (workload: Workload) => Promise<void>
}

/** How long a system may take to be ready, when it is started and when it has been healed, in milliseconds. */
export const readyMillis = 30_000

/** Waits until a system that is healed is ready. */
export const getWell = async ({ onBroken }: Scene, system: System): Promise<void> => {
  if (await system.isReady(readyMillis)) return
  onBroken("gets well", `not ready ${readyMillis} ms after everything was healed`)
}

/** The share of a run that is spent without anything going wrong at its beginning, where no schedule says so. */
export const quietShare = 0.2

export const quietly = ({ options, recorder }: Scene): Promise<void> =>
  openWindow(recorder, options.seconds * 1000 * quietShare)

/** A time without faults. */
export const openWindow = async (recorder: Recorder, millis: number): Promise<void> => {
  recorder.record({ type: "window", phase: "begin" })
  await wait(millis)
  recorder.record({ type: "window", phase: "end" })
}
