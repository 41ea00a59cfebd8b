/**
 * What the record of documents keeps of a document that was decided (D13.6).
 */
import { Predicate } from "effect"
import type { Result } from "effect"
import { lpnKey } from "../labels/Lpn.ts"
import { itemReference, orderReference, shipmentReference } from "../shipment/internal/EntityReference.ts"
import type { EntityReference } from "../shipment/internal/EntityReference.ts"
import { haveSameKey, itemKey } from "../shipment/OrderItem.ts"
import type { OrderItem, OrderItemDraft } from "../shipment/OrderItem.ts"
import type { Document } from "./Document.ts"
import { recordedLimit } from "./DocumentRecord.ts"
import type { DocumentCounts, DocumentEntry, RecordedChange, Sender } from "./DocumentRecord.ts"
import { changesAnything } from "./Plan.ts"
import type { Plan, Snapshot } from "./Plan.ts"

/** The entry to be recorded of a document that was decided. */
export const entryOf = (
  document: Document,
  { clientId, correlationId }: Sender,
  { now, target }: Pick<Snapshot, "now" | "target">,
  decision: Result.Result<Plan, unknown>
): DocumentEntry => {
  const origin = {
    receivedAt: now,
    clientId,
    correlationId,
    shipmentNumber: document.shipmentNumber,
    shipmentId: target?.id ?? null,
    orderNumbers: document.orders.map(({ orderNumber }) => orderNumber),
    strategies: Array.from(new Set(document.orders.map(({ strategy }) => strategy)))
  }
  if (decision._tag === "Failure") {
    return { ...origin, ...nothing, outcome: "REFUSED", code: codeOf(decision.failure) }
  }
  const plan = decision.success
  const { counts, ...changes } = changesOf(plan)
  const outcome = changesAnything(plan) ? "UPDATED" : "UNCHANGED"
  return { ...origin, outcome: counts.created > 0 ? "CREATED" : outcome, code: "", counts, ...changes }
}

/** What a refused document did. */
const nothing = {
  counts: { created: 0, updated: 0, removed: 0, replaced: 0 },
  changes: [],
  removedLpns: []
}

const codeOf = (refusal: unknown): string =>
  Predicate.hasProperty(refusal, "code") ? String(refusal.code) : ""

const countNames = {
  CREATED: "created",
  UPDATED: "updated",
  REMOVED: "removed"
} as const satisfies Record<RecordedChange["change"], keyof DocumentCounts>

/**
 * What a plan removes: what it does not create again, and what it does. Mostly the same items come again in the same order, so
 * that these are compared before others are looked up.
 */
const removalsOf = ({ orders }: Plan): readonly [gone: Array<OrderItem>, replaced: Array<OrderItem>] => {
  const [removals, replacements]: [Array<OrderItem>, Array<OrderItem>] = [[], []]
  const rest: Array<OrderItem> = []
  const created: Array<OrderItemDraft> = []
  for (const { items } of orders) {
    for (const [index, item] of items.removed.entries()) {
      ;(isSame(item, items.created[index]) ? replacements : rest).push(item)
    }
    for (const [index, item] of items.created.entries()) {
      if (!isSame(item, items.removed[index])) created.push(item)
    }
  }
  if (rest.length === 0) return [removals, replacements]
  const remainder = new Map<string, number>()
  for (const item of created) remainder.set(itemKey(item), (remainder.get(itemKey(item)) ?? 0) + 1)
  for (const item of rest) {
    const count = remainder.get(itemKey(item)) ?? 0
    remainder.set(itemKey(item), count - 1)
    ;(count > 0 ? replacements : removals).push(item)
  }
  return [removals, replacements]
}

const isSame = (item: OrderItemDraft, other: OrderItemDraft | undefined): boolean =>
  other !== undefined && haveSameKey(item, other)

const changesOf = (plan: Plan): Pick<DocumentEntry, "changes" | "counts" | "removedLpns"> => {
  const { orders, shipment } = plan
  const [removals, replacements] = removalsOf(plan)
  const changes: Array<RecordedChange> = []
  const counts = { created: 0, updated: 0, removed: 0, replaced: replacements.length }
  const add = (change: RecordedChange["change"], { id, reference, type }: EntityReference) => {
    counts[countNames[change]]++
    if (changes.length < recordedLimit) changes.push({ change, type, id, reference })
  }
  for (const removed of [removals, replacements]) {
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
  const removedLpns = new Set(removals.flatMap(({ lpn }) => lpn === "" ? [] : [lpnKey(lpn)]))
  return { changes, counts, removedLpns: Array.from(removedLpns) }
}
