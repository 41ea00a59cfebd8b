/**
 * What passed the door on a shipment, as the sets that tell partners of it need it: its pallets by their orders (D18.2).
 *
 * Guarantee: a pallet is told if it remains on the side at which its shipment ends (D13.1), loaded or unloaded net. Where no order
 * expects a pallet, nobody knows its goods: it is told apart.
 */
import type { Order } from "@dockline/core/Order"
import type { OrderItem } from "@dockline/core/OrderItem"
import { hasPassed } from "@dockline/core/SeenPallet"
import type { Shipment } from "@dockline/core/Shipment"

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
}

interface Passed {
  readonly orders: ReadonlyArray<PassedOrder>
  /** The LPNs of pallets that passed and that no order expects; `""` for one without a label. */
  readonly unexpected: ReadonlyArray<string>
}

/** The orders of which a pallet passed, with those pallets alone. */
export const passedOrders = (shipment: Parameters<typeof passedOf>[0]): ReadonlyArray<PassedOrder> =>
  passedOf(shipment).orders.flatMap(({ order, pallets }) => {
    const passed = pallets.filter(({ hasPassed }) => hasPassed)
    return passed.length === 0 ? [] : [{ order, pallets: passed }]
  })

export const passedOf = (
  { direction, orders, pallets }: Pick<Shipment, "direction" | "orders" | "pallets">
): Passed => {
  const passed = new Set(pallets.filter((pallet) => hasPassed(direction, pallet)).map(({ lpn }) => lpn))
  const expected = new Set<string>()
  const ofOrders = orders.map((order) => {
    const byLpn = Map.groupBy(order.items.filter(({ lpn }) => lpn !== ""), ({ lpn }) => lpn)
    for (const lpn of byLpn.keys()) expected.add(lpn)
    return {
      order,
      pallets: Array.from(byLpn, ([lpn, items]) => ({ lpn, items, hasPassed: passed.has(lpn) }))
    }
  })
  return { orders: ofOrders, unexpected: Array.from(passed).filter((lpn) => !expected.has(lpn)) }
}
