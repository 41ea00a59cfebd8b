import {
  acmeClient,
  aDocument,
  aGrant,
  alter,
  anItem,
  aPrincipal,
  earlier,
  orderOf,
  places,
  refusalOf,
  submit
} from "@dockline/testing/generators/Given"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Result } from "effect"
import type { Principal } from "../../src/access/Access.ts"
import type { Document } from "../../src/document/Document.ts"
import type { IntakeError } from "../../src/document/DocumentErrors.ts"
import { defaultIntakeConfig, Intake } from "../../src/document/Intake.ts"
import type { IntakeConfig } from "../../src/document/Intake.ts"
import { defaultStrategies, noItemChanges, Strategies } from "../../src/document/Strategy.ts"
import { ShipmentStore } from "../../src/shipment/ShipmentStore.ts"
import { shipmentView } from "../../src/shipment/View.ts"
import { inMemory } from "../Stored.ts"

const item = anItem("L1", "S1")
const overwrite = aDocument({}, orderOf("O1", "OVERWRITE", [item]))

const refusal = (document: Document, principal: Principal = acmeClient, dryRun = false) =>
  Effect.gen(function*() {
    const intake = yield* Intake
    const error: IntakeError = yield* Effect.flip(intake.submit(document, principal, { dryRun }))
    return refusalOf(error)
  })

const shipments = Effect.gen(function*() {
  const store = yield* ShipmentStore
  const none = { business: undefined, facility: undefined, shipmentNumber: undefined, status: undefined }
  const scopes = places.map(({ slug }) => ({ business: slug, facilities: "*" } as const))
  const { items } = yield* store.listShipments(scopes, none, { limit: 100, after: 0 })
  return items.map(({ shipment, location }) => shipmentView(shipment, location))
})

const references = (
  ...lists: ReadonlyArray<ReadonlyArray<{ readonly type: string; readonly reference: string }>>
) => lists.map((list) => list.map(({ type, reference }) => `${type} ${reference}`))

describe("D3.9 the order of checks: 413, 404, 403, 422 of the dock, 409", () => {
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

  it.effect("404 of an unknown business comes before 403", () =>
    inMemory(Effect.gen(function*() {
      for (const client of [nobody, acmeClient, aPrincipal(aGrant("initech"))]) {
        assert.deepStrictEqual(yield* refusal(aDocument({ business: "initech" }), client), {
          code: "BUSINESS_NOT_FOUND",
          message: "Unknown business: initech"
        })
      }
    })))

  it.effect("404 of an unknown facility comes before 403", () =>
    inMemory(Effect.gen(function*() {
      for (const client of [nobody, acmeClient, aPrincipal(aGrant("acme", ["east"]))]) {
        assert.deepStrictEqual(yield* refusal(aDocument({ facility: "main" }), client), {
          code: "FACILITY_NOT_FOUND",
          message: "Unknown facility: main of business acme"
        })
      }
    })))

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

  it.effect("counts the items of all orders together", () =>
    inMemory(
      Effect.gen(function*() {
        const atLimit = aDocument({}, orderOf("O1", "APPEND", items(2)), orderOf("O2", "APPEND", items(1, 2)))
        const above = aDocument({}, orderOf("O1", "APPEND", items(2)), orderOf("O2", "DELETE", items(2, 2)))
        assert.strictEqual((yield* refusal(above)).code, "TOO_MANY_ITEMS")
        assert.deepStrictEqual(yield* shipments, [])
        assert.strictEqual((yield* submit(atLimit)).created.length, 6)
      }),
      { itemLimit: 3 }
    ))
})

