/**
 * Drives a load against the system, and watches the server meanwhile.
 */
import { Effect, Ref } from "effect"
import { attempt } from "../BenchError.ts"
import { cpuSecondsOf, machineSeconds, residentOf } from "../Cpu.ts"
import type { MachineSeconds } from "../Cpu.ts"
import type { Vitals } from "./Probe.ts"
import { tokens, waiting } from "./System.ts"
import type { System } from "./System.ts"
import type { Manners, Tally } from "./Task.ts"

/** What is sent, and for how long. */
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
  readonly timeoutMillis: number
}

/** Processor time, as cores that were busy. */
export interface Cores {
  readonly servers: number
  readonly postgres: number
  readonly load: number
  readonly customers: number
}

/** What else became of the cores: other processes, nothing to do, waits for the disk, time that the host of the machine took. */
export interface RestOfCores {
  readonly others: number
  readonly idle: number
  readonly disk: number
  readonly stolen: number
}

/** Sessions of PostgreSQL that waited, on average: for the disk, and for locks of each other. */
export interface Blocked {
  readonly disk: number
  readonly locks: number
}

/** What was seen of a stretch. */
export interface Observed {
  readonly stretch: Stretch
  /** Of the measurement; timeouts and errors are those of warm-up and end as well. */
  readonly tally: Tally
  /** Bytes: the most there were, warm-up included. */
  readonly residentPeak: number
  /** Milliseconds that the event loop was late. */
  readonly loop: Vitals
  /** The most connections of the servers to the database. */
  readonly databaseConnections: number
  readonly cores: Cores
  readonly rest: RestOfCores
  readonly blocked: Blocked
  /** Messages that the good endpoint had not come to at the end. */
  readonly waiting: number
}

/** Clients that the load is shared among. */
export const clients = 256

/** How often memory is looked at, in milliseconds. */
const watchMillis = 250

/** How long webhooks may take to come to the end of the log after a load, in seconds. */
const catchUpSeconds = 60

/** Connections of the server to the database now. */
const databaseConnections = ({ database }: System) =>
  attempt("connections", async () => {
    const [row] = await database.sql`
      select count(*)::int as count from pg_stat_activity
      where datname = ${database.name} and backend_type = 'client backend' and pid <> pg_backend_pid()`
    return Number(row!["count"])
  })

const cpuOf = ({ cluster, customers, load, pid }: System): Cores => ({
  servers: cpuSecondsOf(pid),
  postgres: cpuSecondsOf(cluster.pid),
  load: cpuSecondsOf(load.pid),
  customers: cpuSecondsOf(customers.pid)
})

const coresBetween = (before: Cores, after: Cores, seconds: number): Cores => ({
  servers: (after.servers - before.servers) / seconds,
  postgres: (after.postgres - before.postgres) / seconds,
  load: (after.load - before.load) / seconds,
  customers: (after.customers - before.customers) / seconds
})

const restBetween = (
  before: MachineSeconds,
  after: MachineSeconds,
  { customers, load, postgres, servers }: Cores,
  seconds: number
): RestOfCores => ({
  others: (after.busy - before.busy) / seconds - customers - load - postgres - servers,
  idle: (after.idle - before.idle) / seconds,
  disk: (after.disk - before.disk) / seconds,
  stolen: (after.stolen - before.stolen) / seconds
})

/** Begins a load, which goes on until it is stopped. */
const begin = Effect.fnUntraced(function*(
  system: System,
  options: LoadOptions,
  { manners, rate }: Pick<Stretch, "rate" | "manners">
) {
  yield* system.load.asking({
    begin: {
      connections: options.connections,
      timeoutMillis: options.timeoutMillis,
      port: system.port,
      tokens: yield* tokens(system.baseUrl),
      rate,
      manners,
      clients
    }
  })
})

