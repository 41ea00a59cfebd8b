/**
 * Generated documents, orders and histories. Keys, numbers and values come from small pools, so that documents meet
 * each other's orders and items often, and every value that says nothing (`""`, 0, `false`, `[]`) comes up often.
 */
import * as fc from "fast-check"
import type { Document } from "../Document.ts"
import { emptyOrderFields, orderFieldNames } from "../Order.ts"
import type { Order } from "../Order.ts"
import { itemKey } from "../OrderItem.ts"
import type { OrderItem } from "../OrderItem.ts"
import type { Snapshot } from "../Plan.ts"
import type { Shipment } from "../Shipment.ts"
import { driverFieldNames } from "../Shipment.ts"
import { shipmentStatuses } from "../Vocabulary.ts"
import { anOrder, aShipment, aSnapshot, without } from "./Given.ts"
import { read } from "./Reading.ts"

/**
 * How often a law is tried: `count` times by default, more often with `LAW_FACTOR` set. A law that fails prints the
 * seed and path that show it again.
 */
export const runs = (count: number): { readonly numRuns: number } => ({
  numRuns: count * Number(process.env["LAW_FACTOR"] ?? 1)
})

type Raw = Readonly<Record<string, unknown>>

export const strategyNames = ["APPEND", "MERGE", "DELETE", "OVERWRITE"] as const

/** Free text: often empty, often one of two, else any text a document may hold. */
const text: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom("", "a", "b"),
  fc.string({ unit: "grapheme", maxLength: 6 }),
  fc.string({ unit: "binary", maxLength: 6 }).filter((text) => text.isWellFormed() && !text.includes("\0"))
)

const name = text.filter((text) => text !== "")
const amount = fc.oneof(fc.constantFrom(0, 1, 2.5, Number.MAX_SAFE_INTEGER), fc.nat(100))
const wholeAmount = fc.oneof(fc.constantFrom(0, 1, Number.MAX_SAFE_INTEGER), fc.nat(100))
const lpn = fc.constantFrom("L1", "L2", "l1", "L01", "000123")
const sku = fc.constantFrom("S1", "S2", "s1")
const orderNumber = fc.constantFrom("O1", "O2", "O3")
const shipmentNumber = fc.constantFrom("S1", "S2", "O1")
const date = fc.constantFrom("", "2026-11-20", "2024-02-29")
const dateTime = fc.constantFrom(
  "",
  "2026-11-21T17:00:00Z",
  "2026-12-24T18:00:00.25+05:30",
  "2026-12-24T18:00:00"
)
const strategy = fc.constantFrom(...strategyNames)

/** A record with some, none or all of the fields, `null` among their values. */
const optional = (fields: Record<string, fc.Arbitrary<unknown>>): fc.Arbitrary<Raw> =>
  fc.record(
    Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, fc.option(value, { freq: 6 })])),
    { requiredKeys: [] }
  )

const itemFields = {
  identifier: text,
  purchaseOrder: text,
  description: text,
  upc: text,
  weightPerUnit: amount,
  weightUnit: fc.constantFrom("", "GRAM", "POUND"),
  height: amount,
  length: amount,
  width: amount,
  dimensionUnit: fc.constantFrom("", "INCH", "METER"),
  isDangerousGood: fc.boolean(),
  lot: text,
  expirationDate: date,
  manufacturingDate: date,
  caseSerials: fc.array(
    fc.tuple(name, optional({ quantity: wholeAmount })).map(([id, rest]): Raw => ({ ...rest, id })),
    { maxLength: 2 }
  )
}

/** An item as JSON, fit for every strategy. */
const rawItem: fc.Arbitrary<Raw> = fc
  .tuple(
    optional(itemFields),
    fc.record({ lpn, sku, quantity: amount, quantityUnit: fc.constantFrom("CASE", "UNIT") })
  )
  .map(([rest, required]) => ({ ...rest, ...required }))

/** Items as JSON; `distinct` has no lpn + sku twice. */
const rawItems = (distinct: boolean): fc.Arbitrary<ReadonlyArray<Raw>> =>
  distinct
    ? fc.uniqueArray(rawItem, { maxLength: 4, selector: (item) => `${item["lpn"]} ${item["sku"]}` })
    : fc.array(rawItem, { maxLength: 3 })

