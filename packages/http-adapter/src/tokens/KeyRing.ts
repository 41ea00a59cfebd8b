/**
 * Keeps the public keys for verifying tokens fresh: they are read again once they are older than `maxAge`, and for unknown keys at most
 * once in each `cooldown`. One reading runs at a time. While the source is down, the last keys serve until they are `staleLimit` old.
 * Setting the time of day changes nothing.
 */
import type { SigningKey } from "@dockline/core/access/SigningKeyStore"
import { Clock, Effect, Fiber } from "effect"
import type { Scope } from "effect"
import type { JWK, LocalJWKSet } from "jose"
import { steadyMillis } from "./SteadyClock.ts"

/** The same object means the same keys, so that tokens verified with it need not be verified again. */
export interface KeySet {
  readonly jwks: ReadonlyArray<JWK>
  readonly resolve: LocalJWKSet
  /** Newest first; none of an external issuer. */
  readonly signingKeys: ReadonlyArray<SigningKey>
}

export interface KeyRingPolicy {
  readonly maxAge: number
  readonly staleLimit: number
  /** The time between a failed attempt and the next one. */
  readonly retryAfter: number
  readonly cooldown: number
}

export interface KeyRing<E> {
  /** The keys, unless they have to be read first. */
  readonly fresh: (clock: Clock.Clock) => KeySet | undefined
  readonly current: Effect.Effect<KeySet, E>
  /** For a token with a key that `current` does not hold. */
  readonly renewal: Effect.Effect<KeySet, E>
  /** Sets keys that the caller has just read; the result of a running reading is dropped. */
  readonly replace: (keys: KeySet) => Effect.Effect<void>
}

/** `load` gets the present keys, and returns the same object when nothing changed. */
export const make = Effect.fnUntraced(function*<E>(
  load: (atHand: KeySet | undefined) => Effect.Effect<KeySet, E>,
  { cooldown, maxAge, retryAfter, staleLimit }: KeyRingPolicy
): Effect.fn.Return<KeyRing<E>, never, Scope.Scope> {
  const scope = yield* Effect.scope

  let keys: KeySet | undefined
  let loadedAt = -Infinity
  let attemptedAt = -Infinity
  let forcedAt = -Infinity
  let replacements = 0
  let failure: { readonly error: E } | undefined
  let reading: Fiber.Fiber<KeySet, E> | undefined

  const isReading = (): boolean => reading !== undefined && reading.pollUnsafe() === undefined

  const read = Effect.gen(function*() {
    const startMillis = steadyMillis(yield* Clock.Clock)
    const replacementsBefore = replacements
    attemptedAt = startMillis
    const keySet = yield* load(keys)
    // A key made meanwhile is not in what was read before it.
    if (keys !== undefined && replacements !== replacementsBefore) return keys
    keys = keySet
    loadedAt = startMillis
    failure = undefined
    return keySet
  }).pipe(
    Effect.tapError((error) => Effect.sync(() => void (failure = { error })))
  )

  /** Reads in a fiber of the ring, so that a client that goes away does not interrupt the others that wait. */
  const reload = Effect.suspend(() => {
    if (reading !== undefined && isReading()) return Fiber.join(reading)
    return Effect.flatMap(Effect.forkIn(read, scope), (fiber) => {
      reading = fiber
      return Fiber.join(fiber)
    })
  })

  const fresh = (clock: Clock.Clock) => (steadyMillis(clock) - loadedAt < maxAge ? keys : undefined)

  const current = Clock.clockWith((clock) => {
    const atHand = fresh(clock)
    if (atHand !== undefined) return Effect.succeed(atHand)
    const now = steadyMillis(clock)
    const age = now - loadedAt
    const isResting = now - attemptedAt < retryAfter
    if (keys !== undefined && age < staleLimit) {
      const atHand = keys
      return isReading() || isResting
        ? Effect.succeed(atHand)
        : Effect.catch(reload, () => Effect.succeed(atHand))
    }
    return failure !== undefined && isResting && !isReading() ? Effect.fail(failure.error) : reload
  })

  const renewal = Clock.clockWith((clock) => {
    const now = steadyMillis(clock)
    if (keys !== undefined && !isReading() && now - forcedAt < cooldown) {
      return failure === undefined ? Effect.succeed(keys) : Effect.fail(failure.error)
    }
    if (!isReading()) forcedAt = now
    return reload
  })

  const replace = (keySet: KeySet) =>
    Effect.map(Clock.Clock, (clock) => {
      keys = keySet
      loadedAt = steadyMillis(clock)
      failure = undefined
      replacements++
    })

  return { fresh, current, renewal, replace }
})
