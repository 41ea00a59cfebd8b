/** Writes documents in batches. No two documents of a batch share a shipment or order number of a facility. */
import { businessKey } from "@dockline/core/access/RequestLimits"
import { itemCount } from "@dockline/core/document/Document"
import type { Document } from "@dockline/core/document/Document"
import { entryOf } from "@dockline/core/document/DocumentRecord"
import type { IntakeTransaction, Sender } from "@dockline/core/document/DocumentRecord"
import { changesAnything, drawIds, noIds } from "@dockline/core/document/Plan"
import type { NewIds, Plan, Snapshot } from "@dockline/core/document/Plan"
import * as Slices from "@dockline/core/input/Slices"
import type { OrderItem } from "@dockline/core/shipment/Shipment"
import type { Timestamp } from "@dockline/core/values/Timestamp"
import { Effect, Exit, Schema } from "effect"
import type { Result } from "effect"
import { batchWork, exitOf, resultOf } from "../connections/BatchTransactions.ts"
import type { Done, Part as PartOf } from "../connections/BatchTransactions.ts"
import type { Calls } from "../connections/Statements.ts"
import { businessId, indexKey } from "../rows/BusinessRows.ts"
import { entryRows } from "../rows/DocumentRows.ts"
import type { PlacedEntry } from "../rows/DocumentRows.ts"
import { arrayOf, planRows } from "../rows/PlanRows.ts"
import type { PlacedPlan, PlanRows } from "../rows/PlanRows.ts"
import { dock, place, shipmentStatus, timestamp, whole } from "../rows/RowFields.ts"
import {
  itemsByOrder,
  LoadedItemColumns,
  OrderHead,
  orderOfHead,
  ShipmentBody,
  toShipment
} from "../rows/Rows.ts"

/** If a document has more items than this, the batch pauses for other requests before and after the decision. */
export const manyItems = 1000

/** A document that is to be decided. */
export interface DocumentJob {
  readonly document: Document
  /** The time of a clock that replaces the system's, or else `null` (`Timestamp.givenNow`). */
  readonly givenNow: Timestamp | null
  readonly decide: (snapshot: Snapshot) => Result.Result<Plan, unknown>
  readonly dryRun: boolean
  /** The sender, if the document is to be recorded. */
  readonly sender: Sender | undefined
  /** Whether the snapshot must have the order numbers of the document that are in use on other shipments. */
  readonly needsNumbersInUse: boolean
}

/** The result of `intake_load` for a document. */
const DocumentBody = Schema.Struct({
  facility: place,
  facilityId: whole,
  dock: Schema.NullOr(dock),
  target: Schema.NullOr(ShipmentBody),
  orders: Schema.NullOr(Schema.Array(OrderHead)),
  /** For each candidate: the head of the order, the status of its shipment, and whether the shipment is linked. */
  candidates: Schema.NullOr(Schema.Array(Schema.Tuple([OrderHead, shipmentStatus, Schema.Boolean]))),
  /** For each number in use: the number, and whether an open order in the direction of the document has it. */
  numbersInUse: Schema.NullOr(Schema.Array(Schema.Tuple([Schema.String, Schema.Boolean])))
})

type DocumentBody = typeof DocumentBody.Type

const ids = Schema.Array(whole)

/** The result of `intake_load`. */
const LoadBody = Schema.Struct({
  /** When the transaction began. */
  begun: Schema.String,
  /** The time of the database after the locks were taken. */
  now: timestamp,
  business: Schema.NullOr(place),
  /** `null` if the facility does not exist; `held` if another transaction, or an earlier document, has a lock that the document needs. */
  documents: Schema.Array(Schema.NullOr(Schema.Union([Schema.Literal("held"), DocumentBody]))),
  /** The items of all orders; `null` if there are none. */
  items: Schema.NullOr(LoadedItemColumns),
  /** New ids, as many as the documents may create. */
  ids: Schema.Struct({ shipments: ids, orders: ids, items: ids, records: ids })
})

