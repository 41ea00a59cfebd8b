/**
 * From an authentication as an operator gives it to one that is stored: its secrets sealed.
 *
 * Guarantee: a secret opens for its business alone, and what is secret in a scheme is never among its settings.
 */
import { Effect, Redacted, Result } from "effect"
import { InvalidRequest } from "./Errors.ts"
import type { SecretsKeyMissing } from "./OperatorErrors.ts"
import { SecretsVault } from "./SecretsVault.ts"
import type { Sealed } from "./SecretsVault.ts"
import { AuthenticationSchemes } from "./WebhookEndpoint.ts"
import type { EndpointAuthentication } from "./WebhookEndpoint.ts"
import type { AuthenticationInput } from "./WebhookInput.ts"

/** The context that the secrets of a business's endpoints are sealed under. */
export const secretsContext = (business: string): string => `webhook:${business}`

/** Seals secrets of a business's endpoints. */
export const sealer = Effect.map(
  SecretsVault,
  (vault) => (secret: Redacted.Redacted, business: string): Effect.Effect<Sealed, SecretsKeyMissing> =>
    vault.seal(secret, secretsContext(business))
)

/** Joins an authentication with the one before, whose secrets stay where none are given. */
type Join = (
  before: EndpointAuthentication | undefined
) => Result.Result<EndpointAuthentication, InvalidRequest>

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
    const join: Join = (before) => {
      const kept = before?.type === type ? before.secrets : {}
      const joined = { ...standIns, ...kept, ...given }
      const missing = fields.filter(({ name, secret }) => secret && joined[name] === undefined)
      return missing.length === 0
        ? Result.succeed({ type, settings, secrets: joined })
        : Result.fail(
          new InvalidRequest({
            errors: missing.map(({ name }) => ({ path: `authentication.${name}`, detail: "is required" }))
          })
        )
    }
    return join
  })
})
