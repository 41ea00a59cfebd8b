/** D24.3: the event in each message of a pallet, as tables and as laws. */
import { remains, sightAgain } from "@dockline/core/shipment/Shipment"
import type { Sightings } from "@dockline/core/shipment/Shipment"
import * as fc from "fast-check"
import { assert, describe, it } from "vitest"
import { runs } from "../../../../test/support/Runner.ts"
import { ledgerOf } from "../../src/events/EventsOfMessage.ts"
import type { PalletRecord } from "../../src/events/EventsOfMessage.ts"
import { aRecord } from "../Examples.ts"

const directions = { L: "LOADING", U: "UNLOADING" } as const

/** `L1` is loaded in minute 1. */
const recordsOf = (text: string): ReadonlyArray<PalletRecord> =>
  text.split(" ").map((word, index) =>
    aRecord(index + 1, directions[word.charAt(0) as "L" | "U"], Number(word.slice(1)))
  )

/** `1` is the event of message 1, `1x` is the declaration that it is wrong. */
const textOf = (records: ReadonlyArray<PalletRecord>): string =>
  Array.from(
    ledgerOf(records).values(),
    ({ declarationTime, record }) => `${record.messageId}${declarationTime === null ? "" : "x"}`
  ).join(" ")

describe("D24.3 the messages of a pallet", () => {
  it.each([
    ["L1", "1"],
    ["U1", "1"],
    ["L1 U2", "1 1x"],
    ["L1 L2", "1 1"],
    ["L1 L2 U3", "1 1 1x"],
    ["L1 U2 U3", "1 1x 1x"],
    ["L1 U2 L3", "1 1x 3"],
    ["U1 L2 U3 L4", "1 1x 3 3x"],
    // A late record.
    ["L2 U1", "1 1x"],
    ["L2 U4 L1", "1 1x 1x"],
    ["L2 U4 U1", "1 1x 3"],
    ["L1 L3 U2", "1 1 1"]
  ])("%s tell %s", (records, events) => {
    assert.strictEqual(textOf(recordsOf(records)), events)
  })

  it("declare an event to be wrong as of what cancels it", () => {
    const [, second] = Array.from(ledgerOf(recordsOf("L1 U4 U5")).values())
    assert.strictEqual(second?.declarationTime, "2026-11-20T17:04:00.000Z")
  })

  const records = fc.array(
    fc.tuple(fc.constantFrom("LOADING" as const, "UNLOADING" as const), fc.nat(9)),
    { minLength: 1, maxLength: 12 }
  ).map((all) => all.map(([direction, minute], index) => aRecord(index + 1, direction, minute)))

  it("tell one event each, and those that stand are what remains of the pallet (D6.6)", () => {
    fc.assert(
      fc.property(records, (records) => {
        const entries = ledgerOf(records)
        assert.deepStrictEqual(Array.from(entries.keys()), records.map(({ messageId }) => messageId))
        const standing = new Map<number, PalletRecord>()
        let sightings: Sightings | null = null
        for (const { direction, messageId, occurredAt } of records) {
          const { declarationTime, record } = entries.get(messageId)!
          if (declarationTime === null) standing.set(record.messageId, record)
          else standing.delete(record.messageId)
          sightings = sightAgain(sightings, direction, occurredAt, 0)
          assert.deepStrictEqual(
            Array.from(standing.values(), (each) => each.direction),
            remains(sightings) ? [sightings.last] : []
          )
        }
      }),
      runs(3000)
    )
  })

  it("declare as many events to be wrong as pairs cancel, where they are recorded in order", () => {
    fc.assert(
      fc.property(records, (records) => {
        const inOrder = records.map(({ direction, messageId }) => aRecord(messageId, direction))
        const wrong = Array.from(ledgerOf(inOrder).values()).flatMap(({ declarationTime, record }) =>
          declarationTime === null ? [] : [record.messageId]
        )
        const alternating = inOrder.filter(({ direction }, index) =>
          direction !== inOrder[index - 1]?.direction
        )
        assert.strictEqual(new Set(wrong).size, Math.floor(alternating.length / 2))
      }),
      runs(3000)
    )
  })

  it("tell the same whatever is recorded later", () => {
    fc.assert(
      fc.property(records, fc.nat(11), (records, count) => {
        const part = records.slice(0, count + 1)
        const whole = ledgerOf(records)
        for (const [id, entry] of ledgerOf(part)) assert.deepStrictEqual(whole.get(id), entry)
      }),
      runs(1000)
    )
  })
})
