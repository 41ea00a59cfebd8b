/**
 * The benchmarks: `npm run bench -- intake`, `npm run bench -- graphql`, `npm run bench -- --help`.
 */
import { NodeRuntime, NodeServices } from "@effect/platform-node"
import { Effect, Option, Schema } from "effect"
import { Command, Flag } from "effect/cli"
import { say } from "./BenchError.ts"
import { graphql } from "./Graphql.ts"
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

const directory = Flag.String("directory").pipe(
  Flag.withDescription("Where the temporary database is made; the system's folder when absent"),
  Flag.optional
)

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
    directory
  },
  ({ directory, ...options }) => intake({ ...options, directory: Option.getOrUndefined(directory) })
).pipe(
  Command.withDescription(
    "Document intake on PostgreSQL: Dockline beside (a) the same rules by hand and (b) pgbench"
  )
)

const graphqlCommand = Command.make(
  "graphql",
  {
    seconds: positive("seconds", 8, "How long each measurement of throughput takes"),
    warmup: positive("warmup", 3, "Seconds before each measurement of throughput that do not count"),
    rounds: positive("rounds", 5, "How often each contestant is measured"),
    history: flag("history", true, "Measure (a); --no-history to go without"),
    connections: positive("connections", 8, "(a) HTTP connections"),
    log: positive("log", 20_000, "(a) Messages in the log that is read"),
    fanout: flag("fanout", true, "Measure (b); --no-fanout to go without"),
    clients: positive("clients", 1000, "(b) Subscribers"),
    messages: positive("messages", 200, "(b) Messages that are sent one at a time"),
    window: positive("window", 16, "(b) Messages in flight while throughput is measured"),
    pool: positive("pool", 8, "Database connections of each server"),
    json: flag("json", false, "Print the result as JSON"),
    write: flag("write", false, "Write the result to bench/results/graphql.md"),
    directory,
    profile: Flag.String("profile").pipe(
      Flag.withDescription("A folder where each server leaves a CPU profile; it makes all of them slower"),
      Flag.optional
    )
  },
  ({ directory, profile, ...options }) =>
    graphql({
      ...options,
      directory: Option.getOrUndefined(directory),
      profile: Option.getOrUndefined(profile)
    })
).pipe(
  Command.withDescription(
    "History and subscriptions: Dockline beside (a) mercurius and graphql-yoga, (b) graphql-yoga with graphql-ws and a bare broadcast"
  )
)

const bench = Command.make("bench").pipe(
  Command.withDescription("The benchmarks of Dockline"),
  Command.withSubcommands([intakeCommand, graphqlCommand])
)

Command.run(bench, { version: "0.1.0" }).pipe(
  Effect.provide(NodeServices.layer),
  Effect.tapError((error) => say(`bench: ${error.message}`)),
  NodeRuntime.runMain({ disableErrorReporting: true })
)
