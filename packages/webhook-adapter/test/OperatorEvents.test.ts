/** D15.4: what the dispatcher tells operators of, and what not. */
import { assert, describe } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { OperatorEvents } from "../src/OperatorEvents.ts"
import type { OperatorEvent } from "../src/OperatorEvents.ts"
import {
  anEndpoint,
  answer,
  append,
  connectionRefusal,
  dispatch,
  Outside,
  pass,
  settle,
  test,
  tokenAuthentication
} from "./DispatchWorld.ts"

/** Dispatches, and collects what operators are told. */
const telling = (outside: Outside, changes: Parameters<typeof dispatch>[1] = {}) => {
  const operatorEvents: Array<OperatorEvent> = []
  const events = Layer.succeed(OperatorEvents, { tell: (event) => void operatorEvents.push(event) })
  return Effect.as(Effect.provide(dispatch(outside, changes), events), operatorEvents)
}

const answering = (status: number) => {
  const outside = new Outside()
  outside.customer = () => Effect.succeed(answer(status))
  return outside
}

const typesOf = (events: ReadonlyArray<OperatorEvent>) => [...new Set(events.map(({ type }) => type))]

describe("operators are told", () => {
  test("of an endpoint that has failed for four minutes, and of none that fails for less", function*() {
    const outside = answering(500)
    const id = yield* anEndpoint()
    yield* append([1])
    const events = yield* telling(outside)
    yield* pass("4 minutes")
    assert.deepStrictEqual(events, [])
    // By then the second further try has come.
    yield* pass("130 seconds")
    assert.deepStrictEqual(events, [{
      type: "endpoint.failing",
      endpoint: { business: "acme", id },
      text: `Webhook endpoint ${id} of acme has failed since 1970-01-01T00:00:00.000Z: it answered 500`
    }])
  })

  test("of nothing where deliveries succeed again in time", function*() {
    const outside = answering(500)
    yield* anEndpoint()
    yield* append([1])
    const events = yield* telling(outside)
    yield* pass("1 minute")
    outside.customer = () => Effect.succeed(answer(204))
    yield* pass("1 hour")
    assert.deepStrictEqual(events, [])
  })

  test("of an endpoint that is disabled by its answer 410", function*() {
    const id = yield* anEndpoint()
    yield* append([1])
    const events = yield* telling(answering(410))
    yield* settle
    assert.deepStrictEqual(events, [{
      type: "endpoint.disabled",
      endpoint: { business: "acme", id },
      text: `Webhook endpoint ${id} of acme is disabled: it answered 410`
    }])
  })

  test("of a delivery that is given up, and of an endpoint that has failed for five days", function*() {
    yield* anEndpoint()
    const [first] = yield* append([1])
    const events = yield* telling(answering(500))
    yield* pass("4 days")
    yield* append([2])
    yield* pass("2 days")
    assert.deepStrictEqual(typesOf(events), ["endpoint.failing", "delivery.dead", "endpoint.disabled"])
    const dead = events.find(({ type }) => type === "delivery.dead")
    assert.strictEqual(dead?.messageId, first)
    assert.match(dead?.text ?? "", /has not accepted message 1, which is given up: it answered 500$/)
  })

  test("of a login that has failed for five minutes", function*(outside) {
    outside.customers.set("login.example", () => connectionRefusal)
    yield* anEndpoint({ authentication: tokenAuthentication })
    yield* append([1])
    const events = yield* telling(outside)
    yield* pass("5 minutes")
    assert.deepStrictEqual(events, [])
    yield* pass("16 seconds")
    assert.deepStrictEqual(events.map(({ text, type }) => [type, text]), [[
      "endpoint.failing",
      "Webhook endpoint 1 of acme waits, because signing in to it failed: login: connection refused"
    ]])
  })
})
