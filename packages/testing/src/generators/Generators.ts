/**
 * Generators of documents, in the form in which clients write them and in the form in which they are read, and of the orders, items and
 * shipments that documents affect.
 *
 * Guarantee: all generated values are valid; invalid values are in `HostileInput.ts`. Texts, keys and numbers come from small pools, so
 * that generated values often coincide, and empty values (`""`, 0, `false`, `[]`) are frequent. A failing case shrinks to one order and one
 * item with short names, to the first value of each pool, and to the fields that matter.
 */
import type { Document } from "@dockline/core/document/Document"
import * as DocumentInput from "@dockline/core/document/DocumentInput"
import { defaultStrategies } from "@dockline/core/document/Strategy"
import type { Strategy } from "@dockline/core/document/Strategy"
import { unseenIn } from "@dockline/core/labels/Lpn"
import { driverFieldNames, itemFields, orderFields, shipmentFields } from "@dockline/core/shipment/Shipment"
import type { Order, OrderItem, OrderItemDraft, Shipment } from "@dockline/core/shipment/Shipment"
import { maxNumber } from "@dockline/core/values/Field"
import type * as Row from "@dockline/core/values/FieldTable"
import { defaultVocabulary, palletDirections, shipmentStatuses } from "@dockline/core/values/Vocabulary"
import { Result } from "effect"
import * as fc from "fast-check"
import { anOrder, aShipment, without } from "./Given.ts"

/** Names that have a meaning in objects of JavaScript, but not in documents. */
export const prototypeNames = ["__proto__", "constructor", "toString", "hasOwnProperty"] as const

/** Valid texts that careless programs handle wrongly. */
const oddTexts = [
  ...prototypeNames,
  "null",
  "0",
  " ",
  "a ",
  "ä",
  "a\u0308",
  "🚚",
  "\u0001",
  "\u2028",
  "\ufeff",
  "<&>\"'",
  "\\u0000",
  "%s'; --"
]

/** Whether a value is empty for a merge (D3.6, D3.7). It does not use the rules under test, so that the laws are independent of them. */
export const saysNothing = (value: unknown): boolean =>
  value === "" || value === 0 || value === false || (Array.isArray(value) && value.length === 0)

/** Free text: often empty or one of two letters, sometimes an odd text, otherwise any text that a document may contain. */
export const texts: fc.Arbitrary<string> = fc.oneof(
  { withCrossShrink: true },
  { weight: 3, arbitrary: fc.constantFrom("", "a", "b") },
  { weight: 1, arbitrary: fc.constantFrom(...oddTexts) },
  { weight: 3, arbitrary: fc.string({ unit: "grapheme", maxLength: 6 }) },
  {
    weight: 3,
    arbitrary: fc.string({ unit: "binary", maxLength: 6 }).filter((text) =>
      text.isWellFormed() && !text.includes("\0")
    )
  }
)

/** Text for identifiers, without invisible characters (D22). */
export const identifiers: fc.Arbitrary<string> = texts.filter((text) => unseenIn(text).length === 0)

/** Text that is not empty. */
export const names: fc.Arbitrary<string> = texts.filter((text) => text !== "")

/** An amount, including 0 and the limit. */
export const amounts: fc.Arbitrary<number> = fc.oneof(fc.constantFrom(0, 1, 2.5, maxNumber), fc.nat(100))

/** A whole amount, including 0 and the limit. */
export const wholeAmounts: fc.Arbitrary<number> = fc.oneof(fc.constantFrom(0, 1, maxNumber), fc.nat(100))

/** LPNs. Most differ only in case, in zeros, or in a letter that may also begin a SKU; some are frequent. */
export const lpns: fc.Arbitrary<string> = fc.constantFrom(
  "L1",
  "L1",
  "L2",
  "L1S",
  "L1S",
  "l1",
  "L01",
  "000123",
  "__proto__"
)

/** SKUs. Two different keys of {@link lpns} and SKUs may be the same text when they are concatenated. */
export const skus: fc.Arbitrary<string> = fc.constantFrom("S1", "S1", "S2", "1", "1", "s1")

