/** The cost of reading a ship notice: for each level, only its own segments count, whatever stands above and below it. */
import { atOnce } from "@dockline/core/input/Slices"
import { Result } from "effect"
import { assert, describe, it } from "vitest"
import { readShipNotice } from "../../src/sets/ShipNotice.ts"
import { read } from "../../src/x12/X12Reader.ts"
import { east, fileWith, setOf, wordsOf } from "../Files.ts"

const begin = ["BSN*00*S-1*20261120*1700", "HL*1**S", "HL*2*1*O", "PRF*O-1"]

/** A notice of an item in packs: each pack has its quantity, or the given segments instead. */
const inPacks = (
  packs: number,
  item: ReadonlyArray<string>,
  wording: ReadonlyArray<string> = ["SN1**1*CT"]
) =>
  fileWith("856", "SH", [
    ...begin,
    "HL*3*2*I",
    "LIN**VN*X",
    ...item,
    ...Array.from({ length: packs }, (_, index) => [`HL*${index + 4}*3*P`, `MAN*W*P-${index}`, ...wording])
      .flat()
  ])

/** The number of times that the elements of an item's references are read. */
const looksAt = (packs: number): number => {
  const references = Array.from({ length: 20 }, (_, index) => `REF*ZZ*${index}`)
  const [interchange] = Result.getOrThrow(read(inPacks(packs, [`SN1**${packs}*CT`, ...references])))
  const set = interchange!.groups[0]!.sets[0]!
  let looks = 0
  const segments = set.segments.map((segment) =>
    segment.id === "REF"
      ? {
        ...segment,
        get elements() {
          looks++
          return segment.elements
        }
      }
      : segment
  )
  const { meaning } = atOnce(readShipNotice({ ...set, segments }, { ...east, version: "004010" }))
  assert.strictEqual(meaning?._tag === "Document" && meaning.document.orders?.[0]?.items?.length, packs)
  return looks
}

const itemsOf = (text: string) => {
  const { meaning } = setOf(text)
  return meaning?._tag === "Document" ? meaning.document.orders?.[0]?.items : undefined
}

describe("a ship notice", () => {
  it("is read once, however many packs hold an item", () => {
    assert.strictEqual(looksAt(200), looksAt(2))
  })

  it("that nests levels without an end is rejected at the level that comes again", () => {
    const chain = ["T", "I", "T", "I", "T"].flatMap((code, index) => [`HL*${index + 3}*${index + 2}*${code}`])
    const set = setOf(fileWith("856", "SH", [...begin, ...chain]))
    assert.isUndefined(set.meaning)
    assert.include(wordsOf(set)[0], "a level T stands above the level T")
  })

  it("keeps the unit and the words of an item whose packs do not say them", () => {
    for (const packs of [1, 2]) {
      const expected = Array.from({ length: packs }, (_, index) => ({
        sku: "X",
        quantity: packs === 1 ? 12 : 1,
        quantityUnit: "CASE" as const,
        lpn: `P-${index}`
      }))
      const text = inPacks(packs, [`SN1**${packs === 1 ? 12 : packs}*CT`], [])
      assert.sameDeepMembers([...itemsOf(text)!], expected)
      const { meaning } = setOf(text)
      assert.include(JSON.stringify(meaning?._tag === "Document" && meaning.words), "CT")
    }
  })
})
