/**
 * Port: the keys that tokens are signed with, shared by all instances of a service.
 */
import { Context, Effect, Redacted } from "effect"
import type { StorageUnavailable } from "../values/Errors.ts"
import type { Timestamp } from "../values/Timestamp.ts"

/** A private signing key. */
export interface SigningKey {
  /** Its id, `kid` in token headers. */
  readonly id: string
  /** The private key as a JSON Web Key, in JSON. */
  readonly privateJwk: Redacted.Redacted<string>
  readonly createdAt: Timestamp
}

/** The keys that tokens are signed with. */
export class SigningKeyStore extends Context.Service<SigningKeyStore, {
  /** All keys that are kept, newest first. */
  readonly list: Effect.Effect<ReadonlyArray<SigningKey>, StorageUnavailable>
  /**
   * Adds the key unless there is one created after `unlessSince`, drops keys created before `dropBefore` (never the
   * newest), and returns what is kept, newest first. Instances that start at once end with one key.
   */
  readonly rotate: (
    key: SigningKey,
    unlessSince: Timestamp,
    dropBefore: Timestamp
  ) => Effect.Effect<ReadonlyArray<SigningKey>, StorageUnavailable>
}>()("@dockline/core/SigningKeyStore") {}
