/** D9.3, D9.7, D9.8: calling customers over real sockets. */
import { assert, describe } from "@effect/vitest"
import { Effect, Exit, Fiber, Scope } from "effect"
import type { Socket } from "node:net"
import * as CustomerServer from "../CustomerServer.ts"
import { client, failureOf, head, request, test, textOf } from "../OutboundSetup.ts"

describe("a call and its answer", () => {
  test("the request goes out as it is given, with Host and Content-Length", function*(http) {
    const server = yield* CustomerServer.http((_, response) => response.writeHead(201).end("thanks"))
    const body = `{"lot":"Ärger 📦"}`
    const answer = yield* http.post({
      url: `${server.url}/base/api/palletEvent?a=%20b`,
      headers: { "Content-Type": "application/json", "webhook-id": "msg_7", Authorization: "Basic eDp5" },
      body
    })
    assert.strictEqual(answer.status, 201)
    assert.strictEqual(answer.error, "")
    assert.strictEqual(textOf(answer.body), "thanks")
    assert.strictEqual(server.received.length, 1)
    const [message] = server.received
    assert.strictEqual(message!.method, "POST")
    assert.strictEqual(message!.url, "/base/api/palletEvent?a=%20b")
    assert.strictEqual(message!.body, body)
    assert.deepStrictEqual(message!.headers, {
      host: `127.0.0.1:${server.port}`,
      connection: "keep-alive",
      "content-type": "application/json",
      "webhook-id": "msg_7",
      authorization: "Basic eDp5",
      "content-length": String(Buffer.byteLength(body))
    })
  })

  test("interim answers are passed over", function*(http) {
    const early = "HTTP/1.1 103 Early Hints\r\nX-Early: 1\r\n\r\n"
    const server = yield* CustomerServer.requests((socket) =>
      socket.write(`${early.repeat(3)}${head}Content-Length: 2\r\n\r\nok`)
    )
    const answer = yield* http.post(request(server.url))
    assert.strictEqual(answer.status, 200)
    assert.notProperty(answer.headers, "x-early")
    assert.strictEqual(textOf(answer.body), "ok")
  })

  test("connections end with the layer", function*() {
    const server = yield* CustomerServer.http((_, response) => response.end("ok"))
    const scope = yield* Scope.make()
    const http = yield* Scope.provide(client(), scope)
    yield* http.post(request(server.url))
    yield* Scope.close(scope, Exit.void)
    yield* CustomerServer.closed(server.sockets[0]!)
    const { error } = yield* Effect.flip(http.post(request(server.url)))
    assert.strictEqual(error, "the service is stopping")
  })

  test("a call that hangs delays no other call to the same origin", function*(http) {
    const server = yield* CustomerServer.http(({ url }, response) => {
      if (url === "/ok") response.end("ok")
    })
    for (let call = 0; call < 100; call++) {
      yield* Effect.forkScoped(http.post(request(`${server.url}/hangs`)))
    }
    const answer = yield* http.post(request(`${server.url}/ok`, { timeoutMillis: 4_000 }))
    assert.strictEqual(answer.status, 200)
  })
})

describe("redirects are not followed", () => {
  for (const status of [301, 302, 303, 307, 308]) {
    test(`${status}, to where we may call and to where we may not`, function*(http) {
      const other = yield* CustomerServer.http((_, response) => response.end("ok"))
      const server = yield* CustomerServer.http(({ url }, response) => {
        const to = url === "/out" ? other.url : "http://169.254.169.254/latest/meta-data"
        response.writeHead(status, { Location: to }).end()
      })
      for (const path of ["/out", "/in"]) {
        const answer = yield* http.post(request(`${server.url}${path}`))
        assert.strictEqual(answer.status, status)
      }
      assert.strictEqual(other.sockets.length, 0)
    })
  }
})

