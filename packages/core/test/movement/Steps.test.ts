import {
  aGrant,
  anItem,
  anOrder,
  aPrincipal,
  dashboardUrl,
  earlier,
  lessRecently,
  mover,
  now,
  refusalOf
} from "@dockline/testing/generators/Given"
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import type { StepChange, StepSnapshot } from "../../src/movement/Movement.ts"
import type { RecordedPallet } from "../../src/movement/Pallet.ts"
import { completionPayload } from "../../src/movement/ShipmentMessage.ts"
import type { ArrivalInput, CheckInInput } from "../../src/movement/ShipmentOperations.ts"
import {
  authorize,
  decideArrive,
  decideCancel,
  decideCheckIn,
  decideDepart,
  decideLink,
  evolve,
  linkedTo,
  maxLinks
} from "../../src/movement/Steps.ts"
import type { Discrepancy } from "../../src/shipment/Discrepancies.ts"
import type { Dock, LocatedShipment, Shipment } from "../../src/shipment/Shipment.ts"
import * as Timestamp from "../../src/values/Timestamp.ts"
import { aRecordedPallet, aStepSnapshot, dock1, dock2, locatedShipment } from "./MotionSnapshots.ts"

const scheduling = {}
const arrived: Partial<Shipment> = { status: "ARRIVED", arrivedAt: earlier }
const cancelledShipment: Partial<Shipment> = { status: "CANCELLED" }
const departed: Partial<Shipment> = { status: "DEPARTED", arrivedAt: earlier, departedAt: earlier }

const nowHere: ArrivalInput = { occurredAt: undefined, dockSlug: "" }

const arrive = (snapshot: StepSnapshot, input: ArrivalInput = {}, principal = mover) =>
  decideArrive({ ...nowHere, ...input }, snapshot, { principal, dashboardUrl })

const depart = (snapshot: StepSnapshot, occurredAt?: Timestamp.Timestamp, principal = mover) =>
  decideDepart({ occurredAt }, snapshot, { principal, dashboardUrl })

const checkIn = (snapshot: StepSnapshot, input: CheckInInput, principal = mover) =>
  decideCheckIn(input, snapshot, { principal, dashboardUrl })

/** The message that a shipment without orders has arrived or was cancelled, at the dock with this id. */
const messagesOf = (
  type: "SHIPMENT_ARRIVED" | "SHIPMENT_CANCELLED",
  dockId: string,
  occurredAt: string,
  orders: ReadonlyArray<string> = []
) => ({
  business: "acme",
  facility: "east",
  type,
  shipmentId: 1,
  payload: {
    businessSlug: "acme",
    facilitySlug: "east",
    serviceShipmentId: "1",
    shipmentNumber: "S1",
    orders,
    url: `${dashboardUrl}/shipments/1`,
    dockId,
    occurredAt
  }
})

const refusal = (result: Result.Result<unknown, { readonly code: string; readonly message: string }>) =>
  refusalOf(Result.getOrThrow(Result.flip(result)))

const clients = [
  ["one that sees nothing", aPrincipal(), "SHIPMENT_NOT_FOUND"],
  [
    "one of another facility",
    aPrincipal(aGrant("acme", ["west"], ["shipments:write"])),
    "SHIPMENT_NOT_FOUND"
  ],
  ["one of another business", aPrincipal(aGrant("globex", "*", ["shipments:write"])), "SHIPMENT_NOT_FOUND"],
  ["a grant without permissions", aPrincipal(aGrant("acme", "*", [])), "SHIPMENT_NOT_FOUND"],
  ["one that may see it", aPrincipal(aGrant("acme", "*", ["messages:read", "pallets:write"])), "FORBIDDEN"],
  [
    "one that sees here and writes elsewhere",
    aPrincipal(
      aGrant("acme", ["east"], ["messages:read"]),
      aGrant("acme", ["west"], ["shipments:write", "documents:write"])
    ),
    "FORBIDDEN"
  ]
] as const

describe("D6.5 who may move a shipment", () => {
  it.each(clients)("%s", (_, principal, code) => {
    const snapshots = [scheduling, arrived, departed, cancelledShipment].map((fields) =>
      aStepSnapshot(fields)
    )
    for (const snapshot of snapshots) {
      assert.strictEqual(refusal(arrive(snapshot, { dockSlug: "nowhere" }, principal)).code, code)
      assert.strictEqual(refusal(depart(snapshot, undefined, principal)).code, code)
      assert.strictEqual(refusal(decideCancel(snapshot, { principal, dashboardUrl })).code, code)
      assert.strictEqual(refusal(checkIn(snapshot, { step: "AT_FACILITY" }, principal)).code, code)
    }
  })
})

