/** Large numbers and large lists at the path of Kargo's clients, and the data that an operation reads only once (D8.8, D17.1). */
import { Shipments } from "@dockline/core/movement/Shipments"
import { StorageUnavailable } from "@dockline/core/values/Errors"
import * as Timestamp from "@dockline/core/values/Timestamp"
import { describe, expect } from "@effect/vitest"
import { Effect } from "effect"
import { sessionOf } from "../../graphql-adapter/test/EngineSetup.ts"
import { ask, dataOf, over, pass, refusalOf, submit, test } from "./KargoSetup.ts"

const place = { businessSlug: "acme", facilitySlug: "east" }

const arrived = Effect.gen(function*() {
  const shipments = yield* Shipments
  const { shipment } = yield* submit({
    direction: "INBOUND",
    orderNumber: "O-1",
    shipmentNumber: "T-1",
    items: [{ lpn: "P-1", sku: "S", quantity: 4_000_000_000, quantityUnit: "CASE" }, {
      lpn: "P-2",
      sku: "S",
      quantity: 1,
      quantityUnit: "CASE"
    }]
  })
  const arrival = { dockSlug: "D1", occurredAt: Timestamp.of("2026-06-15T10:30:00.000Z") }
  yield* shipments.arrive(String(shipment.id), arrival, sessionOf("tower").principal)
  yield* pass({
    eventId: "E-1",
    direction: "UNLOADING",
    occurredAt: "2026-06-15T11:00:00Z",
    labels: [{ name: "lpn", value: "P-1" }]
  })
  return shipment.id
}).pipe(Timestamp.asOf(Date.parse("2026-06-15T12:00:00Z")))

describe("D17.1 an Int", () => {
  test("shows a quantity that is larger as the largest", function*() {
    const id = yield* arrived
    const query = `query ($id: Int!) { shipment(id: $id) {
      orders { items { quantity } } cargo { manifest { quantity } items { quantity } }
    } }`
    expect(yield* dataOf(query, { id })).toEqual({
      shipment: {
        orders: [{ items: [{ quantity: 2_147_483_647 }, { quantity: 1 }] }],
        cargo: [{ manifest: [{ quantity: 2_147_483_647 }], items: [{ quantity: 2_147_483_647 }] }]
      }
    })
  })

  test("takes and shows ids beyond 32 bits, and no number that is not whole", function*() {
    const id = yield* arrived
    const large = 2 ** 40
    const query = "query ($id: Int!) { shipment(id: $id) { id orders { shipmentId } } }"
    const literal = `{ shipment(id: ${large}) { id orders { shipmentId } } }`
    yield* over(
      ({ shipments }) => ({
        shipments: {
          ...shipments,
          get: (shipmentId, principal) =>
            shipmentId === String(large)
              ? Effect.map(shipments.get(String(id), principal), (view) => ({ ...view, id: large }))
              : shipments.get(shipmentId, principal)
        }
      }),
      Effect.gen(function*() {
        const expected = { shipment: { id: large, orders: [{ shipmentId: large }] } }
        expect(yield* dataOf(query, { id: large })).toEqual(expected)
        expect(yield* dataOf(literal)).toEqual(expected)
      })
    )
    for (const id of [1.5, 2 ** 53, "1", true]) {
      expect(yield* refusalOf(query, { id })).toEqual([expect.stringContaining("whole number")])
    }
  })
})

