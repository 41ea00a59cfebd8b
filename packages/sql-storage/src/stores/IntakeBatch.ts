/**
 * A batch of documents in one transaction: one statement loads those of a business under locks, core decides each, and one
 * statement writes the plans. Statements that do not need each other's answers are sent together.
 */
import { itemCount } from "@dockline/core/Document"
import type { Document } from "@dockline/core/Document"
import { entryOf } from "@dockline/core/DocumentEntry"
import type { Sender } from "@dockline/core/DocumentRecord"
import type { Transacted } from "@dockline/core/IntakeStore"
import * as Slices from "@dockline/core/internal/input/Slices"
import type { OrderItem } from "@dockline/core/OrderItem"
import type { Place } from "@dockline/core/Place"
import { changesAnything, noIds } from "@dockline/core/Plan"
import type { Plan, Snapshot } from "@dockline/core/Plan"
import type { Dock } from "@dockline/core/Shipment"
import type { Timestamp } from "@dockline/core/Timestamp"
import type { ShipmentStatus } from "@dockline/core/Vocabulary"
import { Array as Arr, Effect, Exit, Option, Result } from "effect"
import type { SqlClient, SqlError } from "effect/sql"
import type { Done } from "../connections/BatchTransactions.ts"
import { together } from "../connections/Pipeline.ts"
import type { Ends } from "../connections/Pipeline.ts"
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
  readonly now: Timestamp
  readonly decide: (snapshot: Snapshot) => Result.Result<Plan, unknown>
  readonly dryRun: boolean
  /** Who sent it, if it is to be recorded. */
  readonly sender: Sender | undefined
  /** Whether its snapshot says which numbers are in use on other shipments. */
  readonly asksElsewhere: boolean
}

/** What `intake_load` returns of a document. */
interface LoadedDocument {
  readonly facility: Place
  readonly facilityId: number
  readonly dock: Dock | null
  readonly target: ShipmentBody | null
  readonly orders: ReadonlyArray<OrderHead> | null
  readonly candidates: ReadonlyArray<readonly [OrderHead, ShipmentStatus, linked: boolean]> | null
  /** Of a document that asks. */
  readonly elsewhere: ReadonlyArray<readonly [orderNumber: string, isOpen: boolean]> | null
}

/** What `intake_load` returns. */
interface Loaded {
  /** When the transaction began. */
  readonly begun: string
  readonly business: Place | null
  readonly documents: ReadonlyArray<LoadedDocument | "held" | null>
  readonly items: ItemColumns
}

/** What became of a document; `held` if somebody else has one of its locks. */
export type Decided = Done<Transacted>

/** A document that is decided and not yet written. */
interface Planned extends PlacedPlan {
  readonly snapshot: Snapshot
  readonly at: number
}

/** The rows to be written. */
interface Writing {
  readonly planned: Array<Planned>
  /** The record of the documents; those with plans stand in the order of the plans. */
  readonly entries: Array<PlacedEntry>
}

/** The documents of a business in a batch. */
interface Part {
  readonly business: string
  readonly documents: ReadonlyArray<Submitted>
  readonly places: ReadonlyArray<number>
}

const partsOf = (batch: ReadonlyArray<Submitted>): ReadonlyArray<Part> =>
  Array.from(
    Map.groupBy(batch.entries(), ([, { document }]) => document.business),
    ([business, entries]) => ({
      business,
      places: entries.map(([at]) => at),
      documents: entries.map(([, submitted]) => submitted)
    })
  )

const snapshotOf = (
  { asksElsewhere, now }: Submitted,
  business: Place | null,
  loaded: LoadedDocument | null,
  itemsOf: ReadonlyMap<string, ReadonlyArray<OrderItem>>
): Snapshot => {
  const toPlaced = (head: OrderHead) => placeOrder(head, itemsOf.get(head[0]) ?? [])
  const { candidates, dock, elsewhere, facility, orders, target } = loaded ?? noDocument
  return {
    now,
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
    ...(asksElsewhere
      ? { elsewhere: (elsewhere ?? []).map(([orderNumber, isOpen]) => ({ orderNumber, isOpen })) }
      : {})
  }
}

const noDocument = {
  facility: null,
  dock: null,
  target: null,
  orders: null,
  candidates: null,
  elsewhere: null
}

const planOf = ({ decide }: Submitted, snapshot: Snapshot): Exit.Exit<Plan, unknown> => {
  try {
    const decided = decide(snapshot)
    return Result.isSuccess(decided) ? Exit.succeed(decided.success) : Exit.fail(decided.failure)
  } catch (defect) {
    return Exit.die(defect)
  }
}

