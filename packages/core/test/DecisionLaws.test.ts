/** Laws of the decision, over generated documents and snapshots, those that our own interface cannot make included. */
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import * as fc from "fast-check"
import type { Document } from "../src/Document.ts"
import { orderFieldNames } from "../src/Order.ts"
import { itemKey } from "../src/OrderItem.ts"
import { compareIds, outcome } from "../src/Outcome.ts"
import type { Outcome } from "../src/Outcome.ts"
import { changesAnything, createdItems, decide } from "../src/Plan.ts"
import type { Plan, Snapshot } from "../src/Plan.ts"
import { isEmptyValue } from "../src/Strategy.ts"
import { documentsForS1, keysAreUnique, rawDocuments, runs, snapshots } from "../src/testing/Generators.ts"
import { read } from "../src/testing/Reading.ts"

interface Decided {
  readonly document: Document
  readonly snapshot: Snapshot
  readonly plan: Plan
  readonly result: Outcome
}

const completed = (plan: Plan): Outcome => {
  const ids = (count: number, from: number) => Array.from({ length: count }, (_, n) => String(from + n))
  return outcome(plan, {
    shipment: plan.shipment._tag === "Create" ? 1 : "",
    orders: ids(plan.orders.filter(({ order }) => order._tag === "Create").length, 1_000_000),
    items: ids(createdItems(plan).length, 2_000_000)
  })
}

/** Checks what is true of every document that is accepted. */
const everyDecision = (check: (decided: Decided) => void): void =>
  fc.assert(
    fc.property(documentsForS1, snapshots, (document, snapshot) => {
      const decision = decide(document, snapshot)
      fc.pre(Result.isSuccess(decision))
      check({ document, snapshot, plan: decision.success, result: completed(decision.success) })
    }),
    runs(120)
  )

const ordersOf = ({ target, candidates }: Snapshot) => [
  ...(target?.orders ?? []),
  ...candidates.map(({ order }) => order)
]

