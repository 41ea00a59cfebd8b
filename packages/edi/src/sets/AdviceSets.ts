/**
 * Writes the sets that tell partners about a shipment: ship notices (856), and the advices of a warehouse to its depositors about shipped
 * (945) and received (944) goods, one for each order. Marks a set that replaces an earlier one (D23.8) or cancels a ship notice;
 * `withoutCorrection` gives an advice and its replacement the same content.
 *
 * Guarantee: quantities are those of the pallets that passed the door (D18.2), and of lines without an LPN that count as passed (D23.3). A
 * shipping advice also names each shortage with its difference. A pallet counts as passed if, net of loading and unloading, it is on the
 * side where its shipment ends (D13.1). The goods of a pallet that no order expects are unknown, so such pallets are listed separately. If
 * such a pallet has passed, the lines without an LPN count as passed, as the best guess of its load, unless several partners share the
 * shipment: then its owner is unknown. Lines with the quantity 0 are ignored, and so is a pallet with only such lines.
 */
import { lpnKey } from "@dockline/core/labels/Lpn"
import type { Order, OrderItem, Shipment } from "@dockline/core/shipment/Shipment"
import { hasPassed } from "@dockline/core/shipment/Shipment"
import type { AdviceKind } from "../domain/EdiPartner.ts"
import { segment } from "../x12/Fault.ts"
import type { SegmentDraft } from "../x12/Fault.ts"
import { writeHierarchy } from "../x12/Hierarchy.ts"
import type { LevelDraft } from "../x12/Hierarchy.ts"
import { plainText } from "../x12/X12Writer.ts"
import { markOf, upcQualifiers } from "./Parties.ts"
import { x12DateOf } from "./Times.ts"
import type { LocalTime } from "./Times.ts"
import { decimal, upcQualifier, wordsOf } from "./Words.ts"
import type { ItemWords, OrderWords } from "./Words.ts"

/** A set about a departed shipment. */
export interface AdviceSet {
  readonly id: AdviceKind
  readonly segments: ReadonlyArray<SegmentDraft>
}

/** The purposes (BSN01) of a ship notice that replaces, and of one that cancels, another with the same number. */
const [replacement, cancellation] = ["05", "01"]

/** The action of a shipping advice that replaces another, and the number of its element (W0612). */
const [replace, action] = ["RX", 12]

const note = segment("NTE", "GEN", "REPLACES THE ADVICE OF THIS ORDER AND SHIPMENT THAT WAS SENT BEFORE")

/** The segments before which the note of an advice has to stand. */
const afterNote = new Set(["W27", "W07", "W14"])

/**
 * Marks a set about a shipment as the replacement of an earlier one (D23.8): a ship notice by its purpose (BSN01), a shipping advice by its
 * action (W0612), and both advices by a note, because a receiving advice has no code for it.
 */
export const replacing = (set: AdviceSet): AdviceSet => {
  const { id, segments: [first, ...rest] } = set
  if (first === undefined || isCancellation(set)) return set
  if (id === "856") {
    return { id, segments: [segment("BSN", replacement, ...first.elements.slice(1)), ...rest] }
  }
  const place = rest.findIndex(({ id }) => afterNote.has(id))
  const withNote = place === -1 ? [...rest, note] : rest.toSpliced(place, 0, note)
  return { id, segments: [id === "945" ? acting(first) : first, ...withNote] }
}

const acting = ({ elements, id }: SegmentDraft): SegmentDraft => {
  const before = Array.from({ length: action - 1 }, (_, index) => elements[index] ?? "")
  return segment(id, ...before, replace)
}

/** A set without the note and the action that mark an advice as a replacement. */
export const withoutCorrection = ({ id, segments: [first, ...rest] }: AdviceSet): AdviceSet => ({
  id,
  segments: [
    ...(first === undefined ? [] : [{ ...first, elements: first.elements.slice(0, action - 1) }]),
    ...rest.filter(({ id }) => id !== "NTE")
  ]
})

/** Whether a set cancels an earlier ship notice. */
export const isCancellation = ({ id, segments: [first] }: AdviceSet): boolean =>
  id === "856" && first?.elements[0] === cancellation

