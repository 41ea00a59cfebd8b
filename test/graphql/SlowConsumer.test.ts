/**
 * A consumer that does not read its socket: closed with 4429 and resumed, held in bounds meanwhile, and waited for by
 * nobody (D8.7).
 */
import type { Message } from "@dockline/core/Message"
import { defaultGraphqlConfig, defaultLiveConfig } from "@dockline/graphql-adapter/GraphqlConfig"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import type { Socket } from "node:net"
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import { settled } from "../support/Eventually.ts"
import { GraphqlServer, layerMemory } from "../support/GraphqlServer.ts"
import { draft, follow } from "./Sample.ts"
import { connected, messagesOf } from "./Sockets.ts"
import type { RawSocket } from "./Sockets.ts"

const payload = { text: "x".repeat(4000) }

/** At most what a frame of one of these messages takes. */
const frameSize = 5000

const stalled = 30

/** How many messages are appended at once: as many as the log hands out at once. */
const batch = 50

/** A peer that does not read answers no pings either; that is not what is tested here. */
const live = { ...defaultLiveConfig, keepAliveMillis: 60_000 }

const idsOf = (messages: ReadonlyArray<{ readonly id: number }>) => messages.map(({ id }) => id)

setFlagsFromString("--expose-gc")
const collectGarbage = runInNewContext("gc") as () => void

/** What is held of objects and text. */
const heap = () => {
  collectGarbage()
  return process.memoryUsage().heapUsed
}

/** What is held, buffers included: Node counts those of arrays among the external ones. */
const memory = () => heap() + process.memoryUsage().external

/** Lets what is due in other parts of the process happen. */
const turn = Effect.callback<void>((resume) => void setImmediate(() => resume(Effect.void)))

/** Appends until nothing more is wanted, or the patience of the test is at its end. */
const appendUntil = Effect.fnUntraced(function*(isOver: (appended: number) => boolean) {
  const { append } = yield* GraphqlServer
  const all: Array<Message> = []
  while (!isOver(all.length) && all.length < 20_000) {
    all.push(...(yield* append(...Array.from({ length: batch }, () => draft({ payload })))))
    yield* turn
  }
  return all
})

/** What is written to a socket, of which the last and short is the frame that closes it. */
class Writing {
  readonly #socket: Socket
  #written: number
  closedAt: number | undefined

  constructor(socket: Socket) {
    this.#socket = socket
    this.#written = socket.bytesWritten
  }

  look(appended: number): void {
    const more = this.#socket.bytesWritten - this.#written
    this.#written += more
    if (more > 0 && more < payload.text.length) this.closedAt ??= appended
  }
}

const subscribe = (raw: RawSocket, afterId: number) =>
  raw.send({ id: "s", type: "subscribe", payload: follow({ afterId }) })

