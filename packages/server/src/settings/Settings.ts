/**
 * The settings of the server (D12.1), read from the environment with all defaults, and the text of `--help`. Variables that look like
 * misspelt settings are refused.
 */
import { nearest } from "@dockline/core/input/Faults"
import { withoutSlashes } from "@dockline/core/values/Clip"
import * as Dashboard from "@dockline/dashboard/Dashboard"
import { audienceOf } from "@dockline/http-adapter/HttpConfig"
import { isLoopback } from "@dockline/wire/Path"
import { Config, ConfigProvider, Effect, Option } from "effect"
import { defaultLogFormat } from "../telemetry/Logs.ts"
import type { Setting } from "./Setting.ts"
import { declarations, table } from "./SettingsTable.ts"

type Values = {
  readonly [Name in keyof typeof declarations]: (typeof declarations)[Name] extends Setting<infer A> ? A
    : never
}

/** All settings by name, each with the type of its declaration, which `Object.fromEntries` loses. */
const values = Config.all(
  Object.fromEntries(
    Object.entries<Setting<unknown>>(declarations).map(([name, { config }]) => [name, config])
  )
) as Config.Config<unknown> as Config.Config<Values>

const fail = (message: string) => Config.fail(new ConfigProvider.SourceError({ message }))

/** Reads settings that must be set together or not at all. `variables` has them by name, `values` as one value. */
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

/** Fills in the defaults that depend on other settings. */
const resolve = (values: Values) => {
  /** The secrets of demo clients are public, so demo clients are added to a real installation only on request. */
  const demoByDefault = Option.isNone(values.databaseUrl) && Option.isNone(values.operatorClientId)
  const baseUrl = withoutSlashes(Option.getOrElse(values.baseUrl, () => `http://localhost:${values.port}`))
  return {
    ...values,
    baseUrl,
    authUrl: withoutSlashes(Option.getOrElse(values.authUrl, () => baseUrl)),
    dashboardUrl: withoutSlashes(Option.getOrElse(values.dashboardUrl, () => `${baseUrl}/dashboard`)),
    demo: Option.getOrElse(values.demo, () => demoByDefault),
    /** Whether the demo has freight: only if the demo is on by default, for a first look. */
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
    /** Whether only the machine itself can reach the server. */
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

/** The Markdown text of a table without its marks, for a terminal. */
const plain = (text: string): string => text.replaceAll("`", "")

/** The usage of the program, and every setting with its kind, its default and its meaning. */
export const help = [
  "dockline-server: the Dockline server, REST, GraphQL and webhooks on one port",
  "",
  "  dockline-server [serve]     serve until SIGTERM or Ctrl-C",
  "  dockline-server check       report problems; ends with 1 if there is one",
  "  dockline-server migrate     update the schema of the database, and end",
  "      --distribute            distribute it over the nodes of a Citus cluster, or update a cluster",
  "      --shards N              the number of shards of the first distribution; 16",
  "      --dry-run               with --distribute: show the planned work, and change nothing",
  "  dockline-server business move BUSINESS --to HOST:PORT",
  "                              move a business, and those of its shard, to a worker of the cluster",
  "      --dry-run               show the planned move",
  "  dockline-server --help      show this",
  "  dockline-server --version   show the version",
  "",
  "Settings are environment variables:",
  ...table.flatMap(({ default: value, kind, meaning, name }) => [
    "",
    `  ${name}  (${plain(kind)}; default: ${plain(value)})`,
    `      ${plain(meaning)}`
  ])
].join("\n")

const names = new Set(table.map(({ name }) => name))

/** The name of the project, which people write before a setting. */
const prefix = "DOCKLINE_"

/**
 * Whether a value is one that Kubernetes and Docker set for a service with the name `dockline`, as in `DOCKLINE_PORT=tcp://10.0.0.1:8080`.
 */
const isServiceLink = (value: string): boolean => /^(?:tcp|udp|sctp):\/\//.test(value)

const meantBy = (variable: string): string | undefined => {
  const bare = variable.startsWith(prefix) ? variable.slice(prefix.length) : variable
  return names.has(bare) ? bare : nearest(bare, names)
}

/** The variables of a provider and their values. A variable with a value may also be the prefix of others. */
const variables = (
  provider: ConfigProvider.ConfigProvider,
  path: ReadonlyArray<string> = []
): Effect.Effect<ReadonlyArray<readonly [name: string, value: string]>, ConfigProvider.SourceError> =>
  Effect.gen(function*() {
    const node = yield* provider.load(path)
    if (node === undefined) return []
    const own = node.value === undefined ? [] : [[path.join("_"), node.value] as const]
    if (node._tag !== "Record") return own
    const within = yield* Effect.forEach(node.keys, (key) => variables(provider, [...path, key]))
    return [...own, ...within.flat()]
  })

/**
 * Finds variables of the environment that were probably meant to be settings. A server that ignored `DATABSE_URL` would use an embedded
 * database, and nobody would notice.
 *
 * Returns a sentence for each variable that is no setting but has a name near that of a setting, unless that setting is set too: then the
 * name is not misspelt, and similar variables are permitted.
 */
export const misspeltNames: Effect.Effect<ReadonlyArray<string>> = Effect.gen(function*() {
  // The environment can always be read.
  const environment = new Map(yield* Effect.orDie(variables(yield* ConfigProvider.ConfigProvider)))
  return Array.from(environment).flatMap(([name, value]) => {
    const correction = names.has(name) || isServiceLink(value) ? undefined : meantBy(name)
    return correction === undefined || environment.has(correction)
      ? []
      : [
        `${name} is not a setting. Did you mean ${correction}? Rename it, or set ${correction} too if both are meant`
      ]
  })
})

/** Fails with the sentences about all misspelt variables, if there are any. */
export const refuseMisspelt: Effect.Effect<void, ConfigProvider.SourceError> = Effect.flatMap(
  misspeltNames,
  (sentences) =>
    sentences.length === 0
      ? Effect.void
      : Effect.fail(new ConfigProvider.SourceError({ message: sentences.join("; ") }))
)
