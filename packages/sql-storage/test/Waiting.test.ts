/** How long operations wait to be let in to the database while others hold all that it takes. */
import { ClientStore } from "@dockline/core/ClientStore"
import { WebhookEndpointStore } from "@dockline/core/WebhookEndpointStore"
import * as Database from "@dockline/sql-storage/Database"
import * as Migrations from "@dockline/sql-storage/Migrations"
import * as Sql from "@dockline/sql-storage/Sql"
import { assert, describe, it, layer } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer, Metric, Result, Scheduler, Semaphore } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import * as TestDatabase from "../../../test/support/TestDatabase.ts"
import { waiting } from "../src/StorageMetrics.ts"
import { makeInTurn, permits } from "../src/Transactions.ts"
import { letIn } from "../src/Waiting.ts"

/** How many operations were given up so far as nothing was free. */
const busy = Effect.map(Metric.snapshot, (metrics) => {
  const found = metrics.find(({ attributes, id }) =>
    id === "dockline_storage_unavailable_total" && attributes?.["reason"] === "busy"
  )
  return found?.type === "Counter" ? Number(found.state.count) : 0
})

describe("what is not let in", () => {
  it.effect("is given up at the limit, has done nothing, and leaves its place to others", () =>
    Effect.gen(function*() {
      const semaphore = Semaphore.makeUnsafe(1)
      yield* semaphore.take(1)
      let runs = 0
      const run = letIn(semaphore.withPermit, Effect.sync(() => ++runs), 1000)
      const busyBefore = yield* busy
      const waiting = yield* Effect.forkChild(Effect.flip(run))
      yield* TestClock.adjust(999)
      assert.isUndefined(waiting.pollUnsafe())
      yield* TestClock.adjust(1)
      const error = yield* Fiber.join(waiting)
      assert.strictEqual(error._tag, "StorageUnavailable")
      assert.match(String(error.cause), /No connection was free within 1000 ms/)
      assert.strictEqual(yield* busy, busyBefore + 1)
      yield* semaphore.release(1)
      assert.strictEqual(yield* run, 1)
    }))

  it.effect("has done nothing, though its turn comes just as it is given up", () =>
    Effect.gen(function*() {
      const turn = yield* Deferred.make<void>()
      let runs = 0
      const waiting = yield* Effect.forkChild(Effect.flip(letIn(
        (entered) => Effect.uninterruptible(Effect.andThen(Deferred.await(turn), entered)),
        Effect.sync(() => ++runs),
        1000
      )))
      yield* TestClock.adjust(1000)
      yield* Deferred.succeed(turn, undefined)
      assert.strictEqual((yield* Fiber.join(waiting))._tag, "StorageUnavailable")
      assert.strictEqual(runs, 0)
    }))

  it.effect("once it is in, takes its time", () =>
    Effect.gen(function*() {
      const done = yield* Deferred.make<string>()
      const semaphore = Semaphore.makeUnsafe(1)
      const running = yield* Effect.forkChild(letIn(semaphore.withPermit, Deferred.await(done), 1000))
      yield* TestClock.adjust(5000)
      assert.isUndefined(running.pollUnsafe())
      yield* Deferred.succeed(done, "done")
      assert.strictEqual(yield* Fiber.join(running), "done")
    }))

  it.effect("gives its place back when it is interrupted, waiting or in", () =>
    Effect.gen(function*() {
      const semaphore = Semaphore.makeUnsafe(1)
      const running = yield* Effect.forkChild(letIn(semaphore.withPermit, Effect.never, 1000))
      const waiting = yield* Effect.forkChild(letIn(semaphore.withPermit, Effect.never, 1000))
      yield* Effect.yieldNow
      yield* Fiber.interrupt(waiting)
      yield* Fiber.interrupt(running)
      assert.strictEqual(yield* letIn(semaphore.withPermit, Effect.succeed(1), 1000), 1)
    }))
})

/** Gives way to other fibers once, before the step of that number. */
class GivingWay extends Scheduler.MixedScheduler {
  readonly #at: number
  #step = 0

  constructor(at: number) {
    super()
    this.#at = at
  }

  override shouldYield(): boolean {
    return ++this.#step === this.#at
  }

  get steps(): number {
    return this.#step
  }
}

