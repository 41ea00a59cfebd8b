/**
 * The service under faults: `npm run test:faults`, `npm run test:faults -- --help`. Seeded runs of two instances on
 * PostgreSQL, with clients that write down what they were told, and a checker that holds it against what is there.
 */
import { NodeRuntime, NodeServices } from "@effect/platform-node"
import { Effect, Option, Schema } from "effect"
import { Command, Flag } from "effect/cli"
import { leftOut } from "../../citus/Cluster.ts"
import { positive } from "../../Flags.ts"
import { leastSeconds, seedsWith } from "./faults/Schedule.ts"
import * as Record from "./history/Record.ts"
import { Harness, isGood } from "./run/Harness.ts"
import type { Ended, RunPlan } from "./run/Harness.ts"
import * as Report from "./run/Report.ts"
import { pairCourses } from "./run/RunOptions.ts"
import type { Course } from "./run/RunOptions.ts"
import { judge } from "./run/Verdict.ts"
import { sabotages } from "./system/Sabotage.ts"

interface Options extends Omit<RunPlan, "seeds"> {
  readonly seed: number
  readonly runs: number
  readonly sabotage: string | undefined
  readonly replay: string | undefined
}

/** Some promise was not kept, or that could not be found out. */
class Broken extends Schema.TaggedError<Broken>()("Broken", { message: Schema.String }) {}

const seedsOf = ({ runs, seed }: Options): ReadonlyArray<number> =>
  Array.from({ length: runs }, (_, at) => seed + at)

/** Runs all seeds of a plan, telling of each. */
const runAll = async (harness: Harness, options: Options, signal: AbortSignal): Promise<boolean> => {
  const begun = performance.now()
  const all: Array<Ended> = []
  const plan = { ...options, seeds: seedsOf(options) }
  await harness.run(plan, await harness.program("server"), signal, (ended) => {
    all.push(ended)
    console.log(Report.ended(ended, plan))
    return true
  })
  if (all.length === 0) return false
  console.log(`\n${Report.summary(all, options.seconds, (performance.now() - begun) / 1000)}`)
  if (!harness.canFillDisks) console.log("Disks were not filled: this machine does not allow to mount.")
  return all.every(isGood)
}

const isOfCluster = (course: Course | undefined): boolean => course === "citus"

/** Runs seeds on a server that was sabotaged, until the checker notices what it is to notice. */
const runSabotaged = async (
  harness: Harness,
  name: string,
  options: Options,
  signal: AbortSignal
): Promise<boolean> => {
  const sabotage = sabotages[name]
  if (sabotage === undefined) {
    throw new Error(`There is no sabotage ${name}; there are all, ${Object.keys(sabotages).join(", ")}`)
  }
  const { expects, replaced, shown: { course = options.course ?? "faults", fault } } = sabotage
  if (isOfCluster(course) !== isOfCluster(options.course)) {
    throw new Error(`${name} is ${isOfCluster(course) ? "" : "not "}for runs of a cluster`)
  }
  const { runs, seed } = options
  const seeds = fault === undefined ? seedsOf(options) : seedsWith(fault, seed, runs)
  const plan = { ...options, course, seeds }
  let isCaught = false
  await harness.run(plan, await harness.program(name, replaced), signal, (ended) => {
    console.log(Report.ended(ended, plan, name))
    const { outcome } = ended
    isCaught ||= "result" in outcome &&
      outcome.result.violated[expects] !== undefined
    return !isCaught
  })
  console.log(`sabotage ${name}: ${isCaught ? "caught" : "NOT CAUGHT"} as ${expects}\n`)
  return isCaught
}

const runSabotages = async (harness: Harness, options: Options, signal: AbortSignal): Promise<boolean> => {
  const all = Object.entries(sabotages)
    .filter(([, { shown }]) => isOfCluster(shown.course) === isOfCluster(options.course))
    .map(([name]) => name)
  const names = options.sabotage === "all" ? all : [options.sabotage!]
  const missed: Array<string> = []
  for (const name of names) {
    if (signal.aborted) return false
    if (!await runSabotaged(harness, name, options, signal)) missed.push(name)
  }
  console.log(`${names.length - missed.length} of ${names.length} sabotages were caught`)
  if (missed.length > 0) console.log(`not caught: ${missed.join(", ")}`)
  return missed.length === 0
}

