import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import type { Scope } from "effect"
import { layerMemory, refusalOf, TestServer } from "../../support/TestServer.ts"
import { order } from "../Sample.ts"
import type { Connection } from "../Wire.ts"

const bodyLimit = 100_000
const documents = { method: "POST", path: "/v1/documents" }

/** The head of a POST of a document; the test sends the body itself. */
const head = (...headers: ReadonlyArray<string>) =>
  Effect.gen(function*() {
    const server = yield* TestServer
    const own = headers.some((header) => /^authorization:/i.test(header))
    const authorization = own ? [] : [`Authorization: Bearer ${yield* server.token("acme-client")}`]
    const type = headers.some((header) => /^content-type:/i.test(header))
      ? []
      : ["Content-Type: application/json"]
    return `${
      ["POST /v1/documents HTTP/1.1", "Host: x", ...authorization, ...type, ...headers].join("\r\n")
    }\r\n\r\n`
  })

const withConnection = <A, R>(use: (connection: Connection) => Effect.Effect<A, never, R>) =>
  Effect.scoped(Effect.flatMap(TestServer, ({ connect }) => Effect.flatMap(connect, use))) as Effect.Effect<
    A,
    never,
    Exclude<R, Scope.Scope> | TestServer
  >

const none = "Authorization: none"
const huge = "Content-Length: 10485760"
const chunked = "Transfer-Encoding: chunked"

layer(layerMemory({ bodyLimit }), { excludeTestServices: true })("answers before the body", (it) => {
  for (
    const [name, headers, status] of [
      ["401, announced", [none, huge], 401],
      ["401, chunked", [none, chunked], 401],
      ["401, expecting to continue", [none, huge, "Expect: 100-continue"], 401],
      ["415, announced", ["Content-Type: text/plain", huge], 415],
      ["415, chunked", ["Content-Type: text/plain", chunked], 415],
      ["415, compressed", ["Content-Encoding: br", huge], 415],
      ["413, announced", [huge], 413],
      ["413, announced in more digits than a number has", [`Content-Length: ${"9".repeat(18)}`], 413],
      ["413, expecting to continue", [huge, "Expect: 100-continue"], 413]
    ] as const
  ) {
    it.effect(`${name}: the answer does not wait for the body`, () =>
      withConnection((connection) =>
        Effect.gen(function*() {
          yield* connection.write(yield* head(...headers))
          const reply = yield* connection.read(documents)
          assert.strictEqual(reply.status, status, reply.text)
          assert.deepStrictEqual(connection.interim, [])
        })
      ))
  }

  for (const [method, path, status] of [["POST", "/nowhere", 404], ["PUT", "/v1/documents", 405]] as const) {
    it.effect(`${status} does not wait for the body`, () =>
      withConnection((connection) =>
        Effect.gen(function*() {
          yield* connection.write(`${method} ${path} HTTP/1.1\r\nHost: x\r\n${huge}\r\n\r\n`)
          assert.strictEqual((yield* connection.read({ method, path })).status, status)
        })
      ))
  }

  it.effect("a large body after an early 401 is not read to its end", () =>
    withConnection((connection) =>
      Effect.gen(function*() {
        yield* connection.write(yield* head(none, huge))
        assert.strictEqual((yield* connection.read(documents)).headers["connection"], "close")
        yield* connection.write("x".repeat(500_000))
        yield* connection.closed
      })
    ))

  // @threat load.4
  it.effect("413 for a chunked body comes at the chunk that exceeds the limit, and the rest is cut off", () =>
    withConnection((connection) =>
      Effect.gen(function*() {
        yield* connection.write(yield* head(chunked))
        const chunk = `c350\r\n${"x".repeat(50_000)}\r\n`
        yield* connection.write(chunk)
        yield* connection.write(chunk)
        yield* connection.write(chunk)
        const reply = yield* connection.read(documents)
        assert.deepStrictEqual(refusalOf(reply), [413, "PAYLOAD_TOO_LARGE"])
        assert.strictEqual(reply.headers["connection"], "close")
        yield* connection.write(chunk.repeat(20))
        yield* connection.closed
      })
    ))

  it.effect("Expect: 100-continue: the client is told to go on, then answered", () =>
    withConnection((connection) =>
      Effect.gen(function*() {
        const body = JSON.stringify(order())
        yield* connection.write(yield* head(`Content-Length: ${body.length}`, "Expect: 100-continue"))
        yield* connection.write(body)
        assert.strictEqual((yield* connection.read(documents)).status, 201)
        assert.deepStrictEqual(connection.interim, [100])
      })
    ))

  it.effect("an upgrade to another protocol is ignored, its body read", () =>
    withConnection((connection) =>
      Effect.gen(function*() {
        const body = JSON.stringify(order())
        const upgrade = ["Connection: Upgrade", "Upgrade: h2c", chunked]
        yield* connection.write(
          `${yield* head(...upgrade)}${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`
        )
        assert.strictEqual((yield* connection.read(documents)).status, 201)
      })
    ))
})
