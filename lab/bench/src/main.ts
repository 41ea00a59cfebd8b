/** The benchmarks: `npm run bench -- intake`, `… beside`, `… graphql`, `… webhooks`, `… lists`, `… overload`, `npm run bench -- --help`. */
import { NodeRuntime, NodeServices } from "@effect/platform-node"
import { Effect, Option } from "effect"
import { Command, Flag } from "effect/cli"
import { positive } from "../../Flags.ts"
import { say } from "./BenchError.ts"
import { beside } from "./Beside.ts"
import { loads } from "./beside/Loads.ts"
import { graphql } from "./Graphql.ts"
import { intake } from "./Intake.ts"
import { lists } from "./Lists.ts"
import { overload } from "./Overload.ts"
import { webhooks } from "./Webhooks.ts"

const text = (name: string, description: string) =>
  Flag.String(name).pipe(
    Flag.withDescription(description),
    Flag.optional,
    Flag.map(Option.getOrUndefined)
  )

/** The flags of all benchmarks. */
const common = {
  write: Flag.Boolean("write").pipe(
    Flag.withDescription("Write the result to lab/bench/results"),
    Flag.withDefault(false)
  ),
  directory: text("directory", "Where the temporary database is made; the system's folder when absent")
}

/** The flags of benchmarks that compare contestants. */
const compared = {
  warmup: positive("warmup", 3, "Seconds before each measurement that do not count"),
  rounds: positive("rounds", 5, "How often each contestant is measured")
}

const intakeCommand = Command.make(
  "intake",
  {
    ...common,
    ...compared,
    seconds: positive("seconds", 10, "How long each measurement takes"),
    items: positive("items", 10, "Items of a document"),
    connections: positive("connections", 32, "HTTP connections"),
    orders: positive("orders", 64, "Orders that each connection works on in turn"),
    pool: positive("pool", 16, "Database connections of each server (DATABASE_CONNECTIONS)")
  },
  intake
).pipe(
  Command.withDescription(
    "Document intake on PostgreSQL: Dockline beside the same rules on Fastify and postgres"
  )
)

const besideCommand = Command.make(
  "beside",
  {
    ...common,
    checkout: Flag.String("checkout").pipe(
      Flag.withDescription("Where another commit is checked out, with its node_modules")
    ),
    loads: Flag.String("loads").pipe(
      Flag.withDescription("What is sent, by commas"),
      Flag.withDefault(loads.join())
    ),
    rounds: positive("rounds", 11, "How often both are measured"),
    requests: positive("requests", 960, "How many requests each measurement takes"),
    warmup: positive("warmup", 4000, "How many requests come before those of a load that count"),
    connections: positive("connections", 32, "HTTP connections, beside one alone"),
    pool: positive("pool", 16, "Database connections of each server (DATABASE_CONNECTIONS)")
  },
  beside
).pipe(
  Command.withDescription("Documents, pallets and EDI: this checkout beside that of another commit")
)

const graphqlCommand = Command.make(
  "graphql",
  {
    ...common,
    ...compared,
    seconds: positive("seconds", 8, "How long each measurement of throughput takes"),
    connections: positive("connections", 8, "(a) HTTP connections"),
    log: positive("log", 20_000, "(a) Messages in the log that is read"),
    clients: positive("clients", 1000, "(b) Subscribers"),
    messages: positive("messages", 200, "(b) Messages that are sent one at a time"),
    window: positive("window", 16, "(b) Messages in flight while throughput is measured"),
    pool: positive("pool", 8, "Database connections of each server")
  },
  graphql
).pipe(
  Command.withDescription(
    "History and subscriptions: Dockline beside graphql-yoga with graphql-ws, (b) and a bare broadcast"
  )
)

const webhooksCommand = Command.make(
  "webhooks",
  {
    ...common,
    ...compared,
    seconds: positive("seconds", 8, "How long each measurement of throughput takes"),
    messages: positive("messages", 120_000, "Messages of the backlog that throughput is measured with"),
    pace: positive("pace", 100, "Messages a second while latency is measured"),
    paced: positive("paced", 1000, "Messages that latency is measured with"),
    pool: positive("pool", 10, "Database connections of ours; graphile-worker has what it recommends")
  },
  webhooks
).pipe(
  Command.withDescription(
    "Webhook deliveries on PostgreSQL: Dockline beside graphile-worker, plain and with its local queue, and a bare loop"
  )
)

const overloadCommand = Command.make(
  "overload",
  {
    ...common,
    seconds: positive("seconds", 20, "How long each load is measured"),
    warmup: positive("warmup", 5, "Seconds before each measurement that do not count"),
    searchSeconds: positive("search-seconds", 6, "How long each step of the search for the peak is measured"),
    from: positive("from", 100, "Requests a second that the search begins with"),
    connections: positive("connections", 2048, "The most HTTP connections"),
    timeout: positive("timeout", 10, "Seconds that a client waits for an answer"),
    followers: positive("followers", 10, "Subscribers that follow the log"),
    pool: positive("pool", 16, "Database connections of the server (DATABASE_CONNECTIONS)")
  },
  overload
).pipe(
  Command.withDescription("More load than the service can take: what it still answers, and what it refuses")
)

const listsCommand = Command.make(
  "lists",
  {
    ...common,
    shipments: positive(
      "shipments",
      1_000_000,
      "Shipments of the large tenant; so many orders, messages, deliveries"
    ),
    events: positive(
      "events",
      5_000_000,
      "Pallet events, as many of each pallet; a pallet for each shipment"
    ),
    tenants: positive("tenants", 1000, "Further tenants, of five shipments each"),
    endpoints: positive("endpoints", 900, "Webhook endpoints of the large tenant"),
    rounds: positive("rounds", 30, "How often each page is asked for"),
    pool: positive("pool", 8, "Database connections of the server (DATABASE_CONNECTIONS)")
  },
  lists
).pipe(
  Command.withDescription(
    "Every list, with every filter, for a tenant of a million shipments and one of three"
  )
)

const bench = Command.make("bench").pipe(
  Command.withDescription("The benchmarks of Dockline"),
  Command.withSubcommands([
    intakeCommand,
    besideCommand,
    graphqlCommand,
    webhooksCommand,
    listsCommand,
    overloadCommand
  ])
)

Command.run(bench, { version: "0.1.0" }).pipe(
  Effect.provide(NodeServices.layer),
  Effect.tapError((error) => say(`bench: ${error.message}`)),
  Effect.tapDefect((defect) => say(`bench: ${String(defect instanceof Error ? defect.stack : defect)}`)),
  NodeRuntime.runMain({ disableErrorReporting: true })
)
