import { without } from "@dockline/testing/generators/Given"
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import * as fc from "fast-check"
import { runs } from "../../../../test/support/Runner.ts"
import { maxFaults } from "../../src/input/Faults.ts"
import type { Reader } from "../../src/input/RequestInput.ts"
import * as PalletEventInput from "../../src/movement/PalletEventInput.ts"
import { readArrive, readDepart, readLink } from "../../src/movement/StepInput.ts"
import { invalid, isRequired, malformed, requestFaultsOf } from "../Reading.ts"

const raw = (fields: Record<string, unknown> = {}): Record<string, unknown> => ({
  eventId: "E1",
  business: "acme",
  facility: "east",
  dockSlug: "D1",
  direction: "LOADING",
  occurredAt: "2026-11-20T17:00:00Z",
  labels: [],
  ...fields
})

const read = (value: unknown) => Result.getOrThrow(PalletEventInput.read(value))
const faultsOf = (value: unknown) => requestFaultsOf(PalletEventInput.read, value)
const unknownField = "is not a field of a pallet event; check its spelling"
const misspelt = (meant: string) => `is not a field of a pallet event; did you mean ${meant}?`
const expectedTime = "must be a date and time as in RFC 3339, such as 2026-11-20T17:00:00Z"

describe("D6.1 a pallet event is read as it was sent", () => {
  it("with the required fields only", () => {
    assert.deepStrictEqual(read(raw()), {
      eventId: "E1",
      business: "acme",
      facility: "east",
      dockSlug: "D1",
      direction: "LOADING",
      occurredAt: "2026-11-20T17:00:00.000Z",
      shipmentId: null,
      shipmentNumber: "",
      labels: []
    })
  })

  it("with all of them: labels in their order, untrimmed, also twice or without a value", () => {
    const labels = [
      { name: "lpn", value: " 000123 " },
      { name: "sku", value: "S1" },
      { name: "sku", value: "S1" },
      { name: "lot", value: "" },
      { name: "__proto__", value: "\u{1f4e6}\n\"" }
    ]
    const event = read(raw({ direction: "UNLOADING", shipmentNumber: "S1", labels }))
    assert.deepStrictEqual([event.direction, event.shipmentNumber, event.labels], ["UNLOADING", "S1", labels])
    assert.strictEqual(read(raw({ shipmentId: Number.MAX_SAFE_INTEGER })).shipmentId, Number.MAX_SAFE_INTEGER)
  })

  it.each([
    ["2026-11-20T17:00:00+05:30", "2026-11-20T11:30:00.000Z"],
    ["2026-11-20t17:00:00.1239z", "2026-11-20T17:00:00.123Z"],
    ["2026-11-20T17:00:00", "2026-11-20T17:00:00.000Z"]
  ])("D1.6 occurredAt %s is %s", (occurredAt, expected) => {
    assert.strictEqual(read(raw({ occurredAt })).occurredAt, expected)
  })

  it.each([{ shipmentId: null }, { shipmentNumber: null }, { shipmentId: undefined }, {
    shipmentNumber: ""
  }])(
    "D2.3 %j is absent",
    (fields) => assert.deepStrictEqual(read(raw(fields)), read(raw()))
  )

  it("D2.3 one of the two names of a shipment may be absent beside the other", () => {
    assert.strictEqual(read(raw({ shipmentId: 7, shipmentNumber: "" })).shipmentId, 7)
    assert.strictEqual(read(raw({ shipmentId: 7, shipmentNumber: null })).shipmentId, 7)
    assert.strictEqual(read(raw({ shipmentId: null, shipmentNumber: "S1" })).shipmentNumber, "S1")
  })
})

describe("D6.1 what a pallet event needs", () => {
  const required = [
    "eventId",
    "business",
    "facility",
    "dockSlug",
    "direction",
    "occurredAt",
    "labels"
  ] as const

  it.each(required)("%s missing or null is 422", (name) => {
    assert.deepStrictEqual(faultsOf(without(raw(), name)), invalid([name, isRequired]))
    assert.deepStrictEqual(faultsOf(raw({ [name]: null })), invalid([name, isRequired]))
  })

  it.each([
    ["eventId", isRequired],
    ["business", isRequired],
    ["facility", isRequired],
    ["dockSlug", isRequired],
    ["occurredAt", isRequired],
    ["direction", "must be one of LOADING, UNLOADING"]
  ])("%s empty is 422: %s", (name, detail) => {
    assert.deepStrictEqual(faultsOf(raw({ [name]: "" })), invalid([name, detail]))
  })

  it("both names of a shipment at once are 422", () => {
    assert.deepStrictEqual(
      faultsOf(raw({ shipmentId: 7, shipmentNumber: "S1" })),
      invalid(["shipmentNumber", "cannot be sent beside shipmentId; send one of the two"])
    )
  })
})

