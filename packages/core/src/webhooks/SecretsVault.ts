/**
 * Port: encrypts customers' passwords and signing secrets for storage.
 */
import { Context, Effect, Layer } from "effect"
import type { Redacted } from "effect"
import { SecretsKeyMissing, SecretUnreadable } from "../values/OperatorErrors.ts"

/** A secret as it is stored: text that only the vault can open. */
export type Sealed = string & { readonly "@dockline/core/Sealed": never }

/** The context that seals the secrets of a business's endpoints. */
export const secretsContext = (business: string): string => `webhook:${business}`

/** Seals and opens secrets. */
export class SecretsVault extends Context.Service<SecretsVault, {
  /**
   * Seals a secret. It opens only under the same context, such as its business, so that a writer to the database cannot
   * move it to another business.
   */
  readonly seal: (secret: Redacted.Redacted, context: string) => Effect.Effect<Sealed, SecretsKeyMissing>
  /** Opens a sealed secret; fails when it was sealed with another key or under another context, or is damaged. */
  readonly open: (sealed: Sealed, context: string) => Effect.Effect<Redacted.Redacted, SecretUnreadable>
}>()("@dockline/core/SecretsVault") {
  /** A service without a key: it can neither store nor read secrets. */
  static readonly layerWithoutKey: Layer.Layer<SecretsVault> = Layer.succeed(SecretsVault, {
    seal: () => Effect.fail(new SecretsKeyMissing()),
    open: () => Effect.fail(new SecretUnreadable({ reason: "the service has no key for secrets" }))
  })
}
