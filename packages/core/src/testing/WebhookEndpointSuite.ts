/**
 * What holds for every store of webhook endpoints, whatever they are stored in.
 */
import { assert, describe } from "@effect/vitest"
import { Effect, Result } from "effect"
import { DeliveryStore } from "../DeliveryStore.ts"
import { MessageLog } from "../MessageLog.ts"
import type { Sealed } from "../SecretsVault.ts"
import { backlogLimit } from "../WebhookEndpoint.ts"
import type { WebhookEndpoint } from "../WebhookEndpoint.ts"
import { endpointLimit, WebhookEndpointStore } from "../WebhookEndpointStore.ts"
import type { EndpointChange } from "../WebhookEndpointStore.ts"
import {
  appendOf,
  aSettlement,
  at,
  create,
  delivered,
  failed,
  find,
  isReady,
  open,
  record,
  settle,
  suiteOf,
  take,
  takeTag
} from "./DeliveryWorld.ts"
import { aBusiness, at as atMillis } from "./MessageLogWorld.ts"

const unchanged = (endpoint: WebhookEndpoint): EndpointChange => ({
  baseUrl: endpoint.baseUrl,
  messageTypes: endpoint.messageTypes,
  authentication: endpoint.authentication,
  signingSecrets: endpoint.signingSecrets,
  enabled: endpoint.enabled,
  disabledReason: endpoint.disabledReason
})

const update = (id: number, fields: Partial<EndpointChange>, seconds = 0) =>
  Effect.flatMap(
    WebhookEndpointStore,
    (endpoints) =>
      endpoints.update(id, at(seconds), (endpoint) => Result.succeed({ ...unchanged(endpoint), ...fields }))
  )

