/**
 * The opened credentials of an endpoint: its authentication, the keys that sign its deliveries, and its own headers (D9.1, D9.5,
 * D15.3).
 */
import { PayloadProfiles } from "@dockline/core/places/PayloadProfile"
import type { PayloadProfile } from "@dockline/core/places/PayloadProfile"
import type { SecretUnreadable } from "@dockline/core/values/OperatorErrors"
import { secretsContext, SecretsVault } from "@dockline/core/webhooks/SecretsVault"
import type { WebhookEndpoint } from "@dockline/core/webhooks/WebhookEndpoint"
import { Data, Effect, Redacted } from "effect"
import type { Clock } from "effect"
import { CustomerAuth } from "../auth/CustomerAuth.ts"
import type { EndpointAuth } from "../auth/EndpointAuth.ts"
import { keyForms, signer } from "./Signature.ts"
import type { OpenedSecret, Sign } from "./Signature.ts"

export interface EndpointCredentials {
  readonly endpoint: WebhookEndpoint
  /** How its messages are written. */
  readonly profile: PayloadProfile
  readonly auth: EndpointAuth
  readonly sign: Sign
  /** The endpoint's own headers, opened. */
  readonly headers: Readonly<Record<string, string>>
  /** The secrets that no record of an answer may show, beside those of the authorization. */
  readonly secrets: ReadonlyArray<string>
}

/** An endpoint whose profile of payloads the service does not have, so that nothing can be sent there. */
export class ProfileMissing extends Data.TaggedError("ProfileMissing")<{ readonly error: string }> {}

/** Keeps the token of `before` when the authentication has not changed. */
export type OpenCredentials = (
  endpoint: WebhookEndpoint,
  before: EndpointCredentials | undefined
) => Effect.Effect<EndpointCredentials, SecretUnreadable | ProfileMissing>

/** Secrets end by the clock. */
export const makeOpen = Effect.fnUntraced(
  function*(clock: Clock.Clock): Effect.fn.Return<OpenCredentials, never, SecretsVault | CustomerAuth> {
    const vault = yield* SecretsVault
    const customerAuth = yield* CustomerAuth
    const profiles = yield* PayloadProfiles
    return Effect.fnUntraced(function*(endpoint, before) {
      const { business, payloadProfile } = endpoint
      const profile = profiles.find(({ name }) => name === payloadProfile)
      if (profile === undefined) {
        return yield* new ProfileMissing({
          error: `this service has no payload profile ${payloadProfile}`
        })
      }
      const context = secretsContext(business)
      const now = clock.currentTimeMillisUnsafe()
      const secrets: Array<OpenedSecret> = []
      for (const { sealed, validUntil } of endpoint.signingSecrets) {
        const until = validUntil === null ? Infinity : Date.parse(validUntil)
        // Expired secrets are not opened: the key that sealed them may have been removed.
        if (now < until) secrets.push({ secret: yield* vault.open(sealed, context), until })
      }
      const headers: Record<string, string> = {}
      for (const { name, sealed } of endpoint.headers) {
        headers[name] = Redacted.value(yield* vault.open(sealed, context))
      }
      const auth = before !== undefined && isSameAuthentication(endpoint, before.endpoint)
        ? before.auth
        : yield* customerAuth.open(endpoint)
      const sign = yield* Effect.fromResult(
        signer(secrets, endpoint.signatures.includes("v1a") ? vault.webhookKeys(business) : [])
      )
      return {
        endpoint,
        profile,
        auth,
        sign,
        headers,
        // A value may be a scheme with a key, which an answer may show alone.
        secrets: [
          ...secrets.flatMap(({ secret }) => keyForms(secret)),
          ...Object.values(headers).flatMap((value) =>
            Array.from(new Set([value, value.split(" ").at(-1) ?? value]))
          )
        ]
      }
    })
  }
)

const isSameAuthentication = (left: WebhookEndpoint, right: WebhookEndpoint): boolean =>
  left.business === right.business &&
  JSON.stringify(left.authentication) === JSON.stringify(right.authentication)
