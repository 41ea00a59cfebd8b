/** D18.2: a ship notice (856) becomes a document, or is rejected with segment and element. */
import * as DocumentInput from "@dockline/core/document/DocumentInput"
import { Result } from "effect"
import { assert, describe, it } from "vitest"
import type { DocumentMeaning } from "../../src/sets/SetContent.ts"
import { statusOf } from "../../src/sets/SetContent.ts"
import { fileOf, fileWith, setOf, wordsOf } from "../Files.ts"

const lines = [
  "BSN*00*SO-1*20261120*1700",
  "HL*1**S",
  "TD1*PLT*2",
  "TD5**2*SWFT",
  "TD3*TL*AB*1234******SEAL-1",
  "REF*BM*BOL-1",
  "DTM*017*20261121*0830",
  "N1*SF*Supplier Inc.",
  "N1*ST*East Hub*92*0001",
  "N4*Newark*NJ*07101",
  "PER*CN*Ann*TE*555-0100",
  "HL*2*1*O",
  "PRF*PO-1",
  "TD1*CTN*24",
  "HL*3*2*T",
  "MAN*GM*00106141411234567897",
  "HL*4*3*I",
  "LIN*1*SK*SKU-1*UP*012345678905*LT*LOT-1",
  "SN1*1*12*CA",
  "PID*F****Blue widgets",
  "DTM*036*20270131",
  "HL*5*2*T",
  "MAN*W*PALLET-2",
  "HL*6*5*I",
  "LIN*2*VN*SKU-2",
  "SN1*2*5.5*EA",
  "CTT*6"
]

const read = (input: ReadonlyArray<string> = lines) => setOf(fileWith("856", "SH", input))

/** The lines, in which those that begin with `start` are replaced. */
const withLine = (start: string, ...put: ReadonlyArray<string>): ReadonlyArray<string> =>
  lines.flatMap((line) => line.startsWith(start) ? put : [line])

const meaningOf = (input?: ReadonlyArray<string>): DocumentMeaning => {
  const { faults, meaning } = read(input)
  if (meaning?._tag !== "Document") throw new Error(JSON.stringify(faults))
  return meaning
}