/** Order numbers. There are few, so that documents often name the same orders. */
export const orderNumbers: fc.Arbitrary<string> = fc.constantFrom("O1", "O2", "O3")

/** Shipment numbers. There are few, and one is also an order number. */
export const shipmentNumbers: fc.Arbitrary<string> = fc.constantFrom("S1", "S2", "O1")

/** Calendar dates, including a leap day, or none. */
export const dates: fc.Arbitrary<string> = fc.constantFrom("", "2026-11-20", "2024-02-29")

/** Points in time in the notations of clients, or none. */
export const dateTimes: fc.Arbitrary<string> = fc.constantFrom(
  "",
  "2026-11-21T17:00:00Z",
  "2026-12-24T18:00:00.25+05:30",
  "2026-12-24T18:00:00"
)

/** Directions of orders and shipments. Most are the same, so that they often coincide. */
export const directions: fc.Arbitrary<string> = fc.constantFrom("OUTBOUND", "OUTBOUND", "OUTBOUND", "INBOUND")

/** Units of quantity of an item. */
export const quantityUnits: fc.Arbitrary<string> = fc.constantFrom(...defaultVocabulary.quantityUnits)

/** Directions in which a pallet crosses a dock. */
export const crossings = fc.constantFrom(...palletDirections)

/** Some words of a vocabulary, or none. */
export const words = (vocabulary: ReadonlyArray<string>): fc.Arbitrary<string> =>
  fc.constantFrom("", ...vocabulary)

const readDefault = DocumentInput.reader()

/** Reads a valid value as a document. */
export const read = (raw: unknown, reader: DocumentInput.Reader = readDefault): Document =>
  Result.getOrThrowWith(reader(raw), (error) => new Error(JSON.stringify(error)))

/** A document, an order or an item in the form in which clients write it, after parsing. */
export type Raw = Readonly<Record<string, unknown>>

/** Strategies by their names in documents. */
export type NamedStrategies = Readonly<Record<string, Strategy>>

/** A record with any subset of the fields. Their values may be `null`. */
const optional = (fields: Record<string, fc.Arbitrary<unknown>>): fc.Arbitrary<Raw> =>
  fc.record(
    Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, fc.option(value, { freq: 6 })])),
    { requiredKeys: [] }
  )

/** The values that a document may have in a field of this kind. */
const valuesOf = ({ kind, vocabulary }: Row.Row): fc.Arbitrary<unknown> => {
  switch (kind) {
    case "text":
      return texts
    case "identifier":
      return identifiers
    case "key":
      return names
    case "word":
      return words(defaultVocabulary[vocabulary!])
    case "amount":
      return amounts
    case "wholeAmount":
      return wholeAmounts
    case "flag":
      return fc.boolean()
    case "date":
      return dates
    case "list":
      throw new TypeError("A list has a generator of its own")
  }
}

const fieldsOf = (table: Row.Table): Record<string, fc.Arbitrary<unknown>> =>
  Object.fromEntries(Object.entries(table).map(([name, row]) => [name, valuesOf(row)]))

const optionalItemFields = {
  ...fieldsOf(without(itemFields, "lpn", "sku", "quantity", "quantityUnit", "caseSerials")),
  caseSerials: fc.array(
    fc.tuple(names, optional({ quantity: wholeAmounts })).map(([id, rest]): Raw => ({
      ...rest,
      id
    })),
    { maxLength: 2 }
  )
}

/** An item in the form in which clients write it, with the fields that every strategy needs. */
export const rawItems: fc.Arbitrary<Raw> = fc
  .tuple(
    optional(optionalItemFields),
    fc.record({
      lpn: lpns,
      sku: skus,
      quantity: amounts,
      quantityUnit: quantityUnits
    })
  )
  .map(([rest, required]) => ({ ...rest, ...required }))

/** Items, of which one in four has no LPN, for an interface that accepts such items (D17.2). */
const rawMixedItems: fc.Arbitrary<Raw> = fc
  .tuple(
    rawItems,
    fc.nat(3),
    fc.record({ identifier: fc.constantFrom("", "I1", "I1", "I1S"), lpn: fc.constantFrom("", null) })
  )
  .map(([item, draw, loose]) => draw === 3 ? { ...item, ...loose } : item)

