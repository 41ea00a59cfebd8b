/** D18.2, D18.4: the sets about a departed shipment read back as the goods that passed the door. */
import * as DocumentInput from "@dockline/core/document/DocumentInput"
import { lpnKey } from "@dockline/core/labels/Lpn"
import type { OrderItem, Shipment } from "@dockline/core/shipment/Shipment"
import { hasPassed } from "@dockline/core/shipment/Shipment"
import * as Timestamp from "@dockline/core/values/Timestamp"
import { anItem, anOrder, aShipment } from "@dockline/testing/generators/Given"
import * as Law from "@dockline/testing/Law"
import { Result } from "effect"
import { assert, describe, it } from "vitest"
import {
  replacing,
  unexpectedOn,
  writeReceiptAdvices,
  writeShipNotice,
  writeShippingAdvices
} from "../../src/sets/AdviceSets.ts"
import { statusOf } from "../../src/sets/SetContent.ts"
import { decimal } from "../../src/sets/Words.ts"
import type { SegmentDraft } from "../../src/x12/Fault.ts"
import { write } from "../../src/x12/X12Writer.ts"
import type { Release } from "../../src/x12/X12Writer.ts"
import { departed, departureOf } from "../Departed.ts"
import { interchangeOf, setOf, textOf } from "../Files.ts"

interface Expected {
  readonly lpn: string
  readonly sku: string
  readonly quantity: number
  readonly quantityUnit: string
  readonly upc: string
  readonly lot: string
  readonly expirationDate: string
  readonly manufacturingDate: string
}

const expectedOf = (item: Expected): unknown => {
  const { expirationDate, lot, lpn, manufacturingDate, quantity, quantityUnit, sku, upc } = item
  return { lpn: lpnKey(lpn), sku, quantity, quantityUnit, upc, lot, expirationDate, manufacturingDate }
}

/**
 * The items that a shipment expects on the pallets that passed, and on lines without plates if an unexpected pallet passed, by orders. It
 * is written out here, so that the law does not rely on the rules under test.
 */
const passedThrough = (
  { direction, orders, pallets }: Shipment
): ReadonlyArray<readonly [string, ReadonlyArray<OrderItem>]> => {
  const passedLpns = new Set(
    pallets.filter((pallet) => hasPassed(direction, pallet)).map(({ lpn }) => lpnKey(lpn))
  )
  const expectedLpns = new Set(orders.flatMap(({ items }) => items.map(({ lpn }) => lpnKey(lpn))))
  const haveLooseLeft = Array.from(passedLpns).some((lpn) => !expectedLpns.has(lpn))
  return orders.flatMap(({ items, number }) => {
    const passedItems = items.filter(({ lpn }) => lpn !== "" && passedLpns.has(lpnKey(lpn)))
    const lpns = Array.from(new Set(passedItems.map(({ lpn }) => lpnKey(lpn))))
    const loose = haveLooseLeft ? items.filter(({ lpn, quantity }) => lpn === "" && quantity > 0) : []
    const goods = [...lpns.flatMap((lpn) => passedItems.filter((item) => lpnKey(item.lpn) === lpn)), ...loose]
    const withQuantity = goods.filter(({ quantity }) => quantity > 0)
    return withQuantity.length === 0 ? [] : [[number, withQuantity] as const]
  })
}

const noticeText = (segments: ReadonlyArray<SegmentDraft>, release: Release): string =>
  textOf(interchangeOf("SH", [{ id: "856", segments }], release))

const readDocument = DocumentInput.reader({ ...DocumentInput.defaultRules, isLpnOptional: true })

