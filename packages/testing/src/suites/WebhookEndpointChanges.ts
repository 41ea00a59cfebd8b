/**
 * The rules for operators' changes of webhook endpoints, for every storage.
 */
import { DeliveryStore } from "@dockline/core/webhooks/DeliveryStore"
import type { SealedText } from "@dockline/core/webhooks/SecretsVault"
import { WebhookEndpointStore } from "@dockline/core/webhooks/WebhookEndpointStore"
import { Effect, Result } from "effect"
import * as assert from "../Assert.ts"
import {
  appendOf,
  at,
  create,
  deliveryOf,
  failureOf,
  find,
  isReady,
  open,
  record,
  settle,
  take,
  takeTag,
  unchanged,
  update
} from "../worlds/DeliveryWorld.ts"
import type { Part } from "../worlds/DeliveryWorld.ts"
import { aBusiness } from "../worlds/MessageLogWorld.ts"

/** The cases of changing endpoints. */
export const webhookEndpointChanges: Part = (test, describe) => {
  describe("D11 changing", () => {
    test("an operator changes settings, and the version grows", function*() {
      const business = yield* aBusiness
      const before = yield* create(business)
      const changes = {
        baseUrl: "https://new.example",
        messageTypes: ["SHIPMENT_COMPLETE"] as const,
        authentication: { type: "none", settings: {}, secrets: {} },
        signingSecrets: [{ sealed: "x" as SealedText, validUntil: at(9) }],
        headers: [{ name: "X-Key", sealed: "y" as SealedText }],
        ratePerSecond: 1000,
        signatures: ["v1", "v1a"] as const,
        payloadProfile: "another"
      }
      const after = yield* update(before.id, changes)
      assert.deepStrictEqual(after, { ...before, ...changes, version: 2 })
      assert.deepStrictEqual(yield* find(before.id), after)
    })

    test("a refused change is not written, and an unknown endpoint is not changed", function*() {
      const store = yield* WebhookEndpointStore
      const before = yield* create(yield* aBusiness)
      assert.strictEqual(yield* Effect.flip(store.update(before.id, at(0), () => Result.fail("no"))), "no")
      assert.deepStrictEqual(yield* find(before.id), before)
      assert.strictEqual(yield* update(before.id + 1000, {}), null)
    })

    test("changes at once come one after another", function*() {
      const store = yield* WebhookEndpointStore
      const { id } = yield* create(yield* aBusiness, { baseUrl: "https://c.example/" })
      const longer = store.update(
        id,
        at(0),
        (endpoint) => Result.succeed({ ...unchanged(endpoint), baseUrl: `${endpoint.baseUrl}x` })
      )
      yield* Effect.all(Array.from({ length: 20 }, () => longer), { concurrency: 8 })
      const { baseUrl, version } = yield* find(id)
      assert.deepStrictEqual([baseUrl, version], [`https://c.example/${"x".repeat(20)}`, 21])
    })

    test("D9.3 one that is enabled begins anew: what is pending is due, its lease has ended", function*() {
      const business = yield* aBusiness
      const { id } = yield* create(business)
      const ids = yield* appendOf(business, [1, 1, 2, 3])
      const { lease } = yield* open(id)
      const { fresh } = yield* take(lease, 0)
      const login = { failures: 3, retryAt: at(200), error: "refused" }
      yield* settle(lease, assert.at(ids, 3), {
        results: [
          failureOf(assert.at(fresh, 2), 1, 5),
          failureOf(assert.at(fresh, 0), 1, 300),
          deliveryOf(assert.at(fresh, 3))
        ],
        waitingMessages: [{ messageId: assert.at(ids, 1), messageType: "PALLET_EVENT", shipmentId: 1 }],
        failingSince: at(1),
        login,
        disable: "FAILING"
      })
      const disabled = yield* find(id)
      assert.deepStrictEqual(
        [
          disabled.enabled,
          disabled.disabledReason,
          disabled.failingSince,
          disabled.login,
          disabled.version
        ],
        [false, "FAILING", at(1), login, 1]
      )
      assert.strictEqual(yield* takeTag(lease), "closed")
      const enabled = yield* update(id, { enabled: true, disabledReason: "" }, 60)
      assert.deepStrictEqual(
        [enabled?.enabled, enabled?.disabledReason, enabled?.failingSince, enabled?.login],
        [true, "", null, null]
      )
      assert.deepStrictEqual(yield* record(id), [
        [ids[0], "PENDING", 0, 60],
        [ids[1], "PENDING", 0, null],
        [ids[2], "PENDING", 0, 60],
        [ids[3], "DELIVERED", 0, null]
      ])
      assert.strictEqual(yield* takeTag(lease), "lost")
      assert.isTrue(yield* isReady(id, 60))
      const again = yield* open(id)
      const { due } = yield* take(again.lease, assert.at(ids, 3), 60)
      assert.deepStrictEqual(
        due.map(({ message, progress }) => [message.id, progress.tries, progress.failedSince]),
        [[assert.at(ids, 0), 0, null], [assert.at(ids, 2), 0, null]]
      )
    })

    test("a change of an enabled one keeps deliveries and lease, and ends the wait for a login", function*() {
      const business = yield* aBusiness
      const { id } = yield* create(business)
      const [first] = yield* appendOf(business, [1])
      const { lease } = yield* open(id)
      const { fresh } = yield* take(lease, 0)
      const login = { failures: 6, retryAt: at(300), error: "refused" }
      yield* settle(lease, assert.present(first), {
        results: [failureOf(assert.at(fresh, 0), 1, 300)],
        failingSince: at(1),
        login
      })
      const change = yield* update(id, { baseUrl: "https://new.example" }, 60)
      assert.strictEqual(change?.failingSince, at(1))
      assert.strictEqual(change?.login, null, "the change may fix the login")
      assert.deepStrictEqual(yield* record(id), [[first, "PENDING", 1, 300]])
      const { endpoint } = yield* take(lease, assert.present(first), 60)
      assert.strictEqual(endpoint?.baseUrl, "https://new.example")
      assert.strictEqual((yield* take(lease, assert.present(first), 60, { version: 2 })).endpoint, undefined)
    })

    test("D9.3 a disabled endpoint keeps its first reason, and records what was on its way", function*() {
      const business = yield* aBusiness
      const { id } = yield* create(business)
      yield* appendOf(business, [1])
      const { lease } = yield* open(id)
      const { fresh } = yield* take(lease, 0)
      yield* update(id, { enabled: false, disabledReason: "OPERATOR" })
      assert.isTrue(
        yield* settle(lease, assert.at(fresh, 0).message.id, {
          results: [deliveryOf(assert.at(fresh, 0))],
          disable: "GONE"
        })
      )
      assert.strictEqual((yield* find(id)).disabledReason, "OPERATOR")
      assert.deepStrictEqual(yield* record(id), [[assert.at(fresh, 0).message.id, "DELIVERED", 0, null]])
      assert.isFalse(yield* isReady(id))
      assert.deepStrictEqual(yield* DeliveryStore.use((store) => store.open([id])), [])
    })
  })
}
