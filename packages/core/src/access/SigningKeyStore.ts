/**
 * Port: stores the keys that sign tokens, shared by all instances of a service.
 */
import { Context, Effect, Redacted } from "effect"
import type { StorageUnavailable } from "../values/Errors.ts"
import type { Timestamp } from "../values/Timestamp.ts"

/** A private signing key. */
export interface SigningKey {
  /** The id, `kid` in token headers. */
  readonly id: string
  /** The private key as a JSON Web Key, in JSON. */
  readonly privateJwk: Redacted.Redacted<string>
  readonly createdAt: Timestamp
}

/** Stores the keys that sign tokens. */
export class SigningKeyStore extends Context.Service<SigningKeyStore, {
  /** All stored keys, newest first. */
  readonly list: Effect.Effect<ReadonlyArray<SigningKey>, StorageUnavailable>
  /**
   * Adds the key unless a key was created after `unlessSince`, drops keys created before `dropBefore` (never the newest),
   * and returns the stored keys, newest first. Instances that start at the same time therefore share one key.
   */
  readonly rotate: (
    key: SigningKey,
    unlessSince: Timestamp,
    dropBefore: Timestamp
  ) => Effect.Effect<ReadonlyArray<SigningKey>, StorageUnavailable>
}>()("@dockline/core/access/SigningKeyStore") {}
