/**
 * Starts our server with the layers of the bundled one, and with a hold on its message log, so that messages are
 * appended in its process as they are when a pallet event comes in: PORT, DATABASE_URL and DATABASE_CONNECTIONS say
 * where. SIGTERM stops it.
 */
import "effect/schema/SchemaJITCompiler/enable"
import { ApiClients } from "@dockline/core/ApiClients"
import { Audit } from "@dockline/core/Audit"
import { Businesses } from "@dockline/core/Businesses"
import { Deliveries } from "@dockline/core/Deliveries"
import { Exceptions } from "@dockline/core/Exceptions"
import { Intake } from "@dockline/core/Intake"
import { MessageLog } from "@dockline/core/MessageLog"
import { Messages } from "@dockline/core/Messages"
import { WebhookTests } from "@dockline/core/operator/WebhookTests"
import { Pallets } from "@dockline/core/Pallets"
import { People } from "@dockline/core/People"
import { RequestLimits } from "@dockline/core/RequestLimits"
import { Search } from "@dockline/core/Search"
import { SecretsVault } from "@dockline/core/SecretsVault"
import { Shipments } from "@dockline/core/Shipments"
import { Webhooks } from "@dockline/core/Webhooks"
import { OutboundUrls } from "@dockline/core/webhooks/OutboundUrls"
import * as GraphqlAdapter from "@dockline/graphql-adapter/GraphqlAdapter"
import { WebSockets } from "@dockline/graphql-adapter/WebSockets"
import * as BearerAuth from "@dockline/http-adapter/BearerAuth"
import { Clients } from "@dockline/http-adapter/Clients"
import * as DocumentFiles from "@dockline/http-adapter/DocumentFiles"
import * as HttpAdapter from "@dockline/http-adapter/HttpAdapter"
import { audienceOf, defaultHttpConfig } from "@dockline/http-adapter/HttpConfig"
import { TokenEndpoint } from "@dockline/http-adapter/TokenEndpoint"
import { defaultTokensConfig, Tokens } from "@dockline/http-adapter/Tokens"
import { NodeServer } from "@dockline/server/NodeServer"
import * as StartFailure from "@dockline/server/StartFailure"
import * as Database from "@dockline/sql-storage/Database"
import * as Sql from "@dockline/sql-storage/Sql"
import { NodeHttpServer, NodeRuntime } from "@effect/platform-node"
import { Config, Effect, Layer, References } from "effect"
import { HttpRouter } from "effect/http"
import { appendForParent } from "./Log.ts"

interface Settings {
  readonly url: Config.Success<ReturnType<typeof Config.Redacted>>
  readonly port: number
  readonly maxConnections: number
}

const settings = Config.all({
  url: Config.Redacted("DATABASE_URL"),
  port: Config.Int("PORT"),
  maxConnections: Config.Int("DATABASE_CONNECTIONS")
})

const baseUrlOf = ({ port }: Settings): string => `http://127.0.0.1:${port}`

const authentication = (given: Settings) =>
  Layer.mergeAll(BearerAuth.layer, TokenEndpoint.layer()).pipe(
    Layer.provideMerge(Layer.mergeAll(
      Clients.layer,
      Tokens.layer({
        ...defaultTokensConfig,
        issuer: baseUrlOf(given),
        audience: audienceOf(baseUrlOf(given))
      })
    ))
  )

/** The operator side of REST, which is not measured. */
const operator = Layer.mergeAll(
  Businesses.layer,
  ApiClients.layer,
  People.layer,
  Webhooks.layer,
  WebhookTests.layer(),
  Deliveries.layer,
  Audit.layer
).pipe(
  Layer.provide([SecretsVault.layerWithoutKey, Layer.succeed(OutboundUrls, { fault: () => undefined })])
)

const services = (given: Settings) =>
  Layer.mergeAll(
    operator,
    RequestLimits.layerNone,
    Intake.layer(),
    Shipments.layer(),
    Pallets.layer(),
    Exceptions.layer,
    Search.layer,
    Messages.layer(),
    DocumentFiles.layer(defaultHttpConfig),
    authentication(given)
  ).pipe(
    Layer.provideMerge(Sql.layer),
    Layer.provide(
      Database.layer({
        ...Database.defaultDatabaseConfig,
        url: given.url,
        maxConnections: given.maxConnections
      })
    )
  )

const nodeServer = ({ port }: Settings) =>
  Layer.unwrap(Effect.map(WebSockets, (sockets) => {
    const server = new NodeServer()
    server.upgrades.register(sockets)
    return NodeHttpServer.layer(() => server, { host: "127.0.0.1", port })
  }))

const http = (given: Settings) =>
  HttpRouter.serve(
    Layer.mergeAll(
      HttpAdapter.layer({ ...defaultHttpConfig, baseUrl: baseUrlOf(given) }),
      GraphqlAdapter.routes()
    ),
    { disableLogger: true, disableListenLog: true }
  ).pipe(
    Layer.provide(nodeServer(given)),
    Layer.provide(GraphqlAdapter.layer())
  )

/** Appends in the process of the server, through its own log. */
const control = Layer.effectDiscard(
  Effect.gen(function*() {
    const { append } = yield* MessageLog
    const services = yield* Effect.context<never>()
    appendForParent((drafts) => Effect.runPromiseWith(services)(append(drafts)))
  })
)

const program = Effect.gen(function*() {
  const given = yield* settings
  return yield* Layer.launch(
    Layer.mergeAll(http(given), control).pipe(
      Layer.provide(services(given)),
      Layer.provide(Layer.succeed(References.MinimumLogLevel, "Error"))
    )
  )
})

NodeRuntime.runMain(Effect.tapCause(program, StartFailure.explain), { disableErrorReporting: true })
