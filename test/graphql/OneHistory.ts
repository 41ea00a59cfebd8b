/**
 * One history of a service, told step by step over REST or over GraphQL (D6, D8.4).
 */
import { assert } from "@effect/vitest"
import { xml } from "../http/Sample.ts"
import type { Operation } from "../support/GraphqlServer.ts"
import type { DemoClient } from "../support/TestServer.ts"
import * as Sample from "./Sample.ts"

/** Named values. */
export type Fields = Readonly<Record<string, unknown>>

/** One step of the history, as either interface is told of it. */
export interface Step {
  readonly name: string
  readonly client: DemoClient
  readonly rest: readonly [method: string, path: string, body?: unknown]
  readonly graphql: Operation | FormData
  /** From the data of GraphQL to what REST answers with, where that is not the field itself. */
  readonly toRest?: (value: Fields) => unknown
  /** The code of the refusal, alike over both; or what GraphQL's own types refuse, which have no code of ours. */
  readonly refused?: string | "by type"
}

const document = (fields: Fields = {}): Fields => ({
  ...Sample.document("O-1"),
  expectedArrivalAt: at(9),
  ...fields
})

const at = (hour: number) => `2026-11-20T${String(hour).padStart(2, "0")}:00:00.000Z`

const everyItemField: Fields = {
  identifier: "I-1",
  lpn: "L-9",
  sku: "S-9",
  quantity: 2.5,
  quantityUnit: "PALLET",
  purchaseOrder: "P-9",
  description: "Äpfel & \"Birnen\"",
  upc: "0123",
  weightPerUnit: 1.25,
  weightUnit: "KILOGRAM",
  height: 1,
  length: 2,
  width: 3,
  dimensionUnit: "METER",
  isDangerousGood: true,
  lot: "LOT",
  expirationDate: "2027-01-31",
  manufacturingDate: "2026-01-31",
  caseSerials: [{ id: "C-1", quantity: 4_000_000_000 }]
}

const everyOrderField: Fields = {
  orderType: "T",
  purchaseOrder: "P",
  consigneeName: "N",
  consigneePhoneNumber: "+1",
  bolNumber: "B",
  expectedQuantity: 5_000_000_000,
  sealNumber: "SE",
  supplier: "SU",
  client: "CL",
  destination: "DE"
}

const submitted = (name: string, input: Fields, more: Partial<Step> = {}): Step => ({
  name: `submitDocument: ${name}`,
  client: "acme-client",
  rest: ["POST", "/v1/documents", input],
  graphql: Sample.submit(input),
  ...more
})

const pallet = (name: string, fields: Fields, more: Partial<Step> = {}): Step => {
  const input = {
    eventId: "E-1",
    business: "acme",
    facility: "east",
    dockSlug: "D1",
    direction: "LOADING",
    occurredAt: at(10),
    labels: [{ name: "lpn", value: "O-1-L" }, { name: "sku", value: "SKU" }],
    ...fields
  }
  return {
    name: `recordPalletEvent: ${name}`,
    client: "tower",
    rest: ["POST", "/v1/pallet-events", input],
    graphql: Sample.recordPallet(input),
    ...more
  }
}

const steps = {
  arrive: Sample.arriveShipment,
  depart: Sample.departShipment,
  link: Sample.linkShipments,
  cancel: Sample.cancelShipment
}

const step = (
  kind: keyof typeof steps,
  name: string,
  id: number,
  input: Fields,
  more: Partial<Step> = {}
): Step => ({
  name: `${kind}: ${name}`,
  client: "tower",
  rest: ["POST", `/v1/shipments/${id}/${kind}`, input],
  graphql: steps[kind]({ shipmentId: id, ...input }),
  ...more
})

const read = (name: string, id: number, more: Partial<Step> = {}): Step => ({
  name: `shipment: ${name}`,
  client: "acme-client",
  rest: ["GET", `/v1/shipments/${id}`],
  graphql: Sample.readShipment(id),
  ...more
})

interface Connection {
  readonly nodes: ReadonlyArray<Fields>
  readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string | null }
}

const pageOf = (value: Fields): unknown => {
  const { nodes, pageInfo } = value as Fields & Connection
  assert.strictEqual(pageInfo.hasNextPage, pageInfo.endCursor !== null)
  return { items: nodes, next: pageInfo.endCursor }
}

const queryOf = ({ first, ...variables }: Fields): string =>
  new URLSearchParams(
    Object.entries({ ...variables, ...(first === undefined ? {} : { limit: first }) })
      .map(([name, value]) => [name, String(value)])
  ).toString()

