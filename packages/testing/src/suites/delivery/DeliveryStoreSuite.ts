/**
 * The rules for every delivery store: readiness, leases, taking, settling, replays, the record, and backlogs (D9).
 */
import { MessageLog } from "@dockline/core/messages/MessageLog"
import * as Timestamp from "@dockline/core/values/Timestamp"
import { DeliveryStore, partitionOf } from "@dockline/core/webhooks/DeliveryStore"
import type { EndpointBacklog } from "@dockline/core/webhooks/DeliveryStore"
import { backlogLimit } from "@dockline/core/webhooks/WebhookEndpoint"
import { Deferred, Effect } from "effect"
import * as assert from "../../Assert.ts"
import type { Suite } from "../../Suite.ts"
import {
  allPartitions,
  appendOf,
  at,
  create,
  deliveryOf,
  failureOf,
  find,
  isReady,
  open,
  request,
  settle,
  suiteOf,
  take,
  takeTag,
  takeWindow,
  update
} from "../../worlds/DeliveryWorld.ts"
import type { Part, Ports } from "../../worlds/DeliveryWorld.ts"
import { aBusiness, at as atMillis, day, longAgo, longRetention } from "../../worlds/MessageLogWorld.ts"
import { deliveryTraces } from "../Traces.ts"
import { replays } from "./DeliveryReplays.ts"
import { settling } from "./DeliverySettling.ts"
import { taking } from "./DeliveryTaking.ts"

/**
 * An endpoint with its lease, and a check of how it changes the readiness of its partition at these seconds. The check takes into account
 * the next times of other endpoints of the partition, such as those of earlier runs.
 */
const watch = Effect.fnUntraced(function*(times: ReadonlyArray<number>) {
  const store = yield* DeliveryStore
  const business = yield* aBusiness
  const { id } = yield* create(business)
  const { lease } = yield* open(id)
  const look = (seconds: number) => store.ready([partitionOf(id)], at(seconds))
  const others = new Map<number, Timestamp.Timestamp | null>()
  for (const seconds of times) others.set(seconds, (yield* look(seconds)).nextDueAt)
  const ready = Effect.fnUntraced(function*(
    seconds: number,
    own: { readonly is: boolean; readonly nextDueAt: Timestamp.Timestamp | null }
  ) {
    const { endpoints, nextDueAt } = yield* look(seconds)
    const expected = [own.nextDueAt, others.get(seconds) ?? null].filter((time) => time !== null)
      .sort()
    assert.deepStrictEqual(
      { is: endpoints.includes(id), nextDueAt },
      { is: own.is, nextDueAt: expected[0] ?? null }
    )
  })
  return { lease, ready, appended: (shipmentIds: ReadonlyArray<number>) => appendOf(business, shipmentIds) }
})

