/**
 * The protocol `graphql-transport-ws` on raw sockets: what is answered, and each way in which a socket is closed.
 */
import { payloadOf } from "@dockline/core/messages/Message"
import { assert, describe } from "@effect/vitest"
import { Context, Effect, Exit, Fiber, Layer, Metric, Scope } from "effect"
import { once } from "node:events"
import { createServer, request as httpRequest } from "node:http"
import type { IncomingMessage, Server } from "node:http"
import { connect as netConnect } from "node:net"
import type { AddressInfo, Socket } from "node:net"
import { PassThrough } from "node:stream"
import { text } from "node:stream/consumers"
import { WebSocket, WebSocketServer } from "ws"
import { WebSockets } from "../../src/socket/WebSockets.ts"
import * as LiveSetup from "../LiveSetup.ts"
import {
  append,
  closeOf,
  connect,
  connectAt,
  draft,
  following,
  LiveServer,
  messageOf,
  next,
  onServer,
  open,
  openAt,
  RawSocket,
  refusalOf
} from "../LiveSetup.ts"

const init = (authorization?: unknown, key = "Authorization") => ({
  type: "connection_init",
  ...(authorization === undefined ? {} : { payload: { [key]: authorization } })
})

/** How many refusals were counted as there is no room. */
const refusedForOverload = Effect.map(Metric.snapshot, (metrics) => {
  const series = metrics.find(({ attributes, id }) =>
    id === "dockline_refusals_total" && attributes?.["code"] === "OVERLOADED"
    && attributes["interface"] === "graphql"
  )
  return series?.type === "Counter" ? Number(series.state.count) : 0
})

/** Hands the sockets of a host's own server of `ws` over. */
const handOver = (server: Server, handleConnection: WebSockets["Service"]["handleConnection"]) =>
  void new WebSocketServer({ server, handleProtocols: () => "graphql-transport-ws" })
    .on("connection", handleConnection)

/** A server on which nothing is served yet. */
const listening = Effect.gen(function*() {
  const server = createServer()
  yield* Effect.acquireRelease(
    Effect.callback<void>((resume) => void server.listen(0, "127.0.0.1", () => resume(Effect.void))),
    () => Effect.sync(() => server.close())
  )
  return [server, `ws://127.0.0.1:${(server.address() as AddressInfo).port}`] as const
})

describe("operations over a socket", () => {
  onServer({}, (test) => {
    test("D8.2: a subscription gives each message whole", function*() {
      const socket = yield* following({ businessSlug: "acme" })
      const [message] = yield* append(draft())
      assert.deepStrictEqual(messageOf(yield* next(socket)), {
        id: message!.id,
        businessSlug: "acme",
        facilitySlug: "east",
        messageType: "PALLET_EVENT",
        message: { n: Number(payloadOf(message!)["n"]) },
        sentAt: message!.sentAt.replace("Z", "+00:00")
      })
    })

    test("D8.3: a refused subscription is an error frame, and the socket stays", function*() {
      const socket = yield* connect("acme-east-client")
      const refusals: ReadonlyArray<readonly [Record<string, unknown>, string, string | undefined]> = [
        [{ businessSlug: "globex" }, "FORBIDDEN", "FORBIDDEN"],
        [{ businessSlug: "acme" }, "FORBIDDEN", "FORBIDDEN"],
        [{ businessSlug: "acme", facilitySlug: "west" }, "FORBIDDEN", "FORBIDDEN"],
        [{ businessSlug: "nobody" }, "NOT_FOUND", "BUSINESS_NOT_FOUND"],
        [{ businessSlug: "acme", facilitySlug: "north" }, "NOT_FOUND", "FACILITY_NOT_FOUND"],
        [{ businessSlug: "acme", afterId: -1 }, "BAD_USER_INPUT", undefined],
        [{ businessSlug: "acme", messageTypes: ["OTHER"] }, "BAD_USER_INPUT", undefined],
        [{}, "BAD_USER_INPUT", undefined]
      ]
      for (const [index, [filter, code, reason]] of refusals.entries()) {
        socket.subscribe(`s${index}`, filter)
        assert.deepStrictEqual(refusalOf(yield* next(socket)), [`s${index}`, code, reason])
      }
      yield* Effect.promise(() => socket.ping())
    })

    test("documents that do not parse, validate or stay within the limits are error frames", function*() {
      const socket = yield* connect()
      const documents = [
        ["{", "GRAPHQL_PARSE_FAILED"],
        ["{ nothing }", "GRAPHQL_VALIDATION_FAILED"],
        [`{ ${"__typename ".repeat(2001)} }`, "GRAPHQL_PARSE_FAILED"],
        ["query A { __typename } query B { __typename }", "BAD_USER_INPUT"]
      ]
      for (const [query, code] of documents) {
        socket.send({ type: "subscribe", id: "d", payload: { query } })
        assert.deepStrictEqual(refusalOf(yield* next(socket)).slice(0, 2), ["d", code])
      }
    })
  })

  onServer({ live: { operationsPerSocket: 3, operationTextLimit: 2000 } }, (test) => {
    test("a socket has a bounded number of operations; one more is refused, and one less lets it in", function*() {
      const socket = yield* connect()
      for (const id of ["a", "b", "c", "d"]) socket.subscribe(id, { businessSlug: "acme" })
      assert.deepStrictEqual(refusalOf(yield* next(socket)).slice(0, 2), ["d", "BAD_USER_INPUT"])
      socket.send({ type: "complete", id: "a" })
      yield* Effect.promise(() => socket.ping())
      socket.subscribe("e", { businessSlug: "nobody" })
      assert.deepStrictEqual(refusalOf(yield* next(socket)).slice(0, 2), ["e", "NOT_FOUND"])
    })

    test("the operations of a socket have a bounded text", function*() {
      const socket = yield* connect()
      socket.subscribe("long", { businessSlug: "acme", more: "x".repeat(3000) })
      const [error] = (yield* next(socket)).payload as ReadonlyArray<{ readonly message: string }>
      assert.include(error!.message, "2000 characters")
    })
  })
})

