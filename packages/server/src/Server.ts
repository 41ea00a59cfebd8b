/**
 * The server as one layer of five parts, each built on those after it:
 *
 * 1. `http`: REST, GraphQL, MCP and the dashboard as routes on a `NodeServer`; beside it `webhooks`, the dispatcher, and the work of
 *    capabilities.
 * 2. `services`: core, authentication, the rate limits of clients, and the clients that the settings name.
 * 3. `Sql.layer`: the ports on PostgreSQL, with readiness and the vault for secrets.
 * 4. `ServerDatabase`: the PostgreSQL of `DATABASE_URL`, else the embedded one in `DATA_DIR`, migrated.
 * 5. Traces and the log.
 *
 * `DATABASE_URL` decides four things together, because other instances may share that database: the placement of endpoints, the key for
 * secrets (`SECRETS_KEY` instead of a file in `DATA_DIR`), whether there is demo data, and the connections that are reserved for the
 * placement.
 */
import { Authenticator } from "@dockline/core/access/Authenticator"
import { Aside, Capacity, OpenAnswerMemory } from "@dockline/core/access/RequestLimits"
import { DocumentRecordConfig } from "@dockline/core/document/DocumentRecord"
import * as CoreServices from "@dockline/core/embed/CoreServices"
import { MessageLogConfig } from "@dockline/core/messages/MessageLog"
import { ReportedTimes } from "@dockline/core/shipment/CheckIn"
import * as Dashboard from "@dockline/dashboard/Dashboard"
import * as GraphqlAdapter from "@dockline/graphql-adapter/GraphqlAdapter"
import { defaultGraphqlConfig } from "@dockline/graphql-adapter/GraphqlConfig"
import { WebSockets } from "@dockline/graphql-adapter/socket/WebSockets"
import * as DocumentFiles from "@dockline/http-adapter/handlers/DocumentFiles"
import * as HttpAdapter from "@dockline/http-adapter/HttpAdapter"
import { audienceOf } from "@dockline/http-adapter/HttpConfig"
import * as BearerAuth from "@dockline/http-adapter/tokens/BearerAuth"
import * as ClientAddress from "@dockline/http-adapter/tokens/ClientAddress"
import { Clients } from "@dockline/http-adapter/tokens/Clients"
import * as RateLimits from "@dockline/http-adapter/tokens/RateLimits"
import { TokenEndpoint } from "@dockline/http-adapter/tokens/TokenEndpoint"
import { defaultTokensConfig, Tokens } from "@dockline/http-adapter/tokens/Tokens"
import * as McpAdapter from "@dockline/mcp-adapter/McpAdapter"
import { defaultMcpConfig } from "@dockline/mcp-adapter/McpAdapter"
import * as Postgres from "@dockline/sql-storage/Postgres"
import * as Sql from "@dockline/sql-storage/Sql"
import { CustomerAuth } from "@dockline/webhook-adapter/auth/CustomerAuth"
import * as TestMessages from "@dockline/webhook-adapter/dispatch/TestMessages"
import * as OperatorWebhook from "@dockline/webhook-adapter/OperatorWebhook"
import * as OutboundPolicy from "@dockline/webhook-adapter/outbound/OutboundPolicy"
import * as UndiciHttp from "@dockline/webhook-adapter/outbound/UndiciHttp"
import * as ClusterPlacement from "@dockline/webhook-adapter/placement/ClusterPlacement"
import { Placement } from "@dockline/webhook-adapter/placement/Placement"
import * as WebhookAdapter from "@dockline/webhook-adapter/WebhookAdapter"
import { defaultWebhookConfig } from "@dockline/webhook-adapter/WebhookConfig"
import { SitePages } from "@dockline/wire/SitePages"
import type { SitePage } from "@dockline/wire/SitePages"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { Console, Context, Effect, Layer, Option, References } from "effect"
import type { Scope } from "effect"
import { HttpRouter, HttpServerRequest } from "effect/http"
import {
  capabilitiesOf,
  graphqlParts,
  intakesOf,
  restParts,
  sqlCapabilities,
  worksOf
} from "./Capabilities.ts"
import * as DemoData from "./lifecycle/DemoData.ts"
import * as DemoTruck from "./lifecycle/DemoTruck.ts"
import * as OperatorClient from "./lifecycle/OperatorClient.ts"
import * as ServerDatabase from "./lifecycle/ServerDatabase.ts"
import * as StartMessages from "./lifecycle/StartMessages.ts"
import { version } from "./lifecycle/StartMessages.ts"
import { Admission } from "./limits/Admission.ts"
import type { AdmissionOptions } from "./limits/Admission.ts"
import { AnswerBudget } from "./limits/Budgets.ts"
import { defaultConnectionLimits } from "./limits/ConnectionLimits.ts"
import { NodeServer } from "./NodeServer.ts"
import type { Settings } from "./settings/Settings.ts"
import * as Logs from "./telemetry/Logs.ts"
import * as ServerMetrics from "./telemetry/ServerMetrics.ts"
import * as Tracing from "./telemetry/Tracing.ts"

