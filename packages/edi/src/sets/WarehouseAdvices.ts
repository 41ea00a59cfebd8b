/**
 * Writes the advices of a warehouse to its depositors, one for each order: what was shipped of it (945), and what was received (944).
 *
 * Guarantee: quantities are those of the pallets that passed the door, and of lines without plates by what passed beside them (D23.3). A
 * shipping advice also names what is short, with its difference.
 */
import type { OrderItem } from "@dockline/core/shipment/OrderItem"
import { segment } from "../x12/Segment.ts"
import type { SegmentDraft } from "../x12/Segment.ts"
import { plainText } from "../x12/X12Writer.ts"
import {
  consigneeOf,
  facilityOf,
  isScac,
  ordersOn,
  passedOrders,
  quantityOf,
  referencesOf,
  saying,
  upc12,
  wordsFor
} from "./Departure.ts"
import type { Departure, PassedOrder } from "./Departure.ts"

import { markOf } from "./Sscc.ts"

import { decimal, upcQualifier } from "./Words.ts"
import type { ItemWords } from "./Words.ts"

/** Full detail (W0601, W1701). */
const full = "F"

/** Shipped complete, and shipped in part (W1201). */
const [complete, partial] = ["CC", "CP"]

/** Shipped on this date (G6201). */
const shippedOn = "11"

/** Writes a shipping advice (945) for each order with pallets or lines, passed or not. */
export const writeShippingAdvices = (departure: Departure): ReadonlyArray<ReadonlyArray<SegmentDraft>> =>
  ordersOn(departure.shipment)
    .filter(({ loose, pallets }) => pallets.length + loose.length > 0)
    .map((order) => shippingAdvice(order, departure))

const shippingAdvice = (
  { loose, order, pallets }: PassedOrder,
  departure: Departure
): ReadonlyArray<SegmentDraft> => {
  const { at, shipment, unexpected } = departure
  const haveLeft = unexpected.length > 0
  const { carrier } = shipment
  const trailer = plainText(shipment.trailerNumber, 10)
  const routing = plainText(carrier, 35)
  const [number, purchaseOrder] = [plainText(shipment.number, 30), plainText(order.purchaseOrder, 22)]
  return [
    segment("W06", full, order.number, at.date, number, "", purchaseOrder),
    facilityOf("WH", departure),
    ...consigneeOf(order),
    ...referencesOf("N9", order),
    segment("G62", shippedOn, at.date),
    segment("W27", "M", isScac(carrier) ? carrier : "", routing, "", trailer === "" ? "" : "TL", "", trailer),
    ...pallets.flatMap((pallet, index) => [
      segment("LX", String(index + 1)),
      markOf(pallet.lpn),
      ...pallet.items.flatMap((item) => shippedItem(item, pallet.hasPassed, wordsFor(departure, order, item)))
    ]),
    ...loose.flatMap((item, index) => [
      segment("LX", String(pallets.length + index + 1)),
      ...shippedItem(item, haveLeft, wordsFor(departure, order, item))
    ]),
    segment(
      "W03",
      total([
        ...pallets.filter(({ hasPassed }) => hasPassed).flatMap(({ items }) => items),
        ...(haveLeft ? loose : [])
      ])
    )
  ]
}

const shippedItem = (item: OrderItem, hasPassed: boolean, words: ItemWords): ReadonlyArray<SegmentDraft> => {
  const [quantity, unit] = quantityOf(item, words)
  const [status, shippedQuantity, short] = hasPassed ? [complete, quantity, "0"] : [partial, "0", quantity]
  return [
    segment("W12", status, quantity, shippedQuantity, short, unit, ...productOf(item, words)),
    ...descriptionOf(item)
  ]
}

/** Writes a receiving advice (944) for each order of which a pallet or a line passed. */
export const writeReceiptAdvices = (departure: Departure): ReadonlyArray<ReadonlyArray<SegmentDraft>> =>
  passedOrders(departure.shipment, departure.unexpected).map((order) => receiptAdvice(order, departure))

/** Writes a receiving advice of nothing for each order of which no pallet or line passed. */
export const writeEmptyReceipts = (departure: Departure): ReadonlyArray<ReadonlyArray<SegmentDraft>> => {
  const none = (items: ReadonlyArray<OrderItem>) => items.map((item) => ({ ...item, quantity: 0 }))
  const passedNumbers = new Set(
    passedOrders(departure.shipment, departure.unexpected).map(({ order }) => order.number)
  )
  return ordersOn(departure.shipment).filter(({ order }) => !passedNumbers.has(order.number)).map((each) =>
    receiptAdvice({
      ...each,
      pallets: each.pallets.map((pallet) => ({ ...pallet, items: none(pallet.items) })),
      loose: none(each.loose)
    }, departure)
  )
}

const receiptAdvice = (
  { loose, order, pallets }: PassedOrder,
  departure: Departure
): ReadonlyArray<SegmentDraft> => {
  const { at, shipment } = departure
  const items = [...pallets.flatMap(({ items }) => items), ...loose]
  return [
    // The id of the shipment is the number of the receipt.
    segment("W17", full, at.date, String(shipment.id), order.number, plainText(shipment.number, 30)),
    facilityOf("WH", departure),
    ...referencesOf("N9", order),
    ...items.flatMap((item) => receivedItem(item, wordsFor(departure, order, item))),
    segment("W14", total(items))
  ]
}

const receivedItem = (item: OrderItem, words: ItemWords): ReadonlyArray<SegmentDraft> => {
  const [quantity, unit] = quantityOf(item, words)
  return [
    segment("W07", quantity, unit, ...productOf(item, words)),
    ...descriptionOf(item),
    // LV is a license plate number.
    ...saying(item.lpn, "N9", "LV")
  ]
}

/** What an advice says goods are: the code of trade items, and the SKU unless the code is all that the partner said. */
const productOf = (item: OrderItem, [, qualifier]: ItemWords): ReadonlyArray<string> => {
  const upc = upc12(item)
  return qualifier === "" && upc === item.sku ? [upc] : [upc, qualifier || upcQualifier, item.sku]
}

const descriptionOf = ({ description, lot }: OrderItem): ReadonlyArray<SegmentDraft> => [
  ...saying(plainText(description, 45), "G69"),
  ...(lot === "" ? [] : [segment("N9", "LT", plainText(lot, 30))])
]

/** The quantity of items, over all units, as advices count it. */
const total = (items: ReadonlyArray<OrderItem>): string => {
  const sum = items.reduce((sum, { quantity }) => sum + quantity, 0)
  return decimal(Number(sum.toPrecision(15)))
}
