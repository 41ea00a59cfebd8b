/** D5.2 and D10.3: what a repeated request gets, and that a kept answer is for a client that may have it now. */
import type { Grant, Permission, Principal } from "@dockline/core/access/Access"
import * as Memory from "@dockline/core/memory/Memory"
import { MemoryDatabase } from "@dockline/core/memory/MemoryDatabase"
import { ShipmentNotFound, StorageUnavailable, TooManyItems } from "@dockline/core/values/Errors"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer, Result } from "effect"
import { fromJson, Keeping, NotRun, toJson } from "../../src/access/Idempotency.ts"
import type { Keep, PlacedAnswer } from "../../src/access/Idempotency.ts"
import { isKept } from "../../src/values/CatalogueError.ts"
import type { CatalogueError, ErrorClass } from "../../src/values/CatalogueError.ts"
import * as Errors from "../../src/values/Errors.ts"
import * as OperatorErrors from "../../src/values/OperatorErrors.ts"
import * as RequestErrors from "../../src/values/RequestErrors.ts"
import * as Timestamp from "../../src/values/Timestamp.ts"

const layer = Keeping.layer.pipe(
  Layer.provide(Memory.layers.IdempotencyStore),
  Layer.provideMerge(MemoryDatabase.layer)
)

const grant: Grant = { business: "acme", facilities: "*", permissions: ["documents:write"] }

const placedAnswer: PlacedAnswer<string> = { place: { business: "acme", facility: "east" }, answer: "first" }

type Run = (
  keep: Keep<PlacedAnswer<string>, NotRun>
) => Effect.Effect<PlacedAnswer<string>, CatalogueError | NotRun>

/** An operation that touches no store. */
const answers: Run = () => Effect.succeed(placedAnswer)

const ask = Effect.fnUntraced(function*(
  run: Run,
  grants: ReadonlyArray<Grant> = [grant],
  permissions: ReadonlyArray<Permission> = ["documents:write"],
  fingerprint = "body"
) {
  const { once } = yield* Keeping
  const principal: Principal = { clientId: "wms", grants }
  // The type of a failure that is not run is none of the catalogue.
  return yield* once<string, CatalogueError, never>({ key: "k", fingerprint, principal, permissions }, run)
})

const withdrawals: ReadonlyArray<readonly [string, ReadonlyArray<Grant>]> = [
  ["all grants", []],
  ["the facility", [{ ...grant, facilities: ["west"] }]],
  ["the business", [{ ...grant, business: "globex" }]],
  ["the permission", [{ ...grant, permissions: ["messages:read"] }]]
]

describe("D10.3 a kept answer", () => {
  it.effect("is replayed to a client that still has the permission", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* ask(answers), { result: Result.succeed("first"), replayed: false })
      const replayed = yield* ask(answers, [{ ...grant, facilities: ["east"] }])
      assert.deepStrictEqual(replayed, { result: Result.succeed("first"), replayed: true })
    }).pipe(Effect.provide(layer)))

  it.effect("is replayed to a client that has one of the permissions that suffice", () =>
    Effect.gen(function*() {
      const permissions = ["shipments:write", "documents:write"] as const
      yield* ask(answers, [grant], permissions)
      const otherGrants = [{ ...grant, permissions: ["shipments:write"] as const }]
      assert.isTrue((yield* ask(answers, otherGrants, permissions)).replayed)
      const refusal = yield* Effect.flip(ask(answers, withdrawals[3]![1], permissions))
      assert.include(refusal.message, "shipments:write or documents:write")
    }).pipe(Effect.provide(layer)))

  it.effect.each(withdrawals)(
    "is forbidden to a client that has lost %s, and is kept all the same",
    ([, grants]) =>
      Effect.gen(function*() {
        yield* ask(answers)
        const error = yield* Effect.flip(ask(answers, grants))
        assert.deepStrictEqual([error.code, error.category], ["FORBIDDEN", "forbidden"])
        assert.isTrue((yield* ask(answers)).replayed)
      }).pipe(Effect.provide(layer))
  )
})

