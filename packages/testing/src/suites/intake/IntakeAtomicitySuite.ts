/** The rule that every storage of intake applies a plan completely or not at all (D2.1, D5.3). */
import type { DocumentOrder } from "@dockline/core/document/Document"
import { IntakeStore } from "@dockline/core/document/IntakeStore"
import { noIds } from "@dockline/core/document/Plan"
import type { Plan, Snapshot } from "@dockline/core/document/Plan"
import type { Shipment } from "@dockline/core/shipment/Shipment"
import { ShipmentStore } from "@dockline/core/shipment/ShipmentStore"
import { Cause, Deferred, Effect, Exit, Fiber, Result } from "effect"
import * as assert from "../../Assert.ts"
import { anItem, orderOf } from "../../generators/Given.ts"
import { aWorld, deciding, itemsOf, outcomeOf, write } from "../../worlds/IntakeWorld.ts"
import type { AddTest } from "../../worlds/IntakeWorld.ts"

/** A decision that refuses, or breaks, has no effect. */
const refusals = (test: AddTest): void => {
  test("D2.1 a refusal comes out as it is, and leaves nothing", function*() {
    const { document, submit, shipments } = yield* aWorld
    const store = yield* IntakeStore
    yield* submit({}, orderOf("O1", "APPEND", itemsOf("L1")))
    const before = yield* shipments
    const refusal = { _tag: "Refusal", reason: ["of", "one's", "own"] } as const
    for (const dryRun of [false, true]) {
      const failure = yield* Effect.flip(
        store.transact(
          document({ shipmentNumber: "S2", trailerNumber: "T" }, orderOf("O1", "APPEND", itemsOf("L2"))),
          () => Result.fail(refusal),
          { dryRun }
        )
      )
      assert.strictEqual(failure, refusal)
    }
    // The first order of the document could be written, but not the second one.
    const conflicting = document(
      { trailerNumber: "T" },
      orderOf("O2", "APPEND", itemsOf("L2")),
      orderOf("O1", "APPEND", itemsOf("L1"))
    )
    const failure = yield* Effect.flip(write(conflicting))
    assert.strictEqual(failure._tag, "DuplicateOrderItemKey")
    assert.deepStrictEqual(yield* shipments, before)
  })

  test("a decision or a plan that breaks leaves nothing, and frees what it held", function*() {
    const { document, submit, shipments } = yield* aWorld
    const store = yield* IntakeStore
    yield* submit({}, orderOf("O1", "APPEND", itemsOf("L1")))
    yield* submit({ shipmentNumber: "S2" }, orderOf("O3", "APPEND", itemsOf("L3")))
    const before = yield* shipments
    const draft = document(
      { trailerNumber: "T" },
      orderOf("O3", "OVERWRITE", itemsOf("L2")),
      orderOf("O1", "MERGE", itemsOf("L4"), { supplier: "S" })
    )
    const failure = new Error("broken")
    const breaks: ReadonlyArray<(snapshot: Snapshot) => Result.Result<Plan, unknown>> = [
      () => {
        throw failure
      },
      (snapshot) => Result.map(deciding(draft)(snapshot), (plan) => breakingAtTheEnd(plan, failure))
    ]
    for (const decide of breaks) {
      const exit = yield* Effect.exit(store.transact(draft, decide, { dryRun: false }))
      assert.isTrue(Exit.isFailure(exit) && Cause.hasDies(exit.cause))
      assert.deepStrictEqual(yield* shipments, before)
    }
    const { shipment } = yield* Effect.map(write(draft), outcomeOf)
    assert.deepStrictEqual(contentsOf(shipment), [["O1", ["L1", "L4"]], ["O3", ["L2"]]])
  })
}

/** A plan whose last order cannot be read. */
const breakingAtTheEnd = (plan: Plan, error: Error): Plan => {
  const last = assert.at(plan.orders, -1)
  const unreadable = {
    ...last,
    get items(): typeof last.items {
      throw error
    }
  }
  return { ...plan, orders: [...plan.orders.slice(0, -1), unreadable] }
}

/** Documents that are interrupted before they end. */
const interruptions = (test: AddTest): void => {
  const moments = [
    ...Array.from({ length: 12 }, (_, n) => Effect.yieldNow.pipe(Effect.repeat({ times: n }))),
    ...Array.from({ length: 8 }, (_, n) => Effect.sleep(n))
  ]

  test("D2.1 a document that is interrupted at any moment is written whole or not at all", function*() {
    const { document, submit, shipments } = yield* aWorld
    const orders = moments.map((_, n) => orderOf(`M${n}`, "APPEND", itemsOf(`L${n}`)))
    yield* submit({ shipmentNumber: "from" }, ...orders)
    const [from] = yield* shipments
    for (const [n, moment] of moments.entries()) {
      const draft = document(
        { shipmentNumber: `S${n}`, trailerNumber: "T" },
        orderOf(`N${n}`, "OVERWRITE", itemsOf("A", "B")),
        orderOf(`M${n}`, "MERGE", itemsOf("C", "D"))
      )
      const writing = yield* Effect.forkChild(write(draft), { startImmediately: true })
      yield* moment
      yield* Fiber.interrupt(writing)
      const orders = [[`M${n}`, [`L${n}`, "C", "D"]], [`N${n}`, ["A", "B"]]]
      const all = yield* shipments
      const order = assert.at(all, 0).orders.find(({ number }) => number === `M${n}`)
      const shipment = all.find(({ number }) => number === `S${n}`)
      if (shipment === undefined) {
        assert.deepStrictEqual(order, assert.present(from).orders[n])
      } else {
        assert.deepStrictEqual([order, shipment.trailerNumber, contentsOf(shipment)], [
          undefined,
          "T",
          orders
        ])
      }
      // Its numbers are free, and a repetition finds the result of the first.
      const { shipment: repeated } = yield* Effect.map(write(draft), outcomeOf)
      assert.deepStrictEqual(contentsOf(repeated), orders)
    }
  })
}

