/** D9.1: how an endpoint authenticates us is its own; schemes can be added. */
import { secretsContext, SecretsVault } from "@dockline/core/webhooks/SecretsVault"
import type { SealedText } from "@dockline/core/webhooks/SecretsVault"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import { randomBytes } from "node:crypto"
import { CustomerAuth } from "../../src/auth/CustomerAuth.ts"
import type { AuthenticationProvider } from "../../src/auth/EndpointAuth.ts"
import * as SecretsKey from "../../src/auth/SecretsKey.ts"
import * as UndiciHttp from "../../src/outbound/UndiciHttp.ts"

const services = (...providers: ReadonlyArray<AuthenticationProvider>) =>
  CustomerAuth.layer(providers).pipe(
    Layer.provideMerge(SecretsKey.layer([Redacted.make(randomBytes(32).toString("base64"))])),
    Layer.provide(UndiciHttp.layer({ allow: ["127.0.0.0/8"], timeoutMillis: 5_000 }))
  )

const open = Effect.fnUntraced(function*(
  type: string,
  settings: Readonly<Record<string, string>>,
  password?: string
) {
  const vault = yield* SecretsVault
  const auth = yield* CustomerAuth
  const secrets: Record<string, SealedText> = password === undefined ? {} : {
    password: yield* vault.seal(Redacted.make(password), secretsContext("acme"))
  }
  return yield* auth.open({ business: "acme", authentication: { type, settings, secrets } })
})

describe("none", () => {
  it.effect("sends no authorization, and a 401 is final", () =>
    Effect.gen(function*() {
      const auth = yield* open("none", {})
      const authorization = yield* auth.obtain
      assert.deepStrictEqual(authorization, { header: undefined })
      assert.strictEqual(auth.current(), authorization)
      assert.isFalse(auth.discard(authorization))
      assert.strictEqual(auth.current(), authorization)
    }).pipe(Effect.provide(services())))
})

describe("basic", () => {
  it.effect("is Basic and base64 of user:password in UTF-8, and a 401 is final", () =>
    Effect.gen(function*() {
      const auth = yield* open("basic", { username: "dockline" }, "päss:wörd \u{1f511}")
      const authorization = yield* auth.obtain
      assert.strictEqual(auth.current(), authorization)
      const [scheme, base64] = authorization.header!.split(" ")
      assert.strictEqual(scheme, "Basic")
      assert.strictEqual(Buffer.from(base64!, "base64").toString("utf8"), "dockline:päss:wörd \u{1f511}")
      assert.isFalse(auth.discard(authorization))
      assert.strictEqual(auth.current(), authorization)
    }).pipe(Effect.provide(services())))
})

describe("schemes of the embedding service", () => {
  const apiKey: AuthenticationProvider = {
    type: "key",
    open: ({ prefix }, { password }) => {
      const authorization = { header: `${prefix} ${Redacted.value(password!)}` }
      return Effect.succeed({
        current: () => authorization,
        obtain: Effect.succeed(authorization),
        discard: () => false
      })
    }
  }

  it.effect("are refused when they have the type of one of ours, or of another", () =>
    Effect.gen(function*() {
      const basic = { ...apiKey, type: "basic" }
      for (const providers of [[basic], [apiKey, apiKey]]) {
        const refusal = yield* Effect.flip(Effect.scoped(Layer.build(services(...providers))))
        assert.strictEqual(refusal.message, `authentication: two providers of the type ${providers[0]!.type}`)
      }
    }))

  it.effect("that this service does not know never sign in, and say so", () =>
    Effect.gen(function*() {
      const auth = yield* open("key", {})
      assert.strictEqual(auth.current(), undefined)
      assert.strictEqual(
        (yield* Effect.flip(auth.obtain)).error,
        "this service has no provider of the authentication key"
      )
    }).pipe(Effect.provide(services())))
})

describe("secrets", () => {
  it.effect("of another business do not open", () =>
    Effect.gen(function*() {
      const vault = yield* SecretsVault
      const auth = yield* CustomerAuth
      const password = yield* vault.seal(Redacted.make("secret"), secretsContext("globex"))
      const failure = yield* Effect.flip(auth.open({
        business: "acme",
        authentication: { type: "basic", settings: { username: "dockline" }, secrets: { password } }
      }))
      assert.strictEqual(failure._tag, "SecretUnreadable")
    }).pipe(Effect.provide(services())))
})