/** A decision as its plan or its refusal; `undefined` when it failed. */
const resultOf = (plan: Exit.Exit<Plan, unknown>): Result.Result<Plan, unknown> | undefined => {
  if (Exit.isSuccess(plan)) return Result.succeed(plan.value)
  const refusal = Exit.findErrorOption(plan)
  return Option.isSome(refusal) ? Result.fail(refusal.value) : undefined
}

/** Makes the function that loads, decides and writes documents. */
export const make = (sql: SqlClient.SqlClient) => {
  const load = ({ business, documents }: Part, wait: boolean) => {
    const orders = documents.flatMap(({ document }, at) =>
      document.orders.map(({ orderNumber }) => [at + 1, indexKey(orderNumber)] as const)
    )
    const asking = documents.flatMap(({ asksElsewhere }, at) => asksElsewhere ? [at + 1] : [])
    const each = (value: (document: Document) => string) => documents.map(({ document }) => value(document))
    return Effect.map(
      sql<{ readonly loaded: Loaded }>`select dockline.intake_load(${businessId(business)}::bigint,
        ${each(({ facility }) => facility)}, ${each(({ dockSlug }) => dockSlug)},
        ${each(({ direction }) => direction)}, ${each(({ shipmentNumber }) => indexKey(shipmentNumber))},
        ${orders.map(([at]) => at)}, ${orders.map(([, key]) => key)}, ${asking}, ${wait}) as loaded`,
      ([row]) => row!.loaded
    )
  }

  /** Makes the statement that writes plans and the record of documents. */
  const apply = Effect.fnUntraced(
    function*(business: string, begun: string, { entries, planned }: Writing, decided: Array<Decided>) {
      const { items, plans, removed } = yield* Slices.run(planRows(planned))
      const { contents, orders, records, removals } = entryRows(entries)
      return Effect.map(
        sql<{ readonly ids: AppliedIds }>`select dockline.intake_apply(${businessId(business)}::bigint,
          ${begun}::timestamptz, ${plans}::jsonb, ${removed}::text[], ${items},
          ${records}, ${contents}, ${orders}, ${removals}) as ids`,
        ([row]) => {
          const ids = idsOf(planned, row!.ids)
          for (const [index, { at, plan, snapshot }] of planned.entries()) {
            decided[at] = Exit.succeed({ snapshot, plan, ids: ids[index]! })
          }
        }
      )
    }
  )

  /** Decides the documents of a part; returns what is to be written. */
  const decide = Effect.fnUntraced(function*(
    { documents, places }: Part,
    { business, documents: found, items }: Loaded,
    decided: Array<Decided>
  ) {
    const itemsOf = toItems(items)
    const writing: Writing = { planned: [], entries: [] }
    for (const [index, submitted] of documents.entries()) {
      const at = places[index]!
      const loaded = found[index]!
      if (loaded === "held") {
        decided[at] = loaded
        continue
      }
      const isLarge = itemCount(submitted.document) > manyItems
      if (isLarge) yield* Slices.pause
      const snapshot = snapshotOf(submitted, business, loaded, itemsOf)
      const plan = planOf(submitted, snapshot)
      if (isLarge) yield* Slices.pause
      decided[at] = Exit.map(plan, (plan) => ({ snapshot, plan, ids: noIds(plan) }))
      if (loaded === null || submitted.dryRun) continue
      const { facilityId } = loaded
      const isWritten = Exit.isSuccess(plan) && changesAnything(plan.value)
      if (isWritten) writing.planned.push({ at, snapshot, plan: plan.value, facilityId, now: submitted.now })
      const result = resultOf(plan)
      if (submitted.sender !== undefined && result !== undefined) {
        const entry = entryOf(submitted.document, submitted.sender, snapshot, result)
        writing.entries.push({ facilityId, entry, plan: isWritten ? plan.value : undefined })
      }
    }
    return writing
  })

  /**
   * Does documents, which share no number of a facility. `wait` says whether they wait for locks: documents that may be many
   * must not.
   */
  return Effect.fnUntraced(
    function*(documents: ReadonlyArray<Submitted>, wait: boolean, { begin, end }: Ends) {
      const parts = partsOf(documents)
      const [, ...loaded] = yield* together([begin, ...parts.map((part) => load(part, wait))])
      const decided: Array<Decided> = []
      const statements: Array<Effect.Effect<void, SqlError.SqlError>> = []
      for (const [part, found] of Arr.zip(parts, loaded)) {
        const writing = yield* decide(part, found, decided)
        if (writing.planned.length + writing.entries.length > 0) {
          statements.push(yield* apply(part.business, found.begun, writing, decided))
        }
      }
      yield* together([...statements, end(statements.length > 0)])
      return decided
    }
  )
}
