/**
 * Request smuggling: a request that a proxy before the service may read differently is refused and the connection closed, or it is read as
 * exactly the requests that RFC 9112 defines. A smuggled part never becomes a request.
 */
import { NodeServer } from "@dockline/server/NodeServer"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import type { IncomingMessage } from "node:http"
import { layerMemory, TestServer } from "../support/TestServer.ts"
import { exchange } from "./RawHttp.ts"

/** The requests that reached the service: method and address. */
const reached: Array<string> = []

const createServer = () => {
  const server = new NodeServer()
  server.on("request", ({ method, url }: IncomingMessage) => reached.push(`${method} ${url}`))
  return server
}

const hidden = "GET /hidden HTTP/1.1\r\nHost: x\r\n\r\n"

const last = "GET /healthz?last HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"

const request = (line: string, headers: ReadonlyArray<string>, body = "") =>
  `${[line, "Host: x", ...headers].join("\r\n")}\r\n\r\n${body}`

const post = (headers: ReadonlyArray<string>, body: string) =>
  request("POST /healthz HTTP/1.1", headers, body)

/** A chunked body that ends, followed by another request. */
const chunks = `0\r\n\r\n${hidden}`

const chunked = "Transfer-Encoding: chunked"

/** Requests with an ambiguous head: 400, the connection is closed, and nothing after them is read. */
const refused: Readonly<Record<string, string>> = {
  "a length and chunks": post(["Content-Length: 4", chunked], chunks),
  "chunks and a length": post([chunked, "Content-Length: 4"], chunks),
  "a length of 0 and chunks": post(["Content-Length: 0", chunked], chunks),
  "chunks and a length of 0": post([chunked, "Content-Length: 0"], chunks),
  "a coding with a vertical tab": post(["Transfer-Encoding: \x0bchunked"], chunks),
  "a coding with a NUL": post(["Transfer-Encoding: chunked\0"], chunks),
  "a space before the colon": post(["Transfer-Encoding : chunked"], chunks),
  "a tab before the colon": post(["Transfer-Encoding\t: chunked"], chunks),
  "a space before the name": post(["X: 1", " Transfer-Encoding: chunked", "Content-Length: 4"], chunks),
  "a NUL in the name": post(["Transfer\0-Encoding: chunked"], chunks),
  "a folded coding": post(["Transfer-Encoding:\r\n chunked", "Content-Length: 4"], chunks),
  "two lengths that differ": post(["Content-Length: 4", "Content-Length: 6"], chunks),
  "two lengths that are the same": post(["Content-Length: 5", "Content-Length: 5"], `12345${hidden}`),
  "a list of lengths": post(["Content-Length: 5, 5"], `12345${hidden}`),
  "a length with a sign": post(["Content-Length: +5"], `12345${hidden}`),
  "a negative length": post(["Content-Length: -5"], hidden),
  "a hexadecimal length": post(["Content-Length: 0x5"], `12345${hidden}`),
  "a length with a space in it": post(["Content-Length: 1 2"], hidden),
  "a length with an exponent": post(["Content-Length: 1e1"], hidden),
  "an empty length": post(["Content-Length:"], hidden),
  "a length beyond 64 bits": post(["Content-Length: 18446744073709551621"], `12345${hidden}`),
  "lines that end with line feeds": request("GET /healthz HTTP/1.1", []).replaceAll("\r\n", "\n") + hidden,
  "a bare carriage return in a header": request("GET /healthz HTTP/1.1", [
    "X: a\rTransfer-Encoding: chunked"
  ]),
  "a bare line feed in a header": request("GET /healthz HTTP/1.1", ["X: a\nContent-Length: 4"], hidden),
  "a carriage return more at the end of the head":
    `GET /healthz HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\r\n12345${hidden}`,
  "a folded header": request("GET /healthz HTTP/1.1", ["X: a", " b"]),
  "a version without a digit": "GET /healthz HTTP/1.\r\nHost: x\r\n\r\n",
  "a version in another case": "GET /healthz http/1.1\r\nHost: x\r\n\r\n",
  "a request in the address": `GET /healthz HTTP/1.1 /x HTTP/1.1\r\nHost: x\r\n\r\n`,
  "a tab in the request line": "GET\t/healthz\tHTTP/1.1\r\nHost: x\r\n\r\n",
  "an authority for an address": "GET x:80 HTTP/1.1\r\nHost: x\r\n\r\n",
  "no method": " /healthz HTTP/1.1\r\nHost: x\r\n\r\n",
  "chunks in HTTP/1.0 with a length":
    `POST /healthz HTTP/1.0\r\nContent-Length: 4\r\n${chunked}\r\n\r\n${chunks}`
}