describe("D18.2: a ship notice", () => {
  it("is a document that the rules of documents take", () => {
    const { faults, meaning } = read()
    assert.isEmpty(faults)
    assert.deepStrictEqual(meaning?._tag === "Document" && meaning.document as unknown, {
      business: "acme",
      facility: "east",
      direction: "INBOUND",
      orderItemUpdateStrategy: "OVERWRITE",
      shipmentNumber: "SO-1",
      carrier: "SWFT",
      trailerNumber: "AB1234",
      sealNumber: "SEAL-1",
      bolNumber: "BOL-1",
      // Local time of the facility, in New York.
      expectedArrivalAt: "2026-11-21T13:30:00.000Z",
      supplier: "Supplier Inc.",
      consigneeName: "East Hub",
      destination: "Newark, NJ",
      consigneePhoneNumber: "555-0100",
      orders: [{
        orderNumber: "PO-1",
        purchaseOrder: "PO-1",
        expectedQuantity: 24,
        items: [
          {
            lpn: "106141411234567897",
            sku: "SKU-1",
            upc: "012345678905",
            lot: "LOT-1",
            quantity: 12,
            quantityUnit: "CASE",
            description: "Blue widgets",
            expirationDate: "2027-01-31"
          },
          { lpn: "PALLET-2", sku: "SKU-2", quantity: 5.5, quantityUnit: "UNIT" }
        ]
      }]
    })
    assert.isTrue(Result.isSuccess(DocumentInput.reader()(meaningOf().document)))
  })

  it.each([["00", "OVERWRITE"], ["05", "OVERWRITE"], ["04", "MERGE"]])(
    "of the purpose %s is %s",
    (purpose, strategy) => {
      assert.strictEqual(
        meaningOf(withLine("BSN", `BSN*${purpose}*SO-1*20261120*1700`)).document.orderItemUpdateStrategy,
        strategy
      )
    }
  )

  it.each([["00", 12, []], ["04", undefined, [["SN1", 2]]]] as const)(
    "of the purpose %s says what an order expects in all only if it says all lines",
    (purpose, expected, notes) => {
      const { faults, meaning } = read([
        `BSN*${purpose}*SO-1*20261120*1700`,
        "HL*1**S",
        "HL*2*1*O",
        "PRF*PO-1",
        "HL*3*2*I",
        "LIN**SK*SKU-1",
        "SN1**12*EA"
      ])
      const document = meaning?._tag === "Document" ? meaning.document : undefined
      assert.strictEqual(document?.orders?.[0]?.expectedQuantity, expected)
      const totals = faults.filter(({ detail }) => detail.includes("expects in all"))
      assert.deepStrictEqual(
        totals.map(({ element, segmentId }) => [segmentId, element]),
        notes.map((each) => [...each])
      )
    }
  )

  it("of the purpose 01 cancels, also without orders", () => {
    const { faults, meaning } = read(["BSN*01*SO-1*20261120*1700", "HL*1**S"])
    assert.isEmpty(faults)
    assert.strictEqual(meaning?._tag === "Cancellation" && meaning.shipmentNumber, "SO-1")
  })

  it("expects what stands on the packs of a tare on the tare, with the packs as cases", () => {
    const { document } = meaningOf([
      "BSN*00*SO-1*20261120*1700",
      "HL*1**S",
      "HL*2*1*O",
      "PRF*PO-1",
      "HL*3*2*T",
      "MAN*GM*00106141411234567897",
      ...[4, 6].flatMap((number) => [
        `HL*${number}*3*P`,
        `MAN*GM*0010614141123456790${number}`,
        `HL*${number + 1}*${number}*I`,
        "LIN**SK*SKU-1",
        "SN1**12*EA"
      ])
    ])
    assert.deepStrictEqual(document.orders?.[0]?.items as unknown, [{
      lpn: "106141411234567897",
      sku: "SKU-1",
      quantity: 24,
      quantityUnit: "UNIT",
      caseSerials: [{ id: "106141411234567904", quantity: 12 }, { id: "106141411234567906", quantity: 12 }]
    }])
  })

  it("takes the mark of a pack where there is no tare, as in a file of others", () => {
    const { meaning } = setOf(fileOf("EdiEngine/856.Crossdock.OK.edi"))
    const document = meaning?._tag === "Document" ? meaning.document : undefined
    assert.deepStrictEqual(
      document?.orders?.map((
        { items, orderNumber }
      ) => [orderNumber, items?.map(({ lpn, quantity, sku }) => [lpn, sku, quantity])]),
      [
        ["POREF00", [
          ["000715670002152360", "0000000000642", 12],
          ["000715670002152377", "0000000000831", 12],
          ["000715670002152384", "0000000000283", 12],
          ["000715670002152391", "0000000000203", 12]
        ]],
        ["POREF01", [["000715670002152111", "0000000000642", 12]]]
      ]
    )
    assert.strictEqual(document?.expectedArrivalAt, "2009-09-25T04:00:00.000Z")
  })

  it("takes the SSCC of a level that has several marks, wherever it stands", () => {
    const at = (...marks: ReadonlyArray<string>) =>
      meaningOf(withLine("MAN*W", ...marks)).document.orders?.[0]?.items?.[1]?.lpn
    assert.strictEqual(at("MAN*W*PALLET-2", "MAN*GM*00106141411234567903"), "106141411234567903")
    assert.strictEqual(at("MAN*ZZ*Z-1**AA*106141411234567903", "MAN*CP*C-1"), "106141411234567903")
    assert.strictEqual(at("MAN*ZZ*Z-1", "MAN*CP*C-1", "MAN*CP*C-2"), "C-1")
    assert.strictEqual(at("MAN*AA*106141411234567903", "MAN*GM*00106141411234567910"), "106141411234567910")
  })

  it("numbers its levels with or without zeros before them", () => {
    const input = lines.map((line) =>
      line.replace(
        /^HL\*(\d)\*(\d?)/,
        (_, number, above) => `HL*0${number}*${above === "" ? "" : `00${above}`}`
      )
    )
    assert.deepStrictEqual(meaningOf(input).document, meaningOf().document)
  })

  // Each of these takes minutes with steps of quadratic cost.
  it("is read with very many marks of a pallet and very many items on it", () => {
    const items = Array.from({ length: 20_000 }, (_, index) => [
      `HL*${index + 4}*3*I`,
      `LIN**SK*SKU-${index}`,
      "SN1**1*CA"
    ])
    const marks = Array.from({ length: 100_000 }, () => "MAN*SM*X")
    const above = ["BSN*00*SO-1*20261120*1700", "HL*1**S", "HL*2*1*O", "PRF*PO-1", "HL*3*2*T"]
    const { document } = meaningOf([...above, ...marks, "MAN*W*PALLET-1", ...items.flat()])
    assert.deepStrictEqual(new Set(document.orders?.[0]?.items?.map(({ lpn }) => lpn)), new Set(["PALLET-1"]))
  })

  it("is read with long runs of spaces and of digits", () => {
    const [spaces, digits] = [" ".repeat(16_000), "1".repeat(16_000)]
    const set = read(withLine("REF*BM", ...Array.from({ length: 200 }, () => `REF*ZZ*${spaces}x`)))
    assert.strictEqual(statusOf(set.faults), "E")
    const { faults } = read(withLine("SN1*2", ...Array.from({ length: 200 }, () => `SN1**${digits}x*EA`)))
    assert.strictEqual(faults[0]?.code, "6")
  })

  it("says where the fields of its document come from", () => {
    const { sourceAt } = meaningOf()
    const at = (path: string) => {
      const { element, segment } = sourceAt(path)
      return `${segment.id}${segment.inSet}/${element}`
    }
    assert.deepStrictEqual(
      [
        "shipmentNumber",
        "carrier",
        "orders[0].orderNumber",
        "orders[0].items[1].quantity",
        "orders[0].items[1].lot",
        "nothing"
      ].map(at),
      ["BSN2/2", "TD55/3", "PRF14/1", "SN127/2", "HL25/0", "BSN2/0"]
    )
  })
})