/**
 * The time in which requests and deliveries in flight may finish, concurrently, when the server stops. Of the ten seconds of D12.3, after
 * which a supervisor kills the server, the other two are left to write outcomes and to stop the database.
 */
const shutdownGraceMillis = 8_000

const authentication = (settings: Settings) =>
  Layer.mergeAll(
    Layer.provide(Dashboard.authenticator, BearerAuth.layer),
    TokenEndpoint.layer({ trustedProxies: settings.trustedProxies })
  ).pipe(
    Layer.provideMerge(Layer.mergeAll(
      Clients.layer,
      Tokens.layer({
        ...defaultTokensConfig,
        issuer: settings.authUrl,
        audience: audienceOf(settings.baseUrl),
        otherAudiences: [
          McpAdapter.resourceOf(settings.baseUrl),
          ...graphqlParts.filter(({ name }) => settings.capabilities.includes(name))
            .map(({ path }) => `${settings.baseUrl}${path}`)
        ],
        lifetimeSeconds: settings.tokenLifetimeSeconds,
        external: Option.getOrUndefined(settings.external)
      })
    ))
  )

/** Stores the clients of the settings. The operator is stored last, because it may have the id of a demo client. */
const knownClients = (settings: Settings) =>
  Layer.effectDiscard(ServerDatabase.withWait(
    Effect.andThen(
      settings.demo ? DemoData.install : DemoData.revoke,
      OperatorClient.install(settings.operator)
    )
  ))

const core = (settings: Settings) =>
  CoreServices.layer(settings, capabilitiesOf(settings.capabilities)).pipe(
    Layer.provide(OutboundPolicy.layer({ allow: settings.outboundAllow })),
    Layer.provide(TestMessages.layer(webhookConfig(settings)))
  )

const webhookConfig = ({ webhookTimeoutMillis }: Settings) => ({
  ...defaultWebhookConfig,
  timeoutMillis: webhookTimeoutMillis,
  drainMillis: shutdownGraceMillis
})

/** The HTTP client that calls customers, for tests of endpoints and for deliveries. */
const customerCalls = ({ outboundAllow, sourceAddress, webhookTimeoutMillis }: Settings) =>
  CustomerAuth.layer().pipe(
    Layer.provideMerge(UndiciHttp.layer({
      allow: outboundAllow,
      timeoutMillis: webhookTimeoutMillis,
      ...(sourceAddress === undefined ? {} : { sourceAddress })
    }))
  )

/** The placement: instances on one database divide the endpoints among them; on the embedded database there is only one instance. */
const placement = (settings: Settings) =>
  ServerDatabase.isShared(settings)
    ? ServerDatabase.awaitedLayer(ClusterPlacement.layer())
    : Placement.layerSingle

/** Sends webhooks. If the settings have an address for operators, it also notifies them of problems with webhooks and with the storage. */
const webhooks = (settings: Settings) => {
  const { dashboardUrl, operatorWebhook, sourceAddress } = settings
  const dispatching = Layer.provide(WebhookAdapter.layer(webhookConfig(settings)), placement(settings))
  return operatorWebhook === undefined
    ? dispatching
    : Layer.provide(
      Layer.merge(dispatching, ServerDatabase.watchLayer),
      OperatorWebhook.layer({ ...operatorWebhook, dashboardUrl, sourceAddress })
    )
}

/** The stores on their migrated database, with the demo data, core over them, and authentication. */
const services = (settings: Settings) =>
  Layer.provideMerge(
    settings.freight ? Layer.provide(DemoTruck.layer, DemoData.freight) : Layer.empty,
    knownServices(settings)
  )

