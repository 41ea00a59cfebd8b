/** D10.5: how often a client may be given with a wrong secret. */
import { ClientStore } from "@dockline/core/access/Principals"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Option } from "effect"
import { Headers, HttpServerRequest, HttpServerResponse } from "effect/http"
import { TestClock } from "effect/testing"
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import type { ClientCredentialsConfig } from "../../src/tokens/Clients.ts"
import { Clients } from "../../src/tokens/Clients.ts"
import { TokenEndpoint } from "../../src/tokens/TokenEndpoint.ts"
import { Tokens } from "../../src/tokens/Tokens.ts"
import * as Setup from "../AuthSetup.ts"

setFlagsFromString("--expose-gc")
const collectGarbage = runInNewContext("gc") as () => void

const limiter = (config: Partial<ClientCredentialsConfig> = {}) =>
  Effect.provide(
    TokenEndpoint.layer(config).pipe(
      Layer.provideMerge(Layer.mergeAll(Tokens.layer(Setup.config), Clients.layer)),
      Layer.provideMerge(Setup.stores)
    )
  )

const tokenRequest = (id: string, secret: string) =>
  HttpServerRequest.fromWeb(
    new Request("http://x/", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({
        client_id: id,
        client_secret: secret,
        audience: Setup.audience,
        grant_type: "client_credentials"
      })
    })
  )

/** Asks for a token from an address. */
const ask = Effect.fnUntraced(function*(
  id: string,
  secret: string,
  from = "127.0.0.1",
  headers: Readonly<Record<string, string>> = {}
) {
  const { handle } = yield* TokenEndpoint
  const request = tokenRequest(id, secret)
  return HttpServerResponse.toWeb(
    yield* handle(request.modify({
      remoteAddress: Option.some(from),
      headers: Headers.setAll(request.headers, headers)
    }))
  )
})

const statusOf = (...input: Parameters<typeof ask>) => Effect.map(ask(...input), ({ status }) => status)

const clients = Effect.flatMap(
  ClientStore,
  ({ put }) => put([Setup.client("wms", "right"), Setup.client("other", "right")])
)

const fail = (times: number, id = "wms") =>
  Effect.forEach(Array.from({ length: times }), () => statusOf(id, "wrong"))

