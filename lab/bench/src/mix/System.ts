/**
 * What is measured: instances of the bundled server on one PostgreSQL, the customers' endpoints and followers, and the
 * process that sends the load.
 */
import { freePort } from "@dockline/sql-storage/embedded/EmbeddedServer"
import { Effect, Schedule } from "effect"
import { randomBytes } from "node:crypto"
import { attempt, BenchError } from "../BenchError.ts"
import * as Cluster from "../Cluster.ts"
import type { BenchDatabase } from "../Cluster.ts"
import * as Processes from "../Processes.ts"
import { requestToken } from "../Servers.ts"
import { Channel } from "./Channel.ts"
import { behaviours, signingSecret } from "./customer/Protocol.ts"
import type { Behaviour, CustomerCommand, Seen } from "./customer/Protocol.ts"
import type { ProbeCommand, Vitals } from "./Probe.ts"
import type { MixAnswer, MixCommand, Tally, Tokens } from "./Task.ts"

/** How the system is set up. */
export interface SystemOptions {
  readonly instances: number
  /** `DATABASE_CONNECTIONS` of each instance. */
  readonly pool: number
  /** `TOKEN_LIFETIME_SECONDS`. */
  readonly tokenSeconds: number
  /** The webhook endpoints of the business. */
  readonly endpoints: ReadonlyArray<Behaviour>
}

/** An instance, and the probe in it. */
export interface Instance {
  readonly port: number
  readonly pid: number
  readonly probe: Channel<ProbeCommand, Vitals>
}

/** An endpoint as the service knows it. */
export interface KnownEndpoint {
  readonly id: string
  readonly behaviour: Behaviour
}

/** All of it, running. */
export interface System {
  readonly cluster: Cluster.Cluster
  readonly database: BenchDatabase
  readonly instances: ReadonlyArray<Instance>
  readonly baseUrl: string
  readonly customer: Channel<CustomerCommand, Seen>
  readonly endpoints: ReadonlyArray<KnownEndpoint>
  readonly load: Channel<MixCommand, MixAnswer>
}

const startInstance = Effect.fnUntraced(function*(
  database: BenchDatabase,
  options: SystemOptions,
  shared: Readonly<Record<string, string>>,
  port: number
) {
  const probe = new URL("./Probe.ts", import.meta.url).href
  const child = yield* Processes.startNode("../../../packages/server/src/main.ts", {
    DATABASE_URL: database.url,
    DATABASE_CONNECTIONS: String(options.pool),
    PORT: String(port),
    ...shared
  }, { ipc: true, nodeArgs: ["--import", probe] })
  const channel = new Channel<ProbeCommand, Vitals>("server", child)
  yield* Processes.answering("Dockline", child, port)
  return { port, pid: child.pid!, probe: channel } satisfies Instance
})

/** Fresh tokens for the load; under overload a request for one may be refused as any other, and is repeated. */
export const tokens = (baseUrl: string): Effect.Effect<Tokens, BenchError> =>
  Effect.all({ customer: requestToken(baseUrl, "acme-client"), tower: requestToken(baseUrl, "tower") }).pipe(
    Effect.retry({ schedule: Schedule.spaced("1 second"), times: 10 })
  )

const createEndpoint = (baseUrl: string, token: string, port: number, behaviour: Behaviour) =>
  attempt("webhook endpoint", async () => {
    const response = await fetch(`${baseUrl}/v1/operator/webhook-endpoints`, {
      method: "POST",
      headers: { "content-type": "application/json", authorization: `Bearer ${token}` },
      body: JSON.stringify({
        business: "acme",
        baseUrl: `http://127.0.0.1:${port}/${behaviour}`,
        messageTypes: ["PALLET_EVENT", "SHIPMENT_COMPLETE"],
        authentication: { type: "none" },
        signingSecret,
        enabled: true
      })
    })
    if (!response.ok) throw new Error(`status ${response.status} ${await response.text()}`)
    return { id: ((await response.json()) as { readonly id: string }).id, behaviour } satisfies KnownEndpoint
  })

/** Starts all of it below the folder `directory`; it ends with the scope. */
export const start = Effect.fnUntraced(function*(directory: string, options: SystemOptions) {
  const cluster = yield* Cluster.make(directory)
  const database = yield* cluster.database("bench_mix")
  const ports = yield* Effect.forEach(Array.from({ length: options.instances }), () => freePort)
  const baseUrl = `http://127.0.0.1:${ports[0]!}`
  const shared = {
    BASE_URL: baseUrl,
    DEMO: "true",
    LOG_LEVEL: "None",
    RATE_LIMIT_PER_MINUTE: "0",
    OUTBOUND_ALLOW: "127.0.0.0/8",
    SECRETS_KEY: randomBytes(32).toString("base64"),
    TOKEN_LIFETIME_SECONDS: String(options.tokenSeconds)
  }
  // One after the other: each is there before the next asks for its share of the processor.
  const instances = yield* Effect.forEach(ports, (port) => startInstance(database, options, shared, port))
  const customer = new Channel<CustomerCommand, Seen>(
    "customers",
    yield* Processes.startNode("mix/customer/main.ts", {}, { ipc: true })
  )
  const { port } = yield* customer.ask({ seen: true })
  const operator = yield* requestToken(baseUrl, "operator")
  const endpoints = yield* Effect.forEach(
    behaviours.filter((behaviour) => options.endpoints.includes(behaviour)),
    (behaviour) => createEndpoint(baseUrl, operator, port, behaviour)
  )
  const load = new Channel<MixCommand, MixAnswer>(
    "load generator",
    yield* Processes.startNode("mix/load.ts", {}, { ipc: true })
  )
  return { cluster, database, instances, baseUrl, customer, endpoints, load } satisfies System
})

/** The tally of an answer that has one. */
export const tallyIn = ({ tally }: MixAnswer): Effect.Effect<Tally, BenchError> =>
  tally === null
    ? Effect.fail(new BenchError({ message: "load generator: an answer without a tally" }))
    : Effect.succeed(tally)

/** How many messages an endpoint has not come to yet. */
export const waiting = ({ database, endpoints }: System, behaviour: Behaviour) =>
  attempt("backlog", async () => {
    const found = endpoints.find((endpoint) => endpoint.behaviour === behaviour)
    if (found === undefined) throw new Error(`there is no endpoint ${behaviour}`)
    const [row] = await database.sql`
      select (log.last_id - endpoint.cursor_id)::float8 as waiting
      from dockline.webhook_endpoint endpoint
      join dockline.message_log log using (business_id)
      where endpoint.id = ${found.id}`
    // Without a message there is no log.
    return row === undefined ? 0 : Number(row["waiting"])
  })
