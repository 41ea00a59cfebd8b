/**
 * The signing keys of the service, or the published keys of an external issuer. A signing key stays published until the last token that was
 * signed with it has expired, and is then dropped (D10.2). Instances that share a store agree on one newest key.
 *
 * Public keys are read again once they are older than `maxAge`, and for unknown keys at most once in each `cooldown`. Only one reading runs
 * at a time. While the source is unavailable, the last keys are used until they are `staleLimit` old. Setting the time of day does not
 * change these ages.
 */
import { SigningKeyStore } from "@dockline/core/access/Authenticator"
import type { SigningKey } from "@dockline/core/access/Authenticator"
import { IssuerUnavailable } from "@dockline/core/values/RequestErrors"
import { earliest, fromMillis } from "@dockline/core/values/Timestamp"
import { Clock, Effect, Fiber, Option, Redacted, Schema, Semaphore } from "effect"
import type { Scope } from "effect"
import {
  calculateJwkThumbprint,
  createLocalJWKSet,
  createRemoteJWKSet,
  exportJWK,
  generateKeyPair,
  importJWK
} from "jose"
import type { CryptoKey, JWK, LocalJWKSet } from "jose"
import { steadyMillis } from "./SteadyClock.ts"

export const algorithm = "RS256"

const second = 1000
const minute = 60 * second

/** How long a key signs before the next one takes over. */
const signsFor = 30 * 24 * 60 * minute

/** The policy for the keys of the service. A removed key stays valid for at most a minute while the store answers, else for an hour. */
const ownPolicy: KeyRingPolicy = {
  maxAge: minute,
  staleLimit: 60 * minute,
  retryAfter: second,
  cooldown: 2 * second
}

const externalPolicy: KeyRingPolicy = {
  maxAge: 10 * minute,
  staleLimit: 60 * minute,
  retryAfter: 30 * second,
  cooldown: 5 * second
}

const fetchTimeout = 3 * second

/** The largest difference between the clocks of instances at which none of them drops a key too early. */
const clockSkew = 5 * minute

/** The signing keys of the service. `signer` returns the newest key, or a new key once that key has signed for `signsFor`. */
export const own = Effect.fnUntraced(function*(lifetimeSeconds: number) {
  const store = yield* SigningKeyStore
  const turns = yield* Semaphore.make(1)
  const servesFor = signsFor + lifetimeSeconds * second + clockSkew

  const isYoung = (key: SigningKey | undefined, now: number): key is SigningKey =>
    key !== undefined && Date.parse(key.createdAt) > now - signsFor

  /** The store keeps the newest key even when it has expired. */
  const withoutExpired = (keys: ReadonlyArray<SigningKey>, now: number) =>
    keys.filter((key) => key.createdAt >= fromMillis(now - servesFor))

  const load = Effect.fnUntraced(function*(atHand: KeySet | undefined) {
    const now = yield* Clock.currentTimeMillis
    const signingKeys = yield* store.list
    const validKeys = withoutExpired(signingKeys, now)
    const [newest] = signingKeys
    if (newest !== undefined && validKeys.length < signingKeys.length && signingKeys.length > 1) {
      // The other keys are valid even if the old ones could not be dropped; the next reading tries again.
      yield* store.rotate(newest, earliest, fromMillis(now - servesFor)).pipe(
        Effect.catch((error) => Effect.logWarning("Could not drop expired signing keys; trying again", error))
      )
    }
    return yield* keySet(validKeys, atHand)
  })
  const ring = yield* make(load, ownPolicy)

  const rotate = turns.withPermit(Effect.gen(function*() {
    const now = yield* Clock.currentTimeMillis
    // The previous holder of the permit, or another instance, may have made the key since the last reading.
    const [atHand] = (yield* ring.current).signingKeys
    if (isYoung(atHand, now)) return atHand
    const allKeys = yield* store.list
    const youngKeys = isYoung(allKeys[0], now)
      ? allKeys
      : yield* store.rotate(yield* generate(now), fromMillis(now - signsFor), fromMillis(now - servesFor))
    yield* ring.replace(yield* keySet(withoutExpired(youngKeys, now), undefined))
    const [newest] = youngKeys
    return newest ?? (yield* Effect.die(new Error("The store keeps no signing key")))
  }))

  let keyImport: { readonly kid: string; readonly key: CryptoKey | Uint8Array } | undefined
  const signer = Effect.gen(function*() {
    const now = yield* Clock.currentTimeMillis
    const [newest] = (yield* ring.current).signingKeys
    const key = isYoung(newest, now) ? newest : yield* rotate
    if (keyImport?.kid !== key.id) keyImport = { kid: key.id, key: yield* importPrivate(key) }
    return keyImport
  })

  return { ring, signer }
})

