/** The settings of the server (D12.1), read from the environment, with every default in place. */
import { withoutSlashes } from "@dockline/core/values/Url"
import * as Dashboard from "@dockline/dashboard/Dashboard"
import { audienceOf } from "@dockline/http-adapter/HttpConfig"
import { isLoopback } from "@dockline/wire/Path"
import { Config, ConfigProvider, Option } from "effect"
import { defaultLogFormat } from "../telemetry/LogFormat.ts"
import type { Setting } from "./Setting.ts"
import { declarations } from "./SettingsTable.ts"

type Values = {
  readonly [Name in keyof typeof declarations]: (typeof declarations)[Name] extends Setting<infer A> ? A
    : never
}

/** All settings by name, each with the type of its declaration, which `Object.fromEntries` does not see. */
const values = Config.all(
  Object.fromEntries(
    Object.entries<Setting<unknown>>(declarations).map(([name, { config }]) => [name, config])
  )
) as Config.Config<unknown> as Config.Config<Values>

const fail = (message: string) => Config.fail(new ConfigProvider.SourceError({ message }))

/** The values of settings that are set together or not at all: by their variables, and as one. */
const together = <A>(
  variables: Readonly<Record<string, Option.Option<unknown>>>,
  values: Option.Option<A>
): Config.Config<A | undefined> => {
  const names = (areSet: boolean) =>
    Object.entries(variables).filter(([, value]) => Option.isSome(value) === areSet).map(([name]) => name)
  const [set, missing] = [names(true), names(false)]
  if (Option.isSome(values) || set.length === 0) return Config.succeed(Option.getOrUndefined(values))
  const are = set.length === 1 ? "is" : "are"
  return fail(`${missing.join(" and ")} must be set, as ${set.join(" and ")} ${are}; set all of them or none`)
}

const operatorOf = ({ operatorClientId: id, operatorClientSecret: secret }: Values) =>
  together({ OPERATOR_CLIENT_ID: id, OPERATOR_CLIENT_SECRET: secret }, Option.all({ id, secret }))

const operatorWebhookOf = ({ operatorWebhookSecret: secret, operatorWebhookUrl: url }: Values) =>
  together({ OPERATOR_WEBHOOK_URL: url, OPERATOR_WEBHOOK_SECRET: secret }, Option.all({ url, secret }))

const providerOf = (
  { oidcClientId: clientId, oidcClientSecret: clientSecret, oidcIssuer: issuer, oidcName }: Values
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
const resolve = (values: Values) => {
  /** The secrets of demo clients are public: they never stand beside a set-up of your own, unless asked for. */
  const demoByDefault = Option.isNone(values.databaseUrl) && Option.isNone(values.operatorClientId)
  const baseUrl = withoutSlashes(Option.getOrElse(values.baseUrl, () => `http://localhost:${values.port}`))
  return {
    ...values,
    baseUrl,
    authUrl: withoutSlashes(Option.getOrElse(values.authUrl, () => baseUrl)),
    dashboardUrl: withoutSlashes(Option.getOrElse(values.dashboardUrl, () => `${baseUrl}/dashboard`)),
    demo: Option.getOrElse(values.demo, () => demoByDefault),
    /** Whether the demo has freight: for the first look, when nothing is said of it. */
    freight: demoByDefault && Option.isNone(values.demo),
    external: Option.map(values.externalIssuer, (issuer) => ({
      issuer,
      audience: Option.getOrElse(values.externalAudience, () => audienceOf(baseUrl)),
      clientClaim: values.externalClientClaim,
      jwksUrl: Option.getOrElse(
        values.externalJwksUrl,
        () => `${withoutSlashes(issuer)}/.well-known/jwks.json`
      )
    })),
    metricsToken: Option.getOrUndefined(values.metricsToken),
    /** Whether only the machine itself reaches the server. */
    isLocal: isLoopback(values.host),
    metricsLocally: isLoopback(values.host) && isLoopback(new URL(baseUrl).hostname),
    stopDelayMillis: values.stopDelaySeconds * 1000,
    webhookTimeoutMillis: values.webhookTimeoutSeconds * 1000,
    sourceAddress: Option.getOrUndefined(values.sourceAddress),
    securityContact: Option.getOrUndefined(values.securityContact),
    logFormat: Option.getOrElse(values.logFormat, defaultLogFormat)
  }
}

/** The config of {@link Settings}. */
export const settings = Config.flatMap(
  values,
  (values) =>
    Config.map(
      Config.all([operatorOf(values), providerOf(values), operatorWebhookOf(values)]),
      ([operator, provider, operatorWebhook]) => ({ ...resolve(values), operator, provider, operatorWebhook })
    )
)

/** The settings, resolved. */
export type Settings = Config.Success<typeof settings>
