/**
 * The rules for requests for messages after an id that a message log has not assigned, and for advancing its ids (D7.5).
 */
import type { MessageQuery } from "@dockline/core/messages/Message"
import { advanceLimit, MessageLog } from "@dockline/core/messages/MessageLog"
import { Effect, Stream } from "effect"
import * as assert from "../Assert.ts"
import {
  aBusiness,
  aDraft,
  append,
  at,
  day,
  everythingOf,
  longAgo,
  longRetention,
  read
} from "../worlds/MessageLogWorld.ts"
import type { Test } from "../worlds/MessageLogWorld.ts"

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
    // Whether or not the other log has this id, this log does not have it.
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
