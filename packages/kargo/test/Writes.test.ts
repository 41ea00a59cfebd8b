/** The mutations for clients of Kargo: what they write, keep, and refuse (D17.1 to D17.3). */
import { Shipments } from "@dockline/core/movement/Shipments"
import { describe, expect } from "@effect/vitest"
import { Effect } from "effect"
import { sessionOf } from "../../graphql-adapter/test/EngineSetup.ts"
import { ask, dataOf, refusalOf, submit, test } from "./KargoSetup.ts"

const place = { businessSlug: "acme", facilitySlug: "east" }

const widget = { quantityUnit: "PALLET", quantity: 10, sku: "WIDGET", description: "Widget" }

const create = `mutation ($input: CreateShipmentAndOrderInput!) {
  createShipmentAndOrder(input: $input) {
    shipment {
      id status shippingDirection expectedArrivalAt carrier carrierService customerShipmentIdentifier
      dock { slug } statusEvents { status completed completedAt }
      orders {
        externalId orderNumber direction carrier carrierService requestedShipDate shipperName clientName status
        shipperAddress { addressOne addressTwo city state zip }
        items { identifier lpn sku quantity quantityUnit expirationDate weightPerUnit weightUnit }
      }
    }
  }
}`
const update = "mutation ($input: UpdateShipmentInput!) { updateShipment(input: $input) { success id } }"
const createOrder = "mutation ($input: OrderInput!) { createOrder(input: $input) { success id } }"
const putOrder = "mutation ($input: OrderInput!) { createOrUpdateOrder(input: $input) { success id type } }"
const add = "mutation ($input: AddItemsToOrderInput!) { addItemsToOrder(input: $input) { success } }"
const remove = `mutation ($input: DeleteItemsFromOrderInput!) {
  deleteItemsFromOrder(input: $input) { success deletedIdentifiers orderDeleted }
}`

const truck = (number: string, more: object = {}) => ({
  ...place,
  shipmentNumber: number,
  direction: "RECEIVING",
  ...more
})
const order = (number: string, more: object = {}) => ({
  direction: "INBOUND",
  orderNumber: number,
  items: [widget],
  ...more
})
const documentOf = (number: string, more: object = {}) => ({ ...place, ...order(number, more) })

/** The shipment with a number, as REST shows it. */
const shipmentOf = (shipmentNumber: string) =>
  Effect.gen(function*() {
    const shipments = yield* Shipments
    const { items } = yield* shipments.list(
      { business: "acme", facility: "east", shipmentNumber },
      sessionOf("acme-client").principal
    )
    return items[0]
  })

/** The items of the only order of a shipment. */
const itemsOf = (shipmentNumber: string) =>
  Effect.map(
    shipmentOf(shipmentNumber),
    (shipment) =>
      shipment?.orders[0]?.items.map(({ identifier, lpn, sku, quantity }) => ({
        identifier,
        lpn,
        sku,
        quantity
      }))
  )

