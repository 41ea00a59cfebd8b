/** How long operations wait for a connection while others hold all of them, and the metrics that count waiting operations. */
import { ClientStore } from "@dockline/core/access/Principals"
import * as Timestamp from "@dockline/core/values/Timestamp"
import { DeliveryStore } from "@dockline/core/webhooks/DeliveryStore"
import * as Database from "@dockline/sql-storage/connections/Database"
import * as Migrations from "@dockline/sql-storage/schema/Migrations"
import * as Sql from "@dockline/sql-storage/Sql"
import { assert, describe } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer, Metric, Result, Scheduler, Semaphore } from "effect"
import { TestClock } from "effect/testing"
import * as TestDatabase from "../../../../test/support/TestDatabase.ts"
import { over, test } from "../../../../test/support/Tests.ts"
import { waiting } from "../../src/connections/StorageMetrics.ts"
import { operations } from "../../src/connections/StoreOperations.ts"
import { businessId } from "../../src/rows/BusinessRows.ts"

/** How many operations have failed so far because no connection was free. */
const busy = Effect.map(Metric.snapshot, (metrics) => {
  const metric = metrics.find(({ attributes, id }) =>
    id === "dockline_storage_unavailable_total" && attributes?.["reason"] === "busy"
  )
  return metric?.type === "Counter" ? Number(metric.state.count) : 0
})

type Metrics = Effect.Success<typeof Metric.snapshot>

/** The value of a gauge; of those with this name, that with a state if one is passed. */
const gaugeOf = (metrics: Metrics, name: string, state?: string): number => {
  const metric = metrics.find(({ attributes, id }) =>
    id === name && (state === undefined || attributes?.["state"] === state)
  )
  return metric?.type === "Gauge" ? Number(metric.state.value) : 0
}

/** How many transactions of requests may run at once. */
const transactionLimit = Effect.map(
  Metric.snapshot,
  (metrics) => gaugeOf(metrics, "dockline_storage_transactions_limit")
)

/** How many reads may run at once. */
const readLimit = Effect.map(Metric.snapshot, (metrics) => gaugeOf(metrics, "dockline_storage_reads_limit"))

/** Lets other fibers run once, before the step with a number. */
class YieldingScheduler extends Scheduler.MixedScheduler {
  readonly #yieldStep: number
  #step = 0

  constructor(yieldStep: number) {
    super()
    this.#yieldStep = yieldStep
  }

  override shouldYield(): boolean {
    return ++this.#step === this.#yieldStep
  }

  get steps(): number {
    return this.#step
  }
}

/** The numbers of transactions that run and that wait, by their gauge. */
const counts = Effect.map(Metric.snapshot, (metrics) => ({
  running: gaugeOf(metrics, "dockline_storage_transactions", "running"),
  waiting: gaugeOf(metrics, "dockline_storage_transactions", "waiting")
}))

describe("the gauge of transactions", () => {
  const idle = { running: 0, waiting: 0 }

  test("counts transactions while they wait and while they run, and no longer", function*() {
    const semaphore = Semaphore.makeUnsafe(1)
    const done = yield* Deferred.make<void>()
    yield* semaphore.take(1)
    const running = yield* Effect.forkChild(waiting(semaphore.withPermit, Deferred.await(done)))
    const givenUp = yield* Effect.forkChild(
      Effect.timeoutOption(waiting(semaphore.withPermit, Effect.never), 500)
    )
    yield* Effect.yieldNow
    assert.deepStrictEqual(yield* counts, { running: 0, waiting: 2 })
    yield* semaphore.release(1)
    yield* Effect.yieldNow
    assert.deepStrictEqual(yield* counts, { running: 1, waiting: 1 })
    yield* TestClock.adjust(500)
    yield* Fiber.join(givenUp)
    assert.deepStrictEqual(yield* counts, { running: 1, waiting: 0 })
    yield* Deferred.succeed(done, undefined)
    yield* Fiber.join(running)
    assert.deepStrictEqual(yield* counts, idle)
  })

  test.live("returns to 0 when a transaction is interrupted, at whatever step", function*() {
    const context = yield* Effect.context<never>()
    let steps = 0
    for (let at = 1; at <= Math.max(10, steps); at++) {
      const scheduler = new YieldingScheduler(at)
      const fiber = Effect.runForkWith(context)(waiting((onEntry) => onEntry, Effect.never), { scheduler })
      yield* Fiber.interrupt(fiber)
      steps = Math.max(steps, scheduler.steps)
      assert.deepStrictEqual(yield* counts, idle, `interrupted before step ${at}`)
    }
  })
})

const database = Layer.unwrap(
  Effect.map(
    TestDatabase.create,
    ({ url }) => Database.layer({ ...Database.defaultDatabaseConfig, url, waitMillis: 500 })
  )
)

const stores = Sql.layer.pipe(Layer.provideMerge(Migrations.layer), Layer.provideMerge(database))

over(stores)("while transactions hold all connections", (test) => {
  test("another write is unavailable after a short wait, and reads are served", function*() {
    const clients = yield* ClientStore
    const deliveries = yield* DeliveryStore
    const replay = deliveries.replay(1, 1, Timestamp.of("2026-11-28T00:00:00.000Z"))
    const client = { id: "c", name: "before", enabled: true, secrets: [], grants: [] }
    yield* clients.put([client])
    const rename = clients.update("c", (client) => Result.succeed({ ...client, name: "after" }))
    const loan = (yield* operations).loan({ lane: "requests" })
    const all = yield* transactionLimit
    const gate = yield* Deferred.make<void>()
    let holders = 0
    const holding = Effect.andThen(Effect.sync(() => holders++), Deferred.await(gate))
    const holder = yield* Effect.forkChild(
      Effect.replicateEffect(loan(holding), all, { concurrency: "unbounded" })
    )
    // The storage drops old rows when it starts: this is over, or has failed, before the counts begin.
    yield* Effect.repeat(counts, {
      until: ({ running, waiting }) => holders === all && running === all && waiting === 0
    })
    const busyBefore = yield* busy
    const error = yield* Effect.flip(rename)
    assert.strictEqual(error._tag, "StorageUnavailable")
    assert.match(String(error.cause), /No connection was free/)
    assert.strictEqual((yield* Effect.flip(replay))._tag, "StorageUnavailable")
    assert.strictEqual(yield* busy, busyBefore + 2)
    assert.strictEqual((yield* clients.find("c"))?.name, "before")
    yield* Deferred.succeed(gate, undefined)
    yield* Fiber.join(holder)
    yield* rename
    assert.strictEqual((yield* clients.find("c"))?.name, "after")
    assert.strictEqual((yield* Effect.flip(replay))._tag, "WebhookEndpointNotFound")
  })

  test("the reads of one business leave half of the connections to the reads of others", function*() {
    const { loan } = yield* operations
    const gate = yield* Deferred.make<void>()
    let holders = 0
    const holding = Effect.andThen(Effect.sync(() => holders++), Deferred.await(gate))
    const reads = yield* Effect.forkChild(
      Effect.replicateEffect(loan({ lane: "reads", business: businessId("one") })(holding), 64, {
        concurrency: "unbounded"
      })
    )
    const half = Math.ceil((yield* readLimit) / 2)
    yield* Effect.repeat(Effect.sync(() => holders), { until: (holders) => holders >= half })
    yield* loan({ lane: "reads", business: businessId("other") })(Effect.void)
    assert.strictEqual(holders, half)
    yield* Fiber.interrupt(reads)
  })
})
