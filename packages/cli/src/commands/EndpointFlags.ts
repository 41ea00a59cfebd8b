/**
 * Builds the authentication and the headers of an endpoint from flags. A change of one setting keeps the others and the secrets. When an
 * address changes, the command asks for the secrets, because the service sends no stored secret to another address. The values of headers
 * are secret, so they come from the environment or from files, like passwords.
 */
import type { EndpointView } from "@dockline/core/operator/OperatorView"
import { withoutSlashes } from "@dockline/core/values/Clip"
import { defaultSchemes } from "@dockline/core/webhooks/WebhookEndpoint"
import type { SchemeField } from "@dockline/core/webhooks/WebhookEndpoint"
import { Effect, Option, Redacted, Result } from "effect"
import { Flag } from "effect/cli"
import type { Command } from "effect/cli"
import * as Arguments from "../Arguments.ts"
import { text } from "../Arguments.ts"
import { wrongUsage } from "../Failure.ts"
import { kebab } from "./DerivedCommand.ts"
import * as SecretInput from "./SecretInput.ts"

/** A scheme and its settings, including secrets, as the service expects them. */
type AuthenticationInput = { readonly type: string; readonly [setting: string]: string }

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

/** The flags for the authentication, of `webhook create` and `webhook update`. */
export const authenticationFlags = {
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

type AuthenticationFlags = Command.Command.Config.Infer<typeof authenticationFlags>

interface EndpointState {
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

export const hasAuthentication = (flags: AuthenticationFlags): boolean =>
  Option.isSome(flags.type) || namesOf(flags).length > 0

/**
 * The scheme of the settings. Fails if the scheme is unknown, if a required setting is missing, or if a flag is not a setting of the
 * scheme: {@link assemble} would silently drop its secrets.
 */
const schemeOf = Effect.fnUntraced(
  function*(current: AuthenticationInput, flags: AuthenticationFlags) {
    const { type } = current
    const scheme = defaultSchemes.find((each) => each.type === type)
    if (scheme === undefined) {
      return yield* wrongUsage(
        `The command line does not know the authentication "${type}" of this endpoint; change it with the operator API`
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
      const flagNames = missing.map(({ name }) => `--${flagName(name)}`).join(" and ")
      return yield* wrongUsage(`--auth ${type} needs ${flagNames}`)
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

export const authenticationForNew = (flags: AuthenticationFlags) =>
  Option.isSome(flags.type)
    ? assemble({ type: flags.type.value }, flags, true)
    : Effect.fail(
      wrongUsage(
        "Choose the authentication with --auth; use --auth none if the endpoint needs no authentication"
      )
    )

const isMoved = (flags: AuthenticationFlags, baseUrl: unknown, current: EndpointState): boolean =>
  (typeof baseUrl === "string" && withoutSlashes(baseUrl) !== current.baseUrl) ||
  fields.filter(({ kind }) => kind === "url").some(({ name }) =>
    Option.exists(flags.settings[name] ?? Option.none(), (url) => url !== current.authentication[name])
  )

/** Whether the command line knows the scheme, and the scheme has secrets. */
const hasSecrets = (type: string): boolean =>
  defaultSchemes.some((scheme) => scheme.type === type && scheme.fields.some(({ secret }) => secret))

/** The authentication for a change of an existing endpoint; `undefined` when the request can leave it out. */
export const authenticationForChange = Effect.fnUntraced(
  function*(flags: AuthenticationFlags, baseUrl: unknown, current: EndpointState) {
    const { authentication } = current
    const hasMoved = isMoved(flags, baseUrl, current)
    if (!hasAuthentication(flags) && !(hasMoved && hasSecrets(authentication.type))) return undefined
    const type = Option.getOrElse(flags.type, () => authentication.type)
    return type === authentication.type
      ? yield* assemble(authentication, flags, hasMoved)
      : yield* assemble({ type }, flags, true)
  }
)

interface Header {
  readonly name: string
  readonly source: string
}

const headerSource = (kind: string) => (text: string): Result.Result<Header, string> => {
  const [, name, source] = /^([^=]+)=(.+)$/s.exec(text) ?? []
  return name === undefined || source === undefined
    ? Result.fail(`a name and ${kind}, such as X-Api-Key=${kind === "a file" ? "key.txt" : "API_KEY"}`)
    : Result.succeed({ name, source })
}

/** The flags for the headers of a new endpoint. */
export const headerFlags = {
  env: Arguments.texts("header-env", headerSource("an environment variable")).pipe(
    Flag.withMetavar("NAME=VARIABLE"),
    Flag.withDescription("A header that requests carry, with its value from this environment variable")
  ),
  file: Arguments.texts("header-file", headerSource("a file")).pipe(
    Flag.withMetavar("NAME=PATH"),
    Flag.withDescription("A header that requests carry, with its value from this file")
  )
}

/** The flags for a change of the headers. */
export const headerChangeFlags = {
  ...headerFlags,
  removed: Flag.String("remove-header").pipe(
    Flag.withMetavar("NAME"),
    Flag.withDescription("A header that requests no longer carry"),
    Flag.atLeast(0)
  )
}

type HeaderFlags = Command.Command.Config.Infer<typeof headerFlags> & {
  readonly removed?: ReadonlyArray<string>
}

export const hasHeaders = ({ env, file, removed = [] }: HeaderFlags): boolean =>
  env.length + file.length + removed.length > 0

export const headersForNew = Effect.fnUntraced(function*({ env, file }: HeaderFlags) {
  const none = { env: Option.none<string>(), file: Option.none<string>() }
  const sources = [
    ...env.map(({ name, source }) => ({ ...none, name, env: Option.some(source) })),
    ...file.map(({ name, source }) => ({ ...none, name, file: Option.some(source) }))
  ]
  return yield* Effect.forEach(
    sources,
    ({ name, ...source }) =>
      Effect.map(SecretInput.secretOf("header", source), (value) => ({
        name,
        value: Redacted.value(Option.getOrElse(value, () => Redacted.make("")))
      }))
  )
})

const isSame = (left: string, right: string): boolean => left.toLowerCase() === right.toLowerCase()

/** The headers of an endpoint with the new ones and without the removed ones; the others keep their values. */
export const headersForChange = Effect.fnUntraced(
  function*(input: HeaderFlags, { headers }: Pick<EndpointView, "headers">) {
    const { removed = [] } = input
    const unknown = removed.find((name) => !headers.some((header) => isSame(header.name, name)))
    if (unknown !== undefined) {
      return yield* wrongUsage(`The endpoint has no header ${unknown}`)
    }
    const fresh = yield* headersForNew(input)
    const others = headers.filter(({ name }) =>
      !removed.some((each) => isSame(each, name)) && !fresh.some((each) => isSame(each.name, name))
    )
    return [...others, ...fresh]
  }
)