const knownServices = (settings: Settings) =>
  Layer.mergeAll(
    core(settings),
    DocumentFiles.layer(settings),
    authentication(settings),
    RateLimits.layer({ ...RateLimits.defaultRateLimitsConfig, perMinute: settings.rateLimit }),
    knownClients(settings)
  ).pipe(
    Layer.provideMerge(customerCalls(settings)),
    Layer.provideMerge(
      Layer.mergeAll(
        Sql.layerWith(sqlCapabilities),
        Postgres.readinessWith(sqlCapabilities),
        ServerDatabase.vault(settings)
      )
    ),
    Layer.provideMerge(ServerDatabase.layer(settings)),
    Layer.provide(retention(settings)),
    Layer.provide(reportedTimes(settings))
  )

const retention = ({ documentRetentionDays, messageRetentionDays }: Settings) => {
  const millis = (days: number) => ({ retentionMillis: days * 86_400_000 })
  return Layer.mergeAll(
    Layer.effect(
      MessageLogConfig,
      Effect.map(MessageLogConfig, (log) => ({ ...log, ...millis(messageRetentionDays) }))
    ),
    Layer.succeed(DocumentRecordConfig, millis(documentRetentionDays))
  )
}

const reportedTimes = ({ clockToleranceSeconds, lateEventHours }: Settings) =>
  Layer.succeed(ReportedTimes, { clockToleranceSeconds, lateEventHours })

const graphqlConfig = (settings: Settings) => ({
  ...defaultGraphqlConfig,
  uploadLimit: settings.bodyLimit,
  itemLimit: settings.itemLimit,
  subscriptionBuffer: settings.subscriptionBuffer
})

const mcpConfig = ({ authUrl, baseUrl, external }: Settings) => ({
  ...defaultMcpConfig,
  baseUrl,
  authorizationServers: [Option.match(external, { onNone: () => authUrl, onSome: ({ issuer }) => issuer })],
  version
})

const dashboardConfig = ({ baseUrl, demo, provider }: Settings): Dashboard.DashboardConfig => ({
  baseUrl,
  ...(provider === undefined ? {} : { provider }),
  demoClients: demo ? DemoData.clients : []
})

/** Admits requests, and operations of sockets and event streams, by the client that the authenticator finds. */
const admissionOf = (
  settings: Settings,
  authenticator: NonNullable<AdmissionOptions["authenticator"]>
): Admission => {
  const { bodyLimit, maxBodyBytes, maxRequests, trustedProxies } = settings
  return new Admission({
    authenticator,
    rewrite: Dashboard.countedForm(dashboardConfig(settings)),
    running: maxRequests,
    runningPerBusiness: Math.ceil(maxRequests * 3 / 4),
    runningPerClient: Math.ceil(maxRequests * 9 / 16),
    idle: maxRequests * 4,
    bodyBytes: maxBodyBytes,
    bodyBytesPerBusiness: Math.ceil(maxBodyBytes / 2),
    bodyBytesPerClient: Math.ceil(maxBodyBytes * 3 / 8),
    largestBody: bodyLimit + defaultGraphqlConfig.bodyLimit,
    trustedProxies
  })
}

/** The hosts of the service. Collectors of metrics send requests to addresses, as probes do. */
const hostsOf = ({ authUrl, baseUrl, dashboardUrl, isLocal, metricsToken }: Settings) => ({
  baseUrl,
  others: [authUrl, dashboardUrl],
  isLocal,
  exempt: ["/healthz", "/readyz", ...(metricsToken === undefined ? [] : ["/metrics"])]
})

/** The server that Node runs, with the web sockets of GraphQL on it. */
const nodeServer = (settings: Settings, admission: Admission, answers: AnswerBudget) =>
  Layer.unwrap(Effect.map(Effect.all([WebSockets, DemoTruck.OpenPages]), ([sockets, pages]) => {
    const proxies = ClientAddress.make(settings.trustedProxies)
    const server = new NodeServer({
      admission,
      connections: settings.maxConnections,
      connectionsPerAddress: settings.maxConnectionsPerAddress,
      isExempt: (address) => defaultConnectionLimits.isExempt(address) || proxies.isTrusted(address),
      hosts: hostsOf(settings),
      stop: { graceMillis: shutdownGraceMillis, delayMillis: settings.stopDelayMillis }
    })
    server.upgrades.register(sockets)
    const dashboardSockets = Dashboard.sockets(dashboardConfig(settings), sockets)
    server.upgrades.register(
      settings.freight ? DemoTruck.counting(pages, dashboardSockets) : dashboardSockets
    )
    return ServerMetrics.limitMetrics(server, answers).pipe(
      Layer.provideMerge(
        NodeHttpServer.layer(() => server, {
          host: settings.host,
          port: settings.port,
          gracefulShutdownTimeout: settings.stopDelayMillis + shutdownGraceMillis
        })
      )
    )
  }))

