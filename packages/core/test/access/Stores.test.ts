import * as Suite from "@dockline/testing/Suite"
import { sessionStoreSuite, signingKeyStoreSuite } from "@dockline/testing/suites/AccessStoreSuites"
import { idempotencyStoreSuite } from "@dockline/testing/suites/IdempotencyStoreSuite"

import { create, deliveryOf, open, settle, take } from "@dockline/testing/worlds/DeliveryWorld"
import { aBusiness, aDraft } from "@dockline/testing/worlds/MessageLogWorld"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { runner } from "../../../../test/support/Runner.ts"
import { IdempotencyStore, retentionMillis } from "../../src/access/Idempotency.ts"
import * as Memory from "../../src/memory/Memory.ts"
import { MemoryDatabase } from "../../src/memory/MemoryDatabase.ts"
import { MessageLog } from "../../src/messages/MessageLog.ts"
import * as Timestamp from "../../src/values/Timestamp.ts"
import { DeliveryStore } from "../../src/webhooks/DeliveryStore.ts"
import { inMemory } from "../Stored.ts"

Suite.register(runner, idempotencyStoreSuite, Memory.layer)
Suite.register(runner, sessionStoreSuite, Memory.layer)
Suite.register(runner, signingKeyStoreSuite, Memory.layer)

describe("answers in memory", () => {
  const request = (key: string) => ({ clientId: "client", key, fingerprint: "body" })

  it.effect("are dropped after 24 hours, whatever key is used next", () =>
    Effect.gen(function*() {
      const store = yield* IdempotencyStore
      const { answers } = yield* MemoryDatabase
      for (const key of ["a", "b", "c"]) {
        yield* store.keep(request(key), key)
        yield* TestClock.adjust("12 hours")
      }
      assert.strictEqual(answers.size, 2)
      yield* store.keep(request("d"), "d")
      assert.strictEqual(answers.size, 2)
      const now = yield* Timestamp.now
      const keys = ["a", "b", "c", "d"].filter((key) => answers.find(request(key), now) !== undefined)
      assert.deepStrictEqual(keys, ["c", "d"])
    }).pipe(Effect.provide(Layer.provideMerge(Memory.layers.IdempotencyStore, MemoryDatabase.layer))))

  it.effect("are not given after 24 hours, though the clock was ahead when an earlier one was kept", () =>
    inMemory(Effect.gen(function*() {
      const store = yield* IdempotencyStore
      const later = yield* Clock.currentTimeMillis
      yield* store.keep(request("ahead"), "ahead")
      yield* TestClock.setTime(later - 60_000)
      yield* store.keep(request("a"), "first")
      yield* TestClock.setTime(later - 60_000 + retentionMillis)
      assert.isNull(yield* store.keep(request("a"), "second"))
      yield* TestClock.setTime(later + retentionMillis)
      assert.strictEqual((yield* store.keep(request("a"), "third"))?.text, "second")
    })))
})

describe("messages in memory", () => {
  it.effect("are dropped after 90 days, as others are appended, and the record of their deliveries with them", () =>
    Effect.gen(function*() {
      const log = yield* MessageLog
      const [business, store] = [yield* aBusiness, yield* DeliveryStore]
      const { messages } = yield* MemoryDatabase
      const { id } = yield* create(business)
      const { lease } = yield* open(id)
      const [first] = yield* log.append([aDraft(business, 1)])
      const [due] = (yield* take(lease, 0)).fresh
      yield* settle(lease, first!.id, { results: [deliveryOf(due!)] })
      yield* TestClock.adjust("89 days")
      yield* log.append([aDraft(business, 2)])
      assert.strictEqual(messages.logOf(business).messages.length, 2)
      yield* TestClock.adjust("2 days")
      const [third] = yield* log.append([aDraft(business, 3)])
      assert.deepStrictEqual(messages.logOf(business).messages.map(({ json }) => JSON.parse(json).n), [
        2,
        3
      ])
      assert.strictEqual(messages.logOf(business).droppedId, first!.id)
      assert.deepStrictEqual((yield* store.list(id, undefined, { limit: 9, after: 0 })).items, [])
      assert.strictEqual(yield* log.lastId(business), third!.id)
    }).pipe(Effect.provide(Layer.provideMerge(Memory.layerOverDatabase, MemoryDatabase.layer))))
})