/** The cases of readiness and of leases. */
const readiness: Part = (test, describe) => {
  describe("what is ready", () => {
    test("an endpoint whose log has grown, of the partitions that are asked for", function*() {
      const store = yield* DeliveryStore
      const business = yield* aBusiness
      const { id } = yield* create(business)
      assert.isFalse(yield* isReady(id))
      yield* appendOf(business, [1])
      assert.isTrue(yield* isReady(id))
      const others = allPartitions.filter((partition) => partition !== partitionOf(id))
      assert.notInclude((yield* store.ready(others, at(0))).endpoints, id)
      assert.include((yield* store.ready(allPartitions, at(0))).endpoints, id)
      assert.deepStrictEqual(yield* store.ready([], at(0)), { endpoints: [], nextDueAt: null, now: at(0) })
    })

    test("D9.3 an endpoint with a delivery that is due, and when the next one is", function*() {
      const { lease, appended, ready } = yield* watch([19.999, 20])
      const ids = yield* appended([1, 2, 3])
      const { fresh } = yield* take(lease, 0)
      const results = [
        failureOf(assert.at(fresh, 0), 0, 30),
        failureOf(assert.at(fresh, 1), 0, 20),
        deliveryOf(assert.at(fresh, 2))
      ]
      yield* settle(lease, assert.at(ids, 2), { results })
      yield* ready(19.999, { is: false, nextDueAt: at(20) })
      yield* ready(20, { is: true, nextDueAt: null })
    })

    test("D9.3 an endpoint that waits for its login has nothing to do, however much waits", function*() {
      const { lease, appended, ready } = yield* watch([9, 10])
      const ids = yield* appended([1])
      const login = (retryAt: Timestamp.Timestamp) => ({ failures: 1, retryAt, error: "401" })
      yield* settle(lease, 0, { login: login(at(10)) })
      yield* ready(9, { is: false, nextDueAt: at(10) })
      yield* ready(10, { is: true, nextDueAt: null })
      const { fresh } = yield* take(lease, 0)
      yield* settle(lease, assert.at(ids, 0), {
        results: [failureOf(assert.at(fresh, 0), 0, 30)],
        login: login(at(10))
      })
      yield* ready(9, { is: false, nextDueAt: at(30) })
      yield* settle(lease, assert.at(ids, 0), { login: login(at(40)) })
      yield* ready(9, { is: false, nextDueAt: at(40) })
      yield* appended([2])
      yield* ready(9, { is: false, nextDueAt: at(40) })
      yield* settle(lease, assert.at(ids, 0), {})
      yield* ready(9, { is: true, nextDueAt: null })
    })

    test("watchers are woken by messages, by new endpoints, changes and replays", function*() {
      const store = yield* DeliveryStore
      const { business, id, lease, fresh } = yield* takeWindow([1])
      yield* settle(lease, assert.at(fresh, 0).message.id, { results: [deliveryOf(assert.at(fresh, 0))] })
      const wakesOn = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
        Effect.scoped(Effect.gen(function*() {
          const wakeUp = yield* Deferred.make<void>()
          yield* store.watch(() => Deferred.doneUnsafe(wakeUp, Effect.void))
          yield* effect
          yield* Effect.timeout(Deferred.await(wakeUp), "10 seconds")
        }))
      yield* wakesOn(appendOf(business, [1]))
      yield* wakesOn(create(business))
      yield* wakesOn(store.replay(id, assert.at(fresh, 0).message.id, at(0)))
      yield* wakesOn(store.replayRange(id, { fromId: 1, toId: assert.at(fresh, 0).message.id }, at(0)))
      let calls = 0
      yield* Effect.scoped(store.watch(() => calls++))
      yield* appendOf(business, [1])
      assert.strictEqual(calls, 0, "not after the scope")
    })
  })

  describe("leases", () => {
    test("opening ends the lease before, and leaves out what is gone", function*() {
      const store = yield* DeliveryStore
      const business = yield* aBusiness
      const [one, two] = [yield* create(business), yield* create(business)]
      const [first] = yield* store.open([one.id])
      const both = yield* store.open([two.id, one.id, two.id + 1000, one.id])
      assert.deepStrictEqual(both.map(({ endpoint }) => endpoint.id), [one.id, two.id])
      const { backlog: _, ...endpoint } = yield* find(one.id)
      assert.deepStrictEqual(assert.at(both, 0).endpoint, endpoint)
      assert.isAbove(assert.at(both, 0).lease.epoch, assert.present(first).lease.epoch)
      assert.strictEqual(yield* takeTag(assert.present(first).lease), "lost")
      assert.strictEqual(yield* takeTag(assert.at(both, 0).lease), "taken")
      assert.deepStrictEqual(yield* store.open([]), [])
    })

    test("one answer for each request, in their order", function*() {
      const store = yield* DeliveryStore
      const [one, two] = [yield* takeWindow([1]), yield* takeWindow([2, 3])]
      const oldLease = { ...one.lease, epoch: one.lease.epoch + 1 }
      const answers = yield* store.take(
        [two.lease, oldLease, one.lease].map((lease) => request(lease, 0)),
        at(0)
      )
      assert.deepStrictEqual(
        answers.map((answer) =>
          answer._tag === "taken" ? answer.messages.fresh.map(({ message }) => message.id) : answer._tag
        ),
        [two.ids, "lost", one.ids]
      )
      assert.deepStrictEqual(yield* store.take([], at(0)), [])
    })
  })
}

/** The backlog of an endpoint; other endpoints of the store, such as those of earlier runs, are left out. */
const backlogOf = (id: number) =>
  Effect.map(
    DeliveryStore.use((store) => store.backlog),
    (all): EndpointBacklog | undefined => all.find(({ endpointId }) => endpointId === id)
  )

/** The number of waiting messages of an endpoint, and the time of the oldest. */
const waits = Effect.fnUntraced(function*(id: number) {
  const { messages, oldestAt } = assert.present(yield* backlogOf(id))
  return [messages, oldestAt] as const
})

/** The time at which a message was sent. */
const sentAt = Effect.fnUntraced(function*(business: string, id: number) {
  const log = yield* MessageLog
  const query = { business, facility: undefined, types: ["PALLET_EVENT", "SHIPMENT_COMPLETE"] as const }
  const { messages } = yield* log.read(query, { afterId: id - 1 }, 1)
  return assert.at(messages, 0).sentAt
})

