/** How long operations wait to be let in to the database while others hold all that it takes. */
import { ClientStore } from "@dockline/core/ClientStore"
import { WebhookEndpointStore } from "@dockline/core/WebhookEndpointStore"
import * as Database from "@dockline/sql-storage/Database"
import * as Migrations from "@dockline/sql-storage/Migrations"
import * as Sql from "@dockline/sql-storage/Sql"
import { assert, describe, it, layer } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer, Result, Semaphore } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import * as TestDatabase from "../../../test/support/TestDatabase.ts"
import { permits } from "../src/Transactions.ts"
import { letIn } from "../src/Waiting.ts"

describe("what is not let in", () => {
  it.effect("is given up at the limit, has done nothing, and leaves its place to others", () =>
    Effect.gen(function*() {
      const semaphore = Semaphore.makeUnsafe(1)
      yield* semaphore.take(1)
      let runs = 0
      const run = letIn(semaphore.withPermit, Effect.sync(() => ++runs), 1000)
      const waiting = yield* Effect.forkChild(Effect.flip(run))
      yield* TestClock.adjust(999)
      assert.isUndefined(waiting.pollUnsafe())
      yield* TestClock.adjust(1)
      const error = yield* Fiber.join(waiting)
      assert.strictEqual(error._tag, "StorageUnavailable")
      assert.match(String(error.cause), /No connection was free within 1000 ms/)
      yield* semaphore.release(1)
      assert.strictEqual(yield* run, 1)
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
})
