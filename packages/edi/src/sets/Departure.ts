/**
 * What is told of a shipment in each set that is sent: who tells it, when, and in which words.
 */
import { lpnKey } from "@dockline/core/labels/Lpn"
import type { OrderItem } from "@dockline/core/shipment/OrderItem"
import { hasPassed } from "@dockline/core/shipment/Shipment"
import type { Order, Shipment } from "@dockline/core/shipment/Shipment"
import type { AdviceKind } from "../domain/EdiPartner.ts"
import { segment } from "../x12/Fault.ts"
import type { SegmentDraft } from "../x12/Fault.ts"
import { plainText } from "../x12/X12Writer.ts"
import type { LocalTime } from "./Times.ts"
import { decimal, wordsOf } from "./Words.ts"
import type { ItemWords, OrderWords } from "./Words.ts"

/*
 * What passed the door on a shipment, as the sets that tell partners of it need it: its pallets by their orders (D18.2), and its lines
 * without plates (D23.3).
 *
 * Guarantee: a pallet is told if it remains on the side at which its shipment ends (D13.1), loaded or unloaded net. Where no order
 * expects a pallet, nobody knows its goods: it is told apart. Lines without plates have passed if a pallet has that no order expects, as
 * nothing says better what was on it; on a load that partners share, nothing says whose it was. Lines of 0 are none, and pallets of such
 * lines have nothing that could be told.
 */

/** A pallet of an order, with its items. */
export interface OrderPallet {
  readonly lpn: string
  readonly items: ReadonlyArray<OrderItem>
  /** Whether it has passed. */
  readonly hasPassed: boolean
}

/** An order, with the pallets that are expected on it, in the order of its items. */
export interface PassedOrder {
  readonly order: Order
  readonly pallets: ReadonlyArray<OrderPallet>
  /** Its lines without plates. */
  readonly loose: ReadonlyArray<OrderItem>
}

/** A shipment, or the part of it with the orders of one partner. */
export type PassedShipment = Pick<Shipment, "direction" | "orders" | "pallets">

/** The LPNs of pallets of a shipment that passed and that no order expects; `""` for one without a label. */
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

/** The orders of which a pallet or a line without a plate passed, with those alone. */
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

export interface Departure {
  /** The shipment, with the orders that are told. */
  readonly shipment: Shipment
  /**
   * The LPNs of pallets that passed and that no order of the whole shipment expects; `""` for one without a label. None where it has
   * orders of another partner that are not told.
   */
  readonly unexpected: ReadonlyArray<string>
  /** The words in which the partner has said the goods of orders, by their numbers. */
  readonly words?: ReadonlyMap<string, OrderWords> | undefined
  /** The name and the slug of the facility. */
  readonly facility: { readonly name: string; readonly slug: string }
  /** When the shipment departed, in the time zone of the facility. */
  readonly at: LocalTime
}

/** Who the facility is (N1): `SF` for what ships, `WH` for a warehouse. */
export const facilityOf = (code: string, departure: Departure): SegmentDraft =>
  segment("N1", code, plainText(departure.facility.name, 60), "ZZ", departure.facility.slug.padEnd(2, "-"))

/** A segment whose last element is a text; none where that is empty. */
export const saying = (
  text: string,
  id: string,
  ...before: ReadonlyArray<string>
): ReadonlyArray<SegmentDraft> => text === "" ? [] : [segment(id, ...before, text)]

/** Who gets an order (N1*ST), if it says so. */
export const consigneeOf = ({ consigneeName }: Order): ReadonlyArray<SegmentDraft> =>
  saying(plainText(consigneeName, 60), "N1", "ST")

/** The numbers of the bill of lading and of the seal of an order, as references (REF or N9). */
export const referencesOf = (
  id: "REF" | "N9",
  { bolNumber, sealNumber }: Order
): ReadonlyArray<SegmentDraft> => [
  ...saying(plainText(bolNumber, 30), id, "BM"),
  ...saying(plainText(sealNumber, 30), id, "SN")
]

