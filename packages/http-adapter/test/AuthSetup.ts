/**
 * What the tests of authentication share: a service with clients in memory, several instances over one store, and
 * tokens that someone else might make.
 */
import type { Grant } from "@dockline/core/access/Access"
import { SigningKeyStore } from "@dockline/core/access/Authenticator"
import { ClientStore } from "@dockline/core/access/Principals"
import type { Client } from "@dockline/core/access/Principals"
import * as Memory from "@dockline/core/memory/Memory"
import { MemoryDatabase } from "@dockline/core/memory/MemoryDatabase"
import { StorageUnavailable } from "@dockline/core/values/Errors"
import { Clock, Context, Effect, Layer, Redacted } from "effect"
import { importJWK, SignJWT } from "jose"
import type { JWTPayload } from "jose"
import { createHash } from "node:crypto"
import { assert } from "vitest"
import { defaultTokensConfig, Tokens } from "../src/tokens/Tokens.ts"
import type { TokensConfig } from "../src/tokens/Tokens.ts"

export const issuer = "https://auth.example.com"
export const audience = "https://api.example.com/public_graphql"

export const config: TokensConfig = { ...defaultTokensConfig, issuer, audience }

export const grant: Grant = { business: "acme", facilities: "*", permissions: ["documents:write"] }

export const client = (id: string, ...secrets: ReadonlyArray<string>): Client => ({
  id,
  name: id,
  enabled: true,
  secrets: secrets.map((secret, at) => ({
    id: String(at),
    hash: createHash("sha256").update(secret).digest("hex")
  })),
  grants: [grant]
})

/** What a store was asked, and whether it can be reached. */
export interface StoreState {
  reads: number
  rotations: number
  isDown: boolean
  /** The lock that rotating takes is held by another. */
  isHeld: boolean
}

export const down = Effect.fail(new StorageUnavailable({ cause: new Error("connection refused") }))

export class KeyStoreState extends Context.Service<KeyStoreState, StoreState>()("test/KeyStoreState") {}
export class ClientStoreState
  extends Context.Service<ClientStoreState, StoreState>()("test/ClientStoreState")
{}

const state = Effect.sync((): StoreState => ({ reads: 0, rotations: 0, isDown: false, isHeld: false }))

const watchedKeys = Layer.effect(
  SigningKeyStore,
  Effect.gen(function*() {
    const store = yield* SigningKeyStore
    const state = yield* KeyStoreState
    return SigningKeyStore.of({
      list: Effect.suspend(() => {
        state.reads++
        return state.isDown ? down : store.list
      }),
      rotate: (...args) =>
        Effect.suspend(() => {
          state.rotations++
          return state.isDown || state.isHeld ? down : store.rotate(...args)
        })
    })
  })
).pipe(Layer.provide(Memory.layers.SigningKeyStore))

const watchedClients = Layer.effect(
  ClientStore,
  Effect.gen(function*() {
    const store = yield* ClientStore
    const state = yield* ClientStoreState
    return ClientStore.of({
      ...store,
      find: (id) =>
        Effect.suspend(() => {
          state.reads++
          return state.isDown ? down : Effect.andThen(Effect.yieldNow, store.find(id))
        })
    })
  })
).pipe(Layer.provide(Memory.layers.ClientStore))

/** Clients and signing keys in memory, watched. */
export const stores = Layer.mergeAll(watchedKeys, watchedClients).pipe(
  Layer.provideMerge(MemoryDatabase.layer),
  Layer.provideMerge(
    Layer.mergeAll(Layer.effect(KeyStoreState, state), Layer.effect(ClientStoreState, state))
  )
)

/** One more instance of the service over the stores at hand. */
export const instance = (tokensConfig: TokensConfig = config) =>
  Effect.map(Layer.build(Tokens.layer(tokensConfig)), Context.get(Tokens))

/** Header and claims of a token such as the service issues now. */
export const genuine = Effect.gen(function*() {
  const { list } = yield* SigningKeyStore
  const [key] = yield* list
  const now = Math.floor((yield* Clock.currentTimeMillis) / 1000)
  const claims: JWTPayload = {
    iss: issuer,
    aud: audience,
    sub: "wms",
    client_id: "wms",
    iat: now,
    exp: now + 3600,
    jti: "1"
  }
  return {
    header: { alg: "RS256", typ: "at+jwt", kid: key!.id },
    claims,
    privateJwk: Redacted.value(key!.privateJwk)
  }
})

/** A token with this header and claims, signed with a private key. */
export const sign = (header: { readonly alg: string }, claims: JWTPayload, privateJwk: string) =>
  Effect.promise(async () =>
    new SignJWT(claims).setProtectedHeader(header).sign(await importJWK(JSON.parse(privateJwk), header.alg))
  )

/** One part of a token. */
export const part = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString("base64url")

/** Holds when an effect fails as unauthenticated. */
export const refusalOf = <R>(effect: Effect.Effect<unknown, { readonly _tag: string }, R>) =>
  Effect.map(Effect.flip(effect), ({ _tag }) => assert.strictEqual(_tag, "Unauthenticated"))

/** Holds when an effect fails for lack of its storage. */
export const storeUnavailable = <R>(effect: Effect.Effect<unknown, { readonly _tag: string }, R>) =>
  Effect.map(Effect.flip(effect), ({ _tag }) => assert.strictEqual(_tag, "StorageUnavailable"))

/** Holds when an effect fails for lack of the external issuer's keys. */
export const issuerUnavailable = <R>(effect: Effect.Effect<unknown, { readonly _tag: string }, R>) =>
  Effect.map(Effect.flip(effect), ({ _tag }) => assert.strictEqual(_tag, "IssuerUnavailable"))