describe("a kept connection that the customer closes as the request comes", () => {
  const ends: ReadonlyArray<readonly [string, (socket: Socket) => void]> = [
    ["in order", (socket) => socket.end()],
    ["by a reset", (socket) => socket.resetAndDestroy()]
  ]
  for (const [how, end] of ends) {
    test(`${how}: the same request goes once more, over a new connection`, function*(http) {
      const server = yield* CustomerServer.requests((socket, number) => {
        if (number === 2) end(socket)
        else socket.write(`${head}Content-Length: 2\r\n\r\nok`)
      })
      yield* http.post(request(server.url))
      const answer = yield* http.post(request(server.url, { headers: { "webhook-id": "msg_2" } }))
      assert.deepStrictEqual([answer.status, textOf(answer.body), answer.error], [200, "ok", ""])
      yield* http.post(request(server.url))
      assert.strictEqual(server.sockets.length, 3)
      const [, second, third] = server.texts
      assert.include(second!, "webhook-id: msg_2\r\n")
      assert.strictEqual(
        third!.toLowerCase(),
        second!.toLowerCase().replace("connection: keep-alive", "connection: close")
      )
    })
  }

  test("and each new one too: it is sent twice in all, and fails", function*(http) {
    const server = yield* CustomerServer.requests((socket, number) => {
      if (number === 1) socket.write(`${head}Content-Length: 2\r\n\r\nok`)
      else socket.resetAndDestroy()
    })
    yield* http.post(request(server.url))
    const { error } = yield* Effect.flip(http.post(request(server.url)))
    assert.strictEqual(error, "the connection was reset")
    assert.strictEqual(server.texts.length, 3)
    assert.strictEqual(server.sockets.length, 2)
  })

  test("and with it all others that are kept: one repetition suffices", function*(http) {
    const server = yield* CustomerServer.requests((socket, number) => {
      if (number === 4) { for (const each of server.sockets) each.resetAndDestroy() }
      else if (number >= 3) {
        for (const each of number === 3 ? server.sockets : [socket]) {
          each.write(`${head}Content-Length: 2\r\n\r\nok`)
        }
      }
    })
    yield* Effect.all(Array.from({ length: 3 }, () => http.post(request(server.url))), { concurrency: 3 })
    assert.strictEqual((yield* http.post(request(server.url))).status, 200)
    assert.strictEqual(server.sockets.length, 4)
  })

  const cases: ReadonlyArray<readonly [string, string]> = [
    ["a byte of the answer", "H"],
    ["an interim answer", "HTTP/1.1 103 Early Hints\r\n\r\n"],
    ["a blank line", "\r\n"]
  ]
  for (const [what, text] of cases) {
    test(`after ${what}: it fails, and is not repeated`, function*(http) {
      const server = yield* CustomerServer.requests((socket, number) => {
        if (number === 1) socket.write(`${head}Content-Length: 2\r\n\r\nok`)
        else socket.end(text)
      })
      yield* http.post(request(server.url))
      const { error } = yield* Effect.flip(http.post(request(server.url)))
      assert.strictEqual(error, "the connection was closed before the answer was complete")
      assert.strictEqual(server.texts.length, 2)
    })
  }

  test("within the time limit of the call, of which a repetition gets what is left", function*(http) {
    const server = yield* CustomerServer.requests((socket, number) => {
      if (number === 1) socket.write(`${head}Content-Length: 2\r\n\r\nok`)
      if (number === 2) setTimeout(() => socket.end(), 1200)
    })
    yield* http.post(request(server.url))
    const began = Date.now()
    const { error } = yield* Effect.flip(http.post(request(server.url, { timeoutMillis: 1500 })))
    assert.strictEqual(error, "no answer within 1.5 s")
    // A limit of its own for the repetition would end after 2.7 s.
    assert.isBelow(Date.now() - began, 2600)
    assert.strictEqual(server.texts.length, 3)
  })
})

