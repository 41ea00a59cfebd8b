/** Batches of documents, which share no number of a facility. */
import { businessKey } from "@dockline/core/access/Share"
import { itemCount } from "@dockline/core/document/Document"
import type { Document } from "@dockline/core/document/Document"
import { entryOf } from "@dockline/core/document/DocumentEntry"
import type { Sender } from "@dockline/core/document/DocumentRecord"
import type { Transacted } from "@dockline/core/document/IntakeStore"
import { changesAnything, noIds } from "@dockline/core/document/Plan"
import type { Plan, Snapshot } from "@dockline/core/document/Plan"
import * as Slices from "@dockline/core/input/Slices"
import type { Place } from "@dockline/core/places/Place"
import type { OrderItem } from "@dockline/core/shipment/OrderItem"
import type { Dock } from "@dockline/core/shipment/Shipment"
import type { Timestamp } from "@dockline/core/values/Timestamp"
import type { ShipmentStatus } from "@dockline/core/values/Vocabulary"
import { Effect, Exit } from "effect"
import type { Result } from "effect"
import type { SqlClient } from "effect/sql"
import { exitOf, resultOf } from "../connections/BatchTransactions.ts"
import type { Done } from "../connections/BatchTransactions.ts"
import * as BusinessBatch from "../connections/BusinessBatch.ts"
import { callsOf } from "../connections/StoreOperations.ts"
import { businessId } from "../rows/BusinessId.ts"
import { entryRows } from "../rows/DocumentRows.ts"
import type { PlacedEntry } from "../rows/DocumentRows.ts"
import { indexKey } from "../rows/IndexKey.ts"
import { idsOf, planRows } from "../rows/PlanRows.ts"
import type { AppliedIds, PlacedPlan } from "../rows/PlanRows.ts"
import { placeOrder, toItems, toShipment } from "../rows/Rows.ts"
import type { ItemColumns, OrderHead, ShipmentBody } from "../rows/Rows.ts"

/** For a document of more items other requests get a turn before and after it is decided. */
export const manyItems = 1000

/** A document that is to be decided. */
export interface Submitted {
  readonly document: Document
  /** The time of a clock that was given, else `null` (`Timestamp.givenNow`). */
  readonly givenNow: Timestamp | null
  readonly decide: (snapshot: Snapshot) => Result.Result<Plan, unknown>
  readonly dryRun: boolean
  /** Who sent it, if it is to be recorded. */
  readonly sender: Sender | undefined
  /** Whether its snapshot says which of its numbers are in use on other shipments. */
  readonly needsNumbersInUse: boolean
}

/** What `intake_load` returns of a document. */
interface LoadedDocument {
  readonly facility: Place
  readonly facilityId: number
  readonly dock: Dock | null
  readonly target: ShipmentBody | null
  readonly orders: ReadonlyArray<OrderHead> | null
  readonly candidates: ReadonlyArray<readonly [OrderHead, ShipmentStatus, linked: boolean]> | null
  /** Of a document that needs them. */
  readonly numbersInUse: ReadonlyArray<readonly [orderNumber: string, isOpen: boolean]> | null
}

/** What `intake_load` returns. */
interface Loaded {
  /** When the transaction began. */
  readonly begun: string
  /** The time of the database, after what was waited for. */
  readonly now: Timestamp
  readonly business: Place | null
  readonly documents: ReadonlyArray<LoadedDocument | "held" | null>
  /** Of all orders; `null` where there is none. */
  readonly items: ItemColumns | null
}

/** What became of a document; `held` if somebody else has one of its locks. */
export type Decided = Done<Transacted>

/** A document that is decided and not yet written. */
interface Planned extends PlacedPlan {
  readonly snapshot: Snapshot
  readonly at: number
}

interface Writing {
  readonly planned: Array<Planned>
  /** The record of the documents; those with plans stand in the order of the plans. */
  readonly entries: Array<PlacedEntry>
}

type Part = BusinessBatch.Part<Submitted>