describe("D2.4 bad values are 422", () => {
  it.each([
    ["direction", "loading", "must be one of LOADING, UNLOADING"],
    ["direction", "INBOUND", "must be one of LOADING, UNLOADING"],
    ["occurredAt", "2026-11-20", expectedTime],
    ["occurredAt", "2026-02-30T00:00:00Z", expectedTime],
    ["occurredAt", "0000-01-01T00:00:00Z", expectedTime],
    ["occurredAt", "now", expectedTime],
    ["shipmentId", 0, "must be at least 1"],
    ["shipmentId", -1, "must not be negative"],
    ["shipmentId", 1.5, "must be a whole number"],
    ["shipmentId", 2 ** 53, "must be a number of at most 9007199254740991"],
    ["shipmentId", Number.NaN, "must be a number of at most 9007199254740991"],
    ["eventId", "x".repeat(1025), "must be at most 1024 characters long"],
    ["dockSlug", "\u{1f4e6}".repeat(1025), "must be at most 1024 characters long"],
    ["shipmentNumber", "a\0b", "must not contain the character NUL"],
    ["eventId", "\ud83d", "must not contain a lone surrogate"]
  ])("%s: %s", (name, value, detail) => {
    assert.deepStrictEqual(faultsOf(raw({ [name]: value })), invalid([name, detail]))
  })

  it.each([
    [{ name: "", value: "x" }, "name", isRequired],
    [{ value: "x" }, "name", isRequired],
    [{ name: "lpn" }, "value", isRequired],
    [{ name: "lpn", value: null }, "value", isRequired],
    [{ name: "lpn", value: "x".repeat(1025) }, "value", "must be at most 1024 characters long"],
    [{ name: "x".repeat(1025), value: "x" }, "name", "must be at most 1024 characters long"]
  ])("a label", (label, field, detail) => {
    const labels = [{ name: "a", value: "b" }, label]
    assert.deepStrictEqual(faultsOf(raw({ labels })), invalid([`labels[1].${field}`, detail]))
  })

  it("texts of 1,024 characters and 200 labels are taken, one label more is not", () => {
    const label = { name: "\u{1f4e6}".repeat(1024), value: "x".repeat(1024) }
    const labels = Array.from({ length: 200 }, () => label)
    assert.strictEqual(read(raw({ eventId: label.name, labels })).labels.length, 200)
    assert.deepStrictEqual(
      faultsOf(raw({ labels: [...labels, label] })),
      invalid(["labels", "must hold at most 200 entries"])
    )
  })
})

describe("D2.3 wrong types and unknown fields are 400", () => {
  it.each([
    ["eventId", 5, "must be a string, not a number"],
    ["business", true, "must be a string, not a boolean"],
    ["occurredAt", 1_700_000_000, "must be a string, not a number"],
    ["direction", ["LOADING"], "must be a string, not a list"],
    ["shipmentId", "7", "must be a number, not a string"],
    ["shipmentNumber", 7, "must be a string, not a number"],
    ["labels", {}, "must be a list, not an object"],
    ["labels", "lpn", "must be a list, not a string"],
    ["lables", [], misspelt("labels")],
    ["toString", "x", unknownField]
  ])("%s: %j", (name, value, detail) => {
    assert.deepStrictEqual(faultsOf(raw({ [name]: value })), malformed([name, detail]))
  })

  it.each([
    [null, "labels[0]", "must be an object, not null"],
    ["lpn", "labels[0]", "must be an object, not a string"],
    [["lpn", "L1"], "labels[0]", "must be an object, not a list"],
    [{ name: "lpn", value: 5 }, "labels[0].value", "must be a string, not a number"],
    [{ name: "lpn", value: "L1", kind: "x" }, "labels[0].kind", unknownField]
  ])("a label %j", (label, path, detail) => {
    assert.deepStrictEqual(faultsOf(raw({ labels: [label] })), malformed([path, detail]))
  })

  it("a member named __proto__ is unknown, and changes nothing", () => {
    assert.deepStrictEqual(
      faultsOf(JSON.parse(JSON.stringify(raw()).replace("{", "{\"__proto__\":{\"shipmentId\":7},"))),
      malformed(["__proto__", unknownField])
    )
  })

  it.each([
    [null, "null"],
    [undefined, "undefined"],
    [[raw()], "a list"],
    ["E1", "a string"],
    [5, "a number"],
    [true, "a boolean"]
  ])("a body that is no object: %j", (body, what) => {
    assert.deepStrictEqual(faultsOf(body), malformed(["", `must be an object, not ${what}`]))
  })

  it("every fault is named, those that are 422 beside those that are 400", () => {
    assert.deepStrictEqual(
      faultsOf({
        eventId: 5,
        business: "",
        direction: "UP",
        shipmentId: 0,
        lables: [],
        labels: [{ nme: "a" }]
      }),
      malformed(
        ["eventId", "must be a string, not a number"],
        ["business", isRequired],
        ["direction", "must be one of LOADING, UNLOADING"],
        ["shipmentId", "must be at least 1"],
        ["lables", misspelt("labels")],
        ["labels[0].nme", misspelt("name")],
        ["labels[0].name", isRequired],
        ["labels[0].value", isRequired],
        ["facility", isRequired],
        ["dockSlug", isRequired],
        ["occurredAt", isRequired]
      )
    )
  })

  it("but no more than are of use, and the work stays bounded", () => {
    const fields = Object.fromEntries(Array.from({ length: 20_000 }, (_, n) => [`field${n}`, n]))
    const { category, errors } = faultsOf(raw(fields))
    assert.deepStrictEqual([category, errors.length], ["malformed", maxFaults])
  })
})

