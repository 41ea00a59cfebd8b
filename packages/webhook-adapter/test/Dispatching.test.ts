/**
 * What is delivered, where and in which order (D9.1, D9.4, D9.5).
 */
import * as Timestamp from "@dockline/core/values/Timestamp"
import { assert, describe } from "@effect/vitest"
import { Effect } from "effect"
import {
  accepts,
  anEndpoint,
  answer,
  append,
  deliveries,
  delivering,
  dispatch,
  endpoint,
  pass,
  secret,
  settle,
  start,
  test,
  until,
  waiting
} from "./DispatchWorld.ts"

describe("an endpoint", () => {
  test("gets everything from its start on, and what comes after, each recorded", function*(outside) {
    yield* append([1, 1])
    const id = yield* delivering(outside, [2, 1], { fromId: 2 })
    assert.deepStrictEqual(outside.ids(), [2, 3, 4])
    yield* append([1])
    yield* settle
    assert.deepStrictEqual(outside.ids(), [2, 3, 4, 5])
    const record = yield* deliveries(id)
    assert.deepStrictEqual(record.map(({ messageId, status }) => [messageId, status]), [
      [2, "DELIVERED"],
      [3, "DELIVERED"],
      [4, "DELIVERED"],
      [5, "DELIVERED"]
    ])
    assert.deepStrictEqual(record[0]!.attempts, [{
      at: Timestamp.of("1970-01-01T00:00:00.000Z"),
      status: 200,
      durationMs: 0,
      response: "",
      error: ""
    }])
    assert.strictEqual((yield* endpoint(id)).cursorId, 5)
  })

  test(
    "gets the message types and the facility it is for, at their paths, with the headers of a delivery",
    function*(outside) {
      yield* anEndpoint({
        baseUrl: "https://customer.example:8443/hooks",
        messageTypes: ["PALLET_EVENT"],
        authentication: { type: "basic", settings: { username: "us" }, secrets: { password: secret } }
      })
      yield* anEndpoint({ baseUrl: "https://west.example", facility: "west" })
      yield* append([1])
      yield* pass("90 seconds")
      yield* dispatch(outside, { userAgent: "Dockline/9" })
      yield* settle
      assert.strictEqual(outside.requests.length, 1)
      const { body, headers, url } = outside.requests[0]!
      assert.strictEqual(url, "https://customer.example:8443/hooks/api/palletEvent")
      assert.deepStrictEqual(JSON.parse(body), { n: 0, shipment: 1, text: "" })
      const { "webhook-signature": signature, ...rest } = headers
      assert.deepStrictEqual(rest, {
        "Content-Type": "application/json",
        "Authorization": `Basic ${btoa(`us:${secret}`)}`,
        "User-Agent": "Dockline/9",
        "webhook-id": "msg_1",
        "webhook-timestamp": "90"
      })
      assert.match(signature!, /^v1,[A-Za-z0-9+/]{43}=$/)
    }
  )

  test(
    "is signed for with both secrets until the older one has expired, each attempt anew",
    function*(outside) {
      outside.customer = () => Effect.succeed(answer(500))
      yield* delivering(outside, [1], {
        signingSecrets: [
          { sealed: secret, validUntil: null },
          { sealed: `${secret}AAAA` as typeof secret, validUntil: Timestamp.of("1970-01-01T00:00:04.000Z") }
        ]
      })
      yield* pass("10 seconds")
      const signatures = outside.requests.map(({ headers }) => headers["webhook-signature"]!.split(" "))
      assert.deepStrictEqual(signatures.map(({ length }) => length), [2, 1])
      assert.notStrictEqual(signatures[0]![0], signatures[1]![0])
    }
  )
})

describe("of one shipment", () => {
  test("one that hangs holds up neither other shipments nor what is read of the log", function*(outside) {
    const customer = waiting()
    outside.customer = (request) =>
      request.payload.shipment === 1 ? customer.customer(request) : accepts(request)
    const id = yield* delivering(outside, [1, ...Array<number>(30).fill(1), 2, 3], {}, {
      windowMessages: 10,
      pollMillis: 500
    })
    assert.deepStrictEqual(outside.ids(), [1])
    yield* pass("10 seconds")
    assert.deepStrictEqual(outside.ids(), [1, 32, 33])
    assert.strictEqual((yield* endpoint(id)).cursorId, 33)
    outside.customer = accepts
    yield* customer.reply(1)
    assert.deepStrictEqual(outside.ids(), [1, 32, 33, ...Array.from({ length: 30 }, (_, n) => n + 2)])
  })
})

