/**
 * D23.1: no goods, time or answer is dropped under an A: the content of each segment is in the document, or the segment is named in a note,
 * or the set is rejected.
 */
import * as Law from "@dockline/testing/Law"
import * as fc from "fast-check"
import { assert, describe, it } from "vitest"
import type { ReadSet } from "../../src/sets/SetReader.ts"
import { fileWith, setOf, wordsOf } from "../Files.ts"

/** A segment with goods, a time or an answer, and the part of its text that is kept if the reader understands the segment. */
interface Carrier {
  readonly line: string
  /** A text that occurs nowhere else in the set. */
  readonly mark: string
}

/** Texts that are unique within a set, with very high probability. */
const marks = fc.integer({ min: 1_000_000_000, max: 2_000_000_000 }).map((number) => `X${number}`)

const numbers = fc.integer({ min: 1_000_000, max: 9_000_000 }).map(String)

const codes = (...allowedCodes: ReadonlyArray<string>) =>
  fc.oneof(
    { weight: 5, arbitrary: fc.constantFrom(...allowedCodes) },
    { weight: 1, arbitrary: fc.string({ unit: fc.constantFrom("Q", "Z", "7"), minLength: 2, maxLength: 2 }) }
  )

const units = codes("EA", "CA", "CT", "PL", "LB", "DZ")

const days = fc.integer({ min: 0, max: 300 }).map((day) => {
  const date = new Date(Date.UTC(2026, 0, 1) + 86_400_000 * day)
  return [date.toISOString().slice(0, 10), date.toISOString().slice(0, 10).replaceAll("-", "")] as const
})

const carrier = (line: string, mark: string): Carrier => ({ line, mark })

const goods = (quantity: string, id: "LIN" | "W01", qualifier: string, sku: string, unit: string) =>
  id === "LIN"
    ? [carrier(`LIN**${qualifier}*${sku}`, sku), carrier(`SN1**${quantity}*${unit}`, quantity)]
    : [carrier(`W01*${quantity}*${unit}**${qualifier}*${sku}`, sku)]

const unknown = fc.tuple(fc.constantFrom("SLN", "QTY", "PO4", "PAL", "ZZZ", "W20", "SDQ"), marks).map((
  [id, mark]
) => carrier(`${id}*1*${mark}`, mark))

const references = (id: string) =>
  fc.tuple(codes("LT", "SE", "BT"), marks).filter(([qualifier]) =>
    /^[A-Z]{2}$/.test(qualifier) && !/[QZ]/.test(qualifier)
  )
    .map(([qualifier, mark]) => carrier(`${id}*${qualifier}*${mark}`, mark))

const plates = fc.tuple(codes("GM", "AA", "W", "CP", "ZZ", "SM", "UC"), marks).map(([qualifier, mark]) =>
  carrier(`MAN*${qualifier}*${mark}`, mark)
)

const times = fc.tuple(
  codes("017", "067", "011", "002", "036", "094").map((code) => code.padStart(3, "0")),
  days
)
  .map(([qualifier, [day, date]]) => carrier(`DTM*${qualifier}*${date}`, day))

/** Segments of an item or of a level above it, in any order; some do not belong there. */
const others = fc.oneof(unknown, references("REF"), plates, times)

const itemGoods = fc.tuple(numbers, codes("SK", "VN", "UP", "CB"), marks, units).map((
  [quantity, qualifier, sku, unit]
) => goods(quantity, "LIN", qualifier, sku, unit))

const level = (code: string, own: fc.Arbitrary<ReadonlyArray<Carrier>>) =>
  fc.tuple(fc.constant(code), own, fc.array(others, { maxLength: 3 }))
    .chain(([code, own, more]) =>
      fc.shuffledSubarray([...own, ...more], { minLength: own.length + more.length })
        .map((segments) => ({ code, segments }))
    )

