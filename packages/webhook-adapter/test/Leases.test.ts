/**
 * Leases that are lost, processes that were paused, and a storage that cannot be reached (D9.3, D12.4).
 */
import { MessageLog } from "@dockline/core/messages/MessageLog"
import * as Timestamp from "@dockline/core/values/Timestamp"
import { DeliveryStore } from "@dockline/core/webhooks/DeliveryStore"
import { assert, describe } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import {
  accepts,
  anEndpoint,
  answer,
  append,
  away,
  change,
  deliveries,
  delivering,
  dispatch,
  dispatchOver,
  endpoint,
  pass,
  settle,
  start,
  test,
  Trouble,
  waiting
} from "./DispatchWorld.ts"

const dropOld = Effect.flatMap(MessageLog, (log) => log.dropExpired)

describe("a lease", () => {
  test(
    "that is lost ends everything: nothing more is sent, and nothing is written over what the successor does",
    function*(outside) {
      const customer = waiting()
      outside.customer = customer.customer
      const id = yield* delivering(outside, [1, 1, 2])
      const store = yield* DeliveryStore
      const [successor] = yield* store.open([id])
      yield* customer.reply(1, 500)
      assert.strictEqual((yield* endpoint(id)).failingSince, null)
      // The placement still assigns the endpoint, so it is opened again from the state of the store.
      assert.deepStrictEqual(outside.ids(), [1, 3, 1, 3])
      assert.strictEqual(outside.running, 2)
      const results = yield* store.settle([{
        lease: successor!.lease,
        cursorId: 4,
        results: [],
        waitingMessages: [],
        failingSince: null,
        login: null,
        disable: undefined,
        expiredUpTo: undefined
      }], Timestamp.of("1970-01-01T00:00:00.000Z"))
      assert.deepStrictEqual(results, [false])
    }
  )

  test(
    "is checked before anything begins after a pause: a dispatcher that lost it meanwhile sends nothing",
    function*(outside) {
      const customer = waiting()
      outside.customer = customer.customer
      const id = yield* delivering(outside, [1, 2, 3], {}, { concurrency: 1 })
      // Nothing runs meanwhile: the dispatcher polls once an hour.
      yield* TestClock.adjust("10 seconds")
      const store = yield* DeliveryStore
      yield* store.open([id])
      yield* change(id, { enabled: false })
      yield* customer.reply(1)
      yield* settle
      assert.deepStrictEqual(outside.ids(), [1])
      assert.deepStrictEqual(yield* deliveries(id), [])
    }
  )

  test(
    "is held by one of two dispatchers at a time, whatever both believe: each shipment stays in order",
    function*(outside) {
      outside.customer = () => Effect.delay(Effect.succeed(answer(200)), 300)
      const id = yield* anEndpoint()
      yield* dispatch(outside, { pollMillis: 500 })
      yield* dispatch(outside, { pollMillis: 500 })
      for (let n = 0; n < 10; n++) {
        yield* append([1, 2, 1, 3])
        yield* pass("700 millis")
      }
      yield* pass("60 seconds")
      const record = yield* deliveries(id)
      assert.deepStrictEqual(
        record.map(({ messageId }) => messageId),
        Array.from({ length: 40 }, (_, n) => n + 1)
      )
      assert.isTrue(record.every(({ status }) => status === "DELIVERED"))
    }
  )
})

