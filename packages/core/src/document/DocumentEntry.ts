/**
 * What the record of documents keeps of a document that was decided (D13.6).
 */
import { Predicate } from "effect"
import type { Result } from "effect"
import { itemReference, orderReference, shipmentReference } from "../shipment/EntityReference.ts"
import type { EntityReference } from "../shipment/EntityReference.ts"
import type { Document } from "./Document.ts"
import { recordedLimit } from "./DocumentRecord.ts"
import type { DocumentCounts, DocumentEntry, RecordedChange, Sender } from "./DocumentRecord.ts"
import { changesAnything } from "./Plan.ts"
import type { Plan, Snapshot } from "./Plan.ts"

/** What is to be recorded of a document that was decided. */
export const entryOf = (
  document: Document,
  { clientId, correlationId }: Sender,
  { now, target }: Pick<Snapshot, "now" | "target">,
  decided: Result.Result<Plan, unknown>
): DocumentEntry => {
  const asked = {
    receivedAt: now,
    clientId,
    correlationId,
    shipmentNumber: document.shipmentNumber,
    shipmentId: target?.id ?? null,
    orderNumbers: document.orders.map(({ orderNumber }) => orderNumber),
    strategies: Array.from(new Set(document.orders.map(({ strategy }) => strategy)))
  }
  if (decided._tag === "Failure") {
    const counts = { created: 0, updated: 0, removed: 0 }
    return { ...asked, outcome: "REFUSED", code: codeOf(decided.failure), counts, changes: [] }
  }
  const plan = decided.success
  const { changes, counts } = changesOf(plan)
  const changed = changesAnything(plan) ? "UPDATED" : "UNCHANGED"
  return { ...asked, outcome: counts.created > 0 ? "CREATED" : changed, code: "", counts, changes }
}

const codeOf = (refusal: unknown): string =>
  Predicate.hasProperty(refusal, "code") ? String(refusal.code) : ""

const counted = {
  CREATED: "created",
  UPDATED: "updated",
  REMOVED: "removed"
} as const satisfies Record<RecordedChange["change"], keyof DocumentCounts>

const changesOf = ({ orders, shipment }: Plan): Pick<DocumentEntry, "changes" | "counts"> => {
  const changes: Array<RecordedChange> = []
  const counts = { created: 0, updated: 0, removed: 0 }
  const add = (change: RecordedChange["change"], { id, reference, type }: EntityReference) => {
    counts[counted[change]]++
    if (changes.length < recordedLimit) changes.push({ change, type, id, reference })
  }
  for (const { items: { removed } } of orders) {
    for (const item of removed) add("REMOVED", itemReference(item))
  }
  if (shipment._tag === "Create") {
    add("CREATED", shipmentReference({ id: "", number: shipment.shipment.number }))
  } else add("UPDATED", shipmentReference(shipment.shipment))
  for (const { items, order } of orders) {
    if (order._tag === "Create") add("CREATED", orderReference({ id: "", number: order.order.number }))
    else add("UPDATED", orderReference(order.order))
    for (const { identifier, lpn, sku } of items.created) {
      add("CREATED", itemReference({ id: "", identifier, lpn, sku }))
    }
    for (const item of items.updated) add("UPDATED", itemReference(item))
  }
  return { changes, counts }
}
