/**
 * The public keys that tokens are verified with, kept fresh while they are in use.
 *
 * Guarantee: keys are read when first needed, and again once they are older than `maxAge`; a token with a key that is
 * not known brings one reading more, at most one in each `cooldown`, however many such tokens arrive. At most one
 * reading runs at a time, and all who need its result share it. While the source is down, the keys at hand serve on
 * until they are `staleLimit` old, and nobody waits for it but the one request that tries again. Setting the time of
 * day changes nothing of it.
 */
import type { SigningKey } from "@dockline/core/SigningKeyStore"
import { Clock, Duration, Effect, Fiber } from "effect"
import type { Scope } from "effect"
import type { JWK, LocalJWKSet } from "jose"
import { steadyMillis } from "./SteadyClock.ts"

/** A set of keys. The same object means the same keys, so that what was verified with it need not be again. */
export interface KeySet {
  /** The public keys. */
  readonly jwks: ReadonlyArray<JWK>
  /** Finds the key that a token header names. */
  readonly resolve: LocalJWKSet
  /** The private keys, newest first; none of an external issuer. */
  readonly signingKeys: ReadonlyArray<SigningKey>
}

/** How fresh keys are kept. */
export interface KeyRingPolicy {
  readonly maxAge: Duration.Duration
  readonly staleLimit: Duration.Duration
  /** How long after an attempt that failed the next one may follow. */
  readonly retryAfter: Duration.Duration
  readonly cooldown: Duration.Duration
}

/** Keys, kept fresh, from a source that may fail with `E`. */
export interface KeyRing<E> {
  /** The keys as they are now. */
  readonly current: Effect.Effect<KeySet, E>
  /** The keys after a token named one that {@link current} does not hold. */
  readonly renewed: Effect.Effect<KeySet, E>
  /** Puts keys in place that the caller has just read; a reading that is under way no longer counts. */
  readonly replace: (keys: KeySet) => Effect.Effect<void>
}

/** A ring over a source of keys; `load` gets the keys at hand, and returns the same object when nothing changed. */
export const make = Effect.fnUntraced(function*<E>(
  load: (atHand: KeySet | undefined) => Effect.Effect<KeySet, E>,
  policy: KeyRingPolicy
): Effect.fn.Return<KeyRing<E>, never, Scope.Scope> {
  const scope = yield* Effect.scope
  const maxAge = Duration.toMillis(policy.maxAge)
  const staleLimit = Duration.toMillis(policy.staleLimit)
  const retryAfter = Duration.toMillis(policy.retryAfter)
  const cooldown = Duration.toMillis(policy.cooldown)

  let keys: KeySet | undefined
  let loadedAt = -Infinity
  let attemptedAt = -Infinity
  let forcedAt = -Infinity
  let replacements = 0
  let failure: { readonly error: E } | undefined
  let reading: Fiber.Fiber<KeySet, E> | undefined

  const isReading = (): boolean => reading !== undefined && reading.pollUnsafe() === undefined

  const read = Effect.gen(function*() {
    const started = steadyMillis(yield* Clock.Clock)
    const replacementsBefore = replacements
    attemptedAt = started
    const loaded = yield* load(keys)
    // A key made meanwhile is not in what was read before it.
    if (keys !== undefined && replacements !== replacementsBefore) return keys
    keys = loaded
    loadedAt = started
    failure = undefined
    return loaded
  }).pipe(
    Effect.tapError((error) => Effect.sync(() => void (failure = { error })))
  )

  /** In a fiber of the ring's own, so that a client that goes away takes nothing from the others who wait. */
  const reload = Effect.suspend(() => {
    if (reading !== undefined && isReading()) return Fiber.join(reading)
    return Effect.flatMap(Effect.forkIn(read, scope), (fiber) => {
      reading = fiber
      return Fiber.join(fiber)
    })
  })

  const current = Clock.clockWith((clock) => {
    const now = steadyMillis(clock)
    const age = now - loadedAt
    if (keys !== undefined && age < maxAge) return Effect.succeed(keys)
    const isResting = now - attemptedAt < retryAfter
    if (keys !== undefined && age < staleLimit) {
      const atHand = keys
      return isReading() || isResting
        ? Effect.succeed(atHand)
        : Effect.catch(reload, () => Effect.succeed(atHand))
    }
    return failure !== undefined && isResting && !isReading() ? Effect.fail(failure.error) : reload
  })

  const renewed = Clock.clockWith((clock) => {
    const now = steadyMillis(clock)
    if (keys !== undefined && !isReading() && now - forcedAt < cooldown) {
      return failure === undefined ? Effect.succeed(keys) : Effect.fail(failure.error)
    }
    if (!isReading()) forcedAt = now
    return reload
  })

  const replace = (given: KeySet) =>
    Effect.map(Clock.Clock, (clock) => {
      keys = given
      loadedAt = steadyMillis(clock)
      failure = undefined
      replacements++
    })

  return { current, renewed, replace }
})