describe("the decision", () => {
  it("is made for every document and snapshot, and the same each time", () => {
    fc.assert(fc.property(rawDocuments, snapshots, (raw, snapshot) => {
      const document = read(raw)
      const [first, second] = [decide(document, snapshot), decide(document, structuredClone(snapshot))]
      if (Result.isSuccess(first)) assert.deepStrictEqual(Result.getOrThrow(second), first.success)
      else assert.strictEqual(Result.getOrThrow(Result.flip(second)).message, first.failure.message)
    }))
  })

  it("D3.5 keys stay unique in every order", () => {
    everyDecision(({ result }) => {
      for (const order of result.shipment.orders) assert.isTrue(keysAreUnique(order.items))
    })
  })

  it("D3.3 order numbers stay unique on the shipment, and it holds every order of the document", () => {
    everyDecision(({ document, result }) => {
      const numbers = result.shipment.orders.map(({ number }) => number)
      assert.strictEqual(new Set(numbers).size, numbers.length)
      assert.includeMembers(numbers, document.orders.map(({ orderNumber }) => orderNumber))
    })
  })

  it("D3.3 a remap never takes from an arrived, departed or linked shipment, nor when the target has the order", () => {
    everyDecision(({ plan, snapshot }) => {
      for (const { order } of plan.orders) {
        if (order._tag === "Create" || order.remappedFrom === null) continue
        const from = snapshot.candidates.find(({ shipmentId }) => shipmentId === order.remappedFrom)!
        assert.deepStrictEqual([from.shipmentStatus, from.shipmentIsLinked, from.order.id], [
          "SCHEDULED",
          false,
          order.order.id
        ])
        assert.isFalse(snapshot.target?.orders.some(({ number }) => number === order.order.number) ?? false)
      }
    })
  })

  it("D3.3 of the eligible orders of a number none is later than the one that is taken, and one is if there is any", () => {
    everyDecision(({ plan, snapshot }) => {
      for (const { order } of plan.orders) {
        const number = order.order.number
        if (snapshot.target?.orders.some((each) => each.number === number)) continue
        const ages = snapshot.candidates
          .filter((each) =>
            each.order.number === number && each.shipmentStatus === "SCHEDULED" && !each.shipmentIsLinked
          )
          .map(({ createdAt, order }) => `${createdAt} ${order.id.padStart(20, "0")} ${order.id}`)
          .sort()
        const taken = order._tag === "Create" ? undefined : order.order.id
        assert.strictEqual(taken, ages.at(-1)?.split(" ")[2])
      }
    })
  })

  it("D3.4 created is exactly what the plan creates, in document order", () => {
    everyDecision(({ plan, result }) => {
      const expected = [
        ...(plan.shipment._tag === "Create" ? ["SHIPMENT"] : []),
        ...plan.orders.flatMap((change) => [
          ...(change.order._tag === "Create" ? ["ORDER"] : []),
          ...change.items.created.map(() => "ORDER_ITEM")
        ])
      ]
      assert.deepStrictEqual(result.created.map(({ type }) => type), expected)
    })
  })

  it("D3.4 a matched shipment and a matched or remapped order are always in updated", () => {
    everyDecision(({ document, snapshot, plan, result }) => {
      const updated = result.updated.filter(({ type }) => type !== "ORDER_ITEM").map((
        { type, reference }
      ) => [
        type,
        reference
      ])
      const matched = document.orders.filter((_, index) => plan.orders[index]!.order._tag === "Update")
      assert.deepStrictEqual(updated, [
        ...(snapshot.target === null ? [] : [["SHIPMENT", "S1"]]),
        ...matched.map(({ orderNumber }) => ["ORDER", orderNumber])
      ])
    })
  })

  it("WIRE.md references follow the rules, created and updated ones as things are afterwards", () => {
    everyDecision(({ snapshot, result }) => {
      const itemsById = (orders: ReadonlyArray<Snapshot["candidates"][number]["order"]>) =>
        new Map(orders.flatMap(({ items }) => items.map((item) => [item.id, item] as const)))
      const after = itemsById(result.shipment.orders)
      const before = itemsById(ordersOf(snapshot))
      const check = (references: Outcome["created"], items: ReturnType<typeof itemsById>): void => {
        for (const { type, id, reference } of references) {
          if (type === "SHIPMENT") assert.deepStrictEqual([id, reference], ["1", "S1"])
          else if (type === "ORDER") {
            assert.strictEqual(result.shipment.orders.find((order) => order.id === id)!.number, reference)
          } else {
            const { identifier, lpn, sku } = items.get(id)!
            assert.strictEqual(reference, identifier !== "" ? identifier : lpn !== "" ? lpn : sku)
          }
        }
      }
      check(result.created, after)
      check(result.updated, after)
      check(result.removed, before)
    })
  })

  it("D3.4 created, updated and removed name nothing twice, and removed is in id order", () => {
    everyDecision(({ result }) => {
      const all = [...result.created, ...result.updated, ...result.removed].map(({ type, id }) =>
        `${type} ${id}`
      )
      assert.strictEqual(new Set(all).size, all.length)
      const removed = result.removed.map(({ id }) => id)
      assert.deepStrictEqual(removed, removed.toSorted(compareIds))
    })
  })

  it("D4.1 orders and items are in id order", () => {
    everyDecision(({ result }) => {
      for (const list of [result.shipment.orders, ...result.shipment.orders.map(({ items }) => items)]) {
        const ids = list.map(({ id }) => id)
        assert.deepStrictEqual(ids, ids.toSorted(compareIds))
      }
    })
  })

  it("what a document does not name stays: other orders, and items that its strategy does not touch", () => {
    everyDecision(({ document, snapshot, result }) => {
      const after = new Map(result.shipment.orders.map((order) => [order.id, order]))
      const named = new Map(document.orders.map((order) => [order.orderNumber, order]))
      for (const order of snapshot.target?.orders ?? []) {
        const given = named.get(order.number)
        if (given === undefined) assert.deepStrictEqual(after.get(order.id), order)
        else if (given.strategy !== "OVERWRITE" || given.items.length === 0) {
          const keys = new Set(given.items.map(itemKey))
          assert.includeDeepMembers(
            [...after.get(order.id)!.items],
            order.items.filter((item) => !keys.has(itemKey(item)))
          )
        }
      }
    })
  })

  it("WIRE.md rule 5: without items the items of an order stay, wherever it was", () => {
    everyDecision(({ document, plan }) => {
      for (const [index, { items }] of document.orders.entries()) {
        if (items.length === 0) {
          assert.deepStrictEqual(plan.orders[index]!.items, { created: [], updated: [], removed: [] })
        }
      }
    })
  })

  it("D3.7 nothing of a shipment or order is cleared on \"\" or 0, and everything else replaces", () => {
    everyDecision(({ document, snapshot, result }) => {
      const before = new Map(ordersOf(snapshot).map((order) => [order.id, order]))
      const given = new Map(document.orders.map((order) => [order.orderNumber, order.fields]))
      for (const order of result.shipment.orders) {
        const fields = given.get(order.number)
        if (fields === undefined) continue
        for (const name of orderFieldNames) {
          const old = before.get(order.id)?.[name] ?? (name === "expectedQuantity" ? 0 : "")
          assert.strictEqual(order[name], isEmptyValue(fields[name]) ? old : fields[name])
        }
      }
      const { target, now } = snapshot
      const { shipment } = result
      assert.strictEqual(shipment.carrier, document.carrier || (target?.carrier ?? ""))
      assert.strictEqual(shipment.trailerNumber, document.trailerNumber || (target?.trailerNumber ?? ""))
      assert.strictEqual(
        shipment.expectedArrivalAt,
        document.expectedArrivalAt ?? target?.expectedArrivalAt ?? now
      )
      const values = new Map(
        [...(target?.additionalFields ?? []), ...document.additionalFields.filter(({ value }) => value)]
          .map(({ name, value }) => [name, value])
      )
      assert.deepStrictEqual(
        new Map(shipment.additionalFields.map(({ name, value }) => [name, value])),
        values
      )
    })
  })

  it("D3.2 a departed shipment is answered only as it is, and refused otherwise", () => {
    fc.assert(
      fc.property(documentsForS1, snapshots, (document, snapshot) => {
        fc.pre(snapshot.target !== null)
        const departed: Snapshot = { ...snapshot, target: { ...snapshot.target, status: "DEPARTED" } }
        const scheduled: Snapshot = { ...snapshot, target: { ...snapshot.target, status: "SCHEDULED" } }
        const [onDeparted, onScheduled] = [decide(document, departed), decide(document, scheduled)]
        fc.pre(Result.isSuccess(onScheduled))
        const changes = changesAnything(onScheduled.success)
        if (Result.isSuccess(onDeparted)) {
          const { id: _, ...after } = completed(onDeparted.success).shipment
          const { id: __, ...before } = departed.target!
          assert.deepStrictEqual([changes, after], [false, before])
        } else {
          assert.deepStrictEqual([changes, onDeparted.failure.message], [
            true,
            "SHIPMENT_CONFLICT: shipmentNumber=S1, reason=DEPARTED"
          ])
        }
      }),
      runs(150)
    )
  })

  it("changesAnything is false exactly when everything is afterwards as it was", () => {
    everyDecision(({ snapshot, plan, result }) => {
      const same = snapshot.target !== null &&
        JSON.stringify(sorted(result.shipment)) === JSON.stringify(sorted(snapshot.target)) &&
        plan.orders.every(({ items }) => items.created.length === 0 && items.removed.length === 0)
      assert.strictEqual(changesAnything(plan), !same)
    })
  })
})

/** With its members in one order, as far as they differ. */
const sorted = (shipment: Outcome["shipment"]): unknown => {
  const { orders, ...header } = shipment
  return [Object.entries(header).sort(), orders.map((order) => Object.entries(order).sort())]
}
