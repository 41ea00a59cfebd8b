/**
 * How many requests a client may send (D10.5): each request over HTTP counts, and each operation of a socket.
 */
import { RequestLimits } from "@dockline/core/access/RequestLimits"
import { RateLimited } from "@dockline/core/values/RequestErrors"
import { assert, describe } from "@effect/vitest"
import { Effect, Layer } from "effect"
import {
  append,
  connect,
  draft,
  lastId,
  LiveServer,
  messageOf,
  next,
  onServer,
  refusalOf
} from "./LiveSetup.ts"

/** Who asked, and how many more may. */
const state = { taken: Array<string>(), left: 0 }

const limit = 10

const limits = Layer.succeed(
  RequestLimits,
  RequestLimits.of({
    count: (clientId) =>
      Effect.suspend(() => {
        state.taken.push(clientId)
        return state.left === 0
          ? Effect.fail(new RateLimited({ limit, windowSeconds: 60, retryAfterSeconds: 17 }))
          : Effect.succeed({ limit, windowSeconds: 60, remaining: --state.left, resetSeconds: 42 })
      })
  })
)

/** Lets so many requests pass from now on. */
const allow = (requests: number) => {
  state.left = requests
  state.taken = []
}

const bare = "{ __typename }"

const send = (init: RequestInit & { readonly search?: string }, client: string | null = "acme-client") =>
  Effect.gen(function*() {
    const { httpUrl } = yield* LiveServer
    const { search = "", ...rest } = init
    const headers = new Headers(rest.headers)
    if (client !== null) headers.set("authorization", `Bearer ${client}`)
    return yield* Effect.promise(async () => {
      const response = await fetch(httpUrl + search, { ...rest, headers })
      return { status: response.status, headers: response.headers, text: await response.text() }
    })
  })

const jsonType = { "content-type": "application/json" }
const post = (text: string): RequestInit => ({
  method: "POST",
  headers: jsonType,
  body: JSON.stringify({ query: text })
})

const multipart = () => {
  const body = new FormData()
  body.set("operations", JSON.stringify({ query: bare }))
  body.set("map", "{}")
  return { method: "POST", body }
}

const headersOf = ({ headers }: { readonly headers: Headers }) => [
  headers.get("ratelimit-policy"),
  headers.get("ratelimit"),
  headers.get("retry-after")
]

onServer({ limits }, (test) => {
  describe("D10.5 the rate limit on GraphQL over HTTP", () => {
    const requests: ReadonlyArray<readonly [string, () => RequestInit & { readonly search?: string }]> = [
      ["POST", () => post(bare)],
      ["GET", () => ({ search: `?query=${encodeURIComponent(bare)}` })],
      ["a stream of events", () => ({
        ...post(bare),
        headers: { ...jsonType, accept: "text/event-stream" }
      })],
      ["an upload", multipart],
      ["a request that is refused", () => ({ ...post(bare), body: "{" })],
      ["a method that is not taken", () => ({ method: "DELETE" })]
    ]
    for (const [name, request] of requests) {
      test(`${name} counts once, and is told what is left`, function*() {
        allow(3)
        const reply = yield* send(request())
        assert.deepStrictEqual(state.taken, ["acme-client"])
        assert.deepStrictEqual(headersOf(reply), ["\"default\";q=10;w=60", "\"default\";r=2;t=42", null])
      })

      test(`${name} is refused before anything of it is read`, function*() {
        allow(0)
        const reply = yield* send(request())
        assert.deepStrictEqual([reply.status, JSON.parse(reply.text)], [429, {
          errors: [{
            message: "More than 10 requests in 60 seconds; go on after 17 seconds",
            extensions: { code: "RATE_LIMITED", reason: "RATE_LIMITED", retryAfterSeconds: 17 }
          }]
        }])
        assert.deepStrictEqual(headersOf(reply), ["\"default\";q=10;w=60", "\"default\";r=0;t=17", "17"])
        assert.match(String(reply.headers.get("content-type")), /^application\/json/)
      })
    }

    test("a request without a good token does not count", function*() {
      allow(0)
      const replies = [yield* send(post(bare), null), yield* send(post(bare), "nobody")]
      assert.deepStrictEqual(replies.map(({ status }) => status), [401, 401])
      assert.deepStrictEqual(replies.map(headersOf), [[null, null, null], [null, null, null]])
      assert.deepStrictEqual(state.taken, [])
    })
  })

  describe("D10.5 the rate limit on GraphQL over a socket", () => {
    test("each operation counts, a subscription once, what belongs to the protocol not", function*() {
      allow(5)
      const socket = yield* connect()
      yield* Effect.promise(() => socket.ping())
      assert.deepStrictEqual(state.taken, [])
      socket.subscribe("follow", { businessSlug: "acme", afterId: yield* lastId("acme") })
      socket.send({ type: "subscribe", id: "ask", payload: { query: bare } })
      assert.strictEqual((yield* next(socket)).type, "next")
      assert.strictEqual((yield* next(socket)).type, "complete")
      yield* append(draft(), draft())
      messageOf(yield* next(socket))
      messageOf(yield* next(socket))
      socket.send({ type: "complete", id: "follow" })
      yield* Effect.promise(() => socket.ping())
      assert.deepStrictEqual(state.taken, ["acme-client", "acme-client"])
    })

    test("an operation too many is an error of its own: the socket and what runs on it stay", function*() {
      allow(1)
      const socket = yield* connect()
      socket.subscribe("follow", { businessSlug: "acme", afterId: yield* lastId("acme") })
      socket.send({ type: "subscribe", id: "refused", payload: { query: bare } })
      const refusal = yield* next(socket)
      assert.deepStrictEqual(refusalOf(refusal), ["refused", "RATE_LIMITED", "RATE_LIMITED"])
      assert.include(JSON.stringify(refusal.payload), "\"retryAfterSeconds\":17")
      yield* append(draft())
      messageOf(yield* next(socket))
      allow(1)
      socket.send({ type: "subscribe", id: "refused", payload: { query: bare } })
      assert.deepStrictEqual(yield* next(socket), {
        id: "refused",
        type: "next",
        payload: { data: { __typename: "Query" } }
      })
    })
  })
})