type LoadBody = typeof LoadBody.Type

/** Draws the loaded ids in their order. There are enough for all plans. */
const drawing = ({ items, orders, records, shipments }: LoadBody["ids"]) => {
  const ids = {
    shipment: shipments.values(),
    order: orders.values(),
    item: items.values(),
    record: records.values()
  }
  return (kind: keyof typeof ids): number => ids[kind].next().value!
}

/** The outcome of a document. */
export type Outcome = Done<IntakeTransaction>

/** The writes of decided documents. */
interface Writing {
  readonly plans: Array<PlacedPlan>
  readonly entries: Array<PlacedEntry>
}

type Part = PartOf<DocumentJob>

const snapshotOf = (
  { givenNow, needsNumbersInUse }: DocumentJob,
  { business, now }: Pick<LoadBody, "business" | "now">,
  body: DocumentBody | null,
  itemsOf: ReadonlyMap<string, ReadonlyArray<OrderItem>>
): Snapshot => {
  const toPlaced = (head: OrderHead) => orderOfHead(head, itemsOf.get(head[0]) ?? [])
  const { candidates, dock, facility, numbersInUse, orders, target } = body ?? noDocument
  return {
    now: givenNow ?? now,
    business,
    facility,
    dock,
    target: target === null
      ? null
      : toShipment(target, (orders ?? []).map((head) => toPlaced(head).order)),
    candidates: (candidates ?? []).map(([head, shipmentStatus, shipmentIsLinked]) => ({
      ...toPlaced(head),
      shipmentStatus,
      shipmentIsLinked
    })),
    ...(needsNumbersInUse
      ? { numbersInUse: (numbersInUse ?? []).map(([orderNumber, isOpen]) => ({ orderNumber, isOpen })) }
      : {})
  }
}

const nothingNew: NewIds = { shipment: "", orders: [], items: [] }

const noItems: ReadonlyMap<string, ReadonlyArray<OrderItem>> = new Map()

const noDocument = {
  facility: null,
  dock: null,
  target: null,
  orders: null,
  candidates: null,
  numbersInUse: null
}