/** A departed shipment in the form in which a partner is told about it. */
export interface Departure {
  /** The shipment, with the orders that the partner is told about. */
  readonly shipment: Shipment
  /**
   * The LPNs of pallets that passed although no order of the whole shipment expects them; `""` for a pallet without a label. The list is
   * empty if the shipment has orders of another partner that are left out.
   */
  readonly unexpected: ReadonlyArray<string>
  /** The partner's words for the goods of its orders, by the numbers of the orders. */
  readonly words?: ReadonlyMap<string, OrderWords> | undefined
  /** The name and the slug of the facility. */
  readonly facility: { readonly name: string; readonly slug: string }
  /** The time at which the shipment departed, in the time zone of the facility. */
  readonly at: LocalTime
}

/**
 * The code for the structure of levels (BSN05). It means "by agreement with the partner", because no standard code means shipment, order,
 * tare, item.
 */
const structure = "ZZZZ"

/**
 * Writes ship notices (856) of the goods that left on a truck, from the pallets that passed the door.
 *
 * Guarantee: a reader of the notice expects the pallets that passed, with the items, quantities and units of their orders, and the lines
 * without an LPN that count as passed (D18.4). Returns no segments if nothing passed.
 */
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

/** Writes the cancellation of the ship notice of a shipment whose goods did not leave after all. */
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

/** A purchase order of at most 22 characters; the beginning of the order's number if the order has no purchase order, or a longer one. */
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

/** The number of a line without an LPN, which distinguishes the line from others with the same SKU. */
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
    ...saying(x12DateOf(item.expirationDate), "DTM", "036"),
    ...saying(x12DateOf(item.manufacturingDate), "DTM", "094")
  ]
}

/** Full detail (W0601, W1701). */
const full = "F"

/** Shipped complete, and shipped in part (W1201). */
const [complete, partial] = ["CC", "CP"]

/** Shipped on this date (G6201). */
const shippedOn = "11"

/** Writes a shipping advice (945) for each order with pallets or lines, whether they have passed or not. */
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

/** Writes a receiving advice (944) for each order with a pallet or a line that passed. */
export const writeReceiptAdvices = (departure: Departure): ReadonlyArray<ReadonlyArray<SegmentDraft>> =>
  passedOrders(departure.shipment, departure.unexpected).map((order) => receiptAdvice(order, departure))

/** Writes a receiving advice with quantities of 0 for each order of which no pallet or line passed. */
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

/**
 * The product ids of goods in an advice: the code of trade items, and the SKU unless the partner used only the code.
 */
const productOf = (item: OrderItem, [, qualifier]: ItemWords): ReadonlyArray<string> => {
  const upc = upc12(item)
  return qualifier === "" && upc === item.sku ? [upc] : [upc, qualifier || upcQualifier, item.sku]
}

const descriptionOf = ({ description, lot }: OrderItem): ReadonlyArray<SegmentDraft> => [
  ...saying(plainText(description, 45), "G69"),
  ...(lot === "" ? [] : [segment("N9", "LT", plainText(lot, 30))])
]

/** The total quantity of items, over all units, as advices count it. */
const total = (items: ReadonlyArray<OrderItem>): string => {
  const sum = items.reduce((sum, { quantity }) => sum + quantity, 0)
  return decimal(Number(sum.toPrecision(15)))
}

/** The facility (N1): `SF` if it ships, `WH` as a warehouse. */
const facilityOf = (code: string, departure: Departure): SegmentDraft =>
  segment("N1", code, plainText(departure.facility.name, 60), "ZZ", departure.facility.slug.padEnd(2, "-"))

/** A segment whose last element is the text; no segment if the text is empty. */
const saying = (
  text: string,
  id: string,
  ...before: ReadonlyArray<string>
): ReadonlyArray<SegmentDraft> => text === "" ? [] : [segment(id, ...before, text)]

/** The consignee of an order (N1*ST), if the order names one. */
const consigneeOf = ({ consigneeName }: Order): ReadonlyArray<SegmentDraft> =>
  saying(plainText(consigneeName, 60), "N1", "ST")

