/**
 * What is measured: the bundled server on PostgreSQL, the customers' endpoints and followers, and the process that sends
 * the load.
 */
import { freePort } from "@dockline/sql-storage/embedded/EmbeddedServer"
import { Effect, Schedule } from "effect"
import { randomBytes } from "node:crypto"
import { attempt } from "../BenchError.ts"
import type { BenchError } from "../BenchError.ts"
import { Channel } from "../Channel.ts"
import * as Cluster from "../Cluster.ts"
import type { BenchDatabase } from "../Cluster.ts"
import * as Processes from "../Processes.ts"
import { requestToken } from "../Servers.ts"
import { signingSecret } from "../webhooks/Workload.ts"
import type { CustomerCommand, Seen } from "./customers.ts"
import { behaviours } from "./Endpoints.ts"
import type { Behaviour } from "./Endpoints.ts"
import type { MixCommand, Tokens } from "./Task.ts"

/** All of it, running. */
export interface System {
  readonly cluster: Cluster.Cluster
  readonly database: BenchDatabase
  readonly port: number
  readonly pid: number
  readonly baseUrl: string
  /** In the server: the delay of its event loop. */
  readonly probe: Channel<{ readonly loop: true }>
  readonly customers: Channel<CustomerCommand>
  readonly load: Channel<MixCommand>
  /** The endpoint that takes everything. */
  readonly endpoint: string
}

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
    return ((await response.json()) as { readonly id: string }).id
  })

/** Starts all of it below the folder `directory`; it ends with the scope. */
export const start = Effect.fnUntraced(function*(directory: string, pool: number) {
  const cluster = yield* Cluster.make(directory)
  const database = yield* cluster.database("bench_overload")
  const port = yield* freePort
  const baseUrl = `http://127.0.0.1:${port}`
  const server = yield* Processes.startNode("../../../packages/server/src/main.ts", {
    DATABASE_URL: database.url,
    DATABASE_CONNECTIONS: String(pool),
    PORT: String(port),
    BASE_URL: baseUrl,
    DEMO: "true",
    LOG_LEVEL: "None",
    RATE_LIMIT_PER_MINUTE: "0",
    OUTBOUND_ALLOW: "127.0.0.0/8",
    SECRETS_KEY: randomBytes(32).toString("base64")
  }, { ipc: true, nodeArgs: ["--import", new URL("./Probe.ts", import.meta.url).href] })
  yield* Processes.answering("Dockline", server, port)
  const customers = new Channel<CustomerCommand>(
    "customers",
    yield* Processes.startNode("overload/customers.ts", {}, { ipc: true })
  )
  const { port: endpointPort } = yield* customers.asking<Seen>({ seen: true })
  const operator = yield* requestToken(baseUrl, "operator")
  const [endpoint] = yield* Effect.forEach(
    behaviours,
    (behaviour) => createEndpoint(baseUrl, operator, endpointPort, behaviour)
  )
  const load = new Channel<MixCommand>(
    "load generator",
    yield* Processes.startNode("overload/load.ts", {}, { ipc: true })
  )
  const probe = new Channel<{ readonly loop: true }>("server", server)
  return {
    cluster,
    database,
    port,
    pid: server.pid!,
    baseUrl,
    probe,
    customers,
    load,
    endpoint: endpoint!
  } satisfies System
})

/** How many messages the endpoint that takes everything has not come to yet. */
export const waiting = ({ database, endpoint }: System) =>
  attempt("backlog", async () => {
    const [row] = await database.sql`
      select (log.last_id - endpoint.cursor_id)::float8 as waiting
      from dockline.webhook_endpoint endpoint
      join dockline.message_log log using (business_id)
      where endpoint.id = ${endpoint}`
    // Without a message there is no log.
    return row === undefined ? 0 : Number(row["waiting"])
  })
