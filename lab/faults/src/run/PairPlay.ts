/** Runs with two instances on one PostgreSQL, or on a primary and a standby: the faults of each course. */
import { setTimeout as wait } from "node:timers/promises"
import { Random } from "../../../Random.ts"
import { failOver } from "../faults/Failover.ts"
import { Faults } from "../faults/Faults.ts"
import { promote } from "../faults/Promotion.ts"
import * as Retention from "../faults/Retention.ts"
import { schedule } from "../faults/Schedule.ts"
import type { Window } from "../faults/Schedule.ts"
import { openInstances } from "../system/Instances.ts"
import { Customers } from "../workload/Customer.ts"
import { getWell, openWindow, quietly, quietShare } from "./Play.ts"
import type { Play, Scene, System } from "./Play.ts"
import type { PairCourse } from "./RunOptions.ts"

/**
 * The time between readiness of the system and the moment from which every call must succeed, in milliseconds: connections that are being
 * opened may fail once more. D12.3 allows ten times as much.
 */
const recoveryMillis = 1000

/** In one of this number of seeds, beginning with 5, a customer refuses messages until they are dead: time is moved forward by days. */
const hopelessEvery = 8
const firstHopeless = 5

export const open = async (scene: Scene, course: PairCourse): Promise<Play> => {
  const { count, leaveOut, onBroken, opened, options: { seconds, seed }, recorder } = scene
  const which = seed % hopelessEvery === firstHopeless ? "hopeless" : "usual"
  const customers = opened.use(await Customers.open(recorder, which))
  const expires = course === "retention"
  const system = await openInstances(scene, course === "failover", {
    ...customers.settings,
    ...(expires ? Retention.settings : {})
  })
  const stage = {
    system,
    recorder,
    random: Random.of(seed).split(course),
    /** How long faults outside the schedule last, after the time without faults. */
    millis: seconds * 1000 * (1 - quietShare),
    onBroken: (text: string) => onBroken("stops in time", text)
  }
  if (course === "faults") {
    const act = async () => {
      const faults = opened.adopt(new Faults({ ...stage, customers }), (faults) => faults.healAll())
      await disturb(scene, system, faults)
      await faults.healAll()
      for (const [kind, times] of faults.counts) count(kind, times)
      for (const [kind, times] of faults.leftOut) leaveOut(kind, times)
    }
    return { system, customers, act }
  }
  const acts: Readonly<
    Record<Exclude<PairCourse, "faults">, (...of: Parameters<Play["act"]>) => Promise<number>>
  > = {
    failover: () => failOver(stage),
    promotion: (workload) => promote({ ...stage, workload, getWell: () => getWell(scene, system) }),
    retention: () => Retention.sweep(stage)
  }
  return {
    system,
    customers,
    ...(expires
      ? {
        longestSleep: Retention.longestSleep,
        note: (when) =>
          when === "begin" ? Retention.keepAside(stage) : Retention.recordDropped(stage, when === "healed")
      }
      : {}),
    act: async (workload) => {
      await quietly(scene)
      count(course, await acts[course](workload))
    }
  }
}

/** Carries out the schedule of the seed. */
const disturb = async (scene: Scene, system: System, faults: Faults): Promise<void> => {
  const { options, signal } = scene
  const { faults: planned, length, windows } = schedule(options.seed, options.seconds)
  const start = performance.now()
  const until = (time: number) => wait(Math.max(0, start + time - performance.now()), undefined, { signal })
  await Promise.all([
    until(length),
    ...windows.map(async (window) => {
      await until(window.begin)
      await watch(scene, system, faults, window)
    }),
    ...planned.map(async (fault) => {
      await until(fault.begin)
      faults.begin(fault)
      await until(fault.end)
      await faults.end(fault)
    })
  ])
}

/** A window without faults, which begins as soon as the system has recovered from the previous ones, if it recovers. */
const watch = async (
  { recorder }: Scene,
  system: System,
  faults: Faults,
  { begin, end }: Window
): Promise<void> => {
  const over = performance.now() + end - begin
  // No fault has happened before the first window.
  if (begin > 0) {
    // A fault may take longer to end than planned.
    await Promise.race([faults.quiet(), wait(end - begin)])
    if (!await system.isReady(over - performance.now() - recoveryMillis)) return
    await wait(recoveryMillis)
  }
  const left = over - performance.now()
  if (left > 0) await openWindow(recorder, left)
}