describe("D17.1, D17.2 documents of Kargo's clients", () => {
  test("create a shipment with its orders, and keep what has no field", function*() {
    const address = { addressOne: "1 Main St", city: "Springfield", state: "IL", zip: "62701" }
    const data = yield* dataOf(create, {
      input: {
        shipment: truck("T-1", {
          expectedArrivalAt: "2026-06-15T10:00:00Z",
          carrier: "Fast",
          carrierService: "LTL",
          dockSlug: "D1",
          equipmentType: "TRAILER",
          driverName: "Ada",
          additionalFields: [{ name: "seal", value: "S-1" }]
        }),
        orders: [order("O-1", {
          requestedShipDate: "2026-06-14",
          shipperName: "Mill",
          shipperAddress: address,
          clientName: "Client",
          carrier: "Other",
          items: [
            {
              ...widget,
              lpn: "P-1",
              expirationDate: "2027-01-31T00:00:00Z",
              weightPerUnit: 2,
              weightUnit: "POUND"
            },
            {
              quantityUnit: "CASE",
              sku: "LOOSE",
              itemMetadata: { color: "blue" },
              subUnits: [
                { id: "S1", quantity: 2, unit_type: "CASE" }
              ]
            }
          ]
        })]
      }
    })
    expect(data).toMatchObject({
      createShipmentAndOrder: {
        shipment: {
          status: "SCHEDULED",
          shippingDirection: "RECEIVING",
          expectedArrivalAt: "2026-06-15T10:00:00.000Z",
          carrier: "Fast",
          carrierService: "LTL",
          customerShipmentIdentifier: "T-1",
          dock: { slug: "D1" },
          orders: [{
            orderNumber: "O-1",
            direction: "INBOUND",
            carrier: "Other",
            carrierService: "LTL",
            requestedShipDate: "2026-06-14",
            shipperName: "Mill",
            shipperAddress: { ...address, addressTwo: null },
            clientName: "Client",
            status: "CREATED",
            items: [
              {
                identifier: "P-1",
                lpn: "P-1",
                sku: "WIDGET",
                quantity: 10,
                quantityUnit: "PALLET",
                expirationDate: "2027-01-31",
                weightPerUnit: 2,
                weightUnit: "POUND"
              },
              {
                identifier: "LOOSE",
                lpn: null,
                sku: "LOOSE",
                quantity: 0,
                quantityUnit: "CASE",
                weightPerUnit: null
              }
            ]
          }]
        }
      }
    })
    const shipment = yield* shipmentOf("T-1")
    expect(shipment?.progress.expectedPallets).toBe(1)
    expect(shipment?.orders[0]?.items[1]?.caseSerials).toEqual([{ id: "S1", quantity: 2 }])
    expect(shipment?.additionalFields).toEqual([
      { name: "seal", value: "S-1" },
      { name: "carrierService", value: "LTL" },
      { name: "equipmentType", value: "TRAILER" },
      { name: "O-1.requestedShipDate", value: "2026-06-14" },
      { name: "O-1.shipperName", value: "Mill" },
      { name: "O-1.shipperAddress", value: JSON.stringify(address) },
      { name: "O-1.carrier", value: "Other" },
      { name: "O-1.LOOSE.itemMetadata", value: `{"color":"blue"}` },
      { name: "driverName", value: "Ada" }
    ])
  })

  test("keep what they say of each item, and refuse two values of a name", function*() {
    const items = ["A", "B"].map((sku, index) => ({
      ...widget,
      sku,
      identifier: "LINE",
      itemMetadata: { index }
    }))
    yield* dataOf(create, { input: { shipment: truck("T-1"), orders: [order("O-1", { items })] } })
    expect((yield* shipmentOf("T-1"))?.additionalFields).toEqual([
      { name: "O-1.LINE.A.itemMetadata", value: `{"index":0}` },
      { name: "O-1.LINE.B.itemMetadata", value: `{"index":1}` }
    ])
    const own = [{ name: "O-1.shipperName", value: "Mine" }, { name: "driverName", value: "Bob" }]
    const input = {
      shipment: truck("T-1", { additionalFields: own, driverName: "Ada", serviceType: "AIR_LOOSE" }),
      orders: [order("O-1", { shipperName: "Mill" })]
    }
    expect(yield* refusalOf(create, { input })).toEqual([
      "INVALID_DOCUMENT input.orders[0].shipperName input.shipment.driverName"
    ])
  })

  test("have the direction of their orders where it is MIXED, UNKNOWN or absent", function*() {
    for (const [index, direction] of ["MIXED", "UNKNOWN", null].entries()) {
      const orders = [order(`O-${index}`, { direction: "OUTBOUND" })]
      const data = yield* dataOf(create, { input: { shipment: truck(`T-${index}`, { direction }), orders } })
      expect(data).toMatchObject({
        createShipmentAndOrder: { shipment: { shippingDirection: "SHIPPING" } }
      })
    }
    const differing = {
      shipment: truck("T-9", { direction: "MIXED" }),
      orders: [order("O-8"), order("O-9", { direction: "OUTBOUND" })]
    }
    expect(yield* refusalOf(create, { input: differing })).toEqual([
      "INVALID_REQUEST input.orders[1].direction"
    ])
    const other = { shipment: truck("T-9", { direction: "SHIPPING" }), orders: [order("O-8")] }
    expect(yield* refusalOf(create, { input: other })).toEqual(["INVALID_REQUEST input.orders[0].direction"])
    expect(yield* shipmentOf("T-9")).toBeUndefined()
  })

  test("update a shipment alone, and create one without orders", function*() {
    yield* submit({ direction: "INBOUND", orderNumber: "O-1", shipmentNumber: "T-1", items: [] })
    const { updateShipment } = yield* dataOf<{ readonly updateShipment: unknown }>(update, {
      input: { ...place, shipmentNumber: "T-1", carrier: "Fast", serviceType: "AIR_LOOSE", dockSlug: "D2" }
    })
    const shipment = yield* shipmentOf("T-1")
    expect(updateShipment).toEqual({ success: true, id: shipment?.id })
    expect(shipment).toMatchObject({ carrier: "Fast", dockSlug: "D2", orders: [{ orderNumber: "O-1" }] })
    expect(shipment?.additionalFields).toEqual([{ name: "serviceType", value: "AIR_LOOSE" }])
    yield* dataOf(update, { input: truck("T-2", { trailerNumber: "TR-2" }) })
    expect(yield* shipmentOf("T-2")).toMatchObject({
      direction: "INBOUND",
      trailerNumber: "TR-2",
      orders: []
    })
    expect(yield* refusalOf(update, { input: { ...place, shipmentNumber: "T-3" } })).toEqual([
      "INVALID_REQUEST input.direction"
    ])
    expect(yield* refusalOf(update, { input: { ...place, direction: "SHIPPING" } })).toEqual([
      "INVALID_REQUEST input.shipmentNumber"
    ])
    expect(yield* refusalOf(update, { input: truck("T-1", { direction: "SHIPPING" }) })).toEqual([
      "SHIPMENT_CONFLICT SHIPMENT_CONFLICT: shipmentNumber=T-1, reason=DIRECTION"
    ])
  })

  test("createOrder refuses a number that is there, wherever the order is", function*() {
    const { createOrder: order } = yield* dataOf<{ readonly createOrder: { readonly id: string } }>(
      createOrder,
      { input: documentOf("O-1") }
    )
    const shipment = yield* shipmentOf("O-1")
    expect(order).toEqual({ success: true, id: shipment?.orders[0]?.id })
    expect(yield* refusalOf(createOrder, { input: documentOf("O-1") })).toEqual([
      "PRECONDITION_FAILED The facility has an order O-1 already, and nothing was done"
    ])
    yield* submit({ direction: "OUTBOUND", orderNumber: "O-2", shipmentNumber: "T-2", items: [] })
    expect(yield* refusalOf(createOrder, { input: documentOf("O-2") })).toEqual([
      "PRECONDITION_FAILED The facility has an order O-2 already, and nothing was done"
    ])
  })

  test("createOrder adds an order to the shipment that it names", function*() {
    const { shipment } = yield* submit({
      direction: "INBOUND",
      orderNumber: "O-1",
      shipmentNumber: "T-1",
      items: []
    })
    yield* dataOf(createOrder, { input: documentOf("O-2", { shipmentId: shipment.id }) })
    expect((yield* shipmentOf("T-1"))?.orders.map(({ orderNumber }) => orderNumber)).toEqual(["O-1", "O-2"])
    const { shipment: west } = yield* submit({
      facility: "west",
      direction: "INBOUND",
      orderNumber: "O-1",
      items: []
    })
    expect(yield* refusalOf(createOrder, { input: documentOf("O-3", { shipmentId: west.id }) })).toEqual([
      "INVALID_REQUEST input.shipmentId"
    ])
    expect(yield* refusalOf(createOrder, { input: documentOf("O-3", { shipmentId: 999_999 }) })).toEqual([
      "SHIPMENT_NOT_FOUND Unknown shipment: 999999"
    ])
  })

  test("createOrUpdateOrder leaves the order on its shipment, and replaces or adds to its items", function*() {
    const { createOrUpdateOrder: order } = yield* dataOf<{ readonly createOrUpdateOrder: unknown }>(
      putOrder,
      { input: documentOf("O-1") }
    )
    expect(order).toMatchObject({ success: true, type: "CREATE" })
    yield* submit({ direction: "INBOUND", orderNumber: "O-2", shipmentNumber: "T-2", items: [] })
    const { createOrUpdateOrder: updated } = yield* dataOf<{ readonly createOrUpdateOrder: unknown }>(
      putOrder,
      {
        input: documentOf("O-2", { items: [{ ...widget, lpn: "P-1" }] })
      }
    )
    const shipment = yield* shipmentOf("T-2")
    expect(updated).toEqual({ success: true, id: shipment?.orders[0]?.id, type: "UPDATE" })
    expect(yield* shipmentOf("O-2")).toBeUndefined()
    yield* dataOf(putOrder, { input: documentOf("O-2", { items: [{ ...widget, lpn: "P-2" }] }) })
    expect((yield* itemsOf("T-2"))?.map(({ lpn }) => lpn)).toEqual(["P-2"])
    yield* dataOf(putOrder, {
      input: documentOf("O-2", { appendItems: true, items: [{ ...widget, lpn: "P-3" }] })
    })
    expect((yield* itemsOf("T-2"))?.map(({ lpn }) => lpn)).toEqual(["P-2", "P-3"])
  })

  test("keep what createOrUpdateOrder and createShipmentAndOrder leave out of items that are there", function*() {
    const whole = {
      identifier: "LINE-1",
      lpn: "P-1",
      sku: "WIDGET",
      quantity: 48,
      quantityUnit: "CASE",
      purchaseOrder: "PO-1",
      description: "Widgets",
      upc: "0123",
      weightPerUnit: 1.5,
      weightUnit: "POUND",
      height: 2,
      length: 3,
      width: 4,
      dimensionUnit: "INCH",
      isDangerousGood: true,
      lot: "L1",
      expirationDate: "2027-01-01",
      manufacturingDate: "2026-01-01",
      caseSerials: [{ id: "C1", quantity: 24 }]
    }
    yield* submit({ direction: "INBOUND", orderNumber: "O-3", items: [whole] })
    const bare = { lpn: "P-1", sku: "WIDGET", quantityUnit: "CASE" }
    const items = (yield* shipmentOf("O-3"))!.orders[0]!.items
    yield* dataOf(putOrder, { input: documentOf("O-3", { items: [bare] }) })
    const after = (yield* shipmentOf("O-3"))!.orders[0]!.items
    // A replaced item has another id.
    expect(after).toEqual(items.map((item) => ({ ...item, id: after[0]?.id })))
    yield* dataOf(putOrder, {
      input: documentOf("O-3", { items: [{ ...bare, quantity: 0, isDangerousGood: false, subUnits: [] }] })
    })
    const [item] = (yield* shipmentOf("O-3"))!.orders[0]!.items
    expect([item?.quantity, item?.isDangerousGood, item?.caseSerials, item?.lot]).toEqual([
      0,
      false,
      [],
      "L1"
    ])
  })

  test("add items to an order, and remove them by what they are called", function*() {
    const { createOrder: order } = yield* dataOf<{ readonly createOrder: { readonly id: string } }>(
      createOrder,
      { input: documentOf("O-1") }
    )
    const { id } = order
    yield* dataOf(add, {
      input: { id, items: [{ ...widget, lpn: "P-1" }, { quantityUnit: "UNIT", identifier: "LINE 3" }] }
    })
    expect(yield* itemsOf("O-1")).toEqual([
      { identifier: "WIDGET", lpn: "", sku: "WIDGET", quantity: 10 },
      { identifier: "P-1", lpn: "P-1", sku: "WIDGET", quantity: 10 },
      { identifier: "LINE 3", lpn: "", sku: "", quantity: 0 }
    ])
    expect(yield* refusalOf(add, { input: { id, items: [widget] } })).toEqual([
      "DUPLICATE_ORDER_ITEM_KEY DUPLICATE_ORDER_ITEM_KEY: identifier=WIDGET, sku=WIDGET"
    ])
    const data = yield* dataOf(remove, { input: { id, identifiers: ["P-1", "LINE 3", "nobody knows it"] } })
    expect(data).toEqual({
      deleteItemsFromOrder: { success: true, deletedIdentifiers: ["P-1", "LINE 3"], orderDeleted: false }
    })
    expect((yield* itemsOf("O-1"))?.length).toBe(1)
    expect(yield* refusalOf(add, { input: { id: "999999", items: [widget] } })).toEqual([
      "INVALID_REQUEST input.id"
    ])
    expect(yield* refusalOf(remove, { input: { id: "O-1", identifiers: [] } })).toEqual([
      "INVALID_REQUEST input.id"
    ])
  })

  test("D22 remove items that are called by their LPN in each form of its SSCC", function*() {
    const sscc = "106141412345678908"
    for (const [index, scan] of [`00${sscc}`, `(00)${sscc}`, `]C100${sscc}\r\n`].entries()) {
      const number = `O-${index}`
      const items = [{ ...widget, lpn: sscc }, {
        ...widget,
        lpn: `00${sscc}`,
        sku: "OTHER",
        identifier: "kept"
      }]
      yield* dataOf(createOrder, { input: documentOf(number, { items }) })
      const id = (yield* shipmentOf(number))?.orders[0]?.id
      expect(yield* dataOf(remove, { input: { id, identifiers: [scan] } })).toEqual({
        deleteItemsFromOrder: { success: true, deletedIdentifiers: [sscc], orderDeleted: false }
      })
    }
  })

  test("tell each fault by the field of the input, and change nothing", function*() {
    const bad = { ...widget, quantity: -1, sku: "x".repeat(2000), expirationDate: "soon" }
    const [faults] = yield* refusalOf(create, {
      input: {
        shipment: truck("T-1", {
          expectedArrivalAt: "tomorrow",
          driverEmailAddress: "x".repeat(2000),
          additionalFields: [{ name: "", value: "" }]
        }),
        orders: [order("O-1"), order("", { clientName: "x".repeat(2000), items: [bad] })]
      }
    })
    expect(faults?.split(" ").sort()).toEqual([
      "INVALID_DOCUMENT",
      "input.orders[1].clientName",
      "input.orders[1].items[0].expirationDate",
      "input.orders[1].items[0].identifier",
      "input.orders[1].items[0].quantity",
      "input.orders[1].items[0].sku",
      "input.orders[1].orderNumber",
      "input.shipment.additionalFields[0]",
      "input.shipment.driverEmailAddress",
      "input.shipment.expectedArrivalAt"
    ])
    const cases: ReadonlyArray<readonly [object, string]> = [
      [documentOf(""), "INVALID_REQUEST input.orderNumber"],
      [documentOf("O-1", { businessSlug: "none" }), "BUSINESS_NOT_FOUND Unknown business: none"],
      [
        documentOf("O-1", { facilitySlug: "north" }),
        "FACILITY_NOT_FOUND Unknown facility: north of business acme"
      ],
      [documentOf("O-1", { updateByLineId: true }), "INVALID_DOCUMENT input.updateByLineId"],
      [documentOf("O-1", { items: [{ quantityUnit: "UNIT" }] }), "INVALID_DOCUMENT input.items[0].lpn"],
      [
        documentOf("O-1", {
          items: [{ ...widget, subUnits: [{ id: "S", quantity: 1, unit_type: "UNIT" }] }]
        }),
        "INVALID_DOCUMENT input.items[0].subUnits[0].unit_type"
      ]
    ]
    for (const [input, refusal] of cases) {
      expect(yield* refusalOf(createOrder, { input })).toEqual([refusal])
      expect(yield* refusalOf(putOrder, { input })).toEqual([refusal])
    }
    expect(yield* shipmentOf("T-1")).toBeUndefined()
    expect(yield* shipmentOf("O-1")).toBeUndefined()
  })
})

