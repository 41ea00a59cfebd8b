/** Runs over two instances on one PostgreSQL, or on a pair of them: what goes wrong in each course. */
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
 * How long a system that says that it is ready has before everything is to succeed, in milliseconds: connections that
 * are being made anew may fail once more. D12.3 allows ten times as much.
 */
const recoveryMillis = 1000

/** In one seed of so many, 5 the first of them, a customer refuses messages until they are dead: days of time are moved on. */
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
    /** How long what is not of the schedule goes on after a time without faults. */
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

/** Lets things happen as the seed says. */
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

/** A window without faults, which begins as soon as the system has got over those before, if it still does. */
const watch = async (
  { recorder }: Scene,
  system: System,
  faults: Faults,
  { begin, end }: Window
): Promise<void> => {
  const over = performance.now() + end - begin
  // Nothing has gone wrong before the first one.
  if (begin > 0) {
    // A fault may take longer to end than was planned.
    await Promise.race([faults.quiet(), wait(end - begin)])
    if (!await system.isReady(over - performance.now() - recoveryMillis)) return
    await wait(recoveryMillis)
  }
  const left = over - performance.now()
  if (left > 0) await openWindow(recorder, left)
}
