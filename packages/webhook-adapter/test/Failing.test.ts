/**
 * Customers that fail: the schedule as it runs, endpoints that are disabled, and their backlog (D9.3).
 */
import type { SealedText } from "@dockline/core/webhooks/SecretsVault"
import { assert, describe } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import {
  accepts,
  anEndpoint,
  answer,
  append,
  change,
  connectionRefusal,
  deliveries,
  delivering,
  dispatch,
  endpoint,
  Outside,
  pass,
  settle,
  test,
  waiting
} from "./DispatchWorld.ts"

const minute = 60_000
const hour = 60 * minute
const schedule = [
  5000,
  5 * minute,
  30 * minute,
  2 * hour,
  5 * hour,
  10 * hour,
  14 * hour,
  20 * hour,
  24 * hour
]

/** When a message was tried, from the first time on, in milliseconds; and how long after the time before. */
const waits = (outside: Outside, id: number) => {
  const times = outside.requests.filter((request) => request.id === id).map(({ at }) => at)
  return times.slice(1).map((at, n) => at - times[n]!)
}

const overDays = (days: number) => Effect.repeat(TestClock.adjust("12 hours"), { times: days * 2 - 1 })

describe("a delivery that fails", () => {
  test("is tried as the schedule says, and then is dead; what waited behind it goes on", function*(outside) {
    outside.customer = ({ id }) => Effect.succeed(answer(id === 1 ? 500 : 200))
    const id = yield* delivering(outside, [1, 1, 2])
    yield* overDays(4)
    assert.deepStrictEqual(waits(outside, 1), schedule)
    assert.deepStrictEqual(outside.ids(), [1, 3, ...Array(9).fill(1), 2])
    const [dead, next] = yield* deliveries(id)
    assert.strictEqual(dead!.status, "DEAD")
    assert.isNull(dead!.nextAttemptAt)
    assert.deepStrictEqual(dead!.attempts.map(({ status }) => status), Array(10).fill(500))
    assert.strictEqual(next!.status, "DELIVERED")
  })

  test("is not tried before its time, though others of its endpoint are", function*(outside) {
    outside.customer = ({ id }) => Effect.succeed(answer(id === 1 ? 503 : 200, { "retry-after": "3600" }))
    yield* delivering(outside, [1])
    for (let n = 0; n < 10; n++) {
      yield* append([2])
      yield* pass("5 minutes")
    }
    assert.deepStrictEqual(outside.ids().filter((id) => id === 1), [1])
    yield* pass("10 minutes")
    assert.deepStrictEqual(waits(outside, 1), [hour])
  })

  test("keeps where a redirect leads, without secrets and not at any length", function*(outside) {
    const location = "https://new.example/in?key=p%40ss"
    const long = `https://new.example/${"x".repeat(2000)}`
    const replies = [
      answer(308, { location }),
      answer(301, { location: long }),
      answer(302),
      answer(201, { location })
    ]
    outside.customer = () => Effect.succeed(replies[outside.requests.length - 1]!)
    const authentication = {
      type: "basic",
      settings: { username: "us" },
      secrets: { password: "p@ss" as SealedText }
    }
    const id = yield* delivering(outside, [1], { authentication })
    yield* overDays(1)
    const [delivery] = yield* deliveries(id)
    const [first, second, ...others] = delivery!.attempts.map(({ error }) => error)
    assert.strictEqual(first, "a redirect to https://new.example/in?key=***, and redirects are not followed")
    assert.strictEqual(second, `a redirect to ${long.slice(0, 1024)}…, and redirects are not followed`)
    assert.deepStrictEqual(others, ["", ""])
  })

  test("keeps what was answered and what went wrong", function*(outside) {
    const replies = [
      connectionRefusal,
      Effect.delay(Effect.succeed({ ...answer(500), body: new TextEncoder().encode("no\0t now") }), 1500),
      Effect.die(new Error("broken")),
      Effect.succeed({ ...answer(200), error: "the answer was cut" })
    ]
    outside.customer = () => replies[outside.requests.length - 1]!
    const id = yield* delivering(outside, [1])
    yield* overDays(1)
    const [delivery] = yield* deliveries(id)
    const attempts = delivery!.attempts.map(({ durationMs, error, response, status }) => ({
      durationMs,
      error,
      response,
      status
    }))
    assert.deepStrictEqual(attempts, [
      { durationMs: 0, error: "connection refused", response: "", status: null },
      { durationMs: 1500, error: "", response: "no\ufffdt now", status: 500 },
      { durationMs: 0, error: "this service failed: Error: broken", response: "", status: null },
      { durationMs: 0, error: "the answer was cut", response: "", status: 200 }
    ])
    assert.strictEqual(delivery!.status, "DELIVERED")
  })
})

describe("an endpoint", () => {
  test(
    "that answers 410 is disabled at once; the backlog stays, this message too, and is delivered in order",
    function*(outside) {
      const customer = waiting()
      outside.customer = customer.customer
      const id = yield* delivering(outside, [1, 2, 1, 2, 3], {}, { cautiousConcurrency: 2 })
      assert.deepStrictEqual(customer.ids(), [1, 2])
      yield* customer.reply(1, 410)
      yield* append([4])
      yield* settle
      assert.deepStrictEqual(customer.ids(), [2])
      const goneEndpoint = yield* endpoint(id)
      assert.deepStrictEqual([goneEndpoint.enabled, goneEndpoint.disabledReason, goneEndpoint.backlog], [
        false,
        "GONE",
        6
      ])
      // What was on its way is recorded as it comes.
      yield* customer.reply(2)
      yield* overDays(1)
      assert.deepStrictEqual(outside.ids(), [1, 2])
      assert.strictEqual((yield* endpoint(id)).backlog, 5)

      outside.customer = accepts
      yield* change(id, { enabled: true })
      yield* settle
      const again = outside.requests.slice(2)
      assert.deepStrictEqual(again.map(({ id }) => id).sort(), [1, 3, 4, 5, 6])
      const first = again.filter(({ payload }) => payload.shipment === 1).map(({ id }) => id)
      assert.deepStrictEqual(first, [1, 3])
      const enabled = yield* endpoint(id)
      assert.deepStrictEqual([enabled.enabled, enabled.disabledReason, enabled.backlog], [true, "", 0])
    }
  )
})

describe("an endpoint that is disabled while it is busy", () => {
  test("is noticed soon, whatever waits in memory", function*(outside) {
    outside.customer = () => Effect.delay(Effect.succeed(answer(200)), 800)
    const id = yield* anEndpoint()
    yield* append(Array.from({ length: 300 }, (_, shipment) => shipment))
    yield* dispatch(outside, { concurrency: 8, cautiousConcurrency: 8, pollMillis: 500 })
    yield* pass("2 seconds")
    assert.strictEqual(outside.requests.length, 24)
    yield* change(id, { enabled: false })
    yield* pass("1 minute")
    assert.isAtMost(outside.requests.length, 40)
    assert.strictEqual((yield* endpoint(id)).backlog, 300 - outside.requests.length)
  })
})
