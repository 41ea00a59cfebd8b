import {
  aPalletEvent,
  dashboardUrl,
  earlier,
  labelsOf,
  lessRecently,
  now
} from "@dockline/testing/generators/Given"
import { assert, describe, it } from "@effect/vitest"
import { Context, Result, Schema } from "effect"
import {
  dashboardOf,
  defaultMovementConfig,
  MovementSettings,
  palletAnswer,
  palletLimits
} from "../../src/movement/Movement.ts"
import type { PalletShipment, PalletSnapshot } from "../../src/movement/Movement.ts"
import { PalletAnswer, textOf } from "../../src/movement/Pallet.ts"
import type { PalletEvent } from "../../src/movement/Pallet.ts"
import type { Discrepancy } from "../../src/shipment/Discrepancies.ts"
import type { PalletDirection } from "../../src/values/Vocabulary.ts"
import {
  aPalletShipment,
  aPalletSnapshot,
  decideOn,
  dock1,
  dock2,
  planOf,
  refusedPallet
} from "./MotionSnapshots.ts"

const verdict = {
  kind: "EXPECTED",
  shipmentId: 1,
  shipmentNumber: "S1",
  dockSlug: "D1",
  text: "Shipment S1 expects the pallet."
} as const
const answer = { messageId: 3, serviceShipmentId: "1", servicePalletId: "2", orders: ["O1"], verdict }
const byLpn = aPalletShipment({ id: 2, number: "S2" })
const atDock = aPalletShipment({ id: 3, number: "S3" })
const shipment = aPalletShipment({ id: 1, number: "S1" })

const codeOf = (snapshot: Partial<PalletSnapshot>, event = aPalletEvent()): string =>
  refusedPallet(event, aPalletSnapshot(snapshot)).code

describe("D6.1 the order of refusals", () => {
  const event = aPalletEvent({ shipmentNumber: "S1" })
  const reuse = { earlierEvent: { text: "something else", answer } }

  const departed = aPalletShipment({ status: "DEPARTED", events: palletLimits.eventLimit })

  it.each<readonly [string, Partial<PalletSnapshot>, string]>([
    ["unknown business", { business: null, facility: null, dock: null, ...reuse }, "BUSINESS_NOT_FOUND"],
    ["unknown facility", { facility: null, dock: null, ...reuse }, "FACILITY_NOT_FOUND"],
    ["an event id with other content", { dock: null, ...reuse }, "EVENT_ID_REUSED"],
    ["an untimely report", { now: lessRecently("08:00:00.000Z"), dock: null }, "INVALID_REQUEST"],
    ["unknown dock", { dock: null }, "UNKNOWN_DOCK"],
    ["unknown shipment", { byLpn, atDock }, "SHIPMENT_NOT_FOUND"],
    ["departed", { namedShipment: departed }, "SHIPMENT_DEPARTED"],
    ["cancelled", { namedShipment: { ...departed, status: "CANCELLED" } }, "SHIPMENT_CANCELLED"],
    ["too many events", { namedShipment: { ...departed, status: "ARRIVED" } }, "TOO_MANY_PALLET_EVENTS"]
  ])("%s, then the rest", (_, snapshot, code) => {
    assert.strictEqual(codeOf(snapshot, event), code)
  })
})

describe("D6.1 a repeat returns the same answer", () => {
  const event = aPalletEvent()
  const repetition = { earlierEvent: { text: textOf(event), answer } }

  it("though dock and shipments are not looked at any more", () => {
    assert.deepStrictEqual(
      decideOn(event, aPalletSnapshot({ ...repetition, dock: null })),
      Result.succeed({ _tag: "Repeat", answer })
    )
  })

  it("though the shipment has departed since", () => {
    const departed = aPalletShipment({ status: "DEPARTED" })
    assert.deepStrictEqual(
      decideOn(event, aPalletSnapshot({ ...repetition, namedShipment: departed, atDock: departed })),
      Result.succeed({ _tag: "Repeat", answer })
    )
  })

  it("with another body it is EVENT_ID_REUSED", () => {
    assert.deepStrictEqual(
      refusedPallet(aPalletEvent({ direction: "UNLOADING" }), aPalletSnapshot({ ...repetition, atDock })),
      {
        code: "EVENT_ID_REUSED",
        message: "EVENT_ID_REUSED: eventId=E1; an event with other content was recorded under it"
      }
    )
  })
})

