/** D10.5: how often a client may be given with a wrong secret, over real sockets. */
import { ClientStore } from "@dockline/core/ClientStore"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Option } from "effect"
import { Headers, HttpServerRequest } from "effect/http"
import { TestClock } from "effect/testing"
import { request } from "node:http"
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import type { ClientCredentialsConfig } from "../../src/tokens/ClientCredentials.ts"
import { Clients } from "../../src/tokens/Clients.ts"
import { TokenEndpoint } from "../../src/tokens/TokenEndpoint.ts"
import { Tokens } from "../../src/tokens/Tokens.ts"
import * as Setup from "../AuthSetup.ts"
import * as HttpSetup from "../HttpSetup.ts"

setFlagsFromString("--expose-gc")
const collectGarbage = runInNewContext("gc") as () => void

const limited = (config: Partial<ClientCredentialsConfig> = {}) =>
  Effect.provide(
    TokenEndpoint.layer(config).pipe(
      Layer.provideMerge(Layer.mergeAll(Tokens.layer(Setup.config), Clients.layer)),
      Layer.provideMerge(Setup.stores)
    )
  )

interface Reply {
  readonly status: number
  readonly retryAfter: string | undefined
  readonly cacheControl: string | undefined
  readonly body: { readonly error?: string; readonly error_description?: string }
}

/** Asks for a token from a loopback address. */
const send = (port: number, id: string, secret: string, localAddress: string) =>
  Effect.promise(() =>
    new Promise<Reply>((resolve, reject) => {
      const sent = request({
        host: "127.0.0.1",
        port,
        localAddress,
        method: "POST",
        headers: { "content-type": "application/json" }
      }, (response) => {
        const chunks: Array<Buffer> = []
        response.on("data", (chunk: Buffer) => chunks.push(chunk))
        response.on("error", reject)
        response.on("end", () =>
          resolve({
            status: response.statusCode!,
            retryAfter: response.headers["retry-after"],
            cacheControl: response.headers["cache-control"],
            body: JSON.parse(String(Buffer.concat(chunks))) as Reply["body"]
          }))
      })
      sent.on("error", reject)
      sent.end(JSON.stringify({
        client_id: id,
        client_secret: secret,
        audience: Setup.audience,
        grant_type: "client_credentials"
      }))
    })
  )

const here = "127.0.0.1"

const server = Effect.gen(function*() {
  yield* (yield* ClientStore).put([Setup.client("wms", "right"), Setup.client("other", "right")])
  const { port } = yield* HttpSetup.serve((yield* TokenEndpoint).handle)
  return (id: string, secret: string, from = here) => send(port, id, secret, from)
})

type Ask = Effect.Success<typeof server>

const fail = (ask: Ask, times: number, id = "wms") =>
  Effect.forEach(Array.from({ length: times }), () => ask(id, "wrong"))

const statusesOf = (replies: ReadonlyArray<Reply>) => new Set(replies.map(({ status }) => status))

