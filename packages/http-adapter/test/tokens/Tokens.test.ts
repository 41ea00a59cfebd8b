/** D10.2: the service's own tokens. */
import { SigningKeyStore } from "@dockline/core/access/Authenticator"
import * as Timestamp from "@dockline/core/values/Timestamp"
import { assert, describe, it } from "@effect/vitest"
import { Cause, Effect, Exit, Redacted } from "effect"
import { TestClock } from "effect/testing"
import { decodeJwt, decodeProtectedHeader, exportJWK, generateKeyPair } from "jose"
import { vi } from "vitest"
import * as Setup from "../AuthSetup.ts"
import { refusalOf, storeUnavailable } from "../AuthSetup.ts"

/** How many signatures are checked while an effect runs. */
const signatureChecks = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.acquireUseRelease(
    Effect.sync(() => vi.spyOn(crypto.subtle, "verify")),
    (spy) => Effect.map(effect, () => spy.mock.calls.length),
    (spy) => Effect.sync(() => spy.mockRestore())
  )

const kidOf = (token: string) => decodeProtectedHeader(token).kid

describe("D10.2 what a token is", () => {
  it.effect("an RFC 9068 JWT with RS256, at+jwt, a kid and exactly the claims of D10.2", () =>
    Effect.gen(function*() {
      yield* TestClock.setTime(Date.parse("2026-11-20T17:00:00.700Z"))
      const tokens = yield* Setup.instance()
      const { accessToken, expiresIn } = yield* tokens.issue("wms")
      const { kid, ...header } = decodeProtectedHeader(accessToken)
      const { jti, ...claims } = decodeJwt(accessToken)
      const iat = Date.parse("2026-11-20T17:00:00Z") / 1000
      assert.deepStrictEqual(header, { alg: "RS256", typ: "at+jwt" })
      assert.match(String(kid), /^[\w-]{43}$/)
      assert.match(String(jti), /^[0-9a-f-]{36}$/)
      assert.deepStrictEqual(claims, {
        iss: Setup.issuer,
        aud: Setup.audience,
        sub: "wms",
        client_id: "wms",
        iat,
        exp: iat + 86_400
      })
      assert.strictEqual(expiresIn, 86_400)
      const second = yield* tokens.issue("wms")
      assert.notStrictEqual(decodeJwt(second.accessToken).jti, jti)
      assert.deepStrictEqual(yield* tokens.verify(accessToken), {
        clientId: "wms",
        expiresAt: (iat + 86_400) * 1000
      })
    }).pipe(Effect.provide(Setup.stores)))

  it.effect("the published keys hold nothing private", () =>
    Effect.gen(function*() {
      const tokens = yield* Setup.instance()
      const { accessToken } = yield* tokens.issue("wms")
      const { keys } = yield* tokens.jwks
      assert.strictEqual(keys.length, 1)
      assert.sameMembers(Object.keys(keys[0]!), ["kty", "n", "e", "kid", "use", "alg"])
      assert.include(keys[0], { kty: "RSA", use: "sig", alg: "RS256", kid: kidOf(accessToken)! })
      assert.strictEqual(Buffer.from(keys[0]!.n!, "base64url").length, 256)
    }).pipe(Effect.provide(Setup.stores)))

  it.effect("no key is made before the first token is issued", () =>
    Effect.gen(function*() {
      const tokens = yield* Setup.instance()
      const store = yield* SigningKeyStore
      assert.deepStrictEqual(yield* tokens.jwks, { keys: [] })
      yield* refusalOf(tokens.verify("a.b.c"))
      assert.deepStrictEqual(yield* store.list, [])
      yield* Effect.all([tokens.issue("wms"), tokens.issue("wms"), tokens.issue("erp")], { concurrency: 3 })
      assert.strictEqual((yield* store.list).length, 1)
      assert.strictEqual((yield* Setup.KeyStoreState).rotations, 1)
    }).pipe(Effect.provide(Setup.stores)))
})

