import {
  anItem,
  anOrder,
  aPalletEvent,
  dashboardUrl,
  earlier,
  labelsOf
} from "@dockline/testing/generators/Given"
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { lpnOf, textOf } from "../../src/movement/Pallet.ts"
import {
  CompletionMessage,
  completionPayload,
  DiscrepanciesMessage,
  discrepanciesMessage,
  messageShipment,
  PalletMessage,
  palletPayload,
  ShipmentMessage,
  shipmentPayload
} from "../../src/movement/ShipmentMessage.ts"
import {
  checkFieldMap,
  customerFields,
  labelValues,
  maxMessageFields,
  reservedFieldNames
} from "../../src/places/MessageField.ts"
import type { MessageField } from "../../src/places/MessageField.ts"
import * as Timestamp from "../../src/values/Timestamp.ts"
import { aStoredItem } from "../Stored.ts"
import { shouting } from "../webhooks/Shouting.ts"
import { aRecordedPallet, dock1, dock2, locatedShipment } from "./MotionSnapshots.ts"

const field = (name: string, label: string, list = false): MessageField => ({ name, label, list })

const sighting = {
  business: "acme",
  facility: "east",
  shipmentId: 12,
  palletId: 34,
  direction: "LOADING",
  orders: ["O1", "O2"],
  dock: dock1,
  labels: labelsOf(["lpn", "L1"], ["sku", "S1"], ["sku", "S2"])
} as const

describe("D6.2 the lpn is the first non-empty value of the label lpn", () => {
  it.each(
    [
      [[], ""],
      [[["lpn", "L1"]], "L1"],
      [[["lpn", ""]], ""],
      [[["lpn", ""], ["lpn", "L2"], ["lpn", "L3"]], "L2"],
      [[["LPN", "L1"], ["sku", "S1"]], ""],
      [[["lpn", " 01"]], " 01"],
      [[["lpn", "__proto__"]], "__proto__"]
    ] as const
  )("%j: %j", (labels, lpn) => {
    assert.strictEqual(lpnOf(labelsOf(...labels)), lpn)
  })
})

describe("D6.4 customer fields from the field map", () => {
  const labels = labelsOf(["lot", ""], ["lot", "A"], ["sku", "S1"], ["lot", "B"], ["sku", ""], ["sku", "S1"])

  it.each(
    [
      ["the first value", field("Lot", "lot"), "A"],
      ["all values as a list, in order, repeats too", field("SKUs", "sku", true), ["S1", "S1"]],
      ["the empty text without a value", field("Date", "expiration"), ""],
      ["the empty list without a value", field("Dates", "expiration", true), []],
      ["labels compare exactly", field("Lot", "Lot"), ""],
      ["a name like a member of objects is a field", field("__proto__", "lot"), "A"]
    ] as const
  )("%s", (_, one, value) => {
    assert.deepStrictEqual(Object.entries(customerFields([one], labels, earlier)), [[one.name, value]])
  })

  it("in the order of the map", () => {
    const fields = customerFields([field("b", "lot"), field("a", "lot"), field("c", "none")], labels, earlier)
    assert.deepStrictEqual(Object.keys(fields), ["b", "a", "c"])
    assert.deepStrictEqual(labelValues(labels, "lot"), ["A", "B"])
  })
})

const errorsOf = (fieldMap: ReadonlyArray<MessageField>) => {
  const refusal = Result.getOrThrow(Result.flip(checkFieldMap(fieldMap)))
  return [refusal.category, ...refusal.errors.map(({ path, detail }) => `${path}: ${detail}`)]
}

