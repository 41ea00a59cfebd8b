/**
 * The outcome of a plan: what a document created, updated and removed, and the state of the shipment afterwards.
 *
 * Guarantee: the outcome is a function of the snapshot, the plan and the store's new ids, so a dry run has the answer of the real run, with
 * empty ids for new entities (D5.3).
 */
import { Schema } from "effect"
import { checkDigitNote } from "../labels/Lpn.ts"
import type { Location } from "../places/Place.ts"
import { EntityReference, itemReference, orderReference, shipmentReference } from "../shipment/Shipment.ts"
import type { OrderItem, ShipmentAfter } from "../shipment/Shipment.ts"
import { ShipmentView, shipmentView } from "../shipment/View.ts"
import type { Document } from "./Document.ts"
import { compareIds, evolve } from "./Plan.ts"
import type { Before, NewIds, Plan } from "./Plan.ts"

/** The effects of a document. */
export interface Outcome {
  readonly created: ReadonlyArray<EntityReference>
  readonly updated: ReadonlyArray<EntityReference>
  readonly removed: ReadonlyArray<EntityReference>
  readonly shipment: ShipmentAfter
}

/** The effects of a plan on its snapshot, with the ids of created entities. */
export const outcome = (before: Before, plan: Plan, ids: NewIds): Outcome => {
  const { orders, shipment } = evolve(before, plan, ids)
  const created: Array<EntityReference> = []
  const updated: Array<EntityReference> = []
  const removed: Array<OrderItem> = []
  ;(plan.shipment._tag === "Create" ? created : updated).push(shipmentReference(shipment))
  for (const [index, { items, order }] of plan.orders.entries()) {
    const after = orders[index]!
    ;(order._tag === "Create" ? created : updated).push(orderReference(after))
    for (const item of after.items.slice(after.items.length - items.created.length)) {
      created.push(itemReference(item))
    }
    for (const item of items.updated) updated.push(itemReference(item))
    for (const item of items.removed) removed.push(item)
  }
  removed.sort((left, right) => compareIds(left.id, right.id))
  return { created, updated, removed: removed.map(itemReference), shipment }
}

/** The answer to a processed document (WIRE.md, document intake). */
export const IntakeResult = Schema.Struct({
  created: Schema.Array(EntityReference).annotate({ description: "What the document created" }),
  updated: Schema.Array(EntityReference).annotate({
    description: "Existing entities that the document named, changed or not"
  }),
  removed: Schema.Array(EntityReference).annotate({ description: "What the document removed" }),
  shipment: ShipmentView,
  notes: Schema.optionalKey(
    Schema.Array(Schema.String).annotate({
      description:
        "SSCCs with a wrong check digit, which are accepted, and the shipments that orders have left, by id; absent without notes"
    })
  )
}).annotate({ identifier: "IntakeResult", description: "What a document did." })

/** The answer to a processed document. */
export type IntakeResult = typeof IntakeResult.Type

/** The most notes in an answer; further notes are only counted. */
const noteLimit = 100

/** The notes in the answer to a document: SSCCs with a wrong check digit (D22.3), and the shipments that orders have left (D3.3). */
export const notesOf = (document: Document, plan: Plan): ReadonlyArray<string> => {
  const notes = new Set<string>()
  for (const { order } of plan.orders) {
    if (order._tag === "Update" && order.remappedFrom !== null) {
      notes.add(`order ${order.order.number}: it has left shipment ${order.remappedFrom}`)
    }
  }
  for (const { items, orderNumber } of document.orders) {
    for (const { lpn } of items) {
      const note = checkDigitNote(lpn)
      if (note !== undefined) notes.add(`order ${orderNumber}: ${note}`)
    }
  }
  const further = notes.size > noteLimit ? [`${notes.size - noteLimit} more like these`] : []
  return [...Array.from(notes).slice(0, noteLimit), ...further]
}

/** Shows the effects of a document, with its notes. */
export const intakeResult = (
  outcome: Outcome,
  location: Location,
  notes: ReadonlyArray<string> = []
): IntakeResult => ({
  ...outcome,
  shipment: shipmentView(outcome.shipment, location),
  ...(notes.length === 0 ? {} : { notes })
})
