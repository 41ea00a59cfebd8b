/**
 * Generated histories of the facilities of one business: documents, many of them for the shipment or the items of an earlier one; now and
 * then such a shipment arrives, departs or is linked.
 */
import type { Document } from "@dockline/core/document/Document"
import * as fc from "fast-check"
import { documentsWith } from "./Generators.ts"
import type { NamedStrategies } from "./Generators.ts"

/** The later state of a document's shipment. */
export type AlteredTo = "ARRIVED" | "DEPARTED" | "LINKED" | "CANCELLED"

/** One event at a facility: a document, or a new state of a document's shipment. */
export type FacilityStep =
  | { readonly _tag: "Submit"; readonly document: Document }
  | { readonly _tag: "Alter"; readonly document: Document; readonly to: AlteredTo }

/** A step before its predecessors are known. */
interface Draw {
  readonly document: Document
  readonly to: AlteredTo | undefined
  /** Selects the earlier document to which it returns. */
  readonly back: number
  /** The part that a document repeats of the earlier one; a new state applies to the shipment of the earlier document. */
  readonly again: "nothing" | "shipment" | "items"
}

const happening = fc.constantFrom(
  undefined,
  undefined,
  undefined,
  undefined,
  undefined,
  undefined,
  "ARRIVED" as const,
  "DEPARTED" as const,
  "LINKED" as const,
  "CANCELLED" as const
)

/** The items of an earlier document, with the strategy and the content of a later one. */
const onItemsOf = (earlier: Document, later: Document): Document["orders"] => {
  const content = later.orders.flatMap(({ items }) => items)
  return earlier.orders.map((order, index) => ({
    ...order,
    strategy: (later.orders[index] ?? later.orders[0]!).strategy,
    items: order.items.map((item, position) => {
      const { identifier, lpn, sku } = item
      const variant = { ...item, ...content[position], lpn, sku }
      return lpn === "" ? { ...variant, identifier } : variant
    })
  }))
}

const stepsOf = (draws: ReadonlyArray<Draw>): ReadonlyArray<FacilityStep> => {
  const documents: Array<Document> = []
  return draws.map(({ again, back, document, to }): FacilityStep => {
    const earlier = documents.at(-1 - back) ?? documents[0] ?? document
    if (to !== undefined) return { _tag: "Alter", document: earlier, to }
    const { direction, facility, shipmentNumber } = again === "nothing" ? document : earlier
    const orders = again === "items" ? onItemsOf(earlier, document) : document.orders
    const fields = { ...document, direction, facility, shipmentNumber, orders }
    documents.push(fields)
    return { _tag: "Submit", document: fields }
  })
}

/** The events, one after another, with the documents' strategies. */
export const facilityHistories = (
  strategies?: NamedStrategies
): fc.Arbitrary<ReadonlyArray<FacilityStep>> => {
  const options = strategies === undefined ? {} : { strategies }
  const step = fc.record({
    document: fc.oneof(
      { weight: 3, arbitrary: documentsWith(options) },
      { weight: 1, arbitrary: documentsWith({ ...options, distinct: false }) }
    ),
    to: happening,
    back: fc.nat(2),
    again: fc.constantFrom("nothing" as const, "shipment" as const, "items" as const)
  })
  return fc.array(step, { minLength: 1, maxLength: 10, size: "medium" }).map(stepsOf)
}