describe("D8.8 lists without pages", () => {
  test("hold no more text than an answer, whatever of them is shown", function*() {
    for (const number of [1, 2, 3]) {
      yield* submit({
        direction: "INBOUND",
        orderNumber: `O-${number}`,
        items: [{
          lpn: `P-${number}`,
          sku: "S",
          quantity: 1,
          quantityUnit: "CASE",
          description: "x".repeat(1000)
        }]
      })
    }
    const query = "{ businesses { facilities { shipments { id } } } }"
    expect(yield* refusalOf(query, {}, "acme-east-client")).toEqual([
      expect.stringContaining("ANSWER_TOO_LARGE")
    ])
  }, { answerTextLimit: 5000 })

  test("are read once in an operation, also where that fails", function*() {
    const id = yield* arrived
    let reads = 0
    const ofShipments = () =>
      Effect.suspend(() => {
        reads++
        return Effect.fail(new StorageUnavailable({ cause: "gone" }))
      })
    const query = "query ($id: Int!) { shipment(id: $id) { loadingStartAt loadingEndAt } }"
    const { refusals } = yield* over(
      ({ pallets }) => ({ pallets: { ...pallets, ofShipments } }),
      ask(query, { id })
    )
    expect(refusals.length).toBe(2)
    expect(reads).toBe(1)
  })

  test("of the pallets of many shipments are one read, whatever of them is shown", function*() {
    for (const number of ["1", "2", "3"]) {
      yield* submit({
        direction: "INBOUND",
        orderNumber: `O-${number}`,
        shipmentNumber: `T-${number}`,
        items: []
      })
    }
    for (const [event, number] of ["1", "3", "1"].entries()) {
      yield* pass({
        eventId: `E-${event}`,
        shipmentNumber: `T-${number}`,
        direction: "UNLOADING",
        occurredAt: "1970-01-01T00:00:00Z",
        labels: [{ name: "lpn", value: `P-${number}` }]
      })
    }
    yield* submit({
      direction: "INBOUND",
      facility: "west",
      orderNumber: "O-9",
      shipmentNumber: "T-9",
      items: []
    })
    const batches: Array<ReadonlyArray<number>> = []
    const query = `{ businesses { facilities { shipments {
      customerShipmentIdentifier loadingStartAt loadingEndAt cargo { items { partID } } item(partID: "P-3") { partID }
    } } } }`
    interface PageData {
      readonly businesses: ReadonlyArray<{
        readonly facilities: ReadonlyArray<{
          readonly shipments: ReadonlyArray<{
            readonly customerShipmentIdentifier: string
            readonly cargo: ReadonlyArray<{ readonly items: ReadonlyArray<{ readonly partID: string }> }>
            readonly item: { readonly partID: string } | null
          }>
        }>
      }>
    }
    const { businesses } = yield* over(
      ({ pallets }) => ({
        pallets: {
          ...pallets,
          ofShipments: (place, ids, after, principal) => {
            batches.push(ids)
            return pallets.ofShipments(place, ids, after, principal)
          }
        }
      }),
      dataOf<PageData>(query)
    )
    const shipments = businesses.flatMap(({ facilities }) => facilities.flatMap((each) => each.shipments))
    expect(
      new Map(shipments.map(({ cargo, customerShipmentIdentifier, item }) => [
        customerShipmentIdentifier,
        [...cargo.flatMap(({ items }) => items.map(({ partID }) => partID)), item?.partID]
      ]))
    ).toEqual(
      new Map([
        ["T-1", ["P-1", undefined]],
        ["T-2", [undefined]],
        ["T-3", ["P-3", "P-3"]],
        ["T-9", [undefined]]
      ])
    )
    expect(batches.map((ids) => ids.length)).toEqual([3, 1])
  })

  test("are read anew after each mutation of an operation", function*() {
    yield* arrived
    const shipment = (carrier: string) =>
      `{ businessSlug: "${place.businessSlug}", facilitySlug: "${place.facilitySlug}", shipmentNumber: "T-1",
        direction: RECEIVING, carrier: "${carrier}" }`
    const mutation = (carrier: string) =>
      `createShipmentAndOrder(input: { shipment: ${shipment(carrier)}, orders: [{
        direction: INBOUND, orderNumber: "O-1", items: []
      }] }) { shipment { dock { currentShipment { carrier } } } }`
    const now = (carrier: string) => ({ shipment: { dock: { currentShipment: { carrier } } } })
    expect(yield* dataOf(`mutation { first: ${mutation("One")} second: ${mutation("Two")} }`)).toEqual({
      first: now("One"),
      second: now("Two")
    })
  })
})