describe("D6.4 a field map may not use a name that WIRE.md's fields use", () => {
  it.each([
    "businessSlug",
    "facilitySlug",
    "serviceShipmentId",
    "servicePalletId",
    "occurredAt",
    "url",
    "direction",
    "orders",
    "dockId",
    "pallets"
  ])("%s", (name) => {
    assert.isTrue(reservedFieldNames.has(name))
    assert.deepStrictEqual(errorsOf([field("LPN", "lpn"), field(name, "lpn")]), [
      "unprocessable",
      `fieldMap[1].name: ${name} is a field of every message; choose another name`
    ])
  })

  it("nor one that a profile of payloads gives a field", () => {
    const fields = [field("SERVICESHIPMENTID", "lpn")]
    assert.isTrue(Result.isSuccess(checkFieldMap(fields)))
    assert.isTrue(Result.isFailure(checkFieldMap(fields, [shouting])))
  })

  it("nor a name twice, an empty or an overlong one; all faults are named", () => {
    assert.deepStrictEqual(
      errorsOf([field("A", "lpn"), field("A", ""), field("", "x"), field("x".repeat(1025), "y\0")]),
      [
        "unprocessable",
        "fieldMap[1].name: is the name of an earlier field; choose another name",
        "fieldMap[1].label: is required",
        "fieldMap[2].name: is required",
        "fieldMap[3].name: must be at most 64 characters long",
        "fieldMap[3].label: must not contain the character NUL"
      ]
    )
  })

  it("a name of 64 characters is none too long", () => {
    assert.isTrue(Result.isSuccess(checkFieldMap([field("x".repeat(64), "lpn")])))
    assert.deepStrictEqual(errorsOf([field("x".repeat(65), "lpn")]).slice(1), [
      "fieldMap[0].name: must be at most 64 characters long"
    ])
  })

  it("nor more than fifty", () => {
    const fields = Array.from({ length: maxMessageFields }, (_, index) => field(`F${index}`, "lpn"))
    assert.isTrue(Result.isSuccess(checkFieldMap(fields)))
    assert.deepStrictEqual(errorsOf([...fields, field("one more", "lpn")]), [
      "unprocessable",
      "fieldMap: must hold at most 50 entries"
    ])
  })

  it("D22 nor a part of a label that is of no application identifier", () => {
    assert.deepStrictEqual(
      errorsOf([field("Lot", "gs1:10"), field("A", "gs1:lot"), field("B", "lot gs1:")]),
      [
        "unprocessable",
        "fieldMap[1].label: must name an application identifier of GS1 after gs1:, such as gs1:10 or gs1:3103"
      ]
    )
  })

  it("other names are free, also those that differ in case only", () => {
    const fields = [field("LPN", "lpn"), field("URL", "lpn"), field("Direction", "lpn", true)]
    assert.deepStrictEqual(checkFieldMap(fields), Result.succeed(fields))
  })
})

describe("WIRE.md: the pallet message", () => {
  it("holds the fields of the contract, then the customer's", () => {
    const fieldMap = [field("LPN", "lpn"), field("SKUs", "sku", true)]
    assert.strictEqual(
      JSON.stringify(palletPayload(sighting, earlier, { dashboardUrl, fieldMap })),
      JSON.stringify({
        businessSlug: "acme",
        facilitySlug: "east",
        serviceShipmentId: "12",
        servicePalletId: "34",
        occurredAt: earlier,
        url: `${dashboardUrl}/shipments/12/pallets/34`,
        direction: "LOADING",
        orders: ["O1", "O2"],
        dockId: "41",
        LPN: "L1",
        SKUs: ["S1", "S2"]
      })
    )
  })
})