/** What the gauge of transactions shows. */
const counted = Effect.map(Metric.snapshot, (metrics) => {
  const of = (state: string) => {
    const found = metrics.find(({ attributes, id }) =>
      id === "dockline_storage_transactions" && attributes?.["state"] === state
    )
    return found?.type === "Gauge" ? Number(found.state.value) : 0
  }
  return { running: of("running"), waiting: of("waiting") }
})

describe("the gauge of transactions", () => {
  const idle = { running: 0, waiting: 0 }

  it.effect("counts what waits, then what runs, then neither", () =>
    Effect.gen(function*() {
      const semaphore = Semaphore.makeUnsafe(1)
      const done = yield* Deferred.make<void>()
      yield* semaphore.take(1)
      const running = yield* Effect.forkChild(letIn(semaphore.withPermit, Deferred.await(done), 1000))
      const givenUp = yield* Effect.forkChild(Effect.flip(letIn(semaphore.withPermit, Effect.never, 500)))
      yield* Effect.yieldNow
      assert.deepStrictEqual(yield* counted, { running: 0, waiting: 2 })
      yield* semaphore.release(1)
      yield* Effect.yieldNow
      assert.deepStrictEqual(yield* counted, { running: 1, waiting: 1 })
      yield* TestClock.adjust(500)
      yield* Fiber.join(givenUp)
      assert.deepStrictEqual(yield* counted, { running: 1, waiting: 0 })
      yield* Deferred.succeed(done, undefined)
      yield* Fiber.join(running)
      assert.deepStrictEqual(yield* counted, idle)
    }))

  it.live("is as it was, wherever an interruption finds what waits or runs", () =>
    Effect.gen(function*() {
      const context = yield* Effect.context<never>()
      let steps = 0
      for (let at = 1; at <= Math.max(10, steps); at++) {
        const scheduler = new GivingWay(at)
        const fiber = Effect.runForkWith(context)(waiting((entered) => entered, Effect.never), { scheduler })
        yield* Fiber.interrupt(fiber)
        steps = Math.max(steps, scheduler.steps)
        assert.deepStrictEqual(yield* counted, idle, `interrupted before step ${at}`)
      }
    }))
})

const database = Layer.unwrap(
  Effect.map(
    TestDatabase.create,
    ({ url }) => Database.layer({ ...Database.defaultDatabaseConfig, url, waitMillis: 50 })
  )
)

const stores = Sql.layer.pipe(Layer.provideMerge(Migrations.layer), Layer.provideMerge(database))

layer(stores, { excludeTestServices: true })("while transactions hold all connections", (it) => {
  it.effect("what needs one is unavailable soon, and what reads is served", () =>
    Effect.gen(function*() {
      const clients = yield* ClientStore
      const endpoints = yield* WebhookEndpointStore
      const client = { id: "c", name: "before", enabled: true, secrets: [], grants: [] }
      yield* clients.put([client])
      const rename = clients.update("c", (found) => Result.succeed({ ...found, name: "after" }))
      const all = Database.defaultDatabaseConfig.maxConnections - 2
      const shared = permits(yield* SqlClient.SqlClient, { running: all, waitMillis: 50 })
      yield* shared.take(all)
      assert.strictEqual((yield* Effect.flip(rename))._tag, "StorageUnavailable")
      assert.strictEqual((yield* Effect.flip(endpoints.remove(1)))._tag, "StorageUnavailable")
      assert.strictEqual((yield* clients.find("c"))?.name, "before")
      yield* shared.release(all)
      yield* rename
      assert.strictEqual((yield* clients.find("c"))?.name, "after")
      assert.isFalse(yield* endpoints.remove(1))
    }))

  it.effect("who waits for the turn of its key is unavailable as soon, and others have theirs", () =>
    Effect.gen(function*() {
      const inTurn = makeInTurn(yield* SqlClient.SqlClient, { running: 8, waitMillis: 50 })
      const first = yield* Effect.forkChild(inTurn("hot")(Effect.never))
      yield* Effect.yieldNow
      assert.strictEqual((yield* Effect.flip(inTurn("hot")(Effect.void)))._tag, "StorageUnavailable")
      assert.strictEqual(yield* inTurn("other")(Effect.succeed(1)), 1)
      yield* Fiber.interrupt(first)
      assert.strictEqual(yield* inTurn("hot")(Effect.succeed(2)), 2)
    }))
})