const lists = {
  shipments: Sample.listShipments,
  orders: Sample.listOrders,
  pallets: Sample.listPallets,
  exceptions: Sample.listExceptions
}

const palletsOf = (name: string, id: number, page: Fields, more: Partial<Step> = {}): Step => ({
  name: `pallets of a shipment: ${name}`,
  client: "acme-client",
  rest: ["GET", `/v1/shipments/${id}/pallets?${queryOf(page)}`],
  graphql: Sample.shipmentPallets({ id, ...page }),
  toRest: ({ pallets }) => pageOf(pallets as Fields),
  ...more
})

const itemsOf = (name: string, id: number, filter: Fields, more: Partial<Step> = {}): Step => ({
  name: `items: ${name}`,
  client: "acme-client",
  rest: ["GET", `/v1/shipments/${id}/items?${queryOf(filter)}`],
  graphql: Sample.items({ id, ...filter }),
  toRest: ({ items }) => pageOf(items as Fields),
  ...more
})

const discrepanciesOf = (name: string, id: number, page: Fields): Step => ({
  name: `discrepancies: ${name}`,
  client: "acme-client",
  rest: ["GET", `/v1/shipments/${id}/discrepancies?${queryOf(page)}`],
  graphql: Sample.discrepancies({ id, ...page }),
  toRest: ({ discrepancies }) => pageOf(discrepancies as Fields)
})

const exceptionsOf = (name: string, id: number, page: Fields, more: Partial<Step> = {}): Step => ({
  name: `exceptions: ${name}`,
  client: "acme-client",
  rest: ["GET", `/v1/shipments/${id}/exceptions?${queryOf(page)}`],
  graphql: Sample.shipmentExceptions({ id, ...page }),
  toRest: ({ exceptions }) => pageOf(exceptions as Fields),
  ...more
})

const reported = (name: string, shipmentId: number, fields: Fields, more: Partial<Step> = {}): Step => {
  const input = { kind: "DAMAGED", priority: "HIGH", description: "Crushed", ...fields }
  return {
    name: `reportException: ${name}`,
    client: "acme-client",
    rest: ["POST", `/v1/shipments/${shipmentId}/exceptions`, input],
    graphql: Sample.reportException({ shipmentId, ...input }),
    toRest: ({ id }) => ({ exceptionId: id }),
    ...more
  }
}

const list = (
  kind: keyof typeof lists,
  name: string,
  variables: Fields,
  more: Partial<Step> = {}
): Step => ({
  name: `${kind}: ${name}`,
  client: "acme-client",
  rest: ["GET", `/v1/${kind}?${queryOf(variables)}`],
  graphql: lists[kind](variables),
  toRest: pageOf,
  ...more
})

const uploaded = (name: string, input: Fields, more: Partial<Step> = {}): Step => {
  const form = new FormData()
  form.append("operations", JSON.stringify(Sample.upload()))
  form.append("input.file", new File([xml(input)], "a.xml", { type: "application/xml" }))
  return {
    name: `uploadDocument: ${name}`,
    client: "acme-client",
    rest: ["POST", "/v1/documents", xml(input)],
    graphql: form,
    ...more
  }
}

const several: Fields = {
  business: "acme",
  facility: "east",
  direction: "INBOUND",
  shipmentNumber: "S-2",
  expectedArrivalAt: at(8),
  trailerNumber: "TR",
  dockSlug: "D2",
  carrier: "CA",
  driverName: "Ann",
  driverLicenseNumber: "LN",
  driverLicensePlate: "LP",
  additionalFields: [{ name: "gate", value: "4" }],
  orders: [
    { orderNumber: "O-2", ...everyOrderField, items: [everyItemField] },
    { orderNumber: "O-3", orderItemUpdateStrategy: "MERGE", items: [{ lpn: "L-3", sku: "S-3" }] }
  ]
}

const itemOf = (fields: Fields) => ({
  lpn: "O-1-L",
  sku: "SKU",
  quantity: 1,
  quantityUnit: "CASE",
  ...fields
})

