/**
 * Sockets that send more than they may: how they are cut, what is handled of what they sent, and who is not cut.
 */
import { assert, describe } from "@effect/vitest"
import { Effect, Metric } from "effect"
import { once } from "node:events"
import { connect as netConnect } from "node:net"
import type { Socket } from "node:net"
import { closeOf, connect, LiveServer, next, onServer, open } from "./LiveSetup.ts"
import type { RawSocket } from "./LiveSetup.ts"

/** How many sockets were cut. */
const cutCount = (isAuthenticated: "yes" | "no") =>
  Effect.map(Metric.snapshot, (metrics) => {
    const series = metrics.find(({ attributes, id }) =>
      id === "dockline_graphql_sockets_cut_total" && attributes?.["authenticated"] === isAuthenticated
    )
    return series?.type === "Counter" ? Number(series.state.count) : 0
  })

const floods: Readonly<Record<string, (socket: RawSocket) => void>> = {
  ping: ({ socket }) => socket.send(`{"type":"ping"}`),
  pong: ({ socket }) => socket.send(`{"type":"pong"}`),
  complete: ({ socket }) => socket.send(`{"type":"complete","id":"a"}`),
  "control ping": ({ socket }) => socket.ping(),
  "control pong": ({ socket }) => socket.pong(),
  "subscribe and complete": (socket) => {
    socket.subscribe("a", { businessSlug: "acme" })
    socket.send({ type: "complete", id: "a" })
  },
  "subscriptions that are refused": (socket) =>
    socket.subscribe(crypto.randomUUID(), { businessSlug: "globex" }),
  "subscriptions that are invalid": (socket) =>
    socket.send({ type: "subscribe", id: crypto.randomUUID(), payload: { query: "{ nothing }" } })
}

/** A masked frame of a client. */
const frameOf = (opcode: number, payload: string, isLast = true): Buffer =>
  Buffer.concat([
    Buffer.from([(isLast ? 0x80 : 0) | opcode, 0x80 | payload.length, 0, 0, 0, 0]),
    Buffer.from(payload)
  ])

/** A socket that sends without end, and never reads: how much the server has read of it when it ends the connection. */
const readOf = (frame: Buffer, first: Buffer = Buffer.alloc(0)) =>
  Effect.gen(function*() {
    const { server, url } = yield* LiveServer
    const { hostname, port, pathname } = new URL(url)
    return yield* Effect.promise(async () => {
      const peer = once(server, "connection").then(([socket]) => socket as Socket)
      const socket = netConnect(Number(port), hostname)
      socket.on("error", () => undefined)
      socket.write(
        `GET ${pathname} HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n` +
          "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n" +
          "Sec-WebSocket-Protocol: graphql-transport-ws\r\n\r\n"
      )
      await once(socket, "data")
      const many = Buffer.concat(Array.from({ length: 5000 }, () => frame))
      const flood = () => {
        while (socket.writable && socket.write(many));
      }
      socket.on("drain", flood)
      socket.write(first)
      flood()
      const ended = await peer
      if (!ended.closed) await once(ended, "close")
      socket.destroy()
      return ended.bytesRead
    })
  })

describe("a socket that sends more frames than it may", () => {
  const live = { frameRate: { frames: 100, framesPerSecond: 0, bytes: 50_000, bytesPerSecond: 0 } }
  onServer({ live }, (test) => {
    for (const kind of ["ping", "pong", "complete", "control ping", "control pong"]) {
      // @threat load.20
      test(`1008: before connection_init, ${kind} frames`, function*() {
        const socket = yield* open()
        const before = yield* cutCount("no")
        for (let count = 0; count < 20; count++) floods[kind]!(socket)
        yield* Effect.callback<void>((resume) => {
          socket.socket.once("pong", () => resume(Effect.void))
          socket.socket.once("message", () => resume(Effect.void))
          if (!/ping/.test(kind)) resume(Effect.void)
        })
        assert.strictEqual(yield* cutCount("no"), before)
        for (let count = 0; count < 500; count++) floods[kind]!(socket)
        assert.strictEqual(yield* closeOf(socket), 1008)
        assert.isAtMost(socket.frames.length, 20)
        assert.strictEqual(yield* cutCount("no"), before + 1)
      })
    }

    for (const [kind, send] of Object.entries(floods)) {
      // @threat load.20
      test(`1008: of a client that is signed in, ${kind}`, function*() {
        const socket = yield* connect()
        const before = yield* cutCount("yes")
        for (let count = 0; count < 1000; count++) send(socket)
        assert.strictEqual(yield* closeOf(socket), 1008)
        assert.isAtMost(socket.frames.length, 100)
        assert.strictEqual(yield* cutCount("yes"), before + 1)
      })
    }

    test("1008: more bytes than it may, in however few frames", function*() {
      const socket = yield* connect()
      const frame = JSON.stringify({ type: "pong", payload: { x: "x".repeat(30_000) } })
      socket.send(frame)
      yield* Effect.promise(() => socket.ping())
      socket.send(frame)
      assert.strictEqual(yield* closeOf(socket), 1008)
    })

    // @threat load.20
    test("is read no further, and its connection ends although it never confirms that", function*() {
      // What is read at once are some 64 KiB.
      const most = 256 * 1024
      assert.isBelow(yield* readOf(frameOf(1, `{"type":"ping"}`)), most, "ping")
      assert.isBelow(yield* readOf(frameOf(1, "{")), most, "closed for another reason")
      assert.isBelow(yield* readOf(frameOf(10, "")), most, "control frames")
      assert.isBelow(yield* readOf(frameOf(0, "", false), frameOf(1, "", false)), most, "fragments")
      assert.isBelow(yield* readOf(frameOf(5, "")), most, "no frames of a WebSocket")
    })
  })
})

describe("who is not cut", () => {
  onServer({
    live: { frameRate: { frames: 10, framesPerSecond: 0, bytes: 5000, bytesPerSecond: 0 } }
  }, (test) => {
    test("a client whose operations are executed, however many they are", function*() {
      const socket = yield* connect()
      for (let count = 0; count < 100; count++) {
        socket.send({ type: "subscribe", id: "q", payload: { query: "{ __typename }" } })
        assert.strictEqual((yield* next(socket)).type, "next")
        assert.strictEqual((yield* next(socket)).type, "complete")
      }
    })
  })

  onServer({}, (test) => {
    test("a client that begins and completes as many subscriptions as it may have, at once", function*() {
      const socket = yield* connect()
      for (let count = 0; count < 100; count++) socket.subscribe(`s${count}`, { businessSlug: "acme" })
      yield* Effect.promise(() => socket.ping())
      for (let count = 0; count < 100; count++) socket.send({ type: "complete", id: `s${count}` })
      yield* Effect.promise(() => socket.ping())
    })

    test("a client that sends queries faster than they are executed", function*() {
      const socket = yield* connect()
      const query = `{ business(slug: "acme") { slug } }`
      for (let count = 0; count < 3000; count++) {
        socket.send({ type: "subscribe", id: `q${count}`, payload: { query } })
      }
      for (let count = 0; count < 6000; count++) yield* next(socket)
    })
  })
})
