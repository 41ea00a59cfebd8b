/** The rules for the boards of docks, for every storage of shipments (D13.15). */
import { Pallets } from "@dockline/core/movement/Pallets"
import { Shipments } from "@dockline/core/movement/Shipments"
import { Directory } from "@dockline/core/places/Directory"
import * as Timestamp from "@dockline/core/values/Timestamp"
import { Effect } from "effect"
import * as assert from "../../Assert.ts"
import { aClient, aDocument, anItem, orderOf } from "../../generators/Given.ts"
import { aPalletEvent, labelsOf } from "../../generators/Motion.ts"
import { aBusiness, outcomeOf, write } from "../../worlds/IntakeWorld.ts"
import { at } from "../../worlds/MessageLogWorld.ts"
import type { AddTest } from "../../worlds/ReadWorld.ts"

const noon = Date.parse("2026-11-20T12:00:00.000Z")
const hours = (count: number): Timestamp.Timestamp => Timestamp.fromMillis(noon + count * 3_600_000)

const aYard = Effect.gen(function*() {
  const shipments = yield* Effect.provide(Shipments, Shipments.layer())
  const pallets = yield* Effect.provide(Pallets, Pallets.layer())
  const directory = yield* Directory
  const business = yield* aBusiness
  for (const dock of ["B1", "B2"]) yield* directory.createDock(business, "east", dock)
  const client = aClient("desk", business, "*", "documents:write", "pallets:write", "shipments:write")
  const announce = (shipmentNumber: string, lpns: ReadonlyArray<string>, expectedArrivalAt = hours(1)) =>
    Effect.map(
      write(aDocument(
        { business, shipmentNumber, direction: "INBOUND", expectedArrivalAt },
        orderOf(`O-${shipmentNumber}`, "APPEND", lpns.map((lpn) => anItem(lpn, "S")))
      )),
      (result) => String(outcomeOf(result).shipment.id)
    )
  const arrive = (id: string, dockSlug: string, occurredAt: Timestamp.Timestamp) =>
    shipments.arrive(id, { dockSlug, occurredAt }, client)
  const board = shipments.dockBoard({ business, facility: "east" }, client)
  return { announce, arrive, board, business, client, pallets, shipments }
})

const numbers = (rows: ReadonlyArray<{ readonly shipmentNumber: string }>) =>
  rows.map(({ shipmentNumber }) => shipmentNumber)

/** Cases of the suite of reads. */
export const boarding = (test: AddTest): void => {
  test("each dock tells its own shipments, the last to arrive first, however many there are", function*() {
    yield* at(noon)(Effect.gen(function*() {
      const { announce, arrive, board } = yield* aYard
      for (let n = 0; n < 5; n++) {
        yield* arrive(yield* announce(`OLD-${n}`, []), "B1", hours(n - 10))
      }
      yield* arrive(yield* announce("HERE", ["L1", "L2"]), "B2", hours(-1))
      yield* arrive(yield* announce("LOST", []), "", hours(-1))
      const { docks } = yield* board
      const docksShown = docks.filter(({ dockSlug, shipments }) =>
        shipments.length > 0 || dockSlug.startsWith("B")
      )
      assert.deepStrictEqual(
        docksShown.map(({ dockSlug, others, shipments }) => [dockSlug, numbers(shipments), others]),
        [["B1", ["OLD-4", "OLD-3", "OLD-2"], 2], ["B2", ["HERE"], 0], ["", ["LOST"], 0]]
      )
    }))
  })

  test("a shipment has its progress and its last pallet", function*() {
    yield* at(noon)(Effect.gen(function*() {
      const { announce, arrive, board, business, client, pallets } = yield* aYard
      const id = yield* announce("HERE", ["L1", "L2", "L3"])
      yield* arrive(id, "B1", hours(-1))
      for (const [n, lpn] of ["L1", "X9"].entries()) {
        yield* pallets.record(
          aPalletEvent({
            business,
            eventId: `${id}-${lpn}`,
            shipmentId: Number(id),
            dockSlug: "B1",
            direction: "UNLOADING",
            occurredAt: hours(-0.5 + n / 10),
            labels: labelsOf(["lpn", lpn])
          }),
          client
        )
      }
      const { docks } = yield* board
      const [row] = docks.flatMap(({ shipments }) => shipments)
      assert.deepStrictEqual(
        [
          row?.dockSlug,
          row?.progress,
          row?.lastPalletLpn,
          row?.lastSeenAt
        ],
        [
          "B1",
          { expectedPallets: 3, passedPallets: 2, missingPallets: 2, unexpectedPallets: 1 },
          "X9",
          hours(-0.4)
        ]
      )
    }))
  })

  test("what comes next is not hidden by what never came, and what left is counted", function*() {
    yield* at(noon)(Effect.gen(function*() {
      const { announce, arrive, board, client, shipments } = yield* aYard
      for (let n = 0; n < 6; n++) yield* announce(`NEVER-${n}`, [], hours(-100 - n))
      yield* announce("LATE", [], hours(-2))
      yield* announce("NEXT", [], hours(2))
      for (
        const [number, days, lpns] of [["YESTERDAY", -20, []], ["SHORT", -3, ["L1"]], [
          "WHOLE",
          -2,
          []
        ]] as const
      ) {
        const id = yield* announce(number, lpns)
        yield* arrive(id, "B1", hours(days - 1))
        yield* shipments.depart(id, { occurredAt: hours(days) }, client)
      }
      const { departed, departedToday, expected, late, moreExpected, shortToday } = yield* board
      assert.deepStrictEqual(numbers(expected), ["NEVER-2", "NEVER-1", "NEVER-0", "LATE", "NEXT"])
      assert.isTrue(moreExpected)
      assert.strictEqual(late, 4)
      assert.deepStrictEqual(numbers(departed), ["WHOLE", "SHORT"])
      assert.deepStrictEqual([departedToday, shortToday], [2, 1])
    }))
  })
}