/** Requests with a good head and a bad body: one answer at most, the connection is closed, and nothing after them is read. */
const cut: Readonly<Record<string, string>> = {
  "chunks that are not last": post(["Transfer-Encoding: chunked, identity"], chunks),
  "chunks that are not last, on two lines": post([chunked, "Transfer-Encoding: identity"], chunks),
  "a coding that is like chunks": post(["Transfer-Encoding: xchunked"], chunks),
  "a coding that begins like chunks": post(["Transfer-Encoding: chunkedx"], chunks),
  "a coding without chunks": post(["Transfer-Encoding: gzip"], chunks),
  "two codings": post(["Transfer-Encoding: gzip, chunked"], chunks),
  "two codings on two lines": post(["Transfer-Encoding: gzip", chunked], chunks),
  "identity and chunks": post(["Transfer-Encoding: identity, chunked"], chunks),
  "the coding identity": post(["Transfer-Encoding: identity"], chunks),
  "an empty coding": post(["Transfer-Encoding:"], chunks),
  "a coding in quotes": post(["Transfer-Encoding: \"chunked\""], chunks),
  "a coding with a parameter": post(["Transfer-Encoding: chunked;x=1"], chunks),
  "a chunk beyond 64 bits": post([chunked], `10000000000000005\r\n12345\r\n0\r\n\r\n${hidden}`),
  "a negative chunk": post([chunked], `-1\r\n\r\n0\r\n\r\n${hidden}`),
  "a chunk with 0x": post([chunked], `0x5\r\n12345\r\n0\r\n\r\n${hidden}`),
  "a chunk without a size": post([chunked], `\r\n12345\r\n0\r\n\r\n${hidden}`),
  "a chunk that is longer than its size": post([chunked], `2\r\n12345\r\n0\r\n\r\n${hidden}`),
  "a chunk with a bare line feed": post([chunked], `5\n12345\r\n0\r\n\r\n${hidden}`),
  "a chunk size with a bare carriage return": post([chunked], `5\r12345\r\n0\r\n\r\n${hidden}`),
  "a chunk extension with a bare line feed": post([chunked], `5;a\nb\r\n12345\r\n0\r\n\r\n${hidden}`),
  "a space before a chunk size": post([chunked], ` 5\r\n12345\r\n0\r\n\r\n${hidden}`),
  "a trailer that is no header": post([chunked], `0\r\nno header\r\n\r\n${hidden}`)
}

/** Requests that RFC 9112 reads in one way, with the resulting requests in their order. */
const read: Readonly<Record<string, readonly [bytes: string, requests: ReadonlyArray<string>]>> = {
  "a request in a body with a length": [
    post([`Content-Length: ${hidden.length}`], hidden),
    ["POST /healthz"]
  ],
  "a request in a chunk": [
    post([chunked], `${hidden.length.toString(16)}\r\n${hidden}\r\n0\r\n\r\n`),
    ["POST /healthz"]
  ],
  "a request in a chunk extension": [
    post([chunked], `5;x="GET /hidden HTTP/1.1"\r\n12345\r\n0\r\n\r\n`),
    ["POST /healthz"]
  ],
  "a request in the trailers": [
    post([chunked], "0\r\nX: GET /hidden HTTP/1.1\r\nHost: y\r\nAuthorization: Bearer x\r\n\r\n"),
    ["POST /healthz"]
  ],
  "the coding in another case": [post(["Transfer-Encoding: CHUNKED"], "0\r\n\r\n"), ["POST /healthz"]],
  "a header whose name has an underscore": [
    request("GET /healthz HTTP/1.1", ["Transfer_Encoding: chunked", "Content_Length: 99"]),
    ["GET /healthz"]
  ],
  "a GET with a body": [
    request("GET /healthz HTTP/1.1", [`Content-Length: ${hidden.length}`], hidden),
    ["GET /healthz"]
  ],
  "an absolute address": [
    request("GET http://elsewhere/hidden/../healthz HTTP/1.1", []),
    ["GET http://elsewhere/hidden/../healthz"]
  ],
  "two requests in one packet": [
    request("GET /healthz HTTP/1.1", []) + request("GET /readyz HTTP/1.1", []),
    ["GET /healthz", "GET /readyz"]
  ],
  "a blank line before a request": [`\r\n${request("GET /healthz HTTP/1.1", [])}`, ["GET /healthz"]]
}

