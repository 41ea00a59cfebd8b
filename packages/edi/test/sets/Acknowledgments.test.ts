/** D18.2: each group is answered by an acknowledgment (997), which reads back as the outcomes of its sets. */
import { atOnce } from "@dockline/core/input/Slices"
import { Result } from "effect"
import { assert, describe, it } from "vitest"
import { readAcknowledgment } from "../../src/sets/Acknowledgments.ts"
import type { Acknowledgment } from "../../src/sets/SetContent.ts"
import { readGroup } from "../../src/sets/SetReader.ts"
import { read } from "../../src/x12/X12Reader.ts"
import type { Release } from "../../src/x12/X12Writer.ts"
import { acknowledge, east, fileOf, fileWith, interchangeOf, setOf, textOf, wordsOf } from "../Files.ts"

/** The lines of the acknowledgments of a file. */
const answers = (text: string, release: Release = "004010"): ReadonlyArray<ReadonlyArray<string>> =>
  Result.getOrThrow(read(text)).flatMap(({ groups }) => groups).map((functionalGroup) => {
    const segments = acknowledge(atOnce(readGroup(functionalGroup, east)), release)
    const text = textOf(interchangeOf("FA", [{ id: "997", segments }], release))
    return text.split("~\n").slice(3, -3)
  })

describe("D18.2: an acknowledgment", () => {
  it("tells of a file of others what EdiEngine tells: accepted, rejected, and accepted with errors noted", () => {
    assert.deepStrictEqual(answers(fileOf("EdiEngine/AckTest.edi")), [
      [
        "AK1*OW*9221",
        "AK2*940*20066",
        "AK5*A",
        "AK2*940*20067",
        "AK3*N9*7**8",
        "AK4*1*128*1",
        "AK5*R*5",
        "AK9*P*2*2*1"
      ],
      ["AK1*OW*9222", "AK2*940*20068", "AK3*W66*3**8", "AK4*6*433*5*43.00", "AK5*E*5", "AK9*E*1*1*1"]
    ])
  })

  it("names the version from 5010 on", () => {
    assert.deepStrictEqual(answers(fileOf("EdiEngine/940.OK.edi"), "005010"), [
      ["AK1*OW*3317*004010", "AK2*940*0001", "AK5*A", "AK9*A*1*1*1"]
    ])
  })

  it("rejects a damaged set by its envelope", () => {
    assert.deepStrictEqual(answers(fileOf("EdiEngine/940_Failed_SE01.edi")), [
      ["AK1*OW*9221", "AK2*940*20066", "AK5*R*4", "AK9*R*1*1*0"]
    ])
  })

  it("rejects a damaged group with all its sets", () => {
    const text = fileOf("EdiEngine/940.OK.edi").replace("GE*1*3317", "GE*2*3317")
    assert.deepStrictEqual(answers(text), [
      ["AK1*OW*3317", "AK2*940*0001", "AK5*R*5", "AK9*R*2*1*0*5"]
    ])
  })

  it("rejects a group of a version that is not read", () => {
    const text = fileOf("EdiEngine/940.OK.edi").replace("T*004010", "T*006020")
    assert.deepStrictEqual(answers(text), [
      ["AK1*OW*3317", "AK2*940*0001", "AK5*R*5", "AK9*R*1*1*0*2"]
    ])
  })

  it("names a segment as a whole", () => {
    const text = fileWith("856", "SH", ["BSN*00*SO-1*20261120*1700", "HL*1**S"])
    assert.deepStrictEqual(answers(text), [
      ["AK1*SH*7", "AK2*856*0001", "AK3*HL*3**3", "AK5*R*5", "AK9*R*1*1*0"]
    ])
  })
})

const acknowledgmentOf = (text: string): Acknowledgment | undefined => {
  const { meaning } = setOf(text)
  return meaning?._tag === "Acknowledged" ? meaning.acknowledgment : undefined
}