/** The history; ids of shipments are those that the services gave them. */
export const historyOf = (idOf: (shipmentNumber: string) => number): ReadonlyArray<Step> => [
  submitted("a dry run", document(), {
    rest: ["POST", "/v1/documents?dryRun=true", document()],
    graphql: Sample.submit(document(), true)
  }),
  submitted("a new order", document()),
  submitted("the same again", document()),
  submitted("several orders with every field", several),
  submitted("MERGE", document({ orderItemUpdateStrategy: "MERGE", items: [itemOf({ quantity: 7 })] })),
  submitted("another facility", document({ facility: "west", orderNumber: "O-W" })),
  submitted("another business", document({ business: "globex", facility: "main", orderNumber: "O-G" }), {
    client: "globex-client"
  }),
  uploaded("XML", document({ orderItemUpdateStrategy: "APPEND", items: [itemOf({ lpn: "X" })] })),
  submitted("DELETE", document({ orderItemUpdateStrategy: "DELETE", items: [{ lpn: "X", sku: "SKU" }] })),

  submitted(
    "APPEND of an item that is there",
    document({ orderItemUpdateStrategy: "APPEND", items: [itemOf({})] }),
    {
      refused: "DUPLICATE_ORDER_ITEM_KEY"
    }
  ),
  submitted("an item twice", document({ items: [itemOf({}), itemOf({})] }), {
    refused: "DUPLICATE_ITEM_IN_REQUEST"
  }),
  submitted("an order twice", { ...several, orders: [{ orderNumber: "O" }, { orderNumber: "O" }] }, {
    refused: "DUPLICATE_ORDER_IN_REQUEST"
  }),
  submitted("the other direction", document({ direction: "INBOUND" }), { refused: "SHIPMENT_CONFLICT" }),
  submitted("no such direction", document({ direction: "SIDEWAYS" }), { refused: "INVALID_DOCUMENT" }),
  submitted("no such strategy", document({ orderItemUpdateStrategy: "append" }), {
    refused: "INVALID_DOCUMENT"
  }),
  submitted("missing item fields", document({ items: [{ lpn: "L" }, { sku: "S" }] }), {
    refused: "INVALID_DOCUMENT"
  }),
  submitted("an empty order number", document({ orderNumber: "" }), { refused: "INVALID_DOCUMENT" }),
  submitted("a negative number", document({ expectedQuantity: -1 }), { refused: "INVALID_DOCUMENT" }),
  submitted("a bad date", document({ items: [itemOf({ expirationDate: "2026-02-30" })] }), {
    refused: "INVALID_DOCUMENT"
  }),
  submitted("a text that is too long", document({ carrier: "x".repeat(1025) }), {
    refused: "INVALID_DOCUMENT"
  }),
  submitted("both shapes", { ...several, orderNumber: "O-2" }, { refused: "INVALID_DOCUMENT" }),
  submitted("an unknown dock", document({ dockSlug: "D9" }), { refused: "UNKNOWN_DOCK" }),
  submitted("an unknown business", document({ business: "initech" }), { refused: "BUSINESS_NOT_FOUND" }),
  submitted("an unknown facility", document({ facility: "north" }), { refused: "FACILITY_NOT_FOUND" }),
  submitted("another's business", document({ business: "globex", facility: "main" }), {
    refused: "FORBIDDEN"
  }),
  submitted("another facility's", document({ facility: "west" }), {
    client: "acme-east-client",
    refused: "FORBIDDEN"
  }),
  submitted("by the tower", document(), { client: "tower", refused: "FORBIDDEN" }),
  submitted("an unknown field", document({ ordrType: "x" }), { refused: "by type" }),
  submitted("a number as text", document({ orderNumber: 5 }), { refused: "by type" }),
  submitted("a text as number", document({ items: [itemOf({ quantity: "5" })] }), { refused: "by type" }),
  submitted("a missing business", { orderNumber: "O", facility: "east", direction: "OUTBOUND" }, {
    refused: "by type"
  }),
  uploaded("XML that is not valid", document({ direction: "SIDEWAYS" }), { refused: "INVALID_DOCUMENT" }),

  pallet("by lpn", {}),
  pallet("the same again", {}),
  pallet("of a given shipment, without labels", { eventId: "E-2", shipmentId: idOf("S-2"), labels: [] }),
  pallet("at another time zone", {
    eventId: "E-3",
    shipmentNumber: "S-2",
    occurredAt: "2026-11-20T12:00:00+01:00"
  }),
  pallet("the id with other content", { direction: "UNLOADING" }, { refused: "EVENT_ID_REUSED" }),
  pallet("no match", { eventId: "E-9", facility: "west", labels: [] }, { refused: "PALLET_NOT_MATCHED" }),
  pallet("an unknown dock", { eventId: "E-9", dockSlug: "D9" }, { refused: "UNKNOWN_DOCK" }),
  pallet("an unknown shipment", { eventId: "E-9", shipmentId: 999 }, { refused: "SHIPMENT_NOT_FOUND" }),
  pallet("a shipment elsewhere", { eventId: "E-9", shipmentId: idOf("O-W") }, {
    refused: "SHIPMENT_NOT_FOUND"
  }),
  pallet("shipmentId beside shipmentNumber", {
    eventId: "E-9",
    shipmentId: idOf("O-1"),
    shipmentNumber: "O-1"
  }, {
    refused: "INVALID_REQUEST"
  }),
  pallet("an empty id", { eventId: "" }, { refused: "INVALID_REQUEST" }),
  pallet("too many labels", {
    eventId: "E-9",
    labels: Array.from({ length: 201 }, () => ({ name: "n", value: "" }))
  }, { refused: "INVALID_REQUEST" }),
  pallet("an unknown facility", { eventId: "E-9", facility: "north" }, { refused: "FACILITY_NOT_FOUND" }),
  pallet("by a customer", { eventId: "E-9" }, { client: "acme-client", refused: "FORBIDDEN" }),
  pallet("no such direction", { eventId: "E-9", direction: "SIDEWAYS" }, { refused: "by type" }),
  pallet("a bad time", { eventId: "E-9", occurredAt: "soon" }, { refused: "by type" }),

  step("link", "two shipments", idOf("O-1"), { linkedShipmentId: idOf("S-2") }),
  step("link", "again", idOf("S-2"), { linkedShipmentId: idOf("O-1") }),
  step("link", "itself", idOf("O-1"), { linkedShipmentId: idOf("O-1") }, { refused: "INVALID_REQUEST" }),
  step("link", "an unknown one", idOf("O-1"), { linkedShipmentId: 999 }, { refused: "SHIPMENT_NOT_FOUND" }),
  step("link", "another business's", idOf("O-1"), { linkedShipmentId: idOf("O-G") }, {
    refused: "SHIPMENT_NOT_FOUND"
  }),
  step("depart", "what has not arrived", idOf("O-W"), {}, { refused: "INVALID_TRANSITION" }),
  step("arrive", "at a time and dock", idOf("O-W"), { occurredAt: at(11), dockSlug: "D1" }),
  step("arrive", "again", idOf("O-W"), { occurredAt: at(12) }),
  step("arrive", "at an unknown dock", idOf("O-G"), { dockSlug: "D9" }, { refused: "UNKNOWN_DOCK" }),
  step("arrive", "an unknown one", 999, {}, { refused: "SHIPMENT_NOT_FOUND" }),
  step("arrive", "by a customer", idOf("O-G"), {}, { client: "globex-client", refused: "FORBIDDEN" }),
  step("arrive", "by a stranger", idOf("O-G"), {}, { client: "acme-client", refused: "SHIPMENT_NOT_FOUND" }),
  step("depart", "at a time", idOf("O-1"), { occurredAt: at(13) }),
  step("depart", "again", idOf("O-1"), {}),
  step("arrive", "what has departed", idOf("O-1"), { occurredAt: at(14) }, { refused: "INVALID_TRANSITION" }),
  pallet("of a departed shipment", { eventId: "E-9", shipmentId: idOf("O-1") }, {
    refused: "SHIPMENT_DEPARTED"
  }),
  submitted("to a departed shipment", document({ carrier: "other" }), { refused: "SHIPMENT_CONFLICT" }),

  step("cancel", "what has departed", idOf("O-1"), {}, { refused: "INVALID_TRANSITION" }),
  step("cancel", "what is scheduled, as a customer", idOf("O-G"), {}, { client: "globex-client" }),
  step("cancel", "again", idOf("O-G"), {}),
  step("arrive", "what is cancelled", idOf("O-G"), {}, { refused: "INVALID_TRANSITION" }),

  read("departed", idOf("O-1")),
  read("with every field", idOf("S-2")),
  read("unknown", 999, { refused: "SHIPMENT_NOT_FOUND" }),
  read("a stranger's", idOf("O-G"), { refused: "SHIPMENT_NOT_FOUND" }),
  read("by the operator", idOf("O-G"), { client: "operator" }),
  list("shipments", "all", {}),
  list("shipments", "a page", { first: 1 }),
  list("shipments", "the next", { first: 1, after: String(idOf("O-1")) }),
  list("shipments", "by number and status", { shipmentNumber: "O-1", status: "DEPARTED" }),
  list("shipments", "of another's business", { business: "globex" }, { refused: "FORBIDDEN" }),
  list("shipments", "of an unknown facility", { business: "acme", facility: "north" }, {
    refused: "FACILITY_NOT_FOUND"
  }),
  list("shipments", "too many", { first: 101 }, { refused: "any" }),
  list("shipments", "none", { first: 0 }, { refused: "any" }),
  list("shipments", "after nothing", { after: "x" }, { refused: "any" }),
  list("shipments", "a facility without business", { facility: "east" }),
  list("orders", "all", {}),
  list("orders", "a page", { first: 2 }),
  list("orders", "by number", { business: "acme", orderNumber: "O-2" }),
  list("orders", "of another's business", { business: "globex" }, { refused: "FORBIDDEN" }),
  list("pallets", "by lpn", { lpn: "O-1-L" }),
  list("pallets", "none", { lpn: "O-1-L", business: "acme", facility: "west" }),
  list("pallets", "of another's business", { lpn: "O-1-L", business: "globex" }, { refused: "FORBIDDEN" }),
  itemsOf("all", idOf("S-2"), {}),
  itemsOf("a page", idOf("S-2"), { first: 1 }),
  itemsOf("by a text", idOf("S-2"), { find: "-l" }),
  itemsOf("not seen", idOf("S-2"), { unseen: true }),
  itemsOf("of an order that is elsewhere", idOf("S-2"), { orderId: "999999" }),
  itemsOf("of a stranger's shipment", idOf("O-G"), {}, { refused: "SHIPMENT_NOT_FOUND" }),
  discrepanciesOf("all", idOf("S-2"), {}),
  discrepanciesOf("a page", idOf("S-2"), { first: 1 }),
  discrepanciesOf("the next", idOf("S-2"), { first: 1, after: "1" }),
  reported("of a departed shipment", idOf("O-1"), {}),
  reported("by a tower", idOf("O-1"), { kind: "SHORT", priority: "LOW" }, { client: "tower" }),
  reported("without words", idOf("O-1"), { description: "" }, { refused: "INVALID_REQUEST" }),
  reported("of no such kind", idOf("O-1"), { kind: "BROKEN" }, { refused: "by type" }),
  reported("of a pallet that nobody has seen", idOf("O-1"), { lpn: "never-seen", kind: "SHORT" }),
  reported("of an unknown pallet", idOf("O-1"), { palletId: "999999" }, { refused: "PALLET_NOT_FOUND" }),
  reported("by the operator", idOf("O-1"), {}, { client: "operator", refused: "FORBIDDEN" }),
  reported("of a stranger's shipment", idOf("O-G"), {}, { refused: "SHIPMENT_NOT_FOUND" }),
  {
    name: "resolveException: unknown",
    client: "acme-client",
    rest: ["POST", `/v1/shipments/${idOf("O-1")}/exceptions/999999/resolve`, { note: "Done" }],
    graphql: Sample.resolveException({ shipmentId: idOf("O-1"), exceptionId: "999999", note: "Done" }),
    refused: "EXCEPTION_NOT_FOUND"
  },
  list("exceptions", "all", {}),
  list("exceptions", "that are open and urgent", { business: "acme", status: "OPEN", priority: "HIGH" }),
  list("exceptions", "a page", { business: "acme", facility: "east", first: 1 }),
  list("exceptions", "of another's business", { business: "globex" }, { refused: "FORBIDDEN" }),
  exceptionsOf("all", idOf("O-1"), {}),
  exceptionsOf("a page", idOf("O-1"), { first: 1 }),
  exceptionsOf("a stranger's", idOf("O-G"), {}, { refused: "SHIPMENT_NOT_FOUND" }),
  palletsOf("all", idOf("O-1"), {}),
  palletsOf("a page", idOf("S-2"), { first: 1 }),
  palletsOf("too many", idOf("S-2"), { first: 101 }, { refused: "any" }),
  palletsOf("a stranger's", idOf("O-G"), {}, { refused: "SHIPMENT_NOT_FOUND" }),
  {
    name: "pallet: unknown",
    client: "acme-client",
    rest: ["GET", `/v1/shipments/${idOf("O-1")}/pallets/999999`],
    graphql: Sample.readPallet({ shipmentId: idOf("O-1"), id: "999999" }),
    refused: "PALLET_NOT_FOUND"
  }
]
