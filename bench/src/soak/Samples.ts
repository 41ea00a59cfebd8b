/**
 * What is measured while the soak goes on, as series with what must hold of them.
 */
import { Effect } from "effect"
import { attempt } from "../BenchError.ts"
import { databaseConnections } from "../mix/Drive.ts"
import { descriptorsOf, residentOf } from "../mix/Proc.ts"
import { tallyIn, waiting } from "../mix/System.ts"
import type { Instance, System } from "../mix/System.ts"
import type { Tally } from "../mix/Task.ts"
import type { Bound, Point, Series } from "./Trend.ts"

const growth = (most: number, least: number): Bound => ({ kind: "growth", most, least })
const thirds = (most: number, least: number): Bound => ({ kind: "thirds", most, least })

/** What must hold of each series, and its unit. Floors are what comes and goes without being a leak. */
export const bounds = {
  heap: { unit: "MiB", bound: growth(0.05, 2) },
  resident: { unit: "MiB", bound: growth(0.1, 24) },
  descriptors: { unit: "", bound: growth(0.05, 8) },
  sockets: { unit: "", bound: growth(0.05, 8) },
  "loop p99": { unit: "ms", bound: thirds(1.5, 10) },
  "good answers": { unit: "/s", bound: { kind: "none" } },
  p50: { unit: "ms", bound: thirds(1.25, 3) },
  p99: { unit: "ms", bound: thirds(1.25, 15) },
  "database connections": { unit: "", bound: growth(0.05, 3) },
  "waiting locks": { unit: "", bound: thirds(2, 5) },
  "webhooks behind": { unit: "messages", bound: growth(0.5, 100) },
  "flaky webhooks behind": { unit: "messages", bound: growth(0.5, 300) },
  "database size": { unit: "MiB", bound: { kind: "none" } }
} as const satisfies Readonly<Record<string, { readonly unit: string; readonly bound: Bound }>>

type Name = keyof typeof bounds

const mebibyte = 2 ** 20

/** The series as they grow. */
export class Samples {
  readonly #points = new Map<string, { readonly name: Name; readonly points: Array<Point> }>()

  /** One more point; `of` says of which instance. */
  add(name: Name, at: number, value: number, of?: number): void {
    const title = of === undefined ? name : `${name}, instance ${of}`
    const found = this.#points.get(title)
    if (found === undefined) this.#points.set(title, { name, points: [{ at, value }] })
    else found.points.push({ at, value })
  }

  get series(): ReadonlyArray<Series> {
    return Array.from(this.#points, ([title, { name, points }]) => ({ name: title, points, ...bounds[name] }))
  }
}

const database = ({ database }: System) =>
  attempt("database", async () => {
    const [row] = await database.sql`
      select pg_database_size(current_database())::float8 as size,
        (select count(*)::int from pg_locks where not granted) as locks`
    return { size: Number(row!["size"]), locks: Number(row!["locks"]) }
  })

const ofInstance = Effect.fnUntraced(
  function*(samples: Samples, { pid, probe }: Instance, at: number, of: number) {
    const { loop } = yield* probe.ask({ collect: false })
    const { all, sockets } = descriptorsOf(pid)
    samples.add("resident", at, residentOf(pid) / mebibyte, of)
    samples.add("descriptors", at, all, of)
    samples.add("sockets", at, sockets, of)
    samples.add("loop p99", at, loop.p99, of)
  }
)

/** What can be looked at without a word to the load: every few seconds. */
export const often = Effect.fnUntraced(function*(system: System, samples: Samples, at: number) {
  for (const [index, instance] of system.instances.entries()) {
    yield* ofInstance(samples, instance, at, index + 1)
  }
  const { locks, size } = yield* database(system)
  samples.add("database connections", at, yield* databaseConnections(system))
  samples.add("waiting locks", at, locks)
  samples.add("webhooks behind", at, yield* waiting(system, "good"))
  samples.add("flaky webhooks behind", at, yield* waiting(system, "flaky"))
  samples.add("database size", at, size / mebibyte)
})

/** What stands still for it, or needs many requests: once a minute. Memory in use is what a collection leaves. */
export const seldom = Effect.fnUntraced(function*(system: System, samples: Samples, at: number) {
  // Before the collections, which everybody waits for.
  const tally: Tally = yield* Effect.flatMap(system.load.ask({ tally: true }), tallyIn)
  samples.add("good answers", at, tally.good / tally.seconds)
  samples.add("p50", at, tally.p50)
  samples.add("p99", at, tally.p99)
  for (const [index, { probe }] of system.instances.entries()) {
    const { external, heapUsed } = yield* probe.ask({ collect: true })
    samples.add("heap", at, (heapUsed + external) / mebibyte, index + 1)
  }
  return tally
})
