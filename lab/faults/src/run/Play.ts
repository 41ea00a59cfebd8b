/** What every mode has in common: what a run is made of, the times in which nothing goes wrong, and faults that take turns. */
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
  /** What is opened, and is closed at the end. */
  readonly opened: AsyncDisposableStack
  /** Something happened so many times that is not of the schedule. */
  readonly count: (kind: string, times: number) => void
  /** This machine does not allow something, so many times. */
  readonly leaveOut: (kind: string, times: number) => void
  /** A promise was not kept that no event of the history is about. */
  readonly onBroken: (invariant: string, text: string) => void
  /** Ends waiting when the run is to be given up. */
  readonly signal: AbortSignal
}

/** The service of a run as clients know it. */
export interface System {
  readonly urls: ReadonlyArray<string>
  readonly baseUrl: string
  /** The database, past everything that goes wrong. */
  readonly databaseUrl: string
  /** Waits until it is ready; says whether it was in so many milliseconds. */
  readonly isReady: (millis: number) => Promise<boolean>
}

export interface Play {
  readonly system: System
  readonly customers: Customers
  /** How long messages are kept and readers sleep, where messages expire, in milliseconds. */
  readonly longestSleep?: number
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

/**
 * What clients were told since it was made, counted as it happens: writes that were acknowledged, as a server that only reads has
 * not recovered; calls that were refused because the database was away; and calls whose connection broke, or that nobody took.
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
      // A client that lost its patience says nothing of the server.
      else if (!/^\d|TimeoutError/.test(event.reason)) this.counts.lost++
    })
  }

  /** Waits until the counts are as said, as long as given; says whether they are. */
  until(holds: (counts: Watch["counts"]) => boolean, millis: number): Promise<boolean> {
    return this.#recorder.until(() => holds(this.counts), millis)
  }
}

/** What one thing that befalls a system is given. */
export interface Turn {
  readonly random: Random
  readonly watch: Watch
  /** Tells what is done, for people who read why something was lost. */
  readonly tell: (text: string) => void
  /** Tells what is wrong. */
  readonly fault: (text: string) => void
}

/** Things that happen one after another while clients work. */
interface Turns<Name extends string> {
  readonly watch: Watch
  /** The invariant that is broken where something is not as promised. */
  readonly invariant: string
  /** What can happen, and what happens last, where something does. */
  readonly names: ReadonlyArray<Name>
  readonly last?: Name | undefined
  /** One of them for so many seconds of a run. */
  readonly secondsEach: number
  /** Whether what is not as promised ends the run: what comes later would hide which one it was. */
  readonly endsBroken: boolean
  readonly act: (name: Name, turn: Turn) => Promise<void>
}

/** How many calls are to be acknowledged before something happens, and after. */
const callsBetween = 10

/** How long clients are served before something happens, at most, in milliseconds. */
const longestPause = 1000

/** How soon the service has to write again once nothing stands against it (D12.3), and some more for a busy machine. */
const recoveryMillis = 20_000

/** Lets things happen, none again before all have come, and counts them. */
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

/** Waits until clients are served again; it is a fault when they are not in time. */
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
