/**
 * The rules for every delivery store: taking the next messages of an endpoint, from the log and from its due deliveries.
 */
import { MessageLog } from "@dockline/core/messages/MessageLog"
import { sizeOf } from "@dockline/core/webhooks/Delivery"
import type { TakenMessages } from "@dockline/core/webhooks/DeliveryStore"
import { Effect } from "effect"
import * as assert from "../../Assert.ts"
import {
  appendOf,
  at,
  create,
  deliveryOf,
  failureOf,
  find,
  isReady,
  open,
  settle,
  take
} from "../../worlds/DeliveryWorld.ts"
import type { Part } from "../../worlds/DeliveryWorld.ts"
import {
  aBusiness,
  aDraft,
  append,
  at as atMillis,
  day,
  longAgo,
  longRetention
} from "../../worlds/MessageLogWorld.ts"

const dueIds = ({ due }: TakenMessages) => due.map(({ message }) => message.id)
const freshIds = ({ fresh }: TakenMessages) => fresh.map(({ message }) => message.id)
const blockedIds = ({ blocked }: TakenMessages) => blocked.map(({ messageId }) => messageId)

/** An endpoint with its lease, and messages of these shipments after its cursor. */
const openWith = Effect.fnUntraced(function*(shipmentIds: ReadonlyArray<number>) {
  const business = yield* aBusiness
  const { id } = yield* create(business)
  const { lease } = yield* open(id)
  return { business, id, lease, ids: yield* appendOf(business, shipmentIds) }
})

