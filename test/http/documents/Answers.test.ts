import { emptyOrderFields } from "@dockline/core/Order"
import { emptyOrderItem } from "@dockline/core/OrderItem"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { layerMemory, resultOf, shipmentOf, TestServer, unique } from "../../support/TestServer.ts"
import { item, order } from "../Sample.ts"

const timestamp = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/

layer(layerMemory(), { excludeTestServices: true })("answers", (it) => {
  it.effect("D4.1 what is absent is empty: every field of the view is there", () =>
    Effect.gen(function*() {
      const server = yield* TestServer
      const before = new Date().toISOString()
      const document = order({ items: [{ lpn: "L", sku: "S", quantity: 0, quantityUnit: "UNIT" }] })
      const { shipment } = yield* server.submit(document)
      const { id, scheduledAt, expectedArrivalAt, orders } = shipment
      assert.isTrue(Number.isSafeInteger(id))
      assert.match(scheduledAt, timestamp)
      assert.isTrue(scheduledAt >= before && scheduledAt <= new Date().toISOString())
      assert.strictEqual(expectedArrivalAt, scheduledAt)
      const [only] = orders
      assert.deepStrictEqual(shipment, {
        id,
        shipmentNumber: document.orderNumber,
        status: "SCHEDULED",
        direction: "OUTBOUND",
        business: { slug: "acme", name: "Acme" },
        facility: { slug: "east", name: "Acme East" },
        expectedArrivalAt,
        scheduledAt,
        trailerNumber: "",
        dockId: "",
        dockSlug: "",
        carrier: "",
        additionalFields: [],
        statusEvents: [
          { status: "SCHEDULED", displayName: "Scheduled", completed: true, completedAt: scheduledAt },
          { status: "ARRIVED", displayName: "Arrived", completed: false, completedAt: "" },
          { status: "DEPARTED", displayName: "Departed", completed: false, completedAt: "" }
        ],
        progress: { expectedPallets: 1, passedPallets: 0, missingPallets: 1, unexpectedPallets: 0 },
        orders: [{
          id: only!.id,
          orderNumber: document.orderNumber,
          status: "CREATED",
          direction: "OUTBOUND",
          ...emptyOrderFields,
          orderType: "",
          purchaseOrder: "",
          consigneeName: "",
          consigneePhoneNumber: "",
          bolNumber: "",
          expectedQuantity: 0,
          carrier: "",
          sealNumber: "",
          supplier: "",
          client: "",
          destination: "",
          items: [{
            ...emptyOrderItem,
            id: only!.items[0]!.id,
            identifier: "",
            lpn: "L",
            sku: "S",
            quantity: 0,
            quantityUnit: "UNIT",
            purchaseOrder: "",
            description: "",
            upc: "",
            weightPerUnit: 0,
            weightUnit: "",
            height: 0,
            length: 0,
            width: 0,
            dimensionUnit: "",
            isDangerousGood: false,
            lot: "",
            expirationDate: "",
            manufacturingDate: "",
            caseSerials: []
          }]
        }]
      })
    }))

  it.effect("D4.1 what is sent is answered, and read back the same", () =>
    Effect.gen(function*() {
      const server = yield* TestServer
      const orderFields = {
        orderType: "SALES",
        purchaseOrder: "PO",
        consigneeName: "Jo",
        consigneePhoneNumber: "+1 555",
        bolNumber: "BOL",
        expectedQuantity: 7,
        sealNumber: "SEAL",
        supplier: "SUP",
        client: "CLI",
        destination: "DST"
      }
      const sent = {
        ...emptyOrderItem,
        identifier: "LINE-1",
        lpn: "L",
        sku: "S",
        quantity: 2.5,
        quantityUnit: "PALLET",
        purchaseOrder: "IPO",
        description: "things",
        upc: "012345678905",
        weightPerUnit: 0.1,
        weightUnit: "KILOGRAM",
        height: 1,
        length: 2,
        width: 3,
        dimensionUnit: "METER",
        isDangerousGood: true,
        lot: "LOT",
        expirationDate: "2027-01-31",
        manufacturingDate: "2026-01-31",
        caseSerials: [{ id: "C-2", quantity: 1 }, { id: "C-1", quantity: 0 }]
      }
      const shipmentNumber = unique("S")
      const reply = yield* server.post(order({
        ...orderFields,
        shipmentNumber,
        expectedArrivalAt: "2026-11-20T12:00:00-05:00",
        trailerNumber: "T-1",
        dockSlug: "D1",
        carrier: "CARRIER",
        driverName: "Ann",
        driverLicenseNumber: "N1",
        driverLicensePlate: "P1",
        additionalFields: [{ name: "gate", value: "7" }],
        items: [sent]
      }))
      const { shipment } = resultOf(reply)
      assert.deepInclude(shipment, {
        shipmentNumber,
        expectedArrivalAt: "2026-11-20T17:00:00.000Z",
        trailerNumber: "T-1",
        dockSlug: "D1",
        carrier: "CARRIER"
      })
      assert.match(shipment.dockId, /^\d+$/)
      assert.sameDeepMembers([...shipment.additionalFields], [
        { name: "gate", value: "7" },
        { name: "driverName", value: "Ann" },
        { name: "driverLicenseNumber", value: "N1" },
        { name: "driverLicensePlate", value: "P1" }
      ])
      assert.deepInclude(shipment.orders[0], { ...orderFields, carrier: "CARRIER" })
      const { id: _, ...answered } = shipment.orders[0]!.items[0]!
      assert.deepStrictEqual(answered, sent)
      assert.deepStrictEqual(shipmentOf(yield* server.get(String(reply.headers["location"]))), shipment)
    }))

  it.effect("WIRE.md: OVERWRITE again removes and creates with new ids, and is 201", () =>
    Effect.gen(function*() {
      const server = yield* TestServer
      const document = order({ items: [item("L-1"), item("L-2")] })
      const first = yield* server.submit(document)
      const reply = yield* server.post(document)
      const second = resultOf(reply)
      assert.strictEqual(reply.status, 201)
      assert.strictEqual(reply.headers["location"], `/v1/shipments/${first.shipment.id}`)
      assert.deepStrictEqual(second.updated, first.created.slice(0, 2))
      assert.deepStrictEqual(second.removed, first.created.slice(2))
      const ids = new Set([...first.created, ...second.created].map(({ type, id }) => `${type} ${id}`))
      assert.strictEqual(ids.size, 6)
    }))

  it.effect("WIRE.md: MERGE that creates nothing is 200, one that creates is 201", () =>
    Effect.gen(function*() {
      const server = yield* TestServer
      const document = order({ orderItemUpdateStrategy: "MERGE", items: [item("L-1", { lot: "A" })] })
      const first = yield* server.submit(document)
      const merged = yield* server.post({
        ...document,
        items: [{ lpn: "L-1", sku: "SKU", quantity: 0, lot: "" }]
      })
      assert.strictEqual(merged.status, 200)
      assert.deepStrictEqual(resultOf(merged).updated.map(({ type }) => type), [
        "SHIPMENT",
        "ORDER",
        "ORDER_ITEM"
      ])
      assert.deepStrictEqual(resultOf(merged).shipment, first.shipment)
      const added = yield* server.post({ ...document, items: [item("L-2")] })
      assert.strictEqual(added.status, 201)
      assert.deepStrictEqual(resultOf(added).created.map(({ reference }) => reference), ["L-2"])
    }))
})
