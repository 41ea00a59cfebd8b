import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { TestClock } from "effect/testing"
import { createServer } from "node:http"
import type { Server } from "node:http"
import type { AddressInfo } from "node:net"
import * as Provider from "../src/sign-in/Provider.ts"

/** A provider that publishes its metadata, or answers 503. */
interface Publisher {
  readonly issuer: string
  readonly requests: () => number
  isAway: boolean
}

const publisher = Effect.acquireRelease(
  Effect.callback<{ readonly publisher: Publisher; readonly server: Server }>((resume) => {
    let requests = 0
    const server = createServer((_, response) => {
      requests++
      if (publisher.isAway) return void response.writeHead(503).end()
      response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({
        issuer: publisher.issuer,
        authorization_endpoint: `${publisher.issuer}/auth`,
        token_endpoint: `${publisher.issuer}/token`,
        jwks_uri: `${publisher.issuer}/jwks`
      }))
    })
    const publisher = { issuer: "", requests: () => requests, isAway: false }
    server.listen(0, "127.0.0.1", () => {
      publisher.issuer = `http://localhost:${(server.address() as AddressInfo).port}`
      resume(Effect.succeed({ publisher, server }))
    })
  }),
  ({ server }) =>
    Effect.sync(() => {
      server.close()
      server.closeAllConnections()
    })
).pipe(Effect.map(({ publisher }) => publisher))

const providerAt = ({ issuer }: Publisher): ReturnType<typeof Provider.make> =>
  Provider.make(
    { issuer, clientId: "dashboard", clientSecret: Redacted.make("secret") },
    "http://localhost/dashboard/sign-in/callback",
    "http://localhost/dashboard/sign-in"
  )

const secret = "s".repeat(43)

describe("D14.4 what a provider publishes of itself", () => {
  it.effect("is asked for once, for however many who begin", () =>
    Effect.scoped(Effect.gen(function*() {
      const provider = yield* publisher
      const { begin, end } = providerAt(provider)
      yield* Effect.all(Array.from({ length: 20 }, () => begin(secret)), { concurrency: "unbounded" })
      assert.include(yield* begin(secret), `${provider.issuer}/auth?`)
      assert.isUndefined(yield* end)
      assert.strictEqual(provider.requests(), 1)
    })))

  // @threat browsers.18
  it.effect("is asked for once a second where it is not to be had, and then known at once", () =>
    Effect.scoped(Effect.gen(function*() {
      const provider = yield* publisher
      provider.isAway = true
      const { begin } = providerAt(provider)
      for (let n = 0; n < 10; n++) {
        assert.strictEqual((yield* Effect.flip(begin(secret)))._tag, "ProviderUnavailable")
      }
      assert.strictEqual(provider.requests(), 1)
      yield* TestClock.adjust("1 second")
      yield* Effect.flip(begin(secret))
      assert.strictEqual(provider.requests(), 2)
      provider.isAway = false
      yield* TestClock.adjust("1 second")
      yield* begin(secret)
      assert.strictEqual(provider.requests(), 3)
    })))

  it.effect("is used while it is asked for anew, and when that fails", () =>
    Effect.scoped(Effect.gen(function*() {
      const provider = yield* publisher
      const { begin } = providerAt(provider)
      yield* begin(secret)
      provider.isAway = true
      yield* TestClock.adjust("1 hour")
      for (let n = 0; n < 10; n++) yield* begin(secret)
    })))
})
