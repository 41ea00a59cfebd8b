/**
 * Makes things go wrong, and right again.
 *
 * Guarantee: what has begun is healed once, however often and by whomever it is ended; what one resource suffers comes
 * one after another, even where the end of a fault takes longer than was planned.
 */
import { setTimeout as wait } from "node:timers/promises"
import type { Recorder } from "../history/Record.ts"
import type { Instances } from "../system/Instances.ts"
import type { Condition } from "../system/Proxy.ts"
import { misbehaviours } from "../workload/Customer.ts"
import type { Customer } from "../workload/Customer.ts"
import type { Site } from "../workload/WorkloadClient.ts"
import * as Burden from "./Burden.ts"
import type { BurdenKind } from "./Burden.ts"
import * as Flood from "./Flood.ts"
import * as RowHeld from "./RowHeld.ts"
import { resourcesOf, sides } from "./Schedule.ts"
import type { Fault, FaultKind, Side } from "./Schedule.ts"

/** What faults are made in. */
export interface World {
  readonly system: Instances
  readonly customer: Customer
  readonly recorder: Recorder
  /** Told of a promise about the process itself that was not kept. */
  readonly onBroken: (text: string) => void
}

/** A fault that has begun. */
interface Begun {
  /** What makes it right again. */
  readonly heal: () => Promise<void> | void
  /** What was particular about it, as far as that is known when it has been healed. */
  readonly details?: () => string | undefined
}

/** Begins a fault. `undefined`: this machine does not allow it. */
type Begin = (world: World, fault: Fault) => Promise<Begun | undefined> | Begun | undefined

/** How often what happens again and again does, in milliseconds. */
const againMillis = 150

/** Does something again and again until it is healed. */
const repeat = (action: () => Promise<unknown> | void): Begun => {
  let running: Promise<unknown> | void = action()
  const timer = setInterval(() => {
    running = action()
  }, againMillis)
  return {
    heal: async () => {
      clearInterval(timer)
      await running
    }
  }
}

const way = (conditionOf: (draw: number) => Condition): Begin => ({ system }, { draw, sides }) => {
  const condition = conditionOf(draw)
  for (const side of sides) system.proxies[side].set(condition)
  const before = lostBy(system, sides)
  return {
    heal: () => sides.forEach((side) => system.proxies[side].set({ kind: "open" })),
    details: () => {
      const lost = lostBy(system, sides) - before
      return condition.kind === "slow" ? `${condition.millis} ms` : lost > 0 ? `${lost} answers` : undefined
    }
  }
}

const lostBy = ({ proxies }: Instances, sides: ReadonlyArray<Side>): number =>
  sides.reduce((sum, side) => sum + proxies[side].lost, 0)

const kill: Begin = async ({ system }, { sides }) => {
  await Promise.all(sides.map((side) => system.instances[side].kill()))
  return { heal: () => sides.forEach((side) => system.instances[side].start()) }
}

const restart: Begin = async ({ onBroken, system }, { sides }) => {
  for (const side of sides) {
    const fault = await system.instances[side].stop()
    if (fault !== undefined) onBroken(`instance ${side} was told to stop: ${fault}`)
    system.instances[side].start()
  }
  return { heal: () => {} }
}

