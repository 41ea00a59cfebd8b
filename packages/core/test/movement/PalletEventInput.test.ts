import { without } from "@dockline/testing/generators/Given"
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import type { Reader } from "../../src/input/RequestInput.ts"
import { readableLabels } from "../../src/movement/Pallet.ts"
import * as PalletOperations from "../../src/movement/PalletOperations.ts"
import { readArrive, readDepart, readLink } from "../../src/movement/ShipmentOperations.ts"
import * as Timestamp from "../../src/values/Timestamp.ts"
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

const read = (value: unknown) => Result.getOrThrow(PalletOperations.read(value))
const faultsOf = (value: unknown) => requestFaultsOf(PalletOperations.read, value)
const unknownField = "is not a field of a pallet event; check its spelling"
const misspelt = (name: string) => `is not a field of a pallet event; did you mean ${name}?`
const expectedTime = "must be a date and time as in RFC 3339, such as 2026-11-20T17:00:00Z"

describe("D6.1 a pallet event is read as it was sent", () => {
  it("with the required fields only", () => {
    assert.deepStrictEqual<unknown>(read(raw()), {
      ...raw(),
      occurredAt: "2026-11-20T17:00:00.000Z",
      shipmentId: null,
      shipmentNumber: ""
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

  it("D2.3 one of the two names of a shipment may be absent beside the other", () => {
    assert.deepStrictEqual(read(raw({ shipmentId: null, shipmentNumber: "" })), read(raw()))
    assert.strictEqual(read(raw({ shipmentId: 7, shipmentNumber: "" })).shipmentId, 7)
    assert.strictEqual(read(raw({ shipmentId: 7, shipmentNumber: null })).shipmentId, 7)
    assert.strictEqual(read(raw({ shipmentId: null, shipmentNumber: "S1" })).shipmentNumber, "S1")
  })
})

describe("D6.1 what a pallet event needs", () => {
  it.each(Object.keys(raw()))("%s missing or null is 422", (name) => {
    assert.deepStrictEqual(faultsOf(without(raw(), name)), invalid([name, isRequired]))
    assert.deepStrictEqual(faultsOf(raw({ [name]: null })), invalid([name, isRequired]))
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
    ["direction", "INBOUND", "must be one of LOADING, UNLOADING"],
    ["eventId", "", isRequired],
    ["dockSlug", "", isRequired],
    ["occurredAt", "2026-11-20", expectedTime],
    ["shipmentId", 0, "must be at least 1"],
    ["shipmentId", 1.5, "must be a whole number"],
    ["shipmentNumber", "a\0b", "must not contain the character NUL"]
  ])("%s: %s", (name, value, detail) => {
    assert.deepStrictEqual(faultsOf(raw({ [name]: value })), invalid([name, detail]))
  })

  it.each([
    [{ name: "", value: "x" }, "name", isRequired],
    [{ value: "x" }, "name", isRequired],
    [{ name: "lpn" }, "value", isRequired],
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

describe("D22 invisible characters", () => {
  const odd = "\u{ad}L\u{200b}1\u{200c}\u{200d}\u{2060}\u{feff}"

  it("are left out of an LPN, and the first five are named", () => {
    const { labels, leftOut } = read(raw({ labels: [{ name: "lpn", value: odd }] }))
    assert.deepStrictEqual(labels, [{ name: "lpn", value: "L1" }])
    assert.deepStrictEqual(leftOut, [
      "label lpn: left out invisible characters: U+00AD, U+200B, U+200C, U+200D, U+2060"
    ])
  })

  it("stay in other labels, and are named nowhere", () => {
    const labels = [{ name: "lpn", value: "L1" }, { name: "note", value: odd }]
    const event = read(raw({ labels }))
    assert.deepStrictEqual([event.labels, event.leftOut], [labels, undefined])
    assert.deepStrictEqual(readableLabels(labels), { labels })
  })
})

describe("D2.3 wrong types and unknown fields are 400", () => {
  it.each([
    ["eventId", 5, "must be a string, not a number"],
    ["shipmentId", "7", "must be a number, not a string"],
    ["labels", {}, "must be a list, not an object"],
    ["lables", [], misspelt("labels")],
    ["toString", "x", unknownField]
  ])("%s: %j", (name, value, detail) => {
    assert.deepStrictEqual(faultsOf(raw({ [name]: value })), malformed([name, detail]))
  })
})

describe("D6.5 the steps", () => {
  const arrive = (value: unknown) => Result.getOrThrow(readArrive(value))

  it("an arrival may say nothing, or when and where", () => {
    for (const nothing of [undefined, {}, { occurredAt: null, dockSlug: null }, { occurredAt: "" }]) {
      assert.isUndefined(arrive(nothing).occurredAt)
    }
    assert.deepStrictEqual(arrive({ occurredAt: "2026-11-20T18:00:00+01:00", dockSlug: "D2" }), {
      occurredAt: Timestamp.of("2026-11-20T17:00:00.000Z"),
      dockSlug: "D2"
    })
  })

  it("a departure may say nothing, or when", () => {
    for (const nothing of [undefined, {}, { occurredAt: null }, { occurredAt: "" }]) {
      assert.deepStrictEqual(Result.getOrThrow(readDepart(nothing)), { occurredAt: undefined })
    }
    assert.deepStrictEqual(Result.getOrThrow(readDepart({ occurredAt: "2026-11-20T17:00:00Z" })), {
      occurredAt: Timestamp.of("2026-11-20T17:00:00.000Z")
    })
  })

  it("a link names the other shipment", () => {
    assert.deepStrictEqual(Result.getOrThrow(readLink({ linkedShipmentId: 7 })), { linkedShipmentId: "7" })
  })

  it.each(
    [
      ["arrive", readArrive, { occurredAt: "soon" }, invalid(["occurredAt", expectedTime])],
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
      ["link", readLink, { linkedShipmentId: null }, invalid(["linkedShipmentId", isRequired])],
      ["link", readLink, { linkedShipmentId: 0 }, invalid(["linkedShipmentId", "must be at least 1"])],
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