describe("D6.2 the shipment", () => {
  it.each(
    [
      ["the given one, by id", { shipmentId: 1 }, { namedShipment: shipment, byLpn, atDock }, 1],
      ["the given one, by number", { shipmentNumber: "S1" }, { namedShipment: shipment, byLpn, atDock }, 1],
      ["else the one that expects the lpn", {}, { byLpn, atDock }, 2],
      ["else the one at the dock", {}, { atDock }, 3],
      ["never a given one that was not asked for", {}, { namedShipment: shipment, atDock }, 3]
    ] as const
  )("is %s", (_, event, snapshot, id) => {
    assert.strictEqual(planOf(aPalletEvent(event), aPalletSnapshot(snapshot)).shipmentId, id)
  })

  it.each(
    [
      ["id", { shipmentId: 4711 }, "Unknown shipment: 4711"],
      ["number", { shipmentNumber: "S\n9" }, "Unknown shipment: S\\u000a9"]
    ] as const
  )("of an unknown %s is 404, whatever else fits", (_, event, message) => {
    assert.deepStrictEqual(refusedPallet(aPalletEvent(event), aPalletSnapshot({ byLpn, atDock })), {
      code: "SHIPMENT_NOT_FOUND",
      message
    })
  })

  it("that is nowhere is PALLET_NOT_MATCHED", () => {
    assert.deepStrictEqual(refusedPallet(aPalletEvent(), aPalletSnapshot()), {
      code: "PALLET_NOT_MATCHED",
      message:
        "PALLET_NOT_MATCHED: lpn=L1, dockSlug=D1; no open shipment holds an item with this lpn, and none has " +
        "arrived at this dock"
    })
  })

  it("becomes ARRIVED with its first pallet, when that occurred and at its dock", () => {
    const plan = planOf(
      aPalletEvent(),
      aPalletSnapshot({ byLpn: aPalletShipment({ status: "SCHEDULED" }) })
    )
    assert.deepStrictEqual([plan.arrivedAt, plan.dock], [earlier, dock1])
  })

  it("that has arrived stays as it arrived", () => {
    assert.isNull(planOf(aPalletEvent(), aPalletSnapshot({ byLpn })).arrivedAt)
  })
})

describe("D6.3 the pallet and its orders", () => {
  it("a known pallet keeps its id", () => {
    const plan = planOf(aPalletEvent(), aPalletSnapshot({ byLpn: aPalletShipment({ palletId: 5 }) }))
    assert.deepStrictEqual([plan.palletId, plan.isNewPallet, plan.lpn], [5, false, "L1"])
  })

  it("an unknown one gets the new id", () => {
    const plan = planOf(aPalletEvent({ labels: [] }), aPalletSnapshot({ atDock }))
    assert.deepStrictEqual([plan.palletId, plan.isNewPallet, plan.lpn], [77, true, ""])
  })

  it.each(
    [
      ["those that hold an item with the lpn", { ordersWithLpn: ["O2", "O1"], onlyOrder: null }, [
        "O2",
        "O1"
      ]],
      ["else the only one", { ordersWithLpn: [], onlyOrder: "O1" }, ["O1"]],
      ["else none", { ordersWithLpn: [], onlyOrder: null }, []]
    ] as const
  )("orders are %s", (_, shipment, orders) => {
    const plan = planOf(aPalletEvent(), aPalletSnapshot({ byLpn: aPalletShipment(shipment) }))
    assert.deepStrictEqual([plan.orders, plan.messages.at(-1)!.payload["orders"]], [orders, orders])
  })
})

describe("D6.4 the message", () => {
  it("tells of the pallet, and the answer of the message", () => {
    const fieldMap = [{ name: "LPN", label: "lpn", list: false }]
    const shipment = aPalletShipment({ palletId: 5, ordersWithLpn: ["O1"] })
    const plan = planOf(aPalletEvent(), aPalletSnapshot({ byLpn: shipment, fieldMap }))
    assert.strictEqual(plan.messages.length, 1)
    const { payload, ...message } = plan.messages[0]!
    assert.deepStrictEqual(message, {
      business: "acme",
      facility: "east",
      type: "PALLET_EVENT",
      shipmentId: 1
    })
    assert.deepInclude(payload, { servicePalletId: "5", occurredAt: earlier, orders: ["O1"], LPN: "L1" })
    const expected = {
      messageId: 99,
      serviceShipmentId: "1",
      servicePalletId: "5",
      orders: ["O1"],
      verdict
    }
    assert.deepStrictEqual(palletAnswer(plan, 99), expected)
    const answerWithNote = { ...expected, notes: ["label lpn: left out invisible characters: U+200B"] }
    assert.deepStrictEqual<unknown>(Schema.encodeSync(PalletAnswer)(answerWithNote), answerWithNote)
    // The schema, which clients know, requires each of these members.
    for (const name of Object.keys(expected)) {
      assert.isFalse(Schema.is(PalletAnswer)({ ...answerWithNote, [name]: undefined }), name)
    }
  })

  it("links to the dashboard with one slash, however the setting ends", () => {
    for (const ending of ["", "/", "//"]) {
      assert.strictEqual(dashboardOf({ dashboardUrl: `${dashboardUrl}${ending}` }), dashboardUrl)
    }
    assert.strictEqual(dashboardOf(defaultMovementConfig), "http://localhost:8080/dashboard")
    assert.deepStrictEqual(Context.get(Context.empty(), MovementSettings), defaultMovementConfig)
  })
})

