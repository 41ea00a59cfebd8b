/**
 * The path for clients of Kargo over HTTP and web sockets: it has the guards and limits of the other path (D8.5 to D8.8, D10.5, D17.1), and
 * each path has its own schema.
 */
import { RequestLimits } from "@dockline/core/access/RequestLimits"
import { RateLimited } from "@dockline/core/values/RequestErrors"
import { defaultGraphqlConfig } from "@dockline/graphql-adapter/GraphqlConfig"
import { assert, describe } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { begin, connectAt, LiveServer, onServer, openAt } from "../../graphql-adapter/test/LiveSetup.ts"
import type { RawSocket } from "../../graphql-adapter/test/LiveSetup.ts"
import type * as Running from "../../graphql-adapter/test/Running.ts"
import { kargoGraphql, kargoPath } from "../src/KargoGraphql.ts"

const { path } = defaultGraphqlConfig

const parts = [kargoGraphql]

const urls = Effect.map(LiveServer, ({ httpUrl, url }) => ({
  kargo: httpUrl.replace(path, kargoPath),
  own: httpUrl,
  kargoSocket: url.replace(path, kargoPath),
  ownSocket: url
}))

interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly body: Running.Answer
}

const send = (url: string, init: RequestInit, client: string | undefined = "acme-client") =>
  Effect.promise(async (): Promise<Answer> => {
    const headers = new Headers(init.headers)
    if (client !== "") headers.set("authorization", `Bearer ${client}`)
    const response = await fetch(url, { ...init, headers })
    const { headers: responseHeaders, status } = response
    const text = await response.text()
    const isJson = responseHeaders.get("content-type")?.includes("json") === true
    return { status, headers: responseHeaders, body: isJson ? JSON.parse(text) as Answer["body"] : {} }
  })

const ask = (url: string, query: string, variables?: object, client?: string) =>
  send(url, {
    method: "POST",
    headers: { "content-type": "application/json", accept: "application/json" },
    body: JSON.stringify({ query, variables })
  }, client)

const firstError = ({ body: { errors = [] } }: Answer): string => errors[0]?.message ?? ""

const parseImage = `mutation ($file: Upload!) {
  parseImage(input: { businessSlug: "acme", facilitySlug: "east", file: $file, metadata: [{ key: "k", value: "v" }] }) {
    readResults { name } templateIds metadata { key value }
  }
}`

const imageForm = (): FormData => {
  const form = new FormData()
  form.set("operations", JSON.stringify({ query: parseImage, variables: { file: null } }))
  form.set("map", JSON.stringify({ 0: ["variables.file"] }))
  form.set("0", new File([new Uint8Array([137, 80, 78, 71])], "label.png", { type: "image/png" }))
  return form
}

