/**
 * What a document costs grows as the document does. Counted, not timed: every read of the document and of the snapshot,
 * and every step of a search in a list, so that the figures are the same on every machine.
 */
import {
  aCandidate,
  acme,
  aDocument,
  anItem,
  anOrder,
  aShipment,
  aSnapshot,
  east,
  orderOf
} from "@dockline/testing/generators/Given"
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { decide } from "../../src/document/Decision.ts"
import type { Document } from "../../src/document/Document.ts"
import { intakeResult, outcome } from "../../src/document/Outcome.ts"
import { changesAnything, noIds } from "../../src/document/Plan.ts"
import type { Plan, Snapshot } from "../../src/document/Plan.ts"
import { aStoredItem } from "../Stored.ts"

/** Counts reads of what it watches, and the steps of searches in lists of text, which nothing can watch. */
const makeCounter = () => {
  let reads = 0
  const proxies = new WeakMap<object, object>()

  const handler: ProxyHandler<object> = {
    get: (target, name, receiver) => {
      reads++
      return watch(Reflect.get(target, name, receiver) as unknown)
    },
    has: (target, name) => {
      reads++
      return Reflect.has(target, name)
    },
    ownKeys: (target) => {
      reads++
      return Reflect.ownKeys(target)
    }
  }

  /** The value, watched with all that it holds; one object is always watched as one. */
  const watch = <A>(value: A): A => {
    if (typeof value !== "object" || value === null) return value
    const proxy = proxies.get(value) ?? new Proxy(value, handler)
    proxies.set(value, proxy)
    return proxy as A
  }

  const { includes, indexOf } = Array.prototype
  const counting = {
    includes(this: Array<unknown>, ...args: Parameters<typeof includes>) {
      reads += this.length
      return includes.apply(this, args)
    },
    indexOf(this: Array<unknown>, ...args: Parameters<typeof indexOf>) {
      reads += this.length
      return indexOf.apply(this, args)
    }
  }

  /** How many reads and steps a run takes. */
  const readsOf = (run: () => void): number => {
    Object.assign(Array.prototype, counting)
    try {
      run()
    } finally {
      Object.assign(Array.prototype, { includes, indexOf })
    }
    return reads
  }

  return { watch, readsOf }
}

/** Everything that is done with a plan on its way to the answer. */
const answer = (snapshot: Snapshot, plan: Plan): void => {
  changesAnything(plan)
  intakeResult(outcome(snapshot, plan, noIds(plan)), { business: acme, facility: east })
}

const readsFor = (document: Document, snapshot: Snapshot): number => {
  const { readsOf, watch } = makeCounter()
  const proxy = watch(snapshot)
  return readsOf(() => answer(proxy, Result.getOrThrow(decide(watch(document), proxy))))
}

/** A document of that size, and what it meets. */
type Case = (size: number) => readonly [Document, Snapshot]

/** Twice the size costs at most twice as much, but for a little that does not divide evenly. */
const isLinear = (situation: Case): void => {
  const [once, twice] = [200, 400].map((size) => readsFor(...situation(size)))
  assert.isAbove(once!, 200)
  assert.isAtMost(twice! / once!, 2.1)
}

const range = (size: number) => Array.from({ length: size }, (_, index) => index)
const incoming = (size: number, prefix = "L") =>
  range(size).map((index) => anItem(`${prefix}${index}`, "S1", { lot: "new" }))
const itemsOf = (size: number) =>
  range(size).map((index) => aStoredItem(String(1000 + index), `L${index}`, "S1"))
const orders = (size: number, prefix = "O") =>
  range(size).map((index) =>
    anOrder(String(5000 + index), `${prefix}${index}`, [aStoredItem(String(9000 + index), `L${index}`, "S1")])
  )
const manyOrders = (size: number, strategy: string) =>
  range(size).map((index) => orderOf(`O${index}`, strategy, [anItem(`L${index}`, "S1", { lot: "new" })]))

describe("what a decision and its answer cost is in proportion to the items", () => {
  describe.each(["APPEND", "MERGE", "DELETE", "OVERWRITE"])("%s", (strategy) => {
    const prefix = strategy === "APPEND" ? "N" : "L"

    it("of a new order", () =>
      isLinear((size) => [aDocument({}, orderOf("O1", strategy, incoming(size))), aSnapshot()]))

    it("of an order that holds as many", () =>
      isLinear((size) => [
        aDocument({}, orderOf("O1", strategy, incoming(size, prefix))),
        aSnapshot({ target: aShipment({ orders: [anOrder("5", "O1", itemsOf(size))] }) })
      ]))

    it("of a remapped order that holds as many", () =>
      isLinear((size) => [
        aDocument({}, orderOf("O1", strategy, incoming(size, prefix))),
        aSnapshot({ candidates: [aCandidate(anOrder("5", "O1", itemsOf(size)))] })
      ]))
  })
})

describe("nor does a plan that is made of stored items take more than its part", () => {
  it("MERGE of what is there", () =>
    isLinear((size) => [
      aDocument({}, orderOf("O1", "MERGE", itemsOf(size))),
      aSnapshot({ target: aShipment({ orders: [anOrder("5", "O1", itemsOf(size))] }) })
    ]))

  it("DELETE of half of what is there", () =>
    isLinear((size) => [
      aDocument({}, orderOf("O1", "DELETE", incoming(size / 2))),
      aSnapshot({ target: aShipment({ orders: [anOrder("5", "O1", itemsOf(size))] }) })
    ]))
})

describe("what a decision and its answer cost is in proportion to the orders", () => {
  it.each(["MERGE", "DELETE", "OVERWRITE"])("%s of orders on the target", (strategy) =>
    isLinear((size) => [
      aDocument({}, ...manyOrders(size, strategy)),
      aSnapshot({ target: aShipment({ orders: orders(size) }) })
    ]))

  it("of orders that are all remapped", () =>
    isLinear((size) => [
      aDocument({}, ...manyOrders(size, "MERGE")),
      aSnapshot({
        candidates: orders(size).map((order, index) => aCandidate(order, { shipmentId: 100 + index }))
      })
    ]))

  it("of orders beside as many that the document does not name", () =>
    isLinear((size) => [
      aDocument({}, ...manyOrders(size, "APPEND")),
      aSnapshot({ target: aShipment({ orders: orders(size, "P") }) })
    ]))

  it("of one order that as many shipments hold", () =>
    isLinear((size) => [
      aDocument({}, orderOf("O1", "MERGE", incoming(1))),
      aSnapshot({ candidates: range(size).map((index) => aCandidate(anOrder(String(index), "O1"))) })
    ]))
})
