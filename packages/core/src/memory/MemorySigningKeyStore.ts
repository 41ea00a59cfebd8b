/**
 * Signing keys in memory.
 */
import { Effect, Layer } from "effect"
import { SigningKeyStore } from "../access/SigningKeyStore.ts"
import { MemoryDatabase } from "./MemoryDatabase.ts"

/** Keys in memory: tokens do not survive the process. */
export const layer: Layer.Layer<SigningKeyStore, never, MemoryDatabase> = Layer.effect(
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
