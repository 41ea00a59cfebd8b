/**
 * Builds the authentication of an endpoint from flags. A change of one setting keeps the others and the secrets. When an address changes,
 * the command asks for the secrets, because the service sends no stored secret to another address.
 */
import { withoutSlashes } from "@dockline/core/values/Clip"
import { defaultSchemes } from "@dockline/core/webhooks/WebhookEndpoint"
import type { SchemeField } from "@dockline/core/webhooks/WebhookEndpoint"
import { Effect, Option, Redacted } from "effect"
import { Flag } from "effect/cli"
import type { Command } from "effect/cli"
import { text } from "../Arguments.ts"
import { wrongUsage } from "../Failure.ts"
import { kebab } from "./DerivedCommand.ts"
import * as SecretInput from "./SecretInput.ts"

/** A scheme and its settings, including secrets, as the service expects them. */
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

/** The settings whose names are already flags of every command: the command line itself signs in with those flags. */
const reservedNames: ReadonlySet<string> = new Set(["clientId", "clientSecret", "audience"])

const flagName = (
  setting: string
): string => (reservedNames.has(setting) ? `auth-${kebab(setting)}` : kebab(setting))

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

export type AuthenticationFlags = Command.Command.Config.Infer<typeof flags>

export interface EndpointState {
  readonly baseUrl: string
  readonly authentication: AuthenticationInput
}

const settingsOf = ({ settings }: AuthenticationFlags): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(settings).flatMap(([name, value]) => (Option.isSome(value) ? [[name, value.value]] : []))
  )

const namesOf = (flags: AuthenticationFlags): ReadonlyArray<string> => [
  ...Object.keys(settingsOf(flags)),
  ...Object.entries(flags.secrets)
    .filter(([, { env, file }]) => Option.isSome(env) || Option.isSome(file))
    .map(([name]) => name)
]

export const isGiven = (flags: AuthenticationFlags): boolean =>
  Option.isSome(flags.type) || namesOf(flags).length > 0

/**
 * The scheme of the settings. Fails if the scheme is unknown, if a required setting is missing, or if a flag is not a setting of the
 * scheme: the derived client would silently drop that setting.
 */
const schemeOf = Effect.fnUntraced(
  function*(current: AuthenticationInput, flags: AuthenticationFlags) {
    const { type } = current
    const scheme = defaultSchemes.find((each) => each.type === type)
    if (scheme === undefined) {
      return yield* wrongUsage(
        `The authentication "${type}" of this endpoint is the service's own; change it over the operator API`
      )
    }
    const stray = namesOf(flags).find((name) => !scheme.fields.some((field) => field.name === name))
    if (stray !== undefined) {
      return yield* wrongUsage(`--auth ${type} has no ${words(stray)}`)
    }
    const settings = { ...current, ...settingsOf(flags) }
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

/** Combines the current settings with those of the flags and with the secrets; with `ask`, prompts for missing secrets. */
const assemble = Effect.fnUntraced(
  function*(current: AuthenticationInput, flags: AuthenticationFlags, ask: boolean) {
    const scheme = yield* schemeOf(current, flags)
    const secrets: Record<string, string> = {}
    for (const { name } of scheme.fields.filter(({ secret }) => secret)) {
      const source = flags.secrets[name] ?? { env: Option.none(), file: Option.none() }
      const what = `The ${words(name)} agreed with the customer`
      const secret = ask
        ? Option.some(yield* SecretInput.givenOrAsked(flagName(name), what, source))
        : yield* SecretInput.secretOf(flagName(name), source)
      if (Option.isSome(secret)) secrets[name] = Redacted.value(secret.value)
    }
    const input: AuthenticationInput = { ...current, ...settingsOf(flags), ...secrets }
    return input
  }
)

export const forNew = (flags: AuthenticationFlags) =>
  Option.isSome(flags.type)
    ? assemble({ type: flags.type.value }, flags, true)
    : Effect.fail(wrongUsage("Name the authentication with --auth; none if the endpoint needs none"))

const isMoved = (flags: AuthenticationFlags, baseUrl: unknown, now: EndpointState): boolean =>
  (typeof baseUrl === "string" && withoutSlashes(baseUrl) !== now.baseUrl) ||
  fields.filter(({ kind }) => kind === "url").some(({ name }) =>
    Option.exists(flags.settings[name] ?? Option.none(), (url) => url !== now.authentication[name])
  )

/** Whether the command line knows the scheme, and the scheme has secrets. */
const hasSecrets = (type: string): boolean =>
  defaultSchemes.some((scheme) => scheme.type === type && scheme.fields.some(({ secret }) => secret))

/** The authentication for a change of an existing endpoint; `undefined` when the request can leave it out. */
export const forChange = Effect.fnUntraced(
  function*(flags: AuthenticationFlags, baseUrl: unknown, now: EndpointState) {
    const { authentication } = now
    const hasMoved = isMoved(flags, baseUrl, now)
    if (!isGiven(flags) && !(hasMoved && hasSecrets(authentication.type))) return undefined
    const type = Option.getOrElse(flags.type, () => authentication.type)
    return type === authentication.type
      ? yield* assemble(authentication, flags, hasMoved)
      : yield* assemble({ type }, flags, true)
  }
)
