/**
 * Dispatching from PostgreSQL, in real time: what the tests over stores in memory show holds there (D9.3, D9.4).
 */
import { DeliveryStore } from "@dockline/core/DeliveryStore"
import * as Sql from "@dockline/sql-storage/Sql"
import { assert, describe, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { eventually } from "../../../test/support/Eventually.ts"
import * as TestDatabase from "../../../test/support/TestDatabase.ts"
import {
  anEndpoint,
  answer,
  append,
  deliveries,
  endpoint,
  makeBusiness,
  Outside,
  quiet,
  start
} from "./DispatchWorld.ts"

const postgres = Sql.layer.pipe(
  Layer.provide(TestDatabase.layer),
  Layer.tap((context) => Effect.provideContext(makeBusiness, context)),
  Layer.provideMerge(quiet)
)

/** Small delays, so that the schedule runs through. */
const config = { pollMillis: 100, retryDelays: Array<number>(9).fill(20), drainMillis: 0 }

describe("from PostgreSQL", () => {
  layer(postgres, { excludeTestServices: true, timeout: "1 minute" })((it) => {
    it.effect("everything is delivered in order through failures and restarts, repeated only because of them", () =>
      Effect.gen(function*() {
        const outside = new Outside()
        let n = 0
        // One in seven fails, and each takes a while.
        outside.customer = () => Effect.delay(Effect.succeed(answer(++n % 7 === 0 ? 500 : 200)), n % 3)
        const id = yield* anEndpoint()
        const shipments = Array.from({ length: 1500 }, (_, at) => at % 60)
        yield* append(shipments.slice(0, 800))
        const store = yield* DeliveryStore
        let restarts = 0
        let stop = yield* start(outside, config)
        for (const at of [200, 500, 900]) {
          yield* Effect.promise(() => eventually(`${at} requests`, () => outside.requests.length >= at))
          yield* stop
          restarts++
          stop = yield* start(outside, config)
          if (at === 500) yield* append(shipments.slice(800))
        }
        yield* Effect.repeat(
          Effect.andThen(Effect.sleep(20), store.ready(everyPartition, "9999-01-01T00:00:00.000Z")),
          { until: ({ endpoints }) => endpoints.length === 0 && outside.requests.length > 1500 }
        )
        const recorded = yield* deliveries(id)
        assert.strictEqual(recorded.length, 1500)
        assert.isTrue(recorded.every(({ status }) => status === "DELIVERED"))
        assert.strictEqual((yield* endpoint(id)).backlog, 0)
        for (let shipment = 0; shipment < 60; shipment++) {
          const sent = outside.requests.filter(({ payload }) => payload.shipment === shipment).map(({ id }) =>
            id
          )
          assert.deepStrictEqual(sent, sent.toSorted((left, right) => left - right))
        }
        // Beyond those that failed, each restart repeats what was on its way: one of a shipment at most.
        const repeated = outside.requests.length - 1500 - Math.floor(n / 7)
        assert.isAtMost(repeated, restarts * 60)
      }))
  })
})

const everyPartition = Array.from({ length: 64 }, (_, partition) => partition)