/** Whether a carrier is named by its standard code (SCAC). */
export const isScac = (carrier: string): boolean => /^[A-Z]{2,4}$/.test(carrier)

/**
 * The quantity of an item with the code of its unit, in the partner's words. A unit that X12 has no word for is `""`, which cannot be written
 * where it is required.
 */
export const quantityOf = (
  { quantity }: OrderItem,
  [code]: ItemWords
): readonly [quantity: string, unit: string] => [decimal(quantity), code]

/** The words in which an item of an order is told. */
export const wordsFor = ({ words }: Departure, { number }: Order, item: OrderItem): ItemWords =>
  wordsOf(words?.get(number), item)

/** The code of trade items, where it has the form of a UPC of 12 digits: some elements hold nothing else. */
export const upc12 = ({ upc }: OrderItem): string => /^\d{12}$/.test(upc) ? upc : ""

/** A set that is told. */
export interface AdviceSet {
  readonly id: AdviceKind
  readonly segments: ReadonlyArray<SegmentDraft>
}

/** What X12 does not have: it has the visible characters of ASCII, and letters of some languages. */
const outside = /[^ -~ÀÁÂÄàáâäÈÉÊèéêëÌÍÎìíîïÒÓÔÖòóôöÙÚÛÜùúûüÇçÑñ¿¡]/u

/**
 * The parts of a set with characters that X12 does not have, and that not every partner can read, in words.
 */
export const strangeCharacters = ({ id, segments }: AdviceSet): ReadonlyArray<string> =>
  segments.flatMap((each) =>
    each.elements.flatMap((element, index) => {
      const character = outside.exec(String(element))?.[0]
      const place = `${each.id}${String(index + 1).padStart(2, "0")}`
      return character === undefined ? [] : [
        `${place} of the ${id} has the character ${character}, which X12 does not have: not every partner can read it.`
      ]
    })
  )

/** The purposes of a ship notice (BSN01) that replaces, and of one that cancels, another of its number. */
const [replacement, cancellation] = ["05", "01"]

/** The action of an advice that replaces another (W0612), and its place. */
const [replace, action] = ["RX", 12]

const inWords = segment("NTE", "GEN", "REPLACES THE ADVICE OF THIS ORDER AND SHIPMENT THAT WAS SENT BEFORE")

/** The segments before which the note of an advice stands. */
const behindNote = new Set(["W27", "W07", "W14"])

/**
 * What makes a set that tells of a shipment the replacement of one that was sent before (D23.8): a ship notice by its purpose (BSN01), a
 * shipping advice by its action (W0612), and both advices in words, as a receiving advice has no code for it.
 */
export const replacing = (set: AdviceSet): AdviceSet => {
  const { id, segments: [first, ...rest] } = set
  if (first === undefined || isCancellation(set)) return set
  if (id === "856") {
    return { id, segments: [segment("BSN", replacement, ...first.elements.slice(1)), ...rest] }
  }
  const at = rest.findIndex(({ id }) => behindNote.has(id))
  return { id, segments: [id === "945" ? acting(first) : first, ...rest.toSpliced(at, 0, inWords)] }
}

const acting = ({ elements, id }: SegmentDraft): SegmentDraft => {
  const before = Array.from({ length: action - 1 }, (_, index) => elements[index] ?? "")
  return segment(id, ...before, replace)
}

/** A set without the note by which an advice says that it is a replacement. */
export const withoutCorrection = ({ id, segments: [first, ...rest] }: AdviceSet): AdviceSet => ({
  id,
  segments: [
    ...(first === undefined ? [] : [{ ...first, elements: first.elements.slice(0, action - 1) }]),
    ...rest.filter(({ id }) => id !== "NTE")
  ]
})

/** Whether a set cancels the ship notice that was sent before. */
export const isCancellation = ({ id, segments: [first] }: AdviceSet): boolean =>
  id === "856" && first?.elements[0] === cancellation
