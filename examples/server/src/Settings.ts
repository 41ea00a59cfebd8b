/**
 * The settings of the example server: environment variables, each declared once with its default and its meaning.
 * The table in README.md is made from them, and a test holds the two together.
 */
import { defaultIntakeConfig } from "@dockline/core/Intake"
import { defaultMessagesConfig } from "@dockline/core/Messages"
import { defaultGraphqlConfig } from "@dockline/graphql-adapter/GraphqlConfig"
import { defaultAdmissionConfig } from "@dockline/http-adapter/Admission"
import { defaultConnectionLimits } from "@dockline/http-adapter/ConnectionLimits"
import { defaultHttpConfig } from "@dockline/http-adapter/HttpConfig"
import { defaultRateLimitsConfig } from "@dockline/http-adapter/RateLimits"
import * as OutboundPolicy from "@dockline/webhook-adapter/OutboundPolicy"
import * as SecretsKey from "@dockline/webhook-adapter/SecretsKey"
import { defaultWebhookConfig } from "@dockline/webhook-adapter/WebhookConfig"
import { Config, ConfigProvider, LogLevel, Option, Redacted, Result, Schema } from "effect"
import { isIP } from "node:net"
import { defaultLogFormat, logFormats } from "./LogFormat.ts"
import type { OperatorCredentials } from "./OperatorClient.ts"

/** One setting as the table in README.md shows it. */
export interface SettingRow {
  readonly name: string
  readonly default: string
  readonly meaning: string
}

const rows: Array<SettingRow> = []

/** The settings as rows of a table, in the order of their declaration. */
export const table: ReadonlyArray<SettingRow> = rows

/** Declares a setting: its row in the table, and the config that reads it. */
const setting = <A>(name: string, shownDefault: string, meaning: string, config: Config.Config<A>) => {
  rows.push({ name, default: shownDefault, meaning })
  return config
}

const text = (name: string, value: string, meaning: string) =>
  setting(name, `\`${value}\``, meaning, Config.withDefault(Config.NonEmptyString(name), value))

const optionalText = (name: string, shownDefault: string, meaning: string) =>
  setting(name, shownDefault, meaning, Config.option(Config.NonEmptyString(name)))

const Positive = Schema.Int.check(Schema.isGreaterThan(0, { message: "must be a whole number above 0" }))

const positive = (name: string, value: number, meaning: string) =>
  setting(name, `\`${value}\``, meaning, Config.withDefault(Config.schema(Positive, name), value))

/** Longer than any server should take. What is beyond some 25 days, no timer could hold. */
const WebhookTimeout = Schema.Int.check(
  Schema.isBetween({ minimum: 1, maximum: 300 }, { message: "must be a whole number from 1 to 300" })
)

const Count = Schema.Int.check(
  Schema.isGreaterThanOrEqualTo(0, { message: "must be a whole number of at least 0" })
)

/** What delays the end must itself have one. */
const StopDelay = Schema.Int.check(
  Schema.isBetween({ minimum: 0, maximum: 300 }, { message: "must be a whole number from 0 to 300" })
)

/** Entries with commas between them. */
const list = (text: string): ReadonlyArray<string> =>
  text.split(",").map((entry) => entry.trim()).filter((entry) => entry !== "")

const Networks = Schema.String.check(
  Schema.makeFilter((text: string) => {
    const faults = list(text).map((network) => {
      const fault = OutboundPolicy.networkFault(network)
      return fault === undefined ? undefined : `${network} ${fault}`
    })
    return faults.find((fault) => fault !== undefined)
  })
)

const LocalAddress = Schema.String.check(
  Schema.makeFilter((text: string) =>
    text === "" || isIP(text) !== 0 || "must be an address, such as 203.0.113.7"
  )
)

/** As an address of the operator API can name it. */
const ClientId = Schema.String.check(
  Schema.makeFilter((id: string) =>
    /^[\x21-\x7e]{0,100}$/.test(id) || "must be at most 100 characters of printable ASCII without spaces"
  )
)

/** Checked as text, so that a fault never shows a key. */
const SecretsKeys = Schema.String.check(
  Schema.makeFilter((text: string) => {
    const parsed = text === "" ? undefined : SecretsKey.parse(text)
    return parsed !== undefined && Result.isFailure(parsed) ? parsed.failure.reason : undefined
  })
)

const Days = Schema.Finite.check(Schema.isGreaterThan(0, { message: "must be a number above 0" }))

const levelOf = (text: string): LogLevel.LogLevel | undefined =>
  LogLevel.values.find((level) => level.toLowerCase() === text.toLowerCase())

const LogLevelText = Schema.String.check(
  Schema.makeFilter((text: string) =>
    levelOf(text) !== undefined || `must be one of ${LogLevel.values.join(", ")}`
  )
)

