/**
 * A server of your own in sixty lines: REST, GraphQL with its sockets, and webhooks, behind the guards of
 * `@dockline/server`, with a stop that finishes what is under way.
 */
import { Authenticator } from "@dockline/core/access/Authenticator"
import { Capacity } from "@dockline/core/access/RequestLimits"
import * as Dockline from "@dockline/core/embed/Dockline"
import * as GraphqlHandler from "@dockline/graphql-adapter/GraphqlHandler"
import * as RestHandler from "@dockline/http-adapter/RestHandler"
import { Admission } from "@dockline/server/limits/Admission"
import { NodeServer } from "@dockline/server/NodeServer"
import * as Postgres from "@dockline/sql-storage/Postgres"
import * as WebhookSender from "@dockline/webhook-adapter/WebhookSender"
import { getRequestListener } from "@hono/node-server"
import { Effect, Layer } from "effect"
import { once } from "node:events"

const { DATABASE_URL = "", SECRETS_KEY = "", PORT = "8080" } = process.env
const baseUrl = process.env["BASE_URL"] ?? `http://localhost:${PORT}`

// Places and clients: from where you keep yours, or made by an operator.
const facilities = [{ slug: "east", name: "Acme East", docks: ["D1", "D2"] }]
const clients: ReadonlyArray<RestHandler.RestClient> = [{
  id: "acme-client",
  secret: "acme-client-secret",
  grants: [{ business: "acme", facilities: "*", permissions: ["documents:write", "messages:read"] }]
}]

// The service: the stores on PostgreSQL, and core over them.
const dockline = await Dockline.open({
  storage: Postgres.layer({ url: DATABASE_URL }),
  webhooks: WebhookSender.setup({ secretsKey: SECRETS_KEY })
})
const known = await dockline.places([{ slug: "acme", name: "Acme", facilities }])
if (!known.ok) throw known.error

// Its interfaces. What runs on sockets and in event streams takes its turn with the requests.
const rest = await RestHandler.make(dockline.layer, { baseUrl, clients })
const authenticator = await Effect.runPromise(Effect.provide(Authenticator, rest.layer))
const admission = new Admission({ authenticator })
const graphql = await GraphqlHandler.make(
  Layer.merge(rest.layer, Layer.succeed(Capacity, admission.admitWork))
)
const webhooks = await WebhookSender.start(dockline.layer)

// One port for all, behind the guards.
const server = new NodeServer({ admission, stop: { graceMillis: 8000 } })
server.upgrades.register(graphql)
server.on(
  "request",
  getRequestListener((request, { incoming }) =>
    graphql.serves(request)
      ? graphql.handler(request)
      : rest.handler(request, { remoteAddress: incoming.socket.remoteAddress })
  )
)
server.listen(Number(PORT), () => console.log("Listening on port", Object(server.address()).port))

// The end: no new connections, what is under way is finished, the database last.
await Promise.race([once(process, "SIGTERM"), once(process, "SIGINT")])
const closed = once(server, "close")
server.close()
await Promise.all([closed, webhooks.close(), graphql.close(), rest.close()])
await dockline.close()
