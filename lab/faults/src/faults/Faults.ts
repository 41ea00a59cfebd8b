/**
 * Begins and heals faults.
 *
 * Guarantee: each fault is healed once, however often and by whomever it is ended; the faults of one resource come one after another, even
 * if the end of one takes longer than planned.
 */
import { setTimeout as wait } from "node:timers/promises"
import type { Recorder } from "../history/Record.ts"
import { answers } from "../system/Instance.ts"
import type { Instance } from "../system/Instance.ts"
import type { Instances } from "../system/Instances.ts"
import type { Condition, Proxy } from "../system/Proxy.ts"
import { until } from "../Until.ts"
import type { Site } from "../workload/Client.ts"
import type { Customers } from "../workload/Customer.ts"
import { misbehaviours } from "../workload/CustomerAnswers.ts"
import * as Burden from "./Burden.ts"
import * as Flood from "./Flood.ts"
import * as LogLost from "./LogLost.ts"
import * as RowHeld from "./RowHeld.ts"
import { resourcesOf, sides } from "./Schedule.ts"
import type { Fault, FaultKind } from "./Schedule.ts"

interface World {
  readonly system: Instances
  readonly customers: Customers
  readonly recorder: Recorder
  /** Called when the process itself breaks a guarantee. */
  readonly onBroken: (text: string) => void
}

/** Heals a fault; returns its particulars, as far as they are known then. */
type Heal = () => Promise<string | void> | string | void

interface Scene extends World {
  readonly fault: Fault
  readonly instances: ReadonlyArray<Instance>
  readonly proxies: ReadonlyArray<Proxy>
}

/** Begins a fault. `undefined`: this machine does not allow it. */
type Begin = (scene: Scene) => Promise<Heal | undefined> | Heal | undefined

/** The pause between repetitions, in milliseconds. */
const againMillis = 150

/** Repeats an action until it is healed. */
const repeat = (action: () => Promise<unknown> | void): Heal => {
  let running: Promise<unknown> | void = action()
  const timer = setInterval(() => {
    running = action()
  }, againMillis)
  return async () => {
    clearInterval(timer)
    await running
  }
}

const way = (conditionOf: (draw: number) => Condition): Begin => ({ fault: { draw }, proxies }) => {
  const condition = conditionOf(draw)
  const lost = () => proxies.reduce((sum, proxy) => sum + proxy.lost, 0)
  const before = lost()
  for (const proxy of proxies) proxy.set(condition)
  return () => {
    for (const proxy of proxies) proxy.set({ kind: "open" })
    if (condition.kind === "slow") return `${condition.millis} ms`
    return lost() > before ? `${lost() - before} answers` : undefined
  }
}

const kill: Begin = async ({ instances }) => {
  await Promise.all(instances.map((instance) => instance.kill()))
  return () => instances.forEach((instance) => instance.start())
}

