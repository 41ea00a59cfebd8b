/**
 * The server as one layer: database, stores, core, HTTP.
 */
import { Capacity } from "@dockline/core/Capacity"
import * as CoreServices from "@dockline/core/CoreServices"
import { MessageLogConfig } from "@dockline/core/MessageLog"
import { SecretsVault } from "@dockline/core/SecretsVault"
import * as GraphqlAdapter from "@dockline/graphql-adapter/GraphqlAdapter"
import { defaultGraphqlConfig } from "@dockline/graphql-adapter/GraphqlConfig"
import { WebSockets } from "@dockline/graphql-adapter/WebSockets"
import { Admission } from "@dockline/http-adapter/Admission"
import * as AdmissionMetrics from "@dockline/http-adapter/AdmissionMetrics"
import * as BearerAuth from "@dockline/http-adapter/BearerAuth"
import * as ClientAddress from "@dockline/http-adapter/ClientAddress"
import { Clients } from "@dockline/http-adapter/Clients"
import { defaultConnectionLimits } from "@dockline/http-adapter/ConnectionLimits"
import * as ConnectionMetrics from "@dockline/http-adapter/ConnectionMetrics"
import * as DocumentFiles from "@dockline/http-adapter/DocumentFiles"
import { withGrace } from "@dockline/http-adapter/GracefulServer"
import * as HttpAdapter from "@dockline/http-adapter/HttpAdapter"
import { audienceOf } from "@dockline/http-adapter/HttpConfig"
import * as NodeServer from "@dockline/http-adapter/NodeServer"
import * as ProcessMetrics from "@dockline/http-adapter/ProcessMetrics"
import * as RateLimits from "@dockline/http-adapter/RateLimits"
import { TokenEndpoint } from "@dockline/http-adapter/TokenEndpoint"
import { defaultTokensConfig, Tokens } from "@dockline/http-adapter/Tokens"
import * as Database from "@dockline/sql-storage/Database"
import * as EmbeddedPostgres from "@dockline/sql-storage/EmbeddedPostgres"
import * as Migrations from "@dockline/sql-storage/Migrations"
import * as Postgres from "@dockline/sql-storage/Postgres"
import * as Sql from "@dockline/sql-storage/Sql"
import * as ClusterPlacement from "@dockline/webhook-adapter/ClusterPlacement"
import { CustomerAuth } from "@dockline/webhook-adapter/CustomerAuth"
import * as OutboundPolicy from "@dockline/webhook-adapter/OutboundPolicy"
import { Placement } from "@dockline/webhook-adapter/Placement"
import * as SecretsKey from "@dockline/webhook-adapter/SecretsKey"
import * as UndiciHttp from "@dockline/webhook-adapter/UndiciHttp"
import * as WebhookAdapter from "@dockline/webhook-adapter/WebhookAdapter"
import { defaultWebhookConfig } from "@dockline/webhook-adapter/WebhookConfig"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { Console, Effect, Layer, Option, Redacted, References } from "effect"
import { HttpRouter } from "effect/http"
import * as Banner from "./Banner.ts"
import * as DatabaseWait from "./DatabaseWait.ts"
import * as DemoData from "./DemoData.ts"
import * as LogFormat from "./LogFormat.ts"
import * as OperatorClient from "./OperatorClient.ts"
import * as SecretsKeyFile from "./SecretsKeyFile.ts"
import type { Settings } from "./Settings.ts"
import * as Tracing from "./Tracing.ts"
import { version } from "./Version.ts"

/**
 * How long requests and deliveries in flight may take once the server is told to stop, both at once. Two seconds of
 * D12.3's ten are left to write what came of them and to stop the database: whoever runs the server kills it then.
 */
const shutdownGraceMillis = 8_000

/** Requests that wait for longer are too many: they take the place of others that would be served. */
const connectionWaitMillis = 5000

/** The database of `DATABASE_URL`, else the embedded one. */
const database = (settings: Settings) =>
  Option.match(settings.databaseUrl, {
    onSome: (url) => connect(settings, url),
    onNone: () =>
      Layer.unwrap(
        Effect.map(
          EmbeddedPostgres.make({ directory: settings.dataDir }),
          ({ url }) => connect(settings, url)
        )
      )
  })