describe("D6.5 arrive", () => {
  it.each(
    [
      ["now, where it was expected", {}, { dock: dock1 }, null, now, dock1],
      ["when it says", { occurredAt: earlier }, {}, null, earlier, null],
      ["at the dock it names", { dockSlug: "D2" }, { dock: dock1 }, dock2, now, dock2]
    ] as const
  )("%s", (_, input, shipment, dock, arrivedAt, expectedDock) => {
    assert.deepStrictEqual(
      arrive(aStepSnapshot(shipment, { dock }), input),
      Result.succeed({
        _tag: "Arrive",
        clientId: mover.clientId,
        arrivedAt,
        dock: expectedDock,
        messages: [
          messagesOf("SHIPMENT_ARRIVED", expectedDock === null ? "" : String(expectedDock.id), arrivedAt)
        ]
      })
    )
  })

  it.each([scheduling, arrived, departed])("at an unknown dock is 422", (fields) => {
    assert.deepStrictEqual(refusal(arrive(aStepSnapshot(fields), { dockSlug: "D9" })), {
      code: "UNKNOWN_DOCK",
      message: "Unknown dock: D9 of facility east"
    })
  })

  it("again changes nothing, at another dock too", () => {
    const snapshot = aStepSnapshot({ ...arrived, dock: dock1 }, { dock: dock2 })
    assert.deepStrictEqual(arrive(snapshot, { dockSlug: "D2" }), Result.succeed({ _tag: "Unchanged" }))
  })

  it.each([departed, cancelledShipment])("after departure or cancellation is out of order", (fields) => {
    assert.deepStrictEqual(refusal(arrive(aStepSnapshot(fields))), {
      code: "INVALID_TRANSITION",
      message: `INVALID_TRANSITION: shipmentNumber=S1, from=${fields.status}, to=ARRIVED`
    })
  })
})

const sighting = (lpn: string, fields: Partial<RecordedPallet> = {}) =>
  aRecordedPallet({ labels: [{ name: "lpn", value: lpn }], ...fields })

const withItems = (...lpns: ReadonlyArray<string>): Partial<Shipment> => ({
  ...arrived,
  direction: "OUTBOUND",
  dock: dock1,
  orders: [anOrder("5", "O1", lpns.map((lpn, index) => ({ ...anItem(lpn, "SKU"), id: String(index + 1) })))]
})

