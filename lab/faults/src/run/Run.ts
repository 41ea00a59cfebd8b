/**
 * One run: a system is started, clients work while things go wrong as the seed says, everything is healed, what is there
 * at the end is collected, and the whole history is judged.
 *
 * Guarantee: nothing of it is left when it ends, in whatever way.
 */
import { availableParallelism, loadavg } from "node:os"
import { setTimeout as wait } from "node:timers/promises"
import * as Checker from "../checker/Checker.ts"
import { failOver } from "../faults/Failover.ts"
import { begins, Faults } from "../faults/Faults.ts"
import type { World } from "../faults/Faults.ts"
import { promote } from "../faults/Promotion.ts"
import * as Retention from "../faults/Retention.ts"
import { schedule } from "../faults/Schedule.ts"
import type { Window } from "../faults/Schedule.ts"
import type { History } from "../history/History.ts"
import * as Record from "../history/Record.ts"
import type { Recorder } from "../history/Record.ts"
import { Opened } from "../Opened.ts"
import { Random } from "../Random.ts"
import { System } from "../system/System.ts"
import * as Customer from "../workload/Customer.ts"
import * as Workload from "../workload/Workload.ts"
import * as Collect from "./Collect.ts"
import type { Mode } from "./Mode.ts"
import type { RunOptions, RunResult, Violation } from "./RunOptions.ts"

/** How long a system may take to be ready, when it is started and when it has been healed, in milliseconds. */
const readyMillis = 30_000

/**
 * How long a system that says that it is ready has before everything is to succeed, in milliseconds: connections that
 * are being made anew may fail once more. D12.3 allows ten times as much.
 */
const recoveryMillis = 1000

/** How long a run may take beyond its faults, in milliseconds; beyond it something hangs. */
const patienceMillis = 240_000

/** In one seed of so many, 5 the first of them, a customer refuses messages until they are dead: days of time are moved on. */
const hopelessEvery = 8
const firstHopeless = 5

/** A run under way. */
interface Scene {
  readonly options: RunOptions
  readonly recorder: Recorder
  readonly customer: Customer.Customer
  readonly system: System
  readonly faults: Faults<World>
  /** Something happened that is not of the schedule, so many times. */
  readonly count: (kind: string, times: number) => void
  /** A promise was not kept that no event of the history is about. */
  readonly onBroken: (invariant: string, text: string) => void
  /** Ends waiting when the run is to be given up. */
  readonly signal: AbortSignal
}

/** Runs a seed; gives up, and cleans up, when the signal says so. */
export const run = async (options: RunOptions, signal: AbortSignal): Promise<RunResult> => {
  const begun = performance.now()
  const opened = new Opened()
  const broken: Array<Violation> = []
  const onBroken = (invariant: string, text: string) => {
    broken.push({ invariant, text: `${text} (${loadOf()})`, events: [] })
  }
  try {
    const recorder = opened.add(Record.make(options.history), (recorder) => recorder.close())
    const customer = opened.add(
      await Customer.open(recorder, options.seed % hopelessEvery === firstHopeless),
      (customer) => customer.close()
    )
    const onEnd = (side: string, how: string) =>
      onBroken("stays up", `instance ${side} ended by itself: ${how}`)
    const settings = options.mode === "retention" ? Retention.settings : {}
    const system = opened.add(
      await System.open({
        ...options,
        hasStandby: options.mode === "failover",
        settings,
        onEnd
      }),
      (system) => system.close()
    )
    const onUnstoppable = (text: string) => onBroken("stops in time", text)
    const faults = new Faults({ system, customer, recorder, onBroken: onUnstoppable }, begins)
    opened.add(faults, (faults) => faults.healAll())
    const limit = AbortSignal.timeout(options.seconds * 1000 + patienceMillis)
    const counted: Record<string, number> = {}
    const scene = {
      options,
      count: (kind: string, times: number) => void (counted[kind] = times),
      recorder,
      customer,
      system,
      faults,
      onBroken,
      signal: AbortSignal.any([signal, limit])
    }
    await within(scene.signal, play(scene, opened))
    const { counts, violations } = judge(recorder.history)
    return {
      seed: options.seed,
      violations: [...broken, ...violations],
      counts,
      faults: { ...Object.fromEntries(faults.counts), ...counted },
      leftOut: Object.fromEntries(faults.leftOut),
      seconds: (performance.now() - begun) / 1000
    }
  } finally {
    await opened.close()
  }
}

/** What else the machine had to do: on one with too much of it, nothing is in time. */
const loadOf = (): string => `load ${loadavg()[0]!.toFixed(1)} on ${availableParallelism()} processors`

/** Judges a history, and shows the events of what was violated. */
export const judge = (history: History): Pick<RunResult, "violations" | "counts"> => {
  const { counts, violations } = Checker.check(history)
  const shown = violations.map(({ events, ...violation }) => ({
    ...violation,
    events: events.flatMap((seq) => history[seq] ?? [])
  }))
  return { violations: shown, counts }
}

