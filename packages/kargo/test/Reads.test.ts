/** The reads of Kargo's clients: places, shipments, orders, cargo, messages; and their limits for clients of others (D17.1). */
import { Shipments } from "@dockline/core/movement/Shipments"
import { TooManyMessages } from "@dockline/core/values/Errors"
import * as Timestamp from "@dockline/core/values/Timestamp"
import { defaultOperationLimits as limits } from "@dockline/graphql-adapter/GraphqlConfig"
import { describe, expect } from "@effect/vitest"
import { Effect } from "effect"
import { sessionOf } from "../../graphql-adapter/test/EngineSetup.ts"
import * as Running from "../../graphql-adapter/test/Running.ts"
import { kargoPath } from "../src/KargoGraphql.ts"
import { shipmentsAtMost } from "../src/schema/KargoLists.ts"
import { dataOf, over, pass, refusalOf, submit, test } from "./KargoSetup.ts"

const item = (lpn: string) => ({
  lpn,
  sku: "SKU-1",
  quantity: 4,
  quantityUnit: "CASE",
  description: "Widget"
})

/** The time at which events are reported. */
const asOfNoon = Timestamp.asOf(Date.parse("2026-06-15T12:00:00Z"))

/** A shipment with two pallets, one of which has passed. */
const dockShipment = Effect.gen(function*() {
  const shipments = yield* Shipments
  const { shipment } = yield* submit({
    direction: "INBOUND",
    orderNumber: "O-1",
    shipmentNumber: "T-1",
    purchaseOrder: "PO-1",
    carrier: "Fast",
    expectedArrivalAt: "2026-06-15T10:00:00Z",
    items: [item("P-1"), item("P-2")]
  })
  const arrival = { dockSlug: "D1", occurredAt: Timestamp.of("2026-06-15T10:30:00.000Z") }
  yield* shipments.arrive(String(shipment.id), arrival, sessionOf("tower").principal)
  yield* pass({
    eventId: "E-1",
    direction: "UNLOADING",
    occurredAt: "2026-06-15T11:00:00Z",
    labels: [{ name: "lpn", value: "P-1" }, { name: "sku", value: "SKU-1" }]
  })
  return shipment.id
}).pipe(asOfNoon)

