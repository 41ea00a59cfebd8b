/** The board of a facility (D13.15): what it derives from the rows that a storage reads. */
import type { BoardRow } from "@dockline/core/shipment/DockBoard"
import { dockBoardOf } from "@dockline/core/shipment/DockBoard"
import * as Timestamp from "@dockline/core/values/Timestamp"
import { assert, describe, it } from "@effect/vitest"

const row: BoardRow = {
  id: 1,
  shipmentNumber: "LOAD-1",
  status: "ARRIVED",
  direction: "OUTBOUND",
  dockSlug: "D1",
  carrier: "",
  trailerNumber: "",
  expectedArrivalAt: "2026-11-20T08:00:00.000Z",
  arrivedAt: "2026-11-20T08:00:00.000Z",
  departedAt: "",
  passedPallets: 10,
  missingPallets: 5,
  unexpectedPallets: 0,
  lastPalletId: "10",
  lastPalletLpn: "LPN-10",
  lastSeenAt: "2026-11-20T08:20:00.000Z"
}

const moment = {
  business: "acme",
  facility: "east",
  detentionMinutes: 120,
  now: Timestamp.fromMillis(Date.parse("2026-11-20T10:00:00.001Z"))
}

/** What a board shows of a shipment at its dock. */
const viewOf = (change: Partial<BoardRow>) => {
  const board = dockBoardOf(moment, {
    docks: [{ dockSlug: "D1", shipments: [{ ...row, ...change }], others: 0 }],
    overdue: [],
    expected: [],
    departed: [],
    departedToday: 0,
    shortToday: 0
  })
  return board.docks[0]?.shipments[0]
}

describe("D13.15 when a shipment is finished at its pace", () => {
  it.each<[string, Partial<BoardRow>, string]>([
    ["each pallet took two minutes, and five are missing", {}, "2026-11-20T08:30:00.000Z"],
    ["unexpected pallets take their time as well", { unexpectedPallets: 5 }, "2026-11-20T08:30:00.000Z"],
    ["two pallets are a pace", { passedPallets: 2, missingPallets: 1 }, "2026-11-20T08:30:00.000Z"],
    ["one pallet is none", { passedPallets: 1 }, ""],
    ["no pallet is missing", { missingPallets: 0 }, ""],
    ["no pallet has passed", { passedPallets: 0, lastPalletId: "", lastSeenAt: "" }, ""],
    ["all passed at the time of the arrival", { lastSeenAt: row.arrivedAt }, ""],
    [
      "the last was seen before the arrival that was reported",
      { lastSeenAt: "2026-11-20T07:00:00.000Z" },
      ""
    ],
    ["it has departed", { status: "DEPARTED", departedAt: "2026-11-20T09:00:00.000Z" }, ""]
  ])("%s", (_, change, finishesAt) => {
    assert.strictEqual(viewOf(change)?.finishesAt, finishesAt)
  })

  it("counts what is expected of what has passed and is missing", () => {
    assert.deepStrictEqual(viewOf({ unexpectedPallets: 2 })?.progress, {
      expectedPallets: 13,
      passedPallets: 10,
      missingPallets: 5,
      unexpectedPallets: 2
    })
  })
})

describe("D13.15 what a board counts", () => {
  const at = (dockSlug: string, change: Partial<BoardRow> = {}): BoardRow => ({ ...row, dockSlug, ...change })
  const expected = (id: number, dockSlug: string, expectedArrivalAt: string): BoardRow =>
    at(dockSlug, { id, status: "SCHEDULED", arrivedAt: "", expectedArrivalAt })
  const board = dockBoardOf(moment, {
    docks: [
      {
        dockSlug: "D1",
        shipments: [at("D1", { id: 1 }), at("D1", { id: 2, arrivedAt: "2026-11-20T08:00:00.001Z" })],
        others: 0
      },
      { dockSlug: "D2", shipments: [], others: 0 },
      { dockSlug: "", shipments: [at("", { id: 3 })], others: 0 }
    ],
    overdue: [],
    expected: [
      expected(4, "D2", "2026-11-20T10:00:00.000Z"),
      expected(5, "", "2026-11-20T10:00:00.001Z"),
      expected(6, "D2", "2026-11-20T11:00:00.000Z")
    ],
    departed: [at("D1", { id: 7, status: "DEPARTED", departedAt: "2026-11-20T09:00:00.000Z" })],
    departedToday: 1,
    shortToday: 0
  })

  it("tells from when a shipment at a dock is there too long, and counts those that are", () => {
    assert.deepStrictEqual(board.docks[0]?.shipments.map(({ detainedAt }) => detainedAt), [
      "2026-11-20T10:00:00.000Z",
      "2026-11-20T10:00:00.001Z"
    ])
    assert.strictEqual(board.detained, 2)
    assert.deepStrictEqual([...board.expected, ...board.departed].map(({ detainedAt }) => detainedAt), [
      "",
      "",
      "",
      ""
    ])
  })

  it("counts what has not come by its time, and names the next of each dock", () => {
    assert.strictEqual(board.late, 1)
    assert.deepStrictEqual(board.docks.map(({ nextId }) => nextId), [0, 4, 0])
  })
})