describe("D6.5, D6.6 depart", () => {
  const elsewhere = [{ lpn: "L9", shipmentId: 13, shipmentNumber: "S13" }]

  it.each([["now", undefined, now], ["when it says", earlier, earlier]] as const)(
    "%s, with its completion",
    (_, occurredAt, departedAt) => {
      const snapshot = aStepSnapshot(withItems("L1"), { pallets: [sighting("L1")], elsewhere })
      const payload = completionPayload(snapshot.match, snapshot.pallets, { dashboardUrl, fieldMap: [] })
      const message = { business: "acme", facility: "east", shipmentId: 1, payload }
      assert.deepStrictEqual(
        depart(snapshot, occurredAt),
        Result.succeed({
          _tag: "Depart",
          clientId: mover.clientId,
          departedAt,
          elsewhere,
          messages: [{ ...message, type: "SHIPMENT_COMPLETE" }]
        })
      )
    }
  )

  it("D15.1 tells the discrepancies that it leaves, after the completion", () => {
    const pallets = [sighting("L1", { dock: dock2 }), sighting("L9", { palletId: 8 })]
    const plan = Result.getOrThrow(depart(aStepSnapshot(withItems("L1", "L2"), { pallets, elsewhere })))
    const [completion, discrepancies] = "messages" in plan ? plan.messages : []
    assert(completion?.type === "SHIPMENT_COMPLETE" && discrepancies?.type === "SHIPMENT_DISCREPANCIES")
    const { discrepancies: kinds, ...payload } = discrepancies.payload
    assert.deepStrictEqual(payload, messagesOf("SHIPMENT_ARRIVED", "41", now, ["O1"]).payload)
    assert.deepStrictEqual(
      (kinds as ReadonlyArray<Discrepancy>).map(({ kind, lpn, provisional }) => [kind, lpn, provisional]),
      [["SHORT", "L2", false], ["WRONG_DOCK", "L1", false], ["WRONG_SHIPMENT", "L9", false]]
    )
  })

  it.each<[string, Partial<Shipment>, ReadonlyArray<RecordedPallet>]>([
    ["the arrival", {}, []],
    ["the arrival", {}, [sighting("L1", { occurredAt: earlier })]],
    ["DOOR_ASSIGNED", { checkIn: { DOOR_ASSIGNED: now } }, [sighting("L1", { occurredAt: now })]],
    ["a pallet that has passed", {}, [sighting("L1", { occurredAt: now })]]
  ])(
    "D21.3 cannot be before what was last, and of several at one time the first is named: %s",
    (last, fields, pallets) => {
      const snapshot = aStepSnapshot({ ...arrived, ...fields }, { pallets })
      const error = Result.getOrThrow(Result.flip(depart(snapshot, lessRecently("08:00:00.000Z"))))
      assert(error._tag === "InvalidRequest")
      assert.match(error.errors[0]!.detail, new RegExp(`^is before ${last}, `))
    }
  )

  it("again changes nothing", () => {
    assert.deepStrictEqual(depart(aStepSnapshot(departed)), Result.succeed({ _tag: "Unchanged" }))
  })

  it.each(["SCHEDULED", "CANCELLED"] as const)("of what is %s is out of order", (status) => {
    assert.deepStrictEqual(refusal(depart(aStepSnapshot({ status }))), {
      code: "INVALID_TRANSITION",
      message: `INVALID_TRANSITION: shipmentNumber=S1, from=${status}, to=DEPARTED`
    })
  })
})

describe("D13.9 cancel", () => {
  const cancel = (fields: Partial<Shipment>, principal = mover) =>
    decideCancel(aStepSnapshot(fields), { principal, dashboardUrl })

  it("what is scheduled and not linked", () => {
    assert.deepStrictEqual(
      cancel({ orders: [anOrder("1", "O1")], dock: dock1 }),
      Result.succeed({
        _tag: "Cancel",
        clientId: mover.clientId,
        cancelledAt: now,
        messages: [messagesOf("SHIPMENT_CANCELLED", "41", now, ["O1"])]
      })
    )
  })

  it("by a client that sends documents", () => {
    const client = aPrincipal(aGrant("acme", ["east"], ["documents:write"]))
    assert.deepStrictEqual(
      cancel(scheduling, client),
      Result.succeed({
        _tag: "Cancel",
        clientId: client.clientId,
        cancelledAt: now,
        messages: [messagesOf("SHIPMENT_CANCELLED", "", now)]
      })
    )
  })

  it("again changes nothing", () => {
    assert.deepStrictEqual(cancel(cancelledShipment), Result.succeed({ _tag: "Unchanged" }))
  })

  it.each<Partial<Shipment>>([arrived, departed, { linkedShipmentIds: [7] }])(
    "of %o is out of order",
    (fields) => {
      assert.deepStrictEqual(refusal(cancel(fields)), {
        code: "INVALID_TRANSITION",
        message: `INVALID_TRANSITION: shipmentNumber=S1, from=${fields.status ?? "SCHEDULED"}, to=CANCELLED`
      })
    }
  )
})

const west: LocatedShipment["location"] = {
  business: { slug: "acme", name: "Acme Inc." },
  facility: { slug: "west", name: "West Hub" }
}
const globex: LocatedShipment["location"] = {
  business: { slug: "globex", name: "Globex" },
  facility: { slug: "east", name: "East" }
}

const link = (
  shipment: Partial<Shipment> | null,
  other: LocatedShipment | null,
  principal = mover,
  linkedShipmentId = "2"
) =>
  decideLink(
    { id: "1", linkedShipmentId },
    { shipment: shipment === null ? null : locatedShipment(shipment), target: other },
    principal
  )

const second = (fields: Partial<Shipment> = {}, location = west): LocatedShipment => ({
  location,
  shipment: locatedShipment({ id: 2, number: "S2", ...fields }).shipment
})

