/**
 * The rules for every delivery store: replays, and the retention of the record.
 */
import { MessageLog } from "@dockline/core/messages/MessageLog"
import * as Timestamp from "@dockline/core/values/Timestamp"
import { DeliveryStore, replayLimit } from "@dockline/core/webhooks/DeliveryStore"
import { Effect } from "effect"
import * as assert from "../../Assert.ts"
import {
  appendOf,
  at,
  create,
  deliveries,
  deliveryOf,
  failureOf,
  find,
  open,
  record,
  settle,
  take,
  takeWindow
} from "../../worlds/DeliveryWorld.ts"
import type { Part } from "../../worlds/DeliveryWorld.ts"
import { aBusiness, at as atMillis, day, longAgo, longRetention } from "../../worlds/MessageLogWorld.ts"

/** The cases of replays and of retention. */
export const replays: Part = (test, describe) => {
  describe("D9.6 replays", () => {
    test("one delivery is due again, from the beginning of its schedule, whatever it was", function*() {
      const store = yield* DeliveryStore
      const { id, lease, ids, fresh } = yield* takeWindow([1, 2, 3])
      const results = [
        deliveryOf(assert.at(fresh, 0)),
        { ...deliveryOf(assert.at(fresh, 1)), status: "DEAD" as const, tries: 10, failedSince: at(0) },
        failureOf(assert.at(fresh, 2), 0, 500)
      ]
      yield* settle(lease, assert.at(ids, 2), { results })
      for (const messageId of ids) yield* store.replay(id, messageId, at(60))
      assert.deepStrictEqual(yield* record(id), ids.map((id) => [id, "PENDING", 0, 60]))
      const { due } = yield* take(lease, assert.at(ids, 2), 60)
      assert.deepStrictEqual(
        due.map(({ message, progress }) => [message.id, progress]),
        ids.map((id) => [id, { tries: 0, failedSince: null }])
      )
      assert.strictEqual(
        assert.at(yield* deliveries(id), 2).attempts.length,
        1,
        "what was tried stays in the record"
      )
    })

    test("it waits behind an earlier one of its shipment, and goes before a later one", function*() {
      const store = yield* DeliveryStore
      const { id, lease, ids, fresh } = yield* takeWindow([1, 1, 1])
      yield* settle(lease, assert.at(ids, 2), {
        results: [
          deliveryOf(assert.at(fresh, 0)),
          failureOf(assert.at(fresh, 1), 0, 300),
          deliveryOf(assert.at(fresh, 2))
        ]
      })
      yield* store.replay(id, assert.at(ids, 2), at(60))
      assert.deepStrictEqual((yield* record(id)).map((row) => row[3]), [null, 300, null])
      yield* store.replay(id, assert.at(ids, 0), at(70))
      assert.deepStrictEqual((yield* record(id)).map((row) => row[3]), [70, null, null])
    })

    test("the deliveries of a message are told by endpoint, each with its newest attempt", function*() {
      const store = yield* DeliveryStore
      const { business, fresh, id, ids, lease } = yield* takeWindow([1, 2])
      const other = yield* create(business, { baseUrl: "https://other.example" })
      const late = yield* open(other.id)
      const { fresh: again } = yield* take(late.lease, assert.at(ids, 0) - 1)
      yield* settle(lease, assert.at(ids, 1), {
        results: [failureOf(assert.at(fresh, 0), 0, 5), deliveryOf(assert.at(fresh, 1))]
      })
      yield* settle(lease, assert.at(ids, 1), {
        results: [{ ...failureOf(assert.at(fresh, 0), 5, 300), tries: 2 }]
      })
      yield* settle(late.lease, assert.at(ids, 0), { results: [deliveryOf(assert.at(again, 0), 9)] })
      assert.deepStrictEqual(
        (yield* store.ofMessage(business, assert.at(ids, 0))).map((
          { attempts, endpointId, messageId, status, tries }
        ) => [
          endpointId,
          messageId,
          status,
          tries,
          attempts.map(({ at }) => at)
        ]),
        [
          [id, ids[0], "PENDING", 2, [at(5)]],
          [other.id, ids[0], "DELIVERED", 0, [at(9)]]
        ]
      )
      assert.deepStrictEqual(yield* store.ofMessage(business, assert.at(ids, 1) + 1000), [])
      assert.deepStrictEqual(yield* store.ofMessage(yield* aBusiness, assert.at(ids, 0)), [])
    })

    test("what is not there is not found", function*() {
      const store = yield* DeliveryStore
      const { id, ids } = yield* takeWindow([1])
      const tag = (effect: Effect.Effect<unknown, { readonly _tag: string }>) =>
        Effect.map(Effect.flip(effect), ({ _tag }) => _tag)
      assert.strictEqual(
        yield* tag(store.replay(id, assert.at(ids, 0), at(0))),
        "DeliveryNotFound",
        "not recorded yet"
      )
      assert.strictEqual(
        yield* tag(store.replay(id + 1000, assert.at(ids, 0), at(0))),
        "WebhookEndpointNotFound"
      )
      const range = { fromId: 1, toId: assert.at(ids, 0) }
      assert.strictEqual(yield* tag(store.replayRange(id + 1000, range, at(0))), "WebhookEndpointNotFound")
    })

    const history = Effect.gen(function*() {
      const business = yield* aBusiness
      const noon = Date.now() - 3_600_000
      const shipmentMessage = (seconds: number, shipmentId: number, facility = "west") =>
        Effect.map(
          atMillis(noon + seconds * 1000)(appendOf(business, [shipmentId], { facility })),
          ([id]) => assert.present(id)
        )
      const before = yield* Effect.all([shipmentMessage(0, 1), shipmentMessage(1, 2, "east")])
      const { id } = yield* create(business, { facility: "west" })
      const { lease } = yield* open(id)
      const after = yield* Effect.all([
        shipmentMessage(2, 1),
        shipmentMessage(3, 1),
        shipmentMessage(4, 4),
        shipmentMessage(5, 5)
      ])
      const { fresh } = yield* take(lease, assert.at(before, 1))
      const results = [
        deliveryOf(assert.at(fresh, 0)),
        failureOf(assert.at(fresh, 1), 0, 500),
        deliveryOf(assert.at(fresh, 2))
      ]
      yield* settle(lease, assert.at(after, 2), { results })
      const ids = [...before, ...after]
      const replayed = (now: number) =>
        Effect.map(
          record(id),
          (rows) =>
            rows.filter((row) => row[1] === "PENDING" && row[2] === 0).map((row) => [
              ids.indexOf(row[0] as number),
              row[3] === now ? "due" : row[3]
            ])
        )
      const time = (seconds: number) => Timestamp.fromMillis(noon + seconds * 1000)
      return { id, ids, replayed, time, store: yield* DeliveryStore }
    })

    test("a range of ids, both ends included, also from before the endpoint was made", function*() {
      const { id, ids, replayed, store } = yield* history
      assert.strictEqual(
        yield* store.replayRange(id, { fromId: assert.at(ids, 0), toId: assert.at(ids, 2) }, at(60)),
        2
      )
      assert.deepStrictEqual(yield* replayed(60), [[0, "due"], [2, null]])
      assert.strictEqual((yield* record(id)).length, 4, "one line more: that of before")
      assert.deepStrictEqual(
        assert.at(yield* record(id), 2).slice(2),
        [1, null],
        "it waits behind the earlier ones"
      )
    })

    test("a range ends at the cursor: what comes after it is delivered anyway", function*() {
      const { id, replayed, store } = yield* history
      assert.strictEqual(
        yield* store.replayRange(id, { fromId: 0, toId: Number.MAX_SAFE_INTEGER }, at(60)),
        4
      )
      assert.deepStrictEqual(yield* replayed(60), [[0, "due"], [2, null], [3, null], [4, "due"]])
      assert.strictEqual(yield* store.replayRange(id, { fromId: 9, toId: 8 }, at(60)), 0)
    })

    test("what was settled after the cursor is replayed too", function*() {
      const store = yield* DeliveryStore
      const { id, lease, ids, fresh } = yield* takeWindow([1, 2, 3, 4])
      yield* settle(lease, assert.at(ids, 0), {
        results: [deliveryOf(assert.at(fresh, 0)), deliveryOf(assert.at(fresh, 2))]
      })
      assert.strictEqual(yield* store.replayRange(id, { fromId: 1, toId: assert.at(ids, 3) }, at(60)), 2)
      assert.deepStrictEqual(yield* record(id), [[ids[0], "PENDING", 0, 60], [ids[2], "PENDING", 0, 60]])
    })

    test("a range of times, both ends included", function*() {
      const { id, replayed, store, time } = yield* history
      const replay = (from: number, to: number) =>
        store.replayRange(id, { from: time(from), to: time(to) }, at(60))
      assert.strictEqual(yield* replay(5.5, 99), 0)
      assert.strictEqual(yield* replay(-9, -1), 0)
      assert.strictEqual(yield* replay(4, 2), 0)
      assert.strictEqual(yield* replay(2.001, 4), 2)
      assert.deepStrictEqual(yield* replayed(60), [[3, "due"], [4, "due"]])
      assert.strictEqual(yield* replay(2, 3.999), 2)
      assert.deepStrictEqual(yield* replayed(60), [[2, "due"], [3, null], [4, "due"]])
    })

    test("a range of very many is refused, and one of many replayed whole and in order", function*() {
      const store = yield* DeliveryStore
      const business = yield* aBusiness
      const chunk = Array.from({ length: 10_000 }, (_, n) => n)
      const ids: Array<number> = []
      while (ids.length < replayLimit) ids.push(...yield* appendOf(business, chunk, { payload: {} }))
      ids.push(...yield* appendOf(business, [1], { payload: {} }))
      const [first, last] = [assert.at(ids, -5000), assert.at(ids, -1)]
      const { id } = yield* create(business)
      const failure = yield* Effect.flip(store.replayRange(id, { fromId: 1, toId: last }, at(0)))
      assert.strictEqual(failure._tag, "TooManyDeliveries")
      assert.deepStrictEqual(yield* record(id), [])
      assert.strictEqual(yield* store.replayRange(id, { fromId: first, toId: last }, at(0)), 5000)
      assert.strictEqual((yield* find(id)).backlog, 1000)
      const { lease } = yield* open(id)
      const { due } = yield* take(lease, last, 0, { limit: 6000 })
      assert.strictEqual(due.length, 5000)
      assert.deepStrictEqual(due.map(({ message }) => message.id), ids.slice(-5000))
    })
  })

  describe("D7.4 retention of the record", () => {
    test("settled deliveries go with their messages, pending ones stay", function*() {
      const [store, log] = [yield* DeliveryStore, yield* MessageLog]
      const business = yield* aBusiness
      const { id } = yield* create(business)
      const { lease } = yield* open(id)
      const ids = yield* atMillis(longAgo)(appendOf(business, [1, 2, 3]))
      const [young] = yield* atMillis(longAgo + day)(appendOf(business, [4]))
      const { fresh } = yield* take(lease, 0)
      yield* settle(lease, assert.present(young), {
        results: [
          deliveryOf(assert.at(fresh, 0)),
          failureOf(assert.at(fresh, 1), 0, 5),
          { ...deliveryOf(assert.at(fresh, 2)), status: "DEAD" },
          deliveryOf(assert.at(fresh, 3))
        ]
      })
      yield* store.dropExpired
      assert.strictEqual((yield* record(id)).length, 4, "as long as the log holds them")
      yield* atMillis(longAgo + longRetention + 1)(log.dropExpired)
      yield* store.dropExpired
      assert.deepStrictEqual((yield* record(id)).map((row) => row[0]), [ids[1], young])
      assert.strictEqual(yield* store.replayRange(id, { fromId: 1, toId: assert.present(young) }, at(9)), 1)
      yield* store.dropExpired
      assert.deepStrictEqual((yield* record(id)).map((row) => row[0]), [ids[1], young])
    }, { retentionMillis: longRetention })
  })
}
