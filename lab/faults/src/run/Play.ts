/** The common parts of all modes: the scene of a run, the windows without faults, and faults that happen in turn. */
import { setTimeout as wait } from "node:timers/promises"
import { Random } from "../../../Random.ts"
import { writes } from "../checker/ServiceRules.ts"
import type { Recorder } from "../history/Record.ts"
import type { Customers } from "../workload/Customer.ts"
import type { Workload } from "../workload/Workload.ts"
import type { RunOptions } from "./RunOptions.ts"

export interface Scene {
  readonly options: RunOptions
  readonly recorder: Recorder
  /** The resources that are closed at the end. */
  readonly opened: AsyncDisposableStack
  /** Counts an event that is not in the schedule. */
  readonly count: (kind: string, times: number) => void
  /** Counts a fault that this machine does not allow. */
  readonly leaveOut: (kind: string, times: number) => void
  /** Reports a broken promise that no event of the history shows. */
  readonly onBroken: (invariant: string, text: string) => void
  /** Aborted when the run is given up. */
  readonly signal: AbortSignal
}

/** The service of a run as clients know it. */
export interface System {
  readonly urls: ReadonlyArray<string>
  readonly baseUrl: string
  /** The database, not through anything that faults affect. */
  readonly databaseUrl: string
  /** Waits until the system is ready; returns whether it was ready within this number of milliseconds. */
  readonly isReady: (millis: number) => Promise<boolean>
}

export interface Play {
  readonly system: System
  readonly customers: Customers
  /** The longest sleep of readers in a course in which messages expire, in milliseconds. */
  readonly longestSleep?: number
  /** Called before clients begin, after everything was healed, and after everything was collected. */
  readonly note?: (when: "begin" | "healed" | "collected") => Promise<void>
  /** Causes the faults, and heals them. */
  readonly act: (workload: Workload) => Promise<void>
  /** Called at the end of the run. */
  readonly end?: (workload: Workload) => Promise<void>
}

/** How long a system may take to be ready after its start and after it was healed, in milliseconds. */
export const readyMillis = 30_000

/** Waits until a healed system is ready. */
export const getWell = async ({ onBroken }: Scene, system: System): Promise<void> => {
  if (await system.isReady(readyMillis)) return
  onBroken("gets well", `not ready ${readyMillis} ms after everything was healed`)
}

/** The share of a run at its beginning in which no fault happens, in modes without a schedule. */
export const quietShare = 0.2

export const quietly = ({ options, recorder }: Scene): Promise<void> =>
  openWindow(recorder, options.seconds * 1000 * quietShare)

/** A time without faults. */
export const openWindow = async (recorder: Recorder, millis: number): Promise<void> => {
  recorder.record({ type: "window", phase: "begin" })
  await wait(millis)
  recorder.record({ type: "window", phase: "end" })
}

/**
 * Counts outcomes of calls since its creation: acknowledged writes (a server that only reads has not recovered), calls that were refused
 * because the database was down, and calls whose connection broke or was not accepted.
 */
export class Watch {
  readonly counts = { acknowledged: 0, away: 0, lost: 0 }
  readonly #recorder: Recorder

  constructor(recorder: Recorder) {
    this.#recorder = recorder
    const writing = new Set<number>()
    recorder.watch((event) => {
      if (event.type === "invoke" && writes.has(event.asked.operation)) writing.add(event.call)
      if (event.type === "ok" && writing.has(event.call)) this.counts.acknowledged++
      if (event.type === "refused" && event.status === 0) this.counts.lost++
      if (event.type !== "unknown") return
      if (event.reason === "503 STORAGE_UNAVAILABLE") this.counts.away++
      // A client that gives up says nothing about the server.
      else if (!/^\d|TimeoutError/.test(event.reason)) this.counts.lost++
    })
  }

  /** Waits until a condition on the counts is true, for at most this number of milliseconds; returns whether it is. */
  until(holds: (counts: Watch["counts"]) => boolean, millis: number): Promise<boolean> {
    return this.#recorder.until(() => holds(this.counts), millis)
  }
}

/** The input of one fault. */
export interface Turn {
  readonly random: Random
  readonly watch: Watch
  /** Logs an action, for people who look for the cause of a loss. */
  readonly tell: (text: string) => void
  /** Reports a violation. */
  readonly fault: (text: string) => void
}

/** Faults that happen one after another while clients work. */
interface Turns<Name extends string> {
  readonly watch: Watch
  /** The invariant that a violation breaks. */
  readonly invariant: string
  /** The faults, and the fault at the end, if there is one. */
  readonly names: ReadonlyArray<Name>
  readonly last?: Name | undefined
  /** The number of seconds of a run for one fault. */
  readonly secondsEach: number
  /** Whether a violation ends the run, because later faults would hide its cause. */
  readonly endsBroken: boolean
  readonly act: (name: Name, turn: Turn) => Promise<void>
}

/** How many calls must be acknowledged before a fault, and after it. */
const callsBetween = 10

/** The longest time between recovery and the next fault, in milliseconds. */
const longestPause = 1000

/** How soon the service must write again once it can (D12.3), with a reserve for a busy machine. */
const recoveryMillis = 20_000

/** Lets the faults happen, none again before all have happened, and counts them. */
export const takeTurns = async <Name extends string>(scene: Scene, turns: Turns<Name>): Promise<void> => {
  const { count, onBroken, options, recorder } = scene
  const { act, endsBroken, invariant, last, names, secondsEach, watch } = turns
  const random = Random.of(options.seed).split(invariant)
  const planned: Array<Name> = []
  const length = Math.round(options.seconds / secondsEach)
  while (planned.length < length) planned.push(...random.shuffle(names))
  const counts = new Map<Name, number>()
  let isBroken = false
  for (const [at, name] of [...planned.slice(0, length), ...(last === undefined ? [] : [last])].entries()) {
    if (isBroken && endsBroken) break
    const turn = {
      watch,
      random: random.split(`${at} ${name}`),
      tell: (details: string) => void recorder.record({ type: "told", kind: name, details }),
      fault: (text: string) => {
        isBroken = true
        onBroken(invariant, `${name}: ${text}`)
      }
    }
    try {
      await recovered(turn)
      await wait(turn.random.int(0, longestPause))
      recorder.record({ type: "fault", phase: "begin", kind: name })
      await act(name, turn)
      await recovered(turn)
    } catch (error) {
      turn.fault(String(error))
    }
    recorder.record({ type: "fault", phase: "end", kind: name })
    counts.set(name, (counts.get(name) ?? 0) + 1)
  }
  for (const [name, times] of counts) count(name, times)
}

/** Waits until clients are served again; a violation if this takes too long. */
export const recovered = async (
  { fault, tell, watch }: Pick<Turn, "fault" | "tell" | "watch">,
  calls = callsBetween
): Promise<void> => {
  const begun = performance.now()
  const { acknowledged } = watch.counts
  if (await watch.until((counts) => counts.acknowledged >= acknowledged + calls, recoveryMillis)) {
    return tell(`served again after ${Math.round(performance.now() - begun)} ms`)
  }
  const by = watch.counts.acknowledged - acknowledged
  fault(`${by} of ${calls} calls were acknowledged within ${recoveryMillis / 1000} s`)
}