describe("D17.3 statuses of Kargo's clients", () => {
  test("are steps of the check-in, and never an arrival", function*() {
    yield* dataOf(create, {
      input: {
        shipment: truck("T-1", { status: "AT_FACILITY", statusOccurredAt: "1970-01-01T00:00:00Z" }),
        orders: [order("O-1")]
      }
    })
    yield* dataOf(update, {
      input: { ...place, shipmentNumber: "T-1", status: "DOOR_ASSIGNED", dockSlug: "D2" }
    })
    const shipment = yield* shipmentOf("T-1")
    expect(shipment).toMatchObject({ status: "SCHEDULED", dockSlug: "D2" })
    const data = yield* dataOf(
      "query ($id: Int!) { shipment(id: $id) { status arrivedAt statusEvents { status completed } } }",
      { id: shipment?.id }
    )
    expect(data).toEqual({
      shipment: {
        status: "DOOR_ASSIGNED",
        arrivedAt: null,
        statusEvents: [
          { status: "SCHEDULED", completed: true },
          { status: "AT_FACILITY", completed: true },
          { status: "DOOR_ASSIGNED", completed: true },
          { status: "DOCKED", completed: false },
          { status: "DEPARTED", completed: false }
        ]
      }
    })
  })

  test("are noted together with the shipment, or both are not", function*() {
    const shipment = truck("T-1", { status: "DOOR_ASSIGNED" })
    const { refusals } = yield* ask(create, { input: { shipment, orders: [order("O-1")] } })
    expect(refusals).toEqual(["INVALID_REQUEST input.shipment.dockSlug"])
    expect(yield* refusalOf(update, { input: shipment })).toEqual(["INVALID_REQUEST input.dockSlug"])
    expect(
      yield* refusalOf(update, {
        input: truck("T-1", { status: "AT_FACILITY", statusOccurredAt: "at noon" })
      })
    ).toEqual(["INVALID_REQUEST input.statusOccurredAt"])
    expect(yield* shipmentOf("T-1")).toBeUndefined()
  })
})

