/** Facts of the wire, one table for each; the interfaces take them from here. */
import { overloaded } from "@dockline/core/access/RequestLimits"
import { withoutSlashes } from "@dockline/core/values/Clip"
import * as Errors from "@dockline/core/values/Errors"
import * as RequestErrors from "@dockline/core/values/RequestErrors"
import { assert, describe, it } from "@effect/vitest"
import { correlationIdOf } from "../src/AnswerHeaders.ts"
import { isHost, refusalOf } from "../src/Handshake.ts"
import { pathOf, resolvedPathOf } from "../src/Path.ts"
import { retryAfterOf } from "../src/Problem.ts"
import * as Problem from "../src/Problem.ts"
import { allowanceOf, rateLimitFields } from "../src/RequestAdmission.ts"

const uuid = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/

/** The status and the code of each category are in docs/reference/fields-and-codes.md, which is held against them (`test/contracts`). */
describe("D4.4, D5.2 categories", () => {
  it("an error that knows when to repeat the request says so itself", () => {
    const refusal = new RequestErrors.RateLimited({ limit: 1, windowSeconds: 60, retryAfterSeconds: 42 })
    assert.strictEqual(retryAfterOf(refusal), 42)
  })

  it("one second is written as one", () => {
    const refusal = new RequestErrors.RateLimited({ limit: 1, windowSeconds: 60, retryAfterSeconds: 1 })
    assert.strictEqual(refusal.message, "More than 1 request in 60 seconds; go on after 1 second")
    assert.include(new RequestErrors.Overloaded({ retryAfterSeconds: 1 }).message, "after 1 second")
    assert.notInclude(new RequestErrors.Overloaded({ retryAfterSeconds: 1 }).message, "seconds")
  })

  it("those who are refused for overload at once come back after 1, 2 or 3 seconds", () => {
    const seconds = [0, 0.2, 0.34, 0.5, 0.67, 0.999].map((chance) => retryAfterOf(overloaded(chance)))
    assert.deepStrictEqual(seconds, [1, 1, 2, 2, 3, 3])
  })
})

describe("D4.5 correlation ids", () => {
  it.each(["a", "ws with space", "a b/ç=\"1\"", "\u00a0", "\u00ff", "one, two", "x".repeat(128)])(
    "%s is kept",
    (id) => {
      assert.strictEqual(correlationIdOf(id), id)
    }
  )

  it.each([
    ["none", undefined],
    ["none of a Request", null],
    ["empty", ""],
    ["129 characters", "x".repeat(129)],
    ["a tab", "a\tb"],
    ["a line break", "a\r\nb"],
    ["a line break at the end", "a\n"],
    ["DEL", "a\x7f"],
    ["C1", "a\u0085b"],
    ["beyond Latin-1", "aĀ"]
  ])("%s: one is made", (_, id) => {
    assert.match(correlationIdOf(id), uuid)
    assert.notStrictEqual(correlationIdOf(id), correlationIdOf(id))
  })
})

/** Errors, and the headers of their answers. */
const headers: ReadonlyArray<
  readonly [string, Parameters<typeof Problem.headersOf>[0], Record<string, string>]
> = [
  ["no token", new Errors.Unauthenticated(), { "www-authenticate": "Bearer" }],
  ["an expired token", new Errors.Unauthenticated({ reason: "expired" }), {
    "www-authenticate": `Bearer error="invalid_token", error_description="The token has expired"`
  }],
  ["too large", new RequestErrors.PayloadTooLarge({ limit: 1 }), { connection: "close" }],
  ["rate limit", new RequestErrors.RateLimited({ limit: 1, windowSeconds: 60, retryAfterSeconds: 7 }), {
    "retry-after": "7"
  }],
  ["overload", overloaded(0.5), { "retry-after": "2" }],
  ["stopping", new RequestErrors.Stopping(), { "retry-after": "2" }],
  ["storage away", new Errors.StorageUnavailable({ cause: "secret" }), { "retry-after": "2" }],
  ["forbidden", new RequestErrors.MetricsForbidden(), {}]
]

describe("D4.2, D4.3 refusals", () => {
  it.each(headers)("headers: %s", (_, error, expected) => {
    assert.deepStrictEqual({ ...Problem.headersOf(error) }, expected)
  })

  it("a problem and an error of GraphQL say the same, and nothing internal", () => {
    const error = new Errors.StorageUnavailable({ cause: "secret" })
    assert.deepStrictEqual({ ...Problem.problemOf(error) }, {
      type: "about:blank",
      title: "Service Unavailable",
      status: 503,
      detail: error.message,
      code: "STORAGE_UNAVAILABLE"
    })
    assert.deepStrictEqual(JSON.parse(Problem.graphqlRefusalOf(error)), {
      errors: [{
        message: error.message,
        extensions: { code: "INTERNAL", reason: "STORAGE_UNAVAILABLE", retryable: true }
      }]
    })
  })

  it("as a whole answer it is framed in Latin-1, whatever it quotes", () => {
    const text = Problem.answerOf(
      Problem.problemOf(new RequestErrors.ResourceNotFound({ path: "/ü€\u{1f4a9}" })),
      "é",
      { allow: "GET" }
    )
    const [head = "", body = ""] = text.split("\r\n\r\n")
    assert.match(head, /^HTTP\/1\.1 404 Not Found\r\nallow: GET\r\n/)
    assert.include(head, "\r\ncorrelation-id: é\r\n")
    assert.include(head, `\r\ncontent-length: ${body.length}\r\n`)
    assert.match(body, /^[\x20-\x7e]*$/)
    assert.strictEqual(JSON.parse(body).detail, "No resource at /ü€\u{1f4a9}")
  })
})

