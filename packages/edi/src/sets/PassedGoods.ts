/**
 * The goods of a shipment that passed the door, as the sets to partners need them: its pallets by their orders (D18.2), and its lines
 * without plates (D23.3).
 *
 * Guarantee: a pallet counts as passed if, net of loading and unloading, it is on the side where its shipment ends (D13.1). The goods of a
 * pallet that no order expects are unknown, so it is listed separately. Lines without plates count as passed if such an unexpected pallet
 * has passed, as the best guess at its load; on a load that partners share, its owner stays unknown. Lines of 0 do not count, and a pallet
 * with only such lines has nothing to tell.
 */
import { lpnKey } from "@dockline/core/labels/Lpn"
import type { OrderItem } from "@dockline/core/shipment/OrderItem"
import { hasPassed } from "@dockline/core/shipment/Shipment"
import type { Order, Shipment } from "@dockline/core/shipment/Shipment"

/** A pallet of an order, with its items. */
export interface OrderPallet {
  readonly lpn: string
  readonly items: ReadonlyArray<OrderItem>
  /** Whether the pallet has passed. */
  readonly hasPassed: boolean
}

/** An order, with the pallets that are expected on it, in the order of its items. */
export interface PassedOrder {
  readonly order: Order
  readonly pallets: ReadonlyArray<OrderPallet>
  /** Its lines without plates. */
  readonly loose: ReadonlyArray<OrderItem>
}

/** A shipment, or its part with the orders of one partner. */
export type PassedShipment = Pick<Shipment, "direction" | "orders" | "pallets">

/** The LPNs of pallets of a shipment that passed although no order expects them; `""` for a pallet without a label. */
export const unexpectedOn = ({ direction, orders, pallets }: PassedShipment): ReadonlyArray<string> => {
  const expected = new Set(orders.flatMap(({ items }) => items.map(({ lpn }) => lpnKey(lpn))))
  return pallets.filter((pallet) =>
    hasPassed(direction, pallet) && (pallet.lpn === "" || !expected.has(lpnKey(pallet.lpn)))
  ).map(({ lpn }) => lpn)
}

/** The orders of a shipment with all of their pallets and lines. */
export const ordersOn = ({ direction, orders, pallets }: PassedShipment): ReadonlyArray<PassedOrder> => {
  const passedLpns = new Set(
    pallets.filter((pallet) => hasPassed(direction, pallet)).map(({ lpn }) => lpnKey(lpn))
  )
  return orders.map((order) => {
    const byLpn = Map.groupBy(order.items.filter(({ lpn }) => lpn !== ""), ({ lpn }) => lpnKey(lpn))
    return {
      order,
      pallets: Array.from(byLpn, ([key, items]) => ({
        lpn: items[0]?.lpn ?? key,
        items: items.filter(hasQuantity),
        hasPassed: passedLpns.has(key)
      })).filter(({ items }) => items.length > 0),
      loose: order.items.filter((item) => item.lpn === "" && hasQuantity(item))
    }
  })
}

const hasQuantity = ({ quantity }: OrderItem): boolean => quantity !== 0

/** The orders with pallets, or lines without plates, that passed; reduced to these. */
export const passedOrders = (
  shipment: PassedShipment,
  unexpected: ReadonlyArray<string>
): ReadonlyArray<PassedOrder> =>
  ordersOn(shipment).flatMap(({ loose, order, pallets }) => {
    const part = {
      order,
      pallets: pallets.filter(({ hasPassed }) => hasPassed),
      loose: unexpected.length > 0 ? loose : []
    }
    return part.pallets.length + part.loose.length === 0 ? [] : [part]
  })