describe("D10.1 a token lives for its lifetime", () => {
  it.effect("to the second, remembered or not", () =>
    Effect.gen(function*() {
      const tokens = yield* Setup.instance({ ...Setup.config, lifetimeSeconds: 60 })
      const fresh = yield* Setup.instance({ ...Setup.config, lifetimeSeconds: 60 })
      const { accessToken } = yield* tokens.issue("wms")
      yield* tokens.verify(accessToken)
      yield* TestClock.adjust(59_999)
      yield* tokens.verify(accessToken)
      yield* fresh.verify(accessToken)
      yield* TestClock.adjust(1)
      yield* refusalOf(tokens.verify(accessToken))
      yield* refusalOf(fresh.verify(accessToken))
    }).pipe(Effect.provide(Setup.stores)))
})

describe("verified tokens are remembered", () => {
  it.effect("a signature is checked once", () =>
    Effect.gen(function*() {
      const tokens = yield* Setup.instance()
      const { accessToken } = yield* tokens.issue("wms")
      const checks = yield* signatureChecks(Effect.forEach([1, 2, 3], () => tokens.verify(accessToken)))
      assert.strictEqual(checks, 1)
    }).pipe(Effect.provide(Setup.stores)))

  it.effect("as many as the capacity, those used last", () =>
    Effect.gen(function*() {
      const tokens = yield* Setup.instance({ ...Setup.config, cacheCapacity: 2 })
      const [first, second, third] = yield* Effect.forEach(["a", "b", "c"], (id) =>
        Effect.map(tokens.issue(id), ({ accessToken }) => accessToken))
      yield* Effect.forEach([first!, second!, first!, third!], tokens.verify)
      assert.strictEqual(yield* signatureChecks(tokens.verify(first!)), 0)
      assert.strictEqual(yield* signatureChecks(tokens.verify(third!)), 0)
      assert.strictEqual(yield* signatureChecks(tokens.verify(second!)), 1)
    }).pipe(Effect.provide(Setup.stores)))

  it.effect("but not beyond their key: one that is removed from the store counts no longer after a minute", () =>
    Effect.gen(function*() {
      const tokens = yield* Setup.instance()
      const store = yield* SigningKeyStore
      const { accessToken } = yield* tokens.issue("wms")
      yield* tokens.verify(accessToken)
      yield* TestClock.adjust("1 hour")
      const other = yield* Effect.promise(() => generateKeyPair("RS256", { extractable: true }))
      const privateJwk = Redacted.make(
        JSON.stringify(yield* Effect.promise(() => exportJWK(other.privateKey)))
      )
      const key = { id: "other", privateJwk, createdAt: Timestamp.of("1970-01-01T01:00:00.000Z") }
      yield* store.rotate(
        key,
        Timestamp.of("1970-01-01T00:30:00.000Z"),
        Timestamp.of("1970-01-01T00:30:00.000Z")
      )
      yield* refusalOf(tokens.verify(accessToken))
      // With the keys of now at hand, what was verified by those before is remembered still.
      yield* refusalOf(tokens.verify(accessToken))
      assert.strictEqual(kidOf((yield* tokens.issue("wms")).accessToken), "other")
    }).pipe(Effect.provide(Setup.stores)))
})