const ids = (count: number): ReadonlyArray<number> =>
  Array.from({ length: count }, (_, index) => 1000 + index)

describe("D6.5 link", () => {
  it("two shipments of one business, at two facilities too", () => {
    assert.deepStrictEqual(link(scheduling, second()), Result.succeed({ _tag: "Link" }))
    assert.deepStrictEqual(link(arrived, second(arrived)), Result.succeed({ _tag: "Link" }))
  })

  it("again changes nothing, after departure and at the limit too", () => {
    const linkedShipmentIds = [...ids(maxLinks - 1), 2]
    assert.deepStrictEqual(
      link({ ...departed, linkedShipmentIds }, second()),
      Result.succeed({ _tag: "Unchanged" })
    )
  })

  it("itself is 422 at linkedShipmentId, whether it is there or not", () => {
    for (const shipment of [scheduling, null]) {
      const error = Result.getOrThrow(Result.flip(link(shipment, null, mover, "1")))
      assert.deepStrictEqual(error._tag === "InvalidRequest" && error.errors, [
        {
          path: "linkedShipmentId",
          detail: "must name another shipment; a shipment cannot be linked to itself"
        }
      ])
    }
  })

  it.each(
    [
      ["the first unknown", null, second(), "1"],
      ["the second unknown", scheduling, null, "2"],
      ["both unknown", null, null, "1"],
      ["the second invisible", scheduling, second({}, globex), "2"]
    ] as const
  )("%s: that one is not found", (_, shipment, other, id) => {
    assert.deepStrictEqual(refusal(link(shipment, other)), {
      code: "SHIPMENT_NOT_FOUND",
      message: `Unknown shipment: ${id}`
    })
  })

  it("of another business is not found, though the client may move both", () => {
    const both = aPrincipal(
      aGrant("acme", "*", ["shipments:write"]),
      aGrant("globex", "*", ["shipments:write"])
    )
    assert.deepStrictEqual(refusal(link(scheduling, second({}, globex), both)), {
      code: "SHIPMENT_NOT_FOUND",
      message: "Unknown shipment: 2"
    })
  })

  it.each(
    [
      ["the second", aGrant("acme", ["east"], ["shipments:write"]), aGrant("acme", ["west"]), "west"],
      ["the first", aGrant("acme", ["west"], ["shipments:write"]), aGrant("acme", ["east"]), "east"]
    ] as const
  )("without shipments:write at %s is forbidden there", (_, one, other, facility) => {
    assert.deepStrictEqual(refusal(link(scheduling, second(), aPrincipal(one, other))), {
      code: "FORBIDDEN",
      message: `The client lacks the permission shipments:write for business=acme, facility=${facility}`
    })
  })

  it("what is not there is told before what is not allowed", () => {
    const reader = aPrincipal(aGrant("acme", "*", ["messages:read"]))
    assert.strictEqual(refusal(link(scheduling, null, reader)).code, "SHIPMENT_NOT_FOUND")
  })

  it.each(
    [
      ["DEPARTED", "the first", departed, {}, "S1"],
      ["DEPARTED", "the second", {}, departed, "S2"],
      ["CANCELLED", "the first", cancelledShipment, {}, "S1"],
      ["CANCELLED", "the second", {}, cancelledShipment, "S2"]
    ] as const
  )("of what is %s, %s, is refused", (status, _, first, other, shipmentNumber) => {
    const { code, message } = refusal(link(first, second(other)))
    assert.strictEqual(code, `SHIPMENT_${status}`)
    assert.match(message, new RegExp(`^SHIPMENT_${status}: shipmentNumber=${shipmentNumber}(;|$)`))
  })

  it("at most a hundred a shipment, on either side", () => {
    const full = { linkedShipmentIds: ids(maxLinks) }
    assert.strictEqual(maxLinks, 100)
    assert.deepStrictEqual(
      link({ linkedShipmentIds: ids(99) }, second({ linkedShipmentIds: ids(99) })),
      Result.succeed({ _tag: "Link" })
    )
    assert.strictEqual(refusal(link(full, second())).code, "TOO_MANY_LINKS")
    assert.deepStrictEqual(refusal(link({}, second(full))), {
      code: "TOO_MANY_LINKS",
      message: "TOO_MANY_LINKS: shipmentNumber=S2; a shipment is linked to at most 100 others"
    })
  })
})