describe("WIRE.md: found or created", () => {
  it.effect("201 exactly when created: first a document creates, its repeat with MERGE updates only", () =>
    inMemory(Effect.gen(function*() {
      const document = aDocument({}, orderOf("O1", "MERGE", [item]))
      const first = yield* submit(document)
      assert.deepStrictEqual(references(first.created, first.updated, first.removed), [
        ["SHIPMENT S1", "ORDER O1", "ORDER_ITEM L1"],
        [],
        []
      ])
      const second = yield* submit(document)
      assert.deepStrictEqual(
        [second.created, second.updated, second.removed],
        [[], first.created, []]
      )
      assert.deepStrictEqual(second.shipment, first.shipment)
    })))

  it.effect("WIRE.md OVERWRITE: a repeat removes the earlier items and creates new ones with new ids", () =>
    inMemory(Effect.gen(function*() {
      const first = yield* submit(overwrite)
      const second = yield* submit(overwrite)
      assert.deepStrictEqual(references(second.created, second.updated, second.removed), [
        ["ORDER_ITEM L1"],
        ["SHIPMENT S1", "ORDER O1"],
        ["ORDER_ITEM L1"]
      ])
      assert.deepStrictEqual(second.removed, first.created.slice(2))
      assert.notStrictEqual(second.created[0]!.id, first.created[2]!.id)
    })))

  it.effect("the same numbers at another facility are another shipment and order", () =>
    inMemory(Effect.gen(function*() {
      const east = yield* submit(overwrite)
      const west = yield* submit({ ...overwrite, facility: "west" })
      assert.strictEqual(west.created.length, 3)
      assert.deepStrictEqual(yield* shipments, [east.shipment, west.shipment])
    })))

  it.effect("rule 3: a document for another shipment number takes the order along, with id and items", () =>
    inMemory(Effect.gen(function*() {
      const first = yield* submit(overwrite)
      const moved = yield* submit(aDocument({ shipmentNumber: "S2" }))
      assert.deepStrictEqual(references(moved.created, moved.updated, moved.removed), [
        ["SHIPMENT S2"],
        ["ORDER O1"],
        []
      ])
      assert.deepStrictEqual(moved.shipment.orders, first.shipment.orders)
      // D3.3: an old shipment left without orders stays.
      assert.deepStrictEqual(yield* shipments, [
        {
          ...first.shipment,
          orders: [],
          progress: { ...first.shipment.progress, expectedPallets: 0, missingPallets: 0 }
        },
        moved.shipment
      ])
    })))

  it.effect.each(
    [
      ["arrived", { status: "ARRIVED", arrivedAt: earlier, departedAt: null, linkedShipmentIds: [] }],
      ["departed", { status: "DEPARTED", arrivedAt: earlier, departedAt: earlier, linkedShipmentIds: [] }],
      ["linked", { status: "SCHEDULED", arrivedAt: null, departedAt: null, linkedShipmentIds: [99] }]
    ] as const
  )(
    "D3.3 an order is never taken from a shipment that is %s: a new one is created",
    ([, change]) =>
      inMemory(Effect.gen(function*() {
        yield* submit(overwrite)
        yield* alter(overwrite, (header) => ({ ...header, ...change }))
        const [before] = yield* shipments
        const { created, updated, shipment } = yield* submit(aDocument({ shipmentNumber: "S2" }))
        assert.deepStrictEqual(references(created, updated), [["SHIPMENT S2", "ORDER O1"], []])
        assert.deepStrictEqual(yield* shipments, [before!, shipment])
      }))
  )

  it.effect("WIRE.md: the answer names the place as the directory does", () =>
    inMemory(Effect.gen(function*() {
      const { shipment } = yield* submit(overwrite)
      assert.deepStrictEqual([shipment.business, shipment.facility], [
        { slug: "acme", name: "Acme Inc." },
        { slug: "east", name: "East Hub" }
      ])
    })))
})

describe("D2.1 a document is atomic: all of it or nothing", () => {
  it.effect("a conflict in its last order leaves the others as they were", () =>
    inMemory(Effect.gen(function*() {
      const { shipment } = yield* submit(overwrite)
      const document = aDocument(
        { carrier: "New" },
        orderOf("O2", "APPEND", [anItem("L2", "S1")]),
        orderOf("O1", "APPEND", [item])
      )
      assert.deepStrictEqual(yield* refusal(document), {
        code: "DUPLICATE_ORDER_ITEM_KEY",
        message: "DUPLICATE_ORDER_ITEM_KEY: lpn=L1, sku=S1"
      })
      assert.deepStrictEqual(yield* shipments, [shipment])
    })))

  it.effect("a departed shipment stays as it is", () =>
    inMemory(Effect.gen(function*() {
      yield* submit(overwrite)
      yield* alter(overwrite, (header) => ({
        ...header,
        status: "DEPARTED",
        arrivedAt: earlier,
        departedAt: earlier
      }))
      const before = yield* shipments
      assert.deepStrictEqual(yield* refusal(overwrite), {
        code: "SHIPMENT_CONFLICT",
        message: "SHIPMENT_CONFLICT: shipmentNumber=S1, reason=DEPARTED"
      })
      assert.deepStrictEqual(yield* shipments, before)
      const unchanged = yield* submit(aDocument({}, orderOf("O1", "MERGE", [item])))
      assert.deepStrictEqual(references(unchanged.created, unchanged.updated), [
        [],
        ["SHIPMENT S1", "ORDER O1", "ORDER_ITEM L1"]
      ])
      assert.deepStrictEqual(yield* shipments, before)
    })))
})

describe("D5.3 a dry run", () => {
  it.effect("writes nothing and answers with empty ids what would be created", () =>
    inMemory(Effect.gen(function*() {
      const answer = yield* submit(overwrite, true)
      assert.deepStrictEqual(answer.created.map(({ id }) => id), ["", "", ""])
      assert.strictEqual(answer.shipment.id, 0)
      assert.deepStrictEqual(yield* shipments, [])
      const real = yield* submit(overwrite)
      assert.deepStrictEqual(references(answer.created), references(real.created))
    })))

  it.effect("without options the document is processed", () =>
    inMemory(Effect.gen(function*() {
      const intake = yield* Intake
      const { shipment } = yield* intake.submit(overwrite, acmeClient)
      assert.deepStrictEqual(yield* shipments, [shipment])
    })))
})

describe("design.md: strategies in force are a service with a default", () => {
  it.effect("an embedding service's own strategy is applied", () =>
    inMemory(submit(aDocument({}, orderOf("O1", "IGNORE", [item])))).pipe(
      Effect.provideService(Strategies, {
        ...defaultStrategies,
        IGNORE: { requiredFields: [], apply: () => Result.succeed(noItemChanges) }
      }),
      Effect.map(({ created }) => assert.deepStrictEqual(references(created), [["SHIPMENT S1", "ORDER O1"]]))
    ))
})
