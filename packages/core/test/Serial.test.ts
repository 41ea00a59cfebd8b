import { assert, describe, it } from "@effect/vitest"
import { Effect, Result } from "effect"
import { TestClock } from "effect/testing"
import * as fc from "fast-check"
import type { Document } from "../src/Document.ts"
import type { Shipment } from "../src/Shipment.ts"
import { ShipmentStore } from "../src/ShipmentStore.ts"
import { documents, runs } from "../src/testing/Generators.ts"
import {
  acme,
  aDocument,
  anItem,
  anOrder,
  aShipment,
  aStoredItem,
  east,
  inMemory,
  orderOf,
  submit
} from "../src/testing/Given.ts"
import type { Answer, World } from "../src/testing/Serial.ts"
import { answerOf, explainable } from "../src/testing/Serial.ts"

const worldOf = (...shipments: ReadonlyArray<Shipment>): World => ({
  business: acme,
  facility: east,
  docks: ["D1", "D2"],
  shipments
})

const shipmentsAtEast = Effect.gen(function*() {
  const store = yield* ShipmentStore
  const none = { business: undefined, facility: undefined, shipmentNumber: undefined, status: undefined }
  const scopes = [{ business: "acme", facilities: ["east"] }]
  const { items } = yield* store.listShipments(scopes, none, { limit: 1000, after: 0 })
  return items.map(({ shipment }) => shipment)
})

const answered = (
  document: Document
): Effect.Effect<Answer, never, Effect.Services<ReturnType<typeof submit>>> =>
  Effect.map(
    Effect.result(submit(document)),
    (result) => Result.isSuccess(result) ? answerOf(result.success) : result.failure.code
  )

describe("D3 concurrent documents behave as if they came one after another", () => {
  const atEast = documents.map((document) => ({ ...document, facility: "east" }))
  const onOneOrder = atEast.map((document) => ({
    ...document,
    orders: [{ ...document.orders[0]!, orderNumber: "O1" }]
  }))

  it.each(
    [
      ["on one order", onOneOrder],
      ["on the orders of a facility", atEast]
    ] as const
  )("random interleavings %s end in a state that some serial order explains", (_, arbitrary) =>
    fc.assert(
      fc.asyncProperty(
        fc.array(arbitrary, { maxLength: 2 }),
        fc.array(fc.tuple(arbitrary, fc.nat(5)), { minLength: 2, maxLength: 4 }),
        (before, concurrent) =>
          Effect.runPromise(
            inMemory(Effect.gen(function*() {
              yield* Effect.forEach(before, answered)
              const initial = worldOf(...(yield* shipmentsAtEast))
              const answers = yield* Effect.forEach(
                concurrent,
                ([document, delay]) =>
                  Effect.andThen(Effect.replicateEffect(Effect.yieldNow, delay), answered(document)),
                { concurrency: "unbounded" }
              )
              const given = concurrent.map(([document]) => document)
              assert.isTrue(explainable(initial, given, yield* shipmentsAtEast, answers))
            })).pipe(Effect.provide(TestClock.layer()))
          )
      ),
      runs(50)
    ))
})

describe("explainable tells what no serial order explains", () => {
  const order = (...items: ReadonlyArray<string>) =>
    anOrder("5", "O1", items.map((lpn, index) => aStoredItem(String(50 + index), lpn, "S1")))
  const after = (...items: ReadonlyArray<string>) => [aShipment({ orders: [order(...items)] })]
  const initial = worldOf(...after("L1"))
  const appending = (lpn: string) => aDocument({}, orderOf("O1", "APPEND", [anItem(lpn, "S1")]))
  const overwriting = (lpn: string) => aDocument({}, orderOf("O1", "OVERWRITE", [anItem(lpn, "S1")]))

  it("a lost update", () => {
    const both = [appending("L2"), appending("L3")]
    assert.isTrue(explainable(initial, both, after("L1", "L3", "L2")))
    assert.isFalse(explainable(initial, both, after("L1", "L2")))
    assert.isFalse(explainable(initial, both, after("L1", "L3")))
  })

  it("a mixture of two overwrites", () => {
    const both = [overwriting("L2"), overwriting("L3")]
    assert.isTrue(explainable(initial, both, after("L2")))
    assert.isTrue(explainable(initial, both, after("L3")))
    assert.isFalse(explainable(initial, both, after("L2", "L3")))
    assert.isFalse(explainable(initial, both, after("L1")))
  })

  it("the same item appended twice, or told to have been", () => {
    const both = [appending("L2"), appending("L2")]
    assert.isTrue(explainable(initial, both, after("L1", "L2"), ["CREATED", "DUPLICATE_ORDER_ITEM_KEY"]))
    assert.isTrue(explainable(initial, both, after("L1", "L2"), ["DUPLICATE_ORDER_ITEM_KEY", "CREATED"]))
    assert.isFalse(explainable(initial, both, after("L1", "L2"), ["CREATED", "CREATED"]))
    assert.isFalse(explainable(initial, both, after("L1", "L2", "L2")))
  })

  it("an order that is in two places, or in none, after it was remapped", () => {
    const both = [aDocument({ shipmentNumber: "S2" }), aDocument({ shipmentNumber: "S3" })]
    const start = worldOf(...after("L1"))
    const at = (number: string, id: number, ...orders: ReadonlyArray<Shipment["orders"][number]>) =>
      aShipment({ id, number, scheduledAt: "later", expectedArrivalAt: "later", orders })
    const [emptied] = [aShipment()]
    assert.isTrue(explainable(start, both, [emptied!, at("S2", 2, order("L1")), at("S3", 3)]))
    assert.isTrue(explainable(start, both, [emptied!, at("S3", 7, order("L1")), at("S2", 8)]))
    assert.isFalse(explainable(start, both, [emptied!, at("S2", 2, order("L1")), at("S3", 3, order("L1"))]))
    assert.isFalse(explainable(start, both, [emptied!, at("S2", 2), at("S3", 3)]))
    assert.isFalse(explainable(start, both, [emptied!, at("S2", 2, order("L1"))]))
  })

  it("a refused document that left something", () => {
    const refused = aDocument({ carrier: "C" }, orderOf("O1", "APPEND", [anItem("L1", "S1")]))
    assert.isTrue(explainable(initial, [refused], after("L1")))
    assert.isFalse(explainable(initial, [refused], [{ ...after("L1")[0]!, carrier: "C" }]))
  })

  it("a time that no document gave", () => {
    const document = aDocument({ expectedArrivalAt: "2026-12-24T18:00:00.000Z" })
    const arriving = (expectedArrivalAt: string) => [{ ...after("L1")[0]!, expectedArrivalAt }]
    assert.isTrue(explainable(initial, [document], arriving("2026-12-24T18:00:00.000Z")))
    assert.isFalse(explainable(initial, [document], arriving("2026-12-25T18:00:00.000Z")))
    assert.isFalse(explainable(initial, [document], after("L1")))
  })

  it("nothing at all explains itself", () => {
    assert.isTrue(explainable(initial, [], after("L1")))
    assert.isFalse(explainable(initial, [], after()))
  })
})