describe("D8.7 the token of a socket", () => {
  onServer({}, (test) => {
    test("comes in connection_init, under any case of its name", function*() {
      for (const key of ["Authorization", "authorization", "AUTHORIZATION"]) {
        const socket = yield* open()
        socket.send(init("Bearer acme-client", key))
        assert.strictEqual((yield* next(socket)).type, "connection_ack")
      }
    })

    test("or in the header of the upgrade; that of connection_init goes first", function*() {
      const socket = yield* open({ authorization: "Bearer acme-client" })
      socket.send(init())
      assert.strictEqual((yield* next(socket)).type, "connection_ack")
      const other = yield* open({ authorization: "Bearer acme-client" })
      other.send(init("Bearer nobody"))
      assert.strictEqual(yield* closeOf(other), 4403)
    })

    test("4403: it is refused, missing or no text", function*() {
      for (const token of ["Bearer nobody", undefined, 5, "acme-client"]) {
        const socket = yield* open()
        socket.send(init(token))
        assert.strictEqual(yield* closeOf(socket), 4403, String(token))
      }
    })

    test("1013: it cannot be judged while the storage is away", function*() {
      const { control } = yield* LiveServer
      const socket = yield* open()
      control.isAway = true
      socket.send(init("Bearer acme-client"))
      assert.strictEqual(yield* closeOf(socket), 1013)
      control.isAway = false
    })
  })
})