describe("D15.2 the verdict", () => {
  const once = lessRecently("08:00:00.000Z")
  const later = lessRecently("09:00:00.000Z")
  const sightingsOf = (
    first: PalletDirection,
    last: PalletDirection,
    { dockId = dock1.id, firstSeenAt = once, lastSeenAt = once } = {}
  ) => ({ first, last, dockId, firstSeenAt, lastSeenAt })
  const expected = { ordersWithLpn: ["O1"] }
  const s2 = { id: 2, number: "S2", dock: dock2 }
  const back = sightingsOf("LOADING", "UNLOADING", { lastSeenAt: later })

  const unloading = { direction: "UNLOADING" } as const
  const passing = { sightings: sightingsOf("LOADING", "LOADING") }
  const isExpected = "Shipment S1 expects the pallet."
  const isElsewhere = "Shipment S2 expects the pallet, S1 does not."
  const isNowhere = "No open shipment of the facility expects the pallet."
  const isAtD2 = "Shipment S1 is at dock D2."
  const isLoaded = "Pallets of shipment S1 are loaded, and this one was unloaded."
  const isGone = "The pallet of shipment S1 has gone back, and counts as not passed."

  it.each<readonly [string, Partial<PalletShipment>, Partial<PalletEvent>, string, string]>([
    ["it is expected, and comes first", expected, {}, "EXPECTED S1 D1", isExpected],
    [
      "the shipment arrives by it",
      { ...expected, status: "SCHEDULED", dock: dock2 },
      {},
      "EXPECTED S1 D1",
      isExpected
    ],
    ["the shipment has no dock", { ...expected, dock: null }, {}, "EXPECTED S1", isExpected],
    [
      "it comes back after it had gone",
      { ...expected, sightings: sightingsOf("LOADING", "UNLOADING") },
      {},
      "EXPECTED S1 D1",
      isExpected
    ],
    [
      "it has passed before",
      { ...expected, ...passing },
      {},
      "REPEATED S1 D1",
      "The pallet of shipment S1 has passed before."
    ],
    ["another one at this dock expects it", { elsewhere: s2 }, {}, "WRONG_SHIPMENT S2 D2", isElsewhere],
    [
      "another one expects it that is nowhere",
      { elsewhere: { ...s2, dock: null } },
      {},
      "WRONG_SHIPMENT S2",
      isElsewhere
    ],
    ["nobody expects it", {}, {}, "UNEXPECTED S1 D1", isNowhere],
    [
      "it has no lpn",
      {},
      { labels: [] },
      "UNEXPECTED S1 D1",
      "The pallet has no LPN, so no shipment expects it."
    ],
    ["nobody expects it, at another dock", { dock: dock2 }, {}, "UNEXPECTED S1 D2", isNowhere],
    ["nobody expects it, and it has passed before", passing, {}, "UNEXPECTED S1 D1", isNowhere],
    ["the shipment is at another dock", { ...expected, dock: dock2 }, {}, "WRONG_DOCK S1 D2", isAtD2],
    [
      "it has passed before at this dock, which is not the shipment's",
      { ...expected, ...passing, dock: dock2 },
      {},
      "WRONG_DOCK S1 D2",
      isAtD2
    ],
    ["it goes the other way", expected, unloading, "WRONG_DIRECTION S1 D1", isLoaded],
    ["it is taken off again", { ...expected, ...passing }, unloading, "WRONG_DIRECTION S1 D1", isGone],
    [
      "it goes the other way, and another one expects it",
      { elsewhere: s2 },
      unloading,
      "WRONG_DIRECTION S1 D1",
      isLoaded
    ],
    ["it has gone back since", { ...expected, sightings: back }, {}, "WRONG_DIRECTION S1 D1", isGone],
    [
      "the shipment is inbound",
      { ...expected, direction: "INBOUND" },
      {},
      "WRONG_DIRECTION S1 D1",
      "Pallets of shipment S1 are unloaded, and this one was loaded."
    ],
    [
      "the shipment is inbound, it is unloaded",
      { ...expected, direction: "INBOUND" },
      unloading,
      "EXPECTED S1 D1",
      isExpected
    ],
    [
      "the direction is one of the customer's own",
      { ...expected, direction: "CROSS" },
      unloading,
      "EXPECTED S1 D1",
      isExpected
    ]
  ])("where %s", (_, shipment, event, payload, text) => {
    const { verdict } = planOf(aPalletEvent(event), aPalletSnapshot({ atDock: aPalletShipment(shipment) }))
    assert.strictEqual([verdict.kind, verdict.shipmentNumber, verdict.dockSlug].join(" ").trim(), payload)
    assert.strictEqual(verdict.shipmentId, verdict.shipmentNumber === "S2" ? 2 : 1)
    assert.strictEqual(verdict.text, text)
  })
})