const snapshotOf = (
  { givenNow, needsNumbersInUse }: Submitted,
  { business, now }: Pick<Loaded, "business" | "now">,
  loaded: LoadedDocument | null,
  itemsOf: ReadonlyMap<string, ReadonlyArray<OrderItem>>
): Snapshot => {
  const toPlaced = (head: OrderHead) => placeOrder(head, itemsOf.get(head[0]) ?? [])
  const { candidates, dock, facility, numbersInUse, orders, target } = loaded ?? noDocument
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

const noItems: ReadonlyMap<string, ReadonlyArray<OrderItem>> = new Map()

const noDocument = {
  facility: null,
  dock: null,
  target: null,
  orders: null,
  candidates: null,
  numbersInUse: null
}

export const make = (sql: SqlClient.SqlClient) => {
  const { call } = callsOf(sql)

  const load = ({ business, jobs }: Part, wait: boolean) => {
    const orders = jobs.flatMap(({ document }, at) =>
      document.orders.map(({ orderNumber }) => [at + 1, indexKey(orderNumber)] as const)
    )
    const needing = jobs.flatMap(({ needsNumbersInUse }, at) => needsNumbersInUse ? [at + 1] : [])
    const each = (value: (document: Document) => string) => jobs.map(({ document }) => value(document))
    return call<Loaded>`dockline.intake_load(${businessId(business)}, ${each(({ facility }) => facility)},
      ${each(({ dockSlug }) => dockSlug)}, ${each(({ direction }) => direction)},
      ${each(({ shipmentNumber }) => indexKey(shipmentNumber))}, ${orders.map(([at]) => at)},
      ${orders.map(([, key]) => key)}, ${needing}, ${wait})`
  }

  /** Makes the statement that writes plans and the record of documents. */
  const apply = Effect.fnUntraced(
    function*(business: string, begun: string, { entries, planned }: Writing, decided: Array<Decided>) {
      const { items, ordersOfItems, plans, removed } = yield* Slices.run(planRows(planned))
      const { contents, orders, records, removals } = entryRows(entries)
      return Effect.map(
        call<AppliedIds>`dockline.intake_apply(${businessId(business)}, ${begun}, ${plans}, ${ordersOfItems},
          ${removed}, ${items}, ${records}, ${contents}, ${orders}, ${removals})`,
        (applied) => {
          const ids = idsOf(planned, applied)
          for (const [index, { at, plan, snapshot }] of planned.entries()) {
            // There are ids for each plan.
            decided[at] = Exit.succeed({ snapshot, plan, ids: ids[index]! })
          }
        }
      )
    }
  )

  const decide = Effect.fnUntraced(function*(
    { business: slug, jobs, places }: Part,
    { begun, business, documents, items, now }: Loaded,
    decided: Array<Decided>
  ) {
    const itemsOf = items === null ? noItems : toItems(items)
    const writing: Writing = { planned: [], entries: [] }
    for (const [index, submitted] of jobs.entries()) {
      // Each job has a place, and something is loaded for each.
      const [at, loaded] = [places[index]!, documents[index]!]
      if (loaded === "held") {
        decided[at] = loaded
        continue
      }
      const isLarge = itemCount(submitted.document) > manyItems
      if (isLarge) yield* Slices.pause
      const snapshot = snapshotOf(submitted, { business, now }, loaded, itemsOf)
      const plan = exitOf(() => submitted.decide(snapshot))
      if (isLarge) yield* Slices.pause
      decided[at] = Exit.map(plan, (plan) => ({ snapshot, plan, ids: noIds(plan) }))
      if (loaded === null || submitted.dryRun) continue
      const { facilityId } = loaded
      const isWritten = Exit.isSuccess(plan) && changesAnything(plan.value)
      if (isWritten) writing.planned.push({ at, snapshot, plan: plan.value, facilityId })
      const result = resultOf(plan)
      if (submitted.sender !== undefined && result !== undefined) {
        const entry = entryOf(submitted.document, submitted.sender, snapshot, result)
        writing.entries.push({
          facilityId,
          givenNow: submitted.givenNow,
          entry,
          plan: isWritten ? plan.value : undefined
        })
      }
    }
    return writing.planned.length + writing.entries.length === 0
      ? undefined
      : yield* apply(slug, begun, writing, decided)
  })

  return BusinessBatch.make({
    businessOf: ({ document }: Submitted) => document.business,
    load,
    decide: (part: Part, loaded: Loaded, decided: Array<Decided>) =>
      Slices.inTurnsOf(businessKey(part.business), decide(part, loaded, decided))
  })
}