describe("D8.7 the close codes of graphql-transport-ws", () => {
  onServer({ live: { frameLimit: 10_000 } }, (test) => {
    const wrong: ReadonlyArray<readonly [string, string | Buffer, number]> = [
      ["no JSON", "{", 4400],
      ["no message", "5", 4400],
      ["a key of its payload twice", `{"type":"connection_init","payload":{"a":1,"a":2}}`, 4400],
      [
        "a variable twice",
        `{"type":"subscribe","id":"a","payload":{"query":"{a}","variables":{"a":1,"a":2}}}`,
        4400
      ],
      [
        "variables that nest too deep",
        `{"type":"subscribe","id":"a","payload":{"variables":${"[".repeat(63)}${"]".repeat(63)}}}`,
        4400
      ],
      ["an unknown type", `{"type":"start"}`, 4400],
      ["a type that only a server sends", `{"type":"next","id":"a","payload":{}}`, 4400],
      ["a binary frame", Buffer.from(`{"type":"ping"}`), 4400],
      [
        "an id that is too long",
        `{"type":"subscribe","id":"${"a".repeat(257)}","payload":{"query":"{a}"}}`,
        4400
      ],
      ["no query", `{"type":"subscribe","id":"a","payload":{}}`, 4400],
      ["a second connection_init", `{"type":"connection_init"}`, 4429],
      ["a frame beyond the limit", `{"type":"ping","payload":{"x":"${"x".repeat(10_000)}"}}`, 1009]
    ]
    for (const [name, frame, code] of wrong) {
      test(`${code}: ${name}`, function*() {
        const socket = yield* connect()
        socket.socket.send(frame)
        assert.strictEqual(yield* closeOf(socket), code)
      })
    }

    test("4401: subscribing before connection_init", function*() {
      const socket = yield* open()
      socket.subscribe("a", { businessSlug: "acme" })
      assert.strictEqual(yield* closeOf(socket), 4401)
    })

    test("4400: a first frame that is longer than any token", function*() {
      const { handleConnection } = yield* WebSockets
      const [server, url] = yield* listening
      handOver(server, handleConnection)
      const socket = yield* openAt(url)
      socket.send({ ...init("Bearer acme-client"), more: "x".repeat(65 * 1024) })
      assert.strictEqual(yield* closeOf(socket), 4400)
    })

    test("4409: an id in use, however long it is, in whatever alphabet, and also when it was used before", function*() {
      for (const id of ["b".repeat(100), "漢".repeat(64), "b".repeat(256)]) {
        const socket = yield* connect()
        socket.subscribe(id, { businessSlug: "acme" })
        socket.send({ type: "complete", id })
        socket.subscribe(id, { businessSlug: "acme" })
        socket.subscribe(id, { businessSlug: "acme" })
        assert.strictEqual(yield* closeOf(socket), 4409, id)
      }
    })

    test("4406: another protocol", function*() {
      const { url } = yield* LiveServer
      const code = yield* Effect.promise(() =>
        new Promise<number>((resolve) => {
          const socket = new WebSocket(url)
          socket.on("close", resolve)
        })
      )
      assert.strictEqual(code, 4406)
    })
  })

  onServer({ live: { initTimeoutMillis: 50 } }, (test) => {
    test("4408: no connection_init in time", function*() {
      assert.strictEqual(yield* closeOf(yield* open()), 4408)
    })
  })

  onServer({ live: { connectionsPerClient: 1 } }, (test) => {
    test("1013: more connections than a client may have, until one of them closes", function*() {
      const { url } = yield* LiveServer
      const first = yield* connect()
      const second = yield* open()
      second.send(init("Bearer acme-client"))
      assert.strictEqual(yield* closeOf(second), 1013)
      yield* connect("globex-client")
      first.socket.close()
      yield* closeOf(first)
      // The server learns a moment later that it is closed.
      const third = Effect.promise(() => RawSocket.connect(url, "acme-client")).pipe(
        Effect.sandbox,
        Effect.eventually
      )
      const socket = yield* third
      socket[Symbol.dispose]()
    })
  })

  onServer({ live: { keepAliveMillis: 250 } }, (test) => {
    test("a peer that gives no sign of life is cut; one that answers pings stays", function*() {
      const { url } = yield* LiveServer
      const dead = new WebSocket(url, "graphql-transport-ws", { autoPong: false })
      const closing = new Promise<number>((resolve) => dead.on("close", resolve))
      dead.on("open", () => dead.send(JSON.stringify(init("Bearer acme-client"))))
      const alive = yield* connect("globex-client")
      let pings = 0
      alive.socket.on("ping", () => pings++)
      assert.strictEqual(yield* Effect.promise(() => closing), 1006)
      assert.isAtLeast(pings, 1)
      yield* Effect.promise(() => alive.ping())
    })
  })
})

/** The answer to an upgrade, with its body as text where it is refused. */
const upgrade = (url: string, path: string) =>
  Effect.promise(() =>
    new Promise<IncomingMessage & { readonly body?: string }>((resolve, reject) => {
      const { hostname, port } = new URL(url)
      const headers = {
        connection: "Upgrade",
        upgrade: "websocket",
        "sec-websocket-version": "13",
        "sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ=="
      }
      const request = httpRequest({ hostname, port, path, headers }, (response) => {
        text(response).then((body) => resolve(Object.assign(response, { body })), reject)
      })
      request.on("upgrade", (response, socket) => {
        socket.destroy()
        resolve(response)
      })
      request.on("error", reject)
      request.end()
    })
  )

const codeOf = ({ body }: { readonly body?: string }) =>
  (JSON.parse(body ?? "") as { readonly code: string }).code

