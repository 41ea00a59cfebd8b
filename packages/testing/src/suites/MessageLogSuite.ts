/**
 * The rules for every implementation of the message log, for every storage.
 */
import { payloadOf } from "@dockline/core/messages/Message"
import type { MessageQuery } from "@dockline/core/messages/Message"
import { MessageLog } from "@dockline/core/messages/MessageLog"
import * as Timestamp from "@dockline/core/values/Timestamp"
import { Effect, Result, Stream } from "effect"
import * as assert from "../Assert.ts"
import { unique } from "../Unique.ts"
import {
  aBusiness,
  aDraft,
  append,
  at,
  day,
  everythingOf,
  longAgo,
  longRetention,
  numbers,
  read,
  suiteOf
} from "../worlds/MessageLogWorld.ts"
import { cursorAhead } from "./CursorAhead.ts"
import { logTraces } from "./Traces.ts"

/** A time too recent for the log itself to drop. */
const noon = Date.now() - 3_600_000

const after = (millis: number) => Timestamp.fromMillis(noon + millis)

/**
 * The suite of appending, reading and retention. The messages that the case of retention drops were sent long ago, so it leaves those of
 * others; a log that starts on the same storage at that moment may drop them first.
 */
export const messageLogSuite = suiteOf("the message log", (test, describe) => {
  describe("D7.2 ids and sentAt", () => {
    test("ids of a business grow in the order of appending, and are unique over all businesses", function*() {
      const [one, two] = [yield* aBusiness, yield* aBusiness]
      const first = yield* append(aDraft(one, 1), aDraft(two, 2), aDraft(one, 3))
      const second = yield* append(aDraft(two, 4), aDraft(one, 5))
      assert.deepStrictEqual(numbers(first), [1, 2, 3])
      assert.deepStrictEqual(numbers((yield* read(everythingOf(one))).messages), [1, 3, 5])
      assert.deepStrictEqual(numbers((yield* read(everythingOf(two))).messages), [2, 4])
      const all = [...first, ...second]
      assert.strictEqual(new Set(all.map(({ id }) => id)).size, 5)
      for (const business of [one, two]) {
        const ids = all.filter((message) => message.business === business).map(({ id }) => id)
        assert.deepStrictEqual(ids, ids.toSorted((left, right) => left - right))
      }
    })

    test("sentAt never decreases, though the clock of a writer goes back", function*() {
      const business = yield* aBusiness
      yield* at(noon)(append(aDraft(business, 1)))
      yield* at(noon - 5000)(append(aDraft(business, 2)))
      yield* at(noon + 5000)(append(aDraft(business, 3)))
      const { messages } = yield* read(everythingOf(business))
      assert.deepStrictEqual(messages.map(({ sentAt }) => sentAt), [
        after(0),
        after(0),
        after(5000)
      ])
    })

    test("a message is read as it was appended", function*() {
      const business = yield* aBusiness
      const payload = { text: "ä\u0001\"\\ 🚚", list: ["1", ""], none: null, deep: { a: [1.5, true] } }
      const messages = yield* append(
        aDraft(business, 0, { payload, type: "SHIPMENT_COMPLETE", shipmentId: 7 })
      )
      assert.deepStrictEqual(
        (yield* read(everythingOf(business))).messages,
        messages
      )
      assert.deepStrictEqual(payloadOf(assert.at(messages, 0)), payload)
    })

    test("a draft of an unknown place refuses all, and writes nothing", function*() {
      const business = yield* aBusiness
      const failure = yield* Effect.result(
        append(aDraft(business, 1), aDraft(business, 2, { facility: "north" }))
      )
      assert.strictEqual(Result.isFailure(failure) && failure.failure._tag, "FacilityNotFound")
      const unknown = yield* Effect.result(append(aDraft(business, 1), aDraft(unique("nobody"), 2)))
      assert.strictEqual(Result.isFailure(unknown) && unknown.failure._tag, "BusinessNotFound")
      assert.deepStrictEqual((yield* read(everythingOf(business))).messages, [])
    })
  })

  describe("traces", () => logTraces(test))

  describe("D8.1 reading", () => {
    const world = Effect.gen(function*() {
      const business = yield* aBusiness
      yield* at(noon)(append(aDraft(business, 1), aDraft(business, 2, { facility: "west" })))
      yield* at(noon + 1000)(
        append(aDraft(business, 3, { type: "SHIPMENT_COMPLETE" }), aDraft(business, 4))
      )
      return business
    })

    test("by id, time, facility and type", function*() {
      const business = yield* world
      const all = (yield* read(everythingOf(business))).messages
      const of = (query: Partial<MessageQuery>, afterId = 0, since?: Timestamp.Timestamp) =>
        Effect.map(
          read(everythingOf(business, query), afterId, 1000, since),
          (page) => numbers(page.messages)
        )
      assert.deepStrictEqual(yield* of({}, assert.at(all, 1).id), [3, 4])
      assert.deepStrictEqual(yield* of({}, 0, after(1000)), [3, 4], "since is inclusive")
      assert.deepStrictEqual(yield* of({}, 0, after(1001)), [])
      assert.deepStrictEqual(yield* of({}, assert.at(all, 2).id, after(500)), [4])
      assert.deepStrictEqual(yield* of({ facility: "west" }), [2])
      assert.deepStrictEqual(yield* of({ facility: "nowhere" }), [])
      assert.deepStrictEqual(yield* of({ types: ["SHIPMENT_COMPLETE"] }), [3])
      assert.deepStrictEqual(yield* of({ types: ["SHIPMENT_COMPLETE"], facility: "west" }), [])
      assert.deepStrictEqual(yield* of({ types: ["PALLET_EVENT"], facility: "east" }), [1, 4])
      assert.deepStrictEqual(yield* of({ types: [] }), [])
      assert.deepStrictEqual((yield* read(everythingOf(unique("nobody")))).messages, [])
    })

    test("pages say whether there is more", function*() {
      const business = yield* world
      const page = yield* read(everythingOf(business), 0, 3)
      assert.deepStrictEqual([numbers(page.messages), page.more], [[1, 2, 3], true])
      const last = yield* read(everythingOf(business), assert.at(page.messages, 2).id, 1)
      assert.deepStrictEqual([numbers(last.messages), last.more], [[4], false])
      assert.strictEqual(last.lastId, assert.at(last.messages, 0).id)
      const none = yield* read(
        everythingOf(business, { facility: "west" }),
        assert.at(page.messages, 1).id,
        1
      )
      assert.deepStrictEqual([none.messages, none.more, none.lastId], [[], false, last.lastId])
    })

    test("a page holds no more text than it may, but one message at least", function*() {
      const business = yield* aBusiness
      const text = "x".repeat(400)
      yield* append(aDraft(business, 1, { payload: { n: 1, text: text.repeat(4) } }))
      yield* append(...[2, 3, 4].map((n) => aDraft(business, n, { payload: { n, text } })))
      const first = yield* read(everythingOf(business))
      assert.deepStrictEqual([numbers(first.messages), first.more], [[1], true])
      const second = yield* read(everythingOf(business), assert.at(first.messages, 0).id)
      assert.deepStrictEqual([numbers(second.messages), second.more], [[2, 3], true])
    }, { pageTextLimit: 1000 })
  })

  describe("D7.4 retention", () => {
    test("what has been dropped is an error for whoever asks for it", function*() {
      const log = yield* MessageLog
      const [business, other] = [yield* aBusiness, yield* aBusiness]
      const [first, second] = yield* at(longAgo)(
        append(aDraft(business, 1), aDraft(business, 2), aDraft(other, 1))
      )
      const [third] = yield* at(longAgo + day)(append(aDraft(business, 3)))
      yield* at(longAgo + longRetention)(log.dropExpired)
      assert.deepStrictEqual(
        numbers((yield* read(everythingOf(business))).messages),
        [1, 2, 3],
        "as old as the retention is not older"
      )
      assert.isAtLeast(yield* at(longAgo + longRetention + 1)(log.dropExpired), 3)
      const expired = yield* Effect.flip(read(everythingOf(business)))
      assert.strictEqual(expired._tag === "HistoryExpired" && expired.droppedId, assert.present(second).id)
      for (
        const [afterId, since] of [[assert.present(first).id, undefined], [
          0,
          Timestamp.fromMillis(longAgo)
        ]] as const
      ) {
        assert.strictEqual(
          (yield* Effect.flip(read(everythingOf(business), afterId, 10, since)))._tag,
          "HistoryExpired"
        )
      }
      for (
        const [afterId, since] of [[assert.present(second).id, undefined], [
          0,
          Timestamp.fromMillis(longAgo + 1)
        ]] as const
      ) {
        const page = yield* read(everythingOf(business), afterId, 10, since)
        assert.deepStrictEqual(page.messages.map(({ id }) => id), [assert.present(third).id])
      }
      const tail = yield* Effect.flip(
        Stream.runDrain(log.tail(everythingOf(other), { afterId: 0, buffer: 9 }))
      )
      assert.strictEqual(tail._tag, "HistoryExpired")
      assert.deepStrictEqual((yield* at(longAgo + longRetention)(append(aDraft(other, 2)))).length, 1)
    }, { retentionMillis: longRetention })
  })

  describe("D7.5 a position beyond the newest id", () => cursorAhead(test))
})
