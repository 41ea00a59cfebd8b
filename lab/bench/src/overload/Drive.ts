/**
 * Drives a load against the system, and watches the server meanwhile.
 */
import { Effect, Ref } from "effect"
import { cpuSecondsOf, residentOf } from "../Cpu.ts"
import { tokens, waiting } from "./System.ts"
import type { System } from "./System.ts"
import type { Manners, Tally } from "./Task.ts"

/** A load and its duration. */
export interface Stretch {
  readonly rate: number
  readonly manners: Manners
  readonly warmupSeconds: number
  readonly seconds: number
}

/** How the load is sent. */
export interface LoadOptions {
  /** The most connections. */
  readonly connections: number
  /** The time limit of a client for an answer, in seconds. */
  readonly timeout: number
}

/** CPU time, as a number of busy cores. */
export interface Cores {
  readonly server: number
  readonly postgres: number
  readonly load: number
}

/** The observations of a load. */
export interface Observed {
  /** The counts of the measurement; timeouts and errors include those of warm-up and end. */
  readonly tally: Tally
  /** The highest number of bytes, including warm-up. */
  readonly residentPeak: number
  readonly cores: Cores
  /** Messages that the good endpoint had not reached at the end. */
  readonly waiting: number
}

/** The number of clients that share the load. */
export const clients = 256

/** How often memory is measured, in milliseconds. */
const watchMillis = 250

/** How long webhooks may take to reach the end of the log after a load, in seconds. */
const catchUpSeconds = 60

const cpuOf = ({ cluster, load, server }: System): Cores => ({
  server: cpuSecondsOf(server.pid),
  postgres: cpuSecondsOf(cluster.pid),
  load: cpuSecondsOf(load.pid)
})

const coresBetween = (before: Cores, after: Cores, seconds: number): Cores => ({
  server: (after.server - before.server) / seconds,
  postgres: (after.postgres - before.postgres) / seconds,
  load: (after.load - before.load) / seconds
})

/** Measures the server's memory until it is interrupted. */
const watch = ({ server }: System, most: Ref.Ref<number>) =>
  Ref.update(most, (before) => Math.max(before, residentOf(server.pid))).pipe(
    Effect.andThen(Effect.sleep(watchMillis)),
    Effect.forever
  )

const tallyOf = ({ load }: System) => load.asking<Tally>({ tally: true })

/** Sends a load for a while, then waits until the system is at rest. */
export const observe = Effect.fnUntraced(
  function*(system: System, { connections, timeout }: LoadOptions, stretch: Stretch) {
    const { manners, rate, seconds, warmupSeconds } = stretch
    const most = yield* Ref.make(0)
    const { port } = system.server
    const timeoutMillis = timeout * 1000
    yield* system.load.asking({
      begin: { connections, timeoutMillis, port, tokens: yield* tokens(system), rate, manners, clients }
    })
    const measured = yield* Effect.raceFirst(
      Effect.gen(function*() {
        yield* Effect.sleep(`${warmupSeconds} seconds`)
        const warmup = yield* tallyOf(system)
        const before = cpuOf(system)
        yield* Effect.sleep(`${seconds} seconds`)
        const tally = yield* tallyOf(system)
        return { warmup, tally, cores: coresBetween(before, cpuOf(system), tally.seconds) }
      }),
      watch(system, most)
    )
    const behind = yield* waiting(system)
    const end = yield* system.load.asking<Tally>({ stop: true })
    yield* rest(system)
    return {
      cores: measured.cores,
      tally: withFailuresOf(measured.tally, [measured.warmup, end]),
      residentPeak: yield* Ref.get(most),
      waiting: behind
    } satisfies Observed
  }
)

/** A failure before or after a measurement counts too. */
const withFailuresOf = (tally: Tally, others: ReadonlyArray<Tally>): Tally => {
  const all = [tally, ...others]
  return {
    ...tally,
    timeouts: all.reduce((sum, { timeouts }) => sum + timeouts, 0),
    errors: all.reduce((sum, { errors }) => sum + errors, 0),
    firstError: all.find(({ firstError }) => firstError !== null)?.firstError ?? null
  }
}

/** Waits until webhooks have reached the end of the log, and cleans up the tables. */
const rest = Effect.fnUntraced(function*(system: System) {
  for (let waited = 0; waited < catchUpSeconds && (yield* waiting(system)) > 0; waited++) {
    yield* Effect.sleep("1 second")
  }
  yield* system.cluster.settle(system.server.database)
})
