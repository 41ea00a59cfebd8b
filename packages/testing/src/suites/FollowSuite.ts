/**
 * The rules for following the message log, for every implementation.
 */
import { MessageLog } from "@dockline/core/messages/MessageLog"
import * as Timestamp from "@dockline/core/values/Timestamp"
import { Deferred, Effect, Fiber, Stream } from "effect"
import * as assert from "../Assert.ts"
import { aBusiness, aDraft, append, everythingOf, numbers, read, suiteOf } from "../worlds/MessageLogWorld.ts"

/** Follows a log, appends `count` messages, and waits until the follower has them. The messages are then in memory. */
const followedAll = Effect.fnUntraced(function*(business: string, count: number) {
  const log = yield* MessageLog
  const follower = yield* log.follow(everythingOf(business), { afterId: undefined, buffer: 1000 })
  yield* append(...Array.from({ length: count }, (_, n) => aDraft(business, n)))
  let deliveries = 0
  while (deliveries < count) deliveries += (yield* follower.next).length
  return follower
})

/** The suite of following the log. */
export const followSuite = suiteOf("following the message log", (test, describe) => {
  describe("following", () => {
    test("8 writers: paging by id, reading by time and following see all once, in order", function*() {
      const log = yield* MessageLog
      const business = yield* aBusiness
      const [writers, each] = [8, 60]
      const total = writers * each
      const query = everythingOf(business)
      const half = yield* Deferred.make<number>()
      let writes = 0
      const write = (writer: number) =>
        Effect.forEach(
          Array.from({ length: each }, (_, n) => n),
          (n) =>
            Effect.flatMap(append(aDraft(business, `${writer}-${n}`)), ([message]) =>
              ++writes === total / 2 ? Deferred.succeed(half, assert.present(message).id) : Effect.void),
          { discard: true }
        )

      const byId = Effect.gen(function*() {
        const numbersSeen: Array<number> = []
        while (numbersSeen.length < total) {
          const { messages } = yield* read(query, numbersSeen.at(-1) ?? 0, 7)
          numbersSeen.push(...messages.map(({ id }) => id))
          if (messages.length === 0) yield* Effect.sleep(1)
        }
        return numbersSeen
      })
      // Reads as a client does: from the newest known time on, inclusive, and drops known ids.
      const byTime = Effect.gen(function*() {
        const numbersSeen: Array<number> = []
        let since = Timestamp.of("2000-01-01T00:00:00.000Z")
        while (numbersSeen.length < total) {
          const { messages } = yield* read(query, 0, 1000, since)
          numbersSeen.push(...messages.map(({ id }) => id).filter((id) => !numbersSeen.includes(id)))
          since = messages.at(-1)?.sentAt ?? since
          yield* Effect.sleep(1)
        }
        return numbersSeen
      })
      const following = (afterId: number, count: number) =>
        log.tail(query, { afterId, buffer: 1000 }).pipe(
          Stream.map(({ id }) => id),
          Stream.take(count),
          Stream.runCollect
        )
      const fromTheMiddle = Effect.gen(function*() {
        const middle = yield* Deferred.await(half)
        const before = (yield* read(query)).messages.filter(({ id }) => id <= middle).length
        return { middle, seen: yield* following(middle, total - before) }
      })

      const readers = yield* Effect.forkChild(
        Effect.all([byId, byTime, following(0, total), fromTheMiddle], { concurrency: "unbounded" })
      )
      yield* Effect.forEach(Array.from({ length: writers }, (_, n) => n), write, {
        concurrency: "unbounded",
        discard: true
      })
      const [pageIds, timeIds, followedIds, middle] = yield* Fiber.join(readers)
      const all = (yield* read(query)).messages.map(({ id }) => id)
      assert.strictEqual(all.length, total)
      assert.deepStrictEqual(pageIds, all, "paging by afterId")
      assert.deepStrictEqual(timeIds, all, "reading by since")
      assert.deepStrictEqual(followedIds, all, "following from the beginning")
      assert.deepStrictEqual(
        middle.seen,
        all.filter((id) => id > middle.middle),
        "following from the middle"
      )
    }, { recentLimit: 20 })

    test(
      "replays in pages as small as asked for, and joins what comes",
      Effect.gen(function*() {
        const log = yield* MessageLog
        const business = yield* aBusiness
        const query = everythingOf(business)
        const before = yield* append(...Array.from({ length: 40 }, (_, n) => aDraft(business, `before-${n}`)))
        // There is a follower already, so that the newest messages are in memory.
        const other = yield* log.follow(query, { afterId: undefined, buffer: 1000 })
        yield* append(...Array.from({ length: 40 }, (_, n) => aDraft(business, `at-hand-${n}`)))
        for (let count = 0; count < 40;) count += (yield* other.next).length
        const size = assert.at(before, 0).json.length
        for (const page of [{ messages: 7, text: 1_000_000 }, { messages: 100, text: 3 * size + 10 }]) {
          const most = page.messages === 7 ? 7 : 3
          const follower = yield* log.follow(query, { afterId: 0, buffer: 1000, page })
          const ids: Array<number> = []
          for (let turn = 0; !follower.isLive; turn++) {
            const messages = yield* follower.replay
            assert.isAtMost(messages.length, most)
            ids.push(...messages.map(({ id }) => id))
            if (turn < 30) yield* append(aDraft(business, `meanwhile-${turn}`))
          }
          yield* append(aDraft(business, "live"))
          const all = (yield* read(query)).messages.map(({ id }) => id)
          while (ids.at(-1) !== all.at(-1)) ids.push(...(yield* follower.next).map(({ id }) => id))
          assert.deepStrictEqual(ids, all)
        }
      }).pipe(Effect.scoped),
      { recentLimit: 50 }
    )

    test("without a starting point begins with what comes, and filters it", function*() {
      const log = yield* MessageLog
      const business = yield* aBusiness
      yield* append(aDraft(business, "before"))
      const query = everythingOf(business, { facility: "west", types: ["PALLET_EVENT"] })
      const messagesSeen = yield* Effect.scoped(Effect.gen(function*() {
        const follower = yield* log.follow(query, { afterId: undefined, buffer: 10 })
        yield* append(
          aDraft(business, 1),
          aDraft(business, 2, { facility: "west" }),
          aDraft(business, 3, { facility: "west", type: "SHIPMENT_COMPLETE" })
        )
        const first = yield* follower.next
        yield* append(aDraft(business, 4, { facility: "west" }))
        return [...first, ...(yield* follower.next)]
      }))
      assert.deepStrictEqual(numbers(messagesSeen), [2, 4])
    })

    test("a slow consumer is told so, keeps nobody waiting, and resumes without loss", function*() {
      const log = yield* MessageLog
      const business = yield* aBusiness
      const query = everythingOf(business)
      yield* Effect.scoped(Effect.gen(function*() {
        const [slow, quick] = [
          yield* log.follow(query, { afterId: undefined, buffer: 10 }),
          yield* log.follow(query, { afterId: undefined, buffer: 100 })
        ]
        yield* append(aDraft(business, 0))
        const last = assert.at(yield* slow.next, -1).id
        yield* Effect.forEach(
          Array.from({ length: 11 }, (_, n) => n + 1),
          (n) => append(aDraft(business, n))
        )
        const numbersSeen: Array<unknown> = []
        while (numbersSeen.length < 12) numbersSeen.push(...numbers(yield* quick.next))
        const refusal = yield* Effect.flip(slow.next)
        assert.strictEqual(refusal._tag === "ConsumerTooSlow" && refusal.buffer, 10)
        const messagesAfter = yield* log.tail(query, { afterId: last, buffer: 10 }).pipe(
          Stream.take(11),
          Stream.runCollect
        )
        assert.deepStrictEqual(numbers(messagesAfter), [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11])
      }))
    })

    test("what is replayed does not count for the buffer", function*() {
      const log = yield* MessageLog
      const business = yield* aBusiness
      const query = everythingOf(business)
      yield* Effect.scoped(Effect.gen(function*() {
        // There is a follower already, so that the newest messages are in memory and replayed from there.
        const other = yield* followedAll(business, 40)
        const { messages } = yield* read(query)
        const replaying = yield* log.follow(query, { afterId: assert.at(messages, 0).id, buffer: 2 })
        yield* append(aDraft(business, 40))
        // Once the other follower has the message, it is also in the buffer of this follower, after the replayed messages.
        yield* other.next
        assert.deepStrictEqual(numbers(yield* replaying.next), Array.from({ length: 40 }, (_, n) => n + 1))
      }))
    })

    test("a consumer with an old position gets what lies between from the log", function*() {
      const log = yield* MessageLog
      const business = yield* aBusiness
      const query = everythingOf(business)
      yield* Effect.scoped(Effect.gen(function*() {
        yield* followedAll(business, 30)
        const all = log.tail(query, { afterId: 0, buffer: 5 }).pipe(Stream.take(30), Stream.runCollect)
        assert.deepStrictEqual(numbers(yield* all), Array.from({ length: 30 }, (_, n) => n))
      }))
    }, { recentLimit: 10 })

    test("followers of a position ahead of what this process has seen get what comes after it", function*() {
      const log = yield* MessageLog
      const business = yield* aBusiness
      yield* Effect.scoped(Effect.gen(function*() {
        // There is a follower already, so that this process has seen the earlier messages.
        yield* log.follow(everythingOf(business), { afterId: undefined, buffer: 10 })
        const [first] = yield* append(aDraft(business, 1))
        const ahead = yield* log.follow(everythingOf(business), {
          afterId: assert.present(first).id,
          buffer: 10
        })
        yield* append(aDraft(business, 2), aDraft(business, 3), aDraft(business, 4))
        const { messages } = yield* read(everythingOf(business), assert.present(first).id)
        const ids: Array<number> = []
        while (ids.length < messages.length) ids.push(...(yield* ahead.next).map(({ id }) => id))
        assert.deepStrictEqual(ids, messages.map(({ id }) => id))
      }))
    })
  })
})
