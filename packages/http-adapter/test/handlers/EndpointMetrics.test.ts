/** What waits for webhook endpoints, as series: bounded, and telling whose fault it is. */
import { StorageUnavailable } from "@dockline/core/values/Errors"
import { fromMillis } from "@dockline/core/values/Timestamp"
import { DeliveryStore } from "@dockline/core/webhooks/DeliveryStore"
import type { EndpointBacklog } from "@dockline/core/webhooks/DeliveryStore"
import * as MetricsPage from "@dockline/http-adapter/handlers/MetricsPage"
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Metric, Option } from "effect"
import { TestClock } from "effect/testing"

const endpoint = (endpointId: number, fields: Partial<EndpointBacklog> = {}): EndpointBacklog => ({
  endpointId,
  business: "acme",
  enabled: true,
  disabledReason: "",
  failingSince: null,
  awaitsLogin: false,
  messages: 0,
  oldestAt: null,
  ...fields
})

/** Makes what reads the series of endpoints that a storage tells of. */
const reader = (backlog: DeliveryStore["Service"]["backlog"]) =>
  Effect.provideService(
    MetricsPage.seriesOf,
    DeliveryStore,
    // Nothing else is asked of it.
    { backlog } as DeliveryStore["Service"]
  )

/** The values of a metric by the values of its labels. */
const valuesOf = (write: MetricsPage.Write, name: string): Readonly<Record<string, number>> => {
  const context = Context.make(Metric.MetricRegistry, new Map())
  write(context)
  return Object.fromEntries(
    Metric.snapshotUnsafe(context).filter(({ id }) => id === name).map(({ attributes, state }) => [
      Object.values(attributes ?? {}).join(" "),
      (state as { readonly value: number }).value
    ])
  )
}

const writeOf = (all: ReadonlyArray<EndpointBacklog>) =>
  Effect.flatMap(reader(Effect.succeed(all)), (read) => Effect.map(read, Option.getOrThrow))

const lag = "dockline_webhook_endpoint_lag_seconds"
const failing = "dockline_webhook_endpoint_failing_seconds"
const awaitingLogin = "dockline_webhook_endpoint_awaiting_login"
const backlog = "dockline_webhook_endpoint_backlog_messages"

describe("the series of endpoints", () => {
  it.effect("are those of the endpoints that are furthest behind, and one for all others", () =>
    Effect.gen(function*() {
      const count = MetricsPage.endpointSeries + 20
      yield* TestClock.setTime(count * 1000)
      // Endpoint n is behind by n seconds.
      const write = yield* writeOf(Array.from({ length: count }, (_, at) =>
        endpoint(at + 1, {
          messages: 2,
          oldestAt: fromMillis((count - at - 1) * 1000),
          failingSince: fromMillis((count - at - 1) * 1000),
          awaitsLogin: true
        })))
      const lags = valuesOf(write, lag)
      assert.strictEqual(Object.keys(lags).length, MetricsPage.endpointSeries + 1)
      assert.strictEqual(lags[`${count} acme`], count)
      assert.isUndefined(lags["20 acme"])
      assert.strictEqual(lags["other other"], 20)
      assert.strictEqual(valuesOf(write, failing)["other other"], 20)
      assert.strictEqual(valuesOf(write, backlog)["other other"], 40)
      assert.strictEqual(valuesOf(write, awaitingLogin)["other other"], 20)
    }))

  it.effect("tell of each whether it fails, or cannot be signed in to: then its lag is the customer's to mend", () =>
    Effect.gen(function*() {
      yield* TestClock.setTime(100_000)
      const behind = { messages: 1, oldestAt: fromMillis(40_000) }
      const write = yield* writeOf([
        endpoint(1, behind),
        endpoint(2, { ...behind, failingSince: fromMillis(70_000) }),
        endpoint(3, { ...behind, awaitsLogin: true }),
        endpoint(4, { ...behind, awaitsLogin: true, enabled: false, disabledReason: "GONE" })
      ])
      const each = (values: Readonly<Record<string, number>>) =>
        [1, 2, 3, 4].map((id) => values[`${id} acme`])
      assert.deepStrictEqual(each(valuesOf(write, lag)), [60, 60, 60, 60])
      assert.deepStrictEqual(each(valuesOf(write, failing)), [0, 30, 0, 0])
      assert.deepStrictEqual(each(valuesOf(write, awaitingLogin)), [0, 0, 1, 0])
    }))

  it.effect("leave out what an operator has disabled, which is among the states", () =>
    Effect.gen(function*() {
      const write = yield* writeOf([
        endpoint(1, { enabled: false, disabledReason: "OPERATOR", messages: 9 }),
        endpoint(2, { enabled: false, disabledReason: "FAILING", messages: 9 })
      ])
      assert.deepStrictEqual(valuesOf(write, backlog), { "2 acme": 9, "other other": 0 })
      assert.deepInclude(valuesOf(write, "dockline_webhook_endpoints"), { disabled: 1, disabled_failing: 1 })
    }))

  it.effect("are read from the storage now and then, however many ask", () =>
    Effect.gen(function*() {
      let reads = 0
      const read = yield* reader(Effect.sync(() => {
        reads += 1
        return []
      }))
      yield* Effect.all(Array.from({ length: 10 }, () => read), { concurrency: "unbounded" })
      yield* TestClock.adjust("9 seconds")
      yield* read
      assert.strictEqual(reads, 1)
      yield* TestClock.adjust("2 seconds")
      yield* read
      assert.strictEqual(reads, 2)
    }))

  it.effect("are left out while the storage does not tell", () =>
    Effect.gen(function*() {
      const read = yield* reader(Effect.fail(new StorageUnavailable({ cause: "away" })))
      assert.isTrue(Option.isNone(yield* read))
    }))
})