const terminate = (which: string): Begin => ({ system }) =>
  repeat(() =>
    system.server.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
       where usename = current_user and pid <> pg_backend_pid() and ${which}`
    )
  )

/** From a minute to five hours; tokens and idempotency keys live for a day. */
const clock = (sign: 1 | -1): Begin => ({ fault: { draw }, instances }) => {
  const minutes = sign * Math.round(300 ** draw)
  for (const instance of instances) instance.setClock(minutes * 60_000)
  return () => {
    for (const instance of instances) instance.setClock(0)
    return `${minutes} min`
  }
}

const postgres = (signal: NodeJS.Signals): Begin => ({ system }) => {
  try {
    process.kill(system.server.postgres.pid, signal)
  } catch {
    return () => "it was not running"
  }
  return () => {}
}

/**
 * How long the system may take to be ready before an overload begins, and how long it then has to open its connections again, in
 * milliseconds: after that, delays are due to the fault.
 */
const readyMillis = 3000
const recoveryMillis = 1000

const notReady = () => "the system was not ready"

/**
 * Overloads a system that is well; otherwise the overload would show nothing. The argument begins the overload at an instance, by its
 * number, and returns the function that ends it.
 */
const strain = (
  begin: (site: Site, instance: number, scene: Scene) => Promise<(() => Promise<string>) | undefined>
): Begin =>
async (scene) => {
  const { fault: { draw, sides: [side, other] }, recorder, system: { baseUrl, isReady, urls } } = scene
  if (!await isReady(readyMillis)) return notReady
  await wait(recoveryMillis)
  const instance = other === undefined ? sides.indexOf(side!) : Math.floor(draw * sides.length)
  return await begin({ urls, baseUrl, recorder }, instance, scene) ?? notReady
}

const loseLogs: Begin = async ({ instances, onBroken, recorder, system: { baseUrl, urls } }) => {
  const live = () => Promise.all(urls.map((url) => answers(`${url}/healthz`)))
  if (!await until(async () => (await live()).every(Boolean), readyMillis)) return notReady
  return LogLost.begin({ urls, baseUrl, recorder }, instances, onBroken)
}

const begins: Readonly<Record<FaultKind, Begin>> = {
  "instance-kill": kill,
  "instances-kill": kill,
  "instance-pause": ({ instances }) => {
    for (const instance of instances) instance.pause()
    return () => instances.forEach((instance) => instance.resume())
  },
  "instance-restart": async ({ fault, instances, onBroken }) => {
    for (const instance of instances) {
      const wrong = await instance.stop()
      if (wrong !== undefined) onBroken(`instance ${fault.sides.join()} was told to stop: ${wrong}`)
      instance.start()
    }
    return () => {}
  },
  "postgres-kill": postgres("SIGKILL"),
  "postgres-immediate": postgres("SIGQUIT"),
  "backends-all": terminate("true"),
  "backends-some": terminate("random() < 0.3"),
  "disk-full": ({ system: { server: { disk } } }) => {
    if (!disk.isLimited) return undefined
    disk.fill()
    return () => disk.empty()
  },
  "way-cut": ({ proxies }) => repeat(() => proxies.forEach((proxy) => proxy.cut())),
  "way-closed": way(() => ({ kind: "closed" })),
  "way-silent": way(() => ({ kind: "silent" })),
  "way-mute": way(() => ({ kind: "mute" })),
  "way-slow": way((draw) => ({ kind: "slow", millis: Math.round(10 + 190 * draw) })),
  "way-loses-commits": way(() => ({ kind: "losesCommits" })),
  "way-loses-answers": way(() => ({ kind: "losesAnswers" })),
  "clock-ahead": clock(1),
  "clock-back": clock(-1),
  customer: async ({ customers, fault: { draw } }) => {
    const way = misbehaviours[Math.floor(draw * misbehaviours.length)]!
    await customers.behaveAs(way)
    return async () => {
      await customers.behaveAs(undefined)
      return way
    }
  },
  "log-lost": loseLogs,
  "frames-flood": strain(Flood.begin),
  "row-held": strain((site, instance, { system }) => RowHeld.begin(site, system.databaseUrl, instance)),
  "large-reads": strain((site, instance) => Burden.begin(site, "large-reads", instance)),
  "many-spellings": strain((site, instance) => Burden.begin(site, "many-spellings", instance)),
  "many-clients": strain((site, instance) => Burden.begin(site, "many-clients", instance)),
  "large-files": strain((site, instance) => Burden.begin(site, "large-files", instance))
}

export class Faults {
  /** The number of faults of each kind, and of those that this machine did not allow. */
  readonly counts = new Map<FaultKind, number>()
  readonly leftOut = new Map<FaultKind, number>()
  readonly #world: World
  readonly #begun = new Map<Fault, Promise<() => Promise<void>>>()
  /** The present, or last, fault of each resource. */
  readonly #busy = new Map<string, Promise<void>>()

  constructor(world: World) {
    this.#world = world
  }

  /** Begins a fault, after the present ones of its resources. */
  begin(fault: Fault): void {
    const resources = resourcesOf(fault)
    const before = Promise.all(resources.map((resource) => this.#busy.get(resource)))
    const over = Promise.withResolvers<void>()
    for (const resource of resources) this.#busy.set(resource, over.promise)
    this.#begun.set(fault, before.then(() => this.#begin(fault, over.resolve)))
  }

  /** Heals a fault, unless it is healed already. */
  async end(fault: Fault): Promise<void> {
    const begun = this.#begun.get(fault)
    this.#begun.delete(fault)
    await (await begun)?.()
  }

  /** Waits until everything that has begun by now is healed. */
  async quiet(): Promise<void> {
    await Promise.all(this.#busy.values())
  }

  /** Heals all that has not been healed. */
  async healAll(): Promise<void> {
    await Promise.all([...this.#begun.keys()].map((fault) => this.end(fault)))
  }

  async #begin(fault: Fault, over: () => void): Promise<() => Promise<void>> {
    const { kind } = fault
    const { recorder, system } = this.#world
    const told = { type: "fault", kind, target: fault.sides.join(" and ") } as const
    recorder.record({ ...told, phase: "begin" })
    const heal = await begins[kind]({
      ...this.#world,
      fault,
      instances: fault.sides.map((side) => system.instances[side]),
      proxies: fault.sides.map((side) => system.proxies[side])
    })
    const counted = heal === undefined ? this.leftOut : this.counts
    counted.set(kind, (counted.get(kind) ?? 0) + 1)
    return async () => {
      const details = heal === undefined ? "not possible here" : await heal() ?? undefined
      recorder.record({ ...told, phase: "end", details })
      over()
    }
  }
}
