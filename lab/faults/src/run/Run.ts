/**
 * One run: a system is started, clients work while things go wrong as the seed says, everything is healed, what is there
 * at the end is collected, and the whole history is judged.
 *
 * Guarantee: nothing of it is left when it ends, in whatever way.
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

/** How long a run may take beyond its faults, in milliseconds; beyond it something hangs. */
const patienceMillis = 360_000

/** Runs a seed; gives up, and cleans up, when the signal says so. */
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
    // The load is said, too: on a machine with too much to do, nothing is in time.
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

/** Waits for a promise, or until it is to be given up. */
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
  // What clients have begun is tried until it is known, which gives the system the time that it may take (D12.3).
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
  // So that no call is under way any more when it is judged.
  await workload.close()
}