describe("while the storage is away", () => {
  test(
    "no delivery begins whose result could not be written; sent deliveries are recorded once it is back",
    function*(outside) {
      const customer = waiting()
      outside.customer = customer.customer
      const trouble = new Trouble()
      const id = yield* anEndpoint()
      yield* append([1, 1, 2, 3, 4, 5, 6])
      trouble.settle = away
      yield* dispatchOver(trouble.layer, outside, { cautiousConcurrency: 2, concurrency: 2, pollMillis: 500 })
      yield* settle
      assert.deepStrictEqual(customer.ids(), [1, 3])
      // The first delivery is noticed only when its result is written, after the next has begun.
      yield* customer.reply(1)
      yield* customer.reply(3)
      yield* pass("5 seconds")
      assert.deepStrictEqual(outside.ids(), [1, 3, 4])
      assert.deepStrictEqual(yield* deliveries(id), [])
      outside.customer = accepts
      trouble.settle = Effect.void
      yield* pass("1 seconds")
      assert.deepStrictEqual([...outside.ids()].sort(), [1, 2, 3, 4, 5, 6, 7])
      yield* customer.reply(4)
      assert.isTrue((yield* deliveries(id)).every(({ status }) => status === "DELIVERED"))
    }
  )

  test("it is tried again, and nothing is lost, whichever statement fails", function*(outside) {
    const trouble = new Trouble()
    yield* anEndpoint()
    yield* dispatchOver(trouble.layer, outside, { pollMillis: 500 })
    const expected: Array<number> = []
    for (const method of ["ready", "open", "take"] as const) {
      trouble[method] = away
      expected.push(...yield* append([1, 2]))
      yield* pass("2 seconds")
      trouble[method] = Effect.void
      yield* pass("2 seconds")
      assert.deepStrictEqual(outside.ids(), expected)
    }
  })

  test(
    "a result that was written without confirmation is written again, and nothing is sent again",
    function*(outside) {
      const trouble = new Trouble()
      const id = yield* anEndpoint()
      yield* append([1, 1, 2])
      trouble.settlement = away
      yield* dispatchOver(trouble.layer, outside, { pollMillis: 500 })
      yield* pass("2 seconds")
      trouble.settlement = Effect.void
      yield* pass("2 seconds")
      assert.deepStrictEqual([...outside.ids()].sort(), [1, 2, 3])
      assert.isTrue((yield* deliveries(id)).every(({ status }) => status === "DELIVERED"))
    }
  )

  test(
    "what a lost primary acknowledged is sent and recorded again after the promotion of a standby",
    function*(outside) {
      const id = yield* anEndpoint()
      const store = yield* DeliveryStore
      let isPromoted = false
      // The log of the standby is complete and grows on, so that ids alone tell the dispatcher nothing.
      const standby = DeliveryStore.of({
        ...store,
        take: (requests, now) =>
          store.take(
            isPromoted
              ? requests
              : requests.map((each) => ({ ...each, lease: { ...each.lease, settlements: 0 } })),
            now
          ),
        settle: (settlements, now) =>
          isPromoted ? store.settle(settlements, now) : Effect.succeed(settlements.map(() => true))
      })
      yield* append([1, 2, 3])
      yield* Effect.provideService(dispatch(outside, { pollMillis: 500 }), DeliveryStore, standby)
      yield* pass("2 seconds")
      assert.deepStrictEqual([yield* deliveries(id), [...outside.ids()].sort()], [[], [1, 2, 3]])
      isPromoted = true
      yield* append([4])
      yield* pass("2 seconds")
      assert.deepStrictEqual([...outside.ids()].sort(), [1, 1, 2, 2, 3, 3, 4])
      assert.deepStrictEqual(
        (yield* deliveries(id)).map(({ messageId, status }) => [messageId, status]),
        [1, 2, 3, 4].map((messageId) => [messageId, "DELIVERED"])
      )
    }
  )

  test("a defect in writing for one endpoint does not delay another", function*(outside) {
    const brokenId = yield* anEndpoint()
    yield* anEndpoint({ baseUrl: "https://other.example" })
    yield* append([1, 1, 1])
    const store = yield* DeliveryStore
    const breaking = DeliveryStore.of({
      ...store,
      settle: (settlements, now) =>
        settlements.some(({ lease }) => lease.endpointId === brokenId)
          ? Effect.die(new Error("broken"))
          : store.settle(settlements, now)
    })
    yield* Effect.provideService(dispatch(outside, { pollMillis: 500 }), DeliveryStore, breaking)
    yield* pass("5 seconds")
    assert.deepStrictEqual(outside.ids("other.example"), [1, 2, 3])
    assert.deepStrictEqual(outside.ids("customer.example"), [1])
  })
})

describe("messages that were dropped by age", () => {
  test("before they were taken are reported, and the rest is delivered", function*(outside) {
    const id = yield* anEndpoint()
    yield* append([1, 2])
    yield* pass("91 days")
    yield* append([1])
    yield* dropOld
    yield* dispatch(outside)
    yield* settle
    assert.deepStrictEqual(outside.ids(), [3])
    const { cursorId, expiredUpTo } = yield* endpoint(id)
    assert.deepStrictEqual([cursorId, expiredUpTo], [3, 2])
  })

  test("while they waited for a retry are dead, with that reason", function*(outside) {
    outside.customer = () => Effect.succeed(answer(500))
    const id = yield* anEndpoint()
    yield* append([1, 1])
    const stop = yield* start(outside)
    yield* settle
    yield* stop
    yield* pass("91 days")
    yield* dropOld
    outside.customer = accepts
    yield* dispatch(outside)
    yield* settle
    assert.deepStrictEqual(outside.ids(), [1])
    const dead = yield* deliveries(id)
    assert.deepStrictEqual(dead.map(({ status }) => status), ["DEAD", "DEAD"])
    assert.include(dead[1]!.attempts.at(-1)!.error, "dropped by age")
  })
})
