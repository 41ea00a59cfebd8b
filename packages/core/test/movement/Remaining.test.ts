import { labelsOf } from "@dockline/testing/generators/Given"
import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { runs } from "../../../../test/support/Runner.ts"
import { remaining } from "../../src/movement/Pallet.ts"
import type { RecordedPallet } from "../../src/movement/Pallet.ts"
import * as Timestamp from "../../src/values/Timestamp.ts"
import { palletDirections } from "../../src/values/Vocabulary.ts"
import { aRecordedPallet, dock1, dock2 } from "./MotionSnapshots.ts"

const at = (second: number): Timestamp.Timestamp =>
  Timestamp.of(`2026-11-20T17:00:${String(second).padStart(2, "0")}.000Z`)

const words = { L: "LOADING", U: "UNLOADING" } as const

/** The events of a pallet by their initials, recorded as they occurred. */
const history = (initials: string, palletId = 7): ReadonlyArray<RecordedPallet> =>
  Array.from(initials, (initial, index) =>
    aRecordedPallet({
      palletId,
      messageId: index + 1,
      direction: words[initial as "L" | "U"],
      occurredAt: at(index)
    }))

const countsShown = (events: ReadonlyArray<RecordedPallet>) =>
  events.map(({ palletId, messageId, direction }) => [palletId, messageId, direction])

describe("D6.6 repeats of one direction collapse, then opposite neighbours cancel", () => {
  it.each(
    [
      ["LU", null],
      ["LUUL", "LOADING"],
      ["ULLU", "UNLOADING"],
      ["LUULU", null]
    ] as const
  )("%s leaves %s", (initials, direction) => {
    const last = initials.length
    assert.deepStrictEqual(
      countsShown(remaining(history(initials))),
      direction === null ? [] : [[7, last, direction]]
    )
  })

  it("in order of occurrence, whatever the order of recording", () => {
    const late = [
      aRecordedPallet({ messageId: 1, direction: "LOADING", occurredAt: at(3) }),
      aRecordedPallet({ messageId: 2, direction: "UNLOADING", occurredAt: at(2) }),
      aRecordedPallet({ messageId: 3, direction: "LOADING", occurredAt: at(1) })
    ]
    assert.deepStrictEqual(countsShown(remaining(late)), [[7, 1, "LOADING"]])
  })

  it("in order of recording where they occurred at one instant", () => {
    const same = [
      aRecordedPallet({ messageId: 10, direction: "UNLOADING" }),
      aRecordedPallet({ messageId: 9, direction: "LOADING" }),
      aRecordedPallet({ messageId: 11, direction: "LOADING", labels: labelsOf(["lot", "last"]) })
    ]
    assert.deepStrictEqual(remaining(same), same.slice(2))
  })

  it("the last event supplies dock, orders and labels, a repeat of a direction too", () => {
    const first = aRecordedPallet({ messageId: 1, dock: dock1, orders: ["O1"], occurredAt: at(1) })
    const last = aRecordedPallet({
      messageId: 2,
      dock: dock2,
      orders: ["O2"],
      labels: labelsOf(["lot", "2"]),
      occurredAt: at(2)
    })
    assert.deepStrictEqual(remaining([last, first]), [last])
  })

  it("pallet by pallet, in the order of their ids as numbers", () => {
    const events = [...history("L", 10), ...history("LU", 8), ...history("U", 9)]
    assert.deepStrictEqual(countsShown(remaining(events)), [[9, 1, "UNLOADING"], [10, 1, "LOADING"]])
  })
})

/** D6.6 word for word: collapse, then cancel neighbours as long as there are any. */
const model = (directions: ReadonlyArray<string>): ReadonlyArray<string> => {
  const changes = directions.filter((direction, index) => direction !== directions[index - 1])
  const stack: Array<string> = []
  for (const direction of changes) {
    const top = stack.at(-1)
    if (top !== undefined && top !== direction) stack.pop()
    else stack.push(direction)
  }
  return stack
}

const directions = fc.array(fc.constantFrom(...palletDirections), { maxLength: 8 })

/** Histories of some pallets, mixed in any way that keeps the order of each. */
const mixtures = fc.array(directions, { minLength: 1, maxLength: 4 }).chain((pallets) => {
  const turns = pallets.flatMap((each, palletId) => each.map(() => palletId))
  return fc.shuffledSubarray(turns, { minLength: turns.length }).map((order) => {
    const remainders = pallets.map((each) => [...each])
    return order.map((palletId, index) =>
      aRecordedPallet({
        palletId,
        messageId: index + 1,
        direction: remainders[palletId]!.shift()!,
        // Several events share an instant, so that the order of recording counts too.
        occurredAt: at(Math.floor(index / 2))
      })
    )
  })
})

describe("laws of D6.6", () => {
  it("what remains is what the rule says word for word", () =>
    fc.assert(
      fc.property(directions, (each) => {
        const initials = each.map((direction) => direction.slice(0, 1)).join("")
        assert.deepStrictEqual(remaining(history(initials)).map(({ direction }) => direction), model(each))
      }),
      runs(500)
    ))

  it("each pallet for itself, however pallets are mixed and in whatever order events come", () =>
    fc.assert(
      fc.property(
        mixtures.chain((events) =>
          fc.tuple(fc.constant(events), fc.shuffledSubarray(events, { minLength: events.length }))
        ),
        ([events, permutation]) => {
          const each = Array.from(new Set(events.map(({ palletId }) => palletId))).sort((a, b) => a - b)
          const alone = each.flatMap((palletId) =>
            remaining(events.filter((event) => event.palletId === palletId))
          )
          assert.deepStrictEqual(remaining(events), alone)
          assert.deepStrictEqual(remaining(permutation), alone)
        }
      ),
      runs(300)
    ))
})