/** The cases of backlogs. */
const backlogs: Part = (test, describe) => {
  describe("what waits", () => {
    test("counts what is pending and what the log holds after the cursor", function*() {
      const { business, id, ids, lease, fresh } = yield* takeWindow([1, 2, 3])
      assert.deepStrictEqual(yield* waits(id), [3, yield* sentAt(business, assert.at(ids, 0))])
      yield* settle(lease, assert.at(ids, 2), {
        results: [
          deliveryOf(assert.at(fresh, 0)),
          failureOf(assert.at(fresh, 1), 0, 5),
          deliveryOf(assert.at(fresh, 2))
        ]
      })
      assert.deepStrictEqual(yield* waits(id), [1, yield* sentAt(business, assert.at(ids, 1))])
      const later = yield* appendOf(business, [4, 5])
      assert.deepStrictEqual(yield* waits(id), [3, yield* sentAt(business, assert.at(ids, 1))])
      yield* settle(lease, assert.at(ids, 2), { results: [deliveryOf(assert.at(fresh, 1))] })
      assert.deepStrictEqual(yield* waits(id), [2, yield* sentAt(business, assert.at(later, 0))])
      const rest = yield* take(lease, assert.at(ids, 2))
      // The message is settled before an earlier message, so the cursor stays.
      yield* settle(lease, assert.at(ids, 2), { results: [deliveryOf(assert.at(rest.fresh, 1))] })
      assert.deepStrictEqual(yield* waits(id), [1, yield* sentAt(business, assert.at(later, 0))])
      yield* settle(lease, assert.at(later, 1), { results: [deliveryOf(assert.at(rest.fresh, 0))] })
      assert.deepStrictEqual(yield* waits(id), [0, null])
    })

    test("counts what each endpoint wants, dispatched for or not, up to a limit", function*() {
      const business = yield* aBusiness
      const all = yield* create(business)
      const rare = yield* create(business, { messageTypes: ["SHIPMENT_COMPLETE"] })
      const elsewhere = yield* create(business, { facility: "west" })
      const [first] = yield* appendOf(business, [1, 2])
      const [done] = yield* appendOf(business, [3], { type: "SHIPMENT_COMPLETE" })
      assert.deepStrictEqual(yield* waits(all.id), [3, yield* sentAt(business, assert.present(first))])
      assert.deepStrictEqual(yield* waits(rare.id), [1, yield* sentAt(business, assert.present(done))])
      assert.deepStrictEqual(yield* waits(elsewhere.id), [0, null])
      yield* update(all.id, { enabled: false, disabledReason: "OPERATOR" })
      yield* appendOf(business, Array.from({ length: backlogLimit }, () => 9))
      assert.deepStrictEqual(yield* waits(all.id), [
        backlogLimit,
        yield* sentAt(business, assert.present(first))
      ])
    })

    test("tells of each endpoint how it fares, and nothing of one that is gone", function*() {
      const business = yield* aBusiness
      const { id } = yield* create(business)
      const well: EndpointBacklog = {
        endpointId: id,
        business,
        enabled: true,
        disabledReason: "",
        failingSince: null,
        awaitsLogin: false,
        messages: 0,
        oldestAt: null
      }
      assert.deepStrictEqual(yield* backlogOf(id), well)
      const { lease } = yield* open(id)
      const login = { failures: 1, retryAt: at(60), error: "no" }
      yield* settle(lease, 0, { failingSince: at(3), login })
      assert.deepStrictEqual(yield* backlogOf(id), { ...well, failingSince: at(3), awaitsLogin: true })
      yield* settle(lease, 0, { failingSince: at(3), disable: "FAILING" })
      const disabled = { ...well, enabled: false, disabledReason: "FAILING" as const, failingSince: at(3) }
      assert.deepStrictEqual(yield* backlogOf(id), disabled)
      assert.strictEqual(yield* backlogOf(id + 1_000_000), undefined)
    })

    test("a pending message that was dropped by age waits since the last one that was", function*() {
      const log = yield* MessageLog
      const business = yield* aBusiness
      const { id } = yield* create(business)
      const { lease } = yield* open(id)
      const [old] = yield* atMillis(longAgo)(appendOf(business, [1]))
      const [last] = yield* atMillis(longAgo + day)(appendOf(business, [2]))
      const { fresh } = yield* take(lease, 0)
      yield* settle(lease, assert.present(last), {
        results: [failureOf(assert.at(fresh, 0), 0, 5), deliveryOf(assert.at(fresh, 1))]
      })
      assert.deepStrictEqual(yield* waits(id), [1, yield* sentAt(business, assert.present(old))])
      yield* atMillis(longAgo + longRetention + day + 1)(log.dropExpired)
      assert.deepStrictEqual(yield* waits(id), [1, new Date(longAgo + day).toISOString()])
    }, { retentionMillis: longRetention })
  })
}

/** The suite of the delivery store. */
export const deliveryStoreSuite: Suite<Ports> = suiteOf("the delivery store", (test, describe) => {
  for (const part of [readiness, taking, settling, replays, backlogs, deliveryTraces]) part(test, describe)
})
