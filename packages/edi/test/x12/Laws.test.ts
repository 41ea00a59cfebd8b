/** Laws of the reader, the writer and the tree, over generated interchanges. */
import { atOnce } from "@dockline/core/input/Slices"
import * as Law from "@dockline/testing/Law"
import { Result } from "effect"
import * as fc from "fast-check"
import { assert, describe, it } from "vitest"
import { segment, SetFaults } from "../../src/x12/Fault.ts"
import type { Delimiters, ElementDraft, SegmentDraft } from "../../src/x12/Fault.ts"
import { readHierarchy, writeHierarchy } from "../../src/x12/Hierarchy.ts"
import type { Level, LevelDraft } from "../../src/x12/Hierarchy.ts"
import { read, X12Reader } from "../../src/x12/X12Reader.ts"
import type { Reading } from "../../src/x12/X12Reader.ts"
import { fits, segmentFaults, write } from "../../src/x12/X12Writer.ts"
import type { GroupDraft, InterchangeDraft, SetDraft } from "../../src/x12/X12Writer.ts"
import { fileOf } from "../Files.ts"

const texts = fc.oneof(
  fc.constantFrom("", "A", "0001", "ÄÖ", "a b", "🚚", "-1.5"),
  fc.string({ unit: "grapheme-ascii", maxLength: 8 })
).map((text) => text.replace(/[*>^~|:!\n]/g, "").trimEnd())

/** Segments that the dictionary does not list, so that they may have any elements. */
const segments: fc.Arbitrary<SegmentDraft> = fc.tuple(
  fc.constantFrom("ZZ", "Z1", "ZA9", "NTE"),
  fc.array(
    fc.oneof<Array<fc.Arbitrary<ElementDraft>>>(texts, fc.array(texts, { minLength: 1, maxLength: 3 })),
    { maxLength: 5 }
  )
).map(([id, elements]) => ({ id, elements }))

const sets = (segments: fc.Arbitrary<SegmentDraft>): fc.Arbitrary<SetDraft> =>
  fc.record({
    id: fc.constantFrom("856", "940", "998"),
    control: fc.integer({ min: 1, max: 9999 }).map((number) => String(number).padStart(4, "0")),
    segments: fc.array(segments, { maxLength: 6 })
  })

const groups: fc.Arbitrary<GroupDraft> = fc.record({
  functionalId: fc.constantFrom("SH", "OW"),
  sender: fc.constantFrom("AA", "SENDER"),
  receiver: fc.constant("RECEIVER"),
  control: fc.integer({ min: 0, max: 999_999_999 }).map(String),
  sets: fc.array(sets(segments), { maxLength: 3 })
})

const delimiters: fc.Arbitrary<Delimiters> = fc.constantFrom(
  { element: "*", component: ">", repetition: "^", segment: "~" },
  { element: "|", component: ":", repetition: "!", segment: "\n" }
)

const interchanges: fc.Arbitrary<InterchangeDraft> = fc.record({
  sender: fc.record({
    qualifier: fc.constantFrom("ZZ", "01"),
    id: fc.constantFrom("SENDER", "X", "123456789012345")
  }),
  receiver: fc.constant({ qualifier: "ZZ", id: "RECEIVER" }),
  date: fc.constant("20261120"),
  time: fc.constant("1700"),
  control: fc.nat(999_999_999),
  release: fc.constantFrom("004010" as const, "005010" as const),
  usage: fc.constantFrom("P" as const, "T" as const),
  groups: fc.uniqueArray(groups, { maxLength: 3, selector: ({ control }) => control }),
  delimiters
})

const withoutEnd = (elements: ReadonlyArray<string>): ReadonlyArray<string> => {
  const last = elements.findLastIndex((element) => element !== "")
  return elements.slice(0, last + 1)
}

/** The elements of a draft, as in a file. */
const standing = ({ elements }: SegmentDraft, { component }: Delimiters): ReadonlyArray<string> =>
  withoutEnd(
    elements.map((element) => typeof element === "string" ? element : withoutEnd(element).join(component))
  )

const textOf = (draft: InterchangeDraft): string =>
  Result.getOrThrowWith(write(draft), (faults) => new Error(JSON.stringify(faults)))

const inChunks = (text: string, cuts: ReadonlyArray<number>): Reading => {
  const reader = new X12Reader()
  let from = 0
  for (
    const at of [
      ...cuts.map((at) => at % (text.length + 1)).sort((left, right) => left - right),
      text.length
    ]
  ) {
    atOnce(reader.push(text.slice(from, at)))
    from = at
  }
  return reader.end()
}

