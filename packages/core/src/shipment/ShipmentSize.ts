/**
 * The size of shipments and orders, which counts in the budget of a page and limits a shipment.
 *
 * A shipment is locked, decided on and answered as a whole: a shipment beyond the limits could no longer be read, changed or repaired. A
 * document that keeps or reduces the size is never refused for it.
 */
import * as FieldTable from "../values/FieldTable.ts"
import type { EntrySize } from "../values/Page.ts"
import { emptyOrderFields, emptyOrderItem, orderFields, shipmentFields } from "./Shipment.ts"
import type { Order, OrderDraft, OrderItemDraft, Shipment, ShipmentDraft } from "./Shipment.ts"

/** The most items and characters of text of a shipment. By default, one document has at most half as many items. */
export const limits = { itemLimit: 20_000, textLimit: 16 * 1024 * 1024 }

interface Size {
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
  text: textOfPairs(shipment) + lists.reduce((sum, items) => sum + textOf(items), 0)
})

/** The approximate number of characters of an answer with these items of a shipment in JSON. */
export const answerTextOf = (
  shipment: Pick<ShipmentDraft, "additionalFields">,
  lists: ReadonlyArray<ReadonlyArray<OrderItemDraft>>
): number => {
  const { items, text } = sizeOf(shipment, lists)
  return lists.length * orderText + items * itemText + text
}

/** The approximate number of characters of an order in JSON, without its items. */
export const orderText = JSON.stringify(emptyOrderFields).length + 200

/** The approximate number of characters of an item in JSON beside its texts. */
export const itemText = JSON.stringify(emptyOrderItem).length + 40

/** The largest answer with a shipment, in characters, that is loaded without checking its size first. */
export const smallAnswer = 128 * 1024

/** The characters of a shipment without its orders. */
export const textOfHeader = (shipment: ShipmentDraft): number =>
  textOfPairs(shipment) +
  shipmentTexts.reduce((sum, name) => sum + shipment[name].length, shipment.number.length)

/** The size of an order with these items, list by list: the order and each item count as a row. */
export const sizeOfOrder = (
  order: OrderDraft,
  lists: ReadonlyArray<ReadonlyArray<OrderItemDraft>>
): EntrySize => ({
  rows: lists.reduce((sum, items) => sum + items.length, 1),
  text: lists.reduce(
    (sum, items) => sum + textOf(items),
    orderTexts.reduce((sum, name) => sum + order[name].length, order.number.length)
  )
})

/** The size of one item: a row with the characters of its texts. */
export const sizeOfItem = (item: OrderItemDraft): EntrySize => ({ rows: 1, text: textOf([item]) })

/** The size of a shipment with its orders: the shipment and each order, item and pallet count as a row. */
export const sizeOfShipment = (shipment: Shipment): EntrySize => {
  const sizes = shipment.orders.map((order: Order) => sizeOfOrder(order, [order.items]))
  return {
    rows: sizes.reduce((sum, { rows }) => sum + rows, 1 + shipment.pallets.length),
    text: sizes.reduce((sum, { text }) => sum + text, textOfHeader(shipment))
  }
}

const textOfPairs = ({ additionalFields }: Pick<ShipmentDraft, "additionalFields">): number =>
  additionalFields.reduce((sum, { name, value }) => sum + name.length + value.length, 0)

const textOf = (items: ReadonlyArray<OrderItemDraft>): number => {
  let text = 0
  for (const item of items) {
    text += textOfItem(item)
    for (const { id } of item.caseSerials) text += id.length + serialOverhead
  }
  return text
}

/**
 * The characters of an item's texts. Dates are left out, because all have the same length. The fields are listed by hand, because every
 * document counts all of its items, and a loop over the table of fields takes several times as long. A test ensures that no text is left
 * out.
 */
const textOfItem = (item: OrderItemDraft): number =>
  item.identifier.length + item.lpn.length + item.sku.length + item.quantityUnit.length +
  item.purchaseOrder.length + item.description.length + item.upc.length + item.weightUnit.length +
  item.dimensionUnit.length + item.lot.length

const orderTexts = FieldTable.namesOfKinds(orderFields, ["text"])

const shipmentTexts = FieldTable.namesOfKinds(shipmentFields, ["text"])

/** The approximate number of characters of a serial in JSON beside its text. */
const serialOverhead = 32
