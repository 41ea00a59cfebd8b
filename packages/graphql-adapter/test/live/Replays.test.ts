/**
 * Replays of consumers that do not read, or take their time (D8.7): what is read of the log for them, and how long
 * they may stay.
 */
import { MemoryMessages } from "@dockline/core/memory/internal/MemoryMessages"
import { assert, describe } from "@effect/vitest"
import { Effect, Fiber, Latch } from "effect"
import type { Socket } from "node:net"
import { vi } from "vitest"
import { eventually, settled } from "../../../../test/support/Eventually.ts"
import { Sessions } from "../../src/live/Sessions.ts"
import {
  append,
  connect,
  draft,
  followUnread,
  lastId,
  messageOf,
  next,
  onServer,
  serverEnds,
  take
} from "../LiveSetup.ts"

const pad = "x".repeat(32 * 1024)
const pageText = 256 * 1024
const messagesPerPage = Math.floor(pageText / pad.length)
const sendBuffer = 64 * 1024

/** How many pages are read for those that replay, from now on. */
const countPages = Effect.map(
  Effect.acquireRelease(
    Effect.sync(() => vi.spyOn(MemoryMessages.prototype, "read")),
    (spy) => Effect.sync(() => spy.mockRestore())
  ),
  (spy) => () => spy.mock.calls.filter(([, , , textLimit]) => textLimit === pageText).length
)

/** Waits until nothing is written any more, and says how many messages were. */
const still = Effect.fnUntraced(function*(end: Socket) {
  yield* Effect.promise(() => settled("what is written", () => end.bytesWritten))
  return end.bytesWritten / pad.length
})

describe("D8.7 consumers that replay and do not read", () => {
  onServer({ live: { sendBuffer } }, (test) => {
    test("have one page read at a time, however many subscriptions a socket has, and lose nothing", function*() {
      const ends = yield* serverEnds
      const afterId = yield* lastId("acme")
      const count = 150
      yield* append(...Array.from({ length: count }, () => draft({ payload: { pad } })))
      const socket = yield* connect()
      const pages = yield* countPages
      socket.socket.pause()
      const ids = Array.from({ length: 20 }, (_, index) => `s${index}`)
      for (const id of ids) socket.subscribe(id, { businessSlug: "acme", afterId })
      const bytes = yield* still(ends[0]!)
      assert.isAtLeast(pages(), 1)
      assert.isBelow(bytes, ids.length * count)
      assert.isAtMost((pages() - 1) * (messagesPerPage - 1), bytes)
      socket.socket.resume()
      const idsOf = new Map(ids.map((id): [string, Array<number>] => [id, []]))
      for (let frames = 0; frames < ids.length * count; frames++) {
        const frame = yield* next(socket)
        idsOf.get(frame.id!)!.push(messageOf(frame).id)
      }
      const all = Array.from({ length: count }, (_, index) => afterId + 1 + index)
      for (const id of ids) assert.deepStrictEqual(idsOf.get(id), all)
      // Each is live now.
      const [live] = yield* append(draft())
      for (const _ of ids) assert.strictEqual(messageOf(yield* next(socket)).id, live!.id)
    })
  })

  onServer({ live: { sendBuffer } }, (test) => {
    test("have no page read while the socket is congested", function*() {
      const ends = yield* serverEnds
      const afterId = yield* lastId("acme")
      const large = pad.repeat(10)
      yield* append(...Array.from({ length: 100 }, () => draft({ payload: { large } })))
      const socket = yield* connect()
      const pages = yield* countPages
      socket.socket.pause()
      socket.subscribe("a", { businessSlug: "acme", afterId })
      // Each of these is a page of its own: none is read that the socket was not given.
      const bytes = (yield* still(ends[0]!)) / 10
      assert.isBelow(bytes, 99)
      assert.strictEqual(pages(), Math.floor(bytes))
    })
  })

  onServer({}, (test) => {
    test("have few pages held for an event stream", function*() {
      const ends = yield* serverEnds
      const afterId = yield* lastId("acme")
      const count = 1500
      yield* append(...Array.from({ length: count }, () => draft({ payload: { pad } })))
      const pages = yield* countPages
      yield* followUnread({ businessSlug: "acme", afterId })
      const bytes = yield* still(ends[0]!)
      assert.isBelow(bytes, count)
      assert.isAtMost((pages() - 8) * (messagesPerPage - 1), bytes)
    })

    test("have 8 pages of a client read at once, and 32 of all", function*() {
      const sessions = yield* Sessions
      const open = (client: number) =>
        sessions.open(
          { principal: { clientId: `client-${client}`, grants: [] }, expiresAt: Date.now() + 60_000 },
          () => undefined
        )!
      const done = Latch.makeUnsafe(false)
      const reading = new Map<number, number>()
      const start = Effect.fnUntraced(function*(client: number) {
        const live = open(client)
        yield* live.read(Effect.suspend(() => {
          reading.set(client, (reading.get(client) ?? 0) + 1)
          return done.await
        }))
        live.close()
      })
      const readers = Array.from({ length: 10 * 12 }, (_, index) => start(Math.floor(index / 12)))
      const all = yield* Effect.forkChild(Effect.all(readers, { concurrency: "unbounded" }))
      const reads = () => Array.from(reading.values()).reduce((sum, each) => sum + each, 0)
      yield* Effect.promise(() => eventually("32 reads", () => reads() >= 32))
      yield* Effect.promise(() => settled("how many read", reads))
      assert.deepStrictEqual(Array.from(reading.entries()), [0, 1, 2, 3].map((client) => [client, 8]))
      yield* done.open
      yield* Fiber.join(all)
      assert.deepStrictEqual(Array.from(reading.values()), Array.from({ length: 10 }, () => 12))
    })
  })
})

describe("D8.7 how long a consumer that does not read may stay", () => {
  const history = Effect.gen(function*() {
    const afterId = yield* lastId("acme")
    yield* append(...Array.from({ length: 400 }, () => draft({ payload: { pad } })))
    const socket = yield* connect()
    socket.subscribe("a", { businessSlug: "acme", afterId })
    yield* next(socket)
    socket.socket.pause()
    return { afterId, socket }
  })

  onServer({ live: { keepAliveMillis: 40, sendBuffer: 64 * 1024 } }, (test) => {
    test("D8.7: one that does not read its replay for a while stays, and goes on", function*() {
      const { afterId, socket } = yield* history
      // It can answer no ping for many times as long as one that has nothing to read may take.
      yield* Effect.sleep(600)
      socket.socket.resume()
      const rest = yield* take(socket, 399)
      assert.deepStrictEqual(rest.map(({ id }) => id), rest.map((_, index) => afterId + 2 + index))
    })
  })

  onServer({ live: { keepAliveMillis: 40, stallMillis: 200, sendBuffer: 64 * 1024 } }, (test) => {
    test("D8.7: one that reads nothing of its replay at all is cut in the end", function*() {
      const ends = yield* serverEnds
      yield* history
      yield* Effect.promise(() => new Promise<void>((resolve) => ends[0]!.once("close", () => resolve())))
      assert.isTrue(ends[0]!.destroyed)
    })
  })
})
