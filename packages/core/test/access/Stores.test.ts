import { assert, describe, it } from "@effect/vitest"
import { Clock, Deferred, Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import { runner } from "../../../../test/support/Runner.ts"
import { IdempotencyStore, retentionMillis } from "../../src/access/IdempotencyStore.ts"
import { SigningKeyStore } from "../../src/access/SigningKeyStore.ts"
import * as Memory from "../../src/memory/Memory.ts"
import { MemoryDatabase } from "../../src/memory/MemoryDatabase.ts"
import { payloadOf } from "../../src/messages/Message.ts"
import { MessageLog } from "../../src/messages/MessageLog.ts"
import * as Suite from "../../src/testing/Suite.ts"
import { idempotencyStoreSuite } from "../../src/testing/suites/IdempotencyStoreSuite.ts"
import { sessionStoreSuite } from "../../src/testing/suites/SessionStoreSuite.ts"
import { signingKeyStoreSuite } from "../../src/testing/suites/SigningKeyStoreSuite.ts"
import { create, delivered, open, settle, take } from "../../src/testing/worlds/DeliveryWorld.ts"
import { aBusiness, aDraft } from "../../src/testing/worlds/MessageLogWorld.ts"
import { DeliveryStore } from "../../src/webhooks/DeliveryStore.ts"
import { inMemory } from "../Stored.ts"

Suite.register(runner, idempotencyStoreSuite, Memory.layer)
Suite.register(runner, sessionStoreSuite, Memory.layer)
Suite.register(runner, signingKeyStoreSuite, Memory.layer)

describe("answers in memory", () => {
  const request = (key: string) => ({ clientId: "client", key, fingerprint: "body" })
  const answer = (answer: string) => Effect.succeed({ answer, keep: true })

  it.effect("are dropped after 24 hours, whatever key is used next", () =>
    Effect.gen(function*() {
      const store = yield* IdempotencyStore
      const { idempotency } = yield* MemoryDatabase
      for (const key of ["a", "b", "c"]) {
        yield* store.once(request(key), answer(key))
        yield* TestClock.adjust("12 hours")
      }
      assert.strictEqual(idempotency.kept.size, 2)
      yield* store.once(request("d"), answer("d"))
      assert.deepStrictEqual(
        Array.from(idempotency.kept.keys()).map((id) => JSON.parse(id)[1]),
        ["c", "d"]
      )
    }).pipe(Effect.provide(Layer.provideMerge(Memory.layers.IdempotencyStore, MemoryDatabase.layer))))

  it.effect("are not given after 24 hours, though the clock was ahead when an earlier one was kept", () =>
    inMemory(Effect.gen(function*() {
      const store = yield* IdempotencyStore
      const later = yield* Clock.currentTimeMillis
      yield* store.once(request("ahead"), answer("ahead"))
      yield* TestClock.setTime(later - 60_000)
      yield* store.once(request("a"), answer("first"))
      yield* TestClock.setTime(later - 60_000 + retentionMillis)
      assert.deepStrictEqual(yield* store.once(request("a"), answer("second")), {
        answer: "second",
        replayed: false
      })
      yield* TestClock.setTime(later + retentionMillis)
      assert.deepStrictEqual(yield* store.once(request("a"), answer("third")), {
        answer: "second",
        replayed: true
      })
    })))

  it.effect("survive a client that goes away midway: what it wrote cannot be taken back", () =>
    inMemory(Effect.gen(function*() {
      const store = yield* IdempotencyStore
      const gate = yield* Deferred.make<void>()
      const written = Effect.andThen(Deferred.await(gate), answer("first"))
      const running = yield* Effect.forkChild(store.once(request("a"), written), { startImmediately: true })
      const leaving = yield* Effect.forkChild(Fiber.interrupt(running), { startImmediately: true })
      yield* Deferred.succeed(gate, undefined)
      yield* Fiber.join(leaving)
      assert.deepStrictEqual(yield* store.once(request("a"), answer("second")), {
        answer: "first",
        replayed: true
      })
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
      yield* settle(lease, first!.id, { results: [delivered(due!)] })
      yield* TestClock.adjust("89 days")
      yield* log.append([aDraft(business, 2)])
      assert.strictEqual(messages.logOf(business).messages.length, 2)
      yield* TestClock.adjust("2 days")
      const [third] = yield* log.append([aDraft(business, 3)])
      assert.deepStrictEqual(messages.logOf(business).messages.map((message) => payloadOf(message)["n"]), [
        2,
        3
      ])
      assert.strictEqual(messages.logOf(business).droppedId, first!.id)
      assert.deepStrictEqual((yield* store.list(id, undefined, { limit: 9, after: 0 })).items, [])
      assert.strictEqual(yield* log.lastId(business), third!.id)
    }).pipe(Effect.provide(Layer.provideMerge(Memory.layerOverDatabase, MemoryDatabase.layer))))
})

describe("signing keys in memory", () => {
  it.effect("are none at first", () =>
    inMemory(Effect.gen(function*() {
      const store = yield* SigningKeyStore
      assert.deepStrictEqual(yield* store.list, [])
    })))
})
