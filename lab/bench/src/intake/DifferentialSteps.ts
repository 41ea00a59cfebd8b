/**
 * The documents that both servers must answer alike, in this order: each strategy, remapping, conflicts, refusals.
 */
import { documentOf, strategies } from "./Documents.ts"

/** A request, or a change of the tables that no request can make yet. */
export type Step =
  | { readonly name: string; readonly body: string }
  | { readonly name: string; readonly statement: string }

const base = { business: "acme", facility: "east", direction: "OUTBOUND" }

const item = (lpn: string, fields: Record<string, unknown> = {}) => ({
  lpn,
  sku: "S-1",
  quantity: 3,
  quantityUnit: "CASE",
  ...fields
})

const send = (name: string, document: Record<string, unknown>): Step => ({
  name,
  body: JSON.stringify({ ...base, ...document })
})

/** Documents that are taken: 200 or 201. */
export const accepted: ReadonlyArray<Step> = [
  ...strategies.flatMap((strategy) =>
    ([0, 1, 1] as const).map((variant): Step => ({
      name: `the benchmark's own ${strategy}, variant ${variant}`,
      body: JSON.stringify({ ...documentOf(0, 0, variant, strategy), orderNumber: "D-0" })
    }))
  ),
  send("a new order without items", { orderNumber: "D-1" }),
  send("default strategy", { orderNumber: "D-1", items: [item("P1"), item("P2")] }),
  send("APPEND", {
    orderNumber: "D-1",
    orderItemUpdateStrategy: "APPEND",
    items: [item("P3", { quantity: 0 })]
  }),
  send("MERGE of one, one new, one unchanged", {
    orderNumber: "D-1",
    orderItemUpdateStrategy: "MERGE",
    items: [
      {
        lpn: "P2",
        sku: "S-1",
        quantity: 0,
        lot: "L",
        isDangerousGood: true,
        caseSerials: [{ id: "C", quantity: 2 }]
      },
      { lpn: "P4", sku: "S-1" },
      { lpn: "P1", sku: "S-1", quantity: 3, quantityUnit: "" }
    ]
  }),
  send("MERGE leaves what is empty", {
    orderNumber: "D-1",
    orderItemUpdateStrategy: "MERGE",
    items: [{
      lpn: "P2",
      sku: "S-1",
      lot: "",
      isDangerousGood: false,
      caseSerials: [],
      expirationDate: "2027-02-28"
    }]
  }),
  send("DELETE", {
    orderNumber: "D-1",
    orderItemUpdateStrategy: "DELETE",
    items: [{ lpn: "P3", sku: "S-1" }, { lpn: "P9", sku: "S-1" }]
  }),
  send("DELETE of nothing", {
    orderNumber: "D-1",
    orderItemUpdateStrategy: "DELETE",
    items: [{ lpn: "P3", sku: "S-1" }]
  }),
  send("OVERWRITE with identifiers and case", {
    orderNumber: "D-1",
    items: [item("P1", { identifier: "first" }), item("p1"), item("001"), item("1")]
  }),
  send("shipment fields and drivers", {
    orderNumber: "D-1",
    expectedArrivalAt: "2026-11-24T06:30:00.1234+01:00",
    trailerNumber: "T",
    dockSlug: "D2",
    driverName: "A",
    carrier: "C",
    additionalFields: [{ name: "x", value: "1" }, { name: "y", value: "" }, {
      name: "driverName",
      value: "B"
    }]
  }),
  send("fields that are empty or zero change nothing", {
    orderNumber: "D-1",
    trailerNumber: "",
    carrier: null,
    expectedQuantity: 0,
    additionalFields: [{ name: "x", value: "" }]
  }),
  send("order fields", { orderNumber: "D-1", expectedQuantity: 12, supplier: "S", purchaseOrder: "PO" }),
  send("several orders of one shipment", {
    shipmentNumber: "S-1",
    supplier: "shared",
    orders: [
      { orderNumber: "D-2", items: [item("Q1")] },
      { orderNumber: "D-3", supplier: "own", items: [item("Q2")], orderItemUpdateStrategy: "APPEND" }
    ]
  }),
  send("one of several orders", { shipmentNumber: "S-1", orderNumber: "D-2", items: [item("Q3")] }),
  send("a remapped order", {
    shipmentNumber: "S-2",
    orderNumber: "D-2",
    orderItemUpdateStrategy: "APPEND",
    items: [item("Q4")]
  }),
  send("the same number inbound is another order", {
    shipmentNumber: "S-3",
    orderNumber: "D-2",
    direction: "INBOUND"
  }),
  {
    name: "S-1 has arrived",
    statement: "update dockline.shipment set status = 'ARRIVED', arrived_at = now() where number = 'S-1'"
  },
  send("an order of an arrived shipment is not remapped", { shipmentNumber: "S-4", orderNumber: "D-3" }),
  {
    name: "S-2 and S-4 are linked",
    statement: `insert into dockline.shipment_link
    select a.business_id, a.id, b.id from dockline.shipment a, dockline.shipment b where a.number = 'S-2' and b.number = 'S-4'`
  },
  send("an order of a linked shipment is not remapped", { shipmentNumber: "S-5", orderNumber: "D-2" }),
  {
    name: "S-1 has departed",
    statement: "update dockline.shipment set status = 'DEPARTED', departed_at = now() where number = 'S-1'"
  },
  send("a departed shipment that nothing changes", { shipmentNumber: "S-1", orderNumber: "D-3" }),
  send("a number of 600 characters", { orderNumber: "N".repeat(600), items: [item("L".repeat(600))] }),
  send("the same number once more", { orderNumber: "N".repeat(600), items: [item("L".repeat(600))] }),
  send("characters beyond ASCII", {
    orderNumber: "Ü-😀",
    items: [item("ß", { description: "\"\\ \u0001 😀" })]
  }),
  send("40 orders lock the facility", {
    shipmentNumber: "S-40",
    orders: Array.from(
      { length: 40 },
      (_, index) => ({ orderNumber: `F-${index}`, items: [item(`F${index}`)] })
    )
  })
]

