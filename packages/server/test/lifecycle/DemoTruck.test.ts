/** D12.2: the trucks of the demo that are loaded while somebody looks. */
import * as CoreServices from "@dockline/core/embed/CoreServices"
import * as Memory from "@dockline/core/memory/Memory"
import { ShipmentStore } from "@dockline/core/shipment/ShipmentStore"
import { assert, it } from "@effect/vitest"
import { Effect, Exit, Layer, Scope } from "effect"
import { TestClock } from "effect/testing"
import * as DemoData from "../../src/lifecycle/DemoData.ts"
import * as DemoTruck from "../../src/lifecycle/DemoTruck.ts"

/** Each truck with its status and how many pallets are on it. */
const trucks = Effect.gen(function*() {
  const { listShipments } = yield* ShipmentStore
  const filter = { business: undefined, facility: undefined, shipmentNumber: undefined, status: undefined }
  const { items } = yield* listShipments([{ business: "acme", facilities: "*" }], filter, {
    limit: 1000,
    after: 0
  })
  return items.map(({ shipment: { number, pallets, status } }) => [number, status, pallets.length])
})

it.effect("loads a pallet every few seconds while a page is open, one of them wrong, and then the next truck", () =>
  Effect.gen(function*() {
    yield* DemoData.install
    const pages = yield* DemoTruck.OpenPages
    const work = () => Layer.build(DemoTruck.layer)
    const scope = yield* Scope.make()
    yield* Scope.provide(work(), scope)
    yield* TestClock.adjust("1 hour")
    assert.deepStrictEqual(yield* trucks, [])
    const page = {}
    pages.add(page)
    yield* TestClock.adjust(7 * DemoTruck.palletMillis)
    assert.deepStrictEqual(yield* trucks, [["SHP-5101", "ARRIVED", 6]])
    pages.delete(page)
    yield* TestClock.adjust("1 hour")
    assert.deepStrictEqual(yield* trucks, [["SHP-5101", "ARRIVED", 6]])
    // The next start goes on with it.
    yield* Scope.close(scope, Exit.void)
    pages.add(page)
    yield* work()
    yield* TestClock.adjust(2 * DemoTruck.palletMillis)
    assert.deepStrictEqual(yield* trucks, [["SHP-5101", "ARRIVED", 7]])
    yield* TestClock.adjust(12 * DemoTruck.palletMillis)
    const [first, next] = yield* trucks
    assert.deepStrictEqual(first, ["SHP-5101", "DEPARTED", 17])
    assert.deepStrictEqual(next, ["SHP-5102", "ARRIVED", 0])
    yield* TestClock.adjust("10 hours")
    const all = yield* trucks
    assert.lengthOf(all, DemoTruck.trucksAtMost)
    assert.deepStrictEqual(all.at(-1), ["SHP-5300", "DEPARTED", 17])
  }).pipe(
    Effect.provide(Layer.mergeAll(DemoTruck.OpenPages.layer, CoreServices.layerOf({ storage: Memory.layer })))
  ))