Law.register({ describe, it }, "D18.4: a ship notice that is written", [
  Law.make("read as one, gives the same expectation", departed, (shipment) => {
    const departure = departureOf(shipment)
    const goods = passedThrough(shipment)
    const keys = goods.flatMap(([number, items]) =>
      items.map(({ lpn, sku }) => JSON.stringify([lpn === "" ? number : "", lpnKey(lpn), sku]))
    )
    // Two documents together can make two orders expect a SKU on the same pallet, but one document cannot (D3.5).
    const isRefused = new Set(keys).size < keys.length
    const expected: unknown = goods.map(([number, items]) => [number, items.map(expectedOf)])
    for (const [release, isReplacement] of [["004010", false], ["005010", true]] as const) {
      const notice = { id: "856", segments: writeShipNotice(departure) } as const
      const { segments } = isReplacement ? replacing(notice) : notice
      if (segments.length === 0) {
        assert.deepStrictEqual(expected, [])
        continue
      }
      const { faults, meaning } = setOf(noticeText(segments, release))
      if (isRefused) {
        assert.include(
          JSON.stringify(faults),
          "an earlier item has the SKU on the same pallet, with another order"
        )
        assert.isUndefined(meaning)
        continue
      }
      // A generated LPN of 18 digits may have a wrong check digit, which is noted.
      assert.notStrictEqual(statusOf(faults), "R", JSON.stringify(faults))
      if (meaning?._tag !== "Document") throw new Error("The notice is no document")
      const document = Result.getOrThrowWith(
        readDocument(meaning.document),
        (error) => new Error(JSON.stringify(error))
      )
      assert.strictEqual(document.shipmentNumber, shipment.number)
      assert.strictEqual(document.trailerNumber, shipment.trailerNumber)
      assert.deepStrictEqual(
        document.orders.map(({ items, orderNumber }) => [orderNumber, items.map(expectedOf)]) as unknown,
        expected
      )
    }
  }, 1000)
])

Law.register({ describe, it }, "D18.2: the advices of a shipment", [
  Law.make("count what passed the door, order by order", departed, (shipment) => {
    const departure = departureOf(shipment)
    const sets = [...writeShippingAdvices(departure), ...writeReceiptAdvices(departure)]
    for (const release of ["004010", "005010"] as const) {
      const text = write(interchangeOf("SW", sets.map((segments) => ({ id: "945", segments })), release))
      assert.strictEqual(text._tag, "Success", JSON.stringify(text))
    }
    const told945 = shipment.orders.filter(({ items }) => items.some(({ quantity }) => quantity > 0))
    const passedItems = new Map(passedThrough(shipment))
    const sum = (quantities: ReadonlyArray<number>) =>
      decimal(Number(quantities.reduce((all, each) => all + each, 0).toPrecision(15)))
    const quantities = told945.map(({ number }) => passedItems.get(number)?.map(({ quantity }) => quantity))
    assert.deepStrictEqual(
      writeShippingAdvices(departure).map((segments) => segments.at(-1)?.elements[0]),
      quantities.map((quantities) => sum(quantities ?? []))
    )
    assert.deepStrictEqual(
      writeReceiptAdvices(departure).map((segments) => segments.at(-1)?.elements[0]),
      quantities.flatMap((quantities) => quantities === undefined ? [] : [sum(quantities)])
    )
  }, 300)
])

const shipment = (direction: string): Shipment => {
  const way = direction === "OUTBOUND" ? "LOADING" as const : "UNLOADING" as const
  return aShipment({
    id: 17,
    number: "S-1",
    direction,
    status: "DEPARTED",
    departedAt: Timestamp.of("2026-11-20T22:05:07.000Z"),
    carrier: "SWFT",
    trailerNumber: "T-1",
    orders: [anOrder("1", "SO-1", [
      {
        ...anItem("106141411234567897", "SKU-1", {
          upc: "012345678905",
          lot: "LOT-1",
          description: "Blue widgets"
        }),
        id: "1"
      },
      { ...anItem("L2", "SKU-2", { quantity: 2.5, quantityUnit: "UNIT" }), id: "2" }
    ], { purchaseOrder: "PO-1", consigneeName: "Shop Inc.", bolNumber: "BOL-1" })],
    pallets: [
      { id: 1, lpn: "106141411234567897", first: way, last: way, dockId: 3 },
      { id: 2, lpn: "L9", first: way, last: way, dockId: 3 }
    ]
  })
}