describe("at once", () => {
  test("are few while none succeeds", function*(outside) {
    const customer = waiting()
    outside.customer = customer.customer
    yield* delivering(outside, Array.from({ length: 30 }, (_, shipment) => shipment), {}, {
      cautiousConcurrency: 3
    })
    assert.strictEqual(outside.running, 3)
    for (let n = 0; n < 5; n++) yield* customer.reply(customer.ids()[0]!, 500)
    assert.strictEqual(outside.running, 3)
    for (let n = 0; n < 5; n++) yield* customer.reply(customer.ids()[0]!)
    assert.strictEqual(outside.running, 8)
    for (let n = 0; n < 8; n++) yield* customer.reply(customer.ids()[0]!, 500)
    while (outside.running > 3) yield* customer.reply(customer.ids()[0]!, 500)
    yield* customer.reply(customer.ids()[0]!, 500)
    assert.strictEqual(outside.running, 3)
  })

  test("are few of each endpoint where many are busy, and those that hang do not count", function*(outside) {
    const customer = waiting()
    const shipments = Array.from({ length: 100 }, (_, shipment) => shipment)
    const config = { totalConcurrency: 30, cautiousConcurrency: 2, pollMillis: 500 }
    for (let n = 0; n < 10; n++) yield* anEndpoint({ baseUrl: `https://busy${n}.example` })
    yield* append(shipments)
    yield* dispatch(outside, config)
    yield* until(() => outside.requests.length === 1000)
    assert.isAtMost(outside.most, 30 + 20)
    outside.customer = customer.customer
    yield* append(shipments)
    yield* settle
    assert.isAtMost(outside.running, 30 + 20)
    yield* pass("30 seconds")
    const hanging = outside.running
    const alone = yield* anEndpoint({ baseUrl: "https://alone.example" })
    outside.customers.set("alone.example", accepts)
    yield* until(() => outside.ids("alone.example").length === 200)
    outside.customers.set("alone.example", customer.customer)
    yield* append(shipments)
    yield* settle
    assert.strictEqual(outside.running - hanging, 30)
    assert.strictEqual((yield* endpoint(alone)).backlog, 100)
  })
})

describe("the end", () => {
  test(
    "waits for what is on its way, begins nothing more, and leaves the rest to the next start",
    function*(outside) {
      const customer = waiting()
      outside.customer = customer.customer
      const id = yield* anEndpoint()
      yield* append([1, 2, 1])
      const stop = yield* start(outside, { drainMillis: 8000 })
      yield* settle
      const stopping = yield* Effect.forkChild(stop)
      yield* settle
      yield* append([3])
      yield* customer.reply(2)
      yield* customer.reply(1)
      yield* settle
      assert.isDefined(stopping.pollUnsafe())
      assert.deepStrictEqual(outside.ids(), [1, 2])
      assert.deepStrictEqual((yield* deliveries(id)).map(({ status }) => status), ["DELIVERED", "DELIVERED"])
      outside.customer = accepts
      yield* dispatch(outside)
      yield* settle
      assert.deepStrictEqual(outside.ids(), [1, 2, 3, 4])
    }
  )

  test("does not wait for ever: what hangs is sent again by the next start", function*(outside) {
    outside.customer = () => Effect.never
    yield* anEndpoint()
    yield* append([1])
    const stop = yield* start(outside, { drainMillis: 8000 })
    yield* settle
    const stopping = yield* Effect.forkChild(stop)
    yield* pass("7 seconds")
    assert.isUndefined(stopping.pollUnsafe())
    yield* pass("1 seconds")
    assert.isDefined(stopping.pollUnsafe())
    assert.strictEqual(outside.running, 0)
    outside.customer = accepts
    yield* dispatch(outside)
    yield* settle
    assert.deepStrictEqual(outside.ids(), [1, 1])
  })
})
