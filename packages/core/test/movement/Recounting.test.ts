/** D13.4: a storage that keeps the counts of discrepancies recounts with each pallet event what counting all would say. */
import { seenPallets } from "@dockline/core/movement/Pallet"
import type { RecordedPallet } from "@dockline/core/movement/Pallet"
import { countDiscrepancies, recount } from "@dockline/core/shipment/Discrepancies"
import { sightAgain } from "@dockline/core/shipment/Shipment"
import type { Sightings } from "@dockline/core/shipment/Shipment"
import { palletDirections } from "@dockline/core/values/Vocabulary"
import { anItem } from "@dockline/testing/generators/Given"
import { assert, it } from "@effect/vitest"
import * as FastCheck from "fast-check"
import { runs } from "../../../../test/support/Runner.ts"
import * as Timestamp from "../../src/values/Timestamp.ts"
import { aRecordedPallet, dock1, dock2 } from "./MotionSnapshots.ts"

const event: FastCheck.Arbitrary<RecordedPallet> = FastCheck.record({
  palletId: FastCheck.integer({ min: 1, max: 4 }),
  direction: FastCheck.constantFrom(...palletDirections),
  second: FastCheck.integer({ min: 0, max: 5 }),
  dock: FastCheck.constantFrom(dock1, dock2)
}).map(({ dock, direction, palletId, second }) =>
  aRecordedPallet({
    palletId,
    direction,
    dock,
    occurredAt: Timestamp.of(`2026-11-20T17:00:0${second}.000Z`),
    labels: [{ name: "lpn", value: `L${palletId}` }]
  })
)

it("each event changes the counts to what counting all pallets says", () => {
  FastCheck.assert(
    FastCheck.property(
      FastCheck.constantFrom("INBOUND", "OUTBOUND", "TRANSFER"),
      FastCheck.constantFrom(null, dock1),
      FastCheck.subarray(["L1", "L2", "L3", "L4", "L5"]),
      FastCheck.array(event, { maxLength: 12 }),
      (direction, dock, expected, events) => {
        const orders = [{ items: expected.map((lpn, n) => ({ ...anItem(lpn, "S"), id: String(n) })) }]
        const recountUntil = (until: number) =>
          countDiscrepancies({
            direction,
            dock,
            orders,
            pallets: seenPallets(events.slice(0, until).map((each, n) => ({ ...each, messageId: n + 1 })))
          })
        const sightings = new Map<number, Sightings>()
        let counts = recountUntil(0)
        for (const [n, { direction: way, dock: at, occurredAt, palletId }] of events.entries()) {
          const before = sightings.get(palletId) ?? null
          const after = sightAgain(before, way, occurredAt, at.id)
          sightings.set(palletId, after)
          const isExpected = expected.includes(`L${palletId}`)
          counts = recount(counts, { direction, dockId: dock?.id ?? null, isExpected }, before, after)
          assert.deepStrictEqual(counts, recountUntil(n + 1))
        }
      }
    ),
    runs(500)
  )
})
