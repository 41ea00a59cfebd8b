/** D10.2: an external issuer instead of our own tokens, over a real JWKS server. */
import { SigningKeyStore } from "@dockline/core/access/Authenticator"
import { assert, describe, it } from "@effect/vitest"
import { Cause, Clock, Effect, Exit } from "effect"
import { TestClock } from "effect/testing"
import { exportJWK, generateKeyPair, SignJWT } from "jose"
import type { JWK, JWTPayload } from "jose"
import { createHmac } from "node:crypto"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import * as Setup from "./AuthSetup.ts"
import { issuerUnavailable, refusalOf } from "./AuthSetup.ts"

const issuer = "https://tenant.idp.example.com/"
const audience = "https://dockline.example.com"

const makeKey = (alg: string, kid: string) =>
  Effect.promise(async () => {
    const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true })
    return { alg, kid, privateKey, jwk: { ...(await exportJWK(publicKey)), kid, use: "sig", alg } }
  })

type Key = Effect.Success<ReturnType<typeof makeKey>>

/** An issuer's JWKS server on a port of its own with keys of these algorithms, and the service set to it. */
const idp = Effect.fnUntraced(function*(...algorithms: ReadonlyArray<string>) {
  const keys = yield* Effect.forEach(algorithms, (alg, at) => makeKey(alg, String(at + 1)))
  // A test takes no more of them than it has named.
  const [first, second] = keys as [Key, Key]
  const state: { keys: Array<JWK>; status: number; body: string | undefined; hits: number } = {
    keys: keys.map(({ jwk }) => jwk),
    status: 200,
    body: undefined,
    hits: 0
  }
  const server = createServer((_, response) => {
    state.hits++
    response.writeHead(state.status, { "content-type": "application/json" })
    response.end(state.body ?? JSON.stringify({ keys: state.keys }))
  })
  yield* Effect.acquireRelease(
    Effect.promise(() => new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))),
    () =>
      Effect.sync(() => {
        server.close()
        server.closeAllConnections()
      })
  )
  const jwksUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/jwks.json`
  const tokens = yield* Setup.instance({ ...Setup.config, external: { issuer, audience, jwksUrl } })
  yield* TestClock.setTime(Date.parse("2026-11-20T17:00:00Z"))
  return { state, server, tokens, jwksUrl, first, second }
})

const sign = (
  key: Pick<Key, "alg" | "kid" | "privateKey">,
  claims: object = {},
  header: object = {}
) =>
  Effect.flatMap(Clock.currentTimeMillis, (millis) => {
    const now = Math.floor(millis / 1000)
    return Effect.promise(() =>
      new SignJWT({ iss: issuer, aud: audience, client_id: "wms", iat: now, exp: now + 3600, ...claims })
        .setProtectedHeader({ alg: key.alg, kid: key.kid, typ: "at+jwt", ...header })
        .sign(key.privateKey)
    )
  })

describe("D10.2 an external issuer", () => {
  it.effect.each(["RS256", "ES256", "PS256", "EdDSA"])(
    "%s tokens of its keys are accepted",
    (alg) =>
      Effect.gen(function*() {
        const { first: key, tokens } = yield* idp(alg)
        assert.strictEqual((yield* tokens.verify(yield* sign(key))).clientId, "wms")
      }).pipe(Effect.provide(Setup.stores))
  )

  it.effect.each(["at+jwt", "AT+JWT", "application/at+jwt", "JWT", "jwt", undefined])(
    "typ %s is accepted",
    (typ) =>
      Effect.gen(function*() {
        const { first: key, tokens } = yield* idp("ES256")
        yield* tokens.verify(yield* sign(key, {}, { typ }))
      }).pipe(Effect.provide(Setup.stores))
  )

  it.effect("the client is that of client_id, and of no other claim", () =>
    Effect.gen(function*() {
      const { first: key, tokens } = yield* idp("ES256")
      const clientOf = (claims: JWTPayload) =>
        Effect.flatMap(sign(key, claims), (token) =>
          Effect.map(tokens.verify(token), ({ clientId }) => clientId))
      assert.strictEqual(yield* clientOf({ client_id: "a", azp: "b", sub: "c" }), "a")
      assert.strictEqual(yield* clientOf({ aud: ["https://userinfo.example.com", audience] }), "wms")
      for (const client_id of [undefined, "", 7]) {
        yield* refusalOf(clientOf({ client_id, azp: "wms", sub: "wms" }))
      }
    }).pipe(Effect.provide(Setup.stores)))

  it.effect("the claim that names the client can be another", () =>
    Effect.gen(function*() {
      const { first: key, jwksUrl } = yield* idp("ES256")
      const external = { issuer, audience, jwksUrl, clientClaim: "azp" }
      const tokens = yield* Setup.instance({ ...Setup.config, external })
      assert.strictEqual((yield* tokens.verify(yield* sign(key, { azp: "erp" }))).clientId, "erp")
      yield* refusalOf(Effect.flatMap(sign(key), tokens.verify))
    }).pipe(Effect.provide(Setup.stores)))

  const forgeries: ReadonlyArray<readonly [string, object, object]> = [
    ["another issuer", { iss: "https://tenant.idp.example.com" }, {}],
    ["an id token: its audience is a client", { aud: "wms" }, { typ: "JWT" }],
    ["our own audience", { aud: Setup.audience }, {}],
    ["expired beyond the tolerance", { exp: Date.parse("2026-11-20T16:59:55Z") / 1000 }, {}],
    ["nbf beyond the tolerance", { nbf: Date.parse("2026-11-20T17:00:06Z") / 1000 }, {}],
    ["no exp", { exp: undefined }, {}],
    ["a logout token", {}, { typ: "logout+jwt" }],
    ["an unknown kid", {}, { kid: "2" }]
  ]
  // @threat asking.2
  it.effect.each(forgeries)("refused: %s", ([, claims, header]) =>
    Effect.gen(function*() {
      const { first: key, tokens } = yield* idp("ES256")
      yield* refusalOf(Effect.flatMap(sign(key, claims, header), tokens.verify))
      yield* tokens.verify(yield* sign(key))
    }).pipe(Effect.provide(Setup.stores)))

  it.effect("refused: alg none, HS256 with the public key, a key nobody published, our own tokens", () =>
    Effect.gen(function*() {
      const { first: key, tokens } = yield* idp("RS256")
      const good = yield* sign(key)
      const payload = good.split(".")[1]!
      const hs256 = `${Setup.part({ alg: "HS256", kid: "1", typ: "at+jwt" })}.${payload}`
      const mac = createHmac("sha256", JSON.stringify(key.jwk)).update(hs256).digest("base64url")
      yield* refusalOf(tokens.verify(`${hs256}.${mac}`))
      yield* refusalOf(tokens.verify(`${Setup.part({ alg: "none", typ: "at+jwt" })}.${payload}.`))
      const foreign = yield* makeKey("RS256", "1")
      yield* refusalOf(Effect.flatMap(sign(foreign), tokens.verify))
      yield* refusalOf(Effect.flatMap(sign(foreign, {}, { jwk: foreign.jwk }), tokens.verify))
      const own = yield* Setup.instance()
      yield* refusalOf(tokens.verify((yield* own.issue("wms")).accessToken))
      yield* tokens.verify(good)
    }).pipe(Effect.provide(Setup.stores)))

  it.effect("clocks may differ by five seconds, and the token counts until then", () =>
    Effect.gen(function*() {
      const { first: key, tokens } = yield* idp("ES256")
      const now = Date.parse("2026-11-20T17:00:00Z") / 1000
      const token = yield* sign(key, { nbf: now + 5, exp: now + 60 })
      assert.strictEqual((yield* tokens.verify(token)).expiresAt, (now + 65) * 1000)
      yield* TestClock.adjust(64_999)
      yield* tokens.verify(token)
      yield* TestClock.adjust(1)
      yield* refusalOf(tokens.verify(token))
    }).pipe(Effect.provide(Setup.stores)))

  it.effect("its keys are fetched once, again for an unknown kid, and at most once in five seconds", () =>
    Effect.gen(function*() {
      const { first, second, state, tokens } = yield* idp("RS256", "RS256")
      state.keys = [first.jwk]
      const old = yield* sign(first)
      yield* Effect.all([1, 2, 3].map(() => tokens.verify(old)), { concurrency: 3 })
      assert.strictEqual(state.hits, 1)
      state.keys = [second.jwk, first.jwk]
      yield* tokens.verify(yield* sign(second))
      yield* tokens.verify(old)
      assert.strictEqual(state.hits, 2)
      const guesses = Array.from({ length: 20 }, (_, at) => sign(first, {}, { kid: `guess ${at}` }))
      const burst = Effect.forEach(guesses, (guess) => refusalOf(Effect.flatMap(guess, tokens.verify)), {
        concurrency: 20
      })
      yield* burst
      assert.strictEqual(state.hits, 2)
      yield* TestClock.adjust("5 seconds")
      yield* burst
      assert.strictEqual(state.hits, 3)
    }).pipe(Effect.provide(Setup.stores)))

  it.effect("a key that the issuer withdraws counts no longer after ten minutes, remembered tokens included", () =>
    Effect.gen(function*() {
      const { first, second, state, tokens } = yield* idp("ES256", "ES256")
      const old = yield* sign(first)
      yield* tokens.verify(old)
      state.keys = [second.jwk]
      yield* TestClock.adjust("10 minutes")
      yield* refusalOf(tokens.verify(old))
    }).pipe(Effect.provide(Setup.stores)))

  const cases: ReadonlyArray<readonly [string, number, string | undefined]> = [
    ["answers 500", 500, undefined],
    ["answers HTML", 200, "<html>"],
    ["answers no key set", 200, "{\"error\":\"x\"}"],
    ["redirects", 302, undefined]
  ]
  it.effect.each(cases)("its JWKS %s: unavailable without keys, else the keys at hand serve for an hour", ([
    ,
    status,
    body
  ]) =>
    Effect.gen(function*() {
      const { first: key, state, tokens } = yield* idp("ES256")
      Object.assign(state, { status, body })
      const token = yield* sign(key)
      yield* issuerUnavailable(tokens.verify(token))
      yield* issuerUnavailable(tokens.verify(token))
      assert.strictEqual(state.hits, 1)
      Object.assign(state, { status: 200, body: undefined })
      yield* TestClock.adjust("30 seconds")
      yield* tokens.verify(token)
      Object.assign(state, { status, body })
      yield* TestClock.adjust("59 minutes")
      yield* tokens.verify(token)
      assert.strictEqual(state.hits, 3)
      yield* TestClock.adjust("1 minute")
      yield* issuerUnavailable(Effect.flatMap(sign(key), tokens.verify))
    }).pipe(Effect.provide(Setup.stores)))

  it.effect("its server is gone: an unknown kid is unavailable, not refused; known keys serve on", () =>
    Effect.gen(function*() {
      const { first, second, state, server, tokens } = yield* idp("ES256", "ES256")
      state.keys = [first.jwk]
      yield* tokens.verify(yield* sign(first))
      server.close()
      server.closeAllConnections()
      yield* issuerUnavailable(Effect.flatMap(sign(second), tokens.verify))
      yield* issuerUnavailable(Effect.flatMap(sign(second), tokens.verify))
      yield* tokens.verify(yield* sign(first))
    }).pipe(Effect.provide(Setup.stores)))

  const setBack = TestClock.setTime(Date.parse("2026-11-20T16:00:00Z"))

  it.effect("a clock that is set back delays no key by more than five seconds", () =>
    Effect.gen(function*() {
      const { first, second, state, tokens } = yield* idp("ES256", "ES256")
      state.keys = [first.jwk]
      yield* tokens.verify(yield* sign(first))
      yield* refusalOf(Effect.flatMap(sign(first, {}, { kid: "guess" }), tokens.verify))
      state.keys = [second.jwk, first.jwk]
      yield* setBack
      yield* TestClock.adjust("5 seconds")
      yield* tokens.verify(yield* sign(second))
    }).pipe(Effect.provide(Setup.stores)))

  it.effect("a clock that is set back keeps no withdrawn key for more than ten minutes", () =>
    Effect.gen(function*() {
      const { first, second, state, tokens } = yield* idp("ES256", "ES256")
      yield* tokens.verify(yield* sign(first))
      state.keys = [second.jwk]
      yield* setBack
      yield* TestClock.adjust("10 minutes")
      yield* refusalOf(Effect.flatMap(sign(first), tokens.verify))
    }).pipe(Effect.provide(Setup.stores)))

  it.effect("a clock that is set back delays the next try after a failure by no more than 30 seconds", () =>
    Effect.gen(function*() {
      const { first: key, state, tokens } = yield* idp("ES256")
      state.status = 500
      yield* issuerUnavailable(Effect.flatMap(sign(key), tokens.verify))
      state.status = 200
      yield* setBack
      yield* TestClock.adjust("30 seconds")
      yield* tokens.verify(yield* sign(key))
    }).pipe(Effect.provide(Setup.stores)))

  it.effect("nothing of our own: no keys are published or made, and issuing is a defect", () =>
    Effect.gen(function*() {
      const { tokens } = yield* idp()
      assert.strictEqual(tokens.audience, audience)
      assert.strictEqual(tokens.externalIssuer, issuer)
      assert.deepStrictEqual(yield* tokens.jwks, { keys: [] })
      const exit = yield* Effect.exit(tokens.issue("wms"))
      assert.isTrue(Exit.isFailure(exit) && Cause.hasDies(exit.cause))
      assert.deepStrictEqual(yield* (yield* SigningKeyStore).list, [])
    }).pipe(Effect.provide(Setup.stores)))
})
