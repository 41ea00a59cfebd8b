/** The rules for every store of webhook endpoints, and for operators' changes of them. */
import { MessageLog } from "@dockline/core/messages/MessageLog"
import { DeliveryStore } from "@dockline/core/webhooks/DeliveryStore"
import type { SealedText } from "@dockline/core/webhooks/SecretsVault"
import { backlogLimit, endpointLimit, WebhookEndpointStore } from "@dockline/core/webhooks/WebhookEndpoint"
import { Effect, Result } from "effect"
import * as assert from "../Assert.ts"
import { unique } from "../generators/Given.ts"
import type { Suite } from "../Suite.ts"
import {
  appendOf,
  aSettlement,
  at,
  create,
  deliveryOf,
  failureOf,
  find,
  isReady,
  open,
  record,
  settle,
  suiteOf,
  take,
  takeTag,
  unchanged,
  update
} from "../worlds/DeliveryWorld.ts"
import type { Part, Ports } from "../worlds/DeliveryWorld.ts"
import { aBusiness, at as atMillis, day, longAgo, longRetention } from "../worlds/MessageLogWorld.ts"
import { pagesOf } from "../worlds/ReadWorld.ts"

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

/** The suite of the store of webhook endpoints. */
export const webhookEndpointStoreSuite: Suite<Ports> = suiteOf(
  "the store of webhook endpoints",
  (test, describe) => {
    describe("D11 creating", () => {
      test("an endpoint is kept as it was made", function*() {
        const business = yield* aBusiness
        const authentication = {
          type: "token",
          settings: { loginUrl: "https://c.example/login", username: "ä\"\\ 🚚", scheme: "" },
          secrets: { password: "v1.abc" as SealedText }
        }
        const signingSecrets = [
          { sealed: "new" as SealedText, validUntil: null },
          { sealed: "old" as SealedText, validUntil: at(86_400) }
        ]
        const input = {
          facility: "west",
          messageTypes: ["SHIPMENT_COMPLETE"] as const,
          headers: [
            { name: "X-Zone", sealed: "v1.z" as SealedText },
            { name: "Api-Key", sealed: "v1.a" as SealedText }
          ],
          ratePerSecond: 25,
          signatures: ["v1", "v1a"] as const,
          payloadProfile: "another",
          authentication,
          signingSecrets
        }
        const created = yield* create(business, { ...input, now: at(5) })
        assert.deepStrictEqual(created, {
          ...input,
          id: created.id,
          business,
          baseUrl: "https://customer.example:8443/hooks",
          enabled: true,
          disabledReason: "",
          version: 1,
          createdAt: at(5),
          cursorId: 0,
          failingSince: null,
          login: null,
          expiredUpTo: null,
          backlog: 0
        })
        assert.deepStrictEqual(yield* find(created.id), created)
        const other = yield* create(business, { enabled: false })
        assert.isAbove(other.id, created.id)
        assert.deepStrictEqual([other.enabled, other.disabledReason, other.facility], [
          false,
          "OPERATOR",
          null
        ])
      })

      test("unknown places are refused", function*() {
        const business = yield* aBusiness
        const refusal = (slug: string, facility: string | null) =>
          Effect.map(Effect.flip(create(slug, { facility })), ({ _tag }) => _tag)
        const nobody = unique("nobody")
        assert.strictEqual(yield* refusal(nobody, "west"), "BusinessNotFound")
        assert.strictEqual(yield* refusal(nobody, null), "BusinessNotFound")
        assert.strictEqual(yield* refusal(business, "north"), "FacilityNotFound")
        const store = yield* WebhookEndpointStore
        assert.deepStrictEqual((yield* store.list([business], { limit: 9, after: 0 })).items, [])
      })

      test("D9.3 a new endpoint starts at now, or at fromId inclusive", function*() {
        const business = yield* aBusiness
        const ids = yield* appendOf(business, [1, 2, 3])
        const now = yield* create(business)
        assert.strictEqual(now.cursorId, ids[2])
        const from = yield* create(business, { fromId: assert.at(ids, 1) })
        assert.deepStrictEqual([from.cursorId, from.backlog], [assert.at(ids, 1) - 1, 2])
        const { lease, endpoint } = yield* open(from.id)
        const batch = yield* take(lease, endpoint.cursorId)
        assert.deepStrictEqual(batch.fresh.map(({ message }) => message.id), ids.slice(1))
      })

      test("D9.3 a start beyond the message after the newest is an error", function*() {
        const [business, empty] = [yield* aBusiness, yield* aBusiness]
        const [last] = yield* appendOf(business, [1])
        assert.strictEqual(
          (yield* create(business, { fromId: assert.present(last) + 1 })).cursorId,
          assert.present(last)
        )
        const ahead = yield* Effect.flip(create(business, { fromId: assert.present(last) + 2 }))
        assert.strictEqual(ahead._tag === "CursorAhead" && ahead.newestId, assert.present(last))
        assert.strictEqual((yield* create(empty, { fromId: 1 })).cursorId, 0)
        assert.strictEqual((yield* Effect.flip(create(empty, { fromId: 2 })))._tag, "CursorAhead")
      })

      test("D9.3 a start that has been dropped is an error", function*() {
        const business = yield* aBusiness
        const [, second, third] = yield* atMillis(longAgo)(appendOf(business, [1, 2, 3]))
        yield* atMillis(longAgo + day)(appendOf(business, [4]))
        yield* atMillis(longAgo + longRetention + 1)(
          MessageLog.use((log) => log.dropExpired)
        )
        const expired = yield* Effect.flip(create(business, { fromId: assert.present(second) }))
        assert.strictEqual(expired._tag === "HistoryExpired" && expired.droppedId, assert.present(third))
        assert.strictEqual(
          (yield* Effect.flip(create(business, { fromId: assert.present(third) })))._tag,
          "HistoryExpired"
        )
        assert.strictEqual(
          (yield* create(business, { fromId: assert.present(third) + 1 })).cursorId,
          assert.present(third)
        )
      }, { retentionMillis: longRetention })

      test("a business has so many endpoints and no more, however many are made at once", function*() {
        const [business, other] = [yield* aBusiness, yield* aBusiness]
        const results = yield* Effect.forEach(
          Array.from({ length: endpointLimit + 5 }),
          () => Effect.result(create(business)),
          { concurrency: 20 }
        )
        const refusals = results.filter(Result.isFailure).map(({ failure }) => failure._tag)
        assert.deepStrictEqual(refusals, Array.from({ length: 5 }, () => "TooManyEntries"))
        assert.isAbove((yield* create(other)).id, 0)
      })
    })

    describe("D11 lists and what is shown", () => {
      test("pages in id order, within the scope", function*() {
        const [one, two, three] = [yield* aBusiness, yield* aBusiness, yield* aBusiness]
        const store = yield* WebhookEndpointStore
        const endpoints = yield* Effect.forEach([one, two, one, three, two], (business) => create(business))
        const of = (...businesses: ReadonlyArray<string>) =>
          endpoints.filter(({ business }) => businesses.includes(business)).map(({ id }) => id)
            .toSorted((left, right) => left - right)
        const all = of(one, two, three)
        const [first, second, third, ...rest] = of(one, two)
        const list = (scope: "*" | ReadonlyArray<string>, limit: number, after = assert.at(all, 0) - 1) =>
          Effect.map(
            store.list(scope, { limit, after }),
            ({ items, next }): ReadonlyArray<unknown> => [items.map(({ id }) => id), next]
          )
        assert.deepStrictEqual(yield* list([one, two], 3), [[first, second, third], String(third)])
        assert.deepStrictEqual(yield* list([one, two], 3, third), [rest, null])
        assert.deepStrictEqual(yield* list([two], 2), [of(two), null])
        const pages = yield* pagesOf(
          ({ limit, after }) => store.list("*", { limit, after: Number(after) || assert.at(all, 0) - 1 }),
          2
        )
        assert.deepStrictEqual(pages.flat().map(({ id }) => id).filter((id) => all.includes(id)), all)
        assert.deepStrictEqual(yield* list([], 9), [[], null])
        assert.strictEqual(yield* store.find(Math.max(...all) + 1_000_000), null)
      })

      test("the backlog is what is pending and what the log holds after the cursor", function*() {
        const business = yield* aBusiness
        const all = yield* create(business)
        const some = yield* create(business, { facility: "west", messageTypes: ["SHIPMENT_COMPLETE"] })
        yield* appendOf(business, [1, 1, 2])
        yield* appendOf(business, [3], { facility: "west" })
        yield* appendOf(business, [3, 4], { facility: "west", type: "SHIPMENT_COMPLETE" })
        assert.deepStrictEqual([(yield* find(all.id)).backlog, (yield* find(some.id)).backlog], [6, 2])
        const { lease } = yield* open(all.id)
        const { fresh } = yield* take(lease, 0)
        const results = [
          failureOf(assert.at(fresh, 0), 0, 5),
          deliveryOf(assert.at(fresh, 2)),
          deliveryOf(assert.at(fresh, 3))
        ]
        yield* settle(lease, assert.at(fresh, 0).message.id, { results })
        assert.strictEqual((yield* find(all.id)).backlog, 4, "one is pending, and three not recorded")
        yield* appendOf(business, Array.from({ length: backlogLimit }, () => 9))
        assert.strictEqual((yield* find(all.id)).backlog, backlogLimit)
      })
    })

    webhookEndpointChanges(test, describe)

    describe("D11 removing", () => {
      test("an endpoint goes with its record, also while it is dispatched for", function*() {
        const store = yield* WebhookEndpointStore
        const business = yield* aBusiness
        const [deletedEndpoint, otherEndpoint] = [yield* create(business), yield* create(business)]
        yield* appendOf(business, [1, 2])
        const [one, two] = [yield* open(deletedEndpoint.id), yield* open(otherEndpoint.id)]
        const { fresh } = yield* take(one.lease, 0)
        yield* settle(one.lease, assert.at(fresh, 0).message.id, {
          results: [deliveryOf(assert.at(fresh, 0))]
        })
        assert.isTrue(yield* store.remove(deletedEndpoint.id))
        assert.isFalse(yield* store.remove(deletedEndpoint.id))
        assert.deepStrictEqual([yield* store.find(deletedEndpoint.id), yield* record(deletedEndpoint.id)], [
          null,
          []
        ])
        assert.strictEqual(yield* takeTag(one.lease), "lost")
        const leasesHold = yield* DeliveryStore.use(({ settle }) =>
          settle(
            [one, two].map(({ lease }) =>
              aSettlement(lease, assert.at(fresh, 1).message.id, {
                results: [deliveryOf(assert.at(fresh, 1))]
              })
            ),
            at(0)
          )
        )
        assert.deepStrictEqual(leasesHold, [false, true])
        assert.deepStrictEqual([
          (yield* record(deletedEndpoint.id)).length,
          (yield* record(otherEndpoint.id)).length
        ], [0, 1])
      })
    })
  }
)
