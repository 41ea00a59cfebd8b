/**
 * The measured system: the bundled server on PostgreSQL, the customers' endpoints and followers, and the process that sends the load.
 */
import { Effect, Schedule } from "effect"
import { randomBytes } from "node:crypto"
import { attempt } from "../BenchError.ts"
import type { BenchError } from "../BenchError.ts"
import { Channel } from "../Channel.ts"
import * as Cluster from "../Cluster.ts"
import type { SubscriberCommand } from "../graphql/Subscribers.ts"
import * as Processes from "../Processes.ts"
import { requestToken, startDockline, urlOf } from "../Servers.ts"
import type { Server } from "../Servers.ts"
import type { SinkCommand } from "../webhooks/Sink.ts"
import { account, signingSecret } from "../webhooks/Workload.ts"
import type { MixCommand, Tokens } from "./Task.ts"

/** The running system. */
export interface System {
  readonly cluster: Cluster.Cluster
  readonly server: Server
  readonly load: Channel<MixCommand>
  /** The endpoint that accepts everything. */
  readonly endpoint: string
}

/** New tokens for the load; under overload a token request may be refused like any other, and is repeated. */
export const tokens = ({ server }: System): Effect.Effect<Tokens, BenchError> =>
  Effect.all({
    customer: requestToken(urlOf(server), "acme-client"),
    tower: requestToken(urlOf(server), "tower")
  }).pipe(Effect.retry({ schedule: Schedule.spaced("1 second"), times: 10 }))

const createEndpoint = (server: Server, token: string, baseUrl: string) =>
  attempt("webhook endpoint", async () => {
    const response = await fetch(`${urlOf(server)}/v1/operator/webhook-endpoints`, {
      method: "POST",
      headers: { "content-type": "application/json", authorization: `Bearer ${token}` },
      body: JSON.stringify({
        business: "acme",
        baseUrl,
        messageTypes: ["PALLET_EVENT", "SHIPMENT_COMPLETE"],
        authentication: { type: "basic", ...account },
        signingSecret,
        enabled: true
      })
    })
    if (!response.ok) throw new Error(`status ${response.status} ${await response.text()}`)
    return ((await response.json()) as { readonly id: string }).id
  })

/** Starts all of it below the folder `directory`; it ends with the scope. */
export const start = Effect.fnUntraced(function*(directory: string, pool: number, followers: number) {
  const cluster = yield* Cluster.make(directory)
  const server = yield* startDockline(yield* cluster.database("bench_overload"), pool, {
    OUTBOUND_ALLOW: "127.0.0.0/8",
    SECRETS_KEY: randomBytes(32).toString("base64")
  })
  const sink = new Channel<SinkCommand>("sink", yield* Processes.startNode("webhooks/Sink.ts"))
  const sinkUrl = urlOf({ port: yield* sink.asking<number>({ port: true }) })
  const operator = yield* requestToken(urlOf(server), "operator")
  const endpoint = yield* createEndpoint(server, operator, sinkUrl)
  yield* createEndpoint(server, operator, `${sinkUrl}/flaky`)
  const subscribers = new Channel<SubscriberCommand>(
    "followers",
    yield* Processes.startNode("graphql/Subscribers.ts")
  )
  yield* subscribers.asking({ open: followers, port: server.port, token: server.token })
  const load = new Channel<MixCommand>("load generator", yield* Processes.startNode("overload/load.ts"))
  return { cluster, server, load, endpoint } satisfies System
})

/** The number of messages that the endpoint which accepts everything has not reached yet. */
export const waiting = ({ endpoint, server }: System) =>
  attempt("backlog", async () => {
    const [row] = await server.database.sql`
      select (log.last_id - endpoint.cursor_id)::float8 as waiting
      from dockline.webhook_endpoint endpoint
      join dockline.message_log log using (business_id)
      where endpoint.id = ${endpoint}`
    // Without a message there is no log.
    return Number(row?.["waiting"] ?? 0)
  })