describe("D17.1 reads of Kargo's clients", () => {
  test("show the businesses, facilities and docks that a client may see", function*() {
    const query = `{
      ping kargoAgent { version token }
      businesses { slug name facilities { slug name address { city } docks { slug displayName facilityId businessId } } }
    }`
    const data = yield* dataOf(query, {}, "acme-east-client")
    const number = expect.toSatisfy((id: number) => Number.isInteger(id) && id >= 0 && id < 2 ** 31)
    const dock = { facilityId: number, businessId: number }
    expect(data).toEqual({
      ping: true,
      kargoAgent: null,
      businesses: [{
        slug: "acme",
        name: "Acme",
        facilities: [{
          slug: "east",
          name: "East",
          address: null,
          docks: [{ slug: "D1", displayName: "D1", ...dock }, { slug: "D2", displayName: "D2", ...dock }]
        }]
      }]
    })
    const slugs = "{ businesses { slug facilities { slug } } }"
    expect(yield* dataOf(slugs, {}, "every-east-client")).toEqual({
      businesses: [
        { slug: "acme", facilities: [{ slug: "east" }] },
        { slug: "globex", facilities: [] }
      ]
    })
    expect(yield* dataOf(slugs, {}, "tower")).toEqual({
      businesses: [
        { slug: "acme", facilities: [{ slug: "east" }, { slug: "west" }] },
        { slug: "globex", facilities: [{ slug: "main" }] }
      ]
    })
  })

  test("show a shipment with its cargo, as it is unloaded", function*() {
    const id = yield* dockShipment
    const query = `query ($id: Int!) {
      shipment(id: $id) {
        id status shippingDirection purchaseOrder carrier customerShipmentIdentifier
        arrivedAt loadingStartAt loadingEndAt departedAt expectedArrivalAt
        facility { slug name } dock { slug currentShipment { id } } documents { id }
        orders { orderNumber facility { slug } status shipmentId items { identifier } }
        cargo {
          manifest { name partID quantity }
          items {
            partID quantity occurredAt direction
            label {
              fields { displayName value imageIds } licensePlateNumbers { value } palletContentIds { value }
              forkliftImages { ... on TaggedImage { id } }
            }
          }
        }
        item(partID: "P-1") { quantity }
        other: item(partID: "P-2") { quantity }
      }
    }`
    const data = yield* dataOf(query, { id })
    expect(data).toEqual({
      shipment: {
        id,
        status: "UNLOADING",
        shippingDirection: "RECEIVING",
        purchaseOrder: "PO-1",
        carrier: "Fast",
        customerShipmentIdentifier: "T-1",
        arrivedAt: "2026-06-15T10:30:00.000Z",
        loadingStartAt: "2026-06-15T11:00:00.000Z",
        loadingEndAt: "2026-06-15T11:00:00.000Z",
        departedAt: null,
        expectedArrivalAt: "2026-06-15T10:00:00.000Z",
        facility: { slug: "east", name: "East" },
        dock: { slug: "D1", currentShipment: { id } },
        documents: [],
        orders: [{
          orderNumber: "O-1",
          facility: { slug: "east" },
          status: "CREATED",
          shipmentId: id,
          items: [{ identifier: "P-1" }, { identifier: "P-2" }]
        }],
        cargo: [{
          manifest: [{ name: "Widget", partID: "SKU-1", quantity: 8 }],
          items: [{
            partID: "P-1",
            quantity: 4,
            occurredAt: "2026-06-15T11:00:00.000Z",
            direction: "RECEIVING",
            label: {
              fields: [
                { displayName: "lpn", value: "P-1", imageIds: [] },
                { displayName: "sku", value: "SKU-1", imageIds: [] }
              ],
              licensePlateNumbers: [{ value: "P-1" }],
              palletContentIds: [{ value: "SKU-1" }],
              forkliftImages: []
            }
          }]
        }],
        item: { quantity: 4 },
        other: null
      }
    })
    yield* asOfNoon(pass({
      eventId: "E-2",
      direction: "UNLOADING",
      occurredAt: "2026-06-15T11:10:00Z",
      labels: [{ name: "lpn", value: "P-2" }, { name: "Quantity", value: "3" }]
    }))
    const all = "query ($id: Int!) { shipment(id: $id) { status cargo { items { quantity } } } }"
    expect(yield* dataOf(all, { id })).toEqual({
      shipment: { status: "UNLOADED", cargo: [{ items: [{ quantity: 4 }, { quantity: 3 }] }] }
    })
  })

  test("list the shipments and the orders of a facility by time, text, dock and direction", function*() {
    yield* dockShipment
    yield* submit({
      direction: "OUTBOUND",
      orderNumber: "O-2",
      shipmentNumber: "T-2",
      expectedArrivalAt: "2026-07-01T08:00:00Z",
      items: []
    })
    const query = `query ($filter: ShipmentFilter) {
      businesses { facilities { slug shipments(filter: $filter) { customerShipmentIdentifier } } }
    }`
    interface PageData {
      readonly businesses: ReadonlyArray<{
        readonly facilities: ReadonlyArray<{
          readonly shipments: ReadonlyArray<{ readonly customerShipmentIdentifier: string }>
        }>
      }>
    }
    const numbers = (filter: object | null) =>
      Effect.map(
        dataOf<PageData>(query, { filter }, "acme-east-client"),
        ({ businesses }) =>
          businesses.flatMap(({ facilities }) => facilities).flatMap(({ shipments }) => shipments)
            .map(({ customerShipmentIdentifier }) => customerShipmentIdentifier)
      )
    const cases: ReadonlyArray<readonly [object | null, ReadonlyArray<string>]> = [
      [null, ["T-1", "T-2"]],
      [{ since: "2026-06-20" }, ["T-2"]],
      [{ before: "2026-06-15" }, ["T-1"]],
      [{ before: "9999-12-31" }, ["T-1", "T-2"]],
      [{ since: "2026-07-01T08:00:00Z", before: "2026-07-01T08:00:00Z" }, ["T-2"]],
      [{ query: "o-1" }, ["T-1"]],
      [{ query: "fast" }, ["T-1"]],
      [{ dockSlugs: ["D1"] }, ["T-1"]],
      [{ dockSlugs: [] }, []],
      [{ shippingDirection: "SHIPPING" }, ["T-2"]],
      [{ shippingDirection: "MIXED" }, []],
      [{ withDiscrepancies: true }, ["T-1"]]
    ]
    for (const [filter, expected] of cases) expect(yield* numbers(filter)).toEqual(expected)
    expect(yield* refusalOf(query, { filter: { since: "yesterday" } }, "acme-east-client")).toEqual([
      "INVALID_REQUEST filter.since"
    ])
    const orders = `query ($filter: OrdersFilter!) {
      businesses { facilities { orders(filter: $filter) { orderNumber direction } } }
    }`
    const days = { startDate: "2026-06-01", endDate: "2026-07-01" }
    expect(yield* dataOf(orders, { filter: days }, "acme-east-client")).toEqual({
      businesses: [{
        facilities: [{
          orders: [
            { orderNumber: "O-1", direction: "INBOUND" },
            { orderNumber: "O-2", direction: "OUTBOUND" }
          ]
        }]
      }]
    })
    const inbound = { ...days, direction: "INBOUND" }
    expect(yield* dataOf(orders, { filter: inbound }, "acme-east-client")).toEqual({
      businesses: [{ facilities: [{ orders: [{ orderNumber: "O-1", direction: "INBOUND" }] }] }]
    })
    expect(yield* refusalOf(orders, { filter: { startDate: "", endDate: "06/2026" } }, "acme-east-client"))
      .toEqual([
        "INVALID_REQUEST filter.endDate"
      ])
  })

  test("refuse a list that holds more than an operation may", function*() {
    yield* dockShipment
    const query = "{ businesses { facilities { shipments { id } } } }"
    expect(yield* refusalOf(query, {}, "acme-east-client")).toEqual([
      expect.stringContaining("OPERATION_TOO_COSTLY")
    ])
  }, { limits: { ...limits, entries: 4 } })

  test("refuse what is longer than one answer holds, and say what to ask for", function*() {
    for (let number = 0; number <= shipmentsAtMost; number++) {
      yield* submit({ direction: "INBOUND", orderNumber: `O-${number}`, items: [] })
    }
    const query = "{ businesses { facilities { shipments { id } } } }"
    expect(yield* refusalOf(query, {}, "acme-east-client")).toEqual(["INVALID_REQUEST filter.since"])
    const history = () => Effect.fail(new TooManyMessages({ limit: 10_000 }))
    const messages = `{ pushMessages(input: { since: "2020-01-01", businessSlug: "acme" }) { id } }`
    const { errors } = yield* over(
      (services) => ({ messages: { ...services.messages, history } }),
      Running.ask(messages, {}, "acme-client", kargoPath)
    )
    expect(errors?.map(({ extensions }) => extensions["errors"])).toEqual([[{
      path: "input.since",
      detail: expect.stringContaining("ask for a later time")
    }]])
  })

  test("show the messages of the two types that are known, in the profile kargo", function*() {
    const id = yield* dockShipment
    const query = `query ($input: PushMessageFilter!) {
      pushMessages(input: $input) { id messageType message sentAt facilitySlug businessSlug }
    }`
    // The test clock begins in 1970.
    const input = { since: "1970-01-01", businessSlug: "acme", facilitySlug: null }
    const { pushMessages } = yield* dataOf<{
      readonly pushMessages: ReadonlyArray<{ readonly message: string }>
    }>(query, { input })
    expect(pushMessages).toMatchObject([
      { messageType: "PALLET_EVENT", facilitySlug: "east", businessSlug: "acme" }
    ])
    expect(JSON.parse(pushMessages[0]?.message ?? "")).toMatchObject({
      kargoShipmentId: String(id),
      kargoPalletId: "1",
      LPN: ["P-1"],
      SKUs: ["SKU-1"]
    })
    expect(yield* refusalOf(query, { input: { ...input, since: "then" } })).toEqual([
      "INVALID_REQUEST input.since"
    ])
    expect(yield* refusalOf(query, { input: { ...input, businessSlug: "none" } })).toEqual([
      "BUSINESS_NOT_FOUND Unknown business: none"
    ])
  })
})

