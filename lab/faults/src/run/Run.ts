/**
 * One run: a system is started, clients work while things go wrong as the seed says, everything is healed, what is there
 * at the end is collected, and the whole history is judged.
 *
 * Guarantee: nothing of it is left when it ends, in whatever way.
 */
import { availableParallelism, loadavg } from "node:os"
import { setTimeout as wait } from "node:timers/promises"
import * as Checker from "../checker/Checker.ts"
import * as Embedded from "../embedded/Embedded.ts"
import { Watch } from "../embedded/Watch.ts"
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
import { areReady, isReady } from "../system/Readiness.ts"
import { System } from "../system/System.ts"
import * as Customer from "../workload/Customer.ts"
import * as Workload from "../workload/Workload.ts"
import * as Collect from "./Collect.ts"
import type { PairCourse } from "./Course.ts"
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

/** The service of a run, as clients know it, and what is there at the end. */
interface Service {
  readonly urls: ReadonlyArray<string>
  readonly baseUrl: string
  readonly databaseUrl: string
  /** Whether it is ready within so many milliseconds. */
  readonly isReady: (millis: number) => Promise<boolean>
  /** Moves its clocks forward. */
  readonly advance: (millis: number) => void
}

/** A run under way. */
interface Scene {
  readonly options: RunOptions
  readonly recorder: Recorder
  /** Something happened that is not of the schedule, so many times. */
  readonly count: (kind: string, times: number) => void
  /** A promise was not kept that no event of the history is about. */
  readonly onBroken: (invariant: string, text: string) => void
  /** Ends waiting when the run is to be given up. */
  readonly signal: AbortSignal
}

