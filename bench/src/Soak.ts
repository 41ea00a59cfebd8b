/**
 * `bench soak`: half of the load that saturates two instances, for as long as one likes, with customers who come and go.
 * Nothing may grow but the database, and everybody must have had every message.
 */
import { Console, Effect } from "effect"
import { mkdirSync, writeFileSync } from "node:fs"
import { attempt, BenchError, say } from "./BenchError.ts"
import * as Cluster from "./Cluster.ts"
import * as Machine from "./Machine.ts"
import type { Behaviour, Seen } from "./mix/customer/Protocol.ts"
import * as Drive from "./mix/Drive.ts"
import { saturate } from "./mix/Saturate.ts"
import * as System from "./mix/System.ts"
import type { Tally } from "./mix/Task.ts"
import * as Processes from "./Processes.ts"
import { faultsOf, hasAll } from "./soak/Delivered.ts"
import type { Acknowledged, Log } from "./soak/Delivered.ts"
import { svgOf } from "./soak/Picture.ts"
import * as Report from "./soak/Report.ts"
import * as Rest from "./soak/Rest.ts"
import * as Samples from "./soak/Samples.ts"
import { Sums } from "./soak/Sums.ts"

/** What the command line says. */
export interface SoakOptions {
  readonly minutes: number
  readonly rate: number | undefined
  readonly warmup: number
  readonly idle: number
  readonly connections: number
  readonly timeout: number
  readonly followers: number
  readonly stay: number
  readonly tokenSeconds: number
  readonly pool: number
  readonly json: boolean
  readonly write: boolean
  readonly directory: string | undefined
}

const libraries = ["effect", "@effect/sql-pg"]

/** How often what is cheap to look at is looked at, in seconds. */
const oftenSeconds = 10

/** So many points of the rest there are at least, where there is time for them; else one a minute. */
const seldomPoints = 20

/** How long the last messages may take to everybody once the load has ended, in seconds. */
const patience = 180

const loadOptions = (options: SoakOptions): Drive.LoadOptions => ({
  connections: options.connections,
  timeoutMillis: options.timeout * 1000
})

const follow = (system: System.System, options: SoakOptions) =>
  system.customer.ask({
    follow: {
      ports: system.instances.map(({ port }) => port),
      followers: options.followers,
      stay: options.stay * 1000,
      baseUrl: system.baseUrl
    }
  })

/** Half of what saturates the system, if nothing else is asked for. Counts what it sends. */
const rateFor = Effect.fnUntraced(function*(system: System.System, options: SoakOptions, before: Sums) {
  if (options.rate !== undefined) return options.rate
  yield* say("Looking for the rate that saturates it")
  const { peak, steps } = yield* saturate(system, {
    ...loadOptions(options),
    from: 100,
    warmupSeconds: 3,
    seconds: 6
  })
  for (const tally of steps.flatMap(({ whole }) => whole)) before.add(tally)
  return Math.max(1, Math.round(peak / 2))
})

/**
 * A burst, then the load. Pools open connections as they are needed and keep them: after the burst all are open, before
 * what is held at rest is counted for the first time.
 */
const warmUp = Effect.fnUntraced(
  function*(system: System.System, options: SoakOptions, rate: number, sums: Sums) {
    yield* say(`Warming up at ${rate} requests/s`)
    const burst = { rate: rate * 4, manners: "rude", warmupSeconds: 0, seconds: 5 } as const
    const load = { rate, manners: "polite", warmupSeconds: 0, seconds: options.warmup } as const
    for (const stretch of [burst, load]) {
      const { whole } = yield* Drive.observe(system, loadOptions(options), stretch)
      for (const tally of whole) sums.add(tally)
    }
  }
)

/** The load, with everything that is measured meanwhile. */
const soak = Effect.fnUntraced(
  function*(system: System.System, options: SoakOptions, rate: number, sums: Sums) {
    const samples = new Samples.Samples()
    const seconds = options.minutes * 60
    const seldomSeconds = Math.max(oftenSeconds, Math.min(60, Math.floor(seconds / seldomPoints)))
    yield* Drive.begin(system, loadOptions(options), { rate, manners: "polite" })
    const begun = performance.now()
    const at = () => (performance.now() - begun) / 1000
    yield* Effect.forkScoped(
      Effect.sleep(`${options.tokenSeconds / 3} seconds`).pipe(
        Effect.andThen(System.tokens(system.baseUrl)),
        Effect.flatMap((tokens) => system.load.ask({ tokens })),
        Effect.forever
      )
    )
    let seldomDue = seldomSeconds
    for (let due = oftenSeconds; due <= seconds; due += oftenSeconds) {
      yield* Effect.sleep(Math.max(0, (due - at()) * 1000))
      yield* Samples.often(system, samples, at())
      if (due < seldomDue) continue
      seldomDue += seldomSeconds
      const tally = yield* Samples.seldom(system, samples, at())
      sums.add(tally)
      yield* say(progress(due, tally))
    }
    sums.add(yield* Effect.flatMap(system.load.ask({ stop: true }), System.tallyIn))
    return samples.series
  },
  Effect.scoped
)

