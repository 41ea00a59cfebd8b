/** What the suites of intake and of reads work with: a business of its own, and documents that are written to it. */
import { Effect, Result } from "effect"
import type { Document, DocumentOrder } from "../document/Document.ts"
import { IntakeStore } from "../document/IntakeStore.ts"
import type { Transacted } from "../document/IntakeStore.ts"
import { outcome } from "../document/Outcome.ts"
import type { Outcome } from "../document/Outcome.ts"
import { decide } from "../document/Plan.ts"
import type { DecisionError, Plan, Snapshot } from "../document/Plan.ts"
import { Directory } from "../places/Directory.ts"
import type { OrderFields } from "../shipment/Order.ts"
import type { OrderItemDraft } from "../shipment/OrderItem.ts"
import type { Shipment } from "../shipment/Shipment.ts"
import { ShipmentStore } from "../shipment/ShipmentStore.ts"
import { aDocument, anItem } from "./Given.ts"
import { unique } from "./Unique.ts"

/** The port that the suite of intake is about, and those it needs. */
export type IntakeStores = IntakeStore | ShipmentStore | Directory

/** The facility east of every business of the suites. */
export const east = { slug: "east", name: "East" }

/** A business of its own, with the facilities `east` (docks D1 and D2) and `west` (dock D1). */
export const aBusiness = Effect.gen(function*() {
  const directory = yield* Directory
  const slug = unique("intake")
  yield* directory.put([{
    slug,
    name: `Business ${slug}`,
    fieldMap: [],
    facilities: [{ ...east, docks: ["D1", "D2"] }, { slug: "west", name: "West", docks: ["D1"] }]
  }])
  return slug
})

/** Decides as core does. */
export const deciding = (document: Document) => (snapshot: Snapshot): Result.Result<Plan, DecisionError> =>
  decide(document, snapshot)

/** Writes a document. */
export const write = Effect.fnUntraced(function*(document: Document, dryRun = false) {
  const store = yield* IntakeStore
  return yield* store.transact(document, deciding(document), { dryRun })
})

/** The snapshot that the decision about a document gets; nothing is written. */
export const look = Effect.fnUntraced(function*(document: Document) {
  const store = yield* IntakeStore
  const decide = (seen: Snapshot): Result.Result<Plan, { readonly seen: Snapshot }> => Result.fail({ seen })
  const refused = yield* Effect.flip(store.transact(document, decide, { dryRun: false }))
  return "seen" in refused ? refused.seen : yield* refused
})

/** What a transaction did. */
export const outcomeOf = ({ plan, ids }: Transacted): Outcome => outcome(plan, ids)

/** The shipments of a facility of a business, in id order. */
export const shipmentsOf = Effect.fnUntraced(function*(business: string, facility = "east") {
  const store = yield* ShipmentStore
  const { items } = yield* store.listShipments(
    [{ business, facilities: [facility] }],
    { business, facility, shipmentNumber: undefined, status: undefined },
    { limit: 1000, after: 0 }
  )
  return items.map(({ shipment }) => shipment)
})

/** A business of its own, and what there is to do with it. */
export const aWorld = Effect.gen(function*() {
  const business = yield* aBusiness
  /** A document for shipment S1 at east; without orders given, for order O1 without items. */
  const document = (
    fields: Partial<Omit<Document, "orders">> = {},
    ...orders: ReadonlyArray<DocumentOrder>
  ): Document => aDocument({ business, ...fields }, ...orders)
  return {
    business,
    document,
    /** Writes a document and says what it did. */
    submit: (
      fields: Partial<Omit<Document, "orders">> = {},
      ...orders: ReadonlyArray<DocumentOrder>
    ) => Effect.map(write(document(fields, ...orders)), outcomeOf),
    /** The shipments at east, in id order. */
    shipments: shipmentsOf(business)
  }
})

/** Items with the lpns, each of a quantity of its own. */
export const itemsOf = (...lpns: ReadonlyArray<string>) =>
  lpns.map((lpn, index) => anItem(lpn, "S1", { quantity: index + 1 }))

/** An order with something in every field, each value with the text given. */
export const everyOrderField = (text: string): OrderFields => ({
  orderType: `type ${text}`,
  purchaseOrder: `purchase order ${text}`,
  consigneeName: `consignee ${text}`,
  consigneePhoneNumber: `phone ${text}`,
  bolNumber: `bill ${text}`,
  expectedQuantity: Number.MAX_SAFE_INTEGER,
  carrier: `carrier of the order ${text}`,
  sealNumber: `seal ${text}`,
  supplier: `supplier ${text}`,
  client: `client ${text}`,
  destination: `destination ${text}`
})

/** An item with something in every field, each text with the one given. */
export const everyItemField = (text: string): OrderItemDraft => ({
  identifier: `identifier ${text}`,
  lpn: `lpn ${text}`,
  sku: `sku ${text}`,
  quantity: 5e-324,
  quantityUnit: "CASE",
  purchaseOrder: `purchase order of the item ${text}`,
  description: `description ${text}`,
  upc: `upc ${text}`,
  weightPerUnit: 0.1,
  weightUnit: "KILOGRAM",
  height: Number.MAX_SAFE_INTEGER,
  length: 1e-7,
  width: 123456.789,
  dimensionUnit: "METER",
  isDangerousGood: true,
  lot: `lot ${text}`,
  expirationDate: "0001-01-01",
  manufacturingDate: "9999-12-31",
  // Neither sorted nor unique: a list is kept as it is.
  caseSerials: [
    { id: `b ${text}`, quantity: 2 },
    { id: `a ${text}`, quantity: 0 },
    { id: `b ${text}`, quantity: 0.5 }
  ]
})

/** The ids of shipments, orders and items, each kind apart. */
export const idsIn = (shipments: ReadonlyArray<Shipment>) => {
  const orders = shipments.flatMap((shipment) => shipment.orders)
  return {
    shipments: shipments.map(({ id }) => id),
    orders: orders.map(({ id }) => Number(id)),
    items: orders.flatMap(({ items }) => items.map(({ id }) => Number(id)))
  }
}

/** Sorted by number. */
export const ascending = (numbers: ReadonlyArray<number>) => numbers.toSorted((left, right) => left - right)

/** Adds a case of the suite. */
export type AddTest = <A, E>(title: string, program: Effect.Effect<A, E, IntakeStores>) => void