/**
 * The number of services that a request may add to those of the server without a copy. Requests add some ten, which is more than the
 * default of Effect; beyond it, Effect copies all services.
 */
const servicesOfRequest = 24

/** Builds a layer whose requests add services without copying those of the server. */
const withoutCopies = <A, E, R>(layer: Layer.Layer<A, E, R>): Layer.Layer<A, E, R> =>
  Layer.effectContext(Effect.updateContext(
    Layer.build(layer),
    ({ mapUnsafe }: Context.Context<R | Scope.Scope>): Context.Context<R | Scope.Scope> =>
      Context.makeUnsafe(mapUnsafe, { maxDepth: servicesOfRequest })
  ))

const http = (settings: Settings, admission: Admission, answers: AnswerBudget) =>
  withoutCopies(HttpRouter.serve(
    Layer.provideMerge(
      Dashboard.layer(dashboardConfig(settings)),
      Layer.mergeAll(
        HttpAdapter.layer(settings, restParts),
        GraphqlAdapter.routes(graphqlConfig(settings)),
        McpAdapter.routes(mcpConfig(settings))
      )
    ),
    {
      disableLogger: true,
      disableListenLog: true,
      middleware: (handler) =>
        Effect.flatMap(
          HttpServerRequest.HttpServerRequest,
          ({ source }) => admission.within(source, handler)
        )
    }
  )).pipe(
    Layer.provide(nodeServer(settings, admission, answers)),
    Layer.provide(ServerMetrics.processMetrics({ version })),
    Layer.provide(GraphqlAdapter.layer(graphqlConfig(settings), graphqlParts)),
    Layer.provide(Layer.succeed(SitePages, sitePages(settings))),
    Layer.provide(Layer.succeed(Capacity, admission.admitWork)),
    Layer.provide(Layer.succeed(Aside, admission.beginAside)),
    Layer.provide(Layer.succeed(OpenAnswerMemory, answers.open))
  )

/** The pages for people, which link to each other. */
const sitePages = ({ baseUrl }: Settings): ReadonlyArray<SitePage> => {
  const below = new URL(baseUrl).pathname.replace(/\/$/, "")
  return [
    { name: "Dashboard", path: `${below}/dashboard` },
    { name: "REST reference", path: `${below}/v1/docs/` },
    { name: "GraphiQL", path: `${below}${defaultGraphqlConfig.path}` }
  ]
}

const admission = (settings: Settings) =>
  Layer.unwrap(Effect.gen(function*() {
    const context = yield* Effect.context<never>()
    const { authenticate } = yield* Authenticator
    const authenticator = {
      authenticate: (header: string | undefined) => Effect.provideContext(authenticate(header), context)
    }
    return http(settings, admissionOf(settings, authenticator), new AnswerBudget())
  }))

/**
 * Announces the server: by the banner on a terminal, otherwise by an entry of the log. It also logs the stop.
 */
const announcement = (settings: Settings) =>
  Layer.effectDiscard(Effect.gen(function*() {
    const { baseUrl, demo, logFormat } = settings
    const database = ServerDatabase.describe(settings)
    yield* logFormat === "pretty"
      ? Console.log(StartMessages.text(settings, database))
      : Effect.annotateLogs(Effect.logInfo(`Dockline serves ${baseUrl}`), { version, database, demo })
    yield* Effect.addFinalizer(() =>
      Effect.logInfo("Stopping: requests and deliveries in flight are finished, and no new ones begin")
    )
  }))

/**
 * The server. It listens once its services are ready, and reports this on standard output. Requests and deliveries stop concurrently, so
 * that their times do not add up.
 */
export const layer = (settings: Settings) =>
  announcement(settings).pipe(
    Layer.provide(Layer.mergeAll(admission(settings), webhooks(settings), worksOf(settings))),
    Layer.provide(intakesOf(settings.capabilities)),
    Layer.provide(services(settings)),
    Layer.provide(DemoTruck.OpenPages.layer),
    Layer.provide(Tracing.layer(settings.otlpEndpoint)),
    Layer.provide(Logs.layer(settings.logFormat)),
    Layer.provide(Layer.succeed(References.MinimumLogLevel, settings.logLevel))
  )
