/**
 * Consumers that do not keep up (D8.7): bounded memory, 4429, and nothing lost when they resume.
 */
import { assert, describe } from "@effect/vitest"
import { Effect } from "effect"
import { settled } from "../../../test/support/Eventually.ts"
import { defaultLiveConfig } from "../src/GraphqlConfig.ts"
import * as LiveSetup from "./LiveSetup.ts"
import { append, connect, draft, lastId, next, onServer, serverEnds, take } from "./LiveSetup.ts"

const sendBuffer = 64 * 1024
const buffer = 40
const pad = "x".repeat(32 * 1024)

const large = () => {
  const message = draft()
  return { ...message, payload: { ...message.payload, pad } }
}

describe("consumers that do not keep up (D8.7)", () => {
  // What a client sends is held up here as it does not read; it is not cut for how much it is.
  const frameRate = { ...defaultLiveConfig.frameRate, bytes: 64 * 1024 * 1024 }
  onServer({ config: { subscriptionBuffer: buffer }, live: { sendBuffer, frameRate } }, (test) => {
    // @threat load.6
    test("4429 once the buffer is full, with bounded memory; afterId resumes without loss", function*() {
      const ends = yield* serverEnds
      const afterId = yield* lastId("acme")
      const slow = yield* connect()
      const quick = yield* connect()
      slow.subscribe("a", { businessSlug: "acme", afterId })
      quick.subscribe("a", { businessSlug: "acme", afterId })
      const [first] = yield* append(large())
      yield* take(slow, 1)
      yield* take(quick, 1)

      // It stops reading. What the systems between hold, and the buffer, is full long before the last of these.
      slow.socket.pause()
      let most = 0
      const more = 700
      for (let count = 0; count < more; count++) {
        yield* append(large())
        yield* take(quick, 1)
        most = Math.max(most, ends[0]!.writableLength)
      }
      // What waits in the socket: its limit, the frame beyond it, and the closing frame.
      assert.isBelow(most, sendBuffer + pad.length + 2048)

      slow.socket.resume()
      const { code, reason } = yield* Effect.promise(() => slow.closed)
      assert.deepStrictEqual([code, reason], [4429, "Consumer too slow; resume with afterId"])
      assert.isBelow(slow.frames.length, more - buffer)
      const ids = slow.frames.map(LiveSetup.messageOf).map(({ id }) => id)
      const resumption = yield* connect()
      const resumeAfter = ids.at(-1) ?? first!.id
      resumption.subscribe("a", { businessSlug: "acme", afterId: resumeAfter })
      const total = yield* lastId("acme")
      const rest = yield* take(resumption, total - resumeAfter)
      assert.deepStrictEqual(
        [first!.id, ...ids, ...rest.map(({ id }) => id)],
        Array.from({ length: total - afterId }, (_, index) => afterId + 1 + index)
      )
    })

    test("a client that pings and does not read what it gets is not read from", function*() {
      const ends = yield* serverEnds
      const socket = yield* connect()
      socket.socket.pause()
      const ping = JSON.stringify({ type: "ping", payload: { pad } })
      const pings = 500
      for (let count = 0; count < pings; count++) socket.socket.send(ping)
      const end = ends[0]!
      let most = 0
      yield* Effect.promise(() =>
        settled("what is read", () => {
          most = Math.max(most, end.writableLength)
          return end.bytesRead
        })
      )
      // What was on its way when it stopped reading comes on top.
      assert.isBelow(most, 10 * sendBuffer)
      socket.socket.resume()
      for (let pongs = 0; pongs < pings; pongs++) assert.strictEqual((yield* next(socket)).type, "pong")
    })

    test("a client that asks and does not read its answers is not read from", function*() {
      const ends = yield* serverEnds
      const since = "2000-01-01T00:00:00Z"
      const afterId = yield* lastId("acme")
      yield* append(...Array.from({ length: 200 }, large))
      const socket = yield* connect()
      const query = `query ($input: PushMessageFilter!) { pushMessages(input: $input) { id message } }`
      const variables = { input: { businessSlug: "acme", since, afterId, limit: 200 } }
      socket.socket.pause()
      const operations = 12
      for (let id = 0; id < operations; id++) {
        socket.send({ type: "subscribe", id: `q${id}`, payload: { query, variables } })
      }
      const end = ends[0]!
      let most = 0
      yield* Effect.promise(() =>
        settled("what is written", () => {
          most = Math.max(most, end.writableLength)
          return end.bytesWritten
        })
      )
      // An answer has 6.5 MB: those that run at once, and no more of them.
      assert.isBelow(most, 5 * 200 * (pad.length + 200))
      socket.socket.resume()
      for (let answers = 0; answers < operations;) {
        const { type } = yield* next(socket)
        if (type === "complete") answers++
      }
    })
  })
})
