/**
 * Storages that are wrong in one way each, over the right one in memory: each breaks a law over storages.
 */
import { Effect, Layer, Result } from "effect"
import { IntakeStore } from "../../src/document/DocumentRecord.ts"
import type { IntakeTransaction } from "../../src/document/DocumentRecord.ts"
import { compareIds, noIds } from "../../src/document/Plan.ts"
import type { OrderChange, Plan, Snapshot } from "../../src/document/Plan.ts"
import * as Memory from "../../src/memory/Memory.ts"
import { MemoryDatabase } from "../../src/memory/MemoryDatabase.ts"
import { MovementStore } from "../../src/movement/Movement.ts"
import type { OrderItem, OrderItemDraft } from "../../src/shipment/Shipment.ts"
import { ShipmentStore } from "../../src/shipment/ShipmentStore.ts"

type Intake = IntakeStore["Service"]
type Movement = MovementStore["Service"]
type Reads = ShipmentStore["Service"]
type Database = MemoryDatabase["Service"]

interface Wrong {
  readonly intake?: (right: Intake, database: Database) => Intake
  readonly movement?: (right: Movement) => Movement
  readonly reads?: (right: Reads) => Reads
}

/** The stores of shipments in memory, made wrong; right where nothing is said. */
export const storage = (wrong: Wrong) =>
  Layer.mergeAll(
    Layer.effect(
      IntakeStore,
      Effect.gen(function*() {
        const right = yield* IntakeStore
        return wrong.intake?.(right, yield* MemoryDatabase) ?? right
      })
    ).pipe(Layer.provide(Memory.layers.IntakeStore)),
    Layer.effect(ShipmentStore, Effect.map(ShipmentStore, (right) => wrong.reads?.(right) ?? right)).pipe(
      Layer.provide(Memory.layers.ShipmentStore)
    ),
    Layer.effect(
      MovementStore,
      Effect.map(MovementStore, (right) => wrong.movement?.(right) ?? right)
    ).pipe(Layer.provide(Memory.layers.MovementStore)),
    Memory.layers.Directory,
    Memory.layers.MessageLog
  ).pipe(Layer.provide(MemoryDatabase.layer))

/** A storage of shipments whose transactions of documents are made wrong. */
export const transacting = (
  transact: (right: Intake["transact"], database: Database) => Intake["transact"]
) => storage({ intake: (right, database) => ({ ...right, transact: transact(right.transact, database) }) })

/** Reads and decides, and writes later what it decided, whatever has been written in between. */
export const losesUpdates = transacting((transact) => (document, decide, options) =>
  Effect.gen(function*() {
    const result = yield* transact(document, decide, { dryRun: true })
    if (options.dryRun) return result
    yield* Effect.yieldNow
    const { ids } = yield* transact(document, (now) => Result.succeed(asItWasSeen(result, now)), options)
    return { ...result, ids }
  })
)

/** The plan, made to leave the items as they are after it when nothing has happened since it was decided. */
const asItWasSeen = ({ plan, snapshot }: IntakeTransaction, now: Snapshot): Plan => {
  const itemsAt = ({ target }: Snapshot, id: string): ReadonlyArray<OrderItem> =>
    target?.orders.find((order) => order.id === id)?.items ?? []
  const overwriting = (change: OrderChange): OrderChange => {
    if (change.order._tag === "Create") return change
    const { id } = change.order.order
    const itemIds = new Set(itemsAt(snapshot, id).map(({ id }) => id))
    const since = itemsAt(now, id).filter(({ id }) => !itemIds.has(id))
    return { ...change, items: { ...change.items, removed: [...change.items.removed, ...since] } }
  }
  return { ...plan, orders: plan.orders.map(overwriting) }
}

/** Answers with the case serials of items, and does not keep them. */
export const forgetsCaseSerials = transacting((transact) => (document, decide, options) =>
  Effect.suspend(() => {
    let lastPlan: Plan | undefined
    const forgetting = (plan: Plan): Plan => {
      lastPlan = plan
      return { ...plan, orders: plan.orders.map(withoutCaseSerials) }
    }
    return Effect.map(
      transact(document, (snapshot) => Result.map(decide(snapshot), forgetting), options),
      (done) => ({ ...done, plan: lastPlan! })
    )
  })
)

const withoutCaseSerials = (change: OrderChange): OrderChange => {
  const forget = <Item extends OrderItemDraft>(item: Item): Item => ({ ...item, caseSerials: [] })
  return {
    ...change,
    items: {
      ...change.items,
      created: change.items.created.map(forget),
      updated: change.items.updated.map(forget)
    }
  }
}

/** Gives the ids of items that are gone to new ones. */
export const reusesIds = transacting((transact, database) => {
  const free: Array<string> = []
  const nextId = database.nextId.bind(database)
  database.nextId = (kind) => kind === "item" ? Number(free.shift() ?? nextId(kind)) : nextId(kind)
  return (document, decide, options) =>
    Effect.tap(transact(document, decide, options), ({ plan }) =>
      Effect.sync(() => {
        if (options.dryRun) return
        free.push(...plan.orders.flatMap(({ items }) => items.removed.map(({ id }) => id)))
        free.sort(compareIds)
      }))
})

/** Writes what is only tried, and does not say so. */
export const writesDryRuns = transacting((transact) => (document, decide, { dryRun, ...options }) =>
  Effect.map(
    transact(document, decide, { ...options, dryRun: false }),
    (done) => (dryRun ? { ...done, ids: noIds(done.plan) } : done)
  )
)
