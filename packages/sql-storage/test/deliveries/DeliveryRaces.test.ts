import { MessageLog } from "@dockline/core/messages/MessageLog"
import { DeliveryStore } from "@dockline/core/webhooks/DeliveryStore"
import { WebhookEndpointStore } from "@dockline/core/webhooks/WebhookEndpointStore"
import { Announcer } from "@dockline/sql-storage/connections/Announcer"
import * as SqlDeliveryStore from "@dockline/sql-storage/stores/SqlDeliveryStore"
import {
  aSettlement,
  at,
  create,
  deliveryOf,
  failureOf,
  find,
  open,
  record,
  settle,
  take,
  takeWindow,
  unchanged
} from "@dockline/testing/worlds/DeliveryWorld"
import { aBusiness, aDraft } from "@dockline/testing/worlds/MessageLogWorld"
import { assert, describe } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer, Result } from "effect"
import { over } from "../../../../test/support/Tests.ts"
import { holding, lockWaiters, services, statements, times } from "../Movements.ts"

/** Deliveries as another instance on the same database sees them. */
const instance = Layer.fresh(SqlDeliveryStore.layer).pipe(Layer.provide(Layer.fresh(Announcer.layer)))

over(services)("webhook endpoints at once on PostgreSQL", (test) => {
  describe("D9.3 a new endpoint starts at now", () => {
    test("a message that is being committed while it is made is not lost, and neither waits for the other", function*() {
      const log = yield* MessageLog
      const business = yield* aBusiness
      const writer = yield* holding(log.append([aDraft(business, 1)]))
      const { id, cursorId } = yield* create(business)
      yield* writer.commit
      assert.isBelow(cursorId, writer.value[0]!.id)
      const { lease } = yield* open(id)
      const { fresh } = yield* take(lease, cursorId)
      assert.deepStrictEqual(fresh.map(({ message }) => message.id), [writer.value[0]!.id])
    })
  })

  describe("leases", () => {
    test("who settles while another opens is refused once that is committed, and others of the batch are not", function*() {
      const store = yield* DeliveryStore
      const [one, two] = [yield* takeWindow([1]), yield* takeWindow([1])]
      const opening = yield* holding(open(one.id))
      const settling = yield* Effect.forkChild(statements(
        Effect.map(
          store.settle(
            [two, one].map(({ lease, ids, fresh }) =>
              aSettlement(lease, ids[0]!, { results: [failureOf(fresh[0]!, 0, 5)], disable: "GONE" })
            ),
            at(0)
          ),
          (answers) => assert.deepStrictEqual(answers, [true, false])
        )
      ))
      yield* lockWaiters(1)
      yield* opening.commit
      assert.strictEqual(yield* Fiber.join(settling), 1)
      assert.deepStrictEqual([yield* record(one.id), (yield* record(two.id)).length], [[], 1])
      assert.deepStrictEqual([(yield* find(one.id)).enabled, (yield* find(two.id)).enabled], [true, false])
    })

    test("batches that name the same endpoints in other orders do not deadlock", function*() {
      const store = yield* DeliveryStore
      const all = yield* Effect.forEach(times(8), () => takeWindow(times(4)))
      const orders = times(40).map((n) => all.map((_, index) => all[(index * 3 + n) % all.length]!))
      const ids = yield* Effect.all(
        orders.map((order, n) =>
          statements(store.settle(
            order.map(({ lease, ids, fresh }) =>
              aSettlement(lease, ids[n % 4]!, { results: fresh.map((due) => failureOf(due, n, n + 5)) })
            ),
            at(n)
          ))
        ),
        { concurrency: 8 }
      )
      assert.deepStrictEqual(ids, orders.map(() => 1), "none is repeated")
      for (const { id } of all) {
        const deliveries = yield* store.list(id, undefined, { limit: 9, after: 0 })
        assert.deepStrictEqual(deliveries.items.map(({ attempts }) => attempts.length), [40, 40, 40, 40])
      }
    })
  })

  describe("D11 operators and dispatchers at once", () => {
    test("a change does not undo what disabled the endpoint meanwhile", function*() {
      const endpoints = yield* WebhookEndpointStore
      const { id, lease } = yield* takeWindow([1])
      const disabling = yield* holding(settle(lease, 0, { disable: "GONE" }))
      const answers: Array<boolean> = []
      const changing = yield* Effect.forkChild(endpoints.update(id, at(0), (endpoint) => {
        answers.push(endpoint.enabled)
        return Result.succeed({ ...unchanged(endpoint), baseUrl: "https://new.example" })
      }))
      yield* lockWaiters(1)
      yield* disabling.commit
      yield* Fiber.join(changing)
      const { baseUrl, disabledReason, enabled } = yield* find(id)
      assert.deepStrictEqual([baseUrl, disabledReason, enabled], ["https://new.example", "GONE", false])
      assert.deepStrictEqual(answers, [true, false], "it is made again of what is there then")
    })

    test("a replay waits for a settlement, and has the last word", function*() {
      const store = yield* DeliveryStore
      const { id, lease, ids, fresh } = yield* takeWindow([1, 1])
      yield* settle(lease, ids[0]!, { results: [deliveryOf(fresh[0]!)] })
      const settling = yield* holding(settle(lease, ids[1]!, { results: [failureOf(fresh[1]!, 1, 300)] }))
      const replaying = yield* Effect.forkChild(store.replay(id, ids[0]!, at(60)))
      yield* lockWaiters(1)
      yield* settling.commit
      yield* Fiber.join(replaying)
      assert.deepStrictEqual(yield* record(id), [[ids[0], "PENDING", 0, 60], [ids[1], "PENDING", 1, null]])
    })

    test("replays, settlements and changes at once leave one delivery of each shipment with a time", function*() {
      const store = yield* DeliveryStore
      const endpoints = yield* WebhookEndpointStore
      const { id, lease, ids, fresh } = yield* takeWindow(times(24).map((n) => n % 4))
      yield* settle(lease, ids[23]!, { results: fresh.map((due) => deliveryOf(due)) })
      const change = (n: number) =>
        endpoints.update(
          id,
          at(n),
          (endpoint) => Result.succeed({ ...unchanged(endpoint), baseUrl: `https://c.example/${n}` })
        )
      yield* Effect.all(
        times(60).map((n): Effect.Effect<unknown, unknown> =>
          n % 3 === 0
            ? store.replay(id, ids[(n * 7) % 24]!, at(n))
            : n % 3 === 1
            ? store.settle(
              [aSettlement(lease, 0, { results: [failureOf(fresh[(n * 5) % 24]!, n, n + 9)] })],
              at(n)
            )
            : n % 4 === 0
            ? store.replayRange(id, { fromId: ids[n % 24]!, toId: ids[(n * 11) % 24]! }, at(n))
            : change(n)
        ),
        { concurrency: 8, discard: true }
      )
      const rows = yield* store.list(id, "PENDING", { limit: 99, after: 0 })
      const first = new Map(rows.items.map(({ messageId, shipmentId }) => [shipmentId, messageId]))
      assert.deepStrictEqual(
        rows.items.filter(({ nextAttemptAt }) => nextAttemptAt !== null).map(({ messageId }) => messageId)
          .sort(),
        Array.from(first.values()).sort()
      )
    })
  })

  describe("several instances", () => {
    test("an operator's replay on one wakes the dispatcher of another", function*() {
      const { id, lease, ids, fresh } = yield* takeWindow([1])
      yield* settle(lease, ids[0]!, { results: [deliveryOf(fresh[0]!)] })
      const here = yield* DeliveryStore
      const wakeUp = yield* Deferred.make<void>()
      // Again and again: what is announced before the other one listens is not heard.
      const replaying = Effect.andThen(here.replay(id, ids[0]!, at(0)), Effect.sleep("20 millis"))
      yield* Effect.gen(function*() {
        const there = yield* DeliveryStore
        assert.notStrictEqual(there, here)
        yield* there.watch(() => Deferred.doneUnsafe(wakeUp, Effect.void))
        yield* Effect.race(Effect.forever(replaying), Deferred.await(wakeUp))
      }).pipe(
        Effect.provide(instance, { local: true }),
        Effect.scoped
      )
    })
  })
})
