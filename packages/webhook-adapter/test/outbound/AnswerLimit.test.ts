/** D9.7: what stands around headers and body of an answer is not read without end either. */
import { assert, describe } from "@effect/vitest"
import { Effect, Exit } from "effect"
import type { Socket } from "node:net"
import { TLSSocket } from "node:tls"
import * as Certificate from "../../../../test/support/Certificate.ts"
import { wireLimit } from "../../src/outbound/UndiciHttp.ts"
import * as CustomerServer from "../CustomerServer.ts"
import { client, head, request, test } from "../OutboundSetup.ts"

const tooLong = "the answer is longer than 1024 KiB including everything around its body"

/** Writes a beginning, and then a block over and over for as long as the connection lasts. */
const flood = (socket: Socket, beginning: string, block: string) => {
  const blocks = Buffer.from(block.repeat(65_536 / block.length))
  const fill = () => {
    while (!socket.destroyed && socket.write(blocks));
  }
  socket.on("error", () => {})
  socket.on("drain", fill)
  socket.write(beginning)
  fill()
}

const chunkedHead = `${head}Transfer-Encoding: chunked\r\n\r\n`

const endless: ReadonlyArray<readonly [string, string, string, number | undefined]> = [
  ["blank lines before the status", "\r\n", "\r\n", undefined],
  ["a text behind the status", "HTTP/1.1 200 ", "a", undefined],
  ["the extension of a chunk", `${chunkedHead}5;`, "a", 200],
  ["zeros before the size of a chunk", chunkedHead, "0", 200]
]

describe("an answer without end around its content", () => {
  for (const [title, beginning, block, status] of endless) {
    test(`${title}: it is cut long before the time is over`, function*(http) {
      const server = yield* CustomerServer.requests((socket) => flood(socket, beginning, block))
      const exit = yield* Effect.exit(http.post(request(server.url)))
      const outcome = Exit.isSuccess(exit) ? exit.value : yield* Effect.flip(exit)
      assert.strictEqual(outcome.error, tooLong)
      assert.strictEqual("status" in outcome ? outcome.status : undefined, status)
      yield* CustomerServer.closed(server.sockets[0]!)
      assert.isBelow(server.sockets[0]!.bytesWritten, 32 * 1024 ** 2)
    })
  }

  test("over TLS as well", function*() {
    const { cert, key } = Certificate.forHost("customer.example")
    const server = yield* CustomerServer.tcp((socket) => {
      const secure = new TLSSocket(socket, { isServer: true, cert, key })
      secure.once("data", () => flood(secure, `${chunkedHead}5;`, "a"))
    })
    const http = yield* client({ lookup: async () => ["127.0.0.1"], tls: { ca: cert } })
    const answer = yield* http.post(request(`https://customer.example:${server.port}`))
    assert.strictEqual(answer.status, 200)
    assert.strictEqual(answer.error, tooLong)
  })

  test("the limit is for each answer: a kept connection may carry any number of them", function*(http) {
    const body = "x".repeat(60_000)
    const server = yield* CustomerServer.http((_, response) => response.end(body))
    const calls = Math.ceil(2 * wireLimit / body.length)
    for (let call = 0; call < calls; call++) {
      const answer = yield* http.post(request(server.url))
      assert.strictEqual(answer.error, "")
      assert.strictEqual(answer.body.byteLength, body.length)
    }
    assert.strictEqual(server.sockets.length, 1)
  })

  test("a body of one byte a chunk is within it", function*(http) {
    const server = yield* CustomerServer.requests((socket) => {
      socket.write(`${chunkedHead}${"1\r\nx\r\n".repeat(65_536)}0\r\n\r\n`)
    })
    const answer = yield* http.post(request(server.url))
    assert.strictEqual(answer.error, "")
    assert.strictEqual(answer.body.byteLength, 65_536)
  })
})
