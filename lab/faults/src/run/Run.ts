/**
 * One run: starts a system, lets clients work while the faults of the seed happen, heals everything, collects the final state, and checks
 * the whole history.
 *
 * Guarantee: nothing of a run is left when it ends, in any way.
 */
import { availableParallelism, loadavg } from "node:os"
import { Random } from "../../../Random.ts"
import type { Violation } from "../checker/Facts.ts"
import * as Citus from "../citus/Citus.ts"
import * as Embedded from "../embedded/Embedded.ts"
import { Recorder } from "../history/Record.ts"
import { Workload } from "../workload/Workload.ts"
import { collect } from "./Collect.ts"
import * as PairPlay from "./PairPlay.ts"
import { getWell, readyMillis } from "./Play.ts"
import type { Play, Scene } from "./Play.ts"
import type { RunOptions, RunResult } from "./RunOptions.ts"
import { judge } from "./Verdict.ts"

/** How long a run may take in addition to its faults, in milliseconds; if it takes longer, something hangs. */
const patienceMillis = 360_000

/** Runs a seed; if the signal is aborted, gives up and cleans up. */
export const run = async (options: RunOptions, signal: AbortSignal): Promise<RunResult> => {
  const begun = performance.now()
  await using opened = new AsyncDisposableStack()
  const broken: Array<Violation> = []
  const recorder = opened.adopt(new Recorder(options.history), (recorder) => recorder.close())
  const faults: Record<string, number> = {}
  const leftOut: Record<string, number> = {}
  const scene: Scene = {
    options,
    recorder,
    opened,
    // The load is reported too, because nothing is in time on an overloaded machine.
    onBroken: (invariant, text) => {
      const load = `load ${loadavg()[0]!.toFixed(1)} on ${availableParallelism()} processors`
      broken.push({ invariant, text: `${text} (${load})`, events: [] })
    },
    count: (kind, times) => void (faults[kind] = times),
    leaveOut: (kind, times) => void (leftOut[kind] = times),
    signal: AbortSignal.any([signal, AbortSignal.timeout(options.seconds * 1000 + patienceMillis)])
  }
  const { course } = options
  const made = course === "embedded"
    ? Embedded.open(scene)
    : course === "citus"
    ? Citus.open(scene)
    : PairPlay.open(scene, course)
  await within(scene.signal, made.then((made) => play(scene, made)))
  const verdict = judge(recorder.history, broken)
  return { ...verdict, faults, leftOut, seconds: (performance.now() - begun) / 1000 }
}

/** Waits for a promise, or until the signal is aborted. */
const within = <A>(signal: AbortSignal, promise: Promise<A>): Promise<A> =>
  new Promise((resolve, reject) => {
    const giveUp = () => reject(new Error("the run was given up", { cause: signal.reason }))
    if (signal.aborted) giveUp()
    signal.addEventListener("abort", giveUp, { once: true })
    promise.then(resolve, reject).finally(() => signal.removeEventListener("abort", giveUp))
  })

const play = async (
  scene: Scene,
  { act, customers, end, longestSleep = 0, note, system }: Play
): Promise<void> => {
  const { opened, options, recorder } = scene
  if (!await system.isReady(readyMillis)) throw new Error("the system was not ready before any fault")
  await note?.("begin")
  const site = { urls: system.urls, baseUrl: system.baseUrl, recorder }
  const random = Random.of(options.seed).split("workload")
  const workload = opened.adopt(
    await Workload.start({ ...site, customers, random, longestSleep }),
    (workload) => workload.close()
  )
  await act(workload)
  await getWell(scene, system)
  // Clients repeat their requests until the outcome is known, which gives the system the time that D12.3 allows.
  await workload.stop()
  recorder.record({ type: "healed" })
  await note?.("healed")
  await workload.probe()
  await collect({
    ...site,
    random: random.split("collect"),
    databaseUrl: system.databaseUrl,
    table: longestSleep > 0 ? "faults.message" : "dockline.message"
  })
  await note?.("collected")
  await end?.(workload)
  // No call may be in progress when the history is checked.
  await workload.close()
}