describe("D10.2 rotation with overlap", () => {
  // @threat asking.8
  it.effect("two keys are published, the last token of the old one verifies to its end, then the old key is gone", () =>
    Effect.gen(function*() {
      const tokens = yield* Setup.instance()
      const store = yield* SigningKeyStore
      const first = (yield* tokens.issue("wms")).accessToken
      yield* TestClock.adjust("30 days")
      yield* TestClock.adjust(-1000)
      const last = (yield* tokens.issue("wms")).accessToken
      assert.strictEqual(kidOf(last), kidOf(first))
      yield* TestClock.adjust(1000)
      const next = (yield* tokens.issue("wms")).accessToken
      assert.notStrictEqual(kidOf(next), kidOf(last))
      const keyIds = (yield* tokens.jwks).keys.map(({ kid }) => kid)
      assert.deepStrictEqual(keyIds, [kidOf(next), kidOf(last)])
      yield* TestClock.adjust("1 day")
      yield* TestClock.adjust(-1001)
      yield* tokens.verify(last)
      yield* TestClock.adjust(1)
      yield* refusalOf(tokens.verify(last))
      yield* tokens.verify(next)
      // Dropped once the clocks of all instances are past the end of the last token.
      yield* TestClock.adjust("7 minutes")
      assert.deepStrictEqual((yield* tokens.jwks).keys.map(({ kid }) => kid), [kidOf(next)])
      assert.deepStrictEqual((yield* store.list).map(({ id }) => id), [kidOf(next)])
    }).pipe(Effect.provide(Setup.stores)))

  it.effect("tokens are good while an old key cannot be dropped, which goes within a minute once it can", () =>
    Effect.gen(function*() {
      const tokens = yield* Setup.instance()
      const store = yield* SigningKeyStore
      const state = yield* Setup.KeyStoreState
      yield* tokens.issue("wms")
      yield* TestClock.adjust("30 days")
      const next = (yield* tokens.issue("wms")).accessToken
      state.isHeld = true
      yield* TestClock.adjust("1 day")
      yield* TestClock.adjust("7 minutes")
      const later = (yield* tokens.issue("wms")).accessToken
      assert.strictEqual(kidOf(later), kidOf(next))
      // Far beyond the time for which keys that cannot be loaded are good.
      for (let hours = 0; hours < 5; hours++) {
        yield* TestClock.adjust("1 hour")
        yield* tokens.verify(later)
        assert.deepStrictEqual((yield* tokens.jwks).keys.map(({ kid }) => kid), [kidOf(next)])
      }
      assert.lengthOf(yield* store.list, 2)
      state.isHeld = false
      yield* TestClock.adjust("61 seconds")
      yield* tokens.verify(later)
      yield* TestClock.adjust("61 seconds")
      yield* tokens.verify(later)
      assert.lengthOf(yield* store.list, 1)
    }).pipe(Effect.provide(Setup.stores)))

  it.effect("a service that has issued nothing for months makes one new key, and the old one counts no longer", () =>
    Effect.gen(function*() {
      const tokens = yield* Setup.instance()
      const { privateJwk, header, claims } = yield* Effect.andThen(tokens.issue("wms"), Setup.genuine)
      yield* TestClock.adjust("90 days")
      assert.deepStrictEqual(yield* tokens.jwks, { keys: [] })
      const exp = 86_400 * 100
      yield* refusalOf(Effect.flatMap(Setup.sign(header, { ...claims, exp }, privateJwk), tokens.verify))
      const { accessToken } = yield* tokens.issue("wms")
      assert.deepStrictEqual((yield* tokens.jwks).keys.map(({ kid }) => kid), [kidOf(accessToken)])
    }).pipe(Effect.provide(Setup.stores)))
})