const trees = fc.tuple(
  fc.constantFrom("SOTI", "SOTPI", "SOPI", "SOI", "SOIP", "SPOI", "STOI"),
  fc.boolean(),
  fc.constantFrom("", "0001", "0002", "0003", "0004", "ZZZZ"),
  fc.array(
    fc.record({
      S: level("S", fc.constant([])),
      O: level("O", fc.constant([])),
      T: level("T", plates.map((plate) => [plate])),
      P: level("P", plates.map((plate) => [plate])),
      I: level("I", fc.oneof(itemGoods, fc.tuple(itemGoods, itemGoods).map((both) => both.flat())))
    }),
    { minLength: 1, maxLength: 3 }
  )
).map(([shape, hasParents, structure, parts]) => {
  const lines: Array<string> = [`BSN*00*ASN-1*20261120*0700*${structure}`]
  const carriers: Array<Carrier & { readonly inSet: number }> = []
  const put = (...segments: ReadonlyArray<Carrier>) => {
    for (const segment of segments) {
      lines.push(segment.line)
      carriers.push({ ...segment, inSet: lines.length + 1 })
    }
  }
  let number = 0
  let root = 0
  for (const [index, part] of parts.entries()) {
    let above = root
    for (const code of index === 0 ? shape : shape.slice(1)) {
      const { segments } = part[code as keyof typeof part]
      lines.push(`HL*${++number}*${hasParents && above > 0 ? above : ""}*${code}`)
      above = number
      if (code === "S") root = number
      if (code === "O") lines.push(`PRF*PO-${index}`)
      put(...segments)
    }
  }
  return { kind: "856", group: "SH", lines, carriers }
})

const lines940 = fc.array(
  fc.tuple(
    fc.array(fc.oneof(plates, unknown), { maxLength: 2 }),
    fc.array(
      fc.tuple(
        fc.tuple(numbers, codes("SK", "VN", "UP"), marks, units),
        fc.array(
          fc.oneof(references("N9"), plates, unknown, marks.map((mark) => carrier(`N9*LV*${mark}`, mark))),
          { maxLength: 3 }
        )
      ),
      { minLength: 1, maxLength: 3 }
    )
  ),
  { maxLength: 3 }
)

const orders = fc.tuple(
  fc.array(
    fc.tuple(codes("10", "02", "37", "38"), days).map(([code, [day, date]]) =>
      carrier(`G62*${code}*${date}`, day)
    ),
    { maxLength: 3 }
  ),
  lines940
).map(([dates, expectedCarriers]) => {
  const lines: Array<string> = ["W05*N*SO-1"]
  const carriers: Array<Carrier & { readonly inSet: number }> = []
  const put = (...segments: ReadonlyArray<Carrier>) => {
    for (const segment of segments) {
      lines.push(segment.line)
      carriers.push({ ...segment, inSet: lines.length + 1 })
    }
  }
  put(...dates)
  for (const [index, [before, items]] of expectedCarriers.entries()) {
    lines.push(`LX*${index + 1}`)
    put(...before)
    for (const [[quantity, qualifier, sku, unit], behind] of items) {
      put(...goods(quantity, "W01", qualifier, sku, unit), ...behind)
    }
  }
  return { kind: "940", group: "OW", lines, carriers }
})

const acknowledgments = fc.tuple(
  fc.array(
    fc.oneof(
      fc.tuple(codes("A", "E", "R", "M"), codes("5", "4", "7")).map(([status, code]) => [
        "AK2*856*0001",
        `AK5*${status}*${code}`
      ]),
      marks.map((mark) => ["AK2*856*0001", "AK3*LIN*4**8", `AK4*3*234*7*${mark}`, "AK5*R*5"]),
      marks.map((mark) => ["AK3*LIN*4**8", `AK4*3*234*7*${mark}`]),
      marks.map((mark) => [`ZZZ*${mark}`])
    ),
    { maxLength: 4 }
  ),
  codes("A", "E", "R", "P"),
  codes("1", "5")
).map(([parts, status, code]) => {
  const lines = ["AK1*SH*7", ...parts.flat(), `AK9*${status}*1*1*1*${code}`]
  const carriers = lines.flatMap((line, index) => {
    const mark = /X\d{10}/.exec(line)?.[0]
    const group = line.startsWith("AK9") ? code : undefined
    return mark === undefined && group === undefined
      ? []
      : [{ line, mark: mark ?? `"${group}"`, inSet: index + 2 }]
  })
  return { kind: "997", group: "FA", lines, carriers }
})

const textOf = ({ meaning }: ReadSet): string =>
  JSON.stringify(meaning?._tag === "Acknowledged" ? meaning.acknowledgment.sets : meaning)