describe("D10.5 the token endpoint", () => {
  // @threat asking.7
  it.effect("refuses after 60 failures within a minute, before it looks at the secret, as RFC 6749 writes errors", () =>
    Effect.gen(function*() {
      yield* clients
      assert.deepStrictEqual(new Set(yield* fail(60)), new Set([401]))
      const { reads } = yield* Setup.ClientStoreState
      yield* TestClock.adjust("20 seconds")
      const response = yield* ask("wms", "right")
      assert.deepStrictEqual(
        [response.status, response.headers.get("retry-after"), response.headers.get("cache-control")],
        [429, "40", "no-store"]
      )
      assert.deepStrictEqual(yield* Effect.promise(() => response.json()), {
        error: "temporarily_unavailable",
        error_description: "too many failed attempts; repeat the request after 40 seconds"
      })
      assert.strictEqual((yield* Setup.ClientStoreState).reads, reads)
      yield* TestClock.adjust("39999 millis")
      assert.strictEqual(yield* statusOf("wms", "right"), 429)
      yield* TestClock.adjust("1 millis")
      assert.strictEqual(yield* statusOf("wms", "right"), 200)
    }).pipe(limiter()))

  it.effect("counts for each client id and network alone, known or not", () =>
    Effect.gen(function*() {
      yield* clients
      yield* fail(2)
      yield* fail(2, "nobody")
      const statuses = yield* Effect.all([
        statusOf("wms", "right"),
        statusOf("nobody", "right"),
        statusOf("other", "right"),
        statusOf("wms", "right", "127.0.0.2")
      ])
      assert.deepStrictEqual(statuses, [429, 429, 200, 200])
    }).pipe(limiter({ failuresPerMinute: 2 })))

  it.effect("does not count what succeeds, nor is a failure forgotten for it", () =>
    Effect.gen(function*() {
      yield* clients
      for (let round = 0; round < 3; round++) {
        for (let time = 0; time < 5; time++) assert.strictEqual(yield* statusOf("wms", "right"), 200)
        assert.strictEqual(yield* statusOf("wms", "wrong"), 401)
      }
      assert.strictEqual(yield* statusOf("wms", "right"), 429)
    }).pipe(limiter({ failuresPerMinute: 3 })))

  it.effect("has no limit with 0", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(new Set(yield* fail(70)), new Set([401]))
    }).pipe(limiter({ failuresPerMinute: 0 })))

  it.effect("remembers no more pairs than the capacity", () =>
    Effect.gen(function*() {
      yield* clients
      yield* fail(1)
      yield* fail(1, `${"x".repeat(256)}1`)
      assert.strictEqual(yield* statusOf(`${"x".repeat(256)}1`, "wrong"), 429)
      assert.strictEqual(yield* statusOf("wms", "right"), 429)
      yield* fail(1, "one more")
      assert.strictEqual(yield* statusOf("wms", "right"), 200)
    }).pipe(limiter({ failuresPerMinute: 1, failureCapacity: 2 })))

  it.effect("counts the addresses of one IPv6 network as one: whoever has one of them has them all", () =>
    Effect.gen(function*() {
      const addresses = [
        "2001:db8::1",
        "2001:db8::2",
        "2001:db8::ffff:0:0:3",
        "2001:db8:0:1::1",
        "::ffff:192.0.2.1",
        "192.0.2.1",
        "::ffff:192.0.2.1"
      ]
      const statuses = yield* Effect.forEach(addresses, (address) => statusOf("wms", "wrong", address))
      assert.deepStrictEqual(statuses, [401, 401, 429, 401, 401, 401, 429])
    }).pipe(limiter({ failuresPerMinute: 2 })))

  // @threat load.3
  it.effect("counts for each client behind a trusted proxy alone, and believes no other header or proxy", () =>
    Effect.gen(function*() {
      yield* clients
      const attacker = {
        "x-forwarded-for": "198.51.100.1",
        "x-real-ip": "203.0.113.7",
        forwarded: "for=203.0.113.7"
      }
      const customer = { "x-forwarded-for": "203.0.113.7" }
      const [proxy, stranger] = ["10.0.0.1", "198.51.100.9"]
      const attempts = [
        ["wrong", proxy, attacker, 401],
        ["wrong", proxy, attacker, 401],
        ["wrong", proxy, attacker, 429],
        ["right", proxy, attacker, 429],
        ["right", proxy, customer, 200],
        // What the attacker writes before the proxy's own entry neither frees it nor harms the customer.
        ["right", proxy, { "x-forwarded-for": "203.0.113.7, 198.51.100.1" }, 429],
        // A connection that is no trusted proxy's counts as itself.
        ["wrong", stranger, customer, 401],
        ["wrong", stranger, attacker, 401],
        ["right", stranger, customer, 429],
        ["right", proxy, customer, 200]
      ] as const
      for (const [index, [secret, from, headers, status]] of attempts.entries()) {
        assert.strictEqual(yield* statusOf("wms", secret, from, headers), status, String(index))
      }
    }).pipe(limiter({ failuresPerMinute: 2, trustedProxies: ["10.0.0.0/8"] })))

  it.effect("remembers a pair, and nothing else of the body that it came in", () =>
    Effect.gen(function*() {
      const { handle } = yield* TokenEndpoint
      const failure = (number: number) => handle(tokenRequest(`${number}${"x".repeat(16_000)}`, "wrong"))
      const heap = Effect.sync(() => {
        collectGarbage()
        return process.memoryUsage().heapUsed
      })
      yield* Effect.forEach([1, 2, 3], failure)
      const before = yield* heap
      yield* Effect.forEach(Array.from({ length: 2000 }, (_, index) => index), failure, { discard: true })
      const heapGrowth = (yield* heap) - before
      // Their bodies are 32 MB.
      assert.isBelow(heapGrowth, 8e6)
    }).pipe(limiter()))
})
