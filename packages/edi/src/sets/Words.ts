/**
 * A partner's words for the goods of an order: for each SKU, the code of the unit (X12 data element 355, D1.3) and the qualifier of the SKU
 * (D23.5). Also quantities in the notation of X12.
 *
 * Guarantee: sets to a partner describe goods in the words that the partner last used for their SKU in the order. If one set used several
 * words for the SKU, the words for the pallet or line are used, or else the last words with the same unit, or else the last. A SKU that the
 * partner has not named gets the default words, and a unit that its code did not mean gets the default code. The words of one SKU are never
 * used for another.
 */
import { lpnKey } from "@dockline/core/labels/Lpn"
import type { KeyedItem } from "@dockline/core/shipment/Shipment"

/** A partner's code of a unit, and its meaning. */
export interface UnitCode {
  readonly code: string
  readonly unit: string
}

const codes = { UNIT: ["EA", "UN", "PC"], CASE: ["CA", "CS", "CT", "BX"], PALLET: ["PL", "PF"] }

const units = new Map(Object.entries(codes).flatMap(([unit, read]) => read.map((code) => [code, unit])))

export const unitCodes = Array.from(units.keys()).join(", ")

/** The unit of a code; `undefined` for an unknown code. The agreement with the partner takes precedence. */
export const unitOf = (code: string, partnerUnits: ReadonlyArray<UnitCode> = []): string | undefined =>
  partnerUnits.find((each) => each.code === code)?.unit ?? units.get(code)

const writtenCodes = new Map([["UNIT", "EA"], ["CASE", "CA"], ["PALLET", "PF"]])

/** The default code of a unit; `""` for a unit without a code, which a service may have defined. */
export const codeOf = (unit: string): string => writtenCodes.get(unit) ?? ""

/** A quantity in the notation of X12: digits with a point, without an exponent. */
export const decimal = (quantity: number): string =>
  Math.abs(quantity) < 1e21 && /e/.test(String(quantity))
    ? quantity.toFixed(20).replace(/0{1,20}$/, "")
    : String(quantity)

/**
 * The words for an item: the code of its unit, the qualifier of its SKU, and the unit that the code meant. The qualifier is `""` if the SKU
 * was in an element for UPCs, which has no qualifier.
 */
export type ItemWords = readonly [code: string, qualifier: string, unit: string]

/** The words used for a SKU, the latest last. If there are several, also the index of the words of each item, by the item's key. */
type SkuWords = readonly [said: ReadonlyArray<ItemWords>, ofItems?: Readonly<Record<string, number>>]

/** The words of an order, by its SKUs. */
export type OrderWords = Readonly<Record<string, SkuWords>>

const stockKeeping = "SK"

/** The qualifier to write for a SKU that came in an element for UPCs, without a qualifier. */
export const upcQualifier = "UP"

/** The default words for an item. */
const usual = (unit: string): ItemWords => [codeOf(unit), stockKeeping, unit]

/** The key of an item among the items with the same SKU. */
const keyOf = ({ identifier, lpn }: KeyedItem): string =>
  lpn === "" ? `line ${identifier}` : `plate ${lpnKey(lpn)}`

export const isSame = (left: ItemWords, right: ItemWords): boolean =>
  left.every((word, index) => word === right[index])

/** An item with the words used for it. */
export interface ItemWording extends KeyedItem {
  readonly words: ItemWords
}

/** The words of an order, from the items of a set. */
export const orderWords = (items: ReadonlyArray<ItemWording>): OrderWords =>
  Object.fromEntries(
    Array.from(Map.groupBy(items, ({ sku }) => sku), ([sku, ofSku]) => [sku, skuWords(ofSku)])
  )

const skuWords = (items: ReadonlyArray<ItemWording>): SkuWords => {
  const name = ({ words }: ItemWording): string => JSON.stringify(words)
  const byName = new Map<string, ItemWords>()
  for (const item of items) {
    // Repeated words move to the end.
    byName.delete(name(item))
    byName.set(name(item), item.words)
  }
  const wordings = Array.from(byName.values())
  const places = new Map(Array.from(byName.keys(), (name, place) => [name, place]))
  return wordings.length === 1
    ? [wordings]
    : [wordings, Object.fromEntries(items.map((item) => [keyOf(item), places.get(name(item)) ?? 0]))]
}

/** The words of an order after a set that changes some of its items. */
export const changedWords = (before: OrderWords, change: OrderWords): OrderWords => ({ ...before, ...change })

/** The words of an order as a text; `""` for the default words. */
export const textOf = (words: OrderWords): string => {
  const unusual = Object.entries(words).filter(([, [wordings]]) =>
    wordings.some((each) => !isSame(each, usual(each[2])))
  )
  return unusual.length === 0 ? "" : JSON.stringify(Object.fromEntries(unusual))
}

/** The words of an order, from their stored text. */
export const wordsIn = (text: string): OrderWords => text === "" ? {} : JSON.parse(text) as OrderWords

/** The words for an item with a unit. */
export const wordsOf = (
  words: OrderWords | undefined,
  item: KeyedItem & { readonly quantityUnit: string }
): ItemWords => {
  const { quantityUnit, sku } = item
  const own = usual(quantityUnit)
  if (words === undefined || !Object.hasOwn(words, sku)) return own
  const [wordings, ofItems = {}] = words[sku]!
  const key = keyOf(item)
  const place = Object.hasOwn(ofItems, key) ? ofItems[key] : undefined
  const wording = place === undefined
    ? wordings.findLast(([, , unit]) => unit === quantityUnit) ?? wordings.at(-1)
    : wordings[place]
  if (wording === undefined) return own
  const [code, qualifier, unit] = wording
  return [unit === quantityUnit && code !== "" ? code : own[0], qualifier, quantityUnit]
}