const orderFields = Object.fromEntries(
  orderFieldNames
    .filter((name) => name !== "carrier")
    .map((name) => [name, name === "expectedQuantity" ? wholeAmount : text])
)

const rawOrder = (distinct: boolean): fc.Arbitrary<Raw> =>
  fc
    .tuple(
      optional({ ...orderFields, orderItemUpdateStrategy: strategy, items: rawItems(distinct) }),
      fc.record({ orderNumber })
    )
    .map(([rest, required]) => ({ ...rest, ...required }))

const shipmentFields = {
  expectedArrivalAt: dateTime,
  trailerNumber: text,
  dockSlug: fc.constantFrom("", "D1"),
  carrier: text,
  additionalFields: fc.array(
    fc.record({ name: fc.constantFrom("n", "driverName", "__proto__"), value: text }),
    {
      maxLength: 3
    }
  ),
  ...Object.fromEntries(driverFieldNames.map((name) => [name, text]))
}

const rawRequired = fc.record({
  business: fc.constant("acme"),
  facility: fc.constantFrom("east", "east", "west"),
  direction: fc.constantFrom("OUTBOUND", "OUTBOUND", "OUTBOUND", "INBOUND")
})

/** An item of a later order whose key an earlier one has is dropped. */
const withDistinctItems = (orders: ReadonlyArray<Raw>): ReadonlyArray<Raw> => {
  const seen = new Set<string>()
  const isNew = (item: Raw): boolean => {
    const key = `${item["lpn"]} ${item["sku"]}`
    return !seen.has(key) && seen.add(key).size > 0
  }
  return orders.map((order) =>
    Array.isArray(order["items"]) ? { ...order, items: order["items"].filter(isNew) } : order
  )
}

const rawDocumentsOf = (distinct: boolean): fc.Arbitrary<Raw> => {
  const single = fc
    .tuple(optional({ ...shipmentFields, shipmentNumber }), rawOrder(distinct), rawRequired)
    .map(([rest, order, required]): Raw => ({ ...rest, ...order, ...required }))
  const orders = distinct
    ? fc
      .uniqueArray(rawOrder(true), { minLength: 1, maxLength: 3, selector: (order) => order["orderNumber"] })
      .map(withDistinctItems)
    : fc.array(rawOrder(false), { minLength: 1, maxLength: 3 })
  const several = fc
    .tuple(
      optional({ ...shipmentFields, ...orderFields, orderItemUpdateStrategy: strategy }),
      fc.record({ shipmentNumber, orders }),
      rawRequired
    )
    .map(([rest, shape, required]): Raw => ({ ...rest, ...shape, ...required }))
  return fc.oneof(single, several)
}

/** Documents as JSON that the reader accepts, in both shapes; some name an order or an item twice. */
export const rawDocuments: fc.Arbitrary<Raw> = fc.oneof(
  { weight: 3, arbitrary: rawDocumentsOf(true) },
  { weight: 1, arbitrary: rawDocumentsOf(false) }
)

/** Documents that name no order and no item twice. */
export const documents: fc.Arbitrary<Document> = rawDocumentsOf(true).map((raw) => read(raw))

/** The items of a document: no lpn + sku twice. */
export const incomingItems = rawItems(true).map((items) =>
  read({ business: "acme", facility: "east", direction: "OUTBOUND", orderNumber: "O1", items }).orders[0]!
    .items
)

/** The items of an order, in id order, as data made elsewhere may be too: a part of the key may be empty. */
export const storedItems: fc.Arbitrary<ReadonlyArray<OrderItem>> = fc
  .tuple(incomingItems, fc.boolean(), fc.nat(5))
  .map(([items, withoutLpn, gap]) =>
    items
      .map((item, index) => (withoutLpn && index === 0 ? { ...item, lpn: "" } : item))
      .map((item, index) => ({ ...item, id: String(8 + index + gap * 1000) }))
  )