/** The fields of an item's key. */
interface WithIdentifier {
  readonly identifier?: unknown
  readonly lpn?: unknown
  readonly sku?: unknown
}

/**
 * The key that distinguishes an item within its order, without normalisation: lpn and sku (D3.5), or identifier and sku without an lpn
 * (D17.2).
 */
export const keyOf = ({ identifier, lpn, sku }: WithIdentifier): string =>
  JSON.stringify(lpn === undefined || lpn === null || lpn === "" ? [{ identifier, sku }] : [lpn, sku])

/**
 * Like {@link keyOf}, but with the order for an item without an lpn, because several orders of a document may contain the same goods
 * (D17.2).
 */
export const keyInDocument = (item: WithIdentifier, order: number): string =>
  typeof item.lpn === "string" && item.lpn !== "" ? keyOf(item) : `${keyOf(item)} of order ${order}`

/** Whether no two of the items have the same key. */
export const keysAreUnique = (
  items: ReadonlyArray<WithIdentifier>
): boolean => new Set(items.map(keyOf)).size === items.length

/** Options of a generator of documents. */
export interface DocumentOptions {
  /** The strategies that documents name; by default the four of the wire contract. */
  readonly strategies?: NamedStrategies
  /** Whether no order and no item occurs twice; `true` by default. */
  readonly distinct?: boolean
  /** The minimum length of a list of items; 0 by default. */
  readonly minItems?: number
  /** Whether some items have no lpn, which the wire contract does not allow; `false` by default. */
  readonly someWithoutLpn?: boolean
}

const listsOf = (
  { distinct = true, minItems = 0, someWithoutLpn = false }: DocumentOptions
): fc.Arbitrary<ReadonlyArray<Raw>> => {
  const items = someWithoutLpn ? rawMixedItems : rawItems
  return distinct
    ? fc.uniqueArray(items, { minLength: minItems, maxLength: 4, selector: keyOf })
    : fc.array(items, { minLength: minItems, maxLength: 3 })
}

const rawOrderFields = fieldsOf(without(orderFields, "carrier"))

const strategyField = ({ strategies = defaultStrategies }: DocumentOptions) => ({
  orderItemUpdateStrategy: fc.constantFrom(...Object.keys(strategies))
})

/** An order in the form in which clients write it: an entry of a document's `orders`. */
const rawOrders = (options: DocumentOptions = {}): fc.Arbitrary<Raw> =>
  fc
    .tuple(
      optional({ ...rawOrderFields, ...strategyField(options), items: listsOf(options) }),
      fc.record({ orderNumber: orderNumbers })
    )
    .map(([rest, required]) => ({ ...rest, ...required }))

const rawShipmentFields = {
  expectedArrivalAt: dateTimes,
  ...fieldsOf(shipmentFields),
  dockSlug: fc.constantFrom("", "D1"),
  additionalFields: fc.array(
    fc.record({ name: fc.constantFrom("n", "driverName", "__proto__"), value: texts }),
    { maxLength: 3 }
  ),
  ...Object.fromEntries(driverFieldNames.map((name) => [name, texts]))
}

const place = fc.record({
  business: fc.constant("acme"),
  facility: fc.constantFrom("east", "east", "west"),
  direction: directions
})

/** Drops an item of a later order if an earlier order has its key. */
const withDistinctItems = (orders: ReadonlyArray<Raw>): ReadonlyArray<Raw> => {
  const keys = new Set<string>()
  const isNew = (index: number) => (item: Raw): boolean => {
    const key = keyInDocument(item, index)
    return !keys.has(key) && keys.add(key).size > 0
  }
  return orders.map((order, index) =>
    Array.isArray(order["items"]) ? { ...order, items: order["items"].filter(isNew(index)) } : order
  )
}

