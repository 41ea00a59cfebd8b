/** WIRE.md, authentication, and D10.3: from the Authorization header to a principal. */
import { Authenticator } from "@dockline/core/access/Authenticator"
import type { SigningKeyStore } from "@dockline/core/access/Authenticator"
import { ClientStore } from "@dockline/core/access/Principals"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import type { JWTPayload } from "jose"
import * as BearerAuth from "../../src/tokens/BearerAuth.ts"
import { Clients } from "../../src/tokens/Clients.ts"
import { Tokens } from "../../src/tokens/Tokens.ts"
import * as Setup from "../AuthSetup.ts"
import { refusalOf, storeUnavailable } from "../AuthSetup.ts"

const layer = BearerAuth.layer.pipe(
  Layer.provideMerge(Layer.mergeAll(Tokens.layer(Setup.config), Clients.layer)),
  Layer.provideMerge(Setup.stores)
)

const signedIn = Effect.gen(function*() {
  yield* (yield* ClientStore).put([Setup.client("wms")])
  return (yield* (yield* Tokens).issue("wms")).accessToken
})

const acceptedForms: ReadonlyArray<(token: string) => string> = [
  (token) => `Bearer ${token}`,
  (token) => `bearer ${token}`,
  (token) => `BEARER ${token}`,
  (token) => `Bearer   ${token} `
]

describe("exactly one bearer token", () => {
  it.effect("the scheme in any case", () =>
    Effect.gen(function*() {
      const { authenticate } = yield* Authenticator
      const token = yield* signedIn
      for (const header of acceptedForms) {
        const { principal } = yield* authenticate(header(token))
        assert.deepStrictEqual(principal, { clientId: "wms", name: "wms", grants: [Setup.grant] })
      }
    }).pipe(Effect.provide(layer)))
})

describe("D4.3 what is wrong with a token", () => {
  type Case = (
    token: string
  ) => Effect.Effect<string | undefined, unknown, Tokens | ClientStore | SigningKeyStore>

  const resign = (claims: JWTPayload): Case => () =>
    Effect.gen(function*() {
      const { claims: genuine, header, privateJwk } = yield* Setup.genuine
      return `Bearer ${yield* Setup.sign(header, { ...genuine, ...claims }, privateJwk)}`
    })
  const withHeader = (header: (token: string) => string | undefined): Case => (token) =>
    Effect.sync(() => header(token))
  const cases: ReadonlyArray<readonly [string, string | undefined, Case]> = [
    ["none", undefined, withHeader(() => undefined)],
    ["empty", undefined, withHeader(() => "")],
    ["the scheme alone", undefined, withHeader(() => "Bearer ")],
    ["another scheme", undefined, withHeader((token) => `Basic ${token}`)],
    ["the token alone", undefined, withHeader((token) => token)],
    ["no space", undefined, withHeader((token) => `Bearer${token}`)],
    ["a tab", undefined, withHeader((token) => `Bearer\t${token}`)],
    ["a space before", undefined, withHeader((token) => ` Bearer ${token}`)],
    ["two tokens", "malformed", withHeader((token) => `Bearer ${token} ${token}`)],
    ["two headers joined", "malformed", withHeader((token) => `Bearer ${token}, Bearer ${token}`)],
    ["quotes", "malformed", withHeader((token) => `Bearer "${token}"`)],
    ["the scheme twice", "malformed", withHeader((token) => `Bearer Bearer ${token}`)],
    ["a line break", "malformed", withHeader((token) => `Bearer ${token}\n`)],
    ["a header over 8 KiB", "malformed", withHeader((token) => `Bearer ${" ".repeat(8192)}${token}`)],
    ["a token over 8 KiB", "malformed", withHeader(() => `Bearer ${"a".repeat(8192)}`)],
    ["no JWT", "malformed", withHeader(() => "Bearer abc")],
    ["parts that are no JSON", "malformed", withHeader(() => "Bearer YQ.YQ.YQ")],
    ["expired", "expired", resign({ exp: -1 })],
    ["for another audience", "audience", resign({ aud: "https://other.example.com" })],
    ["of another issuer", "invalid", resign({ iss: "https://other.example.com" })],
    ["forged", "invalid", withHeader((token) => `Bearer ${token.slice(0, -8)}AAAAAAAA`)],
    ["of an unknown client", "invalid", resign({ sub: "gone", client_id: "gone" })],
    [
      "of a disabled client",
      "invalid",
      (token) =>
        Effect.as(
          ClientStore.use((store) => store.put([{ ...Setup.client("wms"), enabled: false }])),
          `Bearer ${token}`
        )
    ]
  ]
  it.effect.each(cases)("%s: %s", ([, reason, header]) =>
    Effect.gen(function*() {
      const { authenticate } = yield* Authenticator
      const error = yield* Effect.flip(authenticate(yield* header(yield* signedIn)))
      assert.deepStrictEqual([error._tag, "reason" in error ? error.reason : undefined], [
        "Unauthenticated",
        reason
      ])
    }).pipe(Effect.provide(layer)))
})

describe("the client behind the token", () => {
  // @threat asking.5
  it.effect("D10.3: a permission withdrawn is gone within 5 s under the same token", () =>
    Effect.gen(function*() {
      const { authenticate } = yield* Authenticator
      const token = yield* signedIn
      yield* authenticate(`Bearer ${token}`)
      yield* (yield* ClientStore).put([{ ...Setup.client("wms"), grants: [] }])
      yield* TestClock.adjust("5 seconds")
      assert.deepStrictEqual((yield* authenticate(`Bearer ${token}`)).principal.grants, [])
    }).pipe(Effect.provide(layer)))

  it.effect("a storage that is down is no refusal", () =>
    Effect.gen(function*() {
      const { authenticate } = yield* Authenticator
      const token = yield* signedIn
      ;(yield* Setup.ClientStoreState).isDown = true
      yield* storeUnavailable(authenticate(`Bearer ${token}`))
    }).pipe(Effect.provide(layer)))
})

describe("a connection that outlives its first request", () => {
  it.effect("D8.7: learns at once that a permission was withdrawn, that its client is disabled or gone", () =>
    Effect.gen(function*() {
      const { authenticate, current } = yield* Authenticator
      const { put } = yield* ClientStore
      const { principal } = yield* authenticate(`Bearer ${yield* signedIn}`)
      assert.deepStrictEqual(yield* current("wms"), principal)
      yield* put([{ ...Setup.client("wms"), grants: [] }])
      assert.deepStrictEqual((yield* current("wms")).grants, [])
      yield* put([{ ...Setup.client("wms"), enabled: false }])
      yield* refusalOf(current("wms"))
      for (const unknown of ["gone", "", "\0", "x".repeat(257)]) yield* refusalOf(current(unknown))
    }).pipe(Effect.provide(layer)))

  it.effect("is not refused while the storage is down", () =>
    Effect.gen(function*() {
      const { current } = yield* Authenticator
      ;(yield* Setup.ClientStoreState).isDown = true
      yield* storeUnavailable(current("wms"))
    }).pipe(Effect.provide(layer)))
})
