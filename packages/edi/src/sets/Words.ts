/**
 * The words in which a partner says goods: the code of the unit and the qualifier of the SKU of each item of an order (D23.5).
 *
 * Guarantee: what is told of an item in its unit has the partner's words; an item that the partner has not said, or that has another unit
 * since, has those that are told anyway.
 */
import { lpnKey } from "@dockline/core/labels/Lpn"
import type { KeyedItem } from "@dockline/core/shipment/OrderItem"
import { codeOf } from "./Units.ts"

/** The words of an item: the code of its unit, the qualifier of its SKU, and the unit that the code meant. */
export type ItemWords = readonly [code: string, qualifier: string, unit: string]

/** The words of an order: of items by their keys, and under `""` those of all others. */
export type OrderWords = Readonly<Record<string, ItemWords>>

const stockKeeping = "SK"

/** The words of an item of which nothing else is known. */
const usual = (unit: string): ItemWords => [codeOf(unit), stockKeeping, unit]

const keyOf = ({ identifier, lpn, sku }: KeyedItem): string =>
  JSON.stringify([lpnKey(lpn), sku, lpn === "" ? identifier : ""])

const isSame = (left: ItemWords, right: ItemWords | undefined): boolean =>
  right !== undefined && left.every((word, index) => word === right[index])

/** An item with the words in which it was said. */
export interface SaidItem extends KeyedItem {
  readonly words: ItemWords
}

/** The words of an order as a text; `""` where they are those that are told anyway. */
export const wordsText = (items: ReadonlyArray<SaidItem>): string => {
  const [first] = items
  if (first === undefined || items.every(({ words }) => isSame(words, usual(words[2])))) return ""
  const others = items.filter(({ words }) => !isSame(words, first.words))
  return JSON.stringify({
    "": first.words,
    ...Object.fromEntries(others.map((item) => [keyOf(item), item.words]))
  })
}

/** The words of an order that were kept as a text. */
export const wordsIn = (text: string): OrderWords => JSON.parse(text) as OrderWords

/** The words in which an item of a unit is told. */
export const wordsOf = (
  words: OrderWords | undefined,
  item: KeyedItem & { readonly quantityUnit: string }
): ItemWords => {
  const key = keyOf(item)
  const said = words !== undefined && Object.hasOwn(words, key) ? words[key] : words?.[""]
  const own = usual(item.quantityUnit)
  if (said === undefined) return own
  const [code, qualifier, unit] = said
  return [unit === item.quantityUnit && code !== "" ? code : own[0], qualifier, item.quantityUnit]
}