describe("D10.5 the token endpoint", () => {
  // @threat asking.7
  it.effect("refuses after 60 failures within a minute, before it looks at the secret, as RFC 6749 writes errors", () =>
    Effect.gen(function*() {
      const ask = yield* server
      assert.deepStrictEqual(statusesOf(yield* fail(ask, 60)), new Set([401]))
      const { reads } = yield* Setup.ClientStoreState
      yield* TestClock.adjust("20 seconds")
      assert.deepStrictEqual(yield* ask("wms", "right"), {
        status: 429,
        retryAfter: "40",
        cacheControl: "no-store",
        body: {
          error: "temporarily_unavailable",
          error_description: "too many failed attempts; repeat the request after 40 seconds"
        }
      })
      assert.strictEqual((yield* Setup.ClientStoreState).reads, reads)
      yield* TestClock.adjust("39999 millis")
      assert.strictEqual((yield* ask("wms", "right")).status, 429)
      yield* TestClock.adjust("1 millis")
      assert.strictEqual((yield* ask("wms", "right")).status, 200)
    }).pipe(limited()))

  it.effect("counts for each client id and network alone, known or not", () =>
    Effect.gen(function*() {
      const ask = yield* server
      yield* fail(ask, 2)
      yield* fail(ask, 2, "nobody")
      const replies = yield* Effect.all([
        ask("wms", "right"),
        ask("nobody", "right"),
        ask("other", "right"),
        ask("wms", "right", "127.0.0.2")
      ])
      assert.deepStrictEqual(replies.map(({ status }) => status), [429, 429, 200, 200])
    }).pipe(limited({ failuresPerMinute: 2 })))

  it.effect("does not count what succeeds, nor is a failure forgotten for it", () =>
    Effect.gen(function*() {
      const ask = yield* server
      for (let round = 0; round < 3; round++) {
        for (let time = 0; time < 5; time++) assert.strictEqual((yield* ask("wms", "right")).status, 200)
        assert.strictEqual((yield* ask("wms", "wrong")).status, 401)
      }
      assert.strictEqual((yield* ask("wms", "right")).status, 429)
    }).pipe(limited({ failuresPerMinute: 3 })))

  it.effect("has no limit with 0", () =>
    Effect.gen(function*() {
      const ask = yield* server
      assert.deepStrictEqual(statusesOf(yield* fail(ask, 70)), new Set([401]))
    }).pipe(limited({ failuresPerMinute: 0 })))

  it.effect("remembers no more pairs than the capacity", () =>
    Effect.gen(function*() {
      const ask = yield* server
      yield* fail(ask, 1)
      yield* fail(ask, 1, `${"x".repeat(256)}1`)
      assert.strictEqual((yield* ask(`${"x".repeat(256)}1`, "wrong")).status, 429)
      assert.strictEqual((yield* ask("wms", "right")).status, 429)
      yield* fail(ask, 1, "one more")
      assert.strictEqual((yield* ask("wms", "right")).status, 200)
    }).pipe(limited({ failuresPerMinute: 1, failureCapacity: 2 })))

  const tokenRequest = (id: string, secret = "wrong") =>
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

  it.effect("counts the addresses of one IPv6 network as one: whoever has one of them has them all", () =>
    Effect.gen(function*() {
      const { handle } = yield* TokenEndpoint
      const from = (address: string) =>
        Effect.map(
          handle(tokenRequest("wms").modify({ remoteAddress: Option.some(address) })),
          ({ status }) => status
        )
      const statuses = yield* Effect.forEach(
        [
          "2001:db8::1",
          "2001:db8::2",
          "2001:db8::ffff:0:0:3",
          "2001:db8:0:1::1",
          "::ffff:192.0.2.1",
          "192.0.2.1"
        ],
        from
      )
      assert.deepStrictEqual(statuses, [401, 401, 429, 401, 401, 401])
      assert.strictEqual(yield* from("::ffff:192.0.2.1"), 429)
    }).pipe(limited({ failuresPerMinute: 2 })))

  // @threat load.3
  it.effect("counts for each client behind a trusted proxy alone, and believes no other header or proxy", () =>
    Effect.gen(function*() {
      yield* (yield* ClientStore).put([Setup.client("wms", "right")])
      const { handle } = yield* TokenEndpoint
      const statusOf = (secret: string, connection: string, headers: Readonly<Record<string, string>>) => {
        const sent = tokenRequest("wms", secret)
        return Effect.map(
          handle(sent.modify({
            remoteAddress: Option.some(connection),
            headers: Headers.setAll(sent.headers, headers)
          })),
          ({ status }) => status
        )
      }
      const attacker = {
        "x-forwarded-for": "198.51.100.1",
        "x-real-ip": "203.0.113.7",
        forwarded: "for=203.0.113.7"
      }
      const customer = { "x-forwarded-for": "203.0.113.7" }
      const attempts = Effect.forEach([1, 2, 3], () => statusOf("wrong", "10.0.0.1", attacker))
      assert.deepStrictEqual(yield* attempts, [401, 401, 429])
      assert.strictEqual(yield* statusOf("right", "10.0.0.1", attacker), 429)
      assert.strictEqual(yield* statusOf("right", "10.0.0.1", customer), 200)
      // What the attacker writes before the proxy's own entry neither frees it nor harms the customer.
      const pretending = { "x-forwarded-for": "203.0.113.7, 198.51.100.1" }
      assert.strictEqual(yield* statusOf("right", "10.0.0.1", pretending), 429)
      // A connection that is no trusted proxy's counts as itself.
      assert.strictEqual(yield* statusOf("wrong", "198.51.100.9", customer), 401)
      assert.strictEqual(yield* statusOf("wrong", "198.51.100.9", attacker), 401)
      assert.strictEqual(yield* statusOf("right", "198.51.100.9", customer), 429)
      assert.strictEqual(yield* statusOf("right", "10.0.0.1", customer), 200)
    }).pipe(limited({ failuresPerMinute: 2, trustedProxies: ["10.0.0.0/8"] })))

  it.effect("remembers a pair, and nothing else of the body that it came in", () =>
    Effect.gen(function*() {
      const { handle } = yield* TokenEndpoint
      const ask = (number: number) => handle(tokenRequest(`${number}${"x".repeat(16_000)}`))
      const heap = Effect.sync(() => {
        collectGarbage()
        return process.memoryUsage().heapUsed
      })
      yield* Effect.forEach([1, 2, 3], ask)
      const before = yield* heap
      yield* Effect.forEach(Array.from({ length: 2000 }, (_, index) => index), ask, { discard: true })
      const held = (yield* heap) - before
      // Their bodies are 32 MB.
      assert.isBelow(held, 8e6)
    }).pipe(limited()))
})
