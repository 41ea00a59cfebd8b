/** D15.3: an endpoint gets at most so many requests in a second, whatever else is true of it. */
import { DeliveryStore } from "@dockline/core/webhooks/DeliveryStore"
import { assert, describe } from "@effect/vitest"
import { Effect, Layer } from "effect"
import {
  anEndpoint,
  answer,
  append,
  change,
  deliveries,
  dispatch,
  issues,
  Outside,
  pass,
  test,
  tokenAuthentication
} from "./DispatchWorld.ts"

/** At most `rate` requests of a host began in any second. */
const keepsTo = (outside: Outside, rate: number, host = "customer.example") => {
  const times = outside.requests.filter(({ url }) => new URL(url).hostname === host).map(({ at }) => at)
  for (const at of times) {
    assert.isAtMost(times.filter((other) => other > at - 1000 && other <= at).length, rate, `at ${at}`)
  }
}

const many = Array.from({ length: 25 }, (_, shipment) => shipment)

describe("the rate of an endpoint", () => {
  test("holds over all shipments, and everything arrives, each shipment in order", function*(outside) {
    const id = yield* anEndpoint({ ratePerSecond: 10 })
    const ids = yield* append([...many, ...many])
    yield* dispatch(outside)
    yield* pass("1 second")
    yield* pass("900 millis")
    assert.strictEqual(outside.ids().length, 10)
    for (let n = 0; n < 40; n++) yield* pass("100 millis")
    keepsTo(outside, 10)
    assert.deepStrictEqual([...outside.ids()].sort((a, b) => a - b), ids)
    for (const shipment of many) {
      const ownRequests = outside.requests.filter(({ payload }) => payload.shipment === shipment)
      assert.deepStrictEqual(
        ownRequests.map(({ id }) => id),
        ownRequests.map(({ id }) => id).toSorted((a, b) => a - b)
      )
    }
    assert.isTrue((yield* deliveries(id)).every(({ status }) => status === "DELIVERED"))
  })

  test("counts the requests that are sent once more with a new token", function*(outside) {
    let logins = 0
    outside.customers.set("login.example", () => Effect.sync(() => issues(`t${++logins}`)))
    outside.customers.set(
      "customer.example",
      ({ headers }) => Effect.succeed(answer(headers["Authorization"] === "Bearer t1" ? 401 : 200))
    )
    const id = yield* anEndpoint({
      ratePerSecond: 2,
      authentication: tokenAuthentication
    })
    yield* append([1, 2, 3, 4])
    yield* dispatch(outside)
    for (let n = 0; n < 60; n++) yield* pass("100 millis")
    keepsTo(outside, 2)
    assert.isTrue((yield* deliveries(id)).every(({ status }) => status === "DELIVERED"))
    assert.isAbove(outside.ids().length, 4)
  })

  test("follows a change by an operator while deliveries wait", function*(outside) {
    const id = yield* anEndpoint({ ratePerSecond: 1 })
    yield* append(many)
    yield* dispatch(outside, { pollMillis: 500 })
    yield* pass("1 second")
    assert.strictEqual(outside.ids().length, 1)
    yield* change(id, { ratePerSecond: 0 })
    for (let n = 0; n < 4; n++) yield* pass("500 millis")
    assert.strictEqual(outside.ids().length, 25)
  })

  test("leaves the messages of later seconds in the log", function*(outside) {
    yield* anEndpoint({ ratePerSecond: 3 })
    yield* append(Array.from({ length: 100 }, (_, shipment) => shipment))
    let most = 0
    const store = yield* DeliveryStore
    const taking = Layer.succeed(DeliveryStore, {
      ...store,
      take: (requests, now) =>
        Effect.tap(store.take(requests, now), (results) =>
          Effect.sync(() => {
            for (const result of results) {
              if (result._tag === "taken") most = Math.max(most, result.messages.fresh.length)
            }
          }))
    })
    yield* Effect.provide(dispatch(outside), taking)
    for (let n = 0; n < 400; n++) yield* pass("100 millis")
    keepsTo(outside, 3)
    assert.strictEqual(outside.ids().length, 100)
    assert.isAtMost(most, 6)
  })
})