export const make = ({ call, run }: Calls) => {
  const load = ({ business, jobs }: Part, wait: boolean) => {
    const orders = jobs.flatMap(({ document }, at) =>
      document.orders.map(({ orderNumber }) => [at + 1, indexKey(orderNumber)] as const)
    )
    const needing = jobs.flatMap(({ needsNumbersInUse }, at) => needsNumbersInUse ? [at + 1] : [])
    const each = (value: (document: Document) => string) => jobs.map(({ document }) => value(document))
    const items = jobs.map(({ document, dryRun }) => dryRun ? null : itemCount(document))
    return call(LoadBody)`dockline.intake_load(${businessId(business)},
      p_facilities => ${each(({ facility }) => facility)}, p_docks => ${each(({ dockSlug }) => dockSlug)},
      p_directions => ${each(({ direction }) => direction)},
      p_shipment_keys => ${each(({ shipmentNumber }) => indexKey(shipmentNumber))}, p_items => ${
      arrayOf(items)
    },
      p_documents => ${orders.map(([at]) => at)}, p_order_keys => ${orders.map(([, key]) => key)},
      p_needing => ${needing}, p_wait => ${wait})`
  }

  const write = (
    business: string,
    beganAt: string,
    { items, ...rows }: PlanRows,
    { orders, records, removals }: ReturnType<typeof entryRows>
  ) =>
    run`dockline.intake_apply(${businessId(business)}, ${beganAt},
        p_new_shipments => ${rows.newShipments}, p_changed_shipments => ${rows.changedShipments},
        p_counted_shipments => ${rows.countedShipments}, p_left_shipments => ${rows.movedFromShipments},
        p_new_orders => ${rows.newOrders}, p_changed_orders => ${rows.changedOrders},
        p_moved_orders => ${rows.movedOrders}, p_removed_from => ${rows.removedFromOrders},
        p_removed_items => ${rows.removedItems}, p_item_is_new => ${items.isNew}, p_item_id => ${items.id},
        p_item_order => ${items.order}, p_item_shipment => ${items.shipment}, p_item_facility => ${items.facility},
        p_item_key => ${items.key}, p_item_lpn_key => ${items.lpnKey}, p_item_identifier => ${items.identifier},
        p_item_lpn => ${items.lpn}, p_item_sku => ${items.sku}, p_item_quantity => ${items.quantity},
        p_item_quantity_unit => ${items.quantityUnit}, p_item_purchase_order => ${items.purchaseOrder},
        p_item_description => ${items.description}, p_item_upc => ${items.upc},
        p_item_weight_per_unit => ${items.weightPerUnit}, p_item_weight_unit => ${items.weightUnit},
        p_item_height => ${items.height}, p_item_length => ${items.length}, p_item_width => ${items.width},
        p_item_dimension_unit => ${items.dimensionUnit}, p_item_is_dangerous_good => ${items.isDangerousGood},
        p_item_lot => ${items.lot}, p_item_expiration_date => ${items.expirationDate},
        p_item_manufacturing_date => ${items.manufacturingDate}, p_item_case_serials => ${items.caseSerials},
        p_records => ${records}, p_record_orders => ${orders}, p_record_removals => ${removals})`

  /** Makes the statement that writes plans and the record of documents. */
  const apply = Effect.fnUntraced(
    function*(business: string, beganAt: string, { entries, plans }: Writing) {
      const rows = yield* Slices.run(planRows(plans))
      return write(business, beganAt, rows, entryRows(entries))
    }
  )

  const decide = Effect.fnUntraced(function*(
    { business: slug, jobs, places }: Part,
    { begun, business, documents, ids: newIds, items, now }: LoadBody,
    outcomes: Array<Outcome>
  ) {
    const draw = drawing(newIds)
    const itemsOf = items === null ? noItems : itemsByOrder(items)
    const writing: Writing = { plans: [], entries: [] }
    for (const [index, job] of jobs.entries()) {
      // `places` and `documents` have an entry for each job.
      const [at, body] = [places[index]!, documents[index]!]
      if (body === "held") {
        outcomes[at] = body
        continue
      }
      const isLarge = itemCount(job.document) > manyItems
      if (isLarge) yield* Slices.pause
      const snapshot = snapshotOf(job, { business, now }, body, itemsOf)
      const plan = exitOf(() => job.decide(snapshot))
      if (isLarge) yield* Slices.pause
      const isWritten = body !== null && !job.dryRun
      const ids = Exit.isSuccess(plan)
        ? (isWritten ? drawIds(plan.value, draw) : noIds(plan.value))
        : nothingNew
      outcomes[at] = Exit.map(plan, (plan) => ({ snapshot, plan, ids }))
      if (!isWritten) continue
      const { facilityId } = body
      if (Exit.isSuccess(plan) && changesAnything(plan.value)) {
        writing.plans.push({ snapshot, plan: plan.value, facilityId, ids })
      }
      const result = resultOf(plan)
      if (job.sender !== undefined && result !== undefined) {
        const entry = entryOf(job.document, job.sender, snapshot, result)
        writing.entries.push({ id: draw("record"), facilityId, givenNow: job.givenNow, entry, ids })
      }
    }
    return writing.plans.length + writing.entries.length === 0
      ? undefined
      : yield* apply(slug, begun, writing)
  })

  return batchWork({
    businessOf: ({ document }: DocumentJob) => document.business,
    load,
    decide: (part: Part, snapshot: LoadBody, outcomes: Array<Outcome>) =>
      Slices.inTurnsOf(businessKey(part.business), decide(part, snapshot, outcomes))
  })
}