const progress = (seconds: number, { good, p50, p99, seconds: span }: Tally): string =>
  `${(seconds / 60).toFixed(1)} min: ${(good / span).toFixed(0)} good answers/s, p50 ${p50.toFixed(1)} ms, \
p99 ${p99.toFixed(0)} ms`

const logOf = ({ database, endpoints }: System.System) =>
  attempt("log", async () => {
    const failing = endpoints.find(({ behaviour }) => behaviour === "failing")?.id ?? "0"
    const [row] = await database.sql`
      select count(*)::int as messages, min(message.id)::float8 as first_id, max(message.id)::float8 as last_id,
        count(*) filter (where message.id <= endpoint.cursor_id and not exists (
          select from dockline.webhook_delivery delivery
          where delivery.endpoint_id = endpoint.id and delivery.message_id = message.id
            and delivery.status in ('PENDING', 'DEAD')
        ))::int as lost
      from dockline.webhook_endpoint endpoint
      join dockline.message using (business_id)
      where endpoint.id = ${failing}`
    return {
      messages: Number(row!["messages"]),
      firstId: Number(row!["first_id"]),
      lastId: Number(row!["last_id"]),
      lostAtFailing: Number(row!["lost"])
    } satisfies Log
  })

/** Waits until everybody has had everything, or patience ends; says what has come. */
const settled = Effect.fnUntraced(function*(system: System.System) {
  yield* system.customer.ask({ settle: true })
  const log = yield* logOf(system)
  const deadline = performance.now() + patience * 1000
  for (;;) {
    const seen = yield* system.customer.ask({ seen: true })
    const waited = [...seen.followers, ...seen.endpoints.filter(({ name }) => name !== "failing")]
    if (waited.every((each) => hasAll(each, log)) || performance.now() > deadline) return { log, seen }
    yield* Effect.sleep("500 millis")
  }
})

const countsOf = (log: Log, seen: Seen, sums: Sums): ReadonlyArray<string> => [
  `${sums.good} good answers, ${sums.refused} refusals, ${sums.timeouts} timeouts, ${sums.errors} errors`,
  `${log.messages} messages, each to ${seen.followers.length} followers, who connected ${seen.connections} times \
(${seen.expired} times after an expired token, ${seen.refused} times refused or broken)`,
  ...seen.endpoints.map(({ messages, name, repeats }) =>
    `${messages} messages to the ${name} endpoint, ${repeats} of them more than once`
  )
]

const acknowledged = (earlier: Sums, soaked: Sums): Acknowledged => ({
  messages: earlier.messages + soaked.messages,
  unknown: earlier.unknown + soaked.unknown
})

const behaviours: ReadonlyArray<Behaviour> = ["good", "flaky", "failing"]

const measure = Effect.fnUntraced(function*(options: SoakOptions) {
  const directory = yield* Cluster.onDisk(options.directory)
  yield* say("Starting PostgreSQL, two instances, customers and the generator")
  const { minutes, pool, tokenSeconds } = options
  const system = yield* System.start(directory, { instances: 2, pool, tokenSeconds, endpoints: behaviours })
  const earlier = new Sums()
  const soaked = new Sums()
  yield* follow(system, options)
  const rate = yield* rateFor(system, options, earlier)
  yield* warmUp(system, options, rate, earlier)
  yield* system.customer.ask({ leave: true })
  const before = yield* Rest.held(system, options.idle)
  yield* say(`Soaking for ${minutes} minutes`)
  yield* follow(system, options)
  const series = yield* soak(system, options, rate, soaked)
  yield* say("Waiting until everybody has had everything")
  const { log, seen } = yield* settled(system)
  yield* system.customer.ask({ leave: true })
  const after = yield* Rest.held(system, options.idle)
  return {
    date: new Date().toISOString(),
    machine: Machine.describe(system.cluster, directory, libraries),
    settings:
      `two instances, ${pool} database connections each; ${Drive.clients} clients, ${options.followers} \
followers who stay ${options.stay} s on average, tokens for ${tokenSeconds} s, 3 webhook endpoints`,
    minutes,
    rate,
    series,
    idle: Rest.compare(before, after),
    counts: countsOf(log, seen, soaked),
    faults: [...soaked.faults, ...faultsOf(log, seen, acknowledged(earlier, soaked))]
  } satisfies Report.Result
}, Effect.scoped)

/** Runs the soak; it fails when something grows, or a message did not arrive. */
export const run = Effect.fnUntraced(function*(options: SoakOptions) {
  const result = yield* measure(options)
  yield* Console.log(options.json ? JSON.stringify(result, undefined, 2) : Report.toText(result))
  if (options.write) {
    mkdirSync(Processes.fileOf("../results"), { recursive: true })
    writeFileSync(Processes.fileOf("../results/soak.md"), Report.toMarkdown(result))
    writeFileSync(Processes.fileOf("../results/soak.svg"), svgOf(result.series))
    yield* say("Written to bench/results/soak.md and soak.svg")
  }
  const findings = Report.findingsOf(result)
  if (findings.length > 0) {
    return yield* new BenchError({ message: `the soak is not flat:\n${findings.join("\n")}` })
  }
})
