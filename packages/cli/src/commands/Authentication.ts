/**
 * Builds the authentication of an endpoint from flags. Changing one setting keeps the others, and secrets that are
 * not given. When an address changes, the secrets are asked for: the service sends no stored secret to another
 * address.
 */
import { withoutSlashes } from "@dockline/core/values/Url"
import { defaultSchemes } from "@dockline/core/webhooks/WebhookEndpoint"
import type { SchemeField } from "@dockline/core/webhooks/WebhookEndpoint"
import { Effect, Option, Redacted } from "effect"
import { Flag } from "effect/cli"
import type { Command } from "effect/cli"
import { text } from "../Arguments.ts"
import { wrongUsage } from "../Failure.ts"
import { kebab } from "./FieldFlags.ts"
import * as SecretInput from "./SecretInput.ts"

/** A scheme and its settings, including secrets, as the service takes them. */
export type AuthenticationInput = { readonly type: string; readonly [setting: string]: string }

const fields = Array.from(
  new Map(defaultSchemes.flatMap((scheme) => scheme.fields).map((field) => [field.name, field])).values()
)

const schemesWith = (name: string): string =>
  defaultSchemes
    .filter((scheme) => scheme.fields.some((field) => field.name === name))
    .map(({ type }) => type)
    .join(", ")

/** `loginUrl` as words of a sentence. */
const words = (field: string): string => kebab(field).replaceAll("-", " ")

/** The settings whose own names are flags of every command: what the command line itself signs in with. */
const taken: ReadonlySet<string> = new Set(["clientId", "clientSecret", "audience"])

const flagName = (setting: string): string => (taken.has(setting) ? `auth-${kebab(setting)}` : kebab(setting))

const settingFlag = ({ default: standIn, description, name }: SchemeField) =>
  text(
    flagName(name),
    `${schemesWith(name)}: ${description}${standIn === undefined ? "" : ` ("${standIn}" when absent)`}`
  )

/** The flags of `webhook create` and `webhook update`. */
export const flags = {
  type: Flag.Literals("auth", defaultSchemes.map(({ type }) => type)).pipe(
    Flag.withDescription("How the service signs in at the customer's endpoint"),
    Flag.optional
  ),
  settings: Object.fromEntries(
    fields.filter(({ secret }) => !secret).map((field) => [field.name, settingFlag(field)])
  ),
  secrets: Object.fromEntries(
    fields.filter(({ secret }) => secret).map(({ name }) => [name, SecretInput.flags(flagName(name))])
  )
}

export type GivenAuthentication = Command.Command.Config.Infer<typeof flags>

export interface Shown {
  readonly baseUrl: string
  readonly authentication: AuthenticationInput
}

const settingsOf = ({ settings }: GivenAuthentication): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(settings).flatMap(([name, value]) => (Option.isSome(value) ? [[name, value.value]] : []))
  )

const namesOf = (given: GivenAuthentication): ReadonlyArray<string> => [
  ...Object.keys(settingsOf(given)),
  ...Object.entries(given.secrets)
    .filter(([, { env, file }]) => Option.isSome(env) || Option.isSome(file))
    .map(([name]) => name)
]

export const isGiven = (given: GivenAuthentication): boolean =>
  Option.isSome(given.type) || namesOf(given).length > 0

/** The scheme, if all given flags are settings of it: the derived client would silently drop the others. */
const schemeOf = Effect.fnUntraced(
  function*(kept: AuthenticationInput, given: GivenAuthentication) {
    const { type } = kept
    const scheme = defaultSchemes.find((each) => each.type === type)
    if (scheme === undefined) {
      return yield* wrongUsage(
        `The authentication "${type}" of this endpoint is the service's own; change it over the operator API`
      )
    }
    const stray = namesOf(given).find((name) => !scheme.fields.some((field) => field.name === name))
    if (stray !== undefined) {
      return yield* wrongUsage(`--auth ${type} has no ${words(stray)}`)
    }
    const settings = { ...kept, ...settingsOf(given) }
    const missing = scheme.fields.filter((field) =>
      !field.secret && field.default === undefined && settings[field.name] === undefined
    )
    if (missing.length > 0) {
      const flags = missing.map(({ name }) => `--${flagName(name)}`).join(" and ")
      return yield* wrongUsage(`--auth ${type} needs ${flags}`)
    }
    return scheme
  }
)

/** Combines kept and given settings with the secrets; with `ask`, missing secrets are asked for. */
const assemble = Effect.fnUntraced(
  function*(kept: AuthenticationInput, given: GivenAuthentication, ask: boolean) {
    const scheme = yield* schemeOf(kept, given)
    const secrets: Record<string, string> = {}
    for (const { name } of scheme.fields.filter(({ secret }) => secret)) {
      const source = given.secrets[name] ?? { env: Option.none(), file: Option.none() }
      const what = `The ${words(name)} agreed with the customer`
      const secret = ask
        ? Option.some(yield* SecretInput.givenOrAsked(flagName(name), what, source))
        : yield* SecretInput.given(flagName(name), source)
      if (Option.isSome(secret)) secrets[name] = Redacted.value(secret.value)
    }
    const input: AuthenticationInput = { ...kept, ...settingsOf(given), ...secrets }
    return input
  }
)

export const forNew = (given: GivenAuthentication) =>
  Option.isSome(given.type)
    ? assemble({ type: given.type.value }, given, true)
    : Effect.fail(wrongUsage("Name the authentication with --auth; none if the endpoint needs none"))

const isMoved = (given: GivenAuthentication, baseUrl: unknown, now: Shown): boolean =>
  (typeof baseUrl === "string" && withoutSlashes(baseUrl) !== now.baseUrl) ||
  fields.filter(({ kind }) => kind === "url").some(({ name }) =>
    Option.exists(given.settings[name] ?? Option.none(), (url) => url !== now.authentication[name])
  )

/** Whether the scheme is known here and has secrets. */
const hasSecrets = (type: string): boolean =>
  defaultSchemes.some((scheme) => scheme.type === type && scheme.fields.some(({ secret }) => secret))

/** The changed authentication of an existing endpoint; `undefined` when it need not be sent. */
export const forChange = Effect.fnUntraced(
  function*(given: GivenAuthentication, baseUrl: unknown, now: Shown) {
    const { authentication } = now
    const moved = isMoved(given, baseUrl, now)
    if (!isGiven(given) && !(moved && hasSecrets(authentication.type))) return undefined
    const type = Option.getOrElse(given.type, () => authentication.type)
    return type === authentication.type
      ? yield* assemble(authentication, given, moved)
      : yield* assemble({ type }, given, true)
  }
)
