/** The settings of the server, read from the environment, with every default in place. */
import { withoutSlashes } from "@dockline/core/values/Url"
import * as Dashboard from "@dockline/dashboard/Dashboard"
import { audienceOf } from "@dockline/http-adapter/HttpConfig"
import { isLoopback } from "@dockline/wire/Path"
import { Config, ConfigProvider, Option } from "effect"
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

const fail = (message: string) => Config.fail(new ConfigProvider.SourceError({ message }))

/** The values of settings that are set together or not at all, given by their variables. */
const together = <A>(
  given: Readonly<Record<string, Option.Option<unknown>>>,
  values: Option.Option<A>
): Config.Config<A | undefined> => {
  const names = (areSet: boolean) =>
    Object.entries(given).filter(([, value]) => Option.isSome(value) === areSet).map(([name]) => name)
  const [set, missing] = [names(true), names(false)]
  if (Option.isSome(values) || set.length === 0) return Config.succeed(Option.getOrUndefined(values))
  const are = set.length === 1 ? "is" : "are"
  return fail(`${missing.join(" and ")} must be set, as ${set.join(" and ")} ${are}; set all of them or none`)
}

const operatorOf = ({ operatorClientId: id, operatorClientSecret: secret }: Given) =>
  together({ OPERATOR_CLIENT_ID: id, OPERATOR_CLIENT_SECRET: secret }, Option.all({ id, secret }))

const operatorWebhookOf = ({ operatorWebhookSecret: secret, operatorWebhookUrl: url }: Given) =>
  together({ OPERATOR_WEBHOOK_URL: url, OPERATOR_WEBHOOK_SECRET: secret }, Option.all({ url, secret }))

const providerOf = (
  { oidcClientId: clientId, oidcClientSecret: clientSecret, oidcIssuer: issuer, oidcName }: Given
): Config.Config<Dashboard.ProviderConfig | undefined> =>
  Config.flatMap(
    together(
      { OIDC_ISSUER: issuer, OIDC_CLIENT_ID: clientId, OIDC_CLIENT_SECRET: clientSecret },
      Option.all({ issuer, clientId, clientSecret })
    ),
    (provider) =>
      provider === undefined || Dashboard.isSafeIssuer(provider.issuer)
        ? Config.succeed(
          provider && { ...provider, ...(Option.isNone(oidcName) ? {} : { name: oidcName.value }) }
        )
        : fail("OIDC_ISSUER must begin with https://, unless it is on this machine")
  )

/** Puts the defaults in place that depend on other settings. */
const resolve = (given: Given) => {
  /** The secrets of demo clients are public: they never stand beside a set-up of your own, unless asked for. */
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
    securityContact: Option.getOrUndefined(given.securityContact),
    logFormat: Option.getOrElse(given.logFormat, defaultLogFormat)
  }
}

/** The config of {@link Settings}. */
export const settings = Config.flatMap(
  given,
  (found) =>
    Config.map(
      Config.all([operatorOf(found), providerOf(found), operatorWebhookOf(found)]),
      ([operator, provider, operatorWebhook]) => ({ ...resolve(found), operator, provider, operatorWebhook })
    )
)

/** The settings, resolved. */
export type Settings = Config.Success<typeof settings>
