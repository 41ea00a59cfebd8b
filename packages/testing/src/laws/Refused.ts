/**
 * The refusals of documents after reading, written from D3.9 of WIRE.md: the law of refusals checks a decision against them.
 */
import type { Document } from "@dockline/core/document/Document"
import type { Snapshot } from "@dockline/core/document/Plan"
import type { OrderItem } from "@dockline/core/shipment/OrderItem"
import { Result } from "effect"
import * as fc from "fast-check"
import { documentsWith, keyInDocument } from "../generators/Generators.ts"
import type { DocumentOptions, NamedStrategies } from "../generators/Generators.ts"
import { situations, snapshots } from "../generators/Situations.ts"
import type { Situation } from "../generators/Situations.ts"

/** The missing parts of a snapshot; mostly none. */
const missing = fc.constantFrom<Partial<Snapshot>>(
  {},
  {},
  {},
  {},
  { dock: null },
  { facility: null, dock: null },
  { business: null, facility: null, dock: null }
)

/**
 * Situations with many reasons to refuse: missing places, orders and items that occur twice, both directions, and cancelled shipments. The
 * shipment has not departed, because another law covers departed ones.
 */
export const refusable = (options: DocumentOptions): fc.Arbitrary<Situation> =>
  fc
    .tuple(
      fc.oneof(
        situations(options),
        fc.record({ document: documentsWith({ ...options, distinct: false }), snapshot: snapshots })
      ),
      missing
    )
    .map(([{ document, snapshot }, missing]) => {
      const { target } = snapshot
      return {
        document: { ...document, shipmentNumber: "S1" },
        snapshot: {
          ...snapshot,
          ...missing,
          target: target === null || target.status !== "DEPARTED" ? target : { ...target, status: "ARRIVED" }
        }
      }
    })

/** The code of the first duplicate in a list of names. */
const twice = (names: ReadonlyArray<readonly [code: string, name: string]>): string | undefined => {
  const clash = names.find(([code, name], index) =>
    names.slice(0, index).some((other) => other[0] === code && other[1] === name)
  )
  return clash?.[0]
}

/** The code with which a document is refused; `undefined` if it is accepted. */
export const refusalOf = (
  document: Document,
  snapshot: Snapshot,
  strategies: NamedStrategies
): string | undefined => {
  const { business, dock, facility, target } = snapshot
  if (business === null) return "BUSINESS_NOT_FOUND"
  if (facility === null) return "FACILITY_NOT_FOUND"
  if (document.dockSlug !== "" && dock === null) return "UNKNOWN_DOCK"
  const duplicate = twice(document.orders.flatMap(({ items, orderNumber }, index) => [
    ["DUPLICATE_ORDER_IN_REQUEST", orderNumber] as const,
    ...items.map((item) => ["DUPLICATE_ITEM_IN_REQUEST", keyInDocument(item, index)] as const)
  ]))
  if (duplicate !== undefined) return duplicate
  if (target?.status === "CANCELLED") return "SHIPMENT_CANCELLED"
  if (target !== null && target.direction !== document.direction) return "SHIPMENT_CONFLICT"
  for (const { items, orderNumber, strategy } of document.orders) {
    if (items.length === 0) continue
    const itemChanges = strategies[strategy]!.apply(itemsOf(orderNumber, document, snapshot), items)
    if (Result.isFailure(itemChanges)) return itemChanges.failure.code
  }
  return undefined
}

/** The present items of an order: on the shipment, or else on the latest eligible one (D3.3). */
const itemsOf = (
  orderNumber: string,
  { direction }: Document,
  { candidates, target }: Snapshot
): ReadonlyArray<OrderItem> => {
  const eligible = candidates
    .filter(({ order, shipmentIsLinked, shipmentStatus }) =>
      order.number === orderNumber && order.direction === direction && shipmentStatus === "SCHEDULED" &&
      !shipmentIsLinked
    )
    .toSorted((one, other) =>
      one.createdAt < other.createdAt
        ? -1
        : one.createdAt > other.createdAt
        ? 1
        : Number(one.order.id) - Number(other.order.id)
    )
  const order = target?.orders.find(({ number }) => number === orderNumber) ?? eligible.at(-1)?.order
  return order?.items ?? []
}