const severalOrders = (options: DocumentOptions): fc.Arbitrary<ReadonlyArray<Raw>> =>
  options.distinct === false
    ? fc.array(rawOrders(options), { minLength: 1, maxLength: 3 })
    : fc
      .uniqueArray(rawOrders(options), {
        minLength: 1,
        maxLength: 3,
        selector: (order) => order["orderNumber"]
      })
      .map(withDistinctItems)

/**
 * Valid documents in the form in which clients write them: with the fields of a single order, or with a list of orders. They are for the
 * business `acme`, the facilities `east` and `west`, and the dock `D1`.
 */
const rawDocumentsWith = (options: DocumentOptions): fc.Arbitrary<Raw> => {
  const single = fc
    .tuple(
      optional({ ...rawShipmentFields, shipmentNumber: shipmentNumbers }),
      rawOrders(options),
      place
    )
    .map(([rest, order, required]): Raw => ({ ...rest, ...order, ...required }))
  const several = fc
    .tuple(
      optional({ ...rawShipmentFields, ...rawOrderFields, ...strategyField(options) }),
      fc.record({ shipmentNumber: shipmentNumbers, orders: severalOrders(options) }),
      place
    )
    .map(([rest, shape, required]): Raw => ({ ...rest, ...shape, ...required }))
  return fc.oneof(single, several)
}

/** Raw documents with the strategies of the wire contract. Some contain an order or an item twice. */
export const rawDocuments: fc.Arbitrary<Raw> = fc.oneof(
  { weight: 3, arbitrary: rawDocumentsWith({}) },
  { weight: 1, arbitrary: rawDocumentsWith({ distinct: false }) }
)

const looseRules = { ...DocumentInput.defaultRules, isLpnOptional: true }

/** Documents, read from raw documents with these options. By default, some of their items have no lpn. */
export const documentsWith = (options: DocumentOptions): fc.Arbitrary<Document> => {
  const { strategies = defaultStrategies } = options
  const reader = DocumentInput.reader({ ...looseRules, strategies })
  return rawDocumentsWith({ someWithoutLpn: true, ...options }).map((raw) => read(raw, reader))
}

const readLoose = DocumentInput.reader(looseRules)

/** Documents that contain no order and no item twice. */
export const documents: fc.Arbitrary<Document> = documentsWith({})

/** The items of a document: at least one, without duplicate keys. */
export const incomingItems: fc.Arbitrary<ReadonlyArray<OrderItemDraft>> = listsOf({
  minItems: 1,
  someWithoutLpn: true
}).map((items) =>
  read(
    { business: "acme", facility: "east", direction: "OUTBOUND", orderNumber: "O1", items },
    readLoose
  ).orders[0]!.items
)

/** The items of an order, in id order. */
export const storedItems: fc.Arbitrary<ReadonlyArray<OrderItem>> = fc
  .tuple(
    fc.oneof({ weight: 1, arbitrary: fc.constant([]) }, { weight: 3, arbitrary: incomingItems }),
    fc.nat(5)
  )
  .map(([items, gap]) => items.map((item, index) => ({ ...item, id: String(8 + index + gap * 1000) })))

/** Stored outbound orders whose items have ids. The id of the order is `"0"` until another is set. */
export const storedOrders: fc.Arbitrary<Order> = fc
  .tuple(
    orderNumbers,
    storedItems,
    fc.record(fieldsOf(orderFields))
  )
  .map(([number, items, fields]) =>
    anOrder("0", number, items, { ...fields, expectedQuantity: items.length })
  )

/** The shipment S1, id 1, outbound, in any status and with any orders. */
export const storedShipments: fc.Arbitrary<Shipment> = fc
  .record({
    status: fc.constantFrom("SCHEDULED" as const, ...shipmentStatuses),
    ...fieldsOf(shipmentFields),
    dock: fc.constantFrom(null, { id: 3, slug: "D1" }, { id: 4, slug: "D2" }),
    additionalFields: fc.constantFrom([], [{ name: "n", value: "1" }]),
    orders: fc.uniqueArray(storedOrders, { maxLength: 3, selector: (order) => order.number })
  })
  .map((fields) => aShipment(fields))

/** Writes a document as JSON that is read as the same document. */
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
