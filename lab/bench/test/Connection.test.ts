import { afterEach, assert, describe, it } from "@effect/vitest"
import { createServer } from "node:net"
import type { AddressInfo, Server } from "node:net"
import { Connection, requestOf } from "../src/Connection.ts"

let server: Server | undefined

afterEach(() => server?.close())

/** Answers of a server that writes these pieces, one after another, to each of two requests. */
const answersTo = async (...pieces: ReadonlyArray<string>) => {
  const listening = createServer((socket) => {
    socket.on("data", async () => {
      for (const piece of pieces) {
        socket.write(piece)
        await new Promise((resolve) => setTimeout(resolve, 20))
      }
    })
    socket.on("error", () => socket.destroy())
  })
  server = listening
  await new Promise<void>((resolve) => listening.listen(0, "127.0.0.1", resolve))
  const connection = await Connection.open((listening.address() as AddressInfo).port)
  const request = requestOf("/", 1, "token", "{}")
  const answers = [await connection.send(request), await connection.send(request)]
  connection.close()
  return answers
}

const chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"

describe("the connection of the benchmarks counts", () => {
  it("answers with a length, in whatever pieces", async () => {
    const answer = { status: 200, bytes: 5, body: "" }
    assert.deepStrictEqual(
      await answersTo("HTTP/1.1 200 OK\r\nConte", "nt-Length: 5\r\n\r\nab", "cde"),
      [answer, answer]
    )
  })

  it("answers in chunks, in whatever pieces, without what stands between them", async () => {
    const answer = { status: 200, bytes: 18, body: "" }
    assert.deepStrictEqual(
      await answersTo(`${chunked}2\r\nab\r`, "\n1", "0\r\n0123456789", "abcdef\r\n0\r", "\n\r\n"),
      [answer, answer]
    )
  })

  it("keeps the body of what is no success", async () => {
    const answer = { status: 503, bytes: 4, body: "busy" }
    assert.deepStrictEqual(
      await answersTo("HTTP/1.1 503 No\r\nContent-Length: 4\r\n\r\nbusy"),
      [answer, answer]
    )
  })
})
