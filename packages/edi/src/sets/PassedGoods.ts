/**
 * What passed the door on a shipment, as the sets that tell partners of it need it: its pallets by their orders (D18.2), and its lines
 * without plates (D23.3).
 *
 * Guarantee: a pallet is told if it remains on the side at which its shipment ends (D13.1), loaded or unloaded net. Where no order
 * expects a pallet, nobody knows its goods: it is told apart. Lines without plates have passed if a pallet has that no order expects, as
 * nothing says better what was on it; on a load that partners share, nothing says whose it was. Lines of 0 are none, and pallets of such
 * lines have nothing that could be told.
 */
import { lpnKey } from "@dockline/core/labels/Lpn"
import type { OrderItem } from "@dockline/core/shipment/OrderItem"
import { hasPassed } from "@dockline/core/shipment/Shipment"
import type { Order, Shipment } from "@dockline/core/shipment/Shipment"

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
  /** Its lines without plates. */
  readonly loose: ReadonlyArray<OrderItem>
}

/** A shipment, or the part of it with the orders of one partner. */
export type PassedShipment = Pick<Shipment, "direction" | "orders" | "pallets">

/** The LPNs of pallets of a shipment that passed and that no order expects; `""` for one without a label. */
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

/** The orders of which a pallet or a line without a plate passed, with those alone. */
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
