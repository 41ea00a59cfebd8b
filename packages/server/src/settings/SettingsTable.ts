/**
 * The settings of the server: environment variables, each declared once with its kind, its default and its meaning. `dockline-server
 * --help` shows them; a test compares the table in README.md with them.
 */
import { defaultIntakeConfig } from "@dockline/core/document/Intake"
import { defaultMessageLimit } from "@dockline/core/messages/Messages"
import { defaultReportedTimes } from "@dockline/core/shipment/CheckIn"
import { defaultGraphqlConfig } from "@dockline/graphql-adapter/GraphqlConfig"
import { audienceOf, defaultHttpConfig } from "@dockline/http-adapter/HttpConfig"
import { defaultRateLimitsConfig } from "@dockline/http-adapter/tokens/RateLimits"
import { leastConnections } from "@dockline/sql-storage/connections/Database"
import { defaultWebhookConfig } from "@dockline/webhook-adapter/WebhookConfig"
import { LogLevel } from "effect"
import { capabilityNames, capabilitySettings } from "../Capabilities.ts"
import { defaultAdmissionConfig } from "../limits/Admission.ts"
import { defaultConnectionLimits } from "../limits/ConnectionLimits.ts"
import { logFormats } from "../telemetry/Logs.ts"
import * as Kind from "./Setting.ts"
import { optional, setting } from "./Setting.ts"
import type { SettingRow } from "./Setting.ts"

