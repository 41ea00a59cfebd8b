/**
 * The rules for every delivery store: the effects of settlements, and the record of deliveries.
 */
import { MessageLog } from "@dockline/core/messages/MessageLog"
import { attemptLimit, responseLimit } from "@dockline/core/webhooks/Delivery"
import { DeliveryStore, pageText } from "@dockline/core/webhooks/DeliveryStore"
import { Effect } from "effect"
import * as assert from "../../Assert.ts"
import {
  anAttempt,
  aSettlement,
  at,
  create,
  deliveries,
  deliveryOf,
  failureOf,
  find,
  open,
  record,
  request,
  settle,
  takeWindow
} from "../../worlds/DeliveryWorld.ts"
import type { Part } from "../../worlds/DeliveryWorld.ts"

const parkedAs = (messageId: number, shipmentId: number) => ({
  messageId,
  messageType: "PALLET_EVENT" as const,
  shipmentId
})

/** The cases of settling and of the record. */
export const settling: Part = (test, describe) => {
  describe("D9.6 settling", () => {
    test("a lease whose cursor is beyond a restored log is lost, and nothing is written", function*() {
      const { id, lease, ids, fresh } = yield* takeWindow([1])
      const store = yield* DeliveryStore
      const takeAfter = (afterId: number) =>
        Effect.map(store.take([request(lease, afterId)], at(0)), ([result]) => assert.present(result)._tag)
      assert.strictEqual(yield* takeAfter(assert.at(ids, 0) + 1), "lost")
      assert.isFalse(
        yield* settle(lease, assert.at(ids, 0) + 1, { results: [deliveryOf(assert.at(fresh, 0), 1)] }, 2)
      )
      assert.deepStrictEqual(yield* deliveries(id), [])
      assert.isTrue(
        yield* settle(lease, assert.at(ids, 0), { results: [deliveryOf(assert.at(fresh, 0), 1)] }, 2)
      )
      assert.strictEqual(yield* takeAfter(assert.at(ids, 0)), "taken")
    })

    test("a lease of more settlements than a restored storage has is lost, and nothing is written", function*() {
      const { id, lease, ids, fresh } = yield* takeWindow([1, 2])
      const store = yield* DeliveryStore
      const [first, second] = [assert.at(fresh, 0), assert.at(fresh, 1)]
      const leaseWith = (settlements: number) => ({ ...lease, settlements })
      const takeWith = (settlements: number) =>
        Effect.map(
          store.take([request(leaseWith(settlements), assert.at(ids, 1))], at(0)),
          ([result]) => assert.present(result)._tag
        )
      assert.isTrue(yield* settle(lease, assert.at(ids, 0), { results: [deliveryOf(first, 1)] }, 2))
      assert.deepStrictEqual([yield* takeWith(1), yield* takeWith(2)], ["taken", "lost"])
      assert.isFalse(yield* settle(leaseWith(2), assert.at(ids, 1), { results: [deliveryOf(second, 1)] }, 2))
      assert.deepStrictEqual((yield* deliveries(id)).map(({ messageId }) => messageId), [assert.at(ids, 0)])
      // A holder whose last answer did not arrive writes the settlement again.
      assert.isTrue(yield* settle(lease, assert.at(ids, 0), { results: [deliveryOf(first, 1)] }, 2))
      assert.isTrue(yield* settle(leaseWith(1), assert.at(ids, 1), { results: [deliveryOf(second, 1)] }, 2))
      const again = assert.at(yield* store.open([id]), 0)
      assert.strictEqual(again.lease.settlements, 0)
      assert.isTrue(yield* settle(again.lease, assert.at(ids, 1), {}, 2))
    })

    test("a lease that was held while ids were moved on is lost", function*() {
      const { id, lease, ids, fresh } = yield* takeWindow([1])
      const store = yield* DeliveryStore
      // After this, the log ends beyond the messages that were read.
      yield* (yield* MessageLog).advance(assert.at(ids, 0))
      const results = yield* store.take([request(lease, assert.at(ids, 0))], at(0))
      assert.deepStrictEqual(results.map(({ _tag }) => _tag), ["lost"])
      assert.isFalse(
        yield* settle(lease, assert.at(ids, 0), { results: [deliveryOf(assert.at(fresh, 0), 1)] }, 2)
      )
      const { endpoint, lease: newLease } = assert.at(yield* store.open([id]), 0)
      const again = assert.at(yield* store.take([request(newLease, endpoint.cursorId)], at(0)), 0)
      assert.deepStrictEqual(
        again._tag === "taken" && again.messages.fresh.map(({ message }) => message.id),
        ids
      )
    })

    test("results and what is parked are recorded, and the cursor moves", function*() {
      const { id, lease, ids, fresh } = yield* takeWindow([1, 2, 3, 3])
      const results = [deliveryOf(assert.at(fresh, 0), 1), failureOf(assert.at(fresh, 1), 1, 6)]
      assert.isTrue(
        yield* settle(lease, assert.at(ids, 3), {
          results,
          waitingMessages: [parkedAs(assert.at(ids, 3), 3), parkedAs(assert.at(ids, 2), 3)]
        }, 2)
      )
      const row = (n: number, status: "PENDING" | "DELIVERED", next: number | null) => ({
        ...parkedAs(assert.present(ids[n]), assert.present([1, 2, 3, 3][n])),
        status,
        tries: 0,
        failedSince: null,
        attempts: [],
        nextAttemptAt: next === null ? null : at(next)
      })
      assert.deepStrictEqual(yield* deliveries(id), [
        { ...row(0, "DELIVERED", null), attempts: [anAttempt(1)] },
        {
          ...row(1, "PENDING", 6),
          tries: 1,
          failedSince: at(1),
          attempts: [anAttempt(1, { status: 500, response: "no" })]
        },
        row(2, "PENDING", 2),
        row(3, "PENDING", null)
      ])
      const { cursorId, failingSince, login } = yield* find(id)
      assert.deepStrictEqual([cursorId, failingSince, login], [ids[3], null, null])
    })

    test("the cursor never moves back; failing and login are as the last one says", function*() {
      const { id, lease, ids } = yield* takeWindow([1, 2])
      const login = { failures: 2, retryAt: at(9), error: "x\0\ud800y" }
      yield* settle(lease, assert.at(ids, 1), { failingSince: at(3), login })
      yield* settle(lease, assert.at(ids, 0), { failingSince: at(3), login })
      const before = yield* find(id)
      assert.deepStrictEqual(
        [before.cursorId, before.failingSince, before.login],
        [ids[1], at(3), { ...login, error: "x\ufffd\ufffdy" }]
      )
      yield* settle(lease, assert.at(ids, 1))
      const after = yield* find(id)
      assert.deepStrictEqual([after.cursorId, after.failingSince, after.login], [ids[1], null, null])
    })

    test("a settlement of a lease that has ended writes nothing, and does not touch the others", function*() {
      const store = yield* DeliveryStore
      const [one, two] = [yield* takeWindow([1, 2]), yield* takeWindow([1, 2])]
      const oldLease = one.lease
      const { lease } = yield* open(one.id)
      yield* settle(lease, assert.at(one.ids, 0), { results: [deliveryOf(assert.at(one.fresh, 0), 1)] })
      const near = yield* create(one.business, { fromId: assert.at(one.ids, 0) })
      const { lease: nearLease } = yield* open(near.id)
      const leasesHold = yield* store.settle([
        aSettlement(oldLease, assert.at(one.ids, 1), {
          results: one.fresh.map((due) => failureOf(due, 2, 7)),
          waitingMessages: [parkedAs(assert.at(one.ids, 1), 2)],
          failingSince: at(2),
          disable: "GONE",
          expiredUpTo: assert.at(one.ids, 0)
        }),
        aSettlement(nearLease, assert.at(one.ids, 1), {
          results: one.fresh.map((delivery) => deliveryOf(delivery))
        }),
        aSettlement(two.lease, assert.at(two.ids, 1), {
          results: [failureOf(assert.at(two.fresh, 1), 2, 8), deliveryOf(assert.at(two.fresh, 0))]
        })
      ], at(2))
      assert.deepStrictEqual(leasesHold, [false, true, true])
      assert.deepStrictEqual(yield* record(one.id), [[one.ids[0], "DELIVERED", 0, null]])
      assert.deepStrictEqual(
        yield* record(near.id),
        one.ids.map((id) => [id, "DELIVERED", 0, null])
      )
      const { cursorId, enabled, failingSince, expiredUpTo } = yield* find(one.id)
      assert.deepStrictEqual([cursorId, enabled, failingSince, expiredUpTo], [one.ids[0], true, null, null])
      assert.deepStrictEqual(yield* record(two.id), [
        [two.ids[0], "DELIVERED", 0, null],
        [two.ids[1], "PENDING", 1, 8]
      ])
    })

    test("settlements of one endpoint are written in their order", function*() {
      const store = yield* DeliveryStore
      const { id, lease, ids, fresh } = yield* takeWindow([1, 2])
      const oldLease = { ...lease, epoch: lease.epoch - 1 }
      const leasesHold = yield* store.settle([
        aSettlement(lease, assert.at(ids, 0), {
          results: [failureOf(assert.at(fresh, 0), 1, 5)],
          failingSince: at(1)
        }),
        aSettlement(oldLease, assert.at(ids, 1), {
          results: [failureOf(assert.at(fresh, 1), 1, 5)],
          failingSince: at(9)
        }),
        aSettlement(lease, assert.at(ids, 1), {
          results: [deliveryOf(assert.at(fresh, 0), 2), deliveryOf(assert.at(fresh, 1), 2)]
        })
      ], at(2))
      assert.deepStrictEqual(leasesHold, [true, false, true])
      assert.deepStrictEqual(
        (yield* deliveries(id)).map(({ status, attempts }) => [status, attempts.map(({ at }) => at)]),
        [["DELIVERED", [at(1), at(2)]], ["DELIVERED", [at(2)]]]
      )
      assert.strictEqual((yield* find(id)).failingSince, null)
      assert.deepStrictEqual(yield* store.settle([], at(2)), [])
    })

    test("the newest attempts are kept, whatever their texts are", function*() {
      const { id, lease, ids, fresh } = yield* takeWindow([1])
      const odd = anAttempt(0, { status: null, response: "a\0b\udc00\n\"", error: "\ud83d" })
      const attempts = [odd, anAttempt(1, { response: "x".repeat(responseLimit + 9) })]
      yield* settle(lease, assert.at(ids, 0), {
        results: [{ ...failureOf(assert.at(fresh, 0), 0, 0), attempts }]
      })
      assert.deepStrictEqual(assert.at(yield* deliveries(id), 0).attempts, [
        { ...odd, response: "a\ufffdb\ufffd\n\"", error: "\ufffd" },
        anAttempt(1, { response: "x".repeat(responseLimit) })
      ])
      for (let n = 2; n <= attemptLimit; n += 2) {
        const next = [anAttempt(n), anAttempt(n + 1)]
        yield* settle(lease, assert.at(ids, 0), {
          results: [{ ...failureOf(assert.at(fresh, 0), 0, 0), attempts: next }]
        })
      }
      assert.deepStrictEqual(
        assert.at(yield* deliveries(id), 0).attempts.map((attempt) => attempt.at),
        Array.from({ length: attemptLimit }, (_, n) => at(n + 2))
      )
    })
  })

  describe("D9.4 order within a shipment", () => {
    test("the next one is due when the earlier one is delivered or dead", function*() {
      const { id, lease, ids, fresh } = yield* takeWindow([1, 1, 1, 2])
      const parkedMessages = [parkedAs(assert.at(ids, 1), 1), parkedAs(assert.at(ids, 2), 1)]
      yield* settle(lease, assert.at(ids, 3), {
        results: [failureOf(assert.at(fresh, 0), 0, 5), deliveryOf(assert.at(fresh, 3))],
        waitingMessages: parkedMessages
      })
      assert.deepStrictEqual((yield* record(id)).map((row) => row[3]), [5, null, null, null])
      yield* settle(lease, assert.at(ids, 3), { results: [deliveryOf(assert.at(fresh, 0))] }, 5)
      assert.deepStrictEqual((yield* record(id)).map((row) => row[3]), [null, 5, null, null])
      yield* settle(lease, assert.at(ids, 3), {
        results: [{ ...deliveryOf(assert.at(fresh, 1)), status: "DEAD" }]
      }, 9)
      assert.deepStrictEqual(yield* record(id), [
        [ids[0], "DELIVERED", 0, null],
        [ids[1], "DEAD", 0, null],
        [ids[2], "PENDING", 0, 9],
        [ids[3], "DELIVERED", 0, null]
      ])
    })

    test("what was parked before it was tried keeps its result, and a result its place", function*() {
      const { id, lease, ids, fresh } = yield* takeWindow([1, 1])
      yield* settle(lease, assert.at(ids, 1), {
        waitingMessages: [parkedAs(assert.at(ids, 0), 1), parkedAs(assert.at(ids, 1), 1)]
      }, 1)
      yield* settle(
        lease,
        assert.at(ids, 1),
        {
          results: [failureOf(assert.at(fresh, 0), 1, 6)],
          waitingMessages: [parkedAs(assert.at(ids, 0), 1)]
        },
        2
      )
      assert.deepStrictEqual(yield* record(id), [[ids[0], "PENDING", 1, 6], [ids[1], "PENDING", 0, null]])
      yield* settle(lease, assert.at(ids, 1), { results: [failureOf(assert.at(fresh, 1), 1, 3)] }, 2)
      assert.deepStrictEqual(
        yield* record(id),
        [[ids[0], "PENDING", 1, 6], [ids[1], "PENDING", 1, null]],
        "it waits, though it was tried"
      )
      yield* settle(lease, assert.at(ids, 1), {
        results: [deliveryOf(assert.at(fresh, 0)), failureOf(assert.at(fresh, 1), 1, 7)]
      }, 2)
      assert.deepStrictEqual(yield* record(id), [[ids[0], "DELIVERED", 0, null], [ids[1], "PENDING", 1, 7]])
    })
  })

  describe("D11 the list of deliveries", () => {
    test("the newest message first, by status, in pages", function*() {
      const store = yield* DeliveryStore
      const { id, lease, ids, fresh } = yield* takeWindow([1, 2, 3, 4, 5])
      const results = fresh.map((due, n) =>
        n === 4
          ? failureOf(due, 0, 5)
          : n % 2 === 0
          ? deliveryOf(due)
          : { ...deliveryOf(due), status: "DEAD" as const }
      )
      yield* settle(lease, assert.at(ids, 4), { results })
      const list = (status: "PENDING" | "DELIVERED" | "DEAD" | undefined, limit: number, after = 0) =>
        Effect.map(store.list(id, status, { limit, after }), ({ items, next }) => [
          items.map(({ messageId }) => ids.indexOf(messageId)),
          next === null ? null : ids.indexOf(Number(next))
        ])
      assert.deepStrictEqual(yield* list(undefined, 3), [[4, 3, 2], 2])
      assert.deepStrictEqual(yield* list(undefined, 3, ids[2]), [[1, 0], null])
      assert.deepStrictEqual(yield* list("DELIVERED", 1), [[2], 2])
      assert.deepStrictEqual(yield* list("DELIVERED", 2), [[2, 0], null])
      assert.deepStrictEqual(yield* list("DEAD", 9), [[3, 1], null])
      assert.deepStrictEqual(yield* list("DEAD", 9, ids[3]), [[1], null])
      assert.deepStrictEqual(yield* list("PENDING", 9), [[4], null])
      assert.deepStrictEqual(yield* store.list(id + 1000, undefined, { limit: 9, after: 0 }), {
        items: [],
        next: null
      })
    })

    test("a page ends early rather than hold more text than its limit", function*() {
      const store = yield* DeliveryStore
      const { id, lease, ids, fresh } = yield* takeWindow(Array.from({ length: 13 }, (_, n) => n + 1))
      const long = anAttempt(0, { response: "x".repeat(responseLimit), error: "y".repeat(responseLimit) })
      const attempts = Array.from({ length: attemptLimit }, () => long)
      const fitting = Math.floor(pageText / (2 * responseLimit * attemptLimit))
      assert.strictEqual(fitting, 10)
      const results = fresh.map((due, n) => n === 0 ? deliveryOf(due) : { ...deliveryOf(due), attempts })
      yield* settle(lease, assert.at(ids, -1), { results })
      const newest = ids.toReversed()
      const list = (limit: number, after: number) =>
        Effect.map(
          store.list(id, "DELIVERED", { limit, after }),
          ({ items, next }) => [items.map(({ messageId }) => messageId), next]
        )
      assert.deepStrictEqual(yield* list(100, 0), [newest.slice(0, fitting), String(newest[fitting - 1])])
      assert.deepStrictEqual(yield* list(100, assert.present(newest[fitting - 1])), [
        newest.slice(fitting),
        null
      ])
      assert.deepStrictEqual(yield* list(3, 0), [newest.slice(0, 3), String(newest[2])])
    })
  })
}
