/**
 * What is needed to deliver to one endpoint, opened: how it lets us in, and what signs for it (D9.1, D9.5).
 */
import type { SecretUnreadable } from "@dockline/core/OperatorErrors"
import { SecretsVault } from "@dockline/core/SecretsVault"
import type { WebhookEndpoint } from "@dockline/core/WebhookEndpoint"
import { Clock, Context, Effect, Layer } from "effect"
import type { Redacted } from "effect"
import { CustomerAuth, sealingContext } from "../auth/CustomerAuth.ts"
import type { EndpointAuth } from "../auth/EndpointAuth.ts"
import type { Secret } from "../outbound/HiddenSecrets.ts"
import { keyForms, signer } from "./Signature.ts"
import type { Sign } from "./Signature.ts"

/** An endpoint whose secrets are open. */
export interface EndpointAccess {
  readonly endpoint: WebhookEndpoint
  readonly auth: EndpointAuth
  /** What signs at a time, in milliseconds since 1970: with the newest secret, and the one before while it is valid. */
  readonly signAt: (now: number) => Sign
  /** The keys that sign, which no record shows. */
  readonly signingKeys: ReadonlyArray<Secret>
}

/** Opens endpoints. */
export class EndpointAccesses extends Context.Service<EndpointAccesses, {
  /** Opens an endpoint anew; a token that is at hand is kept where its authentication has not changed. */
  readonly open: (
    endpoint: WebhookEndpoint,
    before: EndpointAccess | undefined
  ) => Effect.Effect<EndpointAccess, SecretUnreadable>
}>()("@dockline/webhook-adapter/EndpointAccesses") {
  /** By the vault and the authentication of this service. */
  static readonly layer: Layer.Layer<EndpointAccesses, never, SecretsVault | CustomerAuth> = Layer.effect(
    EndpointAccesses,
    Effect.gen(function*() {
      const vault = yield* SecretsVault
      const customerAuth = yield* CustomerAuth
      return EndpointAccesses.of({
        open: Effect.fnUntraced(function*(endpoint, before) {
          const context = sealingContext(endpoint.business)
          const now = yield* Clock.currentTimeMillis
          // Those that sign no more stay shut: the key that they were sealed with may be gone.
          const valid = endpoint.signingSecrets.filter((secret) => now < endOf(secret))
          const secrets: Array<Redacted.Redacted> = []
          for (const { sealed } of valid) secrets.push(yield* vault.open(sealed, context))
          const auth = before !== undefined && isSameAuthentication(endpoint, before.endpoint)
            ? before.auth
            : yield* customerAuth.open(endpoint)
          const signAt = yield* signing(valid.map(endOf), secrets)
          return { endpoint, auth, signAt, signingKeys: secrets.flatMap(keyForms) }
        })
      })
    })
  )
}

const isSameAuthentication = (left: WebhookEndpoint, right: WebhookEndpoint): boolean =>
  left.business === right.business &&
  JSON.stringify(left.authentication) === JSON.stringify(right.authentication)

/** Until when a secret signs, in milliseconds since 1970. */
const endOf = ({ validUntil }: WebhookEndpoint["signingSecrets"][number]): number =>
  validUntil === null ? Infinity : Date.parse(validUntil)

/** The secrets are the newest first, so those that are still valid are the first ones. */
const signing = Effect.fnUntraced(function*(
  untils: ReadonlyArray<number>,
  secrets: ReadonlyArray<Redacted.Redacted>
) {
  const signs: Array<Sign> = []
  for (let count = 1; count <= secrets.length; count++) {
    signs.push(yield* Effect.fromResult(signer(secrets.slice(0, count))))
  }
  return (now: number): Sign => {
    let valid = untils.length
    while (valid > 1 && untils[valid - 1]! <= now) valid--
    return signs[valid - 1]!
  }
})