describe("D10.5 RateLimit headers", () => {
  it("are those of the draft", () => {
    assert.deepStrictEqual(
      { ...rateLimitFields({ limit: 6000, windowSeconds: 60, remaining: 12, resetSeconds: 34 }) },
      { "ratelimit-policy": "\"default\";q=6000;w=60", ratelimit: "\"default\";r=12;t=34" }
    )
  })

  it("nothing is left to a client that is refused", () => {
    const refusal = new RequestErrors.RateLimited({ limit: 5, windowSeconds: 60, retryAfterSeconds: 7 })
    assert.strictEqual(rateLimitFields(allowanceOf(refusal))["ratelimit"], "\"default\";r=0;t=7")
  })
})

describe("paths", () => {
  it.each([
    ["/v1/documents", "/v1/documents"],
    ["/v1/documents?dryRun=true#x", "/v1/documents"],
    ["//public_graphql", "//public_graphql"],
    ["/%6detrics", "/%6detrics"],
    ["http://example.com/v1/documents?x", "/v1/documents"],
    ["HTTPS://example.com:1", "/"],
    ["http://example.com?x=/y", "/"],
    ["*", "*"]
  ])("%s is taken for %s", (target, path) => {
    assert.strictEqual(pathOf(target), path)
  })

  it.each([
    ["https://a.example//", "https://a.example"],
    ["https://a.example/b/", "https://a.example/b"],
    ["/", ""],
    ["/a//b", "/a//b"],
    [`${"/".repeat(100_000)}a`, `${"/".repeat(100_000)}a`]
  ])("end without slashes", (url, trimmedUrl) => {
    assert.strictEqual(withoutSlashes(url), trimmedUrl)
  })

  it("are nothing where a request line holds no address", () => {
    assert.deepStrictEqual(["/a/../b", "//", "*", "x:80"].map(resolvedPathOf), ["/b", "//", "", "80"])
  })
})

const good = {
  host: "example.com",
  upgrade: "websocket",
  "sec-websocket-version": "13",
  "sec-websocket-key": "AAAAAAAAAAAAAAAAAAAAAA==",
  "sec-websocket-protocol": "graphql-ws, graphql-transport-ws"
}

describe("the handshake of a WebSocket", () => {
  it("is taken, with our subprotocol among others or none at all", () => {
    assert.isUndefined(refusalOf({ method: "GET", headers: good }))
    assert.isUndefined(
      refusalOf({ method: "GET", headers: { ...good, "sec-websocket-protocol": undefined } })
    )
  })

  const version13 = { upgrade: "websocket", "sec-websocket-version": "13" }
  const cases: ReadonlyArray<
    readonly [string, Readonly<Record<string, string | undefined>>, number, Readonly<Record<string, string>>]
  > = [
    ["POST", { method: "POST" }, 405, { allow: "GET" }],
    ["version 8", { "sec-websocket-version": "8" }, 426, version13],
    ["no version", { "sec-websocket-version": undefined }, 426, version13],
    ["no key", { "sec-websocket-key": undefined }, 400, {}],
    ["a bad key", { "sec-websocket-key": "AAAA" }, 400, {}],
    ["the legacy subprotocol", { "sec-websocket-protocol": "graphql-ws" }, 400, {}],
    ["two hosts", { host: "a, b" }, 400, {}],
    ["no host", { host: undefined }, 400, {}]
  ]

  it.each(cases)("%s is refused", (_, { method = "GET", ...request }, status, expected) => {
    const refusal = refusalOf({ method, headers: { ...good, ...request } })
    assert.deepStrictEqual([refusal?.problem.status, refusal?.headers ?? {}], [status, expected])
  })

  it("the legacy subprotocol is told of the one that is spoken", () => {
    const refusal = refusalOf({ method: "GET", headers: { ...good, "sec-websocket-protocol": "graphql-ws" } })
    assert.include(refusal?.problem.detail, "graphql-transport-ws")
  })
})

describe("Host", () => {
  it.each(["", "example.com", "localhost:8080", "127.0.0.1", "[::1]:80", "a_b", "x:", "a%20b"])(
    "%s is one",
    (host) => {
      assert.isTrue(isHost(host))
    }
  )
  it.each(["a b", "a b/../@", "user@host", "a/b", "a, b", "a:b", "[::1", undefined])(
    "%s is none",
    (host) => {
      assert.isFalse(isHost(host))
    }
  )
})
