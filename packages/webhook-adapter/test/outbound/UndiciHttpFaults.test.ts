/** D9.3, D9.7: everything that can go wrong on a real socket between us and a customer. */
import { assert, describe } from "@effect/vitest"
import { Exit, Scope } from "effect"
import type { Socket } from "node:net"
import * as CustomerServer from "../CustomerServer.ts"
import { client, failureOf, head, request, test, textOf } from "../OutboundSetup.ts"

/** Writes a text character by character, one each 20 ms, for as long as the connection lasts. */
const drip = (socket: Socket, text: string) => {
  let at = 0
  const timer = setInterval(() => socket.write(text[at++ % text.length]!), 20)
  socket.on("close", () => clearInterval(timer))
}

describe("no answer", () => {
  test("refuses", function*() {
    const scope = yield* Scope.make()
    const { url } = yield* Scope.provide(CustomerServer.tcp(() => {}), scope)
    yield* Scope.close(scope, Exit.void)
    assert.strictEqual(yield* failureOf(url), "connection refused")
  })

  const message = "the connection was closed before the answer was complete"
  const reset = "the connection was reset"
  const tcpFaults: ReadonlyArray<readonly [string, (socket: Socket) => void, ReadonlyArray<string>]> = [
    ["closes instead of answering", (socket) => socket.end(), [message]],
    ["resets instead of answering", (socket) => socket.resetAndDestroy(), [reset]],
    ["closes in the middle of the headers", (socket) => socket.end("HTTP/1.1 200 OK\r\nContent-Ty"), [
      message
    ]],
    ["is not HTTP", (socket) => socket.end("SSH-2.0-OpenSSH_9.9\r\n"), [
      "the answer is not HTTP/1.1 (Expected HTTP/, RTSP/ or ICE/)"
    ]],
    ["sends 20 KB of headers", (socket) => socket.write(`${head}X-Long: ${"x".repeat(20_000)}\r\n\r\n`), [
      "the headers of the answer are longer than 16 KiB"
    ]],
    [
      "sends interim answers without end",
      (socket) => socket.write("HTTP/1.1 103 Early Hints\r\n\r\n".repeat(50)),
      [
        "more than 16 interim answers"
      ]
    ],
    [
      "upgrades unasked",
      (socket) => socket.write("HTTP/1.1 101 Hi\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n"),
      [
        "the answer is an upgrade or 100 Continue, which the request did not ask for"
      ]
    ]
  ]
  for (const [title, answer, words] of tcpFaults) {
    test(title, function*() {
      const server = yield* CustomerServer.requests(answer)
      assert.include(words, yield* failureOf(server.url))
      assert.strictEqual(server.sockets.length, 1, "sent once")
    })
  }

  test("resets before the request", function*() {
    const server = yield* CustomerServer.tcp((socket) => socket.resetAndDestroy())
    assert.strictEqual(yield* failureOf(server.url), reset)
  })

  test("hangs: the call ends in time and its connection with it", function*() {
    const server = yield* CustomerServer.requests(() => {})
    const error = yield* failureOf(server.url, { timeoutMillis: 150 })
    assert.strictEqual(error, "no answer within 0.15 s")
    yield* CustomerServer.closed(server.sockets[0]!)
  })

  test("the limit of the request takes precedence", function*() {
    const server = yield* CustomerServer.requests(() => {})
    const error = yield* failureOf(server.url, { timeoutMillis: 60_000 }, { timeoutMillis: 120 })
    assert.strictEqual(error, "no answer within 0.12 s")
  })

  test("takes the connection and says nothing, not even for TLS", function*() {
    const server = yield* CustomerServer.tcp((socket) => socket.resume())
    const error = yield* failureOf(`https://127.0.0.1:${server.port}`, { timeoutMillis: 150 })
    assert.include(["no connection within 0.15 s", "no connection: the address does not answer"], error)
    yield* CustomerServer.closed(server.sockets[0]!)
  })

  test("sends its headers byte by byte: the limit is for the whole", function*() {
    const server = yield* CustomerServer.requests((socket) =>
      drip(socket, `${head}X-Slow: ${"x".repeat(500)}`)
    )
    assert.strictEqual(yield* failureOf(server.url, { timeoutMillis: 300 }), "no answer within 0.3 s")
    yield* CustomerServer.closed(server.sockets[0]!)
  })
})

