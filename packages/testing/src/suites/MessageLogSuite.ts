/**
 * The rules for every implementation of the message log, including reads after an id that the log has not assigned, and advancing its ids
 * (D7.5).
 */
import { payloadOf } from "@dockline/core/messages/Message"
import type { MessageQuery } from "@dockline/core/messages/Message"
import { advanceLimit, MessageLog } from "@dockline/core/messages/MessageLog"
import * as Timestamp from "@dockline/core/values/Timestamp"
import { Effect, Result, Stream } from "effect"
import * as assert from "../Assert.ts"
import { unique } from "../generators/Given.ts"
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
import type { Test } from "../worlds/MessageLogWorld.ts"
import { logTraces } from "./Traces.ts"

/** The newest id in a refusal. */
const newestOf = <A, E extends { readonly _tag: string }, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.map(
    Effect.flip(effect),
    (error) => error._tag === "CursorAhead" && "newestId" in error ? error.newestId : error._tag
  )

const follow = (query: MessageQuery, afterId: number, count = Infinity) =>
  MessageLog.use((log) => log.tail(query, { afterId, buffer: 9 }).pipe(Stream.take(count), Stream.runCollect))

const advance = (beyond: number) => MessageLog.use((log) => log.advance(beyond))

/** The newest id of all logs: advancing to an id that was already assigned changes nothing. */
const newestOfAll = advance(1)

/** The cases of cursors ahead of the log. */
export const cursorAhead = (test: Test): void => {
  test("is an error that names the newest id, for who reads and for who follows", function*() {
    const business = yield* aBusiness
    const query = everythingOf(business)
    const [first] = yield* append(aDraft(business, 1, { facility: "west" }))
    for (const narrowQuery of [query, { ...query, facility: "east" }, { ...query, types: [] }]) {
      assert.deepStrictEqual((yield* read(narrowQuery, assert.present(first).id)).messages, [])
      assert.strictEqual(
        yield* newestOf(read(narrowQuery, assert.present(first).id + 1)),
        assert.present(first).id
      )
      assert.strictEqual(
        yield* newestOf(read(narrowQuery, Number.MAX_SAFE_INTEGER, 1, assert.present(first).sentAt)),
        assert.present(first).id
      )
      assert.strictEqual(
        yield* newestOf(follow(narrowQuery, assert.present(first).id + 1)),
        assert.present(first).id
      )
    }
    assert.strictEqual(yield* MessageLog.use((log) => log.lastId(business)), assert.present(first).id)
  })

  test("is any but 0 in a log without messages, though the service has given higher ids", function*() {
    const [business, other] = [yield* aBusiness, yield* aBusiness]
    const [message] = yield* append(aDraft(other, 1))
    assert.deepStrictEqual((yield* read(everythingOf(business), 0)).messages, [])
    assert.strictEqual(yield* newestOf(read(everythingOf(business), 1)), 0)
    assert.strictEqual(yield* newestOf(follow(everythingOf(business), assert.present(message).id)), 0)
  })

  test("is none of an id that was dropped, nor of one between two that the log has given", function*() {
    const log = yield* MessageLog
    const [business, other] = [yield* aBusiness, yield* aBusiness]
    yield* at(longAgo)(append(aDraft(business, 1)))
    yield* at(longAgo)(append(aDraft(other, 1)))
    const [last] = yield* at(longAgo + day)(append(aDraft(business, 2)))
    // An id that only another log may have does not count.
    assert.deepStrictEqual(
      (yield* read(everythingOf(business), assert.present(last).id - 1)).messages.map(({ id }) => id),
      [assert.present(last).id]
    )
    yield* at(longAgo + day + longRetention + 1)(log.dropExpired)
    assert.deepStrictEqual((yield* read(everythingOf(business), assert.present(last).id)).messages, [])
    assert.strictEqual(yield* log.lastId(business), assert.present(last).id)
    assert.strictEqual(
      yield* newestOf(read(everythingOf(business), assert.present(last).id + 1)),
      assert.present(last).id
    )
  }, { retentionMillis: longRetention })

  test("ids that were moved on are good cursors and given to no message: each log goes on after them", function*() {
    const log = yield* MessageLog
    const [business, empty] = [yield* aBusiness, yield* aBusiness]
    const [before] = yield* append(aDraft(business, 1))
    const cursor = (yield* newestOfAll) + 100
    const beyond = yield* advance(cursor)
    assert.isAtLeast(beyond, cursor)
    for (const slug of [business, empty]) {
      assert.strictEqual(yield* log.lastId(slug), beyond)
      assert.deepStrictEqual((yield* read(everythingOf(slug), beyond)).messages, [])
      assert.strictEqual(yield* newestOf(read(everythingOf(slug), beyond + 1)), beyond)
    }
    assert.deepStrictEqual((yield* read(everythingOf(business))).messages.map(({ id }) => id), [
      assert.present(before).id
    ])
    const [next] = yield* append(aDraft(business, 2))
    assert.isAbove(assert.present(next).id, beyond)
    assert.deepStrictEqual((yield* follow(everythingOf(business), beyond, 1)).map(({ id }) => id), [
      assert.present(next).id
    ])
  })

  test("ids are never moved back, nor twice, nor too far", function*() {
    const log = yield* MessageLog
    const business = yield* aBusiness
    const [message] = yield* append(aDraft(business, 1))
    const cursor = Math.max(assert.present(message).id, yield* newestOfAll) + 10
    const newest = yield* advance(cursor)
    assert.isAtLeast(newest, cursor)
    assert.strictEqual(yield* advance(newest), newest)
    assert.strictEqual(yield* advance(1), newest)
    assert.strictEqual(yield* log.lastId(business), newest)
    const failure = yield* Effect.flip(advance(newest + advanceLimit + 1))
    assert.deepStrictEqual(failure._tag === "AdvanceTooFar" && [failure.newestId, failure.limit], [
      newest,
      advanceLimit
    ])
    assert.strictEqual(yield* log.lastId(business), newest)
    const [next] = yield* append(aDraft(business, 2))
    assert.isAbove(assert.present(next).id, newest)
  })
}

/** A time so recent that the log does not drop its messages by itself. */
const noon = Date.now() - 3_600_000

const after = (millis: number) => Timestamp.fromMillis(noon + millis)

/**
 * The suite of appending, reading and retention. The case of retention only drops messages that were sent long ago, so it leaves the
 * messages of others. Another log that starts on the same storage at that moment may drop these messages first.
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