const connect = (settings: Settings, url: Redacted.Redacted) =>
  Layer.provideMerge(
    migrated,
    Database.layer({
      ...Database.defaultDatabaseConfig,
      maxConnections: settings.databaseConnections,
      reservedConnections: isShared(settings) ? ClusterPlacement.connections : 0,
      waitMillis: connectionWaitMillis,
      url
    })
  )

/** Whether other instances may use the same database. */
const isShared = ({ databaseUrl }: Settings): boolean => Option.isSome(databaseUrl)

/** Services are often started before their database. */
const migrated = Layer.effectDiscard(DatabaseWait.awaited(Migrations.migrate))

const authentication = (settings: Settings) =>
  Layer.mergeAll(BearerAuth.layer, TokenEndpoint.layer({ trustedProxies: settings.trustedProxies })).pipe(
    Layer.provideMerge(Layer.mergeAll(
      Clients.layer(),
      Tokens.layer({
        ...defaultTokensConfig,
        issuer: settings.authUrl,
        audience: audienceOf(settings.baseUrl),
        lifetimeSeconds: settings.tokenLifetimeSeconds,
        external: Option.getOrUndefined(settings.external)
      })
    ))
  )

/** The clients that the settings name. The operator of the settings comes last: its id may be that of a demo client. */
const knownClients = (settings: Settings) =>
  Layer.effectDiscard(DatabaseWait.awaited(
    Effect.andThen(
      settings.demo ? DemoData.install : DemoData.revoke,
      OperatorClient.install(settings.operator)
    )
  ))

const describeDatabase = (settings: Settings): string =>
  Option.match(settings.databaseUrl, {
    onSome: (url) => `PostgreSQL at ${new URL(Redacted.value(url)).host}`,
    onNone: () => `embedded PostgreSQL in ${settings.dataDir}`
  })

/** The key of the settings, else the one kept beside the embedded database. */
const vault = (settings: Settings) =>
  Option.match(settings.secretsKeys, {
    onSome: (keys) =>
      Layer.unwrap(Effect.map(Effect.fromResult(SecretsKey.parse(Redacted.value(keys))), SecretsKey.layer)),
    onNone: () =>
      isShared(settings)
        ? SecretsVault.layerWithoutKey
        : Layer.unwrap(Effect.map(SecretsKeyFile.load(settings.dataDir), SecretsKey.layer))
  })

const core = ({ dashboardUrl, itemLimit, outboundAllow, pushMessagesMax }: Settings) =>
  CoreServices.layer({ itemLimit, messageLimit: pushMessagesMax, dashboardUrl }).pipe(
    Layer.provide(OutboundPolicy.layer({ allow: outboundAllow }))
  )

/** Instances on one database share the endpoints among them; on the embedded one there is one instance. */
const placement = (settings: Settings) =>
  isShared(settings) ? DatabaseWait.awaitedLayer(ClusterPlacement.layer()) : Placement.layerSingle

/** Dispatches messages to the endpoints of customers. */
const webhooks = (settings: Settings) =>
  WebhookAdapter.layer({
    ...defaultWebhookConfig,
    timeoutMillis: settings.webhookTimeoutMillis,
    drainMillis: shutdownGraceMillis
  }).pipe(
    Layer.provide(CustomerAuth.layer()),
    Layer.provide(UndiciHttp.layer({
      allow: settings.outboundAllow,
      timeoutMillis: settings.webhookTimeoutMillis,
      ...(settings.sourceAddress === undefined ? {} : { sourceAddress: settings.sourceAddress })
    })),
    Layer.provide(placement(settings))
  )

/** What is built on: stores on their migrated database, with the demo data in them, and who may use them. */
const services = (settings: Settings) =>
  Layer.mergeAll(
    core(settings),
    DocumentFiles.layer(settings),
    authentication(settings),
    RateLimits.layer({ ...RateLimits.defaultRateLimitsConfig, perMinute: settings.rateLimit }),
    knownClients(settings)
  ).pipe(
    Layer.provideMerge(Layer.mergeAll(Sql.layer, Postgres.readiness, vault(settings))),
    Layer.provideMerge(database(settings)),
    Layer.provide(retention(settings))
  )

