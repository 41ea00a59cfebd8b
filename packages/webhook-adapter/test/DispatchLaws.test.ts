/**
 * Laws of dispatching over random histories, in which customers answer anything and dispatchers end at any time (D9.3,
 * D9.4).
 */
import * as Timestamp from "@dockline/core/values/Timestamp"
import { DeliveryStore } from "@dockline/core/webhooks/DeliveryStore"
import { WebhookEndpointStore } from "@dockline/core/webhooks/WebhookEndpoint"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import * as fc from "fast-check"
import { runs } from "../../../test/support/Runner.ts"
import {
  anEndpoint,
  answer,
  append,
  connectionRefusal,
  deliveries,
  endpoint,
  Outside,
  pass,
  settle,
  start,
  turns,
  world
} from "./DispatchWorld.ts"
import type { Customer } from "./DispatchWorld.ts"

/** The answer of a customer to one request: at once, later, or never. */
const behaviour = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({ status: fc.constant(200), millis: fc.constantFrom(0, 0, 0, 200, 3000) })
  },
  {
    weight: 3,
    arbitrary: fc.record({ status: fc.constantFrom(500, 404, 429, 0), millis: fc.constantFrom(0, 0, 700) })
  }
)

type Behaviour = { readonly status: number; readonly millis: number }

const histories = fc.record({
  behaviours: fc.array(behaviour, { minLength: 1, maxLength: 40 }),
  /** The messages to append, the wait until the next step, and whether the dispatcher is killed before that. */
  steps: fc.array(
    fc.record({
      shipments: fc.array(fc.integer({ min: 1, max: 5 }), { maxLength: 12 }),
      millis: fc.constantFrom(0, 100, 1000, 6000, 400_000),
      /** After how many turns of the event loop. */
      kill: fc.option(fc.integer({ min: 0, max: 25 }), { freq: 2 })
    }),
    { minLength: 1, maxLength: 6 }
  ),
  /** A short value makes hanging requests visible. */
  pollMillis: fc.constantFrom(500, 10_000_000),
  /** The turns of the event loop that the storage takes, before and after its work. */
  taking: fc.tuple(fc.nat(3), fc.nat(12)),
  settling: fc.tuple(fc.nat(3), fc.nat(6)),
  window: fc.constantFrom(3, 10, 1000),
  concurrency: fc.constantFrom(1, 4, 32)
})

/** One history. */
type History = typeof histories extends fc.Arbitrary<infer A> ? A : never

/** Answers the n-th request with the n-th behaviour, and all later requests with 200. */
const customerOf = (
  behaviours: ReadonlyArray<Behaviour>,
  outcomes: Array<readonly [id: number, ok: boolean]>
): Customer => {
  let n = 0
  return ({ id }) =>
    Effect.suspend(() => {
      const { millis, status } = behaviours[n++] ?? { millis: 0, status: 200 }
      const reply = Effect.suspend(() => {
        outcomes.push([id, status === 200])
        return status === 0 ? connectionRefusal : Effect.succeed(answer(status))
      })
      return millis === 0 ? reply : Effect.delay(reply, millis)
    })
}

/** Runs until no work is left, over the days of the schedule. */
const finish = Effect.gen(function*() {
  for (let n = 0; n < 20; n++) yield* pass("6 hours")
})

/** Checks that the record holds everything up to the cursor and nothing after it. */
const checkRecord = Effect.fnUntraced(function*(
  store: DeliveryStore["Service"],
  endpoints: WebhookEndpointStore["Service"]
) {
  const { items } = yield* store.list(1, undefined, { limit: 100_000, after: 0 })
  const { cursorId } = (yield* endpoints.find(1))!
  // All messages here are of one log, and all are for the endpoint.
  assert.deepStrictEqual(
    items.map(({ messageId }) => messageId),
    Array.from({ length: cursorId }, (_, n) => cursorId - n)
  )
})