/** Waits for a promise, or until it is to be given up. */
const within = <A>(signal: AbortSignal, promise: Promise<A>): Promise<A> =>
  new Promise((resolve, reject) => {
    const giveUp = () => reject(new Error("the run was given up", { cause: signal.reason }))
    if (signal.aborted) giveUp()
    signal.addEventListener("abort", giveUp, { once: true })
    promise.then(resolve, reject).finally(() => signal.removeEventListener("abort", giveUp))
  })

const play = async (scene: Scene, opened: Opened): Promise<void> => {
  const { customer, faults, options, recorder, system } = scene
  if (!await system.isReady(readyMillis)) throw new Error("the system was not ready before any fault")
  const expires = options.mode === "retention"
  if (expires) await Retention.keepAside(scene)
  const site = { urls: system.urls, baseUrl: system.balancer.url, recorder }
  const random = Random.of(options.seed).split("workload")
  const workload = opened.add(
    await Workload.start({
      ...site,
      customer,
      random,
      ...(expires ? { longestSleep: Retention.longestSleep } : {})
    }),
    (workload) => workload.close()
  )
  await acts[options.mode](scene, workload)
  await faults.healAll()
  await getWell(scene)
  // What clients have begun is tried until it is known, which gives the system the time that it may take (D12.3).
  await workload.stop()
  recorder.record({ type: "healed" })
  if (expires) await Retention.recordDropped(scene, true)
  await workload.probe()
  await Collect.collect({
    ...site,
    random: random.split("collect"),
    databaseUrl: system.databaseUrl,
    table: expires ? "faults.message" : "dockline.message",
    advance: (millis) => system.advance(millis)
  })
  if (expires) await Retention.recordDropped(scene, false)
  // So that no call is under way any more when it is judged.
  await workload.close()
}

/** Waits until a system that is healed is ready. */
const getWell = async ({ onBroken, system }: Scene): Promise<void> => {
  if (await system.isReady(readyMillis)) return
  onBroken("gets well", `not ready ${readyMillis} ms after everything was healed`)
}

/** The share of a run that is spent without anything going wrong at its beginning, where no schedule says so. */
const quietShare = 0.2

/** What happens in each mode. */
const acts: Readonly<Record<Mode, (scene: Scene, workload: Workload.Workload) => Promise<void>>> = {
  faults: (scene) => disturb(scene),
  failover: async (scene) => {
    const millis = scene.options.seconds * 1000
    await watch(scene, { begin: 0, end: millis * quietShare })
    const lost = await failOver({
      ...scene,
      random: Random.of(scene.options.seed).split("failover"),
      millis: millis * (1 - quietShare) / 3
    })
    scene.count("failover", lost)
  },
  promotion: async (scene, workload) => {
    const millis = scene.options.seconds * 1000
    await watch(scene, { begin: 0, end: millis * quietShare })
    await promote({
      ...scene,
      workload,
      millis: millis * (1 - quietShare) / 2,
      getWell: () => getWell(scene)
    })
    scene.count("promotion", 1)
  },
  retention: async (scene) => {
    const { onBroken, options } = scene
    const millis = options.seconds * 1000
    await watch(scene, { begin: 0, end: millis * quietShare })
    const sweeps = await Retention.sweep({
      ...scene,
      random: Random.of(options.seed).split("retention"),
      millis: millis * (1 - quietShare),
      onBroken: (text) => onBroken("stops in time", text)
    })
    scene.count("retention", sweeps)
  }
}

/** Lets things happen as the seed says. */
const disturb = async (scene: Scene): Promise<void> => {
  const { faults, options, signal } = scene
  const { faults: planned, length, windows } = schedule(options.seed, options.seconds)
  const start = performance.now()
  const until = (time: number) => wait(Math.max(0, start + time - performance.now()), undefined, { signal })
  await Promise.all([
    until(length),
    ...windows.map(async (window) => {
      await until(window.begin)
      await watch(scene, window)
    }),
    ...planned.map(async (fault) => {
      await until(fault.begin)
      faults.begin(fault)
      await until(fault.end)
      await faults.end(fault)
    })
  ])
}

/** A window without faults, which begins as soon as the system has got over those before, if it still does. */
const watch = async ({ faults, recorder, system }: Scene, { begin, end }: Window): Promise<void> => {
  const over = performance.now() + end - begin
  // Nothing has gone wrong before the first one.
  if (begin > 0) {
    // A fault may take longer to end than was planned.
    await Promise.race([faults.quiet(), wait(end - begin)])
    if (!await system.isReady(over - performance.now() - recoveryMillis)) return
    await wait(recoveryMillis)
  }
  const left = over - performance.now()
  if (left <= 0) return
  recorder.record({ type: "window", phase: "begin" })
  await wait(left)
  recorder.record({ type: "window", phase: "end" })
}
