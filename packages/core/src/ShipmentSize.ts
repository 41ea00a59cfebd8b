/**
 * How large a shipment may grow.
 *
 * A shipment is locked, decided on and answered whole. One that outgrew what a statement can return could not be
 * read, changed or repaired any more, so a document that would make it so is refused; one that makes it smaller, or
 * leaves its size, never is.
 */
import type { OrderItemDraft } from "./OrderItem.ts"
import type { OrderChange, Plan } from "./Plan.ts"
import type { Shipment, ShipmentDraft } from "./Shipment.ts"

/** The most items and the most characters of text of one shipment, over all its orders. */
export const limits = { itemLimit: 50_000, textLimit: 32 * 1024 * 1024 }

/** Items, and characters of text. */
export interface Size {
  readonly items: number
  readonly text: number
}

/** Whether the plan makes the shipment larger, and larger than the limits. */
export const growsTooLarge = (plan: Plan, before: Shipment | null): boolean => {
  const after = sizeAfter(plan)
  if (after.items <= limits.itemLimit && after.text <= limits.textLimit) return false
  const was = before === null ? { items: 0, text: 0 } : sizeOf(before)
  return after.items > was.items || after.text > was.text
}

const sizeOf = (shipment: Shipment): Size => ({
  items: shipment.orders.reduce((sum, order) => sum + order.items.length, 0),
  text: headerText(shipment) + shipment.orders.reduce((sum, order) => sum + textOf(order.items), 0)
})

const sizeAfter = (plan: Plan): Size => {
  const kept = plan.untouched.map(({ items }) => items)
  const changed = plan.orders.flatMap((
    change
  ) => [itemsKept(change), change.items.updated, change.items.created])
  const lists: ReadonlyArray<ReadonlyArray<OrderItemDraft>> = [...kept, ...changed]
  return {
    items: lists.reduce((sum, items) => sum + items.length, 0),
    text: headerText(plan.shipment.shipment) + lists.reduce((sum, items) => sum + textOf(items), 0)
  }
}

/** What the change neither removes nor updates. */
const itemsKept = ({ stored, items }: OrderChange): ReadonlyArray<OrderItemDraft> => {
  const gone = new Set([...items.removed, ...items.updated].map(({ id }) => id))
  return stored.filter(({ id }) => !gone.has(id))
}

const headerText = ({ additionalFields }: ShipmentDraft): number =>
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
