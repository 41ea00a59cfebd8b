/**
 * What the model says of the record of documents, written from D13.6 of WIRE.md alone.
 */
import type { DocumentRecordView } from "@dockline/core/DocumentRecord"
import type { RecordQuery } from "@dockline/core/Intake"
import type { IntakeResult } from "@dockline/core/Outcome"
import type { Json } from "../generators/History.ts"
import { entriesOf, strategyOf } from "./ModelDocument.ts"
import { clientId, newId, Refused, textOf, timeOf } from "./ModelState.ts"
import type { Item, State } from "./ModelState.ts"
import type { Reply } from "./Service.ts"

/** Nobody's record has a document for a place that is not there. */
const unrecorded = new Set(["BUSINESS_NOT_FOUND", "FACILITY_NOT_FOUND"])

/** Records a document that is no dry run: what was there before it, and what it was answered. */
export const record = (
  before: State,
  after: State,
  { document, now, reply }: { readonly document: Json; readonly now: string; readonly reply: Reply<unknown> }
): void => {
  const code = reply.ok ? "" : reply.error.code
  if (unrecorded.has(code)) return
  const [business, facility] = [textOf(document, "business"), textOf(document, "facility")]
  const place = after.places.find(({ slug }) => slug === business)
  const site = place?.facilities.find(({ slug }) => slug === facility)
  if (place === undefined || site === undefined) return
  const shipmentNumber = textOf(document, "shipmentNumber") || textOf(document, "orderNumber")
  const entries = entriesOf(document)
  const strategies = entries.map((entry) => strategyOf(document, entry))
  const { gone, replaced } = removals(before, after, reply)
  const id = newId(after)
  if (gone.length > 0) after.removedLpns[id] = gone.map(lpnOf).filter((lpn) => lpn !== "")
  const { created = [], updated = [], removed = [] } = reply.ok ? reply.value as IntakeResult : {}
  const outcome = !reply.ok
    ? "REFUSED"
    : created.length > 0
    ? "CREATED"
    : content(after) === content(before)
    ? "UNCHANGED"
    : "UPDATED"
  after.records.push({
    id,
    receivedAt: now,
    clientId,
    correlationId: "",
    business: { slug: business, name: place.name },
    facility: { slug: facility, name: site.name },
    shipmentNumber,
    shipmentId: after.shipments.find((each) =>
      each.business === business && each.facility === facility && each.number === shipmentNumber
    )?.id ?? 0,
    orderNumbers: entries.map((entry) =>
      textOf(entry, "orderNumber")
    ),
    strategies: strategies.filter((each, index) => strategies.indexOf(each) === index),
    outcome,
    code,
    counts: { created: created.length, updated: updated.length, removed: removed.length, replaced },
    changes: [
      ...removed.map((each) => ({ change: "REMOVED" as const, ...each })),
      ...created.map((each) => ({ change: "CREATED" as const, ...each })),
      ...updated.map((each) => ({ change: "UPDATED" as const, ...each }))
    ]
  })
}

/** What a document removed for good, and how many items it removed and created again. */
const removals = (before: State, after: State, reply: Reply<unknown>) => {
  const { created = [], removed = [] } = reply.ok ? reply.value as IntakeResult : {}
  const itemsOf = ({ orders }: State, references: IntakeResult["created"]) => {
    const ids = new Set(references.filter(({ type }) => type === "ORDER_ITEM").map(({ id }) => id))
    return orders.flatMap(({ items }) => items.filter(({ id }) => ids.has(String(id))))
  }
  const brought = itemsOf(after, created)
  const gone = itemsOf(before, removed).filter((item) => {
    const at = brought.findIndex((other) => lpnOf(other) === lpnOf(item) && skuOf(other) === skuOf(item))
    if (at >= 0) brought.splice(at, 1)
    return at < 0
  })
  return { gone, replaced: removed.length - gone.length }
}

const lpnOf = ({ fields }: Item): string => String(fields["lpn"] ?? "")

const skuOf = ({ fields }: Item): string => String(fields["sku"] ?? "")

/** All that a document could change. */
const content = ({ orders, shipments }: State): string => JSON.stringify([shipments, orders])

/** The recorded documents that are asked for, the newest first. */
export const recordsWith = (state: State, query: RecordQuery): ReadonlyArray<DocumentRecordView> => {
  const isAsked = (asked: string | undefined, actual: ReadonlyArray<string>): boolean =>
    asked === undefined || asked === "" || actual.includes(asked)
  const [from, to] = [timeOf({ ...query }, "from"), timeOf({ ...query }, "to")]
  return state.records
    .filter((each) =>
      isAsked(query.business, [each.business.slug]) && isAsked(query.facility, [each.facility.slug]) &&
      isAsked(query.shipmentNumber, [each.shipmentNumber]) && isAsked(query.orderNumber, each.orderNumbers) &&
      isAsked(query.correlationId, [each.correlationId]) && isAsked(query.outcome, [each.outcome]) &&
      (query.removed !== true || each.counts.removed > each.counts.replaced) &&
      isAsked(query.lpn, state.removedLpns[each.id] ?? []) &&
      each.receivedAt >= from && (to === "" || each.receivedAt < to)
    )
    .toReversed()
}

/** The recorded document of an id, which must be there. */
export const recordOf = (state: State, id: string): DocumentRecordView => {
  const found = state.records.find((each) => String(each.id) === id)
  if (found === undefined) throw new Refused("DOCUMENT_NOT_FOUND")
  return found
}