describe("the most a shipment takes", () => {
  const { eventLimit, textLimit } = palletLimits
  const event = aPalletEvent({ labels: labelsOf(["lpn", "12345"]) })
  const fill = (events: number, labelText: number) =>
    aPalletSnapshot({ byLpn: aPalletShipment({ events, labelText, ordersWithLpn: ["O1"] }) })

  it("10,000 events with 2 Mi characters of labels and orders: the last that fits is taken", () => {
    assert.deepStrictEqual(palletLimits, { eventLimit: 10_000, textLimit: 2_097_152 })
    const snapshot = fill(eventLimit - 1, textLimit - 10)
    assert.strictEqual(Result.getOrThrow(decideOn(event, snapshot))._tag, "Record")
    assert.strictEqual(planOf(event, snapshot).labelText, 10)
  })

  it.each([["event", eventLimit, 0], ["character", 0, textLimit - 9]])(
    "one %s more is not",
    (_, events, text) => {
      assert.deepStrictEqual(refusedPallet(event, fill(events, text)), {
        code: "TOO_MANY_PALLET_EVENTS",
        message: "TOO_MANY_PALLET_EVENTS: shipmentNumber=S1; a shipment takes at most 10000 pallet " +
          "events with 2097152 characters of labels and order numbers"
      })
    }
  )
})

describe("D15.1 the first pallet of a scheduled shipment", () => {
  it("tells the arrival with all orders, and then of the pallet, whose message it answers", () => {
    const shipment = aPalletShipment({
      status: "SCHEDULED",
      dock: null,
      orders: ["O1", "O2"],
      ordersWithLpn: ["O2"]
    })
    const event = aPalletEvent()
    const plan = planOf(event, aPalletSnapshot({ byLpn: shipment }))
    assert.deepStrictEqual(plan.messages.map(({ type }) => type), ["SHIPMENT_ARRIVED", "PALLET_EVENT"])
    assert.deepStrictEqual(plan.messages[0], {
      business: "acme",
      facility: "east",
      type: "SHIPMENT_ARRIVED",
      shipmentId: 1,
      payload: {
        businessSlug: "acme",
        facilitySlug: "east",
        serviceShipmentId: "1",
        shipmentNumber: "S1",
        orders: ["O1", "O2"],
        url: `${dashboardUrl}/shipments/1`,
        dockId: String(dock1.id),
        occurredAt: event.occurredAt
      }
    })
  })
})

describe("D21.4 a pallet that is reported after its shipment departed", () => {
  const at = lessRecently("09:00:00.000Z")
  const departed = aPalletShipment({
    status: "DEPARTED",
    dock: dock1,
    ordersWithLpn: ["O1"],
    departure: {
      at,
      tracking: {
        direction: "OUTBOUND",
        status: "DEPARTED",
        dock: dock1,
        expectedLpns: ["L1", "L2"],
        pallets: [],
        elsewhere: []
      }
    }
  })
  const byNumber = { shipmentNumber: "S1" }

  it.each([["before it", earlier], ["at its instant", at]])("and passed %s is taken", (_, occurredAt) => {
    const plan = planOf(
      aPalletEvent({ ...byNumber, occurredAt }),
      aPalletSnapshot({ namedShipment: departed })
    )
    assert.isTrue(plan.verdict.late)
  })

  it("and passed after it is refused, unless it names no shipment", () => {
    const after = { occurredAt: now }
    assert.strictEqual(
      codeOf({ namedShipment: departed }, aPalletEvent({ ...byNumber, ...after })),
      "SHIPMENT_DEPARTED"
    )
    assert.isTrue(planOf(aPalletEvent(after), aPalletSnapshot({ departed })).verdict.late)
  })

  it("tells the discrepancies that are left, as of now", () => {
    const { messages } = planOf(aPalletEvent(byNumber), aPalletSnapshot({ namedShipment: departed }))
    assert.deepStrictEqual(messages.map(({ type }) => type), ["PALLET_EVENT", "SHIPMENT_DISCREPANCIES"])
    const { discrepancies, ...payload } = messages[1]!.payload
    assert.deepStrictEqual((discrepancies as ReadonlyArray<Discrepancy>).map(({ lpn }) => lpn), ["L2"])
    assert.deepStrictEqual(payload, {
      businessSlug: "acme",
      facilitySlug: "east",
      serviceShipmentId: "1",
      shipmentNumber: "S1",
      orders: [],
      url: `${dashboardUrl}/shipments/1`,
      dockId: String(dock1.id),
      occurredAt: now
    })
  })
})