layer(layerMemory({ createServer }), { excludeTestServices: true })("request smuggling", (it) => {
  for (const [name, bytes] of Object.entries(refused)) {
    // @threat requests.1
    it.effect(`refused and closed: ${name}`, () =>
      Effect.gen(function*() {
        const { port } = yield* TestServer
        for (const parts of [[bytes + hidden], [bytes, hidden]]) {
          reached.length = 0
          const answers = yield* exchange(port, ...parts)
          assert.deepStrictEqual(answers.map(({ status }) => status), [400])
          assert.match(answers[0]!.head, /^connection: close$/im)
          assert.deepStrictEqual(reached, [])
        }
      }))
  }

  for (const [name, bytes] of Object.entries(cut)) {
    // @threat requests.1
    it.effect(`one answer at most, and closed: ${name}`, () =>
      Effect.gen(function*() {
        const { port } = yield* TestServer
        for (const parts of [[bytes + hidden], [bytes, hidden]]) {
          reached.length = 0
          const answers = yield* exchange(port, ...parts)
          // The coding or the method is refused before the body is read, or the body before there was an answer.
          assert.include([[], [400], [405], [501]].map(String), String(answers.map(({ status }) => status)))
          assert.isAtMost(reached.length, 1)
          assert.notInclude(reached.join(), "hidden")
        }
      }))
  }

  for (const [name, [bytes, requests]] of Object.entries(read)) {
    // @threat requests.1
    it.effect(`one answer for each request: ${name}`, () =>
      Effect.gen(function*() {
        const { port } = yield* TestServer
        for (const parts of [[bytes + last], [bytes, last], [bytes.slice(0, 20), bytes.slice(20), last]]) {
          reached.length = 0
          const answers = yield* exchange(port, ...parts)
          assert.deepStrictEqual(reached, [...requests, "GET /healthz?last"])
          assert.lengthOf(answers, requests.length + 1)
          assert.strictEqual(answers.at(-1)?.body, "{\"status\":\"ok\"}")
        }
      }))
  }

  // @threat requests.1
  it.effect("a request behind a bad one is not read, in the same packet or a later one", () =>
    Effect.gen(function*() {
      const { port } = yield* TestServer
      const good = request("GET /healthz HTTP/1.1", [])
      for (const parts of [[`${good}nonsense\r\n\r\n${hidden}`], [good, "nonsense\r\n\r\n", hidden]]) {
        reached.length = 0
        const answers = yield* exchange(port, ...parts)
        assert.deepStrictEqual(reached, ["GET /healthz"])
        assert.include([[200], [200, 400]].map(String), String(answers.map(({ status }) => status)))
      }
    }))

  // @threat requests.2
  it.effect("trailers change nothing of the request: a length, a coding and a token among them are refused or ignored", () =>
    Effect.gen(function*() {
      const { port, token } = yield* TestServer
      const authorization = `Authorization: Bearer ${yield* token("acme-client")}`
      for (const trailer of ["Content-Length: 99", chunked, authorization]) {
        reached.length = 0
        const body = `2\r\n{}\r\n0\r\n${trailer}\r\n\r\n`
        const answers = yield* exchange(port, request("POST /v1/documents HTTP/1.1", [chunked], body), last)
        assert.include([400, 401], answers[0]?.status)
        assert.strictEqual(reached[0], "POST /v1/documents")
      }
    }))

  // @threat requests.2
  it.effect("two Hosts are refused, and who asks by which of them does not matter", () =>
    Effect.gen(function*() {
      const { port } = yield* TestServer
      for (const hosts of ["Host: y", "host: x", "HOST:"]) {
        const answers = yield* exchange(port, request("GET /healthz HTTP/1.1", [hosts]))
        assert.deepStrictEqual(answers.map(({ status }) => status), [400])
        assert.include(answers[0]!.body, "more than one")
      }
    }))

  // @threat requests.2
  it.effect("HTTP/0.9 has no headers, so no token: one answer, and nothing behind it", () =>
    Effect.gen(function*() {
      const { port } = yield* TestServer
      for (const [path, status] of [["/healthz", 200], ["/v1/shipments", 401]] as const) {
        for (const parts of [[`GET ${path}\r\n\r\n${hidden}`], [`GET ${path}\r\n`, hidden]]) {
          reached.length = 0
          const answers = yield* exchange(port, ...parts)
          assert.include([[status], [400]].map(String), String(answers.map(({ status }) => status)))
          assert.notInclude(reached.join(), "hidden")
        }
      }
    }))
})
