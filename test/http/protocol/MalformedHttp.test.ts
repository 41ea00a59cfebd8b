import { assert } from "@effect/vitest"
import { Effect, Exit } from "effect"
import { layerMemory, problemOf } from "../../support/TestServer.ts"
import { order } from "../Sample.ts"
import { serving } from "../Serving.ts"

const get = (...headers: ReadonlyArray<string>) =>
  `${["GET /healthz HTTP/1.1", ...headers].join("\r\n")}\r\n\r\n`

const post = (...headers: ReadonlyArray<string>) =>
  `${["POST /healthz HTTP/1.1", "Host: x", ...headers].join("\r\n")}\r\n\r\n`

/** Node's answers before there is a request, by the text sent (D4.2: every response has a problem body). */
const cases: ReadonlyArray<readonly [name: string, text: string, status: number, code: string]> = [
  ["no HTTP at all", "hello\r\n\r\n", 400, "MALFORMED_REQUEST"],
  ["a TLS handshake", "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", 400, "MALFORMED_REQUEST"],
  ["HTTP/2 without asking", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 400, "MALFORMED_REQUEST"],
  ["an unknown version", "GET / HTTP/1.9\r\nHost: x\r\n\r\n", 400, "MALFORMED_REQUEST"],
  ["an unknown method", "FOO / HTTP/1.1\r\nHost: x\r\n\r\n", 400, "MALFORMED_REQUEST"],
  ["a space in the address", "GET /a b HTTP/1.1\r\nHost: x\r\n\r\n", 400, "MALFORMED_REQUEST"],
  ["no Host", get(), 400, "MALFORMED_REQUEST"],
  ["a Host that is none", get("Host: a b/../@"), 400, "MALFORMED_REQUEST"],
  ["a Host with a user", get("Host: a@b"), 400, "MALFORMED_REQUEST"],
  [
    "two headers of codings",
    post("Transfer-Encoding: gzip", "Transfer-Encoding: chunked"),
    501,
    "NOT_IMPLEMENTED"
  ],
  [
    "an address of 20,000 characters",
    `GET /${"a".repeat(20_000)} HTTP/1.1\r\nHost: x\r\n\r\n`,
    431,
    "HEADERS_TOO_LARGE"
  ],
  ["a header of 20,000 characters", get("Host: x", `X: ${"a".repeat(20_000)}`), 431, "HEADERS_TOO_LARGE"],
  ["2,500 headers", get("Host: x", ...Array<string>(2500).fill("X: aaaaa")), 431, "HEADERS_TOO_LARGE"],
  ["a control character in a header", get("Host: x", "Correlation-Id: a\x01b"), 400, "MALFORMED_REQUEST"],
  ["a DEL in a header", get("Host: x", "Correlation-Id: a\x7fb"), 400, "MALFORMED_REQUEST"],
  ["a NUL in a header", get("Host: x", "Correlation-Id: a\0b"), 400, "MALFORMED_REQUEST"],
  ["a header without a name", get("Host: x", ": a"), 400, "MALFORMED_REQUEST"],
  ["a space before the colon", get("Host: x", "Content-Length : 0"), 400, "MALFORMED_REQUEST"]
]

serving("D4.2, D4.8 what Node refuses by itself", layerMemory(), (test) => {
  for (const [name, text, status, code] of cases) {
    test(`${status}: ${name}`, function*(server) {
      const connection = yield* server.connect
      yield* connection.write(text)
      const reply = yield* connection.read("malformed")
      assert.deepStrictEqual([reply.status, problemOf(reply).code], [status, code])
      assert.strictEqual(reply.headers["connection"], "close")
      yield* connection.closed
      assert.strictEqual((yield* server.post(order())).status, 201)
    })
  }

  test("nonsense behind a request does not spoil the answer to it", function*(server) {
    const connection = yield* server.connect
    yield* connection.write(get("Host: x"))
    assert.strictEqual((yield* connection.read({ method: "GET", path: "/healthz" })).status, 200)
    yield* connection.write("nonsense\r\n\r\n")
    assert.strictEqual((yield* connection.read("malformed")).status, 400)
    yield* connection.closed
  })

  test("501: CONNECT", function*(server) {
    const connection = yield* server.connect
    yield* connection.write("CONNECT x:80 HTTP/1.1\r\nHost: x\r\nCorrelation-Id: mine\r\n\r\n")
    const reply = yield* connection.read("malformed")
    assert.deepStrictEqual([reply.status, problemOf(reply).code], [501, "NOT_IMPLEMENTED"])
    assert.strictEqual(reply.headers["correlation-id"], "mine")
    yield* connection.closed
  })

  test("CONNECT behind a request that is not answered yet is no answer to that", function*(server) {
    const connection = yield* server.connect
    yield* connection.write(`${get("Host: x")}CONNECT x:80 HTTP/1.1\r\nHost: x\r\n\r\n`)
    yield* connection.closed
    const answered = yield* Effect.exit(connection.read("malformed"))
    if (Exit.isSuccess(answered)) assert.strictEqual(answered.value.status, 200)
  })
})