describe("D10.2 clients of another business", () => {
  // @threat tenants.3
  test("see nothing, and change nothing", function*() {
    const id = yield* dockShipment
    const { orders: [order] } = yield* Effect.flatMap(
      Shipments,
      (shipments) => shipments.get(String(id), sessionOf("acme-client").principal)
    )
    const place = { businessSlug: "acme", facilitySlug: "east" }
    const stranger = (query: string, variables: Record<string, unknown>) =>
      Effect.map(refusalOf(query, variables, "globex-client"), ([refusal = "none"]) => refusal.split(" ")[0])
    expect(yield* dataOf("{ businesses { slug } }", {}, "globex-client")).toEqual({
      businesses: [{
        slug: "globex"
      }]
    })
    expect(yield* stranger("query ($id: Int!) { shipment(id: $id) { id } }", { id })).toBe(
      "SHIPMENT_NOT_FOUND"
    )
    const own = `query ($id: Int!) { businesses { facilities { shipment(id: $id) { id } } } }`
    expect(yield* stranger(own, { id })).toBe("SHIPMENT_NOT_FOUND")
    const input = { since: "2020-01-01T00:00:00Z", businessSlug: "acme" }
    const messages = "query ($input: PushMessageFilter!) { pushMessages(input: $input) { id } }"
    expect(yield* stranger(messages, { input })).toBe("FORBIDDEN")
    const items = [{ quantityUnit: "UNIT", sku: "S" }]
    const writes: ReadonlyArray<readonly [string, string, object, string]> = [
      [
        "updateShipment",
        "success",
        { ...place, shipmentNumber: "T-1", direction: "RECEIVING" },
        "FORBIDDEN"
      ],
      [
        "createOrder",
        "success",
        { ...place, orderNumber: "O-3", direction: "INBOUND", items },
        "FORBIDDEN"
      ],
      [
        "createOrUpdateOrder",
        "success",
        { ...place, orderNumber: "O-1", direction: "INBOUND", items },
        "FORBIDDEN"
      ],
      ["addItemsToOrder", "success", { id: order?.id, items }, "INVALID_REQUEST"],
      ["deleteItemsFromOrder", "success", { id: order?.id, identifiers: ["P-1"] }, "INVALID_REQUEST"],
      [
        "createException",
        "exceptionId",
        { shipmentId: id, customerExceptionDescription: "x" },
        "SHIPMENT_NOT_FOUND"
      ],
      ["processPayload", "success", { ...place, payload: {} }, "FORBIDDEN"]
    ]
    const inputs: Readonly<Record<string, string>> = {
      createOrder: "OrderInput",
      createOrUpdateOrder: "OrderInput"
    }
    for (const [name, field, input, refusal] of writes) {
      const type = inputs[name] ?? `${name.charAt(0).toUpperCase()}${name.slice(1)}Input`
      const mutation = `mutation ($input: ${type}!) { ${name}(input: $input) { ${field} } }`
      expect(`${name} ${yield* stranger(mutation, { input })}`).toBe(`${name} ${refusal}`)
    }
  })
})
