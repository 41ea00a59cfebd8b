/** Laws of intake over the memory stores: what was there, what was answered and what is there afterwards. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Result } from "effect"
import { TestClock } from "effect/testing"
import * as fc from "fast-check"
import type { Document } from "../src/Document.ts"
import { ShipmentStore } from "../src/ShipmentStore.ts"
import type { LocatedShipment } from "../src/ShipmentStore.ts"
import { histories, runs } from "../src/testing/Generators.ts"
import { alter, earlier, inMemory, submit } from "../src/testing/Given.ts"
import { shipmentView } from "../src/View.ts"
import type { IntakeResult } from "../src/View.ts"

type World = ReadonlyArray<LocatedShipment>

/** One document of a history: its answer, unless it was refused, and the world around it. */
interface Processed {
  readonly document: Document
  readonly before: World
  readonly dryAnswer: IntakeResult | undefined
  readonly afterDryRun: World
  readonly answer: IntakeResult | undefined
  readonly after: World
}

const world = Effect.gen(function*() {
  const store = yield* ShipmentStore
  const none = { business: undefined, facility: undefined, shipmentNumber: undefined, status: undefined }
  const { items } = yield* store.listShipments([{ business: "acme", facilities: "*" }], none, {
    limit: 1000,
    after: 0
  })
  return items
})

const alterations = {
  ARRIVED: { status: "ARRIVED", arrivedAt: earlier },
  DEPARTED: { status: "DEPARTED", arrivedAt: earlier, departedAt: earlier },
  LINKED: { linkedShipmentIds: [999] }
} as const

/** Checks what is true of every document of every history. */
const everyDocument = (check: (processed: Processed) => void): Promise<void> =>
  fc.assert(
    fc.asyncProperty(histories, (history) =>
      Effect.runPromise(
        inMemory(Effect.gen(function*() {
          for (const step of history) {
            yield* TestClock.adjust("1 minute")
            if (step._tag === "Alter") {
              yield* Effect.ignore(alter(step.document, (header) => ({ ...header, ...alterations[step.to] })))
              continue
            }
            const { document } = step
            const before = yield* world
            const dryAnswer = Result.getOrUndefined(yield* Effect.result(submit(document, true)))
            const afterDryRun = yield* world
            const answer = Result.getOrUndefined(yield* Effect.result(submit(document)))
            check({ document, before, dryAnswer, afterDryRun, answer, after: yield* world })
          }
        })).pipe(Effect.provide(TestClock.layer()))
      )),
    runs(30)
  )

/** Everything there is, as the type and id by which references name it. */
const entities = (shipments: World): ReadonlyArray<string> =>
  shipments.flatMap(({ shipment }) => [
    `SHIPMENT ${shipment.id}`,
    ...shipment.orders.flatMap((order) => [
      `ORDER ${order.id}`,
      ...order.items.map(({ id }) => `ORDER_ITEM ${id}`)
    ])
  ])

const difference = (left: ReadonlyArray<string>, right: ReadonlyArray<string>) => {
  const others = new Set(right)
  return left.filter((each) => !others.has(each))
}

const named = (references: IntakeResult["created"]) => references.map(({ type, id }) => `${type} ${id}`)

const ordersOf = (shipments: World) =>
  new Map(
    shipments.flatMap(({ shipment }) =>
      shipment.orders.map((order) => [order.id, { order, shipment }] as const)
    )
  )

