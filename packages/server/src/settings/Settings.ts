/** The settings of the server, read from the environment, with every default in place. */
import { withoutSlashes } from "@dockline/core/internal/values/Url"
import * as Dashboard from "@dockline/dashboard/Dashboard"
import { audienceOf } from "@dockline/http-adapter/HttpConfig"
import { isLoopback } from "@dockline/wire/internal/Path"
import { Config, ConfigProvider, Option } from "effect"
import type { Redacted } from "effect"
import { defaultLogFormat } from "../telemetry/LogFormat.ts"
import type { Setting } from "./Setting.ts"
import { declared } from "./SettingsTable.ts"

type Given = {
  readonly [Name in keyof typeof declared]: (typeof declared)[Name] extends Setting<infer A> ? A : never
}

/** All settings by name, each with the type of its declaration, which `Object.fromEntries` does not see. */
const given = Config.all(
  Object.fromEntries(
    Object.entries<Setting<unknown>>(declared).map(([name, { config }]) => [name, config])
  )
) as Config.Config<unknown> as Config.Config<Given>

/** Both or neither. */
const operatorOf = (
  { operatorClientId: id, operatorClientSecret: secret }: Given
): Config.Config<{ readonly id: string; readonly secret: Redacted.Redacted } | undefined> => {
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

/** All three or none. */
const providerOf = (
  { oidcClientId, oidcClientSecret, oidcIssuer, oidcName }: Given
): Config.Config<Dashboard.ProviderConfig | undefined> => {
  const given = {
    OIDC_ISSUER: oidcIssuer,
    OIDC_CLIENT_ID: oidcClientId,
    OIDC_CLIENT_SECRET: oidcClientSecret
  }
  const missing = Object.entries(given).filter(([, { _tag }]) => _tag === "None").map(([name]) => name)
  if (missing.length === 3) return Config.succeed(undefined)
  const fail = (message: string) => Config.fail(new ConfigProvider.SourceError({ message }))
  if (Option.isNone(oidcIssuer) || Option.isNone(oidcClientId) || Option.isNone(oidcClientSecret)) {
    return fail(`${missing.join(" and ")} must be set too, or none of ${Object.keys(given).join(", ")}`)
  }
  return Dashboard.isSafeIssuer(oidcIssuer.value)
    ? Config.succeed({
      issuer: oidcIssuer.value,
      clientId: oidcClientId.value,
      clientSecret: oidcClientSecret.value,
      ...(Option.isNone(oidcName) ? {} : { name: oidcName.value })
    })
    : fail("OIDC_ISSUER must begin with https://, unless it is on this machine")
}

/** Puts the defaults in place that depend on other settings. */
const resolve = (given: Given) => {
  /** Demo clients, whose secrets everybody knows, never stand beside what somebody has set up, unless asked for. */
  const demoByDefault = Option.isNone(given.databaseUrl) && Option.isNone(given.operatorClientId)
  const baseUrl = withoutSlashes(Option.getOrElse(given.baseUrl, () => `http://localhost:${given.port}`))
  return {
    ...given,
    baseUrl,
    authUrl: withoutSlashes(Option.getOrElse(given.authUrl, () => baseUrl)),
    dashboardUrl: withoutSlashes(Option.getOrElse(given.dashboardUrl, () => `${baseUrl}/dashboard`)),
    demo: Option.getOrElse(given.demo, () => demoByDefault),
    /** Whether the demo has freight: for the first look, when nothing is said of it. */
    freight: demoByDefault && Option.isNone(given.demo),
    external: Option.map(given.externalIssuer, (issuer) => ({
      issuer,
      audience: Option.getOrElse(given.externalAudience, () => audienceOf(baseUrl)),
      clientClaim: given.externalClientClaim,
      jwksUrl: Option.getOrElse(
        given.externalJwksUrl,
        () => `${withoutSlashes(issuer)}/.well-known/jwks.json`
      )
    })),
    metricsToken: Option.getOrUndefined(given.metricsToken),
    /** Whether only the machine itself reaches the server. */
    isLocal: isLoopback(given.host),
    metricsLocally: isLoopback(given.host) && isLoopback(new URL(baseUrl).hostname),
    stopDelayMillis: given.stopDelaySeconds * 1000,
    webhookTimeoutMillis: given.webhookTimeoutSeconds * 1000,
    sourceAddress: Option.getOrUndefined(given.sourceAddress),
    logFormat: Option.getOrElse(given.logFormat, defaultLogFormat)
  }
}

/** The config of {@link Settings}. */
export const settings = Config.flatMap(
  given,
  (found) =>
    Config.map(
      Config.all([operatorOf(found), providerOf(found)]),
      ([operator, provider]) => ({ ...resolve(found), operator, provider })
    )
)

/** The settings, resolved. */
export type Settings = Config.Success<typeof settings>
