/**
 * The documents of the benchmark: one order, by default with 10 items, as a warehouse system sends it.
 *
 * Each connection has its own orders. An order has two variants that differ in every item: a MERGE with the other variant writes all items.
 */
import { checkDigit } from "@dockline/core/labels/Lpn"

/** The strategies of documents that change orders. */
export const strategies = ["OVERWRITE", "MERGE"] as const

/** The strategy of a document. */
export type Strategy = (typeof strategies)[number]

/** One of the two versions of an order's items. */
export type Variant = 0 | 1

/** The most frequent number of items in documents of warehouse systems. */
export const usualItems = 10

/** The business and the facility of all documents. */
export const place = { business: "acme", facility: "east" } as const

/** The number of an order of a connection, both counted from 0. */
export const orderNumberOf = (connection: number, order: number): string => `B-${connection}-${order}`

/** The lot of every item in a variant; the check of the table after the run expects it. */
export const lotOf = (variant: Variant): string => (variant === 0 ? "LOT-2026-A" : "LOT-2026-B")

const digits = (value: number, length: number): string => String(value).padStart(length, "0")

/** The SSCC of an item. */
const lpnOf = (connection: number, order: number, index: number): string => {
  const start = `0340123${digits(connection, 3)}${digits(order, 4)}${digits(index, 3)}`
  return `${start}${checkDigit(start)}`
}

const skuOf = (index: number): string => `SKU-${digits(10_000 + index * 37, 6)}`

const itemOf = (connection: number, order: number, variant: Variant, index: number) => ({
  identifier: `${orderNumberOf(connection, order)}-${index + 1}`,
  lpn: lpnOf(connection, order, index),
  sku: skuOf(index),
  quantity: 24 + index + variant * 12,
  quantityUnit: "CASE",
  purchaseOrder: `PO-${digits(connection * 1000 + order, 7)}`,
  description: `Sparkling water 0.5 l, tray of 24, pallet layer ${index + 1}`,
  upc: `0400638133${digits(390 + index, 4)}`,
  weightPerUnit: 12.48,
  weightUnit: "KILOGRAM",
  height: 145.5,
  length: 120,
  width: 80,
  dimensionUnit: "CENTIMETER",
  isDangerousGood: false,
  lot: lotOf(variant),
  expirationDate: "2027-11-20",
  manufacturingDate: "2026-10-02",
  caseSerials: [
    { id: `CS-${digits(connection, 3)}${digits(order, 4)}${index}A`, quantity: 12 },
    { id: `CS-${digits(connection, 3)}${digits(order, 4)}${index}B`, quantity: 12 }
  ]
})

/** A document for one order. */
export const documentOf = (
  connection: number,
  order: number,
  variant: Variant,
  strategy: Strategy,
  items = usualItems
) => ({
  ...place,
  direction: "OUTBOUND",
  orderNumber: orderNumberOf(connection, order),
  expectedArrivalAt: "2026-11-24T06:30:00+01:00",
  trailerNumber: `TR-${digits(connection, 4)}`,
  dockSlug: "D1",
  driverName: "Erika Mustermann",
  driverLicensePlate: "HH-DL 2026",
  carrier: "Nordfracht",
  additionalFields: [{ name: "temperature", value: "ambient" }],
  orderType: "STANDARD",
  purchaseOrder: `PO-${digits(connection * 1000 + order, 7)}`,
  consigneeName: "Getränke Hansen GmbH",
  consigneePhoneNumber: "+49 40 5550100",
  bolNumber: `BOL-${digits(connection, 3)}${digits(order, 5)}`,
  expectedQuantity: 285,
  sealNumber: "SL-884120",
  supplier: "Quellbrunn AG",
  client: "Hansen",
  destination: "Hamburg-Altona",
  orderItemUpdateStrategy: strategy,
  items: Array.from({ length: items }, (_, index) => itemOf(connection, order, variant, index))
})