/** The numbers of the bill of lading and of the seal of an order, as references (REF or N9). */
const referencesOf = (
  id: "REF" | "N9",
  { bolNumber, sealNumber }: Order
): ReadonlyArray<SegmentDraft> => [
  ...saying(plainText(bolNumber, 30), id, "BM"),
  ...saying(plainText(sealNumber, 30), id, "SN")
]

/** Whether the name of a carrier has the form of a Standard Carrier Alpha Code (SCAC). */
const isScac = (carrier: string): boolean => /^[A-Z]{2,4}$/.test(carrier)

/**
 * The quantity of an item, and the code of its unit in the partner's words. The code is `""` for a unit without a code in X12; it cannot be
 * written where the code is required.
 */
const quantityOf = (
  { quantity }: OrderItem,
  [code]: ItemWords
): readonly [quantity: string, unit: string] => [decimal(quantity), code]

/** The partner's words for an item of an order. */
const wordsFor = ({ words }: Departure, { number }: Order, item: OrderItem): ItemWords =>
  wordsOf(words?.get(number), item)

/** The UPC of an item if it has 12 digits, which some elements require; otherwise `""`. */
const upc12 = ({ upc }: OrderItem): string => /^\d{12}$/.test(upc) ? upc : ""

/** A pallet of an order, with its items. */
export interface OrderPallet {
  readonly lpn: string
  readonly items: ReadonlyArray<OrderItem>
  /** Whether the pallet has passed. */
  readonly hasPassed: boolean
}

/** An order with its expected pallets, in the order of its items. */
export interface PassedOrder {
  readonly order: Order
  readonly pallets: ReadonlyArray<OrderPallet>
  /** The items without an LPN. */
  readonly loose: ReadonlyArray<OrderItem>
}

/** A shipment, or its part with the orders of one partner. */
export type PassedShipment = Pick<Shipment, "direction" | "orders" | "pallets">

/** The LPNs of pallets of a shipment that passed although no order expects them; `""` for a pallet without a label. */
export const unexpectedOn = ({ direction, orders, pallets }: PassedShipment): ReadonlyArray<string> => {
  const expected = new Set(orders.flatMap(({ items }) => items.map(({ lpn }) => lpnKey(lpn))))
  return pallets.filter((pallet) =>
    hasPassed(direction, pallet) && (pallet.lpn === "" || !expected.has(lpnKey(pallet.lpn)))
  ).map(({ lpn }) => lpn)
}

/** The orders of a shipment with all of their pallets and lines. */
export const ordersOn = ({ direction, orders, pallets }: PassedShipment): ReadonlyArray<PassedOrder> => {
  const passedLpns = new Set(
    pallets.filter((pallet) => hasPassed(direction, pallet)).map(({ lpn }) => lpnKey(lpn))
  )
  return orders.map((order) => {
    const byLpn = Map.groupBy(order.items.filter(({ lpn }) => lpn !== ""), ({ lpn }) => lpnKey(lpn))
    return {
      order,
      pallets: Array.from(byLpn, ([key, items]) => ({
        lpn: items[0]?.lpn ?? key,
        items: items.filter(hasQuantity),
        hasPassed: passedLpns.has(key)
      })).filter(({ items }) => items.length > 0),
      loose: order.items.filter((item) => item.lpn === "" && hasQuantity(item))
    }
  })
}

const hasQuantity = ({ quantity }: OrderItem): boolean => quantity !== 0

/** The orders with pallets, or with lines without an LPN, that passed. Each has only these pallets and lines. */
export const passedOrders = (
  shipment: PassedShipment,
  unexpected: ReadonlyArray<string>
): ReadonlyArray<PassedOrder> =>
  ordersOn(shipment).flatMap(({ loose, order, pallets }) => {
    const part = {
      order,
      pallets: pallets.filter(({ hasPassed }) => hasPassed),
      loose: unexpected.length > 0 ? loose : []
    }
    return part.pallets.length + part.loose.length === 0 ? [] : [part]
  })