describe("D18.4: SSCC check digits", () => {
  it("warn, and never refuse", () => {
    const set = read(withLine("MAN*GM", "MAN*GM*00106141411234567890"))
    assert.strictEqual(statusOf(set.faults), "E")
    assert.deepStrictEqual(wordsOf(set), [
      "Segment 19 (MAN, 17 of its set), element 2: the check digit of SSCC 106141411234567890 should be 7. Send the SSCC as it stands on the label."
    ])
    assert.isDefined(set.meaning)
  })
})

describe("D18.2: a ship notice is accepted with errors noted", () => {
  it.each([
    [
      "a pallet without goods",
      withLine("CTT", "HL*7*2*T", "CTT*7").map((line) => line === "TD1*PLT*2" ? "TD1*PLT*3" : line),
      "Segment 30 (HL, 28 of its set): no item stands below it, so that nothing is expected on it."
    ],
    [
      "a time of no date that is not kept",
      withLine("BSN", "BSN*00*SO-1*20261131*1700"),
      "Segment 4 (BSN, 2 of its set), element 3: a date is expected. Send a date as CCYYMMDD."
    ],
    [
      "an item on no pallet",
      withLine("MAN*W"),
      "Segment 26 (HL, 24 of its set): the item stands on no marked pallet: expected by quantity, without a pallet. Send MAN*GM with the SSCC of the pallet below its level T, or P."
    ],
    [
      "a unit that is not known",
      withLine("SN1*2", "SN1*2*5*LB"),
      "Segment 29 (SN1, 27 of its set), element 3: the unit LB is not known, and is taken for UNIT. Send one of EA, UN, PC, CA, CS, CT, BX, PL, PF, or agree with the warehouse on what it means."
    ],
    [
      "a total of nothing",
      withLine("CTT", "CTT*5"),
      "Segment 30 (CTT, 28 of its set), element 1: the notice has 6 levels and 2 items."
    ],
    [
      "a name that is too long",
      withLine("N1*SF", `N1*SF*${"x".repeat(61)}`),
      "Segment 11 (N1, 9 of its set), element 2: it has 61 characters. Send at most 60."
    ],
    [
      "an element too many",
      withLine("PRF", "PRF*PO-1*******1"),
      "Segment 16 (PRF, 14 of its set), element 8: the segment has at most 7 elements."
    ]
  ])("for %s", (_, input, words) => {
    const set = read(input)
    assert.strictEqual(statusOf(set.faults), "E", JSON.stringify(set.faults))
    assert.deepStrictEqual(wordsOf(set).map((text) => text.slice(0, words.length)), [words])
    assert.isDefined(set.meaning)
  })
})

