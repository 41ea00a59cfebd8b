import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber, Layer, Redacted, Result } from "effect"
import { TestClock } from "effect/testing"
import type { Client } from "../src/ClientStore.ts"
import { ClientStore } from "../src/ClientStore.ts"
import { Directory } from "../src/Directory.ts"
import { IdempotencyStore, retentionMillis } from "../src/IdempotencyStore.ts"
import type { FirstAnswer, IdempotentRequest } from "../src/IdempotencyStore.ts"
import { MemoryDatabase } from "../src/MemoryDatabase.ts"
import type { SigningKey } from "../src/SigningKeyStore.ts"
import { SigningKeyStore } from "../src/SigningKeyStore.ts"
import { aGrant, inMemory } from "../src/testing/Given.ts"

const request = (fields: Partial<IdempotentRequest> = {}): IdempotentRequest => ({
  clientId: "client",
  key: "key",
  fingerprint: "body",
  ...fields
})

/** Runs of a request, each with an answer of its own, and how many there were. */
const runs = () => {
  let count = 0
  return {
    count: () => count,
    first: (keep = true): Effect.Effect<FirstAnswer> =>
      Effect.sync(() => ({ answer: `answer ${++count}`, keep }))
  }
}

const once = Effect.fnUntraced(function*<E>(of: IdempotentRequest, first: Effect.Effect<FirstAnswer, E>) {
  const store = yield* IdempotencyStore
  return yield* store.once(of, first)
})

describe("D5.2 the same key with the same body returns the first answer", () => {
  it.effect("and runs it once", () =>
    inMemory(Effect.gen(function*() {
      const { count, first } = runs()
      assert.deepStrictEqual(yield* once(request(), first()), { answer: "answer 1", replayed: false })
      assert.deepStrictEqual(yield* once(request(), first()), { answer: "answer 1", replayed: true })
      assert.strictEqual(count(), 1)
    })))

  it.effect("for 24 hours", () =>
    inMemory(Effect.gen(function*() {
      const { first } = runs()
      assert.strictEqual(retentionMillis, 86_400_000)
      yield* once(request(), first())
      yield* TestClock.adjust("23 hours")
      yield* TestClock.adjust(3_599_999)
      assert.deepStrictEqual(yield* once(request(), first()), { answer: "answer 1", replayed: true })
      yield* TestClock.adjust(1)
      assert.deepStrictEqual(yield* once(request(), first()), { answer: "answer 2", replayed: false })
      assert.deepStrictEqual(yield* once(request(), first()), { answer: "answer 2", replayed: true })
    })))

  it.effect("and is dropped then, whatever key is used next", () =>
    Effect.gen(function*() {
      const { first } = runs()
      const { idempotency } = yield* MemoryDatabase
      for (const key of ["a", "b", "c"]) {
        yield* once(request({ key }), first())
        yield* TestClock.adjust("12 hours")
      }
      assert.strictEqual(idempotency.kept.size, 2)
      yield* once(request({ key: "d" }), first())
      assert.deepStrictEqual(
        Array.from(idempotency.kept.keys()).map((id) => JSON.parse(id)[1]),
        ["c", "d"]
      )
    }).pipe(Effect.provide(Layer.provideMerge(IdempotencyStore.layerMemory, MemoryDatabase.layer))))

  it.effect("with another body it is IDEMPOTENCY_KEY_REUSED, until the 24 hours are over", () =>
    inMemory(Effect.gen(function*() {
      const { first } = runs()
      yield* once(request(), first())
      const error = yield* Effect.flip(once(request({ fingerprint: "other" }), first()))
      assert.deepStrictEqual([error.code, error.category], ["IDEMPOTENCY_KEY_REUSED", "unprocessable"])
      yield* TestClock.adjust("24 hours")
      assert.strictEqual((yield* once(request({ fingerprint: "other" }), first())).answer, "answer 2")
    })))

  it.effect("keys belong to a client, and neither runs into the other", () =>
    inMemory(Effect.gen(function*() {
      const { first } = runs()
      const requests = [["a", "b"], ["b", "a"], ["a,b", ""], ["", "a,b"], ["a\",\"b", ""]] as const
      for (const [clientId, key] of requests) {
        assert.isFalse((yield* once(request({ clientId, key }), first())).replayed)
      }
      assert.deepStrictEqual(yield* once(request({ clientId: "b", key: "a" }), first()), {
        answer: "answer 2",
        replayed: true
      })
    })))

  it.effect("an answer that is not to be kept is not", () =>
    inMemory(Effect.gen(function*() {
      const { first } = runs()
      assert.deepStrictEqual(yield* once(request(), first(false)), { answer: "answer 1", replayed: false })
      assert.deepStrictEqual(yield* once(request(), first()), { answer: "answer 2", replayed: false })
      assert.deepStrictEqual(yield* once(request(), first(false)), { answer: "answer 2", replayed: true })
    })))
})

