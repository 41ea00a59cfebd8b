/**
 * Mutations of Kargo's clients beside requests of others: they are decided on the present state, and no order leaves its shipment (D17.2).
 */
import { Shipments } from "@dockline/core/movement/Shipments"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { sessionOf } from "../../graphql-adapter/test/EngineSetup.ts"
import { dataOf, engine, over, refusalOf, submit, test } from "./KargoSetup.ts"

const place = { businessSlug: "acme", facilitySlug: "east" }
const item = { quantityUnit: "PALLET", quantity: 1, sku: "WIDGET" }
const refusal =
  "PRECONDITION_FAILED Another request has moved the order meanwhile, and nothing was done; send the request again, under a new key if it has one"

const there = "PRECONDITION_FAILED The facility has an order O-1 already, and nothing was done"

const document = { ...place, direction: "INBOUND", orderNumber: "O-1", items: [item] }

const createOrder = "mutation ($input: OrderInput!) { createOrder(input: $input) { id } }"
const putOrder = "mutation ($input: OrderInput!) { createOrUpdateOrder(input: $input) { id type } }"
const add = "mutation ($input: AddItemsToOrderInput!) { addItemsToOrder(input: $input) { success } }"
const remove =
  "mutation ($input: DeleteItemsFromOrderInput!) { deleteItemsFromOrder(input: $input) { success } }"

const announce = (shipmentNumber: string) =>
  submit({ direction: "INBOUND", orderNumber: "O-1", shipmentNumber, items: [{ ...item, lpn: "P-1" }] })

/** The shipments and the items of all orders with the number. */
const orders = Effect.gen(function*() {
  const shipments = yield* Shipments
  const { items } = yield* shipments.listOrders({ orderNumber: "O-1" }, sessionOf("acme-client").principal)
  return items.map(({ items, shipmentNumber }) => [shipmentNumber, items.length])
})

/** Runs an effect, and executes another request after its first look-up of orders. */
const interruptedBy = <A, E, R, R2>(
  other: Effect.Effect<unknown, unknown, R>,
  effect: Effect.Effect<A, E, R2>
) =>
  Effect.gen(function*() {
    const context = yield* Effect.context<R>()
    let isDone = false
    const meanwhile = Effect.suspend(() => {
      if (isDone) return Effect.void
      isDone = true
      return Effect.orDie(other)
    }).pipe(Effect.provideContext(context))
    return yield* over(({ shipments }) => ({
      shipments: {
        ...shipments,
        listOrders: (query, principal) => Effect.tap(shipments.listOrders(query, principal), meanwhile)
      }
    }), effect)
  })

describe("D17.2 orders of Kargo's clients", () => {
  test("stay on their shipments, however often their number was used before", function*() {
    const shipments = yield* Shipments
    for (let number = 0; number < 101; number++) {
      const { shipment } = yield* announce(`OVER-${number}`)
      yield* shipments.cancel(String(shipment.id), sessionOf("tower").principal)
    }
    const { shipment } = yield* announce("OPEN")
    expect(yield* dataOf(putOrder, { input: document })).toEqual({
      createOrUpdateOrder: { id: shipment.orders[0]?.id, type: "UPDATE" }
    })
    const open = yield* shipments.get(String(shipment.id), sessionOf("acme-client").principal)
    expect(open.orders.map(({ orderNumber }) => orderNumber)).toEqual(["O-1"])
  })

  test("are not moved back where another request has moved them", function*() {
    const { shipment } = yield* announce("A")
    const id = shipment.orders[0]?.id
    const cases: ReadonlyArray<readonly [string, object]> = [
      [putOrder, document],
      [add, { id, items: [item] }],
      [remove, { id, identifiers: ["P-1"] }]
    ]
    for (const [mutation, input] of cases) {
      yield* announce("A")
      expect(yield* interruptedBy(announce("B"), refusalOf(mutation, { input }))).toEqual([refusal])
      expect(yield* orders).toEqual([["B", 1]])
      yield* dataOf(mutation, { input })
      yield* announce("B")
      expect((yield* orders).map(([shipment]) => shipment)).toEqual(["B"])
    }
  })

  test("lose by deleteItemsFromOrder what is called so when it is decided, and nothing that has taken its place", function*() {
    const document = (identifier: string) =>
      submit({
        direction: "INBOUND",
        orderNumber: "O-1",
        items: [{ ...item, lpn: "P-1", identifier }, { ...item, lpn: "P-2", identifier: "kept" }]
      })
    const { shipment } = yield* document("gone")
    const input = { id: shipment.orders[0]?.id, identifiers: ["gone"] }
    expect(yield* interruptedBy(document("taken"), dataOf(remove, { input }))).toEqual({
      deleteItemsFromOrder: { success: true }
    })
    expect(yield* orders).toEqual([["O-1", 2]])
    yield* dataOf(remove, { input: { ...input, identifiers: ["taken"] } })
    expect(yield* orders).toEqual([["O-1", 1]])
  })

  test("are not made or moved where another request has made them", function*() {
    const faults = yield* interruptedBy(announce("B"), refusalOf(putOrder, { input: document }))
    expect(faults).toEqual([refusal])
    expect(yield* orders).toEqual([["B", 1]])
  })

  it.effect("are not made where another request has made them on a shipment that has arrived", () =>
    Effect.gen(function*() {
      const arrived = Effect.gen(function*() {
        const { shipment } = yield* announce("B")
        const shipments = yield* Shipments
        yield* shipments.arrive(String(shipment.id), { dockSlug: "D1" }, sessionOf("tower").principal)
      })
      expect(
        yield* interruptedBy(arrived, refusalOf(putOrder, { input: document })).pipe(Effect.provide(engine()))
      ).toEqual([refusal])
    }))

  test("are made once by createOrder", function*() {
    yield* announce("B")
    expect(yield* refusalOf(createOrder, { input: document })).toEqual([there])
    expect(yield* orders).toEqual([["B", 1]])
  })
})
