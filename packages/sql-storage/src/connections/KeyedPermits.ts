/**
 * Permits by key. A key takes memory only while it is in use.
 */
import { Effect, Semaphore } from "effect"
import type { Scope } from "effect"

export interface KeyedPermits {
  /** Waits for a permit of the key, in the order of asking, and holds it until the scope closes. */
  readonly takeScoped: (key: string) => Effect.Effect<void, never, Scope.Scope>
  /** The number of keys in use. */
  readonly size: () => number
}

/** Makes `permits` for each key. */
export const make = (permits: number): KeyedPermits => {
  const inUse = new Map<string, { readonly semaphore: Semaphore.Semaphore; users: number }>()
  return {
    size: () => inUse.size,
    takeScoped: (key) =>
      Effect.flatMap(
        Effect.acquireRelease(
          Effect.sync(() => {
            const entry = inUse.get(key) ?? { semaphore: Semaphore.makeUnsafe(permits), users: 0 }
            entry.users++
            inUse.set(key, entry)
            return entry
          }),
          (entry) =>
            Effect.sync(() => {
              if (--entry.users === 0) inUse.delete(key)
            })
        ),
        ({ semaphore }) => semaphore.takeScoped(1)
      )
  }
}