/** Sessions that wait now. */
const blockedNow = ({ database }: System) =>
  attempt("waits", async () => {
    const [row] = await database.sql`
      select count(*) filter (where wait_event_type = 'IO' or wait_event = 'WALWrite')::int as disk,
        count(*) filter (where wait_event_type = 'Lock')::int as locks
      from pg_stat_activity where datname = ${database.name} and state = 'active'`
    return { disk: Number(row!["disk"]), locks: Number(row!["locks"]) }
  })

interface Watched {
  readonly resident: number
  readonly connections: number
  readonly looks: number
  readonly blocked: Blocked
}

/** Looks at memory, connections and waits until it is interrupted; `seen` holds the most of the first two, and sums. */
const watch = (system: System, seen: Ref.Ref<Watched>) =>
  Effect.gen(function*() {
    const connections = yield* databaseConnections(system)
    const { disk, locks } = yield* blockedNow(system)
    const resident = residentOf(system.pid)
    yield* Ref.update(seen, (before) => ({
      resident: Math.max(before.resident, resident),
      connections: Math.max(before.connections, connections),
      looks: before.looks + 1,
      blocked: { disk: before.blocked.disk + disk, locks: before.blocked.locks + locks }
    }))
    yield* Effect.sleep(watchMillis)
  }).pipe(Effect.forever)

/** The delay of the event loop since it was last asked for. */
const loopOf = ({ probe }: System) => probe.asking<Vitals>({ loop: true })

const tallyOf = ({ load }: System) => load.asking<Tally>({ tally: true })

/** Sends a load for a while, then waits until the system has come to rest. */
export const observe = Effect.fnUntraced(function*(system: System, options: LoadOptions, stretch: Stretch) {
  const seen = yield* Ref.make<Watched>({
    resident: 0,
    connections: 0,
    looks: 0,
    blocked: { disk: 0, locks: 0 }
  })
  yield* begin(system, options, stretch)
  const { cores, loop, others, tally, warmup } = yield* Effect.raceFirst(
    Effect.gen(function*() {
      yield* Effect.sleep(`${stretch.warmupSeconds} seconds`)
      const warmup = yield* tallyOf(system)
      yield* loopOf(system)
      const [before, machine] = [cpuOf(system), machineSeconds()]
      yield* Effect.sleep(`${stretch.seconds} seconds`)
      const tally = yield* tallyOf(system)
      const cores = coresBetween(before, cpuOf(system), tally.seconds)
      const others = restBetween(machine, machineSeconds(), cores, tally.seconds)
      return { warmup, tally, cores, others, loop: yield* loopOf(system) }
    }),
    watch(system, seen)
  )
  const behind = yield* waiting(system)
  const end = yield* system.load.asking<Tally>({ stop: true })
  const { blocked, connections, looks, resident } = yield* Ref.get(seen)
  yield* rest(system)
  return {
    cores,
    rest: others,
    blocked: { disk: blocked.disk / looks, locks: blocked.locks / looks },
    loop,
    tally: withFailuresOf(tally, [warmup, end]),
    stretch,
    residentPeak: resident,
    databaseConnections: connections,
    waiting: behind
  } satisfies Observed
})

/** What fails before or after a measurement has failed all the same. */
const withFailuresOf = (tally: Tally, others: ReadonlyArray<Tally>): Tally => {
  const all = [tally, ...others]
  return {
    ...tally,
    timeouts: all.reduce((sum, { timeouts }) => sum + timeouts, 0),
    errors: all.reduce((sum, { errors }) => sum + errors, 0),
    firstError: all.find(({ firstError }) => firstError !== null)?.firstError ?? null
  }
}

/** Waits until webhooks have come to the end of the log, and puts the tables in order. */
const rest = Effect.fnUntraced(function*(system: System) {
  for (let waited = 0; waited < catchUpSeconds && (yield* waiting(system)) > 0; waited++) {
    yield* Effect.sleep("1 second")
  }
  yield* system.cluster.settle(system.database)
})
