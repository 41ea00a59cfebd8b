/** Deliveries on PostgreSQL while messages are appended, operators change endpoints, and dispatchers settle, all at once. */
import { MessageLog } from "@dockline/core/messages/MessageLog"
import { DeliveryStore } from "@dockline/core/webhooks/DeliveryStore"
import { WebhookEndpointStore } from "@dockline/core/webhooks/WebhookEndpoint"
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

/** The store of deliveries of another instance on the same database. */
const instance = Layer.fresh(SqlDeliveryStore.layer).pipe(Layer.provide(Layer.fresh(Announcer.layer)))

over(services)("webhook endpoints at once on PostgreSQL", (test) => {
  describe("D9.3 a new endpoint starts at now", () => {
    test("it gets a message whose transaction commits after its creation, and neither waits for the other", function*() {
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
    test("a settlement whose endpoint another dispatcher is opening is refused, and the others of its batch are written", function*() {
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

    test("batches with the same endpoints in different orders do not deadlock", function*() {
      const store = yield* DeliveryStore
      const all = yield* Effect.forEach(times(8), () => takeWindow(times(4)))
      const permutations = times(40).map((n) => all.map((_, index) => all[(index * 3 + n) % all.length]!))
      const statementCounts = yield* Effect.all(
        permutations.map((permutation, n) =>
          statements(store.settle(
            permutation.map(({ lease, ids, fresh }) =>
              aSettlement(lease, ids[n % 4]!, { results: fresh.map((due) => failureOf(due, n, n + 5)) })
            ),
            at(n)
          ))
        ),
        { concurrency: 8 }
      )
      assert.deepStrictEqual(statementCounts, permutations.map(() => 1), "no batch is repeated")
      for (const { id } of all) {
        const deliveries = yield* store.list(id, undefined, { limit: 9, after: 0 })
        assert.deepStrictEqual(deliveries.items.map(({ attempts }) => attempts.length), [40, 40, 40, 40])
      }
    })
  })

  describe("D11 operators and dispatchers at once", () => {
    test("a change does not enable an endpoint that a settlement disables meanwhile", function*() {
      const endpoints = yield* WebhookEndpointStore
      const { id, lease } = yield* takeWindow([1])
      const disabling = yield* holding(settle(lease, 0, { disable: "GONE" }))
      const enabledValues: Array<boolean> = []
      const changing = yield* Effect.forkChild(endpoints.update(id, at(0), (endpoint) => {
        enabledValues.push(endpoint.enabled)
        return Result.succeed({ ...unchanged(endpoint), baseUrl: "https://new.example" })
      }))
      yield* lockWaiters(1)
      yield* disabling.commit
      yield* Fiber.join(changing)
      const { baseUrl, disabledReason, enabled } = yield* find(id)
      assert.deepStrictEqual([baseUrl, disabledReason, enabled], ["https://new.example", "GONE", false])
      assert.deepStrictEqual(enabledValues, [true, false], "the change is made again, of the new state")
    })

    test("a replay waits for a settlement, and then applies to its result", function*() {
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

    test("replays, settlements and changes at once leave one scheduled delivery for each shipment", function*() {
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
      // The replay is repeated, because the other instance misses announcements from before it listens.
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
