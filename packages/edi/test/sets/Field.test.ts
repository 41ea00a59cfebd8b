/** D23: the variants that partners send in practice are understood, or noted by segment and element. */
import type { DocumentJson } from "@dockline/core/embed/Dockline"
import { assert, describe, it } from "vitest"
import type { SetPlace } from "../../src/sets/SetContent.ts"
import { statusOf } from "../../src/sets/SetContent.ts"
import { east, fileWith, setOf, wordsOf } from "../Files.ts"

interface Case {
  readonly name: string
  readonly kind: "856" | "940"
  readonly lines: ReadonlyArray<string>
  /** The properties of the place beside the facility. */
  readonly place?: Partial<Omit<SetPlace, "version">>
  readonly status: "A" | "E" | "R"
  /** Fields of the document. */
  readonly document?: Partial<DocumentJson>
  /** Fields of the items of the first order. */
  readonly items?: ReadonlyArray<Readonly<Record<string, unknown>>>
  /** Whether the items are on no pallet. */
  readonly isLoose?: boolean
  /** Notes on the set: the beginning of each, and a text that it contains. */
  readonly words?: ReadonlyArray<readonly [place: string, text: string]>
}

const plate = "106141411234567897"

/** A notice of 12 cases on a pallet, with some of its lines replaced. */
const notice = (overrides: Readonly<Record<string, ReadonlyArray<string>>> = {}): ReadonlyArray<string> =>
  [
    "BSN*00*ASN-F1*20261120*0700",
    "HL*1**S",
    "DTM*017*20261121*0830",
    "HL*2*1*O",
    "PRF*PO-F1",
    "HL*3*2*T",
    `MAN*GM*00${plate}`,
    "HL*4*3*I",
    "LIN**SK*SKU-1",
    "SN1**12*CA"
  ].flatMap((line) => {
    const key = Object.keys(overrides).find((start) => line.startsWith(start))
    return key === undefined ? [line] : overrides[key]!
  })

const order = (...lines: ReadonlyArray<string>): ReadonlyArray<string> => ["W05*N*SO-1*PO-1", ...lines]

const marks = ["LX*1", `MAN*GM*00${plate}`, "W01*12*CA**SK*SKU-1"]

const at = (code: string, time = "0830") => notice({ DTM: [`DTM*017*20261121*${time}*${code}`] })

const arriving = (time: string): Partial<DocumentJson> => ({
  expectedArrivalAt: `2026-11-${time}:00.000Z` as NonNullable<DocumentJson["expectedArrivalAt"]>
})

