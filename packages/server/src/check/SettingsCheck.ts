/** The findings of `dockline-server check` about the settings, and about the keys of the stored secrets, one line each. */
import { secretsContext, SecretsVault } from "@dockline/core/webhooks/SecretsVault"
import type { Seal } from "@dockline/core/webhooks/SecretsVault"
import type { WebhookEndpoint } from "@dockline/core/webhooks/WebhookEndpoint"
import { Effect, Option, Redacted, Result } from "effect"
import * as ServerDatabase from "../lifecycle/ServerDatabase.ts"
import * as StartMessages from "../lifecycle/StartMessages.ts"
import type { Setting } from "../settings/Setting.ts"
import { misspeltNames } from "../settings/Settings.ts"
import type { Settings } from "../settings/Settings.ts"
import { declarations } from "../settings/SettingsTable.ts"

/** The severity: a `problem` prevents the server or a part of it from working; people must judge a `warning`. */
type Level = "ok" | "warning" | "problem"

/** One finding. The text of a warning or a problem ends with the remedy. */
export interface Finding {
  readonly level: Level
  readonly subject: string
  readonly text: string
}

export const on = (subject: string) => ({
  ok: (text: string): Finding => ({ level: "ok", subject, text }),
  warning: (text: string): Finding => ({ level: "warning", subject, text }),
  problem: (text: string): Finding => ({ level: "problem", subject, text })
})

export const line = ({ level, subject, text }: Finding): string =>
  `${level.padEnd(7)}  ${subject.padEnd(8)}  ${text.replaceAll(/\s+/g, " ")}`

/** The findings whose condition holds. */
export const those = (
  rows: ReadonlyArray<readonly [isSo: boolean, finding: Finding]>
): ReadonlyArray<Finding> => rows.filter(([isSo]) => isSo).map(([, finding]) => finding)

const { ok, problem, warning } = on("settings")

/** The variables that are probably misspelt settings, and all settings that cannot be read: a start reports only the first. */
export const faults: Effect.Effect<ReadonlyArray<Finding>> = Effect.gen(
  function*() {
    const misspelt = yield* misspeltNames
    const read = yield* Effect.forEach(
      Object.values<Setting<unknown>>(declarations),
      ({ config }) => Effect.result(config)
    )
    const unread = read.filter(Result.isFailure).map(({ failure }) => StartMessages.reasonOf(failure))
    return [...misspelt, ...unread].map(problem)
  }
)

/** The least length of a secret that cannot be guessed. */
const secretLength = 24

/** The findings about readable settings that do not suit the machine or each other. */
export const judge = (settings: Settings): ReadonlyArray<Finding> => {
  const { baseUrl, demo, metricsToken, operator } = settings
  const isSecure = new URL(baseUrl).protocol === "https:"
  // Programs on other machines use the server.
  const isPublic = !settings.metricsLocally
  const isReal = isPublic || Option.isSome(settings.databaseUrl) || operator !== undefined
  const secrets = { OPERATOR_CLIENT_SECRET: operator?.secret, METRICS_TOKEN: metricsToken }
  const short = Object.entries(secrets).flatMap(([name, secret]) =>
    secret !== undefined && Redacted.value(secret).length < secretLength ? [name] : []
  )
  const findings = those([
    [
      demo,
      (isReal ? problem : warning)(
        "demo clients exist, whose secrets everybody knows; set DEMO=false for anything real"
      )
    ],
    [
      isPublic && !isSecure,
      warning(
        "clients send tokens and secrets unencrypted; put a proxy with TLS in front, and its https address into BASE_URL"
      )
    ],
    [
      isSecure && settings.trustedProxies.length === 0,
      warning("all clients behind your proxy count as one; name the networks of the proxy in TRUSTED_PROXIES")
    ],
    [
      isPublic && metricsToken === undefined,
      warning("/metrics is closed; set METRICS_TOKEN to read it")
    ],
    ...short.map((name) =>
      [
        true,
        warning(
          `${name} is shorter than ${secretLength} characters and may be guessed; make one with: openssl rand -hex 32`
        )
      ] as const
    )
  ])
  return findings.length > 0 ? findings : [ok(`can be used; clients reach the server at ${baseUrl}`)]
}

const keys = on("keys")

/** What to do about secrets that no key opens. */
const remedyOf = (settings: Settings): string => {
  if (Option.isSome(settings.secretsKeys)) {
    return "add the key that they were stored with to SECRETS_KEY, after a comma"
  }
  const set = "set SECRETS_KEY to the key that they were stored with"
  return ServerDatabase.isShared(settings)
    ? set
    : `bring ${ServerDatabase.keyFileOf(settings.dataDir)} back, or ${set}`
}

/** Whether every secret of an endpoint can be opened. */
const opens = ({ authentication, business, headers, signingSecrets }: WebhookEndpoint) =>
  Effect.flatMap(SecretsVault, (vault) =>
    Effect.forEach(
      [
        ...Object.values(authentication.secrets),
        ...[...signingSecrets, ...headers].map(({ sealed }) => sealed)
      ],
      (ciphertext) => vault.open(ciphertext, secretsContext(business)),
      { discard: true }
    )).pipe(Effect.match({ onSuccess: () => true, onFailure: () => false }))

/** Checks whether the texts that capabilities have sealed can be read; there is no finding if they have sealed none. */
export const checkSeals = (
  settings: Settings,
  seals: ReadonlyArray<Seal>
): Effect.Effect<ReadonlyArray<Finding>, never, SecretsVault> =>
  Effect.gen(function*() {
    const vault = yield* SecretsVault
    const [first, ...others] = yield* Effect.filter(seals, ({ context, text }) =>
      Effect.match(vault.open(text, context), {
        onSuccess: () =>
          false,
        onFailure: () => true
      }))
    if (first === undefined) {
      return seals.length === 0 ? [] : [keys.ok(`all ${seals.length} secrets of capabilities can be read`)]
    }
    return [
      keys.problem(
        `${
          1 + others.length
        } of ${seals.length} secrets of capabilities cannot be read, for example the secret of ${first.owner}; ${
          remedyOf(settings)
        }`
      )
    ]
  })

/** Checks whether the secrets of customers can be stored and read: tries the keys on the stored secrets. */
export const check = (
  settings: Settings,
  endpoints: ReadonlyArray<WebhookEndpoint>
): Effect.Effect<Finding, never, SecretsVault> =>
  Effect.gen(function*() {
    if (Option.isNone(settings.secretsKeys) && ServerDatabase.isShared(settings) && endpoints.length === 0) {
      return keys.warning("no webhook can be set up; set SECRETS_KEY, made with: openssl rand -base64 32")
    }
    const closed = yield* Effect.filter(endpoints, (each) => Effect.map(opens(each), (isOpen) => !isOpen))
    const [first] = closed
    return first === undefined
      ? keys.ok(`all secrets of ${endpoints.length} webhook endpoints can be read`)
      : keys.problem(
        `the secrets of ${closed.length} of ${endpoints.length} webhook endpoints cannot be read, for example of ${first.id}; ${
          remedyOf(settings)
        }`
      )
  })
