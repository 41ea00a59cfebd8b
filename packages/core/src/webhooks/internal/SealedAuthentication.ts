/**
 * Seals the secrets of an authentication, and the values of headers (D15.3), that an operator entered, so that they can be stored.
 *
 * Guarantee: a secret opens only for its business, and is kept only for the addresses for which it was entered. To change an address, an
 * operator must know the secrets.
 */
import { Effect, Redacted, Result } from "effect"
import { InvalidRequest } from "../../values/Errors.ts"
import type { SecretsKeyMissing } from "../../values/OperatorErrors.ts"
import { secretsContext, SecretsVault } from "../SecretsVault.ts"
import type { SealedText } from "../SecretsVault.ts"
import { AuthenticationSchemes } from "../WebhookEndpoint.ts"
import type { EndpointAuthentication, EndpointHeader, EndpointSettings } from "../WebhookEndpoint.ts"
import type { AuthenticationInput } from "../WebhookInput.ts"
import type { HeaderInput } from "./EndpointHeaders.ts"

export const sealer = Effect.map(
  SecretsVault,
  (vault) => (secret: Redacted.Redacted, business: string): Effect.Effect<SealedText, SecretsKeyMissing> =>
    vault.seal(secret, secretsContext(business))
)

/** The parts of an endpoint that decide where its secrets are sent. */
type Secretive = Pick<EndpointSettings, "authentication" | "baseUrl">

/** The fault of a request that must send a stored secret again. */
export const again =
  "must be sent again: an address changes, and a stored secret is never sent to another address"

const wholeAgain = again.replace(":", ", with the whole authentication:")

/** Refuses settings by their paths. */
export const refusal = (details: Readonly<Record<string, string>>): Result.Result<never, InvalidRequest> =>
  Result.fail(
    new InvalidRequest({ errors: Object.entries(details).map(([path, detail]) => ({ path, detail })) })
  )

const pathOf = (name: string): string => `authentication.${name}`

/** The unchanged authentication of an endpoint; refused when its secrets would be sent to another address. */
export const authenticationAt = (
  { authentication, baseUrl: before }: Secretive,
  baseUrl: string
): Result.Result<EndpointAuthentication, InvalidRequest> => {
  const names = baseUrl === before ? [] : Object.keys(authentication.secrets)
  return names.length === 0
    ? Result.succeed(authentication)
    : refusal(Object.fromEntries(names.map((name) => [pathOf(name), wholeAgain])))
}

/**
 * Seals the secrets of an authentication. The returned function merges it with the endpoint's previous authentication of the same type:
 * secrets that the input leaves out stay.
 */
export const authenticationOf = Effect.gen(function*() {
  const schemes = yield* AuthenticationSchemes
  const seal = yield* sealer
  return Effect.fnUntraced(function*({ type, settings, secrets }: AuthenticationInput, business: string) {
    const fields = schemes.find((scheme) => scheme.type === type)?.fields ?? []
    const own: Record<string, SealedText> = {}
    const standIns: Record<string, SealedText> = {}
    for (const { name, default: standIn } of fields.filter(({ secret }) => secret)) {
      if (secrets[name] !== undefined) own[name] = yield* seal(secrets[name], business)
      if (standIn !== undefined) standIns[name] = yield* seal(Redacted.make(standIn), business)
    }
    const addresses = fields.filter(({ kind }) => kind === "url").map(({ name }) => name)
    return (
      before: Secretive | undefined,
      baseUrl: string
    ): Result.Result<EndpointAuthentication, InvalidRequest> => {
      const existing = before?.authentication.type === type ? before.authentication : undefined
      const present = existing?.secrets ?? {}
      const isMoved = before?.baseUrl !== baseUrl ||
        addresses.some((name) => existing?.settings[name] !== settings[name])
      const secrets = { ...standIns, ...present, ...own }
      const details: Record<string, string> = {}
      for (const { name } of fields.filter(({ secret }) => secret)) {
        if (secrets[name] === undefined) details[pathOf(name)] = "is required"
        else if (isMoved && present[name] !== undefined && own[name] === undefined) {
          details[pathOf(name)] = wholeAgain
        }
      }
      return Object.keys(details).length === 0
        ? Result.succeed({ type, settings, secrets })
        : refusal(details)
    }
  })
})

type Before = Pick<EndpointSettings, "headers" | "baseUrl">

/** The unchanged headers of an endpoint at a base URL; refused when their values would be sent to another address. */
export const headersAt = (
  { baseUrl: before, headers }: Before,
  baseUrl: string
): Result.Result<ReadonlyArray<EndpointHeader>, InvalidRequest> =>
  baseUrl === before || headers.length === 0 ? Result.succeed(headers) : refusal({ headers: again })

/**
 * Seals the values of headers. The returned function merges the headers with the endpoint's previous headers: values that the input leaves
 * out stay, and headers that the input does not name are removed.
 */
export const headersOf = Effect.gen(function*() {
  const seal = yield* sealer
  return Effect.fnUntraced(function*(inputs: ReadonlyArray<HeaderInput>, business: string) {
    const references: Array<{ readonly name: string; readonly sealed: SealedText | undefined }> = []
    for (const { name, value } of inputs) {
      references.push({ name, sealed: value === undefined ? undefined : yield* seal(value, business) })
    }
    return (
      before: Before | undefined,
      baseUrl: string
    ): Result.Result<ReadonlyArray<EndpointHeader>, InvalidRequest> => {
      const headers: Array<EndpointHeader> = []
      for (const [index, { name, sealed }] of references.entries()) {
        const present = before?.headers.find((each) => each.name.toLowerCase() === name.toLowerCase())
        const path = `headers[${index}].value`
        if (sealed !== undefined) headers.push({ name, sealed })
        else if (present === undefined) return refusal({ [path]: "is required" })
        else if (before?.baseUrl !== baseUrl) return refusal({ [path]: again })
        else headers.push({ name, sealed: present.sealed })
      }
      return Result.succeed(headers)
    }
  })
})