const contentsOf = ({ orders }: Pick<Shipment, "orders">) =>
  orders.map(({ number, items }) => [number, items.map(({ lpn }) => lpn)])

/** Reads while documents are written. */
const readers = (test: AddTest): void => {
  test("D2.1 whoever reads meanwhile sees a document whole or not at all", function*() {
    const { business, submit } = yield* aWorld
    const store = yield* ShipmentStore
    const versions = Array.from({ length: 25 }, (_, n) => String(n + 1))
    const ordersOf = (lot: string): ReadonlyArray<DocumentOrder> =>
      ["O1", "O2"].map((number, index) =>
        orderOf(
          number,
          index === 0 ? "OVERWRITE" : "MERGE",
          [anItem(`L${index}`, "S", { lot }), anItem(`M${index}`, "S", { lot })],
          { supplier: lot }
        )
      )
    const { shipment } = yield* submit({ trailerNumber: "0" }, ...ordersOf("0"))
    const ended = yield* Deferred.make<void>()
    const values = new Set<string>()
    const see = ({ trailerNumber, orders }: Shipment) => {
      const texts = orders.flatMap(({ supplier, items }) => [supplier, ...items.map(({ lot }) => lot)])
      assert.deepStrictEqual(texts, Array.from({ length: 6 }, () => trailerNumber))
      values.add(trailerNumber)
    }
    const reading = Effect.gen(function*() {
      while (!(yield* Deferred.isDone(ended))) {
        see(assert.present(yield* store.find(Number(shipment.id), [])).shipment)
        const { items } = yield* store.listShipments(
          [{ business, facilities: "*" }],
          { business, facility: undefined, shipmentNumber: "S1", status: undefined },
          { limit: 1, after: 0 }
        )
        see(assert.at(items, 0).shipment)
        yield* Effect.yieldNow
      }
    })
    const writing = Effect.forEach(
      versions,
      (version) => Effect.andThen(submit({ trailerNumber: version }, ...ordersOf(version)), Effect.yieldNow)
    ).pipe(Effect.ensuring(Deferred.succeed(ended, undefined)))
    yield* Effect.all([writing, reading, reading], { concurrency: "unbounded", discard: true })
    see(assert.present(yield* store.find(Number(shipment.id), [])).shipment)
    assert.isTrue(values.has("25"))
  })
}

/** Documents in dry runs. */
const dryRuns = (test: AddTest): void => {
  test("D5.3 a dry run sees and plans what the real run does, gives no ids and leaves nothing", function*() {
    const { document, submit, shipments } = yield* aWorld
    yield* submit(
      { carrier: "C" },
      orderOf("O1", "APPEND", itemsOf("L1", "L2")),
      orderOf("O2", "APPEND", itemsOf("L3"))
    )
    const documents = [
      document({ shipmentNumber: "S2" }, orderOf("O3", "APPEND", itemsOf("L1"))),
      document({ shipmentNumber: "S2" }, orderOf("O2", "MERGE", itemsOf("L4"))),
      document(
        { carrier: "D", dockSlug: "D1", additionalFields: [{ name: "n", value: "v" }] },
        orderOf("O1", "OVERWRITE", itemsOf("L1"))
      ),
      document({}, orderOf("O1", "DELETE", itemsOf("L1")))
    ]
    for (const draft of documents) {
      const before = yield* shipments
      const dry = yield* write(draft, true)
      assert.deepStrictEqual(yield* shipments, before)
      assert.deepStrictEqual(dry.ids, noIds(dry.plan))
      const real = yield* write(draft)
      assert.notStrictEqual(JSON.stringify(yield* shipments), JSON.stringify(before))
      assert.deepStrictEqual(timeless(real.snapshot), timeless(dry.snapshot))
      assert.deepStrictEqual(references(real), references(dry))
    }
  })
}

const timeless = (snapshot: Snapshot) => ({ ...snapshot, now: "" })

const references = (result: Parameters<typeof outcomeOf>[0]) => {
  const { created, updated, removed } = outcomeOf(result)
  return [created, updated, removed].map((list) => list.map(({ type, reference }) => `${type} ${reference}`))
}

/** All cases. */
export const allOrNothing = (test: AddTest): void =>
  [refusals, interruptions, readers, dryRuns].forEach((write) => write(test))