describe("the path for clients of Kargo", () => {
  onServer({ parts }, (test) => {
    test("answers over HTTP by its own schema, and the other path by the other", function*() {
      const { kargo, own } = yield* urls
      assert.deepStrictEqual((yield* ask(kargo, "{ ping }")).body, { data: { ping: true } })
      assert.include(firstError(yield* ask(own, "{ ping }")), `Cannot query field "ping"`)
      const search = `{ search(find: "x") { nodes { kind } } }`
      assert.include(firstError(yield* ask(kargo, search)), `Cannot query field "search"`)
      // A text that was valid at one path is judged anew at the other.
      const text = `{ businesses { slug } }`
      assert.strictEqual((yield* ask(kargo, text)).body.errors, undefined)
      assert.include(firstError(yield* ask(own, text)), `Cannot query field "businesses"`)
      assert.deepStrictEqual((yield* send(`${kargo}?query=${encodeURIComponent("{ ping }")}`, {})).body, {
        data: { ping: true }
      })
    })

    // @threat requests.12
    test("has the limits of the other path", function*() {
      const { kargo } = yield* urls
      const nest = (depth: number): string =>
        depth === 0 ? "{ slug }" : `{ docks { currentShipment { facility ${nest(depth - 1)} } } }`
      const cases: ReadonlyArray<readonly [string, string]> = [
        [`{ businesses { facilities ${nest(4)} } }`, "nests fields too deep"],
        [
          `{ ${Array.from({ length: 20 }, (_, index) => `a${index}: ping`).join(" ")} }`,
          "too many aliases"
        ],
        [`{ __schema { types { fields { type { fields { name } } } } } }`, `comes back to "fields"`],
        [`{ ping ${"ping ".repeat(3000)} }`, "Document contains more than 2000 tokens"]
      ]
      for (const [query, message] of cases) assert.include(firstError(yield* ask(kargo, query)), message)
      const large = yield* ask(kargo, "{ ping }", { text: "x".repeat(1024 * 1024) })
      assert.strictEqual(large.status, 413)
    })

    test("takes an image, and reads nothing from it", function*() {
      const { kargo } = yield* urls
      const answer = yield* send(kargo, { method: "POST", body: imageForm() })
      assert.deepStrictEqual(answer.body, {
        data: { parseImage: { readResults: [], templateIds: [], metadata: [{ key: "k", value: "v" }] } }
      })
      const refusal = yield* send(kargo, { method: "POST", body: imageForm() }, "globex-client")
      assert.strictEqual(refusal.body.errors?.[0]?.extensions["reason"], "FORBIDDEN")
      assert.include(firstError(yield* ask(kargo, parseImage, { file: "text" })), "must be a file")
    })

    test("repeats the answer of a mutation with the same key", function*() {
      const { kargo } = yield* urls
      const create = (key: string) =>
        send(kargo, {
          method: "POST",
          headers: { "content-type": "application/json", "idempotency-key": key },
          body: JSON.stringify({
            query: `mutation { createOrder(input: {
              businessSlug: "acme", facilitySlug: "east", orderNumber: "O-KEY", direction: INBOUND, items: []
            }) { success id } }`
          })
        })
      const first = yield* create("key-1")
      assert.strictEqual(first.body.errors, undefined)
      assert.deepStrictEqual((yield* create("key-1")).body, first.body)
      const [error] = (yield* create("key-2")).body.errors ?? []
      assert.strictEqual(error?.extensions["reason"], "PRECONDITION_FAILED")
    })

    test("follows messages, and shows each path's own", function*() {
      const { kargoSocket, ownSocket } = yield* urls
      const query = `subscription ($filter: PushMessageSubscriptionFilter!) {
        pushMessage(filter: $filter) { id messageType message }
      }`
      const filter = { businessSlug: "acme", facilitySlug: "east" }
      const follow = (url: string) =>
        Effect.tap(
          connectAt(url),
          (socket) => Effect.sync(() => socket.subscribe("a", filter, query))
        )
      const sockets = [yield* follow(kargoSocket), yield* follow(ownSocket)] as const
      const view = (socket: RawSocket) =>
        Effect.gen(function*() {
          yield* begin(socket)
          const { payload } = yield* Effect.promise(() => socket.next())
          return (payload as { readonly data: { readonly pushMessage: { readonly message: unknown } } })
            .data
            .pushMessage.message
        })
      const [text, payload] = [yield* view(sockets[0]), yield* view(sockets[1])]
      assert.isString(text)
      assert.isObject(payload)
      assert.isObject(JSON.parse(String(text)))
    })
  })

  onServer({ parts, live: { connectionsPerClient: 1 } }, (test) => {
    test("shares the bound on the connections of a client with the other path", function*() {
      const { kargoSocket, ownSocket } = yield* urls
      yield* connectAt(ownSocket)
      const second = yield* openAt(kargoSocket)
      second.send({ type: "connection_init", payload: { Authorization: "Bearer acme-client" } })
      assert.strictEqual((yield* Effect.promise(() => second.closed)).code, 1013)
    })
  })

  const limits = Layer.succeed(
    RequestLimits,
    RequestLimits.of({
      count: () => Effect.fail(new RateLimited({ limit: 10, windowSeconds: 60, retryAfterSeconds: 17 }))
    })
  )
  onServer({ parts, limits }, (test) => {
    test("counts the requests of a client with those of the other path", function*() {
      const { kargo } = yield* urls
      const { headers, status } = yield* ask(kargo, "{ ping }")
      assert.deepStrictEqual([status, headers.get("retry-after")], [429, "17"])
    })
  })
})
