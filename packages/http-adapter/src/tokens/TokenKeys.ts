/**
 * Where the keys of tokens come from: the service's own signing keys, or the published keys of an external issuer.
 *
 * Guarantee: a signing key signs for its lifetime and no longer, whichever instance uses it; it is published and
 * verifies until the last token signed with it has expired, and is dropped then (D10.2). Instances that share a store
 * end with one newest key. A key is generated only when a token is to be signed and there is none young enough.
 */
import { IssuerUnavailable } from "@dockline/core/Errors"
import type { StorageUnavailable } from "@dockline/core/Errors"
import { SigningKeyStore } from "@dockline/core/SigningKeyStore"
import type { SigningKey } from "@dockline/core/SigningKeyStore"
import { fromMillis } from "@dockline/core/Timestamp"
import { Clock, Duration, Effect, Option, Redacted, Schema, Semaphore } from "effect"
import type { Scope } from "effect"
import {
  calculateJwkThumbprint,
  createLocalJWKSet,
  createRemoteJWKSet,
  exportJWK,
  generateKeyPair,
  importJWK
} from "jose"
import type { CryptoKey, JWK } from "jose"
import * as KeyRing from "./KeyRing.ts"

/** The algorithm of the service's own tokens. */
export const algorithm = "RS256"

/** How long keys live. */
export interface KeyLifetimes {
  /** How long a key signs. */
  readonly keyLifetime: Duration.Duration
  /** How long a token is valid. */
  readonly lifetimeSeconds: number
}

/** A key to sign with. */
export interface Signer {
  readonly kid: string
  readonly key: CryptoKey | Uint8Array
}

/** The service's own keys. */
export interface OwnKeys {
  readonly ring: KeyRing.KeyRing<StorageUnavailable>
  /** The newest key; a new one when that has signed for its lifetime. */
  readonly signer: Effect.Effect<Signer, StorageUnavailable>
}

/** A store is asked again each minute, so that a key which an operator removes stops to count within that time. */
const ownPolicy: KeyRing.KeyRingPolicy = {
  maxAge: Duration.minutes(1),
  staleLimit: Duration.hours(1),
  retryAfter: Duration.seconds(1),
  cooldown: Duration.seconds(2)
}

const externalPolicy: KeyRing.KeyRingPolicy = {
  maxAge: Duration.minutes(10),
  staleLimit: Duration.hours(1),
  retryAfter: Duration.seconds(30),
  cooldown: Duration.seconds(5)
}

/** How long one attempt to fetch the keys of an external issuer may take. */
const fetchTimeout = Duration.seconds(3)

/** How far the clocks of instances may differ without a key being dropped too early. */
const clockSkew = Duration.minutes(5)

/** A bound that no key is older than: `rotate` with it never adds a key to those there are. */
const always = "0001-01-01T00:00:00.000Z"

/** The keys of a store, rotated. */
export const own = Effect.fnUntraced(function*(
  { keyLifetime, lifetimeSeconds }: KeyLifetimes
): Effect.fn.Return<OwnKeys, never, SigningKeyStore | Scope.Scope> {
  const store = yield* SigningKeyStore
  const turns = yield* Semaphore.make(1)
  const signsFor = Duration.toMillis(keyLifetime)
  const servesFor = signsFor + lifetimeSeconds * 1000 + Duration.toMillis(clockSkew)

  const isYoung = (key: SigningKey | undefined, now: number): key is SigningKey =>
    key !== undefined && Date.parse(key.createdAt) > now - signsFor

  /** The newest is left in the store even when it has expired; here it counts no longer. */
  const withoutExpired = (keys: ReadonlyArray<SigningKey>, now: number) =>
    keys.filter((key) => key.createdAt >= fromMillis(now - servesFor))

  const load = Effect.fnUntraced(function*(atHand: KeyRing.KeySet | undefined) {
    const now = yield* Clock.currentTimeMillis
    const kept = yield* store.list
    const counting = withoutExpired(kept, now)
    const [newest] = kept
    if (newest !== undefined && counting.length < kept.length && kept.length > 1) {
      // The keys at hand are good whether or not the old ones go; it is tried again as they are loaded, within a minute.
      yield* store.rotate(newest, always, fromMillis(now - servesFor)).pipe(
        Effect.catch((error) => Effect.logWarning("Could not drop expired signing keys; trying again", error))
      )
    }
    return yield* keySet(counting, atHand)
  })
  const ring = yield* KeyRing.make(load, ownPolicy)

  const rotate = turns.withPermit(Effect.gen(function*() {
    const now = yield* Clock.currentTimeMillis
    // Whoever held the permit before may have made the key already, or another instance since the last reading.
    const [atHand] = (yield* ring.current).signingKeys
    if (isYoung(atHand, now)) return atHand
    const listed = yield* store.list
    const kept = isYoung(listed[0], now)
      ? listed
      : yield* store.rotate(yield* generate(now), fromMillis(now - signsFor), fromMillis(now - servesFor))
    yield* ring.replace(yield* keySet(withoutExpired(kept, now), undefined))
    return kept[0]!
  }))

  let imported: Signer | undefined
  const signer = Effect.gen(function*() {
    const now = yield* Clock.currentTimeMillis
    const [newest] = (yield* ring.current).signingKeys
    const key = isYoung(newest, now) ? newest : yield* rotate
    if (imported?.kid !== key.id) imported = { kid: key.id, key: yield* importPrivate(key) }
    return imported
  })

  return { ring, signer }
})

/** The keys that an external issuer publishes. */
export const external = Effect.fnUntraced(function*(
  jwksUrl: string
): Effect.fn.Return<KeyRing.KeyRing<IssuerUnavailable>, never, Scope.Scope> {
  const remote = createRemoteJWKSet(new URL(jwksUrl), { timeoutDuration: Duration.toMillis(fetchTimeout) })

  const load = (atHand: KeyRing.KeySet | undefined) =>
    Effect.tryPromise({
      // The ring decides when to fetch, by Effect's clock; jose fetches, with its time limit and checks.
      try: async (): Promise<KeyRing.KeySet> => {
        await remote.reload()
        const jwks = remote.jwks()?.keys ?? []
        const isUnchanged = atHand !== undefined && JSON.stringify(atHand.jwks) === JSON.stringify(jwks)
        return isUnchanged ? atHand : { jwks, resolve: createLocalJWKSet({ keys: jwks }), signingKeys: [] }
      },
      catch: (cause) =>
        new IssuerUnavailable({ cause: new Error(`The keys at ${jwksUrl} cannot be read`, { cause }) })
    })

  return yield* KeyRing.make(load, externalPolicy)
})

/** The public half; decoding strips everything else, the private numbers first of all. */
const PublicHalf = Schema.fromJsonString(
  Schema.Struct({ kty: Schema.Literal("RSA"), n: Schema.String, e: Schema.String })
)

const keySet = (signingKeys: ReadonlyArray<SigningKey>, atHand: KeyRing.KeySet | undefined) =>
  Effect.map(Effect.forEach(signingKeys, publicJwk), (jwks): KeyRing.KeySet => {
    const isUnchanged = atHand !== undefined &&
      atHand.jwks.length === jwks.length && jwks.every(({ kid }, at) => kid === atHand.jwks[at]!.kid)
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

/** Without the cause: the message of a parser quotes what it read. */
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
