/**
 * The benchmarks: `npm run bench -- intake`, `npm run bench -- --help`.
 */
import { NodeRuntime, NodeServices } from "@effect/platform-node"
import { Effect, Option, Schema } from "effect"
import { Command, Flag } from "effect/cli"
import { say } from "./BenchError.ts"
import { intake } from "./Intake.ts"

const Positive = Schema.Int.check(Schema.isGreaterThan(0, { message: "must be a whole number above 0" }))

const positive = (name: string, value: number, description: string) =>
  Flag.Int(name).pipe(
    Flag.withSchema(Positive),
    Flag.withDescription(description),
    Flag.withDefault(value)
  )

const flag = (name: string, value: boolean, description: string) =>
  Flag.Boolean(name).pipe(Flag.withDescription(description), Flag.withDefault(value))

const intakeCommand = Command.make(
  "intake",
  {
    seconds: positive("seconds", 10, "How long each measurement takes"),
    warmup: positive("warmup", 3, "Seconds before each measurement that do not count"),
    rounds: positive("rounds", 5, "How often each contestant is measured with each workload"),
    connections: positive("connections", 32, "HTTP connections, and clients of pgbench"),
    orders: positive("orders", 64, "Orders that each connection works on in turn"),
    pool: positive("pool", 16, "Database connections of each server (DATABASE_CONNECTIONS)"),
    limit: flag("limit", true, "Measure pgbench too; --no-limit to go without"),
    json: flag("json", false, "Print the result as JSON"),
    write: flag("write", false, "Write the result to bench/results/intake.md"),
    directory: Flag.String("directory").pipe(
      Flag.withDescription("Where the temporary database is made; the system's folder when absent"),
      Flag.optional
    )
  },
  ({ directory, ...options }) => intake({ ...options, directory: Option.getOrUndefined(directory) })
).pipe(
  Command.withDescription(
    "Document intake on PostgreSQL: Dockline beside (a) the same rules by hand and (b) pgbench"
  )
)

const bench = Command.make("bench").pipe(
  Command.withDescription("The benchmarks of Dockline"),
  Command.withSubcommands([intakeCommand])
)

Command.run(bench, { version: "0.1.0" }).pipe(
  Effect.provide(NodeServices.layer),
  Effect.tapError((error) => say(`bench: ${error.message}`)),
  NodeRuntime.runMain({ disableErrorReporting: true })
)