describe("D5.2 while the first runs, a repeat is IDEMPOTENCY_KEY_IN_USE", () => {
  it.effect("and gets the answer afterwards; other keys do not wait", () =>
    inMemory(Effect.gen(function*() {
      const { first } = runs()
      const gate = yield* Deferred.make<void>()
      const running = yield* Effect.forkChild(
        once(request(), Effect.andThen(Deferred.await(gate), first())),
        {
          startImmediately: true
        }
      )
      const error = yield* Effect.flip(once(request(), first()))
      assert.deepStrictEqual([error.code, error.category], ["IDEMPOTENCY_KEY_IN_USE", "conflict"])
      assert.strictEqual((yield* once(request({ key: "other" }), first())).answer, "answer 1")
      yield* Deferred.succeed(gate, undefined)
      assert.deepStrictEqual(yield* Fiber.join(running), { answer: "answer 2", replayed: false })
      assert.deepStrictEqual(yield* once(request(), first()), { answer: "answer 2", replayed: true })
    })))

  it.effect.each([Effect.fail("refused"), Effect.die("broken"), Effect.interrupt])(
    "a first that ends without an answer frees the key",
    (ending) =>
      inMemory(Effect.gen(function*() {
        const { first } = runs()
        assert.isTrue(Exit.isFailure(yield* Effect.exit(once(request(), ending))))
        assert.deepStrictEqual(yield* once(request(), first()), { answer: "answer 1", replayed: false })
      }))
  )

  it.effect("a client that goes away midway loses nothing: what was written is answered to its repeat", () =>
    inMemory(Effect.gen(function*() {
      const { count, first } = runs()
      const gate = yield* Deferred.make<void>()
      const written = Effect.tap(first(), () => Deferred.await(gate))
      const running = yield* Effect.forkChild(once(request(), written), { startImmediately: true })
      const leaving = yield* Effect.forkChild(Fiber.interrupt(running), { startImmediately: true })
      yield* Deferred.succeed(gate, undefined)
      yield* Fiber.join(leaving)
      assert.deepStrictEqual(yield* once(request(), first()), { answer: "answer 1", replayed: true })
      assert.strictEqual(count(), 1)
    })))

  it.effect("of many at once exactly one runs", () =>
    inMemory(Effect.gen(function*() {
      const { count, first } = runs()
      const attempt = Effect.result(once(request(), Effect.andThen(Effect.yieldNow, first())))
      const attempts = yield* Effect.all(Array.from({ length: 20 }, () => attempt), {
        concurrency: "unbounded"
      })
      assert.strictEqual(count(), 1)
      assert.deepStrictEqual(
        attempts.map((each) => (Result.isSuccess(each) ? each.success.answer : each.failure.code)),
        ["answer 1", ...Array.from({ length: 19 }, () => "IDEMPOTENCY_KEY_IN_USE")]
      )
    })))
})

const key = (id: string, createdAt: string): SigningKey => ({
  id,
  privateJwk: Redacted.make(`{"kid":"${id}"}`),
  createdAt
})

describe("D10.2 signing keys rotate with overlap", () => {
  const [day1, day2, day3, day4] = [1, 2, 3, 4].map((day) => `2026-11-0${day}T00:00:00.000Z`) as [
    string,
    string,
    string,
    string
  ]
  const rotate = Effect.fnUntraced(function*(added: SigningKey, unlessSince: string, dropBefore: string) {
    const store = yield* SigningKeyStore
    const kept = yield* store.rotate(added, unlessSince, dropBefore)
    assert.deepStrictEqual(yield* store.list, kept)
    return kept.map(({ id }) => id)
  })

  it.effect("none at first", () =>
    inMemory(Effect.gen(function*() {
      const store = yield* SigningKeyStore
      assert.deepStrictEqual(yield* store.list, [])
    })))

  it.effect("instances that start at once end with one key", () =>
    inMemory(Effect.gen(function*() {
      assert.deepStrictEqual(yield* rotate(key("a", day2), day1, day1), ["a"])
      assert.deepStrictEqual(yield* rotate(key("b", day2), day1, day1), ["a"])
    })))

  it.effect("a key is added when none was created after the given time, newest first", () =>
    inMemory(Effect.gen(function*() {
      yield* rotate(key("a", day1), day1, day1)
      assert.deepStrictEqual(yield* rotate(key("b", day2), day1, day1), ["b", "a"])
      assert.deepStrictEqual(yield* rotate(key("c", day3), day1, day1), ["b", "a"])
      assert.deepStrictEqual(yield* rotate(key("c", day3), day2, day1), ["c", "b", "a"])
    })))

  it.effect("keys created before the given time are dropped, never the newest", () =>
    inMemory(Effect.gen(function*() {
      yield* rotate(key("a", day1), day1, day1)
      yield* rotate(key("b", day2), day1, day1)
      yield* rotate(key("c", day3), day2, day1)
      assert.deepStrictEqual(yield* rotate(key("d", day4), day2, day2), ["c", "b"])
      assert.deepStrictEqual(yield* rotate(key("d", day4), day2, day4), ["c"])
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