layer(layerMemory({ graphql: { live } }), { excludeTestServices: true })(
  "D8.7 slow consumers",
  (it) => {
    // @threat load.6
    it.effect("one that stops reading is closed with 4429, others are not held up, and it resumes without loss", () =>
      Effect.scoped(Effect.gen(function*() {
        const { append, connections } = yield* GraphqlServer
        const [first] = yield* append(draft())
        const quick = yield* connected()
        subscribe(quick, first!.id - 1)
        const slow: Array<RawSocket> = []
        for (let at = 0; at < stalled; at++) slow.push(yield* connected())
        for (const raw of slow) {
          subscribe(raw, first!.id - 1)
          yield* raw.frame("a message", ({ type }) => type === "next")
          raw.socket.pause()
        }
        const before = memory()
        let waiting = 0
        const sockets = Array.from(connections).slice(-stalled)
        const writings = sockets.map((socket) => new Writing(socket))
        const appended = yield* appendUntil((appended) => {
          waiting = Math.max(waiting, ...sockets.map(({ writableLength }) => writableLength))
          writings.forEach((writing) => writing.look(appended))
          return writings.every(({ closedAt }) => closedAt !== undefined)
        })
        const held = memory() - before
        const all = [first!, ...appended]

        // Who reads has everything, as if nobody else were there.
        yield* quick.nexts(all.length)
        assert.deepStrictEqual(idsOf(messagesOf(quick.frames, "s")), idsOf(all))

        // In a socket waits no more than its limit and a frame. What waits in the buffers is shared by all of them:
        // the process holds less than it would if each had a buffer of its own.
        assert.isAtMost(waiting, defaultLiveConfig.sendBuffer + frameSize)
        assert.isBelow(held, stalled * defaultGraphqlConfig.subscriptionBuffer * frameSize)

        for (const [at, raw] of slow.entries()) {
          raw.socket.resume()
          assert.deepStrictEqual(yield* raw.closed, {
            code: 4429,
            reason: "Consumer too slow; resume with afterId"
          })
          const sent = messagesOf(raw.frames, "s")
          assert.deepStrictEqual(idsOf(sent), idsOf(all.slice(0, sent.length)))
          // What was not sent when it was closed: the buffer, the part of it that was being sent, and the batch that
          // was one too many.
          const unsent = writings[at]!.closedAt! + 1 - sent.length
          assert.isAbove(unsent, defaultGraphqlConfig.subscriptionBuffer)
          assert.isBelow(unsent, 2 * defaultGraphqlConfig.subscriptionBuffer)
        }
        const sent = idsOf(messagesOf(slow[0]!.frames, "s"))
        const again = yield* connected()
        subscribe(again, sent.at(-1)!)
        yield* again.nexts(all.length - sent.length)
        assert.deepStrictEqual([...sent, ...idsOf(messagesOf(again.frames, "s"))], idsOf(all))
      })))

    it.effect("replay goes at the consumer's pace: one that pauses in the midst of it is not too slow", () =>
      Effect.scoped(Effect.gen(function*() {
        const { append, connections } = yield* GraphqlServer
        const history: Array<Message> = []
        for (let batch = 0; batch < 20; batch++) {
          history.push(...(yield* append(...Array.from({ length: 150 }, () => draft({ payload })))))
        }
        // All of it is history to who comes now: the feed of the business has passed it on.
        const other = yield* connected()
        subscribe(other, history.at(-2)!.id)
        yield* other.nexts(1)
        const known = new Set(connections)
        const raw = yield* connected()
        const socket = Array.from(connections).find((each) => !known.has(each))!
        subscribe(raw, history[0]!.id - 1)
        yield* raw.frame("a message", ({ type }) => type === "next")
        raw.socket.pause()
        // Until the socket takes no more.
        yield* Effect.promise(() =>
          settled("what is written", () => socket.writableLength > 0 ? socket.bytesWritten : Number.NaN)
        )
        assert.isAtMost(socket.writableLength, defaultLiveConfig.sendBuffer + frameSize)
        const live = yield* append(...Array.from({ length: 1500 }, () => draft()))
        raw.socket.resume()
        const all = [...history, ...live]
        yield* raw.nexts(all.length)
        assert.deepStrictEqual(idsOf(messagesOf(raw.frames, "s")), idsOf(all))
        assert.strictEqual(raw.socket.readyState, raw.socket.OPEN)
      })))

    it.effect("what is left of a replay is bounded, however little of each message it showed", () =>
      Effect.scoped(Effect.gen(function*() {
        const { append } = yield* GraphqlServer
        const [first] = yield* append(draft())
        const [count, size] = [800, 30_000]
        for (let at = 0; at < count; at += batch) {
          yield* append(
            ...Array.from({ length: batch }, () => draft({ payload: { text: "x".repeat(size) } }))
          )
        }
        const replay = Effect.scoped(Effect.gen(function*() {
          const raw = yield* connected()
          const filter = `{ businessSlug: "acme", afterId: ${first!.id} }`
          const query = `subscription { pushMessage(filter: ${filter}) { id } }`
          raw.send({ id: "s", type: "subscribe", payload: { query } })
          yield* raw.nexts(count)
          raw.socket.close(1000)
          yield* raw.closed
        }))
        // After the first, what is kept for others to be shown is at its limit.
        yield* replay
        const before = heap()
        yield* replay
        yield* replay
        assert.isBelow(heap() - before, count * size)
      })))
  }
)