describe("sockets on a server", () => {
  onServer({ live: { sockets: 2 } }, (test) => {
    test("take the upgrades of their path, and answer those of others 404", function*() {
      const [server, url] = yield* listening
      server.on("upgrade", (yield* WebSockets).handleUpgrade)
      assert.strictEqual((yield* upgrade(url, "/public_graphql?a=b")).statusCode, 101)
      assert.strictEqual((yield* upgrade(url, "/elsewhere")).statusCode, 404)
    })

    test("refuse an upgrade with a problem, and end the connection though the peer leaves it open", function*() {
      const [server, url] = yield* listening
      server.on("upgrade", (yield* WebSockets).handleUpgrade)
      const socket = netConnect({ port: Number(new URL(url).port), host: "127.0.0.1", allowHalfOpen: true })
      const closed = Effect.promise(() => once(server, "connection")).pipe(
        Effect.andThen(([socket]: ReadonlyArray<Socket>) => Effect.promise(() => once(socket!, "close")))
      )
      const isClosed = yield* Effect.forkChild(closed, { startImmediately: true })
      const lines = [
        "GET /elsewhere HTTP/1.1",
        "Host: x",
        "Connection: Upgrade",
        "Upgrade: websocket",
        "Correlation-Id: mine"
      ]
      socket.write(`${lines.join("\r\n")}\r\n\r\n`)
      const answer = yield* Effect.promise(() => text(socket))
      assert.match(
        answer,
        /^HTTP\/1\.1 404 .*\r\ncorrelation-id: mine\r\n.*"code":"RESOURCE_NOT_FOUND"\}$/s
      )
      yield* Fiber.join(isClosed)
      socket.destroy()
    })

    test("1001: the server closes, which waits for no socket then; once it listens again, 101", function*() {
      const { server, url } = yield* LiveServer
      const socket = yield* connect()
      yield* Effect.callback<void>((resume) => void server.close(() => resume(Effect.void)))
      assert.strictEqual(yield* closeOf(socket), 1001)
      const port = Number(new URL(url).port)
      yield* Effect.callback<void>((resume) =>
        void server.listen(port, "127.0.0.1", () => resume(Effect.void))
      )
      assert.strictEqual((yield* upgrade(url, "/public_graphql")).statusCode, 101)
    })

    test("503: more sockets than the service has room for", function*() {
      const { url } = yield* LiveServer
      const [one] = [yield* connect(), yield* connect()]
      const before = yield* refusedForOverload
      const refusal = yield* upgrade(url, "/public_graphql")
      assert.strictEqual(yield* refusedForOverload, before + 1)
      assert.deepStrictEqual([refusal.statusCode, codeOf(refusal)], [503, "OVERLOADED"])
      assert.strictEqual(refusal.headers["connection"], "close")
      assert.match(refusal.headers["retry-after"]!, /^[123]$/)
      assert.strictEqual(refusal.headers["content-type"], "application/problem+json")
      assert.match(refusal.headers["correlation-id"] as string, /^[0-9a-f-]{36}$/)
      one.socket.close()
      yield* closeOf(one)
      // The server learns a moment later that it is closed.
      const again = Effect.filterOrFail(
        upgrade(url, "/public_graphql"),
        ({ statusCode }) => statusCode === 101
      )
      yield* Effect.eventually(again)
    })

    // @threat load.10
    test("1013: the one that has waited longest, of more sockets without a client than there may be", function*() {
      const [server, url] = yield* listening
      const scope = yield* Scope.make()
      const { handleUpgrade } = Context.get(
        yield* Layer.buildWithScope(
          Layer.fresh(LiveSetup.layer({ live: { socketsBeforeInit: 2 } })),
          scope
        ),
        WebSockets
      )
      server.on("upgrade", handleUpgrade)
      const path = `${url}/public_graphql`
      const client = yield* connectAt(path)
      const waiting: Array<RawSocket> = []
      for (let count = 0; count < 4; count++) waiting.push(yield* openAt(path))
      const [first, second, ...others] = waiting
      assert.strictEqual(yield* closeOf(first!), 1013)
      assert.strictEqual(yield* closeOf(second!), 1013)
      for (const { socket } of [client, ...others]) {
        assert.strictEqual(socket.readyState, WebSocket.OPEN)
      }
      yield* Scope.close(scope, Exit.void)
    })

    test("are not taken any more once their layer is closed: 503 and 1001", function*() {
      const scope = yield* Scope.make()
      const { handleConnection, handleUpgrade } = Context.get(
        yield* Layer.buildWithScope(Layer.fresh(LiveSetup.layer()), scope),
        WebSockets
      )
      yield* Scope.close(scope, Exit.void)
      const [server, url] = yield* listening
      server.on("upgrade", handleUpgrade)
      const refusal = yield* upgrade(url, "/public_graphql")
      assert.deepStrictEqual([refusal.statusCode, codeOf(refusal)], [503, "STOPPING"])
      server.off("upgrade", handleUpgrade)
      handOver(server, handleConnection)
      assert.strictEqual(yield* closeOf(new RawSocket(url)), 1001)
      // A peer that is gone before it has read that is nobody's error.
      const connection = new PassThrough()
      server.once("upgrade", (request) => {
        handleUpgrade(request, connection, Buffer.alloc(0))
        connection.emit("error", new Error("The connection was reset"))
      })
      const last = new RawSocket(url)
      yield* closeOf(last)
      assert.isAbove(connection.listenerCount("error"), 0)
    })

    test("may be opened by one's own ws server, and 1001: the service stops", function*() {
      const { handleConnection, closeAll } = yield* WebSockets
      const [server, url] = yield* listening
      handOver(server, handleConnection)
      const socket = yield* connectAt(url)
      yield* Effect.promise(closeAll)
      assert.strictEqual(yield* closeOf(socket), 1001)
    })
  })
})