describe("D17.1 other mutations of Kargo's clients", () => {
  test("report exceptions of the kind OTHER", function*() {
    const { shipment } = yield* submit({ direction: "INBOUND", orderNumber: "O-1", items: [] })
    const report =
      "mutation ($input: CreateExceptionInput!) { createException(input: $input) { exceptionId } }"
    const input = { shipmentId: shipment.id, customerExceptionDescription: "wet" }
    const { createException } = yield* dataOf<{ readonly createException: unknown }>(report, { input })
    expect(createException).toEqual({ exceptionId: expect.stringMatching(/^\d+$/) })
    expect(yield* refusalOf(report, { input: { ...input, customerExceptionDescription: "" } })).toEqual([
      "INVALID_REQUEST input.customerExceptionDescription"
    ])
    expect(yield* refusalOf(report, { input: { ...input, palletId: 7 } })).toEqual([
      `PALLET_NOT_FOUND Unknown pallet: 7 of shipment ${shipment.id}`
    ])
  })

  test("process a payload that is a document, and say why another is none", function*() {
    const process = `mutation ($input: ProcessPayloadInput!) {
      processPayload(input: $input) { success message loggingId }
    }`
    const document = { direction: "INBOUND", orderNumber: "O-1", items: [] }
    expect(yield* dataOf(process, { input: { ...place, payload: document } })).toEqual({
      processPayload: { success: true, message: "Shipment O-1", loggingId: "test" }
    })
    for (const payload of [{ key: "value" }, 7, [document], { ...document, direction: "OUTBOUND" }]) {
      const data = yield* dataOf(process, { input: { ...place, payload } })
      expect(data).toMatchObject({ processPayload: { success: false, loggingId: "test" } })
    }
    expect(
      yield* refusalOf(process, {
        input: { ...place, businessSlug: "globex", facilitySlug: "main", payload: document }
      })
    )
      .toEqual([expect.stringContaining("FORBIDDEN")])
  })
})