const isHttpUrl = (url: string): boolean => /^https?:$/.test(URL.parse(url)?.protocol ?? "")

const HttpUrl = Schema.String.check(
  Schema.makeFilter((url: string) => url === "" || isHttpUrl(url) || "must be an address, https://host")
)

const optionalUrl = (name: string, shownDefault: string, meaning: string) =>
  setting(
    name,
    shownDefault,
    meaning,
    Config.map(Config.option(Config.schema(HttpUrl, name)), Option.filter((url) => url !== ""))
  )

const isPostgresUrl = (url: string): boolean => /^postgres(?:ql)?:$/.test(URL.parse(url)?.protocol ?? "")

/** Checked as text, so that a fault names the variable and never shows the password. */
const DatabaseUrl = Schema.String.check(
  Schema.makeFilter((url: string) =>
    url === "" || isPostgresUrl(url) || "must be postgres://user:password@host:port/database"
  )
)

/** Without a trailing slash, so that paths can be appended. */
const trimSlash = (url: string): string => url.replace(/\/+$/, "")

const declared = Config.all({
  host: text("HOST", "127.0.0.1", "Address to listen on; `0.0.0.0` for all"),
  port: setting("PORT", "`8080`", "Port to listen on", Config.withDefault(Config.Port("PORT"), 8080)),
  baseUrl: optionalUrl(
    "BASE_URL",
    "`http://localhost:{PORT}`",
    "Address that clients use; part of the token audience"
  ),
  authUrl: optionalUrl("AUTH_URL", "`BASE_URL`", "Issuer of our tokens, as clients see it"),
  dashboardUrl: optionalUrl(
    "DASHBOARD_URL",
    "`{BASE_URL}/dashboard`",
    "Address of your dashboard; messages link to pallets and shipments there"
  ),
  databaseUrl: setting(
    "DATABASE_URL",
    "embedded PostgreSQL",
    "`postgres://user:password@host:port/database` of a PostgreSQL of your own",
    Config.option(Config.map(Config.schema(DatabaseUrl, "DATABASE_URL"), (url) => Redacted.make(url)))
  ),
  dataDir: text("DATA_DIR", "./data", "Folder of the embedded PostgreSQL; not used with `DATABASE_URL`"),
  databaseConnections: positive(
    "DATABASE_CONNECTIONS",
    16,
    "Connections to the database for requests; a few more are for messages and webhooks"
  ),
  demo: setting(
    "DEMO",
    "`true`, with `DATABASE_URL` `false`",
    "Create the demo businesses and clients, whose secrets everybody knows",
    Config.option(Config.Boolean("DEMO"))
  ),
  operatorClientId: setting(
    "OPERATOR_CLIENT_ID",
    "none",
    "Client that may operate the whole service, made at the start; with `OPERATOR_CLIENT_SECRET`",
    Config.map(Config.option(Config.schema(ClientId, "OPERATOR_CLIENT_ID")), Option.filter((id) => id !== ""))
  ),
  operatorClientSecret: setting(
    "OPERATOR_CLIENT_SECRET",
    "none",
    "Its secret: long and random",
    Config.option(
      Config.map(Config.NonEmptyString("OPERATOR_CLIENT_SECRET"), (secret) => Redacted.make(secret))
    )
  ),
  tokenLifetimeSeconds: positive("TOKEN_LIFETIME_SECONDS", 86_400, "Lifetime of an access token"),
  externalIssuer: optionalUrl(
    "EXTERNAL_ISSUER",
    "none",
    "Take the tokens of this issuer instead of our own"
  ),
  externalAudience: optionalText(
    "EXTERNAL_AUDIENCE",
    "`{BASE_URL}/public_graphql`",
    "Audience of the external tokens"
  ),
  externalClientClaim: text(
    "EXTERNAL_CLIENT_CLAIM",
    "client_id",
    "Claim of an external token that names the client; only machines' tokens may carry it, or the audience must tell"
  ),
  externalJwksUrl: optionalUrl(
    "EXTERNAL_JWKS_URL",
    "`{EXTERNAL_ISSUER}/.well-known/jwks.json`",
    "Keys of the external issuer"
  ),
  bodyLimit: positive("BODY_LIMIT_BYTES", defaultHttpConfig.bodyLimit, "Largest request body; 413 beyond it"),
  itemLimit: positive(
    "ITEM_LIMIT",
    defaultIntakeConfig.itemLimit,
    "Most items in one document; 413 beyond it"
  ),
  pushMessagesMax: positive(
    "PUSH_MESSAGES_MAX",
    defaultMessagesConfig.maxMessages,
    "Most messages in one answer of `pushMessages`; an error beyond it"
  ),
  subscriptionBuffer: positive(
    "SUBSCRIPTION_BUFFER",
    defaultGraphqlConfig.subscriptionBuffer,
    "Live messages that may wait for one subscriber before it is closed with 4429"
  ),
  messageRetentionDays: setting(
    "MESSAGE_RETENTION_DAYS",
    "`90`",
    "Days that messages are kept; fractions allowed",
    Config.withDefault(Config.schema(Days, "MESSAGE_RETENTION_DAYS"), 90)
  ),
  metricsToken: setting(
    "METRICS_TOKEN",
    "none",
    "Bearer token of whoever may read `/metrics`; without it only the machine itself may, where `HOST` and `BASE_URL` are loopback addresses",
    Config.option(Config.map(Config.String("METRICS_TOKEN"), (token) => Redacted.make(token)))
  ),
  rateLimit: setting(
    "RATE_LIMIT_PER_MINUTE",
    `\`${defaultRateLimitsConfig.perMinute}\``,
    "Requests a minute that each client may send to one instance; 429 beyond it, 0 for no limit",
    Config.withDefault(Config.schema(Count, "RATE_LIMIT_PER_MINUTE"), defaultRateLimitsConfig.perMinute)
  ),
  maxRequests: positive(
    "MAX_REQUESTS",
    defaultAdmissionConfig.running,
    "Requests worked on at once; up to 1,000 more wait for a moment, and the rest is answered 503"
  ),
  maxBodyBytes: positive(
    "MAX_BODY_BYTES",
    defaultAdmissionConfig.bodyBytes,
    "Bytes of request bodies held at once, half of them for one client; 503 beyond it"
  ),
  maxConnections: positive(
    "MAX_CONNECTIONS",
    defaultConnectionLimits.connections,
    "Connections at once, web sockets included; more are closed"
  ),
  maxConnectionsPerAddress: setting(
    "MAX_CONNECTIONS_PER_ADDRESS",
    `\`${defaultConnectionLimits.connectionsPerAddress}\``,
    "Connections of one address at once, 0 for no limit; loopback and `TRUSTED_PROXIES` have none",
    Config.withDefault(
      Config.schema(Count, "MAX_CONNECTIONS_PER_ADDRESS"),
      defaultConnectionLimits.connectionsPerAddress
    )
  ),
  trustedProxies: setting(
    "TRUSTED_PROXIES",
    "none",
    "Networks of your proxies, such as `10.0.0.0/8`, whose `X-Forwarded-For` names the client; nobody else's is read",
    Config.map(Config.withDefault(Config.schema(Networks, "TRUSTED_PROXIES"), ""), list)
  ),
  stopDelaySeconds: setting(
    "STOP_DELAY_SECONDS",
    "`0`",
    "Seconds after SIGTERM that connections are still taken, with `/readyz` at 503, for balancers to notice",
    Config.withDefault(Config.schema(StopDelay, "STOP_DELAY_SECONDS"), 0)
  ),
  webhookTimeoutSeconds: setting(
    "WEBHOOK_TIMEOUT_SECONDS",
    `\`${defaultWebhookConfig.timeoutMillis / 1000}\``,
    "Seconds that a customer's server has to answer a webhook",
    Config.withDefault(
      Config.schema(WebhookTimeout, "WEBHOOK_TIMEOUT_SECONDS"),
      defaultWebhookConfig.timeoutMillis / 1000
    )
  ),
  outboundAllow: setting(
    "OUTBOUND_ALLOW",
    "none",
    "Networks that webhooks may reach besides public addresses, and over plain http, such as `127.0.0.0/8,10.1.0.0/16`",
    Config.map(Config.withDefault(Config.schema(Networks, "OUTBOUND_ALLOW"), ""), list)
  ),
  outboundSourceAddress: setting(
    "OUTBOUND_SOURCE_ADDRESS",
    "chosen by the system",
    "Local address that webhooks are sent from, for customers that allow one address only",
    Config.option(Config.schema(LocalAddress, "OUTBOUND_SOURCE_ADDRESS"))
  ),
  secretsKey: setting(
    "SECRETS_KEY",
    "`{DATA_DIR}/secrets.key`, with `DATABASE_URL` none",
    "Encrypts customers' passwords and signing secrets: base64 of 32 bytes (`openssl rand -base64 32`); several with \
commas, of which the first encrypts",
    Config.option(Config.map(Config.schema(SecretsKeys, "SECRETS_KEY"), (keys) => Redacted.make(keys)))
  ),
  logLevel: setting(
    "LOG_LEVEL",
    "`Info`",
    "`Trace`, `Debug`, `Info`, `Warn`, `Error`, `Fatal` or `None`, in any case; `Debug` has a line for each request",
    Config.withDefault(
      Config.map(Config.schema(LogLevelText, "LOG_LEVEL"), (text) => levelOf(text) ?? "Info"),
      "Info"
    )
  ),
  logFormat: setting(
    "LOG_FORMAT",
    "`pretty` on a terminal, else `json`",
    "`pretty`, `json` or `logfmt`: how the lines of the log are written",
    Config.option(Config.schema(Schema.Literals(logFormats), "LOG_FORMAT"))
  ),
  otlpEndpoint: optionalUrl(
    "OTEL_EXPORTER_OTLP_ENDPOINT",
    "none",
    "Collector of traces, OTLP over HTTP, such as `http://localhost:4318`; docs/operations/tracing.md has the other `OTEL_` variables"
  )
})

