import { assert, describe, it } from "@effect/vitest"
import { Clock, Deferred, Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import { runner } from "../../../test/support/Runner.ts"
import type { Client } from "../src/ClientStore.ts"
import { ClientStore } from "../src/ClientStore.ts"
import { Directory } from "../src/Directory.ts"
import { IdempotencyStore, retentionMillis } from "../src/IdempotencyStore.ts"
import * as Memory from "../src/Memory.ts"
import { MemoryDatabase } from "../src/MemoryDatabase.ts"
import { SigningKeyStore } from "../src/SigningKeyStore.ts"
import { aGrant, inMemory } from "../src/testing/Given.ts"
import { idempotencyStoreSuite } from "../src/testing/IdempotencyStoreSuite.ts"
import { signingKeyStoreSuite } from "../src/testing/SigningKeyStoreSuite.ts"
import * as Suite from "../src/testing/Suite.ts"

Suite.register(runner, idempotencyStoreSuite, Memory.layer)
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
    }).pipe(Effect.provide(Layer.provideMerge(IdempotencyStore.layerMemory, MemoryDatabase.layer))))

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

describe("signing keys in memory", () => {
  it.effect("are none at first", () =>
    inMemory(Effect.gen(function*() {
      const store = yield* SigningKeyStore
      assert.deepStrictEqual(yield* store.list, [])
    })))
})

describe("D10.4 clients", () => {
  const client: Client = {
    id: "acme-client",
    name: "Acme",
    enabled: true,
    secrets: [{ id: "1", hash: "00" }, { id: "2", hash: "01" }],
    grants: [aGrant("acme")]
  }

  it.effect("are found by id, and replaced whole", () =>
    inMemory(Effect.gen(function*() {
      const store = yield* ClientStore
      assert.isNull(yield* store.find("acme-client"))
      yield* store.put([client, { ...client, id: "other" }])
      assert.deepStrictEqual(yield* store.find("acme-client"), client)
      const changed: Client = { ...client, enabled: false, secrets: [], grants: [] }
      yield* store.put([changed])
      assert.deepStrictEqual(yield* store.find("acme-client"), changed)
      assert.deepStrictEqual(yield* store.find("other"), { ...client, id: "other" })
      assert.isNull(yield* store.find("__proto__"))
    })))
})

describe("the directory", () => {
  it.effect("names what its slugs name", () =>
    inMemory(Effect.gen(function*() {
      const directory = yield* Directory
      const lookups = [["acme", "east"], ["acme", "main"], ["initech", "east"], ["globex", "main"], [
        "Acme",
        "east"
      ]]
      const named = yield* Effect.all(
        lookups.map(([business, facility]) => directory.lookup(business!, facility!))
      )
      const acme = { slug: "acme", name: "Acme Inc." }
      assert.deepStrictEqual(named, [
        { business: acme, facility: { slug: "east", name: "East Hub" } },
        { business: acme, facility: null },
        { business: null, facility: null },
        { business: { slug: "globex", name: "Globex" }, facility: { slug: "main", name: "Main" } },
        { business: null, facility: null }
      ])
    })))

  it.effect("adds what is missing, renames what is there and removes nothing", () =>
    inMemory(Effect.gen(function*() {
      const directory = yield* Directory
      const north = { slug: "north", name: "North", docks: [] }
      const renamed = { slug: "east", name: "East", docks: [] }
      yield* directory.put([{ slug: "acme", name: "Acme", fieldMap: [], facilities: [north, renamed] }])
      const acme = { slug: "acme", name: "Acme" }
      assert.deepStrictEqual(
        yield* Effect.all(["north", "east", "west"].map((facility) => directory.lookup("acme", facility))),
        [
          { business: acme, facility: { slug: "north", name: "North" } },
          { business: acme, facility: { slug: "east", name: "East" } },
          { business: acme, facility: { slug: "west", name: "West Hub" } }
        ]
      )
    })))
})
