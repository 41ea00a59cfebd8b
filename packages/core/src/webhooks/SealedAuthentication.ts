/**
 * From an authentication as an operator gives it to one that is stored: its secrets sealed.
 *
 * Guarantee: a secret opens for its business alone, and what is secret in a scheme is never among its settings. One that
 * was given for some addresses is kept for these alone: whoever changes one of them has to know the secrets.
 */
import { Effect, Redacted, Result } from "effect"
import { InvalidRequest } from "../values/Errors.ts"
import type { SecretsKeyMissing } from "../values/OperatorErrors.ts"
import { SecretsVault } from "./SecretsVault.ts"
import type { Sealed } from "./SecretsVault.ts"
import { AuthenticationSchemes } from "./WebhookEndpoint.ts"
import type { EndpointAuthentication, EndpointSettings } from "./WebhookEndpoint.ts"
import type { AuthenticationInput } from "./WebhookInput.ts"

/** The context that the secrets of a business's endpoints are sealed under. */
export const secretsContext = (business: string): string => `webhook:${business}`

/** Seals secrets of a business's endpoints. */
export const sealer = Effect.map(
  SecretsVault,
  (vault) => (secret: Redacted.Redacted, business: string): Effect.Effect<Sealed, SecretsKeyMissing> =>
    vault.seal(secret, secretsContext(business))
)

/** The parts of an endpoint that say where its secrets go. */
export type Secretive = Pick<EndpointSettings, "authentication" | "baseUrl">

/** Joins an authentication with the one of the endpoint before, whose secrets stay where none are given. */
type Join = (
  before: Secretive | undefined,
  baseUrl: string
) => Result.Result<EndpointAuthentication, InvalidRequest>

const again =
  "must be sent again, with the whole authentication: an address changes, and a stored secret goes to no other address"

const refusal = (details: Readonly<Record<string, string>>): Result.Result<never, InvalidRequest> =>
  Result.fail(
    new InvalidRequest({
      errors: Object.entries(details).map(([name, detail]) => ({ path: `authentication.${name}`, detail }))
    })
  )

/** The authentication of an endpoint whose own is not changed; refused where its secrets would go elsewhere. */
export const authenticationAt = (
  { authentication, baseUrl: before }: Secretive,
  baseUrl: string
): Result.Result<EndpointAuthentication, InvalidRequest> => {
  const names = baseUrl === before ? [] : Object.keys(authentication.secrets)
  return names.length === 0
    ? Result.succeed(authentication)
    : refusal(Object.fromEntries(names.map((name) => [name, again])))
}

/** Seals the secrets of an authentication, then joins it with the one before. */
export const authenticationOf = Effect.gen(function*() {
  const schemes = yield* AuthenticationSchemes
  const seal = yield* sealer
  return Effect.fnUntraced(function*({ type, settings, secrets }: AuthenticationInput, business: string) {
    const fields = schemes.find((scheme) => scheme.type === type)?.fields ?? []
    const given: Record<string, Sealed> = {}
    const standIns: Record<string, Sealed> = {}
    for (const { name, default: standIn } of fields.filter(({ secret }) => secret)) {
      if (secrets[name] !== undefined) given[name] = yield* seal(secrets[name], business)
      if (standIn !== undefined) standIns[name] = yield* seal(Redacted.make(standIn), business)
    }
    const addresses = fields.filter(({ kind }) => kind === "url").map(({ name }) => name)
    const join: Join = (before, baseUrl) => {
      const known = before?.authentication.type === type ? before.authentication : undefined
      const kept = known?.secrets ?? {}
      const isMoved = before?.baseUrl !== baseUrl ||
        addresses.some((name) => known?.settings[name] !== settings[name])
      const joined = { ...standIns, ...kept, ...given }
      const details: Record<string, string> = {}
      for (const { name } of fields.filter(({ secret }) => secret)) {
        if (joined[name] === undefined) details[name] = "is required"
        else if (isMoved && kept[name] !== undefined && given[name] === undefined) details[name] = again
      }
      return Object.keys(details).length === 0
        ? Result.succeed({ type, settings, secrets: joined })
        : refusal(details)
    }
    return join
  })
})
