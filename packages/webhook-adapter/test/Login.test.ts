/**
 * Signing in: a failing login endpoint is a state of the endpoint, and a refused token is renewed (D9.2, D9.3).
 */
import type { SealedText } from "@dockline/core/webhooks/SecretsVault"
import { assert, describe } from "@effect/vitest"
import { Effect } from "effect"
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
  issues,
  Outside,
  pass,
  settle,
  start,
  test,
  tokenAuthentication
} from "./DispatchWorld.ts"

const authentication = tokenAuthentication

/** A login endpoint that issues `token-1`, `token-2`, …, and an endpoint that accepts valid tokens. */
const aCustomer = (outside: Outside) => {
  const state = { logins: 0, isDown: false, isGood: (_header: string | undefined) => true }
  outside.customers.set("login.example", () =>
    Effect.suspend(() => {
      if (state.isDown) return connectionRefusal
      return Effect.succeed(issues(`token-${++state.logins}`))
    }))
  outside.customers.set(
    "customer.example",
    ({ headers }) => Effect.succeed(answer(state.isGood(headers["Authorization"]) ? 200 : 401))
  )
  return state
}

const logins = (outside: Outside) => outside.requests.filter(({ url }) => url.includes("login.example"))

const many = Array.from({ length: 50 }, (_, shipment) => shipment)

describe("D15.3 an endpoint whose payload profile the service does not have", () => {
  test(
    "is sent nothing, says why, and uses up no attempt; its messages wait for another profile",
    function*(outside) {
      outside.customers.set("customer.example", () => Effect.succeed(answer(200)))
      const id = yield* delivering(outside, [1, 1], { payloadProfile: "absent" })
      yield* pass("30 minutes")
      assert.strictEqual((yield* endpoint(id)).login!.error, "this service has no payload profile absent")
      assert.deepStrictEqual([outside.ids(), yield* deliveries(id)], [[], []])

      yield* change(id, { payloadProfile: "dockline" })
      yield* pass("5 minutes")
      assert.deepStrictEqual(outside.ids(), [1, 2])
      assert.isNull((yield* endpoint(id)).login)
    }
  )
})

describe("a login endpoint that fails", () => {
  test("uses up no attempt: the endpoint waits 5 s, doubling to 5 min, and then goes on", function*(outside) {
    const customer = aCustomer(outside)
    customer.isDown = true
    const id = yield* delivering(outside, [1, 1, 2], { authentication })
    const waiting = yield* endpoint(id)
    assert.deepStrictEqual(waiting.login, {
      failures: 1,
      retryAt: "1970-01-01T00:00:05.000Z",
      error: waiting.login!.error
    })
    assert.include(waiting.login!.error, "connection refused")
    yield* pass("30 minutes")
    const times = logins(outside).map(({ at }) => at / 1000)
    const waits = times.slice(1).map((at, n) => at - times[n]!)
    assert.deepStrictEqual(waits, [5, 10, 20, 40, 80, 160, 300, 300, 300, 300])
    assert.deepStrictEqual(outside.ids(), [])
    assert.deepStrictEqual(yield* deliveries(id), [])
    assert.isNull((yield* endpoint(id)).failingSince)

    customer.isDown = false
    yield* pass("5 minutes")
    assert.deepStrictEqual([...outside.ids()].sort(), [1, 2, 3])
    assert.isTrue(
      (yield* deliveries(id)).every(({ attempts, tries }) => attempts.length === 1 && tries === 0)
    )
    assert.isNull((yield* endpoint(id)).login)
  })

  test("is still waited for after a restart", function*(outside) {
    aCustomer(outside).isDown = true
    const id = yield* anEndpoint({ authentication })
    yield* append([1])
    const stop = yield* start(outside)
    yield* settle
    yield* pass("40 seconds")
    yield* stop
    yield* dispatch(outside)
    yield* settle
    assert.deepStrictEqual(logins(outside).map(({ at }) => at / 1000), [0, 5, 15, 35])
    yield* pass("40 seconds")
    assert.deepStrictEqual(logins(outside).map(({ at }) => at / 1000), [0, 5, 15, 35, 75])
    assert.strictEqual((yield* endpoint(id)).login!.failures, 5)
  })

  test("is asked again when its Retry-After says so, of 429 and 503, and never sooner", function*(outside) {
    const answers = [[503, "30.2"], [429, "1"], [503, "600"], [500, "600"]] as const
    let loginCount = 0
    aCustomer(outside)
    outside.customers.set("login.example", () => {
      const [status, retryAfter] = answers[loginCount++] ?? [500, ""]
      return Effect.succeed({ ...answer(status), headers: { "retry-after": retryAfter } })
    })
    yield* delivering(outside, [1], { authentication })
    yield* pass("13 minutes")
    assert.deepStrictEqual(logins(outside).map(({ at }) => at / 1000), [0, 31, 41, 641, 681, 761])
  })

  test("after a 401 uses up no attempt either", function*(outside) {
    const customer = aCustomer(outside)
    const id = yield* delivering(outside, [1], { authentication })
    customer.isDown = true
    customer.isGood = (header) => header !== "Bearer token-1"
    yield* append([1])
    yield* settle
    const [, refusedOne] = yield* deliveries(id)
    assert.deepStrictEqual([refusedOne!.status, refusedOne!.tries], ["PENDING", 0])
    assert.deepStrictEqual(refusedOne!.attempts.map(({ status }) => status), [401])
    customer.isDown = false
    yield* pass("5 seconds")
    assert.strictEqual((yield* deliveries(id))[1]!.status, "DELIVERED")
    assert.isNull((yield* endpoint(id)).login)
  })
})

