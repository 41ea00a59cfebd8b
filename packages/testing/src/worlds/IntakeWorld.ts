/** The world of the suites of intake and of reads: a new business, and functions to write documents there. */
import { decide } from "@dockline/core/document/Decision"
import type { DecisionRefusal, Document, DocumentOrder } from "@dockline/core/document/Document"
import type { DocumentPrecondition } from "@dockline/core/document/DocumentPrecondition"
import { IntakeStore } from "@dockline/core/document/DocumentRecord"
import type { IntakeTransaction } from "@dockline/core/document/DocumentRecord"
import { outcome } from "@dockline/core/document/Outcome"
import type { Outcome } from "@dockline/core/document/Outcome"
import type { Plan, Snapshot } from "@dockline/core/document/Plan"
import { Directory } from "@dockline/core/places/Place"
import { itemFields, orderFields } from "@dockline/core/shipment/Shipment"
import type { OrderFields, OrderItemDraft, Shipment } from "@dockline/core/shipment/Shipment"
import { ShipmentStore } from "@dockline/core/shipment/ShipmentStore"
import type * as Row from "@dockline/core/values/FieldTable"
import { defaultVocabulary } from "@dockline/core/values/Vocabulary"
import { Effect, Result } from "effect"
import * as assert from "../Assert.ts"
import { aDocument, anItem, unique } from "../generators/Given.ts"
import type * as Suite from "../Suite.ts"

/** The port that the suite of intake tests, and the ports that it needs. */
export type IntakeStores = IntakeStore | ShipmentStore | Directory

/** The facility east of every business of the suites. */
export const east = { slug: "east", name: "East" }

/** A new business with the facilities `east` (docks D1 and D2) and `west` (dock D1). */
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
export const deciding = (document: Document) => (snapshot: Snapshot): Result.Result<Plan, DecisionRefusal> =>
  decide(document, snapshot)

/** Writes a document. */
export const write = Effect.fnUntraced(function*(document: Document, dryRun = false) {
  const store = yield* IntakeStore
  return yield* store.transact(document, deciding(document), { dryRun })
})

/** The snapshot for the decision about a document; nothing is written. */
export const look = Effect.fnUntraced(function*(document: Document, precondition?: DocumentPrecondition) {
  const store = yield* IntakeStore
  const decide = (snapshot: Snapshot): Result.Result<Plan, { readonly snapshot: Snapshot }> =>
    Result.fail({ snapshot })
  const failure = yield* Effect.flip(store.transact(document, decide, { precondition, dryRun: false }))
  return "snapshot" in failure ? failure.snapshot : yield* failure
})

/** The outcome of a transaction. */
export const outcomeOf = ({ snapshot, plan, ids }: IntakeTransaction): Outcome => outcome(snapshot, plan, ids)

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

/** A new business, with functions to use it. */
export const aWorld = Effect.gen(function*() {
  const business = yield* aBusiness
  /** A document for shipment S1 at east. Without `orders`, it has the order O1 without items. */
  const document = (
    fields: Partial<Omit<Document, "orders">> = {},
    ...orders: ReadonlyArray<DocumentOrder>
  ): Document => aDocument({ business, ...fields }, ...orders)
  return {
    business,
    document,
    /** Writes a document and returns its outcome. */
    submit: (
      fields: Partial<Omit<Document, "orders">> = {},
      ...orders: ReadonlyArray<DocumentOrder>
    ) => Effect.map(write(document(fields, ...orders)), outcomeOf),
    /** The shipments at east, in id order. */
    shipments: shipmentsOf(business)
  }
})

/** Items with the lpns, each with another quantity. */
export const itemsOf = (...lpns: ReadonlyArray<string>) =>
  lpns.map((lpn, index) => anItem(lpn, "S1", { quantity: index + 1 }))

/** Numbers that a storage may round. */
const exactNumbers = [5e-324, 0.1, Number.MAX_SAFE_INTEGER, 1e-7, 123456.789]

const furthestDates = ["0001-01-01", "9999-12-31"]

/** A value for every field of a table. Each text ends with `text`. */
const everyField = <T extends Row.Table>(table: T, text: string): Row.Values<T> => {
  const value = (name: string, { entry, kind, vocabulary }: Row.Row, index: number): unknown => {
    switch (kind) {
      case "text":
      case "identifier":
      case "key":
        return `${name} ${text}`
      case "word":
        return defaultVocabulary[assert.present(vocabulary)][1]
      case "amount":
        return exactNumbers[index % exactNumbers.length]
      case "wholeAmount":
        return Number.MAX_SAFE_INTEGER
      case "flag":
        return true
      case "date":
        return furthestDates[index % furthestDates.length]
      case "list":
        // Neither sorted nor unique, because a list is stored unchanged.
        return ["b", "a", "b"].map((first) => everyField(assert.present(entry), `${first} ${text}`))
    }
  }
  const values = Object.entries(table).map(([name, row], index) => [name, value(name, row, index)])
  // Each row of the table has a value.
  return Object.fromEntries(values) as Row.Values<T>
}

/** The fields of an order, each with a value. Each text ends with `text`. */
export const everyOrderField = (text: string): OrderFields => everyField(orderFields, text)

/** An item with a value in every field. Each text ends with `text`. */
export const everyItemField = (text: string): OrderItemDraft => everyField(itemFields, text)

/** The ids of shipments, orders and items, separated by kind. */
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
export type AddTest = Suite.AddTest<IntakeStores>