const lines = (id: string, segments: ReadonlyArray<SegmentDraft>): ReadonlyArray<string> =>
  textOf(interchangeOf("SH", [{ id, segments }])).split("~\n").slice(3, -3)

describe("D18.2: what is told of a shipment", () => {
  it("is a ship notice of the pallets that left", () => {
    assert.deepStrictEqual(lines("856", writeShipNotice(departureOf(shipment("OUTBOUND")))), [
      "BSN*00*S-1*20261120*170507*ZZZZ",
      "HL*1**S*1",
      "TD1*PLT*1",
      "TD5**2*SWFT",
      "TD3*TL**T-1",
      "DTM*011*20261120*170507",
      "N1*SF*East Hub*ZZ*east",
      "HL*2*1*O*1",
      "PRF*PO-1",
      "REF*OQ*SO-1",
      "REF*BM*BOL-1",
      "N1*ST*Shop Inc.",
      "HL*3*2*T*1",
      "MAN*GM*00106141411234567897",
      "HL*4*3*I*0",
      "LIN**SK*SKU-1*UP*012345678905*LT*LOT-1",
      "SN1**5*CA",
      "PID*F****Blue widgets",
      "CTT*4"
    ])
    assert.deepStrictEqual(unexpectedOn(shipment("OUTBOUND")), ["L9"])
  })

  it("is a shipping advice of what left and what is short", () => {
    const [segments = []] = writeShippingAdvices(departureOf(shipment("OUTBOUND")))
    assert.deepStrictEqual(lines("945", segments), [
      "W06*F*SO-1*20261120*S-1**PO-1",
      "N1*WH*East Hub*ZZ*east",
      "N1*ST*Shop Inc.",
      "N9*BM*BOL-1",
      "G62*11*20261120",
      "W27*M*SWFT*SWFT**TL**T-1",
      "LX*1",
      "MAN*GM*00106141411234567897",
      "W12*CC*5*5*0*CA*012345678905*SK*SKU-1",
      "G69*Blue widgets",
      "N9*LT*LOT-1",
      "LX*2",
      "MAN*W*L2",
      "W12*CP*2.5*0*2.5*EA**SK*SKU-2",
      "W03*5"
    ])
  })

  it("is a receiving advice of what came", () => {
    const [segments = []] = writeReceiptAdvices(departureOf(shipment("INBOUND")))
    assert.deepStrictEqual(lines("944", segments), [
      "W17*F*20261120*17*SO-1*S-1",
      "N1*WH*East Hub*ZZ*east",
      "N9*BM*BOL-1",
      "W07*5*CA*012345678905*SK*SKU-1",
      "G69*Blue widgets",
      "N9*LT*LOT-1",
      "N9*LV*106141411234567897",
      "W14*5"
    ])
  })

  it("names what X12 cannot hold, and writes nothing", () => {
    const long = aShipment({
      ...shipment("OUTBOUND"),
      number: "S~1",
      orders: [
        anOrder("1", "SO-1 ", [{
          ...anItem("106141411234567897", "x".repeat(49), { quantityUnit: "DRUM" }),
          id: "1"
        }])
      ]
    })
    const text = write(
      interchangeOf("SH", [{ id: "856", segments: writeShipNotice(departureOf(long)) }])
    )
    assert.deepStrictEqual(text._tag === "Failure" && text.failure, [
      { place: "BSN02", value: "S~1", detail: "holds the delimiter ~" },
      { place: "REF02", value: "SO-1 ", detail: "ends with a space, which X12 drops" },
      {
        place: "LIN03",
        value: "x".repeat(49),
        detail: "cannot be written: it has 49 characters, and 1 to 48 fit"
      },
      { place: "SN103", value: "", detail: "is required" }
    ])
  })
})