/** What a run is made of. */
interface Play {
  readonly service: Service
  readonly customers: Customer.Customer
  /** Whether messages expire. */
  readonly expires: boolean
  /** Before clients begin, when they have been given everything back, and when everything is collected. */
  readonly note?: (when: "begin" | "healed" | "collected") => Promise<void>
  /** Lets things go wrong, and heals them. */
  readonly act: (workload: Workload.Workload) => Promise<void>
  /** At last. */
  readonly end?: (workload: Workload.Workload) => Promise<void>
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
    const limit = AbortSignal.timeout(options.seconds * 1000 + patienceMillis)
    const counted: Record<string, number> = {}
    const leftOut: Record<string, number> = {}
    const scene: Scene = {
      options,
      count: (kind, times) => void (counted[kind] = times),
      recorder,
      onBroken,
      signal: AbortSignal.any([signal, limit])
    }
    const { course } = options
    const made = course === "embedded"
      ? openEmbedded(scene, opened)
      : openInstances(scene, course, opened, leftOut)
    await within(scene.signal, made.then((made) => play(scene, made, opened)))
    const { counts, violations } = judge(recorder.history)
    return {
      seed: options.seed,
      violations: [...broken, ...violations],
      counts,
      faults: counted,
      leftOut,
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

/** One server on its embedded database. */
const openEmbedded = async (scene: Scene, opened: Opened): Promise<Play> => {
  const { recorder } = scene
  // Nobody moves its clock, so no customer fails for long.
  const customers = opened.add(
    await Customer.open(recorder, "steady"),
    (customers) => customers.close()
  )
  const site = await Embedded.open(scene, opened)
  const watch = new Watch(recorder)
  const service: Service = {
    urls: [site.baseUrl],
    baseUrl: site.baseUrl,
    get databaseUrl() {
      return Embedded.databaseUrlOf(site)
    },
    isReady: (millis) => areReady([() => isReady(site.baseUrl)], millis),
    advance: () => {}
  }
  return {
    service,
    customers,
    expires: false,
    act: async () => {
      await quietly(scene)
      await Embedded.play(scene, site, watch)
    },
    end: (workload) => Embedded.end(scene, site, workload)
  }
}

/** Two instances on one PostgreSQL. */
const openInstances = async (
  scene: Scene,
  course: PairCourse,
  opened: Opened,
  leftOut: Record<string, number>
): Promise<Play> => {
  const { onBroken, options, recorder } = scene
  const { seed } = options
  const customers = opened.add(
    await Customer.open(recorder, seed % hopelessEvery === firstHopeless ? "hopeless" : "usual"),
    (customers) => customers.close()
  )
  const expires = course === "retention"
  const system = opened.add(
    await System.open({
      ...options,
      hasStandby: course === "failover",
      settings: expires ? Retention.settings : {},
      onEnd: (side, how) => onBroken("stays up", `instance ${side} ended by itself: ${how}`)
    }),
    (system) => system.close()
  )
  const onUnstoppable = (text: string) => onBroken("stops in time", text)
  const service: Service = {
    urls: system.urls,
    baseUrl: system.balancer.url,
    get databaseUrl() {
      return system.databaseUrl
    },
    isReady: (millis) => system.isReady(millis),
    advance: (millis) => system.advance(millis)
  }
  const stage = { ...scene, system, random: Random.of(seed).split(course) }
  /** How long what is not of the schedule goes on after a time without faults. */
  const millis = options.seconds * 1000 * (1 - quietShare)
  const acts: Readonly<Record<PairCourse, Play["act"]>> = {
    faults: async () => {
      const world = { system, customer: customers, recorder, onBroken: onUnstoppable }
      const faults = opened.add(new Faults(world, begins), (faults) => faults.healAll())
      await disturb(scene, service, faults)
      await faults.healAll()
      for (const [kind, times] of faults.counts) scene.count(kind, times)
      Object.assign(leftOut, Object.fromEntries(faults.leftOut))
    },
    failover: async () => {
      await quietly(scene)
      scene.count("failover", await failOver({ ...stage, millis: millis / 3 }))
    },
    promotion: async (workload) => {
      await quietly(scene)
      await promote({ ...stage, workload, millis: millis / 2, getWell: () => getWell(scene, service) })
      scene.count("promotion", 1)
    },
    retention: async () => {
      await quietly(scene)
      scene.count("retention", await Retention.sweep({ ...stage, millis, onBroken: onUnstoppable }))
    }
  }
  return {
    service,
    customers,
    expires,
    ...(expires
      ? {
        note: (when) =>
          when === "begin" ? Retention.keepAside(stage) : Retention.recordDropped(stage, when === "healed")
      }
      : {}),
    act: acts[course]
  }
}

const play = async (
  scene: Scene,
  { act, customers, end, expires, note, service }: Play,
  opened: Opened
): Promise<void> => {
  const { options, recorder } = scene
  if (!await service.isReady(readyMillis)) throw new Error("the system was not ready before any fault")
  await note?.("begin")
  const site = { urls: service.urls, baseUrl: service.baseUrl, recorder }
  const random = Random.of(options.seed).split("workload")
  const workload = opened.add(
    await Workload.start({
      ...site,
      customer: customers,
      random,
      ...(expires ? { longestSleep: Retention.longestSleep } : {})
    }),
    (workload) => workload.close()
  )
  await act(workload)
  await getWell(scene, service)
  // What clients have begun is tried until it is known, which gives the system the time that it may take (D12.3).
  await workload.stop()
  recorder.record({ type: "healed" })
  await note?.("healed")
  await workload.probe()
  await Collect.collect({
    ...site,
    random: random.split("collect"),
    databaseUrl: service.databaseUrl,
    table: expires ? "faults.message" : "dockline.message",
    advance: service.advance
  })
  await note?.("collected")
  await end?.(workload)
  // So that no call is under way any more when it is judged.
  await workload.close()
}

/** Waits until a system that is healed is ready. */
const getWell = async ({ onBroken }: Scene, service: Service): Promise<void> => {
  if (await service.isReady(readyMillis)) return
  onBroken("gets well", `not ready ${readyMillis} ms after everything was healed`)
}

/** The share of a run that is spent without anything going wrong at its beginning, where no schedule says so. */
const quietShare = 0.2

const quietly = ({ options, recorder }: Scene): Promise<void> =>
  openWindow(recorder, options.seconds * 1000 * quietShare)

/** A time without faults. */
const openWindow = async (recorder: Recorder, millis: number): Promise<void> => {
  recorder.record({ type: "window", phase: "begin" })
  await wait(millis)
  recorder.record({ type: "window", phase: "end" })
}

/** Lets things happen as the seed says. */
const disturb = async (scene: Scene, service: Service, faults: Faults<World>): Promise<void> => {
  const { options, signal } = scene
  const { faults: planned, length, windows } = schedule(options.seed, options.seconds)
  const start = performance.now()
  const until = (time: number) => wait(Math.max(0, start + time - performance.now()), undefined, { signal })
  await Promise.all([
    until(length),
    ...windows.map(async (window) => {
      await until(window.begin)
      await watch(scene, service, faults, window)
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
const watch = async (
  { recorder }: Scene,
  service: Service,
  faults: Faults<World>,
  { begin, end }: Window
): Promise<void> => {
  const over = performance.now() + end - begin
  // Nothing has gone wrong before the first one.
  if (begin > 0) {
    // A fault may take longer to end than was planned.
    await Promise.race([faults.quiet(), wait(end - begin)])
    if (!await service.isReady(over - performance.now() - recoveryMillis)) return
    await wait(recoveryMillis)
  }
  const left = over - performance.now()
  if (left > 0) await openWindow(recorder, left)
}
