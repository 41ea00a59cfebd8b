/**
 * Writes ship notices (856): what left on a truck, from what passed the door.
 *
 * Guarantee: the notice, read as one, expects the pallets that passed with the items, quantities and units of their orders, and the lines
 * without plates that passed (D18.4). Nothing is written of a shipment on which none of these passed.
 */
import type { Order } from "@dockline/core/shipment/Order"
import type { OrderItem } from "@dockline/core/shipment/OrderItem"
import { writeHierarchy } from "../x12/Hierarchy.ts"
import type { LevelDraft } from "../x12/Hierarchy.ts"
import { segment } from "../x12/Segment.ts"
import type { SegmentDraft } from "../x12/Segment.ts"
import { plainText } from "../x12/X12Writer.ts"
import {
  consigneeOf,
  facilityOf,
  isScac,
  passedOrders,
  quantityOf,
  referencesOf,
  saying,
  wordsFor
} from "./Departure.ts"
import type { Departure, OrderPallet, PassedOrder } from "./Departure.ts"
import { upcQualifiers } from "./Parties.ts"

import { markOf } from "./Sscc.ts"
import { dateOf } from "./Times.ts"

import { upcQualifier } from "./Words.ts"
import type { ItemWords } from "./Words.ts"

/** The structure of its levels (BSN05), which partners agreed on: no code names shipment, order, tare, item. */
const structure = "ZZZZ"

/** Writes the segments of a ship notice; none if nothing is told. */
export const writeShipNotice = (departure: Departure): ReadonlyArray<SegmentDraft> => {
  const orders = passedOrders(departure.shipment, departure.unexpected)
  if (orders.length === 0) return []
  const { at: { date, time }, shipment } = departure
  const levels = writeHierarchy(shipmentLevel(departure, orders))
  return [
    segment("BSN", "00", shipment.number, date, time, structure),
    ...levels,
    segment("CTT", String(levels.filter(({ id }) => id === "HL").length))
  ]
}

/** Writes what cancels the ship notice of a shipment with which none of it has left after all. */
export const writeCancellation = (
  { at: { date, time }, shipment }: Departure
): ReadonlyArray<SegmentDraft> => [
  segment("BSN", "01", shipment.number, date, time, structure),
  segment("HL", "1", "", "S"),
  segment("CTT", "1")
]

const shipmentLevel = (departure: Departure, orders: ReadonlyArray<PassedOrder>): LevelDraft => {
  const { at, shipment: { carrier, trailerNumber } } = departure
  const pallets = new Set(orders.flatMap(({ pallets }) => pallets.map(({ lpn }) => lpn)))
  const trailer = plainText(trailerNumber, 30)
  return {
    code: "S",
    segments: [
      ...(pallets.size === 0 ? [] : [segment("TD1", "PLT", String(pallets.size))]),
      ...(isScac(carrier)
        ? [segment("TD5", "", "2", carrier)]
        : saying(plainText(carrier, 35), "TD5", "", "", "", "")),
      ...(trailer.length > 10 ? saying(trailer, "REF", "EQ") : saying(trailer, "TD3", "TL", "")),
      segment("DTM", "011", at.date, at.time),
      facilityOf("SF", departure)
    ],
    children: orders.map((order) => orderLevel(order, departure))
  }
}

const orderLevel = ({ loose, order, pallets }: PassedOrder, departure: Departure): LevelDraft => ({
  code: "O",
  segments: [
    segment("PRF", purchaseOrderOf(order.purchaseOrder, order.number)),
    segment("REF", "OQ", order.number),
    ...referencesOf("REF", order),
    ...consigneeOf(order)
  ],
  children: [
    ...pallets.map((pallet) => palletLevel(pallet, itemLevel(departure, order))),
    ...loose.map(itemLevel(departure, order))
  ]
})

/** A purchase order of at most 22 characters; the order's own number stands in where there is none that fits. */
const purchaseOrderOf = (purchaseOrder: string, number: string): string =>
  purchaseOrder === "" || purchaseOrder.length > 22 ? number.slice(0, 22).trimEnd() : purchaseOrder

const palletLevel = (
  { items, lpn }: OrderPallet,
  itemLevel: (item: OrderItem) => LevelDraft
): LevelDraft => ({
  code: "T",
  segments: [markOf(lpn)],
  children: items.map(itemLevel)
})

const itemLevel = (departure: Departure, order: Order) => (item: OrderItem): LevelDraft => ({
  code: "I",
  segments: itemSegments(item, wordsFor(departure, order, item)),
  children: []
})

/** The number of a line without a plate, which tells it from others of its SKU. */
const lineOf = ({ identifier, lpn }: OrderItem): string =>
  lpn === "" && plainText(identifier, 20) === identifier ? identifier : ""

const itemSegments = (item: OrderItem, words: ItemWords): ReadonlyArray<SegmentDraft> => {
  const qualifier = words[1] || upcQualifier
  const isSaid = item.upc === item.sku && upcQualifiers.includes(qualifier)
  const upc = item.upc === "" || isSaid ? [] : ["UP", item.upc]
  const lot = item.lot === "" ? [] : ["LT", item.lot]
  return [
    segment("LIN", lineOf(item), qualifier, item.sku, ...upc, ...lot),
    segment("SN1", "", ...quantityOf(item, words)),
    ...saying(plainText(item.description, 80), "PID", "F", "", "", ""),
    ...saying(dateOf(item.expirationDate), "DTM", "036"),
    ...saying(dateOf(item.manufacturingDate), "DTM", "094")
  ]
}