describe("a POST is put on the wire once", () => {
  test("a kept connection that was closed meanwhile: the request goes over a new one", function*(http) {
    const server = yield* CustomerServer.requests((socket) => {
      socket.end(`${head}Content-Length: 2\r\n\r\nok`)
    })
    for (let call = 0; call < 3; call++) {
      assert.strictEqual((yield* http.post(request(server.url))).status, 200)
      yield* CustomerServer.closed(server.sockets[call]!)
    }
    assert.strictEqual(server.sockets.length, 3)
  })

  test("interrupted while it waits for the answer: the connection ends", function*() {
    const arrived = Promise.withResolvers<void>()
    const server = yield* CustomerServer.requests(() => arrived.resolve())
    // Its own limit would come after that of the test.
    const http = yield* client({ timeoutMillis: 60_000 })
    const fiber = yield* Effect.forkChild(http.post(request(server.url)))
    yield* Effect.promise(() => arrived.promise)
    yield* Fiber.interrupt(fiber)
    yield* CustomerServer.closed(server.sockets[0]!)
  })

  test("interrupted, or out of time, before it was connected: it is never sent", function*() {
    const lookup = Promise.withResolvers<ReadonlyArray<string>>()
    const lookupStart = Promise.withResolvers<void>()
    const server = yield* CustomerServer.http((_, response) => response.end("ok"))
    const http = yield* client({
      lookup: () => {
        lookupStart.resolve()
        return lookup.promise
      }
    })
    const url = `http://customer.example:${server.port}`
    const fiber = yield* Effect.forkChild(http.post(request(`${url}/interrupted`)))
    yield* Effect.promise(() => lookupStart.promise)
    yield* Fiber.interrupt(fiber)
    const { error } = yield* Effect.flip(http.post(request(`${url}/late`, { timeoutMillis: 50 })))
    assert.strictEqual(error, "no connection within 0.05 s")
    lookup.resolve(["127.0.0.1"])
    yield* http.post(request(`${url}/sent`))
    yield* http.post(request(`${url}/sent`))
    assert.deepStrictEqual(server.received.map(({ url }) => url), ["/sent", "/sent"])
  })
})

describe("nothing can be smuggled in", () => {
  for (const value of ["a\r\nX-Evil: 1", "a\nb", "a\0b", "ä\u{1f600}"]) {
    test(`a header ${JSON.stringify(value)}`, function*() {
      const server = yield* CustomerServer.tcp(() => {})
      const error = yield* failureOf(server.url, {}, { headers: { Authorization: value } })
      assert.strictEqual(error, "invalid Authorization header")
      assert.strictEqual(server.sockets.length, 0)
    })
  }
})

describe("D9.8 the source address", () => {
  test("connections come from it", function*() {
    const server = yield* CustomerServer.http((_, response, request) =>
      response.end(request.socket.remoteAddress)
    )
    const http = yield* client({ sourceAddress: "127.0.0.9", lookup: async () => ["::1", "127.0.0.1"] })
    for (const host of ["127.0.0.1", "customer.example"]) {
      const { body } = yield* http.post(request(`http://${host}:${server.port}`))
      assert.strictEqual(textOf(body), "127.0.0.9")
    }
  })

  test("an address of the other IP version cannot be called from it", function*() {
    const error = yield* failureOf("https://[2606:4700::1111]", { sourceAddress: "127.0.0.9" })
    assert.strictEqual(
      error,
      "address 2606:4700::1111 cannot be called from 127.0.0.9: not the same IP version"
    )
  })

  test("an address that this machine does not have", function*() {
    const server = yield* CustomerServer.tcp(() => {})
    const error = yield* failureOf(server.url, { sourceAddress: "192.0.2.77" })
    assert.strictEqual(error, "no connection from the source address that is set")
  })

  test("a text that is no address is refused at the start", function*() {
    const { message } = yield* Effect.flip(client({ sourceAddress: "eth0" }))
    assert.strictEqual(
      message,
      "source address: eth0 is not an address; write one of this machine, such as 192.0.2.1"
    )
  })
})