describe("WIRE.md: the shipment-completion message", () => {
  const orders = [
    anOrder("5", "O2"),
    anOrder("10", "O1", [aStoredItem("11", "L1", "S1", anItem("L1", "S1"))])
  ]

  it("holds all orders in id order, and the remaining pallets without occurredAt, by pallet id", () => {
    const labels = labelsOf(["lot", "A"])
    const pallets = [
      aRecordedPallet({ palletId: 9, messageId: 1, orders: ["O1"], dock: dock2, labels }),
      aRecordedPallet({ palletId: 7, messageId: 2, direction: "UNLOADING" }),
      aRecordedPallet({ palletId: 8, messageId: 3 }),
      aRecordedPallet({ palletId: 8, messageId: 4, direction: "UNLOADING" })
    ]
    const payload = completionPayload(
      locatedShipment({ id: 12, dock: dock1, orders, status: "ARRIVED", arrivedAt: earlier }),
      pallets,
      { dashboardUrl, fieldMap: [field("Lot", "lot")] }
    )
    const common = { businessSlug: "acme", facilitySlug: "east", serviceShipmentId: "12" }
    const url = `${dashboardUrl}/shipments/12`
    assert.strictEqual(
      JSON.stringify(payload),
      JSON.stringify({
        serviceShipmentId: "12",
        orders: ["O2", "O1"],
        url,
        dockId: "41",
        pallets: [
          {
            ...common,
            servicePalletId: "7",
            url: `${url}/pallets/7`,
            direction: "UNLOADING",
            orders: [],
            dockId: "41",
            Lot: ""
          },
          {
            ...common,
            servicePalletId: "9",
            url: `${url}/pallets/9`,
            direction: "LOADING",
            orders: ["O1"],
            dockId: "42",
            Lot: "A"
          }
        ]
      })
    )
  })

  it("of a shipment without dock, orders and pallets holds empty values", () => {
    assert.deepStrictEqual(
      completionPayload(locatedShipment({ id: 12 }), [], { dashboardUrl, fieldMap: [] }),
      {
        serviceShipmentId: "12",
        orders: [],
        url: `${dashboardUrl}/shipments/12`,
        dockId: "",
        pallets: []
      }
    )
  })
})

describe("the schemas of messages", () => {
  const settings = { dashboardUrl, fieldMap: [] }
  const pallet = palletPayload(sighting, earlier, settings)
  const completion = completionPayload(
    locatedShipment({ orders: [anOrder("5", "O1")] }),
    [aRecordedPallet()],
    settings
  )
  const shipment = messageShipment(locatedShipment())
  const discrepancies = discrepanciesMessage(shipment, { occurredAt: earlier, dashboardUrl }, [])

  it.each([
    ["a pallet", PalletMessage, pallet, ["late", "test"]],
    ["a completion", CompletionMessage, completion, ["test"]],
    ["a shipment", ShipmentMessage, shipmentPayload(shipment, earlier, dashboardUrl), ["test"]],
    ["discrepancies", DiscrepanciesMessage, discrepancies.payload, ["test"]]
  ])(
    "name what the message about %s has, and what only some of them have",
    (_, schema, payload, optional) => {
      assert.sameMembers(Object.keys(schema.fields), [...Object.keys(payload), ...optional])
    }
  )

  it("name what a pallet of a completion has, and no time", () => {
    const [inCompletion] = completion["pallets"] as ReadonlyArray<object>
    const names = Object.keys(CompletionMessage.fields.pallets.value.fields)
    assert.sameMembers(names, Object.keys(inCompletion!))
    assert.notInclude(names, "occurredAt")
  })
})

describe("D6.1 what an event says", () => {
  const event = aPalletEvent({ labels: labelsOf(["a", "b"], ["c", "d"]) })

  it.each(
    [
      ["eventId", { eventId: "E2" }],
      ["dock", { dockSlug: "D2" }],
      ["direction", { direction: "UNLOADING" }],
      ["time", { occurredAt: Timestamp.of("2026-11-19T08:30:00.001Z") }],
      ["shipment id", { shipmentId: 1 }],
      ["shipment number", { shipmentNumber: "1" }],
      ["a label's value", { labels: labelsOf(["a", "b"], ["c", "e"]) }],
      ["the order of labels", { labels: labelsOf(["c", "d"], ["a", "b"]) }],
      ["no labels", { labels: [] }],
      ["where a label ends", { labels: labelsOf(["a", "b\",\"c"], ["d", ""]) }]
    ] as const
  )("is not the same with another %s", (_, fields) => {
    assert.strictEqual(textOf({ ...event }), textOf(event))
    assert.notStrictEqual(textOf(aPalletEvent({ ...event, ...fields })), textOf(event))
  })
})
