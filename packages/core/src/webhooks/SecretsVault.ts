/**
 * Port: encrypts customers' passwords and signing secrets for storage.
 */
import { Context, Effect, Layer } from "effect"
import type { Redacted } from "effect"
import { SecretsKeyMissing, SecretUnreadable } from "../values/OperatorErrors.ts"

/** The stored form of a secret: text that only the vault can open. */
export type SealedText = string & { readonly "@dockline/core/Sealed": never }

/** A stored secret, with its owner and its context. */
export interface Seal {
  /** The owner of the secret, in words. */
  readonly owner: string
  readonly text: SealedText
  /** The context under which the secret was sealed. */
  readonly context: string
}

/** The context under which the secrets of a business's endpoints are sealed. */
export const secretsContext = (business: string): string => `webhook:${business}`

/** A key pair of the service that signs deliveries of a business by Ed25519, if an endpoint uses such signatures (D15.3). */
export interface WebhookKey {
  /** Identifies the key, and reveals nothing about it. */
  readonly id: string
  /** The 32 bytes of the public key, in base64. */
  readonly publicKey: string
  /** Signs a text in UTF-8: 64 bytes in base64. */
  readonly sign: (text: string) => string
}

/** Seals and opens secrets. */
export class SecretsVault extends Context.Service<SecretsVault, {
  /** Seals a secret. The secret opens only under the same context, such as its business, so that nobody can use it for another business. */
  readonly seal: (secret: Redacted.Redacted, context: string) => Effect.Effect<SealedText, SecretsKeyMissing>
  /** Opens a sealed secret; fails when it was encrypted with another key or under another context, or is damaged. */
  readonly open: (
    ciphertext: SealedText,
    context: string
  ) => Effect.Effect<Redacted.Redacted, SecretUnreadable>
  /**
   * The keys that sign deliveries of a business for receivers without a secret, the newest first: the same in all instances, one for each
   * key of the vault. Each business has its own keys, so that nobody can pass on a message that was signed for another business.
   */
  readonly webhookKeys: (business: string) => ReadonlyArray<WebhookKey>
}>()("@dockline/core/webhooks/SecretsVault") {
  /** A service without a key: it can neither store nor read secrets. */
  static readonly layerWithoutKey: Layer.Layer<SecretsVault> = Layer.succeed(SecretsVault, {
    seal: () => Effect.fail(new SecretsKeyMissing()),
    open: () => Effect.fail(new SecretUnreadable({ reason: "the service has no key for secrets" })),
    webhookKeys: () => []
  })
}
