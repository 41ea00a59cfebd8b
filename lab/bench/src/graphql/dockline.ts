/**
 * Starts our server with the layers of the bundled one, and appends messages in its process on command, as for a pallet event. PORT,
 * BASE_URL, DATABASE_URL and DATABASE_CONNECTIONS are its settings. SIGTERM stops it.
 */
import "effect/schema/SchemaJITCompiler/enable"
import { RequestLimits } from "@dockline/core/access/RequestLimits"
import * as CoreServices from "@dockline/core/embed/CoreServices"
import { MessageLog } from "@dockline/core/messages/MessageLog"
import { SecretsVault } from "@dockline/core/webhooks/SecretsVault"
import { OutboundUrls } from "@dockline/core/webhooks/WebhookEndpoint"
import * as GraphqlAdapter from "@dockline/graphql-adapter/GraphqlAdapter"
import { WebSockets } from "@dockline/graphql-adapter/socket/WebSockets"
import * as DocumentFiles from "@dockline/http-adapter/handlers/DocumentFiles"
import * as HttpAdapter from "@dockline/http-adapter/HttpAdapter"
import { audienceOf, defaultHttpConfig } from "@dockline/http-adapter/HttpConfig"
import * as BearerAuth from "@dockline/http-adapter/tokens/BearerAuth"
import { Clients } from "@dockline/http-adapter/tokens/Clients"
import { TokenEndpoint } from "@dockline/http-adapter/tokens/TokenEndpoint"
import { defaultTokensConfig, Tokens } from "@dockline/http-adapter/tokens/Tokens"
import { NodeServer } from "@dockline/server/NodeServer"
import * as Database from "@dockline/sql-storage/connections/Database"
import * as Sql from "@dockline/sql-storage/Sql"
import { NodeHttpServer, NodeRuntime } from "@effect/platform-node"
import { Effect, Layer, Redacted } from "effect"
import { HttpRouter } from "effect/http"
import { setting } from "../Serve.ts"
import { appendForParent } from "./Log.ts"

const baseUrl = setting("BASE_URL")

const storage = Sql.layer.pipe(Layer.provide(Database.layer({
  ...Database.defaultDatabaseConfig,
  url: Redacted.make(setting("DATABASE_URL")),
  maxConnections: Number(setting("DATABASE_CONNECTIONS"))
})))

const authentication = Layer.mergeAll(BearerAuth.layer, TokenEndpoint.layer()).pipe(
  Layer.provideMerge(Layer.mergeAll(
    Clients.layer,
    Tokens.layer({ ...defaultTokensConfig, issuer: baseUrl, audience: audienceOf(baseUrl) })
  ))
)

const services = Layer.mergeAll(
  CoreServices.layer({ itemLimit: 10_000, messageLimit: 1000, dashboardUrl: baseUrl }, []).pipe(
    Layer.provide(Layer.succeed(OutboundUrls, { fault: () => undefined })),
    Layer.provideMerge(SecretsVault.layerWithoutKey)
  ),
  RequestLimits.layerNone,
  DocumentFiles.layer(defaultHttpConfig),
  authentication
).pipe(Layer.provideMerge(storage))

const nodeServer = Layer.unwrap(Effect.map(WebSockets, (sockets) => {
  const server = new NodeServer()
  server.upgrades.register(sockets)
  return NodeHttpServer.layer(() => server, { host: "127.0.0.1", port: Number(setting("PORT")) })
}))

const http = HttpRouter.serve(
  Layer.mergeAll(HttpAdapter.layer({ ...defaultHttpConfig, baseUrl }), GraphqlAdapter.routes()),
  { disableLogger: true, disableListenLog: true }
).pipe(Layer.provide(nodeServer), Layer.provide(GraphqlAdapter.layer()))

/** Appends in the process of the server, through its own log. */
const control = Layer.effectDiscard(
  Effect.gen(function*() {
    const { append } = yield* MessageLog
    const context = yield* Effect.context<never>()
    appendForParent((drafts) => Effect.runPromiseWith(context)(append(drafts)))
  })
)

NodeRuntime.runMain(Layer.launch(Layer.mergeAll(http, control).pipe(Layer.provide(services))))