Law.register({ describe, it }, "D18.1: what is written", [
  Law.make("reads as what was given", interchanges, (draft) => {
    const [interchange, ...others] = Result.getOrThrow(read(textOf(draft)))
    assert.isEmpty(others)
    assert.deepInclude(interchange, {
      sender: draft.sender,
      receiver: draft.receiver,
      control: String(draft.control).padStart(9, "0"),
      usage: draft.usage
    })
    assert.deepStrictEqual(
      interchange!.groups.map(({ control, faults, functionalId, sets, version }) => ({
        control,
        faults,
        functionalId,
        version,
        sets: sets.map(({ control, faults, id, segments }) => ({
          control,
          faults,
          id,
          segments: segments.map(({ elements, id }) => ({ id, elements }))
        }))
      })),
      draft.groups.map(({ control, functionalId, sets }) => ({
        control,
        faults: [],
        functionalId,
        version: draft.release,
        sets: sets.map(({ control, id, segments }) => ({
          control,
          faults: [],
          id,
          segments: segments.map((each) => ({ id: each.id, elements: standing(each, draft.delimiters!) }))
        }))
      }))
    )
  })
], { factor: 2 })

const files = [
  "EdiEngine/856.Crossdock.OK.edi",
  "EdiEngine/MultipleInterchangesAndGroups.edi",
  "gozer/asn856.txt",
  "staedi/simple997.edi"
].map(fileOf)

const cuts = fc.array(fc.nat(), { maxLength: 12 })

const [values, releases] = [
  fc.oneof(
    texts,
    fc.string({ unit: fc.constantFrom("A", "z", "0", "-", "*", " ", "\n", "ß"), maxLength: 60 })
  ),
  fc.constantFrom("004010" as const, "005010" as const)
]

Law.register({ describe, it }, "D18.1: a value that fits", [
  Law.make(
    "an element has no fault there",
    fc.tuple(
      fc.constantFrom("BSN", "REF", "LIN", "MAN", "N9", "W06", "W07", "W12", "W17", "ZZ"),
      fc.integer({ min: 1, max: 9 }),
      values,
      releases
    ),
    ([id, element, value, release]) => {
      if (!fits(id, element, value, release)) return
      const draft = segment(id, ...Array.from({ length: element - 1 }, () => ""), value)
      const place = `${id}${String(element).padStart(2, "0")}`
      const faults = atOnce(segmentFaults([draft], release))
      assert.deepStrictEqual(faults.filter((fault) => fault.place === place), [])
    },
    500
  )
])

Law.register({ describe, it }, "D18.1: a file in chunks", [
  Law.make("reads the same however it is cut", fc.tuple(interchanges.map(textOf), cuts), ([text, cuts]) => {
    assert.deepStrictEqual(inChunks(text, cuts), read(text))
  }),
  Law.make(
    "of others reads the same however it is cut",
    fc.tuple(fc.constantFrom(...files), cuts),
    ([text, cuts]) => {
      assert.deepStrictEqual(inChunks(text, cuts), read(text))
    },
    500
  )
])

describe("D18.1: a file in chunks", () => {
  it("reads the same character by character", () => {
    for (const text of files) {
      assert.deepStrictEqual(inChunks(text, Array.from(text, (_, index) => index)), read(text))
    }
  })
})

const trees: fc.Arbitrary<LevelDraft> = fc.letrec<{ level: LevelDraft }>((tie) => ({
  level: fc.record({
    code: fc.constantFrom("S", "O", "T", "P", "I"),
    segments: fc.array(segments, { maxLength: 2 }),
    children: fc.oneof(
      { depthSize: "small", withCrossShrink: true },
      fc.constant([]),
      fc.array(tie("level"), { maxLength: 4 })
    )
  })
})).level

const shapeOf = ({ children, code, segments }: Level | LevelDraft): unknown => ({
  code,
  segments: segments.map(({ id }) => id),
  children: children.map(shapeOf)
})

Law.register({ describe, it }, "D18.1: a tree", [
  Law.make("that is written reads as the same, without cycles and gaps", trees, (tree) => {
    const drafts = writeHierarchy(tree)
    const faults = new SetFaults()
    const read = atOnce(readHierarchy(
      drafts.map(({ elements, id }, index) => ({
        id,
        elements: elements.map(String),
        position: index + 4,
        inSet: index + 2
      })),
      ["CTT"],
      faults
    ))
    assert.isEmpty(faults.faults)
    assert.deepStrictEqual(shapeOf(read.levels[0]!), shapeOf(tree))
  }),
  Law.make(
    "never throws, and has a fault if its numbers are no tree",
    fc.array(fc.tuple(fc.nat(6), fc.nat(6))),
    (numbers) => {
      const faults = new SetFaults()
      const heads = numbers.map(([own, parent], index) => ({
        ...segment("HL", String(own), parent === 0 ? "" : String(parent), "S"),
        elements: [String(own), parent === 0 ? "" : String(parent), "S"],
        position: index + 4,
        inSet: index + 2
      }))
      const { levels } = atOnce(readHierarchy(heads, [], faults))
      const isTree = numbers.every(([own, parent], index) => own === index + 1 && parent < own)
      assert.strictEqual(faults.isRejected, !isTree)
      for (const [index, { parent }] of levels.entries()) {
        if (parent !== undefined) assert.isBelow(levels.indexOf(parent), index)
      }
    },
    500
  )
])