describe("intake over a store", () => {
  it("WIRE.md: created holds exactly what is new, so 201 exactly when something was created", () =>
    everyDocument(({ before, answer, after }) => {
      if (answer === undefined) return
      assert.sameMembers(named(answer.created), difference(entities(after), entities(before)))
    }))

  it("removed holds exactly what is gone, and updated what was there and still is", () =>
    everyDocument(({ before, answer, after }) => {
      if (answer === undefined) return
      assert.sameMembers(named(answer.removed), difference(entities(before), entities(after)))
      assert.deepStrictEqual(difference(named(answer.updated), entities(before)), [])
      assert.deepStrictEqual(difference(named(answer.updated), entities(after)), [])
    }))

  it("the shipment of the answer is the one that the store then holds", () =>
    everyDocument(({ answer, after }) => {
      if (answer === undefined) return
      const { shipment, location } = after.find((each) => each.shipment.id === answer.shipment.id)!
      assert.deepStrictEqual(shipmentView(shipment, location), answer.shipment)
    }))

  it("D2.1 a refused document leaves nothing", () =>
    everyDocument(({ before, answer, after }) => {
      if (answer === undefined) assert.deepStrictEqual(after, before)
    }))

  it("D5.3 a dry run answers the same with empty ids and changes nothing", () =>
    everyDocument(({ before, dryAnswer, afterDryRun, answer }) => {
      assert.deepStrictEqual(afterDryRun, before)
      assert.deepStrictEqual(dryAnswer, answer === undefined ? undefined : withEmptyIds(answer))
    }))

  it("other shipments stay, but for an order that was taken from one that had not arrived and was not linked", () =>
    everyDocument(({ document, before, answer, after }) => {
      const numbers = new Set(document.orders.map(({ orderNumber }) => orderNumber))
      const afterById = new Map(after.map((each) => [each.shipment.id, each.shipment]))
      for (const { shipment, location } of before) {
        if (shipment.id === answer?.shipment.id) continue
        const left = afterById.get(shipment.id)!
        const taken = shipment.orders.filter(({ id }) => left.orders.every((order) => order.id !== id))
        assert.deepStrictEqual(left, {
          ...shipment,
          orders: shipment.orders.filter((order) => !taken.includes(order))
        })
        for (const order of taken) {
          assert.deepStrictEqual(
            [location.facility.slug, shipment.status, shipment.linkedShipmentIds, order.direction],
            [document.facility, "SCHEDULED", [], document.direction]
          )
          assert.isTrue(numbers.has(order.number))
          assert.isTrue(answer!.shipment.orders.some(({ id }) => id === order.id))
        }
      }
    }))

  it("D3.2 a departed shipment never changes again", () =>
    everyDocument(({ before, after }) => {
      const departed = (shipments: World) => shipments.filter(({ shipment }) => shipment.departedAt !== null)
      assert.deepStrictEqual(departed(after), departed(before))
    }))

  it("D3.1 business, facility and number name one shipment for ever", () =>
    everyDocument(({ before, after }) => {
      const names = (shipments: World) =>
        shipments.map(({ shipment, location }) => `${location.facility.slug} ${shipment.number}`)
      assert.strictEqual(new Set(names(after)).size, after.length)
      assert.deepStrictEqual(names(after).slice(0, before.length), names(before))
    }))

  it("D3.3 an order keeps its number, direction and facility for ever, and is on one shipment", () =>
    everyDocument(({ before, after }) => {
      const ids = after.flatMap(({ shipment }) => shipment.orders.map(({ id }) => id))
      assert.strictEqual(new Set(ids).size, ids.length)
      const now = ordersOf(after)
      for (const [id, { order, shipment }] of ordersOf(before)) {
        const { order: kept, shipment: on } = now.get(id)!
        assert.deepStrictEqual([kept.number, kept.direction, on.direction], [
          order.number,
          order.direction,
          shipment.direction
        ])
      }
    }))

  it("D3.3 over our own interface at most one order of a number is eligible", () =>
    everyDocument(({ after }) => {
      const eligible = after
        .filter(({ shipment }) => shipment.status === "SCHEDULED" && shipment.linkedShipmentIds.length === 0)
        .flatMap(({ shipment, location }) =>
          shipment.orders.map(({ number, direction }) => `${location.facility.slug} ${direction} ${number}`)
        )
      assert.strictEqual(new Set(eligible).size, eligible.length)
    }))
})

/** An answer as a dry run gives it: without the ids of what it created. */
const withEmptyIds = ({ created, shipment, ...rest }: IntakeResult): IntakeResult => {
  const fresh = new Set(named(created))
  const idOf = (type: string, id: string) => (fresh.has(`${type} ${id}`) ? "" : id)
  return {
    ...rest,
    created: created.map((each) => ({ ...each, id: "" })),
    shipment: {
      ...shipment,
      id: fresh.has(`SHIPMENT ${shipment.id}`) ? 0 : shipment.id,
      orders: shipment.orders.map((order) => ({
        ...order,
        id: idOf("ORDER", order.id),
        items: order.items.map((item) => ({ ...item, id: idOf("ORDER_ITEM", item.id) }))
      }))
    }
  }
}