describe("D6.5 the steps", () => {
  const arrive = (value: unknown) => Result.getOrThrow(readArrive(value))

  it("an arrival may say nothing, or when and where", () => {
    for (const nothing of [undefined, {}, { occurredAt: null, dockSlug: null }, { occurredAt: "" }]) {
      assert.isUndefined(arrive(nothing).occurredAt)
    }
    assert.deepStrictEqual(arrive({ occurredAt: "2026-11-20T18:00:00+01:00", dockSlug: "D2" }), {
      occurredAt: "2026-11-20T17:00:00.000Z",
      dockSlug: "D2"
    })
  })

  it("a departure may say nothing, or when", () => {
    for (const nothing of [undefined, {}, { occurredAt: null }, { occurredAt: "" }]) {
      assert.deepStrictEqual(Result.getOrThrow(readDepart(nothing)), { occurredAt: undefined })
    }
    assert.deepStrictEqual(Result.getOrThrow(readDepart({ occurredAt: "2026-11-20T17:00:00Z" })), {
      occurredAt: "2026-11-20T17:00:00.000Z"
    })
  })

  it("a link names the other shipment", () => {
    assert.deepStrictEqual(Result.getOrThrow(readLink({ linkedShipmentId: 7 })), { linkedShipmentId: "7" })
  })

  it.each(
    [
      ["arrive", readArrive, { occurredAt: "soon" }, invalid(["occurredAt", expectedTime])],
      ["arrive", readArrive, { dockSlug: 5 }, malformed(["dockSlug", "must be a string, not a number"])],
      [
        "arrive",
        readArrive,
        { dock: "D1" },
        malformed(["dock", "is not a field of an arrival; check its spelling"])
      ],
      ["arrive", readArrive, null, malformed(["", "must be an object, not null"])],
      ["arrive", readArrive, [], malformed(["", "must be an object, not a list"])],
      [
        "depart",
        readDepart,
        { dockSlug: "D1" },
        malformed([
          "dockSlug",
          "is not a field of a departure; check its spelling"
        ])
      ],
      ["link", readLink, undefined, malformed(["", "must be an object, not undefined"])],
      ["link", readLink, {}, invalid(["linkedShipmentId", isRequired])],
      ["link", readLink, { linkedShipmentId: null }, invalid(["linkedShipmentId", isRequired])],
      ["link", readLink, { linkedShipmentId: 0 }, invalid(["linkedShipmentId", "must be at least 1"])],
      ["link", readLink, { linkedShipmentId: 1.5 }, invalid(["linkedShipmentId", "must be a whole number"])],
      [
        "link",
        readLink,
        { linkedShipmentId: "7" },
        malformed([
          "linkedShipmentId",
          "must be a number, not a string"
        ])
      ]
    ] as const
  )("%s refuses %j", (_, reader: Reader<unknown>, value, faults) => {
    assert.deepStrictEqual(requestFaultsOf(reader, value), faults)
  })
})

describe("any value at all", () => {
  const keys = [
    "eventId",
    "occurredAt",
    "shipmentId",
    "labels",
    "name",
    "value",
    "linkedShipmentId",
    "__proto__"
  ]
  const anything = fc.anything({
    key: fc.oneof(fc.constantFrom(...keys), fc.string()),
    withBigInt: true,
    withNullPrototype: true,
    withObjectString: true,
    withSparseArray: true
  })
  const bent = fc.tuple(fc.constantFrom(...Object.keys(raw()), "shipmentId", "shipmentNumber", "x"), anything)
    .map(([name, value]) => raw({ [name]: value }))

  it("is read or refused with faults, never more", () =>
    fc.assert(
      fc.property(fc.oneof(anything, bent), (value) => {
        const readers: ReadonlyArray<Reader<unknown>> = [
          PalletEventInput.read,
          readArrive,
          readDepart,
          readLink
        ]
        for (const reader of readers) {
          const result = reader(value)
          if (Result.isSuccess(result)) continue
          assert.isNotEmpty(result.failure.errors)
          assert.include(["MALFORMED_REQUEST", "INVALID_REQUEST"], result.failure.code)
        }
      }),
      runs(500)
    ))

  it("that is read says what was sent: reading it again gives the same", () =>
    fc.assert(
      fc.property(bent, (value) => {
        const first = PalletEventInput.read(value)
        if (Result.isFailure(first)) return
        assert.deepStrictEqual(PalletEventInput.read(first.success), first)
      }),
      runs(300)
    ))
})