Law.register({ describe, it }, "D23.1: of what carries goods, time or an answer", [
  Law.make(
    "nothing is dropped under an A",
    fc.oneof(trees, orders, acknowledgments),
    ({ carriers, group, kind, lines }) => {
      const set = setOf(fileWith(kind, group, lines))
      if (set.meaning === undefined) return assert.isNotEmpty(set.faults)
      const text = textOf(set)
      const positions = new Set(set.faults.map(({ inSet }) => inSet))
      for (const { inSet, line, mark } of carriers) {
        assert.isTrue(
          text.includes(mark) || positions.has(inSet),
          `${line} of\n${lines.join("\n")}\nis not in ${text}`
        )
      }
    },
    2000
  )
])

describe("D23.1: what a document cannot say is noted", () => {
  const notice = (purpose: string, ...lines: ReadonlyArray<string>) =>
    fileWith("856", "SH", [`BSN*${purpose}*S-1*20261120*1700`, "HL*1**S", "HL*2*1*O", "PRF*PO-1", ...lines])
  const order = (...lines: ReadonlyArray<string>) => fileWith("940", "OW", ["W05*N*SO-1", ...lines])
  const item = ["HL*3*2*I", "LIN**SK*A"]

  it.each([
    [
      "a change of a quantity to 0",
      notice("04", "HL*3*2*T", "MAN*W*P-1", "HL*4*3*I", "LIN**SK*A", "SN1**0*CA"),
      "element 2: a change cannot make a quantity 0: what is expected of the item stays as it is"
    ],
    [
      "an order that an item names",
      notice("00", ...item, "SN1**1*CA", "PRF*PO-2"),
      "names PO-2, and stands below PO-1"
    ],
    [
      "a reference of an item to an order",
      notice("00", ...item, "SN1**1*CA", "REF*OQ*PO-2"),
      "what REF*OQ says (PO-2)"
    ],
    [
      "a second number of an order",
      notice("00", "REF*OQ*A", "REF*OQ*B", ...item, "SN1**1*CA"),
      "what REF*OQ says (B)"
    ],
    ["a sum of a notice that is no whole number", notice("00", ...item, "SN1**7.5*LB"), "are 7.5 in all"],
    [
      "a sum of an order that is no whole number",
      order("LX*1", "W01*2.5*CA**SK*A", "LX*2", "W01*0.25*CA**SK*B"),
      "element 1: the lines are 2.75 in all"
    ],
    ["a total that the lines are not", order("LX*1", "W01*5*CA**SK*A", "W76*100"), "the lines are 5 in all"],
    [
      "a total of none that the lines are not",
      order("LX*1", "W01*5*CA**SK*A", "W76*0"),
      "the lines are 5 in all"
    ],
    ["a second load", order("N9*LO*L-1", "N9*LO*L-2", "LX*1", "W01*5*CA**SK*A"), "what N9*LO says (L-2)"],
    ["a load of a line", order("LX*1", "N9*LO*L-2", "W01*5*CA**SK*A"), "what N9*LO says (L-2)"],
    ["a load behind goods", order("LX*1", "W01*5*CA**SK*A", "N9*LO*L-2"), "what N9*LO says (L-2)"]
  ])("%s", (_, text, words) => {
    const set = setOf(text)
    assert.isDefined(set.meaning)
    const faults = wordsOf(set).filter((fault) => !/stands on no marked pallet|unit LB/.test(fault))
    assert.lengthOf(faults, 1, faults.join("\n"))
    assert.include(faults[0], words)
  })

  it.each([
    ["a total that the lines are", order("LX*1", "W01*5*CA**SK*A", "W76*5")],
    ["a total without lines", order("W76*5")],
    ["a total of none without lines", order("W76*0")],
    ["the load of the order, again", order("N9*LO*L-1", "LX*1", "N9*LO*L-1", "W01*5*CA**SK*A", "N9*LO*L-1")],
    [
      "the order of an item, again",
      notice(
        "00",
        "REF*OQ*O-1",
        "HL*3*2*T",
        "MAN*W*P-1",
        "HL*4*3*I",
        "LIN**SK*A",
        "SN1**1*CA",
        "PRF*PO-1",
        "REF*OQ*O-1"
      )
    ]
  ])("but not %s", (_, text) => assert.deepStrictEqual(wordsOf(setOf(text)), []))
})