const cases: ReadonlyArray<Case> = [
  // Lines without plates (D23.3)
  {
    name: "lines without a mark are items without LPN",
    isLoose: true,
    kind: "940",
    lines: order("LX*1", "W01*300*CA*004600072183*VN*0172183000"),
    status: "A",
    items: [{ sku: "0172183000", upc: "004600072183", quantity: 300, quantityUnit: "CASE" }]
  },
  {
    name: "a marked and an unmarked line are both items",
    kind: "940",
    lines: order(...marks, "LX*2", "W01*30*CA**SK*SKU-2"),
    status: "A",
    items: [{ lpn: plate, quantity: 12 }, { sku: "SKU-2", quantity: 30 }]
  },
  {
    name: "lines of a SKU without plates are added up, and apart in two units",
    isLoose: true,
    kind: "940",
    lines: order("LX*1", "W01*10*CA**SK*S", "LX*2", "W01*5*EA**SK*S", "LX*3", "W01*2*CA**SK*S"),
    status: "A",
    items: [
      { sku: "S", quantity: 12, quantityUnit: "CASE" },
      { sku: "S", quantity: 5, quantityUnit: "UNIT", identifier: "2" }
    ]
  },
  {
    name: "quantities that are no whole numbers",
    kind: "940",
    lines: order("LX*1", "W01*2.5*CA**SK*S", "W76*2.5"),
    status: "E",
    items: [{ sku: "S", quantity: 2.5 }],
    words: [["Segment 7 (W76", "2.5"]]
  },
  {
    name: "N9*LV behind a line is its plate",
    kind: "940",
    lines: order("LX*1", "W01*12*CA**VN*SKU-1", "N9*LV*LPN6569"),
    status: "A",
    items: [{ lpn: "LPN6569", sku: "SKU-1", quantity: 12 }]
  },
  {
    name: "two plates of a line: nobody knows how much is on each",
    isLoose: true,
    kind: "940",
    lines: order("LX*1", "W01*12*CA**VN*SKU-1", "N9*LV*LPN-1", "N9*LV*LPN-2"),
    status: "E",
    items: [{ sku: "SKU-1", quantity: 12 }],
    words: [["Segment 7 (N9", "LPN-1"], ["Segment 8 (N9", "LPN-2"]]
  },
  {
    name: "a lot in W0113",
    kind: "940",
    lines: order("LX*1", `MAN*GM*00${plate}`, "W01*12*CA**SK*SKU-1********LOT-9"),
    status: "A",
    items: [{ lpn: plate, lot: "LOT-9" }]
  },
  {
    name: "shipment, order, item: without packs",
    isLoose: true,
    kind: "856",
    lines: [
      "BSN*00*A1*20261120*0700*0004",
      "HL*1**S",
      "HL*2*1*O",
      "PRF*PO-1",
      "HL*3*2*I",
      "LIN**SK*S",
      "SN1**7*EA"
    ],
    status: "E",
    items: [{ sku: "S", quantity: 7, quantityUnit: "UNIT" }],
    words: [["Segment 8 (HL", "no marked pallet"]]
  },
  {
    name: "a mark of another qualifier is named",
    isLoose: true,
    kind: "856",
    lines: notice({ MAN: ["MAN*SM*1Z999"] }),
    status: "E",
    items: [{ sku: "SKU-1", quantity: 12 }],
    words: [["Segment 10 (MAN", "MAN*SM"]]
  },
  // Time codes (D23.4)
  ...([
    ["PT", "21T16:30"],
    ["ET", "21T13:30"],
    ["CT", "21T14:30"],
    ["MT", "21T15:30"],
    ["AT", "21T17:30"],
    ["HT", "21T18:30"],
    ["TT", "21T12:30"],
    ["NT", "21T12:00"],
    ["PS", "21T16:30"],
    ["PD", "21T15:30"],
    ["ES", "21T13:30"],
    ["ED", "21T12:30"],
    ["UT", "21T08:30"],
    ["GM", "21T08:30"],
    ["LT", "21T13:30"],
    ["", "21T13:30"],
    ["01", "21T07:30"],
    ["12", "20T20:30"],
    ["13", "21T20:30"],
    ["19", "21T14:30"],
    ["24", "21T09:30"]
  ] as const).map(([code, time]): Case => ({
    name: `the time code ${code === "" ? "of none" : code}`,
    kind: "856",
    lines: at(code),
    status: "A",
    document: arriving(time)
  })),
  {
    name: "an offset as a time code",
    kind: "856",
    lines: at("M05"),
    status: "E",
    document: arriving("21T13:30"),
    words: [["Segment 6 (DTM, 4 of its set), element 4", "3 characters"]]
  },
  {
    name: "an unknown time code",
    kind: "856",
    lines: at("QQ"),
    status: "E",
    document: arriving("21T13:30"),
    words: [["Segment 6 (DTM, 4 of its set), element 4", "QQ"]]
  },
  {
    name: "a time code of a warehouse order",
    kind: "940",
    lines: order("G62*10*20261121*1*0830*UT", ...marks),
    status: "A",
    document: arriving("21T08:30")
  },
  {
    name: "an unknown time code of a warehouse order",
    kind: "940",
    lines: order("G62*10*20261121*1*0830*XX", ...marks),
    status: "E",
    words: [["Segment 5 (G62, 3 of its set), element 5", "XX"]]
  },
  // Other times (D23.1)
  {
    name: "times of no field of their own are kept beside",
    kind: "856",
    lines: notice({ DTM: ["DTM*017*20261121*0830", "DTM*011*20261120*0700*UT", "DTM*067*20261122"] }),
    status: "A",
    document: {
      ...arriving("21T13:30"),
      additionalFields: [
        { name: "DTM*011", value: "2026-11-20T07:00:00.000Z" },
        { name: "DTM*067", value: "2026-11-22" }
      ]
    }
  },
  {
    name: "times of a warehouse order are kept beside",
    kind: "940",
    lines: order("G62*38*20261125", "G62*10*20261121", ...marks),
    status: "A",
    document: { ...arriving("21T05:00"), additionalFields: [{ name: "G62*38", value: "2026-11-25" }] }
  },
  {
    name: "a fault in a time that is not kept",
    kind: "856",
    lines: notice({ DTM: ["DTM*017*20261121*0830", "DTM*011*200"] }),
    status: "E",
    document: arriving("21T13:30"),
    words: [["Segment 7 (DTM, 5 of its set), element 2", "a date is expected"]]
  },
  {
    name: "a fault in an element that is not kept",
    kind: "856",
    lines: notice({ BSN: ["BSN*00*ASN-F1*2026*07"] }),
    status: "E",
    words: [["Segment 4 (BSN, 2 of its set), element 3", "a date is expected"]]
  },
  {
    name: "a time of an order, which has no field for it",
    kind: "856",
    lines: notice({ PRF: ["PRF*PO-F1", "DTM*002*20261125"] }),
    status: "E",
    words: [["Segment 9 (DTM", "DTM*002"]]
  },
  // Elements that the reader does not understand (D23.1)
  {
    name: "a segment of goods that is not read",
    kind: "856",
    lines: notice({ SN1: ["SN1**12*CA", "SLN*1**I*12*EA****SK*PART-1"] }),
    status: "E",
    words: [["Segment 14 (SLN", "SLN"]]
  },
  {
    name: "a second quantity and a second product",
    kind: "856",
    lines: notice({ SN1: ["SN1**12*CA", "SN1**3*EA", "LIN**SK*SKU-2"] }),
    status: "E",
    items: [{ sku: "SKU-1", quantity: 12 }],
    words: [["Segment 14 (SN1", "3"], ["Segment 15 (LIN", "SKU-2"]]
  },
  {
    name: "goods of a level that has none",
    kind: "856",
    lines: notice({ MAN: [`MAN*GM*00${plate}`, "LIN**SK*SKU-9"] }),
    status: "E",
    words: [["Segment 11 (LIN", "SKU-9"]]
  },
  {
    name: "a reference of goods that is not kept",
    kind: "856",
    lines: notice({ SN1: ["SN1**12*CA", "REF*SE*SERIAL-1", "REF*PO*PO-9"] }),
    status: "E",
    words: [["Segment 14 (REF", "REF*SE"]]
  },
  {
    name: "names, remarks and transport are passed over",
    kind: "856",
    lines: notice({
      HL2: [],
      DTM: [
        "TD1*CTN*5****G*100*LB",
        "TD5*B*2*SWFT*M",
        "REF*CN*PRO-1",
        "N1*SF*A",
        "N3*1 Way",
        "N4*Troy*NY*12180*US",
        "FOB*PP"
      ]
    }),
    status: "E",
    words: [["Segment 6 (TD1", "1 "]]
  },
  // Units (D23.5)
  {
    name: "a unit that nobody knows",
    kind: "856",
    lines: notice({ SN1: ["SN1**12*LB"] }),
    status: "E",
    items: [{ quantity: 12, quantityUnit: "UNIT" }],
    words: [["Segment 13 (SN1, 11 of its set), element 3", "LB"]]
  },
  {
    name: "a unit of a warehouse order that nobody knows",
    kind: "940",
    lines: order("LX*1", "W01*12*DZ**SK*SKU-1"),
    status: "E",
    items: [{ sku: "SKU-1", quantity: 12, quantityUnit: "UNIT" }],
    words: [["Segment 6 (W01, 4 of its set), element 2", "DZ"]]
  },
  {
    name: "a unit that its partner explains",
    kind: "856",
    lines: notice({ SN1: ["SN1**12*LB"] }),
    place: { units: [{ code: "LB", unit: "PALLET" }] },
    status: "A",
    items: [{ quantity: 12, quantityUnit: "PALLET" }]
  },
  {
    name: "a unit of X12 by which its partner means another",
    kind: "940",
    lines: order("LX*1", "W01*12*PC**SK*SKU-1"),
    place: { units: [{ code: "PC", unit: "CASE" }] },
    status: "A",
    items: [{ quantity: 12, quantityUnit: "CASE" }]
  },
  {
    name: "a purpose that its partner means as new",
    kind: "856",
    lines: notice({ BSN: ["BSN*14*ASN-F1*20261120*0700"] }),
    place: { newPurposes: ["14"] },
    status: "A",
    document: { orderItemUpdateStrategy: "OVERWRITE", shipmentNumber: "ASN-F1" }
  },
  // The order of levels (D23.3)
  {
    name: "levels 0002: a pack below its item",
    kind: "856",
    lines: [
      "BSN*00*A1*20261120*0700*0002",
      "HL*1**S",
      "HL*2*1*O",
      "PRF*PO-1",
      "HL*3*2*I",
      "LIN**SK*S",
      "SN1**12*CA",
      "HL*4*3*P",
      `MAN*GM*00${plate}`
    ],
    status: "A",
    items: [{ lpn: plate, sku: "S", quantity: 12 }]
  },
  {
    name: "levels 0002: packs that say their quantities, without HL02",
    kind: "856",
    lines: [
      "BSN*00*A1*20261120*0700*0002",
      "HL*1**S",
      "HL*2**O",
      "PRF*PO-1",
      "HL*3**I",
      "LIN**SK*S",
      "SN1**12*CA",
      "HL*4**P",
      "MAN*W*P1",
      "SN1**8*CA",
      "HL*5**P",
      "MAN*W*P2",
      "SN1**4*CA",
      "HL*6**I",
      "LIN**SK*T",
      "SN1**2*EA",
      "HL*7**P",
      "MAN*W*P3"
    ],
    status: "A",
    items: [
      { lpn: "P1", sku: "S", quantity: 8 },
      { lpn: "P2", sku: "S", quantity: 4 },
      { lpn: "P3", sku: "T", quantity: 2 }
    ]
  },
  {
    name: "levels 0002: packs of which nothing says how much each has",
    isLoose: true,
    kind: "856",
    lines: [
      "BSN*00*A1*20261120*0700*0002",
      "HL*1**S",
      "HL*2*1*O",
      "PRF*PO-1",
      "HL*3*2*I",
      "LIN**SK*S",
      "SN1**13*CA",
      "HL*4*3*P",
      "MAN*W*P1",
      "HL*5*3*P",
      "MAN*W*P2"
    ],
    status: "E",
    items: [{ sku: "S", quantity: 13, caseSerials: [{ id: "P1" }, { id: "P2" }] }],
    words: [["Segment 8 (HL", "how much"]]
  },
  {
    name: "levels 0003: orders below packs, one of them on two",
    kind: "856",
    lines: [
      "BSN*00*A1*20261120*0700*0003",
      "HL*1**S",
      "HL*2*1*P",
      "MAN*W*P1",
      "HL*3*2*O",
      "PRF*PO-1",
      "HL*4*3*I",
      "LIN**SK*S",
      "SN1**1*CA",
      "HL*5*1*P",
      "MAN*W*P2",
      "HL*6*5*O",
      "PRF*PO-1",
      "HL*7*6*I",
      "LIN**SK*S",
      "SN1**2*CA"
    ],
    status: "A",
    items: [{ lpn: "P1", sku: "S", quantity: 1 }, { lpn: "P2", sku: "S", quantity: 2 }]
  },
  {
    name: "levels 0001 without HL02",
    kind: "856",
    lines: [
      "BSN*00*A1*20261120*0700*0001",
      "HL*1**S",
      "HL*2**O",
      "PRF*PO-1",
      "HL*3**P",
      "MAN*W*P1",
      "HL*4**I",
      "LIN**SK*S",
      "SN1**1*CA",
      "HL*5**P",
      "MAN*W*P2",
      "HL*6**I",
      "LIN**SK*S",
      "SN1**2*CA"
    ],
    status: "A",
    items: [{ lpn: "P1", sku: "S", quantity: 1 }, { lpn: "P2", sku: "S", quantity: 2 }]
  },
  {
    name: "an item below no order",
    kind: "856",
    lines: [
      "BSN*00*A1*20261120*0700",
      "HL*1**S",
      "HL*2*1*P",
      "MAN*W*P1",
      "HL*3*2*I",
      "LIN**SK*S",
      "SN1**1*CA"
    ],
    status: "R",
    words: [["Segment 8 (HL", "no order"]]
  },
  {
    name: "two shipments",
    kind: "856",
    lines: [...notice(), "HL*5**S", "TD5**2*SWFT"],
    status: "R",
    words: [["Segment 14 (HL", "one shipment"]]
  }
]

describe("D23: in the field", () => {
  it.each(cases)("$kind: $name", ({ document, isLoose, items, kind, lines, place, status, words = [] }) => {
    const set = setOf(fileWith(kind, kind === "856" ? "SH" : "OW", lines), { ...east, ...place })
    const faults = wordsOf(set)
    assert.strictEqual(statusOf(set.faults), status, faults.join("\n"))
    for (const [start, text] of words) {
      assert.isTrue(faults.some((each) => each.startsWith(start) && each.includes(text)), faults.join("\n"))
    }
    if (status === "R") return assert.isUndefined(set.meaning)
    if (set.meaning?._tag !== "Document") throw new Error("The set is no document")
    if (document !== undefined) assert.deepInclude(set.meaning.document, document)
    if (items !== undefined) {
      const documentItems = set.meaning.document.orders?.[0]?.items ?? []
      assert.lengthOf(documentItems, items.length)
      for (const [index, item] of items.entries()) {
        assert.deepInclude(documentItems[index], item)
        if (isLoose === true) assert.notProperty(documentItems[index], "lpn")
      }
    }
  })
})
