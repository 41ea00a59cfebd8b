/**
 * What is told of a shipment in each set that is sent: who tells it, when, and in which words.
 */
import type { Order } from "@dockline/core/shipment/Order"
import type { OrderItem } from "@dockline/core/shipment/OrderItem"
import type { Shipment } from "@dockline/core/shipment/Shipment"
import type { AdviceKind } from "../domain/EdiPartner.ts"
import { segment } from "../x12/Segment.ts"
import type { SegmentDraft } from "../x12/Segment.ts"
import { plainText } from "../x12/X12Writer.ts"
import type { LocalTime } from "./Times.ts"
import { decimal } from "./Units.ts"
import { wordsOf } from "./Words.ts"
import type { ItemWords, OrderWords } from "./Words.ts"

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

/** What of a set has characters that X12 does not have, and that not every partner can read: in words. */
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