describe("D18.2: an acknowledgment that comes", () => {
  it("says what became of each set, with its errors", () => {
    assert.deepStrictEqual(acknowledgmentOf(fileOf("staedi/simple997.edi")), {
      functionalId: "HC",
      control: "000001",
      status: "R",
      includedCount: 1,
      receivedCount: 1,
      acceptedCount: 0,
      sets: [{
        id: "837",
        control: "0021",
        errors: [
          { segmentId: "NM1", segment: 8, element: 0, code: "8", value: "" },
          { segmentId: "NM1", segment: 8, element: 8, code: "7", value: "MI" }
        ],
        status: "R"
      }]
    })
  })

  it("reads as what was written", () => {
    const [lines = []] = answers(fileOf("EdiEngine/AckTest.edi"))
    assert.deepStrictEqual(acknowledgmentOf(fileWith("997", "FA", lines)), {
      functionalId: "OW",
      control: "9221",
      status: "P",
      includedCount: 2,
      receivedCount: 2,
      acceptedCount: 1,
      sets: [
        { id: "940", control: "20066", errors: [], status: "A" },
        {
          id: "940",
          control: "20067",
          errors: [
            { segmentId: "N9", segment: 7, element: 0, code: "8", value: "" },
            { segmentId: "N9", segment: 7, element: 1, code: "1", value: "" }
          ],
          status: "R"
        }
      ]
    })
  })

  it.each([
    ["without AK1", ["AK9*A*1*1*1"], "Segment 4 (AK9, 2 of its set): AK1 is missing. Send AK1 behind ST."],
    ["without AK9", ["AK1*SH*1"], "Segment 4 (AK1, 2 of its set): AK9 is missing. Send AK9 before SE."],
    [
      "without AK5",
      ["AK1*SH*1", "AK2*856*0001", "AK9*A*1*1*1"],
      "Segment 6 (AK9, 4 of its set): AK5 is missing. Send AK5 behind each AK2."
    ],
    [
      "with AK5 alone",
      ["AK1*SH*1", "AK5*A", "AK9*A*1*1*1"],
      "Segment 5 (AK5, 3 of its set), element 1: the code says nothing of a set that was sent. Send A, E, R, or P for a group, behind AK2."
    ],
    [
      "with another status",
      ["AK1*SH*1", "AK9*Q*1*1*1"],
      "Segment 5 (AK9, 3 of its set), element 1: the code says nothing of a set that was sent. Send A, E, R, or P for a group, behind AK2."
    ]
  ])("is rejected %s", (_, lines, words) => {
    const set = setOf(fileWith("997", "FA", lines))
    assert.deepStrictEqual(wordsOf(set), [words])
    assert.isUndefined(set.meaning)
  })

  it("has its faults in the order of its segments", () => {
    const set = setOf(fileWith("997", "FA", ["AK1*SH*1", "AK5*A", "AK9*A*x*1*1"]))
    assert.deepStrictEqual(set.faults.map(({ element, segmentId }) => [segmentId, element]), [
      ["AK5", 1],
      ["AK9", 2]
    ])
  })

  it("is read in slices: however long it is, a step looks at a few of its segments", () => {
    const lines = Array.from({ length: 100 }, (_, index) => [`AK2*856*${index}`, "AK5*A"]).flat()
    const { set } = setOf(fileWith("997", "FA", ["AK1*SH*1", ...lines, "AK9*A*100*100*100"]))
    const ids = new Set<number>()
    const segments = set.segments.map(({ elements, ...segment }) => ({
      ...segment,
      get elements() {
        ids.add(segment.position)
        return elements
      }
    }))
    const steps = readAcknowledgment({ ...set, segments }, "004010")
    const looks: Array<number> = []
    for (let isDone = false; !isDone;) {
      ids.clear()
      isDone = steps.next().done === true
      looks.push(ids.size)
    }
    assert.isAtLeast(looks.length, segments.length)
    assert.isAtMost(Math.max(...looks), 3)
  })
})
