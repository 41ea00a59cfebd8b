/**
 * Orders that belong to somebody: to the partner of an exchange whose file wrote them first (D23.2).
 *
 * Guarantee: a document that is submitted in the name of an owner changes nothing of another owner. It names no order of another, and
 * leaves the fields of a shipment that is another's as they are. What belongs to nobody is its own from then on. A document
 * that is submitted in nobody's name, as customers' own systems do, is bound by no ownership, and changes none.
 */
import type { OrderHeader, Shipment, ShipmentHeader } from "../shipment/Shipment.ts"
import { InvalidRequest } from "../values/Errors.ts"
import type { Document } from "./Document.ts"
import type { OrderChange, Plan, ShipmentChange, Snapshot } from "./Plan.ts"
import * as Remap from "./Remap.ts"

/** Something that may belong to somebody. */
type OwnerOf = Pick<OrderHeader, "owner">

const isOfAnother = ({ owner }: OwnerOf, name: string): boolean => owner !== undefined && owner !== name

/** Whether anything of a shipment belongs to another: its own fields, or one of its orders. */
export const hasOthers = (
  { orders, ...shipment }: OwnerOf & { readonly orders: ReadonlyArray<OwnerOf> },
  owner: string
): boolean => [shipment, ...orders].some((each) => isOfAnother(each, owner))

/** Why a document may not be decided in the name of an owner: it names orders of another. */
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

/** A plan in the name of an owner, which names no order of another. A departed shipment is final: nothing of it becomes anybody's. */
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