/** The suite of endpoints. */
export const webhookEndpointSuite = suiteOf((test) => {
  describe("D11 creating", () => {
    test(
      "an endpoint is kept as it was made",
      Effect.gen(function*() {
        const business = yield* aBusiness
        const authentication = {
          type: "token",
          settings: { loginUrl: "https://c.example/login", username: "ä\"\\ 🚚", scheme: "" },
          secrets: { password: "v1.abc" as Sealed }
        }
        const signingSecrets = [
          { sealed: "new" as Sealed, validUntil: null },
          { sealed: "old" as Sealed, validUntil: at(86_400) }
        ]
        const given = {
          facility: "west",
          messageTypes: ["SHIPMENT_COMPLETE"] as const,
          authentication,
          signingSecrets
        }
        const created = yield* create(business, { ...given, now: at(5) })
        assert.deepStrictEqual(created, {
          ...given,
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
    )

    test(
      "unknown places are refused",
      Effect.gen(function*() {
        const business = yield* aBusiness
        const refusal = (slug: string, facility: string | null) =>
          Effect.map(Effect.flip(create(slug, { facility })), ({ _tag }) => _tag)
        assert.strictEqual(yield* refusal("nobody", "west"), "BusinessNotFound")
        assert.strictEqual(yield* refusal("nobody", null), "BusinessNotFound")
        assert.strictEqual(yield* refusal(business, "north"), "FacilityNotFound")
        const store = yield* WebhookEndpointStore
        assert.deepStrictEqual((yield* store.list([business], { limit: 9, after: 0 })).items, [])
      })
    )

    test(
      "D9.3 a new endpoint starts at now, or at fromId inclusive",
      Effect.gen(function*() {
        const business = yield* aBusiness
        const ids = yield* appendOf(business, [1, 2, 3])
        const now = yield* create(business)
        assert.strictEqual(now.cursorId, ids[2])
        const from = yield* create(business, { fromId: ids[1]! })
        assert.deepStrictEqual([from.cursorId, from.backlog], [ids[1]! - 1, 2])
        const { lease, endpoint } = yield* open(from.id)
        const taken = yield* take(lease, endpoint.cursorId)
        assert.deepStrictEqual(taken.fresh.map(({ message }) => message.id), ids.slice(1))
      })
    )

    test(
      "D9.3 a start that has been dropped is an error",
      Effect.gen(function*() {
        const business = yield* aBusiness
        const noon = Date.now() - 3_600_000
        const [, second, third] = yield* atMillis(noon)(appendOf(business, [1, 2, 3]))
        yield* atMillis(noon + 90_000_000)(appendOf(business, [4]))
        yield* atMillis(noon + 90_000_000)(Effect.flatMap(MessageLog, (log) => log.dropExpired))
        const expired = yield* Effect.flip(create(business, { fromId: second! }))
        assert.strictEqual(expired._tag === "HistoryExpired" && expired.droppedId, third!)
        assert.strictEqual((yield* Effect.flip(create(business, { fromId: third! })))._tag, "HistoryExpired")
        assert.strictEqual((yield* create(business, { fromId: third! + 1 })).cursorId, third!)
      }),
      { retentionMillis: 86_400_000 }
    )

    test(
      "a business has so many endpoints and no more, however many are made at once",
      Effect.gen(function*() {
        const [business, other] = [yield* aBusiness, yield* aBusiness]
        const made = yield* Effect.forEach(
          Array.from({ length: endpointLimit + 5 }),
          () => Effect.result(create(business)),
          { concurrency: 20 }
        )
        const refusals = made.filter(Result.isFailure).map(({ failure }) => failure._tag)
        assert.deepStrictEqual(refusals, Array.from({ length: 5 }, () => "TooManyEntries"))
        assert.isAbove((yield* create(other)).id, 0)
      })
    )
  })

  describe("D11 lists and what is shown", () => {
    test(
      "pages in id order, within the scope",
      Effect.gen(function*() {
        const [one, two, three] = [yield* aBusiness, yield* aBusiness, yield* aBusiness]
        const store = yield* WebhookEndpointStore
        const ids = yield* Effect.forEach(
          [one, two, one, three, two],
          (business) => Effect.map(create(business), ({ id }) => id)
        )
        const list = (scope: "*" | ReadonlyArray<string>, limit: number, after = ids[0]! - 1) =>
          Effect.map(
            store.list(scope, { limit, after }),
            ({ items, next }): ReadonlyArray<unknown> => [items.map(({ id }) => id), next]
          )
        assert.deepStrictEqual(yield* list([one, two], 3), [[ids[0], ids[1], ids[2]], String(ids[2])])
        assert.deepStrictEqual(yield* list([one, two], 3, ids[2]), [[ids[4]], null])
        assert.deepStrictEqual(yield* list([two], 2), [[ids[1], ids[4]], null])
        assert.deepStrictEqual(yield* list("*", 9), [ids, null])
        assert.deepStrictEqual(yield* list([], 9), [[], null])
        assert.strictEqual(yield* store.find(ids[4]! + 1000), null)
      })
    )

    test(
      "the backlog is what is pending and what the log holds after the cursor",
      Effect.gen(function*() {
        const business = yield* aBusiness
        const all = yield* create(business)
        const some = yield* create(business, { facility: "west", messageTypes: ["SHIPMENT_COMPLETE"] })
        yield* appendOf(business, [1, 1, 2])
        yield* appendOf(business, [3], { facility: "west" })
        yield* appendOf(business, [3, 4], { facility: "west", type: "SHIPMENT_COMPLETE" })
        assert.deepStrictEqual([(yield* find(all.id)).backlog, (yield* find(some.id)).backlog], [6, 2])
        const { lease } = yield* open(all.id)
        const { fresh } = yield* take(lease, 0)
        const results = [failed(fresh[0]!, 0, 5), delivered(fresh[2]!), delivered(fresh[3]!)]
        yield* settle(lease, fresh[0]!.message.id, { results })
        assert.strictEqual((yield* find(all.id)).backlog, 4, "one is pending, and three not recorded")
        yield* appendOf(business, Array.from({ length: backlogLimit }, () => 9))
        assert.strictEqual((yield* find(all.id)).backlog, backlogLimit)
      })
    )
  })

  describe("D11 changing", () => {
    test(
      "an operator changes settings, and the version grows",
      Effect.gen(function*() {
        const business = yield* aBusiness
        const before = yield* create(business)
        const changes = {
          baseUrl: "https://new.example",
          messageTypes: ["SHIPMENT_COMPLETE"] as const,
          authentication: { type: "none", settings: {}, secrets: {} },
          signingSecrets: [{ sealed: "x" as Sealed, validUntil: at(9) }]
        }
        const after = yield* update(before.id, changes)
        assert.deepStrictEqual(after, { ...before, ...changes, version: 2 })
        assert.deepStrictEqual(yield* find(before.id), after)
      })
    )

    test(
      "what the change refuses is not written, and there is nothing to change of what is not there",
      Effect.gen(function*() {
        const store = yield* WebhookEndpointStore
        const before = yield* create(yield* aBusiness)
        assert.strictEqual(yield* Effect.flip(store.update(before.id, at(0), () => Result.fail("no"))), "no")
        assert.deepStrictEqual(yield* find(before.id), before)
        assert.strictEqual(yield* update(before.id + 1000, {}), null)
      })
    )

    test(
      "changes at once come one after another",
      Effect.gen(function*() {
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
    )

    test(
      "D9.3 one that is enabled begins anew: pending deliveries are due, in order, and its lease has ended",
      Effect.gen(function*() {
        const business = yield* aBusiness
        const { id } = yield* create(business)
        const ids = yield* appendOf(business, [1, 1, 2, 3])
        const { lease } = yield* open(id)
        const { fresh } = yield* take(lease, 0)
        const login = { failures: 3, retryAt: at(200), error: "refused" }
        yield* settle(lease, ids[3]!, {
          results: [failed(fresh[2]!, 1, 5), failed(fresh[0]!, 1, 300), delivered(fresh[3]!)],
          parked: [{ messageId: ids[1]!, messageType: "PALLET_EVENT", shipmentId: 1 }],
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
        const { due } = yield* take(again.lease, ids[3]!, 60)
        assert.deepStrictEqual(
          due.map(({ message, progress }) => [message.id, progress.tries, progress.failedSince]),
          [[ids[0]!, 0, null], [ids[2]!, 0, null]]
        )
      })
    )

    test(
      "a change of one that is enabled already leaves its deliveries and its lease, and ends the wait for its login",
      Effect.gen(function*() {
        const business = yield* aBusiness
        const { id } = yield* create(business)
        const [first] = yield* appendOf(business, [1])
        const { lease } = yield* open(id)
        const { fresh } = yield* take(lease, 0)
        const login = { failures: 6, retryAt: at(300), error: "refused" }
        yield* settle(lease, first!, { results: [failed(fresh[0]!, 1, 300)], failingSince: at(1), login })
        const changed = yield* update(id, { baseUrl: "https://new.example" }, 60)
        assert.strictEqual(changed?.failingSince, at(1))
        assert.strictEqual(changed?.login, null, "what was changed may be what mends the login")
        assert.deepStrictEqual(yield* record(id), [[first, "PENDING", 1, 300]])
        const { endpoint } = yield* take(lease, first!, 60)
        assert.strictEqual(endpoint?.baseUrl, "https://new.example")
        assert.strictEqual((yield* take(lease, first!, 60, { version: 2 })).endpoint, undefined)
      })
    )

    test(
      "D9.3 a disabled endpoint keeps the reason of the first who disabled it, and records what was on its way",
      Effect.gen(function*() {
        const business = yield* aBusiness
        const { id } = yield* create(business)
        yield* appendOf(business, [1])
        const { lease } = yield* open(id)
        const { fresh } = yield* take(lease, 0)
        yield* update(id, { enabled: false, disabledReason: "OPERATOR" })
        assert.isTrue(
          yield* settle(lease, fresh[0]!.message.id, { results: [delivered(fresh[0]!)], disable: "GONE" })
        )
        assert.strictEqual((yield* find(id)).disabledReason, "OPERATOR")
        assert.deepStrictEqual(yield* record(id), [[fresh[0]!.message.id, "DELIVERED", 0, null]])
        assert.isFalse(yield* isReady(id))
        assert.deepStrictEqual(yield* Effect.flatMap(DeliveryStore, (store) => store.open([id])), [])
      })
    )
  })

  describe("D11 removing", () => {
    test(
      "an endpoint goes with its record, also while it is dispatched for",
      Effect.gen(function*() {
        const store = yield* WebhookEndpointStore
        const business = yield* aBusiness
        const [gone, kept] = [yield* create(business), yield* create(business)]
        yield* appendOf(business, [1, 2])
        const [one, two] = [yield* open(gone.id), yield* open(kept.id)]
        const { fresh } = yield* take(one.lease, 0)
        yield* settle(one.lease, fresh[0]!.message.id, { results: [delivered(fresh[0]!)] })
        assert.isTrue(yield* store.remove(gone.id))
        assert.isFalse(yield* store.remove(gone.id))
        assert.deepStrictEqual([yield* store.find(gone.id), yield* record(gone.id)], [null, []])
        assert.strictEqual(yield* takeTag(one.lease), "lost")
        const held = yield* Effect.flatMap(
          DeliveryStore,
          ({ settle }) =>
            settle(
              [one, two].map(({ lease }) =>
                aSettlement(lease, fresh[1]!.message.id, { results: [delivered(fresh[1]!)] })
              ),
              at(0)
            )
        )
        assert.deepStrictEqual(held, [false, true])
        assert.deepStrictEqual([(yield* record(gone.id)).length, (yield* record(kept.id)).length], [0, 1])
      })
    )
  })
})
