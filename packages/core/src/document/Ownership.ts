/**
 * Ownership of orders: an order belongs to the partner of an exchange whose file wrote it first (D23.2).
 *
 * Guarantee: a document in the name of an owner changes nothing that belongs to another owner: it is refused if it names an order of
 * another owner, and leaves the fields of another owner's shipment unchanged. Entities without an owner get this owner. A document without
 * an owner, such as one from a customer's own system, may change anything and leaves ownership as it is.
 */
import type { OrderHeader, Shipment, ShipmentHeader } from "../shipment/Shipment.ts"
import { InvalidRequest } from "../values/Errors.ts"
import type { Document } from "./Document.ts"
import type { OrderChange, Plan, ShipmentChange, Snapshot } from "./Plan.ts"
import * as Remap from "./Remap.ts"

/** An entity that may have an owner. */
type OwnerOf = Pick<OrderHeader, "owner">

const isOfAnother = ({ owner }: OwnerOf, name: string): boolean => owner !== undefined && owner !== name

/** Whether a shipment or one of its orders belongs to another owner. */
export const hasOthers = (
  { orders, ...shipment }: OwnerOf & { readonly orders: ReadonlyArray<OwnerOf> },
  owner: string
): boolean => [shipment, ...orders].some((each) => isOfAnother(each, owner))

/** The refusal of a document in the name of `owner` that names orders of another owner. */
export const foreignOrders = (
  { direction, orders }: Document,
  { candidates, target }: Snapshot,
  owner: string
): InvalidRequest | undefined => {
  const onTarget = new Map(target?.orders.map((order) => [order.number, order]))
  const choose = Remap.choose(candidates)
  const errors = orders.flatMap(({ orderNumber }, index) => {
    const order = onTarget.get(orderNumber) ?? choose(orderNumber, direction)?.order
    return order !== undefined && isOfAnother(order, owner)
      ? [{
        path: `orders[${index}].orderNumber`,
        detail: `names the order ${orderNumber}, which belongs to another partner`
      }]
      : []
  })
  return errors.length === 0 ? undefined : new InvalidRequest({ errors })
}

/**
 * The plan in the name of an owner, for a document that names no order of another owner. The entities of a departed shipment get no owner,
 * because it is final.
 */
export const withOwner = (plan: Plan, { target }: Snapshot, owner: string): Plan =>
  target?.status === "DEPARTED"
    ? plan
    : { shipment: ownedShipment(plan.shipment, target, owner), orders: plan.orders.map(ownedOrder(owner)) }

const ownedShipment = (change: ShipmentChange, target: Shipment | null, owner: string): ShipmentChange => {
  if (change._tag === "Create") return { ...change, shipment: { ...change.shipment, owner } }
  if (target !== null && isOfAnother(target, owner)) return unchanged(target)
  return change.shipment.owner === owner
    ? change
    : { ...change, shipment: { ...change.shipment, owner }, isChanged: true }
}

const unchanged = ({ orders: _orders, pallets: _pallets, ...shipment }: Shipment): ShipmentChange => ({
  _tag: "Update",
  shipment: shipment satisfies ShipmentHeader,
  isChanged: false
})

const ownedOrder = (owner: string) => (change: OrderChange): OrderChange => {
  const { order } = change
  if (order._tag === "Create") return { ...change, order: { ...order, order: { ...order.order, owner } } }
  return order.order.owner === owner
    ? change
    : { ...change, order: { ...order, order: { ...order.order, owner }, isChanged: true } }
}