describe("D5.2 a request under a key", () => {
  it.effect("gets a refusal again, of the same class, and one that is not kept runs again", () =>
    Effect.gen(function*() {
      for (const refusal of [new TooManyItems({ limit: 1 }), new StorageUnavailable({ cause: "away" })]) {
        assert.deepStrictEqual(yield* ask(() => Effect.fail(refusal)), {
          result: Result.fail(refusal),
          replayed: false
        })
      }
      yield* ask(() => Effect.fail(new ShipmentNotFound({ id: "7" })))
      const { replayed, result } = yield* ask(answers)
      assert.isTrue(replayed)
      assert.isTrue(Result.isFailure(result) && result.failure instanceof ShipmentNotFound)
      assert.include(Result.isFailure(result) ? result.failure.message : "", "7")
    }).pipe(Effect.provide(layer)))

  it.effect("leaves to a store that was given it what is kept, and keeps nothing a second time", () =>
    Effect.gen(function*() {
      const { answers } = yield* MemoryDatabase
      const inStore: Run = (keep) =>
        Effect.flatMap(
          Effect.sync(() =>
            answers.keeping(keep, Timestamp.fromMillis(Date.now()), () => Result.succeed(placedAnswer))
          ),
          Effect.fromResult
        )
      assert.isFalse((yield* ask(inStore)).replayed)
      assert.isTrue((yield* ask(inStore)).replayed)
      const refusal = yield* Effect.flip(ask(inStore, [grant], ["documents:write"], "another body"))
      assert.strictEqual(refusal.code, "IDEMPOTENCY_KEY_REUSED")
      assert.strictEqual(answers.size, 1)
    }).pipe(Effect.provide(layer)))

  it.effect("is in use while it runs, whatever the other asks, and free when its client has gone", () =>
    Effect.gen(function*() {
      const gate = yield* Deferred.make<void>()
      const slow: Run = () => Effect.as(Deferred.await(gate), placedAnswer)
      const running = yield* Effect.forkChild(ask(slow), { startImmediately: true })
      for (const fingerprint of ["body", "other"]) {
        const error = yield* Effect.flip(ask(answers, [grant], ["documents:write"], fingerprint))
        assert.strictEqual(error.code, "IDEMPOTENCY_KEY_IN_USE")
      }
      yield* Fiber.interrupt(running)
      assert.isFalse((yield* ask(answers)).replayed)
    }).pipe(Effect.provide(layer)))

  it.effect("that breaks keeps nothing, and frees the key", () =>
    Effect.gen(function*() {
      yield* Effect.exit(ask(() => Effect.die("broken")))
      assert.isFalse((yield* ask(answers)).replayed)
    }).pipe(Effect.provide(layer)))
})

const isDeclared = (each: unknown): each is ErrorClass => typeof each === "function" && "example" in each

const errors = Object.values<unknown>({ ...Errors, ...OperatorErrors, ...RequestErrors }).filter(isDeclared)

describe("an error that is kept", () => {
  it("D5.2 is of any category but eight, whose answer depends on more than the request", () => {
    const categories = new Set(errors.map(({ category }) => category))
    assert.deepStrictEqual(Array.from(categories).filter((each) => !isKept(each)).toSorted(), [
      "internal",
      "notImplemented",
      "rateLimited",
      "tooLarge",
      "tooMany",
      "unauthenticated",
      "unavailable",
      "unsupportedMediaType"
    ])
  })

  it("is of the same class again, with the same answer", () => {
    assert.isAbove(errors.length, 60)
    for (const each of errors) {
      const error = each.example()
      const again = fromJson(JSON.parse(JSON.stringify(toJson(error))))
      assert.strictEqual(again.constructor, error.constructor, each.code)
      assert.strictEqual(JSON.stringify(toJson(again)), JSON.stringify(toJson(error)))
    }
  })

  it("whose class is not known says the same", () => {
    const own = {
      code: "OWN",
      category: "conflict",
      message: "No",
      errors: [{ path: "a", detail: "b" }]
    } as const
    assert.deepStrictEqual(fromJson(toJson(own)), own)
  })
})
