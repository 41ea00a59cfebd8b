/** Generated values: that they are what they say, meet each other, reach the odd cases, and shrink to readable ones. */
import {
  documents,
  keyOf,
  prototypeNames,
  rawDocuments,
  storedItems
} from "@dockline/testing/generators/Generators"
import { meetings, situations } from "@dockline/testing/generators/Situations"
import * as Law from "@dockline/testing/Law"
import { facilityHistories } from "@dockline/testing/laws/IntakeRun"
import type { FacilityStep } from "@dockline/testing/laws/IntakeRun"
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import * as fc from "fast-check"
import { decide } from "../../src/document/Decision.ts"
import { changesAnything } from "../../src/document/Plan.ts"

const seed = 7

/** The case that a planted mistake shrinks to, as reports show it. */
const shrunk = <A>(arbitrary: fc.Arbitrary<A>, isFine: (value: A) => boolean, seed: number): string => {
  const { counterexample } = fc.check(fc.property(arbitrary, isFine), { seed, numRuns: 500 })
  return counterexample === null ? "nothing" : Law.brief(counterexample[0])
}

/** How many of the values are like that, in percent. */
const share = <A>(arbitrary: fc.Arbitrary<A>, isLike: (value: A) => boolean): number => {
  const values = fc.sample(arbitrary, { numRuns: 200, seed })
  return 100 * values.filter(isLike).length / values.length
}

describe("a planted mistake shrinks", () => {
  it.each([1, 2, 3, 4])("to a document of one order and one item with short names (seed %i)", (seed) => {
    const text = shrunk(
      documents,
      ({ orders }) => orders.every(({ items }) => items.every(({ height }) => height === 0)),
      seed
    )
    assert.match(
      text,
      /"orders":\[\{"orderNumber":"O1","strategy":"OVERWRITE","items":\[\{"lpn":"L1","sku":"S1","quantityUnit":"PALLET","height":[\d.]+\}\]\}\]\}$/
    )
    assert.notMatch(text, /carrier|trailerNumber|dockSlug|expectedArrivalAt|"value"/)
  })

  it.each([1, 2, 3, 4])(
    "to a raw document that names what is required, and the mistake (seed %i)",
    (seed) => {
      const text = shrunk(
        rawDocuments,
        (raw) => !JSON.stringify(raw).includes("\"isDangerousGood\":true"),
        seed
      )
      const raw = JSON.parse(text)
      const [order] = raw.orders ?? [raw]
      assert.deepStrictEqual(order.items, [{
        isDangerousGood: true,
        lpn: "L1",
        sku: "S1",
        quantityUnit: "PALLET"
      }])
      assert.strictEqual(order.orderNumber, "O1")
      assert.isAtMost(Object.keys(raw).length, 5)
    }
  )

  it.each([1, 2, 3, 4])("to a meeting of one item with one item (seed %i)", (seed) => {
    const text = shrunk(meetings, ({ incoming, itemsBefore }) => {
      const keys = new Set(itemsBefore.map(keyOf))
      return incoming.every((item) => !keys.has(keyOf(item)))
    }, seed)
    const { incoming, itemsBefore } = JSON.parse(text)
    assert.deepStrictEqual([itemsBefore.length, incoming.length], [1, 1])
    assert.strictEqual(incoming[0].lpn, "L1")
  })
})

describe("what is generated", () => {
  it("meets: documents name orders and items that are there often enough for laws to mean something", () => {
    const namedShare = share(situations(), ({ document, snapshot }) => {
      const numbers = new Set(document.orders.map(({ orderNumber }) => orderNumber))
      return snapshot.target?.orders.some(({ number }) => numbers.has(number)) ?? false
    })
    const remappable = share(situations(), ({ document, snapshot }) => {
      const numbers = new Set(document.orders.map(({ orderNumber }) => orderNumber))
      return snapshot.candidates.some(({ order, shipmentIsLinked, shipmentStatus }) =>
        numbers.has(order.number) && shipmentStatus === "SCHEDULED" && !shipmentIsLinked
      )
    })
    const matchedShare = share(meetings, ({ incoming, itemsBefore }) => {
      const keys = new Set(itemsBefore.map(keyOf))
      return incoming.some((item) => keys.has(keyOf(item)))
    })
    assert.isAtLeast(namedShare, 20)
    assert.isAtLeast(remappable, 30)
    assert.isAtLeast(matchedShare, 40)
  })

  it("reaches prototype names, numbers at the limit, keys that read alike, and stored items without a lpn", () => {
    const text = JSON.stringify(fc.sample(documents, { numRuns: 500, seed }))
    for (const name of prototypeNames) assert.include(text, `"${name}"`)
    assert.include(text, String(Number.MAX_SAFE_INTEGER))
    const alike = share(meetings, ({ incoming, itemsBefore }) => {
      const items = new Map([...itemsBefore, ...incoming].map((item) => [keyOf(item), item.lpn + item.sku]))
      return new Set(items.values()).size < items.size
    })
    assert.isAtLeast(alike, 2)
    assert.isAbove(share(storedItems, (items) => items.some(({ lpn }) => lpn === "")), 5)
  })

  it("documents that say nothing new come up, of shipments that have departed too", () => {
    const quiet = share(situations(), ({ document, snapshot }) => {
      const decision = decide(document, snapshot)
      return Result.isSuccess(decision) && !changesAnything(decision.success)
    })
    assert.isAtLeast(quiet, 2)
  })

  it("histories of a facility come back to earlier shipments and items, and to those that have departed", () => {
    const histories = fc.sample(facilityHistories(), { numRuns: 200, seed })
    const like = (isLike: (step: FacilityStep, before: ReadonlyArray<FacilityStep>) => boolean) =>
      histories.filter((history) => history.some((step, index) => isLike(step, history.slice(0, index))))
        .length
    const nameOf = ({ document }: FacilityStep) => `${document.facility} ${document.shipmentNumber}`
    const keysOf = ({ document }: FacilityStep) =>
      document.orders.flatMap(({ items, orderNumber }) => items.map((item) => orderNumber + keyOf(item)))
    const departed = like((step, before) =>
      step._tag === "Submit" &&
      before.some((each) => each._tag === "Alter" && each.to === "DEPARTED" && nameOf(each) === nameOf(step))
    )
    const matching = like((step, before) => {
      const keys = new Set(before.filter((each) => nameOf(each) === nameOf(step)).flatMap(keysOf))
      return step._tag === "Submit" && keysOf(step).some((key) => keys.has(key))
    })
    assert.isAtLeast(departed, 20)
    assert.isAtLeast(matching, 60)
  })
})
