/**
 * Port: the keys that tokens are signed with, shared by all instances of a service.
 */
import { Context, Effect, Layer, Redacted } from "effect"
import type { StorageUnavailable } from "./Errors.ts"
import { MemoryDatabase } from "./MemoryDatabase.ts"
import type { Timestamp } from "./Timestamp.ts"

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
}>()("@dockline/core/SigningKeyStore") {
  /** Keys in memory: tokens do not survive the process. */
  static readonly layerMemory: Layer.Layer<SigningKeyStore, never, MemoryDatabase> = Layer.effect(
    SigningKeyStore,
    Effect.map(MemoryDatabase, (database) =>
      SigningKeyStore.of({
        list: Effect.sync(() => database.signingKeys),
        rotate: (key, unlessSince, dropBefore) =>
          Effect.sync(() => {
            const keys = database.signingKeys.some((existing) => existing.createdAt > unlessSince)
              ? database.signingKeys
              : [key, ...database.signingKeys]
            database.signingKeys = keys.filter((each, index) => index === 0 || each.createdAt >= dropBefore)
            return database.signingKeys
          })
      }))
  )
}