describe("a token", () => {
  test(
    "is fetched once for all, and renewed once when it is refused; both attempts are recorded as one step",
    function*(outside) {
      const customer = aCustomer(outside)
      const id = yield* delivering(outside, many, { authentication })
      assert.strictEqual(customer.logins, 1)
      customer.isGood = (header) => header === "Bearer token-2"
      yield* append([1])
      yield* settle
      assert.strictEqual(customer.logins, 2)
      const last = (yield* deliveries(id)).at(-1)!
      assert.deepStrictEqual([last.status, last.tries], ["DELIVERED", 0])
      assert.deepStrictEqual(last.attempts.map(({ status }) => status), [401, 200])
      customer.isGood = () => false
      yield* append([2])
      yield* settle
      const lastDelivery = (yield* deliveries(id)).at(-1)!
      assert.deepStrictEqual([lastDelivery.status, lastDelivery.tries], ["PENDING", 1])
      assert.deepStrictEqual(lastDelivery.attempts.map(({ status }) => status), [401, 401])
    }
  )

  test("is not used for a second attempt once the endpoint is to get nothing more", function*(outside) {
    const customer = aCustomer(outside)
    const id = yield* delivering(outside, [1], { authentication })
    customer.isGood = () => false
    outside.customers.set("login.example", () => Effect.delay(Effect.succeed(issues("t")), 11_000))
    yield* append([1])
    yield* pass("11 seconds")
    assert.deepStrictEqual(outside.ids(), [1, 2])
    const last = (yield* deliveries(id)).at(-1)!
    assert.deepStrictEqual([last.status, last.tries], ["PENDING", 0])
    customer.isGood = () => true
    yield* pass("1 hours")
    assert.deepStrictEqual(outside.ids(), [1, 2, 2])
  })

  test(
    "is not used for a second attempt once the endpoint has answered 410 to another delivery",
    function*(outside) {
      aCustomer(outside)
      const id = yield* delivering(outside, [1], { authentication })
      const login = outside.customers.get("login.example")!
      outside.customers.set("login.example", (request) => Effect.delay(login(request), 2000))
      outside.customers.set(
        "customer.example",
        ({ id }) => Effect.delay(Effect.succeed(answer(id === 2 ? 401 : 410)), id === 2 ? 500 : 1000)
      )
      yield* append([1, 2])
      yield* pass("1 hours")
      assert.deepStrictEqual(outside.ids(), [1, 2, 3])
      const [, first] = yield* deliveries(id)
      assert.deepStrictEqual([first!.status, first!.tries, first!.attempts.length], ["PENDING", 0, 1])
      assert.strictEqual((yield* endpoint(id)).disabledReason, "GONE")
    }
  )

  test(
    "is kept while an endpoint has nothing to do, and when other settings of it change",
    function*(outside) {
      const customer = aCustomer(outside)
      const id = yield* anEndpoint({ authentication })
      yield* dispatch(outside)
      for (let n = 0; n < 3; n++) {
        yield* append([1])
        yield* pass("10 minutes")
      }
      yield* change(id, { baseUrl: "https://customer.example/other" })
      yield* append([1])
      yield* settle
      assert.strictEqual(outside.requests.at(-1)!.url, "https://customer.example/other/api/palletEvent")
      assert.strictEqual(customer.logins, 1)
      yield* change(id, {
        authentication: { ...authentication, settings: { ...authentication.settings, username: "them" } }
      })
      yield* append([1])
      yield* settle
      assert.strictEqual(customer.logins, 2)
      assert.deepStrictEqual(JSON.parse(logins(outside).at(-1)!.body), {
        username: "them",
        password: "pass\"word"
      })
    }
  )
})

describe("a secret that does not open", () => {
  test("makes the endpoint wait likewise, and is reported", function*(outside) {
    outside.customer = accepts
    const id = yield* anEndpoint({ signingSecrets: [{ sealed: "broken" as SealedText, validUntil: null }] })
    const other = yield* anEndpoint({
      authentication: {
        type: "basic",
        settings: { username: "us" },
        secrets: { password: "broken" as SealedText }
      }
    })
    const third = yield* delivering(outside, [1], {
      headers: [{ name: "X-Api-Key", sealed: "broken" as SealedText }]
    })
    yield* pass("5 seconds")
    for (const one of [id, other, third]) {
      const { login } = yield* endpoint(one)
      assert.deepStrictEqual([login!.failures, login!.retryAt], [2, "1970-01-01T00:00:15.000Z"])
      assert.include(login!.error, "SECRETS_KEY")
    }
    assert.deepStrictEqual(outside.requests, [])
    yield* change(id, {
      signingSecrets: [{ sealed: "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw" as SealedText, validUntil: null }]
    })
    yield* pass("10 seconds")
    assert.deepStrictEqual(outside.ids(), [1])
    assert.isNull((yield* endpoint(id)).login)
  })
})