/** An issuer of tokens other than ourselves. */
export interface ExternalIssuer {
  readonly issuer: string
  readonly audience: string
  readonly jwksUrl: string
  readonly clientClaim: string
}

/** Whether a host is the machine itself, as an address to listen on or in a URL. */
const isLoopback = (host: string): boolean => /^(?:localhost|127(?:\.\d{1,3}){3}|\[?::1\]?)$/i.test(host)

/** Both or neither. */
const operatorOf = (
  id: Option.Option<string>,
  secret: Option.Option<Redacted.Redacted>
): Config.Config<OperatorCredentials | undefined> => {
  if (Option.isSome(id) && Option.isSome(secret)) {
    return Config.succeed({ id: id.value, secret: secret.value })
  }
  if (Option.isNone(id) && Option.isNone(secret)) return Config.succeed(undefined)
  const [given, missing] = Option.isSome(id)
    ? ["OPERATOR_CLIENT_ID", "OPERATOR_CLIENT_SECRET"]
    : ["OPERATOR_CLIENT_SECRET", "OPERATOR_CLIENT_ID"]
  const message = `${given} is set and ${missing} is not; set both or neither`
  return Config.fail(new ConfigProvider.SourceError({ message }))
}

const resolve = (given: Config.Success<typeof declared>) => {
  const baseUrl = trimSlash(Option.getOrElse(given.baseUrl, () => `http://localhost:${given.port}`))
  const authUrl = trimSlash(Option.getOrElse(given.authUrl, () => baseUrl))
  const external = Option.map(given.externalIssuer, (issuer): ExternalIssuer => ({
    issuer,
    audience: Option.getOrElse(given.externalAudience, () => `${baseUrl}/public_graphql`),
    clientClaim: given.externalClientClaim,
    jwksUrl: Option.getOrElse(given.externalJwksUrl, () => `${trimSlash(issuer)}/.well-known/jwks.json`)
  }))
  // An empty variable is how an env file says "not set".
  const databaseUrl = Option.filter(given.databaseUrl, (url) => Redacted.value(url) !== "")
  return {
    host: given.host,
    port: given.port,
    baseUrl,
    authUrl,
    dashboardUrl: trimSlash(Option.getOrElse(given.dashboardUrl, () => `${baseUrl}/dashboard`)),
    databaseUrl,
    dataDir: given.dataDir,
    databaseConnections: given.databaseConnections,
    demo: Option.getOrElse(given.demo, () => Option.isNone(databaseUrl)),
    tokenLifetimeSeconds: given.tokenLifetimeSeconds,
    external,
    bodyLimit: given.bodyLimit,
    itemLimit: given.itemLimit,
    pushMessagesMax: given.pushMessagesMax,
    subscriptionBuffer: given.subscriptionBuffer,
    messageRetentionDays: given.messageRetentionDays,
    metricsToken: Option.getOrUndefined(
      Option.filter(given.metricsToken, (token) => Redacted.value(token) !== "")
    ),
    metricsLocally: isLoopback(given.host) && isLoopback(new URL(baseUrl).hostname),
    rateLimit: given.rateLimit,
    maxRequests: given.maxRequests,
    maxBodyBytes: given.maxBodyBytes,
    maxConnections: given.maxConnections,
    maxConnectionsPerAddress: given.maxConnectionsPerAddress,
    trustedProxies: given.trustedProxies,
    stopDelayMillis: given.stopDelaySeconds * 1000,
    webhookTimeoutMillis: given.webhookTimeoutSeconds * 1000,
    outboundAllow: given.outboundAllow,
    sourceAddress: Option.getOrUndefined(Option.filter(given.outboundSourceAddress, (text) => text !== "")),
    secretsKeys: Option.filter(given.secretsKey, (keys) => Redacted.value(keys) !== ""),
    logLevel: given.logLevel,
    logFormat: Option.getOrElse(given.logFormat, defaultLogFormat),
    otlpEndpoint: given.otlpEndpoint
  }
}

/** The settings, resolved: every default that depends on another setting is in place. */
export const settings = Config.flatMap(
  declared,
  (given) =>
    Config.map(
      operatorOf(given.operatorClientId, given.operatorClientSecret),
      (operator) => ({ ...resolve(given), operator })
    )
)

/** The settings of the example server. */
export type Settings = Config.Success<typeof settings>
