/**
 * What a plan makes of the counts of its shipment and orders. A storage may keep them, so that a list finds shipments with
 * discrepancies (D13.4) and cuts its pages without looking at items and pallets. `test/storage/Differential.test.ts` holds
 * what is kept against what is read.
 */
import { countDiscrepancies, isDiscrepant } from "../shipment/Discrepancies.ts"
import type { DiscrepancyCounts } from "../shipment/Discrepancies.ts"
import { sizeOfOrder } from "../shipment/ShipmentSize.ts"
import type { EntrySize } from "../values/Page.ts"
import { itemsAfter, itemsOfOrders } from "./Plan.ts"
import type { Before, Plan } from "./Plan.ts"

/** The counts after a plan. */
export interface PlanCounts {
  readonly discrepancies: DiscrepancyCounts
  /** Whether there are any; documents do not change cancelled shipments, which have none. */
  readonly isDiscrepant: boolean
  /** Of each order of the plan, its size, and whether it had another before. */
  readonly orders: ReadonlyArray<EntrySize & { readonly isChanged: boolean }>
}

/** The counts of the shipment and the orders of a plan. */
export const countsAfter = (before: Before, plan: Plan): PlanCounts => {
  const { target } = before
  const { direction, dock } = plan.shipment.shipment
  const discrepancies = countDiscrepancies({
    direction,
    dock,
    orders: itemsAfter(before, plan).map((items) => ({ items })),
    pallets: target?.pallets ?? []
  })
  const itemsOf = itemsOfOrders(before)
  return {
    discrepancies,
    isDiscrepant: isDiscrepant(plan.shipment.shipment.status, discrepancies),
    orders: plan.orders.map((change) => {
      const { had, left } = itemsOf(change)
      const size = sizeOfOrder(change.order.order, [left, change.items.created])
      if (had === undefined) return { ...size, isChanged: true }
      // What else changes of an order is written with it.
      const was = sizeOfOrder(change.order.order, [had])
      return { ...size, isChanged: was.rows !== size.rows || was.text !== size.text }
    })
  }
}