/** A storage that answers late, so that its answers may be outdated. */
const slow = ({ settling, taking }: History) =>
  Layer.effect(
    DeliveryStore,
    Effect.gen(function*() {
      const store = yield* DeliveryStore
      const endpoints = yield* WebhookEndpointStore
      const around = ([before, after]: readonly [number, number]) => <A, E>(effect: Effect.Effect<A, E>) =>
        turns(before).pipe(Effect.andThen(effect), Effect.tap(() => turns(after)))
      return DeliveryStore.of({
        ...store,
        take: (...args) => around(taking)(store.take(...args)),
        settle: (...args) =>
          around(settling)(
            Effect.tap(store.settle(...args), () => Effect.orDie(checkRecord(store, endpoints)))
          )
      })
    })
  )

const outcomesOf = (outcomes: ReadonlyArray<readonly [number, boolean]>, id: number) =>
  outcomes.filter(([of]) => of === id).map(([, ok]) => ok)

/** Runs a history and checks its results. */
const check = (history: History) =>
  Effect.gen(function*() {
    const { behaviours, concurrency, pollMillis, steps, window } = history
    const outside = new Outside()
    const outcomes: Array<readonly [number, boolean]> = []
    outside.customer = customerOf(behaviours, outcomes)
    const config = { windowMessages: window, concurrency, pollMillis }
    const id = yield* anEndpoint()
    let stop = yield* start(outside, config)
    const shipments: Array<number> = []
    let kills = 0
    for (const { kill, millis, shipments: more } of steps) {
      yield* append(more)
      shipments.push(...more)
      // The dispatcher is killed at an arbitrary point of its work.
      if (kill !== null) {
        yield* turns(kill)
        yield* stop
        kills++
        stop = yield* start(outside, config)
      }
      if (millis > 0) yield* pass(millis)
    }
    if (pollMillis < 1000) {
      yield* stop
      kills++
      yield* start(outside, { ...config, pollMillis: 10_000_000 })
    }
    yield* finish

    const record = yield* deliveries(id)
    assert.deepStrictEqual(record.map(({ messageId }) => messageId), shipments.map((_, n) => n + 1))
    assert.isTrue(record.every(({ status }) => status !== "PENDING"), "something is left")
    assert.strictEqual((yield* endpoint(id)).cursorId, shipments.length)
    record.forEach(({ attempts, messageId, status }) => {
      const outcome = outcomesOf(outcomes, messageId)
      if (status === "DELIVERED") assert.isTrue(outcome.includes(true))
      const successes = outcome.filter((ok) => ok).length
      assert.isAtMost(successes, 1 + kills, `message ${messageId} was repeated after a success`)
      if (kills === 0) assert.strictEqual(attempts.length, outcome.length)
    })
    // The first time that each message of a shipment succeeds comes in the order of their ids.
    for (const shipment of new Set(shipments)) {
      const sentIds = outside.requests.filter(({ payload }) => payload.shipment === shipment).map(({ id }) =>
        id
      )
      const firsts = sentIds.filter((id, at) => sentIds.indexOf(id) === at)
      assert.deepStrictEqual(firsts, [...firsts].sort((left, right) => left - right))
      // Once a later one was sent, an earlier one is not sent again.
      assert.deepStrictEqual(sentIds, [...sentIds].sort((left, right) => left - right))
    }
    assert.isAtMost(outside.most, concurrency)
    const store = yield* DeliveryStore
    const { endpoints } = yield* store.ready(
      Array.from({ length: 64 }, (_, n) => n),
      Timestamp.of("9999-01-01T00:00:00.000Z")
    )
    assert.deepStrictEqual(endpoints, [])
    yield* settle
  }).pipe(
    Effect.provide(Layer.fresh(Layer.provideMerge(slow(history), world)), { local: true }),
    Effect.scoped,
    Effect.provide(TestClock.layer())
  )

describe("over any history", () => {
  it(
    "everything is delivered, in the order of each shipment, and repeated only after a failure or an end",
    () => fc.assert(fc.asyncProperty(histories, (history) => Effect.runPromise(check(history))), runs(15)),
    120_000
  )
})