/** Documents that are refused: 4xx. */
export const refused: ReadonlyArray<Step> = [
  send("APPEND of what is there", {
    orderNumber: "D-1",
    orderItemUpdateStrategy: "APPEND",
    items: [item("P1")]
  }),
  send("an item twice", { orderNumber: "D-1", items: [item("P1"), item("P1")] }),
  send("an order twice", { shipmentNumber: "S-6", orders: [{ orderNumber: "A" }, { orderNumber: "A" }] }),
  send("the other direction", { orderNumber: "D-1", direction: "INBOUND" }),
  send("a departed shipment", { shipmentNumber: "S-1", orderNumber: "D-3", items: [item("Z")] }),
  send("an unknown dock", { orderNumber: "D-1", dockSlug: "D9" }),
  send("an unknown business", { business: "nobody", orderNumber: "D-1" }),
  send("an unknown facility", { facility: "nowhere", orderNumber: "D-1" }),
  send("a business of others", { business: "globex", facility: "main", orderNumber: "D-1" }),
  send("an unknown facility of others", { business: "globex", facility: "nowhere", orderNumber: "D-1" }),
  send("no order number", {}),
  send("no shipment number", { orders: [{ orderNumber: "A" }] }),
  send("no orders", { shipmentNumber: "S", orders: [] }),
  send("both shapes", { shipmentNumber: "S", orderNumber: "A", orders: [{ orderNumber: "A" }] }),
  send("missing item fields", {
    orderNumber: "A",
    items: [{ lpn: "P" }, { lpn: "", sku: "S", quantity: 1 }]
  }),
  send("MERGE without sku", { orderNumber: "A", orderItemUpdateStrategy: "MERGE", items: [{ lpn: "P" }] }),
  send("an unknown field", { orderNumber: "A", ordernumber: "A" }),
  send("an unknown field of an item", { orderNumber: "A", items: [item("P", { color: "red" })] }),
  send("wrong types", { orderNumber: 5, items: [item("P", { quantity: "5", isDangerousGood: "no" })] }),
  send("null in a list", { orderNumber: "A", items: [null] }),
  send("bad words", { orderNumber: "A", direction: "UP", items: [item("P", { quantityUnit: "case" })] }),
  send("bad numbers", { orderNumber: "A", expectedQuantity: 1.5, items: [item("P", { quantity: -1 })] }),
  send("a large number", { orderNumber: "A", items: [item("P", { height: 2 ** 53 })] }),
  send("bad dates", {
    orderNumber: "A",
    expectedArrivalAt: "tomorrow",
    items: [item("P", { expirationDate: "2026-02-30", manufacturingDate: "20260101" })]
  }),
  send("long text", { orderNumber: "A", carrier: "x".repeat(1025) }),
  send("NUL", { orderNumber: "A\0" }),
  send("a lone surrogate", { orderNumber: "A", supplier: "\ud800" }),
  { name: "no JSON", body: "{\"business\":" },
  { name: "a list", body: "[]" }
]