const terminate = (which: string): Begin => ({ system }) =>
  repeat(() =>
    system.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
       where usename = current_user and pid <> pg_backend_pid() and ${which}`
    )
  )

const minuteMillis = 60_000

/** From a minute to five hours; tokens and idempotency keys live for a day. */
const clock = (sign: 1 | -1): Begin => ({ system }, { draw, sides }) => {
  const minutes = Math.round(300 ** draw)
  for (const side of sides) system.instances[side].setClock(sign * minutes * minuteMillis)
  return {
    heal: () => sides.forEach((side) => system.instances[side].setClock(0)),
    details: () => `${sign * minutes} min`
  }
}

const postgres = (signal: NodeJS.Signals): Begin => ({ system }) => {
  const { pid } = system.postgres
  try {
    process.kill(pid, signal)
  } catch {
    return { heal: () => {}, details: () => "it was not running" }
  }
  return { heal: () => {} }
}

/**
 * How long the system may take to be ready before somebody asks too much of it, and how long it then has until
 * connections that are being made anew are there, in milliseconds: what is late then is late because of the fault.
 */
const readyMillis = 3000
const recoveryMillis = 1000

const isWell = async (system: Instances): Promise<boolean> => {
  if (!await system.isReady(readyMillis)) return false
  await wait(recoveryMillis)
  return true
}

/** A fault that shows nothing, as the system had not got over those before it. */
const notReady: Begun = { heal: () => {}, details: () => "the system was not ready" }

/** Asks too much of a system that is well. What begins it returns what ends it and says what there was. */
const strain = (
  begin: (site: Site, world: World, fault: Fault) => Promise<(() => Promise<string>) | undefined>
): Begin =>
async (world, fault) => {
  const { recorder, system } = world
  if (!await isWell(system)) return notReady
  const end = await begin({ urls: system.urls, baseUrl: system.baseUrl, recorder }, world, fault)
  if (end === undefined) return notReady
  let details = ""
  return {
    heal: async () => {
      details = await end()
    },
    details: () => details
  }
}

/** One of the instances, by its number. */
const oneOf = ({ draw }: Fault): number => Math.floor(draw * sides.length)

const burden = (kind: BurdenKind): Begin => strain((site, _, fault) => Burden.begin(site, kind, oneOf(fault)))

/** How each kind begins. */
const begins: Readonly<Record<FaultKind, Begin>> = {
  "instance-kill": kill,
  "instances-kill": kill,
  "instance-pause": ({ system }, { sides }) => {
    for (const side of sides) system.instances[side].pause()
    return { heal: () => sides.forEach((side) => system.instances[side].resume()) }
  },
  "instance-restart": restart,
  "postgres-kill": postgres("SIGKILL"),
  "postgres-immediate": postgres("SIGQUIT"),
  "backends-all": terminate("true"),
  "backends-some": terminate("random() < 0.3"),
  "disk-full": ({ system }) => {
    if (!system.disk.isLimited) return undefined
    system.disk.fill()
    return { heal: () => system.disk.empty() }
  },
  "way-cut": ({ system }, { sides }) => repeat(() => sides.forEach((side) => system.proxies[side].cut())),
  "way-closed": way(() => ({ kind: "closed" })),
  "way-silent": way(() => ({ kind: "silent" })),
  "way-mute": way(() => ({ kind: "mute" })),
  "way-slow": way((draw) => ({ kind: "slow", millis: Math.round(10 + 190 * draw) })),
  "way-loses-commits": way(() => ({ kind: "losesCommits" })),
  "way-loses-answers": way(() => ({ kind: "losesAnswers" })),
  "clock-ahead": clock(1),
  "clock-back": clock(-1),
  customer: async ({ customer }, { draw }) => {
    const way = misbehaviours[Math.floor(draw * misbehaviours.length)]!
    await customer.misbehave(way)
    return { heal: () => customer.behave(), details: () => way }
  },
  "frames-flood": strain(async (site, _, fault) => {
    const end = await Flood.begin(site, sides.indexOf(fault.sides[0]!))
    return async () => {
      const { frames, sockets } = await end()
      return `${frames} frames on ${sockets} sockets`
    }
  }),
  "row-held": strain((site, { system }, fault) => RowHeld.begin(site, system.databaseUrl, oneOf(fault))),
  "large-reads": burden("large-reads"),
  "many-spellings": burden("many-spellings")
}

/** What happens to a system. */
export class Faults {
  readonly #world: World
  readonly #begun = new Map<number, Promise<(() => Promise<void>) | undefined>>()
  /** What each resource suffers now, or last. */
  readonly #busy = new Map<string, Promise<void>>()
  readonly #counts = new Map<FaultKind, number>()
  readonly #leftOut = new Map<FaultKind, number>()

  constructor(world: World) {
    this.#world = world
  }

  /** How many of each kind there were. */
  get counts(): ReadonlyMap<FaultKind, number> {
    return this.#counts
  }

  /** How many of each kind this machine did not allow. */
  get leftOut(): ReadonlyMap<FaultKind, number> {
    return this.#leftOut
  }

  /** Begins a fault, after what its resources suffer already. */
  begin(fault: Fault): void {
    const resources = resourcesOf(fault)
    const before = Promise.all(resources.map((resource) => this.#busy.get(resource)))
    const over = Promise.withResolvers<void>()
    for (const resource of resources) this.#busy.set(resource, over.promise)
    this.#begun.set(fault.number, before.then(() => this.#begin(fault, over.resolve)))
  }

  /** Heals a fault, unless that was done. */
  async end({ number }: Pick<Fault, "number">): Promise<void> {
    const begun = this.#begun.get(number)
    this.#begun.delete(number)
    await (await begun)?.()
  }

  /** Waits until everything that has begun by now is healed. */
  async quiet(): Promise<void> {
    await Promise.all(this.#busy.values())
  }

  /** Heals all that has not been healed. */
  async healAll(): Promise<void> {
    await Promise.all([...this.#begun.keys()].map((number) => this.end({ number })))
  }

  async #begin(fault: Fault, over: () => void): Promise<(() => Promise<void>) | undefined> {
    const { kind, sides } = fault
    const { recorder } = this.#world
    const target = sides.join(" and ")
    recorder.record({ type: "fault", phase: "begin", kind, target })
    const begun = await begins[kind](this.#world, fault)
    if (begun === undefined) {
      this.#leftOut.set(kind, (this.#leftOut.get(kind) ?? 0) + 1)
      recorder.record({ type: "fault", phase: "end", kind, target, details: "not possible here" })
      over()
      return undefined
    }
    this.#counts.set(kind, (this.#counts.get(kind) ?? 0) + 1)
    return async () => {
      await begun.heal()
      const details = begun.details?.()
      recorder.record({
        type: "fault",
        phase: "end",
        kind,
        target,
        ...(details === undefined ? {} : { details })
      })
      over()
    }
  }
}