describe("D18.2: a ship notice is rejected", () => {
  it.each([
    [
      "without BSN",
      withLine("BSN"),
      "Segment 3 (ST, 1 of its set): BSN is missing: a ship notice begins with it. Send BSN behind ST.",
      "3"
    ],
    [
      "of another purpose",
      withLine("BSN", "BSN*14*SO-1*20261120*1700"),
      "Segment 4 (BSN, 2 of its set), element 1: notices of the purpose 14 are not taken. Send 00 for a new notice, 05 for a replacement, 04 for a change, 01 for a cancellation.",
      "7"
    ],
    [
      "without a number",
      withLine("BSN", "BSN*00**20261120*1700"),
      "Segment 4 (BSN, 2 of its set), element 2: a required element is missing. Send it.",
      "1"
    ],
    [
      "for the last of all days",
      withLine("DTM*017", "DTM*017*99991231*2359"),
      "Segment 10 (DTM, 8 of its set), element 2: no shipment is expected in the year 9999. Send a date of the years 1900 to 9998, or none.",
      "8"
    ],
    [
      "with a gap in its levels",
      withLine("HL*3", "HL*9*2*T"),
      "Segment 18 (HL, 16 of its set), element 1: the level has the number 9, and 3 is next. Number the levels from 1 on, without gaps.",
      "7"
    ],
    [
      "with a level below a later one",
      withLine("HL*3", "HL*3*5*T"),
      "Segment 18 (HL, 16 of its set), element 2: no level 5 stands before it. Name the level above by its number, and send it first.",
      "7"
    ],
    [
      "with a level that is not read",
      withLine("HL*3", "HL*3*2*K"),
      "Segment 18 (HL, 16 of its set), element 3: levels of the code K are not read. Send the levels S, O, T, P and I: shipment, order, tare, pack, item.",
      "7"
    ],
    [
      "with a level in the wrong place",
      withLine("HL*4", "HL*4*1*I"),
      "Segment 20 (HL, 18 of its set), element 2: the level I stands below S. Send it below O or T or P.",
      "7"
    ],
    [
      "without orders",
      lines.slice(0, 11),
      "Segment 5 (HL, 3 of its set): no order stands below the shipment. Send a level O for each order.",
      "3"
    ],
    [
      "with an order without a number",
      withLine("PRF"),
      "Segment 15 (HL, 13 of its set): the order has no number. Send PRF with its number, or REF*OQ.",
      "3"
    ],
    [
      "with an order twice",
      withLine("CTT", "HL*7*1*O", "PRF*PO-1"),
      "Segment 31 (PRF, 29 of its set), element 1: another order of the notice has the number. Send one level O for each order, or tell them apart by REF*OQ.",
      "7"
    ],
    [
      "with an item without a SKU",
      withLine("LIN*2", "LIN*2*ZZ*SKU-2"),
      "Segment 28 (LIN, 26 of its set): the item has no SKU. Send LIN with a qualifier SK, VN, VP, VC, IN, BP, CB, UP, EN, UK, UI or UA.",
      "3"
    ],
    [
      "with two lots of a SKU on a pallet",
      withLine(
        "CTT",
        "HL*7*3*I",
        "LIN**SK*SKU-1*UP*012345678905*LT*LOT-2",
        "SN1**3*EA",
        "PID*F****Blue widgets",
        "DTM*036*20270131"
      ),
      "Segment 30 (HL, 28 of its set): an earlier item has the SKU on the same pallet, with another lot, quantityUnit. Send goods that differ in their quantity only, or on pallets of their own.",
      "8"
    ],
    [
      "with a SKU of two orders on a pallet",
      withLine(
        "CTT",
        "HL*7*1*O",
        "PRF*PO-2",
        "HL*8*7*T",
        "MAN*W*PALLET-2",
        "HL*9*8*I",
        "LIN**SK*SKU-2",
        "SN1**1*EA"
      ),
      "Segment 34 (HL, 32 of its set): an earlier item has the SKU on the same pallet, with another order. Send goods that differ in their quantity only, or on pallets of their own.",
      "8"
    ],
    [
      "with a quantity of letters",
      withLine("SN1*2", "SN1*2*five*EA"),
      "Segment 29 (SN1, 27 of its set), element 2: a number is expected. Send digits, with a decimal point where one is due.",
      "6"
    ],
    [
      "with a line break within an element",
      withLine("LIN*2", "LIN*2*VN*SKU\n-2"),
      "Segment 28 (LIN, 26 of its set), element 3: a line break or another control character is within the element (the segment stands on lines 28 to 29, as line 28 does not end with the segment terminator). Send elements without control characters, and files that are not wrapped into lines.",
      "6"
    ]
  ])("%s", (_, input, words, code) => {
    const set = read(input)
    assert.strictEqual(wordsOf(set)[0], words)
    assert.strictEqual(set.faults[0]?.code, code)
    assert.strictEqual(statusOf(set.faults), "R")
    assert.isUndefined(set.meaning)
  })

  it.each([
    [
      "in another group",
      fileWith("856", "OW", lines),
      "Segment 3 (ST, 1 of its set), element 1: a set 856 stands in a group of the kind OW. Send it in a group SH."
    ],
    [
      "of another kind",
      fileWith("810", "IN", lines),
      "Segment 3 (ST, 1 of its set), element 1: sets of the kind 810 are not taken. Send 856, 940, 997."
    ]
  ])("%s", (_, text, words) => {
    assert.deepStrictEqual(wordsOf(setOf(text)), [words])
  })

  it("with at most 100 faults, the one that rejects it among them", () => {
    const many = Array.from({ length: 150 }, () => `N1*SF*${"x".repeat(61)}`)
    const set = read([...withLine("N1*SF", ...many), "REF*"])
    assert.lengthOf(set.faults, 100)
    assert.strictEqual(statusOf(set.faults), "R")
  })
})