/** The cases of taking. */
export const taking: Part = (test, describe) => {
  describe("D9.1 the log after the cursor", () => {
    test("messages come as they were appended", function*() {
      const business = yield* aBusiness
      const { id } = yield* create(business)
      const payload = { text: "ä\u0001\"\\ 🚚 %s", list: ["1", ""], none: null }
      const [message] = yield* append(
        aDraft(business, 0, { payload, shipmentId: 7, type: "SHIPMENT_COMPLETE" })
      )
      const { lease } = yield* open(id)
      const { fresh, ...rest } = yield* take(lease, 0)
      assert.deepStrictEqual(fresh, [{
        message: assert.present(message),
        progress: { tries: 0, failedSince: null }
      }])
      assert.deepStrictEqual(rest, {
        endpoint: undefined,
        due: [],
        staleDeliveries: [],
        blocked: [],
        readTo: assert.present(message).id,
        more: false,
        expiredUpTo: undefined
      })
    })

    for (
      const [facility, messageTypes, expected] of [
        [null, ["PALLET_EVENT", "SHIPMENT_COMPLETE"], [0, 1, 2, 3]],
        [null, ["PALLET_EVENT"], [0, 2]],
        [null, ["SHIPMENT_COMPLETE"], [1, 3]],
        ["west", ["PALLET_EVENT", "SHIPMENT_COMPLETE"], [2, 3]],
        ["west", ["PALLET_EVENT"], [2]],
        ["west", ["SHIPMENT_COMPLETE"], [3]]
      ] as const
    ) {
      test(`an endpoint of ${facility ?? "all"} for ${messageTypes.join(" and ")} gets those alone`, function*() {
        const [business, other] = [yield* aBusiness, yield* aBusiness]
        const { id } = yield* create(business, { facility, messageTypes, fromId: 1 })
        const ids = [
          ...yield* appendOf(business, [1]),
          ...yield* appendOf(business, [2], { type: "SHIPMENT_COMPLETE" }),
          ...yield* appendOf(business, [3], { facility: "west" }),
          ...yield* appendOf(business, [4], { facility: "west", type: "SHIPMENT_COMPLETE" })
        ]
        const [last] = yield* appendOf(business, [5], { facility: "east" })
        yield* appendOf(other, [6])
        const { lease } = yield* open(id)
        const batch = yield* take(lease, 0)
        const expectedIds = expected.map((n) => ids[n])
        assert.deepStrictEqual(freshIds(batch).filter((id) => id !== last), expectedIds)
        assert.deepStrictEqual([batch.readTo, batch.more], [last, false], "also past what it does not want")
        const first = yield* take(lease, 0, 0, { limit: 1 })
        assert.deepStrictEqual(freshIds(first), [expectedIds[0]])
        const rest = yield* take(lease, first.readTo)
        assert.deepStrictEqual(freshIds(rest).filter((id) => id !== last), expectedIds.slice(1))
      })
    }

    test("D9.4 a pending message blocks those of its shipment; recorded ones do not return", function*() {
      const { business, lease, ids } = yield* openWith([1, 2, 3])
      const { fresh } = yield* take(lease, 0)
      // The third message was delivered before the first two, so its row is after the cursor.
      yield* settle(lease, assert.at(ids, 0), {
        results: [failureOf(assert.at(fresh, 0), 0, 30), deliveryOf(assert.at(fresh, 2))]
      })
      const more = yield* appendOf(business, [1, 3, 1])
      const batch = yield* take(lease, assert.at(ids, 0))
      assert.deepStrictEqual(freshIds(batch), [ids[1], more[1]])
      assert.deepStrictEqual(
        batch.blocked,
        [assert.at(more, 0), assert.at(more, 2)].map((messageId) => ({
          messageId,
          messageType: "PALLET_EVENT",
          shipmentId: 1
        }))
      )
      assert.deepStrictEqual(batch.due, [])
    })

    test("limits cut the log, blocked messages among them; one message comes at least", function*() {
      const business = yield* aBusiness
      const { id } = yield* create(business)
      const { lease } = yield* open(id)
      const size = { n: 1, text: "x".repeat(80) }
      const [first] = yield* appendOf(business, [1])
      const { fresh } = yield* take(lease, 0)
      yield* settle(lease, assert.present(first), { results: [failureOf(assert.at(fresh, 0), 0, 30)] })
      const ids = yield* appendOf(business, [1, 2, 1, 3, 4], { payload: size })
      const takeWithin = (limit: number, textLimit: number) =>
        Effect.map(take(lease, assert.present(first), 0, { limit, textLimit }), (batch) => [
          freshIds(batch),
          blockedIds(batch),
          batch.readTo,
          batch.more
        ])
      assert.deepStrictEqual(yield* takeWithin(3, 1000), [[ids[1]], [ids[0], ids[2]], ids[2], true])
      assert.deepStrictEqual(yield* takeWithin(5, 1000), [
        [ids[1], ids[3], ids[4]],
        [ids[0], ids[2]],
        ids[4],
        false
      ])
      assert.deepStrictEqual(yield* takeWithin(5, 250), [[ids[1], ids[3]], [ids[0], ids[2]], ids[3], true])
      assert.deepStrictEqual(yield* takeWithin(5, 200), [[ids[1], ids[3]], [ids[0], ids[2]], ids[3], true])
      assert.deepStrictEqual(yield* takeWithin(5, 1), [[ids[1]], [ids[0]], ids[1], true])
      assert.deepStrictEqual(yield* takeWithin(1, 1000), [[], [ids[0]], ids[0], true])
    })

    test("D7.4 what was dropped before it was taken is told", function*() {
      const log = yield* MessageLog
      const business = yield* aBusiness
      const { id } = yield* create(business)
      const { lease } = yield* open(id)
      const old = yield* atMillis(longAgo)(appendOf(business, [1, 2]))
      const { fresh } = yield* take(lease, 0)
      yield* settle(lease, assert.at(old, 0), { results: [failureOf(assert.at(fresh, 0), 0, 30)] })
      const [young] = yield* atMillis(longAgo + day)(appendOf(business, [3]))
      yield* atMillis(longAgo + longRetention + 1)(log.dropExpired)
      const batch = yield* take(lease, assert.at(old, 0), 30)
      assert.deepStrictEqual([freshIds(batch), batch.readTo, batch.expiredUpTo], [[young], young, old[1]])
      assert.deepStrictEqual(batch.due, [])
      assert.deepStrictEqual(
        batch.staleDeliveries.map(({ messageId, tries, attempts }) => [messageId, tries, attempts.length]),
        [[old[0], 1, 1]]
      )
      yield* settle(lease, assert.present(young), {
        results: [{
          ...assert.at(batch.staleDeliveries, 0),
          status: "DEAD",
          attempts: [],
          nextAttemptAt: null
        }],
        expiredUpTo: batch.expiredUpTo
      })
      assert.strictEqual((yield* find(id)).expiredUpTo, old[1])
      assert.strictEqual((yield* take(lease, assert.present(young), 30)).expiredUpTo, undefined)
      yield* settle(lease, assert.present(young), {})
      assert.strictEqual((yield* find(id)).expiredUpTo, old[1], "it stays")
    }, { retentionMillis: longRetention })
  })

  describe("D9.3 what is due", () => {
    test("in the order of times and ids, with how far it is in its schedule", function*() {
      const { id, lease, ids } = yield* openWith([1, 2, 3, 4])
      const { fresh } = yield* take(lease, 0)
      const results = [30, 20, 20, 31].map((again, n) => failureOf(assert.present(fresh[n]), n, again))
      yield* settle(lease, assert.at(ids, 3), { results })
      assert.deepStrictEqual(dueIds(yield* take(lease, assert.at(ids, 3), 19)), [])
      const batch = yield* take(lease, assert.at(ids, 3), 30)
      assert.deepStrictEqual(
        batch.due.map(({ message, progress }) => [message.id, message.shipmentId, progress]),
        [
          [assert.at(ids, 1), 2, { tries: 1, failedSince: at(1) }],
          [assert.at(ids, 2), 3, { tries: 1, failedSince: at(2) }],
          [assert.at(ids, 0), 1, { tries: 1, failedSince: at(0) }]
        ]
      )
      const rest = yield* take(lease, assert.at(ids, 3), 30, {
        takenIds: [assert.at(ids, 1), assert.at(ids, 0)]
      })
      assert.deepStrictEqual(dueIds(rest), [ids[2]], "what was taken does not come again")
      assert.isTrue(yield* isReady(id, 30))
    })

    test("it comes before the log, and shares the limits with it", function*() {
      const business = yield* aBusiness
      const { id } = yield* create(business)
      const { lease } = yield* open(id)
      const payload = { n: 1, text: "x".repeat(80) }
      const old = yield* appendOf(business, [1, 2, 3], { payload })
      const { fresh } = yield* take(lease, 0)
      yield* settle(lease, assert.at(old, 2), { results: fresh.map((delivery) => failureOf(delivery, 0, 0)) })
      const young = yield* appendOf(business, [4, 5], { payload })
      const takeWithin = (limit: number, textLimit: number) =>
        Effect.map(take(lease, assert.at(old, 2), 0, { limit, textLimit }), (batch) => [
          dueIds(batch),
          freshIds(batch),
          batch.readTo,
          batch.more
        ])
      assert.deepStrictEqual(yield* takeWithin(9, 1000), [old, young, young[1], false])
      assert.deepStrictEqual(yield* takeWithin(4, 1000), [old, [young[0]], young[0], true])
      assert.deepStrictEqual(yield* takeWithin(3, 1000), [old, [], old[2], true])
      assert.deepStrictEqual(yield* takeWithin(2, 1000), [[old[0], old[1]], [], old[2], true])
      assert.deepStrictEqual(yield* takeWithin(9, 400), [old, [young[0]], young[0], true])
      assert.deepStrictEqual(yield* takeWithin(9, 300), [old, [], old[2], true])
      assert.deepStrictEqual(yield* takeWithin(9, 150), [[old[0]], [], old[2], true])
      assert.deepStrictEqual(yield* takeWithin(9, 1), [[old[0]], [], old[2], true])
    })

    test("beyond the limits it is told as more, and comes before the rest of the log", function*() {
      const log = yield* MessageLog
      const business = yield* aBusiness
      const { lease } = yield* open((yield* create(business)).id)
      const ids = yield* atMillis(longAgo)(appendOf(business, [1, 2]))
      const { fresh } = yield* take(lease, 0)
      yield* settle(lease, assert.at(ids, 1), { results: fresh.map((delivery) => failureOf(delivery, 0, 0)) })
      const takeWithin = (limits: { readonly limit?: number; readonly textLimit?: number }) =>
        Effect.map(take(lease, assert.at(ids, 1), 0, limits), (batch) => [
          [...dueIds(batch), ...batch.staleDeliveries.map(({ messageId }) => messageId)],
          blockedIds(batch),
          batch.readTo,
          batch.more,
          batch.expiredUpTo
        ])
      assert.deepStrictEqual(yield* takeWithin({ limit: 1 }), [[ids[0]], [], ids[1], true, undefined])
      assert.deepStrictEqual(yield* takeWithin({ limit: 2 }), [ids, [], ids[1], false, undefined])
      // The text of a blocked message does not count, so the message would fit together with the first one.
      const [blocked] = yield* atMillis(longAgo)(appendOf(business, [1]))
      const textLimit = 2 * sizeOf(assert.at(fresh, 0).message) - 1
      assert.deepStrictEqual(yield* takeWithin({ textLimit }), [[ids[0]], [], ids[1], true, undefined])
      assert.deepStrictEqual(yield* takeWithin({}), [ids, [blocked], blocked, false, undefined])
      yield* atMillis(longAgo + day)(appendOf(business, [3]))
      yield* atMillis(longAgo + longRetention + 1)(log.dropExpired)
      assert.deepStrictEqual(yield* takeWithin({ limit: 1 }), [[ids[0]], [], ids[1], true, undefined])
      assert.deepStrictEqual((yield* takeWithin({})).slice(-2), [false, blocked])
    }, { retentionMillis: longRetention })
  })
}
