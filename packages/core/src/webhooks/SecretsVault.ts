/**
 * Port: what keeps customers' passwords and signing secrets unreadable where they are stored.
 */
import { Context, Effect, Layer } from "effect"
import type { Redacted } from "effect"
import { SecretsKeyMissing, SecretUnreadable } from "../values/OperatorErrors.ts"

/** A secret as it is stored: a text that only the vault can open. */
export type Sealed = string & { readonly "@dockline/core/Sealed": never }

/** What seals secrets. */
export class SecretsVault extends Context.Service<SecretsVault, {
  /**
   * Seals a secret. It opens under the same context only, such as the business it belongs to, so that nobody who can
   * write to the database can move it elsewhere.
   */
  readonly seal: (secret: Redacted.Redacted, context: string) => Effect.Effect<Sealed, SecretsKeyMissing>
  /** Opens what was sealed; fails when it was sealed with another key or under another context, or is damaged. */
  readonly open: (sealed: Sealed, context: string) => Effect.Effect<Redacted.Redacted, SecretUnreadable>
}>()("@dockline/core/SecretsVault") {
  /** A service without a key: nothing secret can be stored, and nothing that was stored can be read. */
  static readonly layerWithoutKey: Layer.Layer<SecretsVault> = Layer.succeed(SecretsVault, {
    seal: () => Effect.fail(new SecretsKeyMissing()),
    open: () => Effect.fail(new SecretUnreadable({ reason: "the service has no key for secrets" }))
  })
}
