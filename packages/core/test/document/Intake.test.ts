import {
  acmeClient,
  aDocument,
  aGrant,
  anItem,
  aPrincipal,
  orderOf,
  refusalOf,
  submit
} from "@dockline/testing/generators/Given"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Result } from "effect"
import type { Principal } from "../../src/access/Access.ts"
import type { Document, IntakeError } from "../../src/document/Document.ts"
import { defaultIntakeConfig, Intake } from "../../src/document/Intake.ts"
import type { IntakeConfig } from "../../src/document/Intake.ts"
import { defaultStrategies, noItemChanges, Strategies } from "../../src/document/Strategy.ts"
import { inMemory } from "../Stored.ts"

const item = anItem("L1", "S1")

const refusal = (document: Document, principal: Principal = acmeClient, dryRun = false) =>
  Effect.gen(function*() {
    const intake = yield* Intake
    const error: IntakeError = yield* Effect.flip(intake.submit(document, principal, { dryRun }))
    return refusalOf(error)
  })

describe("D3.9 the order of checks: 413, 403, 422 of the dock, 409", () => {
  const nobody = aPrincipal()
  const badDock = aDocument({ dockSlug: "D9" }, orderOf("O1"), orderOf("O1"))

  it.effect("413 comes before everything that core checks after reading", () =>
    inMemory(
      Effect.gen(function*() {
        const unknown = aDocument({ business: "initech" }, orderOf("O1", "APPEND", [item, item]))
        assert.deepStrictEqual(yield* refusal(unknown, nobody), {
          code: "TOO_MANY_ITEMS",
          message: "A document holds at most 1 items; send the rest in further documents with APPEND or MERGE"
        })
      }),
      { itemLimit: 1 }
    ))

  it.effect("403 comes before 422 of an unknown dock and before 409", () =>
    inMemory(Effect.gen(function*() {
      const others = [
        nobody,
        aPrincipal(aGrant("globex")),
        aPrincipal(aGrant("acme", ["west"])),
        aPrincipal(aGrant("acme", "*", ["messages:read", "pallets:write", "shipments:write", "operator"]))
      ]
      for (const client of others) {
        assert.deepStrictEqual(yield* refusal(badDock, client), {
          code: "FORBIDDEN",
          message: "The client lacks the permission documents:write for business=acme, facility=east"
        })
      }
    })))

  it.effect("D3.8 422 of an unknown dock comes before 409", () =>
    inMemory(Effect.gen(function*() {
      assert.deepStrictEqual(yield* refusal(badDock), {
        code: "UNKNOWN_DOCK",
        message: "Unknown dock: D9 of facility east"
      })
      assert.strictEqual(
        (yield* refusal(aDocument({}, orderOf("O1"), orderOf("O1")))).code,
        "DUPLICATE_ORDER_IN_REQUEST"
      )
    })))

  it.effect("D3.8 a dock of another facility is unknown, and one of the same name is its own", () =>
    inMemory(Effect.gen(function*() {
      assert.strictEqual(
        (yield* refusal(aDocument({ facility: "west", dockSlug: "D2" }))).code,
        "UNKNOWN_DOCK"
      )
      const atEast = yield* submit(aDocument({ dockSlug: "D1" }))
      const atWest = yield* submit(aDocument({ facility: "west", dockSlug: "D1" }))
      assert.deepStrictEqual([atEast.shipment.dockSlug, atWest.shipment.dockSlug], ["D1", "D1"])
      assert.notStrictEqual(atEast.shipment.dockId, atWest.shipment.dockId)
    })))

  it.effect("a dry run checks the same", () =>
    inMemory(Effect.gen(function*() {
      assert.strictEqual((yield* refusal(badDock, nobody, true)).code, "FORBIDDEN")
      assert.strictEqual((yield* refusal(badDock, acmeClient, true)).code, "UNKNOWN_DOCK")
    })))
})

describe("D2.7 the item limit", () => {
  const items = (count: number, from = 0) =>
    Array.from({ length: count }, (_, n) => anItem(`L${from + n}`, "S1"))

  it("is 10,000 unless configured", () => {
    assert.deepStrictEqual<IntakeConfig>(defaultIntakeConfig, { itemLimit: 10_000 })
  })

  it.effect("counts the items of all orders together, and a document above it changes nothing", () =>
    inMemory(
      Effect.gen(function*() {
        const document = (more: number) =>
          aDocument({}, orderOf("O1", "APPEND", items(2)), orderOf("O2", "APPEND", items(more, 2)))
        assert.strictEqual((yield* refusal(document(2))).code, "TOO_MANY_ITEMS")
        assert.strictEqual((yield* submit(document(1))).created.length, 6)
      }),
      { itemLimit: 3 }
    ))
})

describe("design.md: strategies in force are a service with a default", () => {
  it.effect("an embedding service's own strategy is applied", () =>
    inMemory(submit(aDocument({}, orderOf("O1", "IGNORE", [item])))).pipe(
      Effect.provideService(Strategies, {
        ...defaultStrategies,
        IGNORE: { requiredFields: [], apply: () => Result.succeed(noItemChanges) }
      }),
      Effect.map(({ created }) =>
        assert.deepStrictEqual(created.map(({ type }) => type), ["SHIPMENT", "ORDER"])
      )
    ))
})