export const external = Effect.fnUntraced(function*(jwksUrl: string) {
  const remote = createRemoteJWKSet(new URL(jwksUrl), { timeoutDuration: fetchTimeout })

  const load = (atHand: KeySet | undefined) =>
    Effect.tryPromise({
      // The ring decides by the clock of Effect when to fetch; jose fetches, with its own time limit and checks.
      try: async (): Promise<KeySet> => {
        await remote.reload()
        const jwks = remote.jwks()?.keys ?? []
        const isUnchanged = atHand !== undefined && JSON.stringify(atHand.jwks) === JSON.stringify(jwks)
        return isUnchanged ? atHand : { jwks, resolve: createLocalJWKSet({ keys: jwks }), signingKeys: [] }
      },
      catch: (cause) =>
        new IssuerUnavailable({ cause: new Error(`The keys at ${jwksUrl} cannot be read`, { cause }) })
    })

  return yield* make(load, externalPolicy)
})

/** The public half of a key. Decoding removes everything else, above all the private numbers. */
const PublicHalf = Schema.fromJsonString(
  Schema.Struct({ kty: Schema.Literal("RSA"), n: Schema.String, e: Schema.String })
)

const keySet = (signingKeys: ReadonlyArray<SigningKey>, atHand: KeySet | undefined) =>
  Effect.map(Effect.forEach(signingKeys, publicJwk), (jwks): KeySet => {
    const isUnchanged = atHand !== undefined &&
      atHand.jwks.length === jwks.length && jwks.every(({ kid }, at) => kid === atHand.jwks[at]?.kid)
    return isUnchanged ? atHand : { jwks, resolve: createLocalJWKSet({ keys: jwks }), signingKeys }
  })

const publicJwk = (key: SigningKey): Effect.Effect<JWK> => {
  const half = Option.getOrUndefined(Schema.decodeUnknownOption(PublicHalf)(Redacted.value(key.privateJwk)))
  return half === undefined
    ? Effect.die(unreadable(key))
    : Effect.succeed({ ...half, kid: key.id, use: "sig", alg: algorithm })
}

const importPrivate = (key: SigningKey): Effect.Effect<CryptoKey | Uint8Array> =>
  Effect.tryPromise({
    try: async () => importJWK(JSON.parse(Redacted.value(key.privateJwk)), algorithm),
    catch: () => unreadable(key)
  }).pipe(Effect.orDie)

/** The error has no cause, because the message of a parser quotes its input. */
const unreadable = (key: SigningKey): Error =>
  new Error(`The signing key ${key.id} is not an RSA private key`)

const generate = (now: number): Effect.Effect<SigningKey> =>
  Effect.promise(async () => {
    const { privateKey } = await generateKeyPair(algorithm, { modulusLength: 2048, extractable: true })
    const jwk = await exportJWK(privateKey)
    return {
      id: await calculateJwkThumbprint(jwk),
      privateJwk: Redacted.make(JSON.stringify(jwk)),
      createdAt: fromMillis(now)
    }
  })

/** A set of keys. The same object means the same keys, so that tokens verified with it need not be verified again. */
export interface KeySet {
  readonly jwks: ReadonlyArray<JWK>
  readonly resolve: LocalJWKSet
  /** The signing keys, the newest first; none for an external issuer. */
  readonly signingKeys: ReadonlyArray<SigningKey>
}

/** Times in milliseconds; the head of this file explains the others. */
export interface KeyRingPolicy {
  readonly maxAge: number
  readonly staleLimit: number
  /** The time between a failed attempt and the next one. */
  readonly retryAfter: number
  readonly cooldown: number
}

export interface KeyRing<E> {
  /** The keys; `undefined` if they have to be read first. */
  readonly fresh: (clock: Clock.Clock) => KeySet | undefined
  readonly current: Effect.Effect<KeySet, E>
  /** Reads the keys again, for a token with a key that `current` does not have. */
  readonly renewal: Effect.Effect<KeySet, E>
  /** Sets keys that the caller has just read; the result of a running reading is dropped. */
  readonly replace: (keys: KeySet) => Effect.Effect<void>
}

/** Makes a ring of keys. `load` gets the current keys, and returns the same object if nothing has changed. */
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
    // The keys were replaced during the reading, which does not include a key that was made meanwhile.
    if (keys !== undefined && replacements !== replacementsBefore) return keys
    keys = keySet
    loadedAt = startMillis
    failure = undefined
    return keySet
  }).pipe(
    Effect.tapError((error) => Effect.sync(() => void (failure = { error })))
  )

  /** Reads in a fiber of the ring, so that a client that goes away does not interrupt other waiting clients. */
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
