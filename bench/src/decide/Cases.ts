/**
 * What is decided: documents of any size, and the snapshots that they meet.
 *
 * Every item has text, numbers and two case serials, and differs from the stored one of its key, so that a MERGE has
 * all of its items to write.
 */
import type { Document, DocumentOrder } from "@dockline/core/Document"
import type { Candidate } from "@dockline/core/document/Remap"
import { emptyOrderFields } from "@dockline/core/Order"
import type { Order } from "@dockline/core/Order"
import { emptyOrderItem } from "@dockline/core/OrderItem"
import type { OrderItem, OrderItemDraft } from "@dockline/core/OrderItem"
import type { Place } from "@dockline/core/Place"
import type { Snapshot } from "@dockline/core/Plan"
import type { Shipment } from "@dockline/core/Shipment"

/** A document and what it meets. */
export interface Given {
  readonly document: Document
  readonly snapshot: Snapshot
}

/** A kind of document, for any number of items. */
export interface Case {
  readonly title: string
  readonly make: (items: number) => Given
}

/** Where all of it happens. */
export const location: { readonly business: Place; readonly facility: Place } = {
  business: { slug: "acme", name: "Acme Inc." },
  facility: { slug: "east", name: "East Hub" }
}

const now = "2026-11-20T17:00:00.000Z"

const range = (count: number): ReadonlyArray<number> => Array.from({ length: count }, (_, index) => index)

const draftOf = (index: number, lot: string, prefix = "0034"): OrderItemDraft => ({
  ...emptyOrderItem,
  identifier: `B-1-${index}`,
  lpn: `${prefix}${String(index).padStart(10, "0")}`,
  sku: `SKU-${String(index * 37).padStart(7, "0")}`,
  quantity: 24,
  quantityUnit: "CASE",
  purchaseOrder: `PO-${index}`,
  description: "Sparkling water 0.5 l, tray of 24, pallet layer",
  upc: "04006381333931",
  weightPerUnit: 12.48,
  weightUnit: "KILOGRAM",
  height: 145.5,
  length: 120,
  width: 80,
  dimensionUnit: "CENTIMETER",
  isDangerousGood: false,
  lot,
  expirationDate: "2027-11-20",
  manufacturingDate: "2026-10-02",
  caseSerials: [{ id: `CS-${index}A`, quantity: 12 }, { id: `CS-${index}B`, quantity: 12 }]
})

const storedOf = (index: number): OrderItem => ({ id: String(1_000_000 + index), ...draftOf(index, "LOT-A") })

const incoming = (items: number, prefix?: string): ReadonlyArray<OrderItemDraft> =>
  range(items).map((index) => draftOf(index, "LOT-B", prefix))

const orderOf = (
  orderNumber: string,
  strategy: string,
  items: ReadonlyArray<OrderItemDraft>
): DocumentOrder => ({ orderNumber, strategy, fields: emptyOrderFields, items })

const documentOf = (orders: ReadonlyArray<DocumentOrder>): Document => ({
  business: "acme",
  facility: "east",
  direction: "OUTBOUND",
  shipmentNumber: "S1",
  expectedArrivalAt: null,
  trailerNumber: "TR-1",
  dockSlug: "",
  carrier: "CARRIER",
  additionalFields: [],
  orders
})

const storedOrder = (id: number, number: string, items: ReadonlyArray<OrderItem>): Order => ({
  ...emptyOrderFields,
  id: String(id),
  number,
  status: "CREATED",
  direction: "OUTBOUND",
  items
})

const shipmentOf = (orders: ReadonlyArray<Order>): Shipment => ({
  id: 1,
  number: "S1",
  status: "SCHEDULED",
  direction: "OUTBOUND",
  scheduledAt: now,
  arrivedAt: null,
  departedAt: null,
  linkedShipmentIds: [],
  expectedArrivalAt: now,
  trailerNumber: "",
  carrier: "",
  dock: null,
  additionalFields: [],
  orders,
  pallets: []
})

const candidateOf = (order: Order): Candidate => ({
  order,
  createdAt: now,
  shipmentId: 2,
  shipmentStatus: "SCHEDULED",
  shipmentIsLinked: false
})

const snapshotOf = (fields: Partial<Snapshot>): Snapshot => ({
  now,
  ...location,
  dock: null,
  target: null,
  candidates: [],
  ...fields
})

const oneStored = (items: number): Order => storedOrder(5, "O1", range(items).map(storedOf))

const onTarget = (strategy: string, prefix?: string): Case["make"] => (items) => ({
  document: documentOf([orderOf("O1", strategy, incoming(items, prefix))]),
  snapshot: snapshotOf({ target: shipmentOf([oneStored(items)]) })
})

const remapped = (strategy: string): Case["make"] => (items) => ({
  document: documentOf([orderOf("O1", strategy, incoming(items))]),
  snapshot: snapshotOf({ candidates: [candidateOf(oneStored(items))] })
})

const manyStored = (items: number): ReadonlyArray<Order> =>
  range(items).map((index) => storedOrder(10_000_000 + index, `O${index}`, [storedOf(index)]))

const manyGiven = (items: number): Document =>
  documentOf(range(items).map((index) => orderOf(`O${index}`, "MERGE", [draftOf(index, "LOT-B")])))

/** Every kind of document. */
export const cases: ReadonlyArray<Case> = [
  {
    title: "APPEND, new order",
    make: (items) => ({
      document: documentOf([orderOf("O1", "APPEND", incoming(items))]),
      snapshot: snapshotOf({})
    })
  },
  { title: "APPEND to as many", make: onTarget("APPEND", "0099") },
  { title: "MERGE into as many", make: onTarget("MERGE") },
  { title: "DELETE of as many", make: onTarget("DELETE") },
  { title: "OVERWRITE of as many", make: onTarget("OVERWRITE") },
  { title: "MERGE, order remapped", make: remapped("MERGE") },
  { title: "OVERWRITE, order remapped", make: remapped("OVERWRITE") },
  {
    title: "MERGE, an order for each item",
    make: (items) => ({
      document: manyGiven(items),
      snapshot: snapshotOf({ target: shipmentOf(manyStored(items)) })
    })
  },
  {
    title: "MERGE, each order remapped",
    make: (items) => ({
      document: manyGiven(items),
      snapshot: snapshotOf({ candidates: manyStored(items).map(candidateOf) })
    })
  }
]