/** The settings by their names in the server. */
export const declarations = {
  host: setting("HOST", Kind.text, "127.0.0.1", "Address to listen on; `0.0.0.0` for all"),
  port: setting("PORT", Kind.port, 8080, "Port to listen on"),
  baseUrl: optional(
    "BASE_URL",
    Kind.url,
    "`http://localhost:{PORT}`",
    "Address that clients and people use, also in the token audience; a request for another host is answered 421"
  ),
  authUrl: optional("AUTH_URL", Kind.url, "`BASE_URL`", "Issuer of our tokens, as clients see it"),
  dashboardUrl: optional(
    "DASHBOARD_URL",
    Kind.url,
    "`{BASE_URL}/dashboard`",
    "Address of your dashboard; messages link to pallets and shipments there"
  ),
  databaseUrl: optional(
    "DATABASE_URL",
    Kind.databaseUrl,
    "embedded PostgreSQL",
    "`postgres://user:password@host:port/database` of a PostgreSQL of your own; several hosts with commas"
  ),
  dataDir: setting(
    "DATA_DIR",
    Kind.text,
    "./data",
    "Folder of the embedded PostgreSQL; unused with `DATABASE_URL`"
  ),
  databaseConnections: setting(
    "DATABASE_CONNECTIONS",
    Kind.connections,
    16,
    `Connections to the database for requests, a quarter of them for reads, at least ${leastConnections}; messages and webhooks have a few more`
  ),
  migrate: setting(
    "MIGRATE",
    Kind.flag,
    true,
    "Whether to update the schema of the database at the start; with `false` an older schema is refused, and `dockline-server migrate` updates it"
  ),
  demo: optional(
    "DEMO",
    Kind.flag,
    "`true`; with `DATABASE_URL` or `OPERATOR_CLIENT_ID` `false`",
    "Whether to create the demo businesses and clients, whose secrets are public; when `DEMO`, `DATABASE_URL` and `OPERATOR_CLIENT_ID` are all unset, demo shipments too"
  ),
  operatorClientId: optional(
    "OPERATOR_CLIENT_ID",
    Kind.clientId,
    "none",
    "Client that may operate the whole service; the server creates it at the start; requires `OPERATOR_CLIENT_SECRET`"
  ),
  operatorClientSecret: optional(
    "OPERATOR_CLIENT_SECRET",
    Kind.secret,
    "none",
    "Secret of this client: long and random"
  ),
  tokenLifetimeSeconds: setting(
    "TOKEN_LIFETIME_SECONDS",
    Kind.positive,
    86_400,
    "Lifetime of an access token"
  ),
  externalIssuer: optional(
    "EXTERNAL_ISSUER",
    Kind.url,
    "none",
    "Accept the tokens of this issuer instead of our own"
  ),
  externalAudience: optional(
    "EXTERNAL_AUDIENCE",
    Kind.text,
    `\`${audienceOf("{BASE_URL}")}\``,
    "Audience of the external tokens"
  ),
  externalClientClaim: setting(
    "EXTERNAL_CLIENT_CLAIM",
    Kind.text,
    "client_id",
    "Claim of an external token that names the client; only tokens of machines may have it, or the audience must tell them apart"
  ),
  externalJwksUrl: optional(
    "EXTERNAL_JWKS_URL",
    Kind.url,
    "`{EXTERNAL_ISSUER}/.well-known/jwks.json`",
    "Keys of the external issuer"
  ),
  oidcIssuer: optional(
    "OIDC_ISSUER",
    Kind.url,
    "none",
    "OpenID Connect provider at which people sign in to the dashboard, over https; requires `OIDC_CLIENT_ID` and `OIDC_CLIENT_SECRET`"
  ),
  oidcClientId: optional(
    "OIDC_CLIENT_ID",
    Kind.text,
    "none",
    "Client id of the dashboard at the provider; its redirect address is `{BASE_URL}/dashboard/sign-in/callback`"
  ),
  oidcClientSecret: optional(
    "OIDC_CLIENT_SECRET",
    Kind.secret,
    "none",
    "Client secret of the dashboard at the provider"
  ),
  oidcName: optional(
    "OIDC_NAME",
    Kind.text,
    "host of `OIDC_ISSUER`",
    "Name of the provider on the button"
  ),
  bodyLimit: setting(
    "BODY_LIMIT_BYTES",
    Kind.positive,
    defaultHttpConfig.bodyLimit,
    "Largest request body; a larger one is answered 413"
  ),
  itemLimit: setting(
    "ITEM_LIMIT",
    Kind.positive,
    defaultIntakeConfig.itemLimit,
    "Most items in one document; a document with more is answered 413"
  ),
  messageLimit: setting(
    "PUSH_MESSAGES_MAX",
    Kind.positive,
    defaultMessageLimit,
    "Most messages in one answer of `pushMessages`; a request for more is an error"
  ),
  subscriptionBuffer: setting(
    "SUBSCRIPTION_BUFFER",
    Kind.positive,
    defaultGraphqlConfig.subscriptionBuffer,
    "Live messages that may wait for one subscription before it is closed with 4429"
  ),
  messageRetentionDays: setting(
    "MESSAGE_RETENTION_DAYS",
    Kind.days,
    90,
    "Days for which messages are kept; may be a fraction"
  ),
  documentRetentionDays: setting(
    "DOCUMENT_RETENTION_DAYS",
    Kind.daysOrNone,
    90,
    "Days for which the record of documents and their changes is kept; may be a fraction; 0 for no record"
  ),
  clockToleranceSeconds: setting(
    "CLOCK_TOLERANCE_SECONDS",
    Kind.seconds(0, 86_400),
    defaultReportedTimes.clockToleranceSeconds,
    "Seconds by which a reported time, such as `occurredAt` of a pallet, may be ahead of the server; a later time is answered 422"
  ),
  lateEventHours: setting(
    "LATE_EVENT_HOURS",
    Kind.lateHours,
    defaultReportedTimes.lateEventHours,
    "Hours after the departure of a shipment in which it accepts pallets that passed before the departure"
  ),
  metricsToken: optional(
    "METRICS_TOKEN",
    Kind.secret,
    "none",
    "Bearer token for `/metrics`; without it only programs on the same machine may read them, if `HOST` and `BASE_URL` are loopback addresses"
  ),
  rateLimit: setting(
    "RATE_LIMIT_PER_MINUTE",
    Kind.count,
    defaultRateLimitsConfig.perMinute,
    "Requests a minute that each client may send to one instance; further ones are answered 429; 0 for no limit"
  ),
  maxRequests: setting(
    "MAX_REQUESTS",
    Kind.positive,
    defaultAdmissionConfig.running,
    "Requests that run at once; up to 1,000 more wait for a moment, and further ones are answered 503"
  ),
  maxBodyBytes: setting(
    "MAX_BODY_BYTES",
    Kind.positive,
    defaultAdmissionConfig.bodyBytes,
    "Bytes of request bodies in memory at once, at most half of them for one business; further bodies are answered 503"
  ),
  maxConnections: setting(
    "MAX_CONNECTIONS",
    Kind.positive,
    defaultConnectionLimits.connections,
    "Connections at once, including web sockets; further ones are closed"
  ),
  maxConnectionsPerAddress: setting(
    "MAX_CONNECTIONS_PER_ADDRESS",
    Kind.count,
    defaultConnectionLimits.connectionsPerAddress,
    "Connections of one address at once; 0 for no limit; loopback and `TRUSTED_PROXIES` are not limited"
  ),
  trustedProxies: setting(
    "TRUSTED_PROXIES",
    Kind.networks,
    [],
    "Networks of your proxies, such as `10.0.0.0/8`, whose `X-Forwarded-For` names the client; that of others is ignored",
    "none"
  ),
  stopDelaySeconds: setting(
    "STOP_DELAY_SECONDS",
    Kind.seconds(0, 300),
    0,
    "Seconds after SIGTERM in which connections are still accepted while `/readyz` answers 503, so that load balancers notice"
  ),
  webhookTimeoutSeconds: setting(
    "WEBHOOK_TIMEOUT_SECONDS",
    Kind.seconds(1, 300),
    defaultWebhookConfig.timeoutMillis / 1000,
    "Seconds within which a customer's server must answer a webhook"
  ),
  capabilities: setting(
    "CAPABILITIES",
    Kind.someOf(capabilityNames),
    capabilityNames,
    "Capabilities of the service beyond the contract. One that is left out has no operations, pages and texts; its tables stay",
    `\`${capabilityNames.join(",")}\``
  ),
  ...capabilitySettings,
  outboundAllow: setting(
    "OUTBOUND_ALLOW",
    Kind.networks,
    [],
    "Networks that webhooks may reach besides public addresses, also over plain http, such as `127.0.0.0/8,10.1.0.0/16`",
    "none"
  ),
  sourceAddress: optional(
    "OUTBOUND_SOURCE_ADDRESS",
    Kind.localAddress,
    "chosen by the system",
    "Local address from which webhooks are sent, for customers that allow only one address"
  ),
  secretsKeys: optional(
    "SECRETS_KEY",
    Kind.secretsKeys,
    "`{DATA_DIR}/secrets.key`, with `DATABASE_URL` none",
    "Encrypts customers' passwords and signing secrets: base64 of 32 bytes (`openssl rand -base64 32`); several keys with \
commas, of which the first encrypts"
  ),
  securityContact: optional(
    "SECURITY_CONTACT",
    Kind.contact,
    "none",
    "Where people report a vulnerability of your service, `mailto:security@example.com` or a page; `/.well-known/security.txt` names it, and is 404 without it"
  ),
  operatorWebhookUrl: optional(
    "OPERATOR_WEBHOOK_URL",
    Kind.ownUrl,
    "none",
    "Your address for events: endpoints that fail or are disabled, deliveries that are given up, a database that cannot be reached"
  ),
  operatorWebhookSecret: optional(
    "OPERATOR_WEBHOOK_SECRET",
    Kind.signingSecret,
    "none",
    "Signs these events: `echo whsec_$(openssl rand -base64 32)`"
  ),
  logLevel: setting(
    "LOG_LEVEL",
    Kind.word(LogLevel.values),
    "Info",
    "`Trace`, `Debug`, `Info`, `Warn`, `Error`, `Fatal` or `None`, in any case; `Debug` has a line for each request"
  ),
  logFormat: optional(
    "LOG_FORMAT",
    Kind.word(logFormats),
    "`pretty` on a terminal, else `json`",
    "Format of the log: `pretty`, `json` or `logfmt`"
  ),
  otlpEndpoint: optional(
    "OTEL_EXPORTER_OTLP_ENDPOINT",
    Kind.url,
    "none",
    "Collector of traces, OTLP over HTTP, such as `http://localhost:4318`; docs/operations/tracing.md has the other `OTEL_` variables"
  )
}

/** The settings as rows of a table, in the order of their declaration. */
export const table: ReadonlyArray<SettingRow> = Object.values(declarations)
