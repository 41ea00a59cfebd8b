/** Frames around shared bytes: every length of a frame's head, and sockets that compress. */
import { assert, describe, it, vi } from "@effect/vitest"
import { Effect, Fiber, Queue } from "effect"
import { createServer } from "node:http"
import type { AddressInfo, Socket } from "node:net"
import { WebSocket, WebSocketServer } from "ws"
import { Outbox } from "../../src/socket/Frames.ts"

const sendBuffer = 100_000

/** An outbox, what it writes to, and the texts that its peer gets. */
const open = Effect.fnUntraced(function*(perMessageDeflate: boolean) {
  const server = createServer()
  const sockets = new WebSocketServer({ server, perMessageDeflate })
  yield* Effect.acquireRelease(
    Effect.callback<void>((resume) => void server.listen(0, "127.0.0.1", () => resume(Effect.void))),
    () => Effect.sync(() => void server.close().closeAllConnections())
  )
  const acceptance = yield* Effect.forkChild(
    Effect.callback<{ outbox: Outbox; transport: Socket }>((resume) => {
      sockets.on("connection", (socket, { socket: transport }) => {
        resume(Effect.succeed({ outbox: new Outbox(socket, transport, sendBuffer), transport }))
      })
    })
  )
  const texts = yield* Queue.unbounded<string>()
  const client = new WebSocket(`ws://127.0.0.1:${(server.address() as AddressInfo).port}`)
  client.on("message", (data, isBinary) => void Queue.offerUnsafe(texts, isBinary ? "binary" : String(data)))
  yield* Effect.addFinalizer(() => Effect.sync(() => client.terminate()))
  yield* Effect.callback<void>((resume) => void client.once("open", () => resume(Effect.void)))
  return { ...(yield* Fiber.join(acceptance)), texts, client }
})

const [before, after] = [Buffer.from("<ä"), Buffer.from(">")]

describe("frames around shared bytes", () => {
  for (const withCompression of [false, true]) {
    it.live(`are texts of every length, in order with others${withCompression ? ", compressed where that is agreed" : ""}`, () =>
      Effect.gen(function*() {
        const { client, outbox, texts } = yield* open(withCompression)
        for (const length of [4, 125, 126, 65_535, 65_536, 200_000]) {
          const shared = "x".repeat(length - 4)
          outbox.sendAround(before, Buffer.from(shared), after)
          outbox.send(`next to ${length}`)
          assert.strictEqual(yield* Queue.take(texts), `<ä${shared}>`)
          assert.strictEqual(yield* Queue.take(texts), `next to ${length}`)
        }
        assert.strictEqual(client.extensions !== "", withCompression)
      }))
  }

  it.live("count as what waits in the socket, and tell when they are out", () =>
    Effect.gen(function*() {
      const { client, outbox, texts } = yield* open(false)
      client.pause()
      const shared = Buffer.alloc(50_000, "x")
      let count = 0
      while (!outbox.isCongested) {
        outbox.sendAround(before, shared, after)
        count++
      }
      const whenDrained = yield* Effect.forkChild(
        Effect.callback<void>((resume) => outbox.onDrained(() => resume(Effect.void)))
      )
      yield* Effect.yieldNow
      client.resume()
      yield* Fiber.join(whenDrained)
      assert.isFalse(outbox.isCongested)
      for (let n = 0; n < count; n++) assert.strictEqual((yield* Queue.take(texts)).length, 50_003)
    }))

  it.live("take no more memory than they have bytes while they wait for a slow peer", () =>
    Effect.gen(function*() {
      const { client, outbox, transport } = yield* open(false)
      client.pause()
      const write = vi.spyOn(transport, "write")
      const shared = Buffer.alloc(600, "x")
      while (!outbox.isCongested) outbox.sendAround(before, shared, after)
      const frames = write.mock.calls.map(([frame]) => frame as Buffer)
      const others = frames.filter(({ buffer, length }) => buffer.byteLength > length)
      assert.isAbove(frames.length - others.length, (sendBuffer - 10_000) / 607)
    }))

  it.live("go nowhere once the socket closes", () =>
    Effect.gen(function*() {
      const { client, outbox } = yield* open(false)
      const closed = Effect.callback<number>((resume) =>
        void client.once("close", (code) => resume(Effect.succeed(code)))
      )
      const code = yield* Effect.forkChild(closed)
      yield* Effect.yieldNow
      client.close(1000)
      assert.strictEqual(yield* Fiber.join(code), 1000)
      outbox.sendAround(before, Buffer.from("late"), after)
      assert.isFalse(outbox.isFlushing)
    }))
})
