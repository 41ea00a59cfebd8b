/**
 * The answer to a document: what it created, updated and removed, and the shipment as it is afterwards.
 */
import type { NewIds } from "./Database.ts"
import type { OrderAfter, Plan } from "./Decide.ts"
import type { ItemFields, ItemRow, Place } from "./Model.ts"

interface Reference {
  readonly type: "SHIPMENT" | "ORDER" | "ORDER_ITEM"
  readonly id: string
  readonly reference: string
}

type ItemView = ItemFields & { readonly id: string }

/** Makes the answer; `ids` are those of what was created, in the order of the plan. */
export const answer = (plan: Plan, ids: NewIds, place: Place) => {
  const created: Array<Reference> = []
  const updated: Array<Reference> = []
  const removed: Array<ItemRow> = []
  const orderIds = ids.orders.values()
  const itemIds = ids.items.values()
  const { shipment } = plan
  ;(shipment.id === null ? created : updated).push({
    type: "SHIPMENT",
    id: ids.shipment,
    reference: shipment.number
  })
  const orders = plan.orders.map((change) => {
    const id = change.order.id ?? orderIds.next().value!
    ;(change.order.id === null ? created : updated).push({
      type: "ORDER",
      id,
      reference: change.order.number
    })
    const items: Array<ItemView> = [...change.kept]
    for (const fields of change.created) {
      const item = { id: itemIds.next().value!, ...fields }
      items.push(item)
      created.push(itemReference(item))
    }
    for (const item of change.updated) updated.push(itemReference(item))
    removed.push(...change.removed)
    return orderView(change.order, id, items)
  })
  for (const { items, order } of plan.others) orders.push(orderView(order, order.id, items))
  return {
    created,
    updated,
    removed: removed.sort((left, right) => Number(left.id) - Number(right.id)).map(itemReference),
    shipment: {
      id: Number(ids.shipment),
      shipmentNumber: shipment.number,
      status: shipment.status,
      direction: shipment.direction,
      business: { slug: place.businessSlug, name: place.businessName },
      facility: { slug: place.facilitySlug, name: place.facilityName },
      expectedArrivalAt: shipment.expectedArrivalAt.toISOString(),
      scheduledAt: shipment.scheduledAt.toISOString(),
      trailerNumber: shipment.trailerNumber,
      dockId: shipment.dockId ?? "",
      dockSlug: shipment.dockSlug ?? "",
      carrier: shipment.carrier,
      additionalFields: shipment.additionalFields,
      statusEvents: [
        statusEvent("SCHEDULED", "Scheduled", shipment.scheduledAt),
        statusEvent("ARRIVED", "Arrived", shipment.arrivedAt),
        statusEvent("DEPARTED", "Departed", shipment.departedAt)
      ],
      progress: progressOf(shipment, orders),
      orders: orders.sort((left, right) => Number(left.id) - Number(right.id))
    }
  }
}

/** The direction in which the pallets of a shipment pass for good. */
const directions: Readonly<Record<string, string>> = { OUTBOUND: "LOADING", INBOUND: "UNLOADING" }

const progressOf = (
  { direction, pallets }: Plan["shipment"],
  orders: ReadonlyArray<{ readonly items: ReadonlyArray<{ readonly lpn: string }> }>
) => {
  const expected = new Set<string>()
  for (const { items } of orders) for (const { lpn } of items) if (lpn !== "") expected.add(lpn)
  const passed = pallets.filter(([, first, last]) =>
    first === last && (directions[direction] ?? last) === last
  )
  const unexpected = passed.filter(([lpn]) => !expected.has(lpn)).length
  return {
    expectedPallets: expected.size,
    passedPallets: passed.length,
    missingPallets: expected.size - (passed.length - unexpected),
    unexpectedPallets: unexpected
  }
}

const statusEvent = (status: string, displayName: string, at: Date | null) => ({
  status,
  displayName,
  completed: at !== null,
  completedAt: at?.toISOString() ?? ""
})

const itemReference = (item: ItemView): Reference => ({
  type: "ORDER_ITEM",
  id: item.id,
  reference: item.identifier || item.lpn || item.sku
})

// Fields that the response schema does not name, such as orderId of an item, are not written.
const orderView = (order: OrderAfter, id: string, items: ReadonlyArray<ItemView>) => ({
  ...order,
  id,
  orderNumber: order.number,
  items
})