describe("what a step leads to", () => {
  const orders = [anOrder("1", "O1"), anOrder("2", "O2")]
  const { clientId } = mover
  const before = locatedShipment({
    id: 5,
    dock: dock1,
    orders,
    linkedShipmentIds: [3, 12],
    stepClients: { SCHEDULED: "other" }
  })
  const after = (changes: Partial<Shipment>) => ({
    ...before,
    shipment: { ...before.shipment, version: before.shipment.version + 1, ...changes }
  })

  it.each<readonly [string, StepChange, Partial<Shipment>]>([
    [
      "an arrival is where and when it was planned",
      { _tag: "Arrive", clientId, arrivedAt: now, dock: dock2 },
      {
        status: "ARRIVED",
        stepClients: { SCHEDULED: "other", ARRIVED: clientId },
        arrivedAt: now,
        dock: dock2
      }
    ],
    ["D6.6 a departure completes the orders", { _tag: "Depart", clientId, departedAt: now, elsewhere: [] }, {
      status: "DEPARTED",
      stepClients: { SCHEDULED: "other", DEPARTED: clientId },
      departedAt: now,
      orders: orders.map((order) => ({ ...order, status: "COMPLETED" }))
    }],
    ["D13.9 a cancellation cancels the orders", { _tag: "Cancel", clientId, cancelledAt: now }, {
      status: "CANCELLED",
      cancelledAt: now,
      stepClients: { SCHEDULED: "other", CANCELLED: clientId },
      orders: orders.map((order) => ({ ...order, status: "CANCELLED" }))
    }]
  ])("%s", (_, step, changes) => assert.deepStrictEqual(evolve(before, step), after(changes)))

  it("a repeated step changes nothing", () => {
    assert.strictEqual(evolve(before, { _tag: "Unchanged" }), before)
  })

  it("links stand in the order of ids, as numbers", () => {
    assert.deepStrictEqual(
      linkedTo(before, locatedShipment({ id: 7 })),
      after({ linkedShipmentIds: [3, 7, 12] })
    )
  })
})

