/**
 * How an endpoint authenticates us, from the flags of a command: one flag for each setting of the schemes that core
 * declares, and for each of their secrets flags that say where it comes from.
 *
 * Guarantee: changing one setting leaves the others, and secrets that are not given, as they are; with another address
 * they are asked for, as the service sends no stored secret elsewhere than it was given for.
 */
import { defaultSchemes } from "@dockline/core/WebhookEndpoint"
import { Effect, Option, Redacted } from "effect"
import { Flag } from "effect/cli"
import { WrongUsage } from "./Failure.ts"
import * as SecretInput from "./SecretInput.ts"

/** A scheme and its settings, secrets among them, as the service takes them. */
export type AuthenticationInput = { readonly type: string; readonly [setting: string]: string }

const fields = Array.from(
  new Map(defaultSchemes.flatMap((scheme) => scheme.fields).map((field) => [field.name, field])).values()
)

/** The schemes that have a setting, for its description. */
const schemesWith = (name: string): string =>
  defaultSchemes
    .filter((scheme) => scheme.fields.some((field) => field.name === name))
    .map(({ type }) => type)
    .join(", ")

const plainFields = fields.filter(({ secret }) => !secret)

const secretFields = fields.filter(({ secret }) => secret)

/** `loginUrl` as `login-url`. */
const flagName = (field: string): string => field.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)

/** `loginUrl` as it stands in a sentence. */
const words = (field: string): string => flagName(field).replaceAll("-", " ")

const settingFlags = Object.fromEntries(
  plainFields.map(({ default: standIn, description, name }) => [
    name,
    Flag.String(flagName(name)).pipe(
      Flag.withDescription(
        `${schemesWith(name)}: ${description}${standIn === undefined ? "" : ` ("${standIn}" when absent)`}`
      ),
      Flag.optional
    )
  ])
)

const secretFlags = Object.fromEntries(
  secretFields.map(({ name }) => [name, SecretInput.flags(flagName(name))])
)

/** The flags of `webhook create` and `webhook update`. */
export const flags = {
  type: Flag.Literals("auth", defaultSchemes.map(({ type }) => type)).pipe(
    Flag.withDescription("How the service signs in at the customer's endpoint"),
    Flag.optional
  ),
  settings: settingFlags,
  secrets: secretFlags
}

/** What the flags say. */
export interface Given {
  readonly type: Option.Option<string>
  readonly settings: Readonly<Record<string, Option.Option<string>>>
  readonly secrets: Readonly<Record<string, SecretInput.Source>>
}

/** What an endpoint has now, without secrets. */
export interface Shown {
  readonly baseUrl: string
  readonly authentication: AuthenticationInput
}

const settingsOf = ({ settings }: Given): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(settings).flatMap(([name, value]) => (Option.isSome(value) ? [[name, value.value]] : []))
  )

const secretNames = ({ secrets }: Given): ReadonlyArray<string> =>
  Object.keys(secrets).filter((name) => {
    const source = secrets[name]
    return source !== undefined && (Option.isSome(source.env) || Option.isSome(source.file))
  })

const namesOf = (
  given: Given
): ReadonlyArray<string> => [...Object.keys(settingsOf(given)), ...secretNames(given)]

/** Whether any flag speaks of authentication. */
export const isGiven = (given: Given): boolean => Option.isSome(given.type) || namesOf(given).length > 0

/** The scheme, whose settings the flags are: the derived client would leave out in silence what it does not know. */
const schemeOf = Effect.fnUntraced(function*(type: string, kept: AuthenticationInput, given: Given) {
  const scheme = defaultSchemes.find((each) => each.type === type)
  if (scheme === undefined) {
    return yield* new WrongUsage({
      message:
        `The authentication "${type}" of this endpoint is the service's own; change it over the operator API`
    })
  }
  const stray = namesOf(given).find((name) => !scheme.fields.some((field) => field.name === name))
  if (stray !== undefined) {
    return yield* new WrongUsage({ message: `The ${words(stray)} is no setting of --auth ${type}` })
  }
  const settings = { ...kept, ...settingsOf(given) }
  const missing = scheme.fields.filter((field) =>
    !field.secret && field.default === undefined && settings[field.name] === undefined
  )
  if (missing.length > 0) {
    const flags = missing.map(({ name }) => `--${flagName(name)}`).join(" and ")
    return yield* new WrongUsage({ message: `--auth ${type} needs ${flags}` })
  }
  return scheme
})

const secretOf = Effect.fnUntraced(function*(name: string, given: Given, ask: boolean) {
  const source = given.secrets[name] ?? { env: Option.none(), file: Option.none() }
  const flag = flagName(name)
  return ask
    ? Option.some(
      yield* SecretInput.givenOrAsked(flag, `The ${words(name)} agreed with the customer`, source)
    )
    : yield* SecretInput.given(flag, source)
})

/** The settings that are kept and those that are given, and the secrets; with `ask`, missing ones are asked for. */
const assemble = Effect.fnUntraced(
  function*(type: string, kept: AuthenticationInput, given: Given, ask: boolean) {
    const scheme = yield* schemeOf(type, kept, given)
    const secrets: Record<string, string> = {}
    for (const { name } of scheme.fields.filter(({ secret }) => secret)) {
      const secret = yield* secretOf(name, given, ask)
      if (Option.isSome(secret)) secrets[name] = Redacted.value(secret.value)
    }
    const input: AuthenticationInput = { ...kept, ...settingsOf(given), ...secrets, type }
    return input
  }
)

/** The authentication of a new endpoint. */
export const forNew = (given: Given) =>
  Option.isSome(given.type)
    ? assemble(given.type.value, { type: given.type.value }, given, true)
    : Effect.fail(
      new WrongUsage({ message: "Say how the service signs in there: --auth; none where it need not" })
    )

const withoutSlashes = (url: string): string => url.replace(/\/+$/, "")

/** Whether an address becomes another one. */
const isMoved = (given: Given, baseUrl: Option.Option<string>, now: Shown): boolean =>
  Option.exists(baseUrl, (url) => withoutSlashes(url) !== now.baseUrl) ||
  fields.filter(({ kind }) => kind === "url").some(({ name }) =>
    Option.exists(given.settings[name] ?? Option.none(), (url) => url !== now.authentication[name])
  )

/** Whether the scheme is one of those known here, and has secrets. */
const hasSecrets = (type: string): boolean =>
  defaultSchemes.some((scheme) => scheme.type === type && scheme.fields.some(({ secret }) => secret))

/** The authentication of an endpoint that has one already; nothing where it need not be sent. */
export const forChange = Effect.fnUntraced(
  function*(given: Given, baseUrl: Option.Option<string>, now: Shown) {
    const { authentication } = now
    const moved = isMoved(given, baseUrl, now)
    if (!isGiven(given) && !(moved && hasSecrets(authentication.type))) return undefined
    const type = Option.getOrElse(given.type, () => authentication.type)
    return type === authentication.type
      ? yield* assemble(type, authentication, given, moved)
      : yield* assemble(type, { type }, given, true)
  }
)
