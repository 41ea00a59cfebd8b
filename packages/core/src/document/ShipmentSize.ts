/**
 * Limits the size of a shipment, which is locked, decided on and answered as a whole: a larger shipment could not be read,
 * changed or repaired any more. A document that keeps or reduces the size is never refused.
 */
import { itemFields } from "../shipment/OrderItem.ts"
import type { OrderItemDraft } from "../shipment/OrderItem.ts"
import type { Shipment, ShipmentDraft } from "../shipment/Shipment.ts"
import * as Row from "../values/FieldTable.ts"

/** The most items and the most characters of text of one shipment, over all its orders. */
export const limits = { itemLimit: 50_000, textLimit: 32 * 1024 * 1024 }

export interface Size {
  readonly items: number
  readonly text: number
}

/** Whether a shipment becomes larger than the limits, and larger than it was before. */
export const growsTooLarge = (after: Size, before: Shipment | null): boolean => {
  if (after.items <= limits.itemLimit && after.text <= limits.textLimit) return false
  if (before === null) return true
  const was = sizeOf(before, before.orders.map(({ items }) => items))
  return after.items > was.items || after.text > was.text
}

/** The size of a shipment with these items, list by list. */
export const sizeOf = (
  shipment: Pick<ShipmentDraft, "additionalFields">,
  lists: ReadonlyArray<ReadonlyArray<OrderItemDraft>>
): Size => ({
  items: lists.reduce((sum, items) => sum + items.length, 0),
  text: headerText(shipment) + lists.reduce((sum, items) => sum + textOf(items), 0)
})

const headerText = ({ additionalFields }: Pick<ShipmentDraft, "additionalFields">): number =>
  additionalFields.reduce((sum, { name, value }) => sum + name.length + value.length, 0)

const textOf = (items: ReadonlyArray<OrderItemDraft>): number => {
  let text = 0
  for (const item of items) {
    for (const name of itemTexts) text += item[name].length
    for (const { id } of item.caseSerials) text += id.length + serialOverhead
  }
  return text
}

/** The names of the texts of an item; dates are of one length. */
const itemTexts = Row.namesOfKinds(itemFields, ["text", "key", "word"])

/** The cost of a serial beside its text: its quantity and its place in a list. */
const serialOverhead = 32
