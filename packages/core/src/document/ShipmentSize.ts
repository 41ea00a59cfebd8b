/**
 * How large a shipment may grow.
 *
 * A shipment is locked, decided on and answered whole. One that outgrew what a statement can return could not be
 * read, changed or repaired any more, so a document that would make it so is refused; one that makes it smaller, or
 * leaves its size, never is.
 */
import type { OrderItemDraft } from "../shipment/OrderItem.ts"
import type { ShipmentDraft } from "../shipment/Shipment.ts"

/** The most items and the most characters of text of one shipment, over all its orders. */
export const limits = { itemLimit: 50_000, textLimit: 32 * 1024 * 1024 }

/** Items, and characters of text. */
export interface Size {
  readonly items: number
  readonly text: number
}

/** Whether a shipment becomes larger than the limits, and larger than it was before. */
export const growsTooLarge = (after: Size, before: () => Size): boolean => {
  if (after.items <= limits.itemLimit && after.text <= limits.textLimit) return false
  const was = before()
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
    text += item.identifier.length + item.lpn.length + item.sku.length + item.quantityUnit.length +
      item.purchaseOrder.length + item.description.length + item.upc.length + item.weightUnit.length +
      item.dimensionUnit.length + item.lot.length
    for (const { id } of item.caseSerials) text += id.length + serialOverhead
  }
  return text
}

/** A serial costs its quantity and its place in a list beside its text. */
const serialOverhead = 32
