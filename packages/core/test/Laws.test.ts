/** Laws of reading and of the strategies, over generated documents and orders. */
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import * as fc from "fast-check"
import { reader } from "../src/DocumentInput.ts"
import { itemKey, orderItemFieldNames } from "../src/OrderItem.ts"
import type { OrderItem, OrderItemDraft } from "../src/OrderItem.ts"
import { defaultStrategies, isEmptyValue } from "../src/Strategy.ts"
import {
  incomingItems,
  keysAreUnique,
  rawDocuments,
  runs,
  storedItems,
  strategyNames,
  toJson
} from "../src/testing/Generators.ts"
import { without } from "../src/testing/Given.ts"
import { errorsOf, read } from "../src/testing/Reading.ts"

/** Items with what a strategy made of them, new ones with high ids; undefined when it refused. */
const itemsAfter = (
  strategy: string,
  stored: ReadonlyArray<OrderItem>,
  incoming: ReadonlyArray<OrderItemDraft>
): ReadonlyArray<OrderItem> | undefined => {
  const changes = defaultStrategies[strategy]!.apply(stored, incoming)
  if (Result.isFailure(changes)) return undefined
  const { created, updated, removed } = changes.success
  const changed = new Map(updated.map((item) => [item.id, item]))
  return [
    ...stored.filter((item) => !removed.includes(item)).map((item) => changed.get(item.id) ?? item),
    ...created.map((item, index) => ({ ...item, id: String(1_000_000 + index) }))
  ]
}

const withoutIds = (items: ReadonlyArray<OrderItem>) => items.map((item) => without(item, "id"))

/** Like {@link fc.pre}: what follows is about what was accepted. */
const accepted = <A>(value: A | undefined): A => {
  fc.pre(value !== undefined)
  return value
}

describe("reading", () => {
  it("a document read, written as JSON and read again is the same document", () => {
    fc.assert(
      fc.property(rawDocuments, (raw) => {
        const document = read(raw)
        assert.deepStrictEqual(read(JSON.parse(JSON.stringify(toJson(document)))), document)
        assert.deepStrictEqual(read(JSON.parse(JSON.stringify(raw))), document)
      }),
      runs(150)
    )
  })

  it("any value is read or refused with at least one error, and reading does not change it", () => {
    const names = fc.constantFrom(
      "business",
      "facility",
      "direction",
      "orderNumber",
      "items",
      "orders",
      "__proto__"
    )
    const near = fc.dictionary(
      names,
      fc.oneof(fc.jsonValue(), fc.array(fc.dictionary(names, fc.jsonValue())))
    )
    const readAny = reader()
    fc.assert(
      fc.property(fc.oneof(fc.jsonValue(), near, rawDocuments), (raw) => {
        const before = JSON.stringify(raw)
        const result = readAny(raw)
        assert.isTrue(Result.isSuccess(result) || errorsOf(result.failure).length > 0)
        assert.strictEqual(JSON.stringify(raw), before)
      }),
      runs(60)
    )
  })

  it("D2.3 one field of a wrong type makes a good document 400, with the path of that field", () => {
    const readAny = reader()
    fc.assert(
      fc.property(rawDocuments, fc.nat(), fc.nat(), (raw, chosen, variant) => {
        const names = Object.keys(raw).filter((name) => raw[name] !== null)
        const name = names[chosen % names.length]!
        const wrong = [5, true, [5], { a: 1 }, "text"].filter((each) => kindOf(each) !== kindOf(raw[name]))
        const result = readAny({ ...raw, [name]: wrong[variant % wrong.length] })
        fc.pre(Result.isFailure(result))
        assert.strictEqual(result.failure.category, "malformed")
        assert.isTrue(
          errorsOf(result.failure).some(({ path }) => path === name || path.startsWith(`${name}[`))
        )
      }),
      runs(150)
    )
  })
})

const kindOf = (value: unknown): string => (Array.isArray(value) ? "list" : typeof value)

describe("the strategies", () => {
  it.each(strategyNames)("D3.5 keys stay unique under %s", (strategy) => {
    fc.assert(
      fc.property(storedItems, incomingItems, (stored, incoming) => {
        assert.isTrue(keysAreUnique(accepted(itemsAfter(strategy, stored, incoming))))
      }),
      runs(150)
    )
  })

  it("WIRE.md APPEND keeps what was there", () => {
    fc.assert(
      fc.property(storedItems, incomingItems, (stored, incoming) => {
        const after = accepted(itemsAfter("APPEND", stored, incoming))
        assert.deepStrictEqual(after.slice(0, stored.length), stored)
        assert.deepStrictEqual(withoutIds(after.slice(stored.length)), incoming)
      }),
      runs(150)
    )
  })

  it("WIRE.md APPEND is refused exactly when a key is there already", () => {
    fc.assert(
      fc.property(storedItems, incomingItems, (stored, incoming) => {
        const keys = new Set(stored.map(itemKey))
        const clash = incoming.some((item) => keys.has(itemKey(item)))
        assert.strictEqual(itemsAfter("APPEND", stored, incoming) === undefined, clash)
      }),
      runs(150)
    )
  })

  it("APPEND then DELETE of the same items is identity on items", () => {
    fc.assert(
      fc.property(storedItems, incomingItems, (stored, incoming) => {
        const appended = accepted(itemsAfter("APPEND", stored, incoming))
        assert.deepStrictEqual(itemsAfter("DELETE", appended, incoming), stored)
      }),
      runs(150)
    )
  })

  it.each(["DELETE", "MERGE"])("%s is idempotent", (strategy) => {
    fc.assert(
      fc.property(storedItems, incomingItems, (stored, incoming) => {
        const once = accepted(itemsAfter(strategy, stored, incoming))
        assert.deepStrictEqual(itemsAfter(strategy, once, incoming), once)
      }),
      runs(150)
    )
  })

  it("WIRE.md OVERWRITE does not depend on what was there", () => {
    fc.assert(
      fc.property(storedItems, storedItems, incomingItems, (stored, other, incoming) => {
        assert.deepStrictEqual(
          itemsAfter("OVERWRITE", stored, incoming),
          itemsAfter("OVERWRITE", other, incoming)
        )
        assert.deepStrictEqual(withoutIds(accepted(itemsAfter("OVERWRITE", stored, incoming))), incoming)
      }),
      runs(150)
    )
  })

  it("WIRE.md DELETE leaves exactly the items that are not named", () => {
    fc.assert(
      fc.property(storedItems, incomingItems, (stored, incoming) => {
        const named = new Set(incoming.map(itemKey))
        assert.deepStrictEqual(
          itemsAfter("DELETE", stored, incoming),
          stored.filter((item) => !named.has(itemKey(item)))
        )
      }),
      runs(150)
    )
  })

  it("D3.6 MERGE clears nothing on \"\", 0, false or [], and takes everything else", () => {
    fc.assert(
      fc.property(storedItems, incomingItems, (stored, incoming) => {
        const given = new Map(incoming.map((item) => [itemKey(item), item]))
        const after = accepted(itemsAfter("MERGE", stored, incoming))
        for (const [index, before] of stored.entries()) {
          const item = given.get(itemKey(before))
          for (const name of orderItemFieldNames) {
            const kept = item === undefined || isEmptyValue(item[name])
            assert.deepStrictEqual(after[index]![name], kept ? before[name] : item[name])
          }
        }
      }),
      runs(150)
    )
  })
})