const retention = ({ messageRetentionDays }: Settings) =>
  Layer.effect(
    MessageLogConfig,
    Effect.map(MessageLogConfig, (log) => ({ ...log, retentionMillis: messageRetentionDays * millisPerDay }))
  )

const millisPerDay = 86_400_000

const graphqlConfig = (settings: Settings) => ({
  ...defaultGraphqlConfig,
  uploadLimit: settings.bodyLimit,
  itemLimit: settings.itemLimit,
  subscriptionBuffer: settings.subscriptionBuffer
})

/** What the process takes on at once, of requests, sockets and event streams together. */
const admissionOf = ({ bodyLimit, maxBodyBytes, maxRequests, trustedProxies }: Settings): Admission =>
  new Admission({
    running: maxRequests,
    runningPerClient: Math.ceil(maxRequests * 3 / 4),
    bodyBytes: maxBodyBytes,
    bodyBytesPerClient: Math.ceil(maxBodyBytes / 2),
    largestBody: bodyLimit + defaultGraphqlConfig.bodyLimit,
    trustedProxies
  })

/** The server that Node runs, with the web sockets of GraphQL on it. */
const nodeServer = (settings: Settings, admission: Admission) =>
  Layer.unwrap(Effect.map(WebSockets, (sockets) => {
    const proxies = ClientAddress.make(settings.trustedProxies)
    const server = withGrace(
      NodeServer.create({
        admission,
        connections: settings.maxConnections,
        connectionsPerAddress: settings.maxConnectionsPerAddress,
        isExempt: (address) => defaultConnectionLimits.isExempt(address) || proxies.isTrusted(address)
      }),
      { graceMillis: shutdownGraceMillis, delayMillis: settings.stopDelayMillis }
    )
    return Layer.merge(Layer.effectDiscard(sockets.attach(server)), ConnectionMetrics.layer(server)).pipe(
      Layer.provideMerge(
        NodeHttpServer.layer(() => server, {
          host: settings.host,
          port: settings.port,
          gracefulShutdownTimeout: settings.stopDelayMillis + shutdownGraceMillis
        })
      )
    )
  }))

const http = (settings: Settings, admission: Admission) =>
  HttpRouter.serve(
    Layer.mergeAll(
      HttpAdapter.layer({
        baseUrl: settings.baseUrl,
        bodyLimit: settings.bodyLimit,
        itemLimit: settings.itemLimit,
        metricsToken: settings.metricsToken,
        metricsLocally: settings.metricsLocally
      }),
      GraphqlAdapter.routes(graphqlConfig(settings))
    ),
    { disableLogger: true, disableListenLog: true }
  ).pipe(
    Layer.provide(nodeServer(settings, admission)),
    Layer.provide(Layer.mergeAll(ProcessMetrics.layer({ version }), AdmissionMetrics.layer(admission))),
    Layer.provide(GraphqlAdapter.layer(graphqlConfig(settings))),
    Layer.provide(Layer.succeed(Capacity, admission.takeOn))
  )

/** The banner once the server listens, and a line when it is told to stop. */
const announced = (settings: Settings) =>
  Layer.effectDiscard(Effect.gen(function*() {
    yield* Console.log(Banner.text(settings, describeDatabase(settings)))
    yield* Effect.addFinalizer(() =>
      Effect.logInfo("Stopping: requests and deliveries in flight are finished, no new ones are begun")
    )
  }))

/**
 * The server, listening once its services are there, with its banner on standard output. Requests and deliveries stop
 * beside each other, so that the time of one is not added to that of the other.
 */
export const layer = (settings: Settings) =>
  announced(settings).pipe(
    Layer.provide(Layer.mergeAll(http(settings, admissionOf(settings)), webhooks(settings))),
    Layer.provide(services(settings)),
    Layer.provide(Tracing.layer(settings.otlpEndpoint)),
    Layer.provide(LogFormat.layer(settings.logFormat)),
    Layer.provide(Layer.succeed(References.MinimumLogLevel, settings.logLevel))
  )