describe("D10.2 several instances over one store", () => {
  it.effect("started together they end with one key and accept each other's tokens", () =>
    Effect.gen(function*() {
      const [a, b] = yield* Effect.all([Setup.instance(), Setup.instance()])
      const [ofA, ofB] = yield* Effect.all([a.issue("wms"), b.issue("erp")], { concurrency: 2 })
      assert.strictEqual((yield* (yield* SigningKeyStore).list).length, 1)
      assert.strictEqual(kidOf(ofA.accessToken), kidOf(ofB.accessToken))
      assert.strictEqual((yield* a.verify(ofB.accessToken)).clientId, "erp")
      assert.strictEqual((yield* b.verify(ofA.accessToken)).clientId, "wms")
    }).pipe(Effect.provide(Setup.stores)))

  it.effect("a key that another instance began to sign with is found at once", () =>
    Effect.gen(function*() {
      const [a, b] = yield* Effect.all([Setup.instance(), Setup.instance()])
      const old = (yield* a.issue("wms")).accessToken
      yield* b.verify(old)
      yield* TestClock.adjust("30 days")
      yield* refusalOf(b.verify(old))
      const next = (yield* a.issue("wms")).accessToken
      yield* b.verify(next)
      assert.strictEqual(kidOf((yield* b.issue("wms")).accessToken), kidOf(next))
    }).pipe(Effect.provide(Setup.stores)))

  it.effect("tokens with unknown keys bring one reading in two seconds, however many", () =>
    Effect.gen(function*() {
      const tokens = yield* Setup.instance()
      const state = yield* Setup.KeyStoreState
      yield* tokens.issue("wms")
      const { header, claims } = yield* Setup.genuine
      const guesses = Array.from(
        { length: 50 },
        (_, at) => `${Setup.part({ ...header, kid: `guess ${at}` })}.${Setup.part(claims)}.AAAA`
      )
      const before = state.reads
      const burst = Effect.forEach(guesses, (guess) => refusalOf(tokens.verify(guess)), { concurrency: 50 })
      yield* burst
      yield* TestClock.adjust(1999)
      yield* burst
      assert.strictEqual(state.reads, before + 1)
      yield* TestClock.adjust(1)
      yield* burst
      assert.strictEqual(state.reads, before + 2)
    }).pipe(Effect.provide(Setup.stores)))
})

describe("the store cannot be reached", () => {
  it.effect("before any key is known: unavailable, and asked once a second, not once a request", () =>
    Effect.gen(function*() {
      const state = yield* Setup.KeyStoreState
      state.isDown = true
      const tokens = yield* Setup.instance()
      yield* Effect.forEach([1, 2, 3], () => storeUnavailable(tokens.verify("a.b.c")))
      yield* storeUnavailable(tokens.issue("wms"))
      yield* storeUnavailable(tokens.jwks)
      assert.strictEqual(state.reads, 1)
      state.isDown = false
      yield* TestClock.adjust("1 second")
      yield* tokens.verify((yield* tokens.issue("wms")).accessToken)
    }).pipe(Effect.provide(Setup.stores)))

  it.effect("later: the keys at hand serve for an hour", () =>
    Effect.gen(function*() {
      const state = yield* Setup.KeyStoreState
      const tokens = yield* Setup.instance()
      const { accessToken } = yield* tokens.issue("wms")
      state.isDown = true
      yield* TestClock.adjust("59 minutes")
      yield* tokens.verify(accessToken)
      yield* TestClock.adjust("1 minute")
      yield* storeUnavailable(tokens.verify(accessToken))
      state.isDown = false
      yield* TestClock.adjust("1 second")
      yield* tokens.verify(accessToken)
    }).pipe(Effect.provide(Setup.stores)))

  it.effect("a stored key that cannot be read is a defect that quotes nothing of it", () =>
    Effect.gen(function*() {
      const store = yield* SigningKeyStore
      const key = {
        id: "k",
        privateJwk: Redacted.make("{\"d\":s3cr3t"),
        createdAt: Timestamp.of("1970-01-01T00:00:00.000Z")
      }
      yield* store.rotate(
        key,
        Timestamp.of("0001-01-01T00:00:00.000Z"),
        Timestamp.of("0001-01-01T00:00:00.000Z")
      )
      const tokens = yield* Setup.instance()
      const exit = yield* Effect.exit(tokens.issue("wms"))
      assert.isTrue(Exit.isFailure(exit) && Cause.hasDies(exit.cause))
      assert.notInclude(Exit.isFailure(exit) ? Cause.pretty(exit.cause) : "", "s3cr3t")
    }).pipe(Effect.provide(Setup.stores)))
})