describe("D17.3 the steps of a check-in", () => {
  const there = { AT_FACILITY: earlier }
  const out = { CHECKED_OUT: earlier }
  const assignment = { DOOR_ASSIGNED: earlier }

  it.each(
    [
      ["now", { step: "AT_FACILITY" }, {}, null, { checkIn: { AT_FACILITY: now }, dock: null }],
      ["when it says", { step: "AT_FACILITY", occurredAt: earlier }, {}, null, {
        checkIn: there,
        dock: null
      }],
      ["beside the dock", { step: "CHECKED_OUT" }, { dock: dock1 }, null, {
        checkIn: { CHECKED_OUT: now },
        dock: dock1
      }],
      ["a door, at the planned dock", { step: "DOOR_ASSIGNED" }, { dock: dock1, checkIn: there }, null, {
        checkIn: { ...there, DOOR_ASSIGNED: now },
        dock: dock1
      }],
      ["a door, at another dock", { step: "DOOR_ASSIGNED", dockSlug: "D2" }, { dock: dock1 }, dock2, {
        checkIn: { DOOR_ASSIGNED: now },
        dock: dock2
      }],
      [
        "a door anew",
        { step: "DOOR_ASSIGNED", dockSlug: "D2" },
        { dock: dock1, checkIn: assignment },
        dock2,
        {
          checkIn: { DOOR_ASSIGNED: now },
          dock: dock2
        }
      ],
      ["of what has arrived", { step: "CHECKED_OUT" }, { ...arrived, checkIn: there }, null, {
        checkIn: { ...there, CHECKED_OUT: now },
        dock: null
      }]
    ] as const
  )("%s", (_, input, shipment, dock, expected) => {
    const snapshot = aStepSnapshot(shipment, { dock })
    const plan = Result.getOrThrow(checkIn(snapshot, input))
    const { clientId } = mover
    const { step } = input
    assert.deepStrictEqual(plan, { _tag: "CheckIn", clientId, step, ...expected, messages: [] })
    const before = snapshot.match.shipment
    assert.deepStrictEqual(evolve(snapshot.match, plan).shipment, {
      ...before,
      version: before.version + 1,
      ...expected,
      stepClients: { [step]: clientId }
    })
  })

  it.each(
    [
      ["the same step", { step: "AT_FACILITY", occurredAt: now }, { checkIn: there }, null],
      ["an earlier one that was noted", { step: "AT_FACILITY" }, { checkIn: { ...there, ...out } }, null],
      ["a door, without a dock", { step: "DOOR_ASSIGNED" }, { checkIn: assignment, dock: dock1 }, null],
      [
        "a door, with its dock",
        { step: "DOOR_ASSIGNED", dockSlug: "D1" },
        { checkIn: assignment, dock: dock1 },
        dock1
      ],
      [
        "a door, by an older note of another dock",
        { step: "DOOR_ASSIGNED", dockSlug: "D2", occurredAt: earlier },
        { checkIn: { DOOR_ASSIGNED: now }, dock: dock1 },
        dock2
      ],
      [
        "a door, by an older note after the truck has left",
        { step: "DOOR_ASSIGNED", dockSlug: "D2", occurredAt: earlier },
        { checkIn: { DOOR_ASSIGNED: now, CHECKED_OUT: now }, dock: dock1 },
        dock2
      ],
      ["after departure too", { step: "AT_FACILITY" }, { ...departed, checkIn: there }, null]
    ] as const
  )("again change nothing: %s", (_, input, shipment, dock) => {
    assert.deepStrictEqual(
      checkIn(aStepSnapshot(shipment, { dock }), input),
      Result.succeed({ _tag: "Unchanged" })
    )
  })

  const refusals: ReadonlyArray<readonly [string, CheckInInput, Partial<Shipment>, string, Dock | null]> = [
    [
      "after a later one",
      { step: "AT_FACILITY" },
      { checkIn: { ...assignment, ...out } },
      "from=CHECKED_OUT, to=AT_FACILITY",
      null
    ],
    [
      "after departure",
      { step: "CHECKED_OUT" },
      { ...departed, checkIn: there },
      "from=DEPARTED, to=CHECKED_OUT",
      null
    ],
    [
      "with another door after the truck has left",
      { step: "DOOR_ASSIGNED", dockSlug: "D2" },
      { checkIn: { ...assignment, ...out }, dock: dock1 },
      "from=CHECKED_OUT, to=DOOR_ASSIGNED",
      dock2
    ],
    ["after cancellation", { step: "AT_FACILITY" }, cancelledShipment, "from=CANCELLED, to=AT_FACILITY", null]
  ]

  it.each(refusals)("are refused %s", (_, input, shipment, path, dock) => {
    assert.deepStrictEqual(refusal(checkIn(aStepSnapshot(shipment, { dock }), input)), {
      code: "INVALID_TRANSITION",
      message: `INVALID_TRANSITION: shipmentNumber=S1, ${path}`
    })
  })

  it("a door needs a dock, which the facility must have", () => {
    assert.deepStrictEqual(refusal(checkIn(aStepSnapshot({}), { step: "DOOR_ASSIGNED" })), {
      code: "INVALID_REQUEST",
      message:
        "The request is not valid: dockSlug: is required by DOOR_ASSIGNED, because the shipment has no dock yet"
    })
    assert.strictEqual(
      refusal(checkIn(aStepSnapshot({ dock: dock1 }), { step: "DOOR_ASSIGNED", dockSlug: "D9" })).code,
      "UNKNOWN_DOCK"
    )
  })

  it("documents:write suffices", () => {
    const writer = aPrincipal(aGrant("acme", ["east"], ["documents:write"]))
    assert.isTrue(Result.isSuccess(checkIn(aStepSnapshot({}), { step: "AT_FACILITY" }, writer)))
  })
})

describe("a shipment that a client may change", () => {
  const reader = aPrincipal(aGrant("acme", ["east"], ["messages:read"]))

  it("is refused by all the permissions that would suffice", () => {
    const verdict = authorize("1", locatedShipment({}), reader, ["shipments:write", "pallets:write"])
    assert.include(refusal(verdict).message, "shipments:write or pallets:write")
  })

  it("is missing when there is none, whatever the client may do", () => {
    assert.include(refusal(authorize("7", null, mover)).message, "7")
  })

  it("has the docks of its facility: another is named with it", () => {
    const message =
      refusal(checkIn(aStepSnapshot({ dock: null }), { step: "DOOR_ASSIGNED", dockSlug: "D9" })).message
    assert.include(message, "D9")
    assert.include(message, "east")
  })
})
