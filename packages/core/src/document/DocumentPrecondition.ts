/**
 * The precondition of a document: a condition on the stored state without which the document is refused (D20.4).
 *
 * Guarantee: it is checked as part of the document's decision, after its other refusals; the store decides under locks. If several
 * documents expect the same version of a shipment and would change it, at most one of them is accepted.
 */
import { PreconditionFailed } from "../values/RequestErrors.ts"
import type { Document } from "./Document.ts"
import type { Plan, Snapshot } from "./Plan.ts"

/** The conditions, all of which must hold. */
export interface DocumentPrecondition {
  /** No order of the facility has the number of an order of the document, on any shipment in any status. */
  readonly ordersAreNew?: boolean | undefined
  /** The shipment exists, and its version is one of these; `"*"` matches any version. */
  readonly versions?: ReadonlyArray<number | "*"> | undefined
  /**
   * The only order of the document has not moved since it was read: the order has this id and is on the document's shipment, or, for
   * `null`, no open order on another shipment has its number and direction. Otherwise the document would move an order back or create a
   * second one.
   */
  readonly order?: string | null | undefined
}

/** The precondition as programs and GraphQL write it. */
export interface PreconditionOptions {
  /** Accept the document only if none of its orders exists at the facility. */
  readonly ifNew?: boolean | null | undefined
  /** Accept the document only if the shipment has this version. */
  readonly ifVersion?: number | null | undefined
}

/** Reads the precondition of options. */
export const preconditionOf = ({ ifNew, ifVersion }: PreconditionOptions): DocumentPrecondition => ({
  ordersAreNew: ifNew ?? false,
  versions: typeof ifVersion === "number" ? [ifVersion] : undefined
})

/** Whether the precondition depends on order numbers in use on other shipments. */
export const needsNumbersInUse = ({ order, ordersAreNew = false }: DocumentPrecondition): boolean =>
  ordersAreNew || order === null

/** The refusal of a document with this plan; `undefined` if the precondition holds. */
export const failureOf = (
  { order: id, ordersAreNew = false, versions }: DocumentPrecondition,
  { shipmentNumber }: Document,
  { numbersInUse = [], target }: Snapshot,
  { orders }: Plan
): PreconditionFailed | undefined => {
  const inUse = new Map(numbersInUse.map(({ isOpen, orderNumber }) => [orderNumber, isOpen]))
  if (
    versions !== undefined &&
    !versions.some((each) => target !== null && (each === "*" || each === target.version))
  ) {
    return new PreconditionFailed({
      detail: target === null
        ? `There is no shipment ${shipmentNumber}, and nothing was done`
        : `The shipment ${shipmentNumber} has version ${target.version} by now, and nothing was done; read it again, and send the document with its new ETag`
    })
  }
  const old = ordersAreNew
    ? orders.find(({ order }) => order._tag === "Update" || inUse.has(order.order.number))
    : undefined
  if (old !== undefined) {
    return new PreconditionFailed({
      detail: `The facility has an order ${old.order.order.number} already, and nothing was done`
    })
  }
  const isWhereItWas = id === undefined || orders.every(({ order }) =>
    order._tag === "Create"
      ? id === null && inUse.get(order.order.number) !== true
      : order.remappedFrom === null && (id === null || order.order.id === id)
  )
  return isWhereItWas ? undefined : new PreconditionFailed({
    detail:
      "Another request has moved the order meanwhile, and nothing was done; send the request again, under a new key if it has one"
  })
}