describe("an answer whose body goes wrong keeps its status", () => {
  const message = "the connection was closed before the answer was complete"
  const faults: ReadonlyArray<readonly [string, (socket: Socket) => void, string, string]> = [
    [
      "closes in the middle of a body of known length",
      (socket) => socket.end(`${head}Content-Length: 100\r\n\r\nbegin`),
      message,
      "begin"
    ],
    [
      "closes in the middle of a chunked body",
      (socket) => socket.end(`${head}Transfer-Encoding: chunked\r\n\r\n5\r\nbegin\r\n`),
      message,
      "begin"
    ],
    [
      "breaks the chunks",
      (socket) => socket.end(`${head}Transfer-Encoding: chunked\r\n\r\n5\r\nbegin\r\nzz\r\n`),
      "the answer is not HTTP/1.1 (Invalid character in chunk size)",
      "begin"
    ],
    [
      "ends with the connection, which is no fault",
      (socket) => socket.end(`${head}Connection: close\r\n\r\nbegin`),
      "",
      "begin"
    ]
  ]
  for (const [title, answer, error, body] of faults) {
    test(title, function*(http) {
      const server = yield* CustomerServer.requests(answer)
      const lateAnswer = yield* http.post(request(server.url))
      assert.strictEqual(lateAnswer.status, 200)
      assert.strictEqual(lateAnswer.error, error)
      assert.strictEqual(textOf(lateAnswer.body), body)
    })
  }

  test("resets in the middle", function*(http) {
    const server = yield* CustomerServer.requests((socket) => {
      socket.write(
        `${head}Content-Length: 100\r\n\r\nbegin`,
        () => setTimeout(() => socket.resetAndDestroy(), 50)
      )
    })
    const answer = yield* http.post(request(server.url))
    assert.strictEqual(answer.status, 200)
    assert.strictEqual(answer.error, "the connection was reset")
  })

  test("comes byte by byte: it is read until the limit of the whole call", function*() {
    const server = yield* CustomerServer.requests((socket) => {
      socket.write(`${head}Content-Length: 1000\r\n\r\n`)
      drip(socket, "x")
    })
    const http = yield* client({ timeoutMillis: 300 })
    const answer = yield* http.post(request(server.url))
    assert.strictEqual(answer.status, 200)
    assert.strictEqual(answer.error, "the answer did not end within 0.3 s")
    assert.match(textOf(answer.body), /^x+$/)
    yield* CustomerServer.closed(server.sockets[0]!)
  })

  // @threat load.7
  test("10 GB: 64 KiB are read, and the connection ends", function*(http) {
    const size = 10 * 1024 ** 3
    const block = Buffer.alloc(64 * 1024, "x")
    const server = yield* CustomerServer.requests((socket) => {
      const fill = () => {
        while (!socket.destroyed && socket.bytesWritten < size && socket.write(block));
      }
      socket.on("drain", fill)
      socket.write(`${head}Content-Length: ${size}\r\n\r\n`)
      fill()
    })
    const answer = yield* http.post(request(server.url))
    assert.strictEqual(answer.status, 200)
    assert.strictEqual(answer.error, "the answer is longer than 64 KiB; the rest was not read")
    assert.strictEqual(answer.body.byteLength, 64 * 1024)
    const [socket] = server.sockets
    yield* CustomerServer.closed(socket!)
    // What was read, and what stood in the buffers of the two sockets.
    assert.isBelow(socket!.bytesWritten, 32 * 1024 ** 2)
  })

  for (
    const [size, error] of [[65_536, ""], [
      65_537,
      "the answer is longer than 64 KiB; the rest was not read"
    ]] as const
  ) {
    test(`${size} bytes`, function*(http) {
      const server = yield* CustomerServer.http((_, response) => response.end(Buffer.alloc(size, "y")))
      const answer = yield* http.post(request(server.url))
      assert.strictEqual(answer.error, error)
      assert.strictEqual(textOf(answer.body), "y".repeat(65_536))
    })
  }
})