/** Judges a history that was written down. */
const replay = (file: string): boolean => {
  const verdict = judge(Record.read(file))
  console.log(JSON.stringify(verdict.counts))
  console.log(verdict.violations.length === 0 ? "no violations" : Report.violations(verdict).join("\n"))
  return verdict.violations.length === 0
}

const act = async (options: Options, signal: AbortSignal): Promise<boolean> => {
  if (options.replay !== undefined) return replay(options.replay)
  const reason = options.course === "citus" ? leftOut(options.postgres) : undefined
  if (reason !== undefined) {
    console.log(reason)
    return true
  }
  const harness = new Harness()
  try {
    await harness.open(options.postgres)
    return await (options.sabotage === undefined ? runAll : runSabotages)(harness, options, signal)
  } finally {
    harness.close()
  }
}

/** Whoever interrupts it waits until everything that was started has been stopped. */
const faults = (options: Options) =>
  Effect.callback<boolean, Broken>((resume) => {
    const stopping = new AbortController()
    const acting = act(options, stopping.signal)
    acting.then(
      (isGood) => resume(Effect.succeed(isGood)),
      (failure: unknown) => resume(new Broken({ message: String(failure) }))
    )
    return Effect.promise(() => {
      stopping.abort()
      return acting.then(() => {}, () => {})
    })
  }).pipe(
    Effect.filterOrFail(
      (isGood) => isGood,
      () => new Broken({ message: "promises were not kept, see above" })
    )
  )

const message = `must be a whole number of at least ${leastSeconds}`
const Seconds = Schema.Int.check(Schema.isGreaterThanOrEqualTo(leastSeconds, { message }))

const optional = <A>(flag: Flag.Flag<A>, description: string) =>
  flag.pipe(Flag.withDescription(description), Flag.optional, Flag.map(Option.getOrUndefined))

const flags = {
  runs: positive("runs", 10, "How many runs; the seed of each is one more than that of the one before"),
  seed: positive("seed", 1, "The seed of the first run: the faults and what clients draw"),
  seconds: positive("seconds", 15, "How long faults and clients go on in each run", Seconds),
  sabotage: optional(
    Flag.String("sabotage"),
    "Break the server by hand, and see that it is noticed: a name, or `all`"
  ),
  keep: Flag.Boolean("keep").pipe(
    Flag.withDescription("Keep the logs and the history of runs that went well too"),
    Flag.withDefault(false)
  ),
  replay: optional(Flag.String("replay"), "Run nothing, and judge this history again")
}

const embedded = Command.make(
  "embedded",
  flags,
  (given) => faults({ ...given, course: "embedded", postgres: undefined })
).pipe(
  Command.withDescription(
    "One server and its embedded database are killed, its disk is filled, a second one starts on it"
  )
)

const postgres = optional(Flag.String("postgres"), "The folder of the programs of a PostgreSQL with Citus")

const citus = Command.make("citus", { ...flags, postgres }, (given) => faults({ ...given, course: "citus" }))
  .pipe(
    Command.withDescription(
      "Nodes of a Citus cluster are killed, businesses are moved, and second phases of commits are lost"
    )
  )

const course = optional(
  Flag.Literals("course", pairCourses),
  "What goes wrong in all runs, instead of what the seed of each says"
)

const command = Command.make(
  "test:faults",
  { ...flags, course },
  (given) => faults({ ...given, postgres: undefined })
).pipe(
  Command.withDescription("Seeded runs of two instances under faults, judged by what clients were told"),
  Command.withSubcommands([embedded, citus])
)

Command.run(command, { version: "1" }).pipe(
  Effect.provide(NodeServices.layer),
  Effect.tapError(({ message }) => Effect.sync(() => console.error(`test:faults: ${message}`))),
  NodeRuntime.runMain({ disableErrorReporting: true })
)