const storedOrder: fc.Arbitrary<Order> = fc
  .tuple(orderNumber, storedItems, fc.record(Object.fromEntries(orderFieldNames.map((name) => [name, text]))))
  .map(([number, items, fields]) =>
    anOrder("0", number, items, { ...emptyOrderFields, ...fields, expectedQuantity: items.length })
  )

const storedShipment: fc.Arbitrary<Shipment> = fc
  .record({
    status: fc.constantFrom(...shipmentStatuses, "SCHEDULED" as const),
    trailerNumber: text,
    carrier: text,
    additionalFields: fc.constantFrom([], [{ name: "n", value: "1" }]),
    orders: fc.uniqueArray(storedOrder, { maxLength: 3, selector: (order) => order.number })
  })
  .map((fields) => aShipment(fields))

/** Gives every order and every item of a snapshot an id of its own, in the order in which they stand. */
const numbered = (orders: ReadonlyArray<Order>, firstId: number): ReadonlyArray<Order> =>
  orders.map((order, index) => ({
    ...order,
    id: String(firstId + index),
    items: order.items.map((item, position) => ({ ...item, id: String((firstId + index) * 100 + position) }))
  }))

/** Snapshots of an outbound shipment S1 or none, and of orders elsewhere, several of one number among them. */
export const snapshots: fc.Arbitrary<Snapshot> = fc
  .tuple(
    fc.option(storedShipment),
    fc.array(
      fc.record({
        order: storedOrder,
        createdAt: fc.constantFrom("2026-11-18T00:00:00.000Z", "2026-11-19T00:00:00.000Z"),
        shipmentStatus: fc.constantFrom(...shipmentStatuses, "SCHEDULED" as const),
        shipmentIsLinked: fc.integer({ min: 0, max: 3 }).map((drawn) => drawn === 0)
      }),
      { maxLength: 6 }
    )
  )
  .map(([target, candidates]) => {
    const elsewhere = numbered(candidates.map(({ order }) => order), 7)
    return aSnapshot({
      dock: { id: 3, slug: "D1" },
      target: target === null ? null : { ...target, orders: numbered(target.orders, 95) },
      candidates: candidates.map((candidate, index) => ({
        ...candidate,
        order: elsewhere[index]!,
        shipmentId: 50 + index
      }))
    })
  })

/** Documents for the shipment of {@link snapshots}. */
export const documentsForS1 = documents.map((document): Document => ({
  ...document,
  direction: "OUTBOUND",
  facility: "east",
  shipmentNumber: "S1"
}))

/** One thing that happens at a facility. */
export type Step =
  | { readonly _tag: "Submit"; readonly document: Document }
  | { readonly _tag: "Alter"; readonly document: Document; readonly to: "ARRIVED" | "DEPARTED" | "LINKED" }

/** What happened at a facility: documents, and now and then a shipment that arrives, departs or is linked. */
export const histories: fc.Arbitrary<ReadonlyArray<Step>> = fc.array(
  fc.oneof(
    {
      weight: 4,
      arbitrary: rawDocuments.map((raw): Step => ({ _tag: "Submit", document: read(raw) }))
    },
    {
      weight: 1,
      arbitrary: fc
        .tuple(documents, fc.constantFrom("ARRIVED", "DEPARTED", "LINKED"))
        .map(([document, to]): Step => ({ _tag: "Alter", document, to }))
    }
  ),
  { minLength: 1, maxLength: 8 }
)

/** Writes a document as the JSON that reads as it. */
export const toJson = (document: Document): unknown => {
  const { additionalFields, expectedArrivalAt, orders, ...fields } = document
  const own = additionalFields.slice(0, -driverFieldNames.length)
  const driver = additionalFields.slice(-driverFieldNames.length)
  return {
    ...fields,
    ...Object.fromEntries(driver.map(({ name, value }) => [name, value])),
    additionalFields: own,
    expectedArrivalAt,
    orders: orders.map(({ strategy, fields, ...order }) => ({
      ...order,
      ...without(fields, "carrier"),
      orderItemUpdateStrategy: strategy
    }))
  }
}

/** Whether no two of the items have the same key. */
export const keysAreUnique = (items: ReadonlyArray<OrderItem>): boolean =>
  new Set(items.map(itemKey)).size === items.length
