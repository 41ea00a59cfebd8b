/** D18.2: a warehouse order (940) becomes an outbound order, or is rejected with segment and element. */
import * as DocumentInput from "@dockline/core/document/DocumentInput"
import { Result } from "effect"
import { assert, describe, it } from "vitest"
import { fileOf, fileWith, setOf, wordsOf } from "../Files.ts"

const lines = [
  "W05*N*SO-1*PO-1",
  "N1*ST*Shop Inc.",
  "N4*Troy*NY*12180",
  "N1*DE*Depositor Inc.",
  "N9*BM*BOL-1",
  "G62*10*20261121*9*0830",
  "W66*PP*M***Swift Freight*****SWFT",
  "LX*1",
  "MAN*GM*00106141411234567897",
  "W01*12*CA*012345678905*SK*SKU-1",
  "G69*Blue widgets",
  "N9*LT*LOT-1",
  "LX*2",
  "W01*5*EA**VN*SKU-2",
  "W76*17"
]

const read = (input: ReadonlyArray<string> = lines) => setOf(fileWith("940", "OW", input))

const withLine = (start: string, ...put: ReadonlyArray<string>): ReadonlyArray<string> =>
  lines.flatMap((line) => line.startsWith(start) ? put : [line])

describe("D18.2: a warehouse order", () => {
  it("is an outbound order, with the items on pallets that it names, and those on none", () => {
    const { faults, meaning } = read()
    assert.isEmpty(faults)
    const document: unknown = meaning?._tag === "Document" && meaning.document
    assert.deepStrictEqual(document, {
      business: "acme",
      facility: "east",
      direction: "OUTBOUND",
      orderItemUpdateStrategy: "OVERWRITE",
      expectedArrivalAt: "2026-11-21T13:30:00.000Z",
      carrier: "SWFT",
      shipmentNumber: "SO-1",
      orders: [{
        orderNumber: "SO-1",
        purchaseOrder: "PO-1",
        consigneeName: "Shop Inc.",
        destination: "Troy, NY",
        client: "Depositor Inc.",
        bolNumber: "BOL-1",
        expectedQuantity: 17,
        items: [{
          lpn: "106141411234567897",
          sku: "SKU-1",
          upc: "012345678905",
          quantity: 12,
          quantityUnit: "CASE",
          description: "Blue widgets",
          lot: "LOT-1"
        }, { sku: "SKU-2", quantity: 5, quantityUnit: "UNIT" }]
      }]
    })
    const rules = { ...DocumentInput.defaultRules, isLpnOptional: true }
    assert.isTrue(Result.isSuccess(DocumentInput.reader(rules)(document)))
  })

  it.each(["LX", "LX*A"])("is taken with %s, which only tells lines apart, and notes it", (lx) => {
    const { faults, meaning } = read([
      "W05*N*SO-1",
      lx,
      "W01*1*CA**SK*A",
      "W01*2*EA**SK*A",
      "LX*7",
      "W01*3*CA**SK*A"
    ])
    assert.deepStrictEqual(faults.map(({ element, isNoted, segmentId }) => [segmentId, element, isNoted]), [
      ["LX", 1, true]
    ])
    const [order] = meaning?._tag === "Document" ? meaning.document.orders ?? [] : []
    assert.deepStrictEqual(order?.items?.map(({ identifier, quantity }) => [identifier, quantity]), [
      [undefined, 4],
      ["3", 2]
    ])
  })

  it("has goods of a SKU on a pallet once, with the quantity of all of its lines", () => {
    const { faults, meaning } = read(
      withLine(
        "LX*2",
        "LX*3",
        "MAN*GM*00106141411234567897",
        "W01*3*CA*012345678905*SK*SKU-1",
        "G69*Blue widgets",
        "N9*LT*LOT-1",
        "LX*2"
      ).map((line) => line === "W76*17" ? "W76*20" : line)
    )
    assert.isEmpty(faults)
    const items = meaning?._tag === "Document" ? meaning.document.orders?.[0]?.items : undefined
    assert.deepStrictEqual(items?.map(({ lot, quantity }) => [lot, quantity]), [["LOT-1", 15], [
      undefined,
      5
    ]])
  })

  it("expects the quantity of its lines where it says no total", () => {
    const { meaning } = read(withLine("W76"))
    assert.strictEqual(meaning?._tag === "Document" && meaning.document.orders?.[0]?.expectedQuantity, 17)
  })

  it("is on the shipment of its load", () => {
    const { meaning } = read(withLine("N9*BM", "N9*LO*LOAD-7"))
    assert.strictEqual(meaning?._tag === "Document" && meaning.document.shipmentNumber, "LOAD-7")
  })

  it("takes the SSCC of a line that has several marks", () => {
    const { meaning } = read(withLine("MAN", "MAN*ZZ*Z-1", "MAN*W*W-1**GM*00106141411234567897"))
    assert.strictEqual(
      meaning?._tag === "Document" && meaning.document.orders?.[0]?.items?.[0]?.lpn,
      "106141411234567897"
    )
  })

  it("that is cancelled cancels its shipment", () => {
    const { meaning } = read(["W05*F*SO-1"])
    assert.strictEqual(meaning?._tag === "Cancellation" && meaning.shipmentNumber, "SO-1")
  })

  it("of others is read as they read it", () => {
    const { meaning } = setOf(fileOf("EdiEngine/940.OK.edi"))
    const document: unknown = meaning?._tag === "Document" && meaning.document
    assert.deepInclude(document, {
      shipmentNumber: "538686",
      carrier: "MTEN",
      expectedArrivalAt: "2000-02-04T05:00:00.000Z"
    })
    assert.deepInclude(document, {
      orders: [{
        orderNumber: "538686",
        consigneeName: "ST COMPANY",
        destination: "CITY, CA",
        client: "DE COMPANY",
        expectedQuantity: 56,
        items: [
          ["000100", "000100000010", 12, "19991205", "11.500 STRUD BLUBRY"],
          ["000200", "000000000220", 32, "19991207", "11.500 STRUD CINN"],
          ["000300", "000000000330", 12, "20000107", "11.500 STRUDEL RASPBRY"]
        ].map(([sku, upc, quantity, lot, description]) => ({
          sku,
          upc,
          quantity,
          quantityUnit: "CASE",
          lot,
          description
        }))
      }]
    })
  })

  it.each([
    [
      "without W05",
      withLine("W05"),
      "Segment 4 (N1, 2 of its set): W05 is missing: a warehouse order begins with it. Send W05 behind ST."
    ],
    [
      "of another status",
      withLine("W05", "W05*S*SO-1"),
      "Segment 4 (W05, 2 of its set), element 1: orders of the status S are not taken. Send N for a new order, R for a replacement, F for a cancellation."
    ],
    [
      "for a day of no shipment",
      withLine("G62", "G62*10*99991231"),
      "Segment 9 (G62, 7 of its set), element 2: no shipment is expected in the year 9999. Send a date of the years 1900 to 9998, or none."
    ],
    [
      "with two lots of a SKU on a pallet",
      withLine("LX*2", "W01*3*CA*012345678905*SK*SKU-1", "G69*Blue widgets", "N9*LT*LOT-2").slice(0, -1),
      "Segment 16 (W01, 14 of its set): an earlier item has the SKU on the same pallet, with another lot. Send goods that differ in their quantity only, or on pallets of their own."
    ],
    [
      "with goods before a line",
      withLine("LX*1"),
      "Segment 12 (W01, 10 of its set): a line of goods stands before LX. Begin each line with LX."
    ]
  ])("is rejected %s", (_, input, words) => {
    const set = read(input)
    assert.deepStrictEqual(wordsOf(set), [words])
    assert.isUndefined(set.meaning)
  })
})
