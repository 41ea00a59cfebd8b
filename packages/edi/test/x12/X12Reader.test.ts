/** D18.1: the envelope of a file is checked, and each fault names its place. */
import { atOnce } from "@dockline/core/input/Slices"
import { Result } from "effect"
import { assert, describe, it } from "vitest"
import { describe as told, segment } from "../../src/x12/Fault.ts"
import { defaultLimits } from "../../src/x12/Interchange.ts"
import type { Limits } from "../../src/x12/Interchange.ts"
import { read, X12Reader } from "../../src/x12/X12Reader.ts"
import { interchangeOf, textOf } from "../Files.ts"

const good = textOf(
  interchangeOf("SH", [{ id: "856", segments: [segment("BSN", "00", "SO-1", "20261120", "1700")] }])
)

const groupOf = (text: string) => {
  const [interchange] = Result.getOrThrowWith(read(text), (fault) => new Error(told(fault)))
  return interchange!.groups[0]!
}

const faultOf = (text: string, limits?: Limits): string => {
  const reading = read(text, limits)
  return reading._tag === "Failure" ? told(reading.failure) : "taken"
}

describe("D18.1: an interchange", () => {
  it("is read with its envelope", () => {
    const [interchange] = Result.getOrThrow(read(good))
    const { groups, ...envelope } = interchange!
    assert.deepStrictEqual(envelope, {
      sender: { qualifier: "ZZ", id: "SENDER" },
      receiver: { qualifier: "01", id: "123456789" },
      control: "000000007",
      version: "00401",
      usage: "P",
      date: "261120",
      time: "1700",
      wantsAcknowledgment: false,
      acknowledgments: [],
      notes: [],
      delimiters: { element: "*", component: ">", repetition: "", segment: "~" },
      length: good.length - 6,
      segmentCount: 7,
      start: 0,
      end: good.length
    })
    assert.deepStrictEqual(groups[0]!.sets[0]!.segments, [
      { id: "BSN", elements: ["00", "SO-1", "20261120", "1700"], position: 4, inSet: 2 }
    ])
  })

  it("names its repetition separator in ISA11 from 00402 on", () => {
    const [interchange] = Result.getOrThrow(read(textOf(interchangeOf("SH", [], "005010"))))
    assert.strictEqual(interchange!.delimiters.repetition, "^")
  })

  it("may end its segments with line breaks of any kind, and its last line with the file", () => {
    for (const lineBreak of ["\r\n", "\n", "\r"]) {
      const text = `${good}\n`.replaceAll("~\n", lineBreak)
      assert.strictEqual(groupOf(text).sets.length, 1)
      assert.strictEqual(groupOf(text.slice(0, -lineBreak.length)).sets.length, 1)
    }
  })

  it("may be filled up behind its end, with what ended files of old, or NUL", () => {
    for (const fill of ["\x1a", "\r\n\x1a", "\0\0\0", "\n\x1a\x1a\0\n"]) {
      assert.strictEqual(groupOf(good + fill).sets.length, 1)
      assert.strictEqual(
        groupOf(good.replaceAll("~\n", "\n").slice(0, -1) + fill.replace("\r", "")).sets.length,
        1
      )
      assert.lengthOf(Result.getOrThrow(read(good + fill + good)), 2)
    }
    assert.strictEqual(
      faultOf(`\x1a${good}`),
      "Segment 1 (\x1aIS): an interchange begins with ISA. Send X12 that begins with an ISA segment."
    )
    assert.match(faultOf(good.replace("~\nGE", "~\n\x1aGE")), /^Segment 6 \(.?GE/)
  })

  // Each of these takes minutes with steps of quadratic cost.
  it("is read with very many groups, each of a number of its own", () => {
    const count = 100_000
    const groups = Array.from(
      { length: count },
      (_, index) => `GS*SH*A*B*20261120*1700*${index + 1}*X*004010~GE*0*${index + 1}~`
    )
    const begin = good.slice(0, good.indexOf("GS*"))
    const text = (all: ReadonlyArray<string>) => `${begin}${all.join("")}IEA*${all.length}*000000007~`
    const faulty = (all: ReadonlyArray<string>) =>
      Result.getOrThrow(read(text(all)))[0]!.groups.filter(({ faults }) => faults.length > 0)
    assert.isEmpty(faulty(groups))
    const again = faulty([...groups, groups[0]!.replaceAll("*1*X", "*001*X")])
    assert.deepStrictEqual(again.map(({ control }) => control), ["001"])
  })

  it.each([
    ["an empty file", "", "Segment 1: the file is empty. Send an interchange, from ISA to IEA."],
    ["half an ISA", good.slice(0, 60), "Segment 1 (ISA): the file ends after 60 characters of the segment."],
    ["no IEA", good.slice(0, good.indexOf("IEA")), "Segment 1 (ISA): the interchange has no IEA."],
    [
      "a second ISA within",
      good.replace("GS*", `${good.slice(0, 107)}GS*`),
      "Segment 2 (ISA): the interchange before it has no IEA."
    ],
    [
      "another number in IEA02",
      good.replace("IEA*1*000000007", "IEA*1*000000008"),
      "Segment 7 (IEA), element 2: the control number of ISA is 000000007, and this is 000000008."
    ],
    [
      "another count in IEA01",
      good.replace("IEA*1", "IEA*2"),
      "Segment 7 (IEA), element 1: the interchange has 1 group."
    ],
    [
      "a control number with a letter",
      good.replace("000000007*0", "00000000A*0"),
      "Segment 1 (ISA), element 13: the control number does not have nine digits."
    ],
    [
      "another version",
      good.replace("*00401*", "*0040A*"),
      "Segment 1 (ISA), element 12: the version 0040A does not have five digits."
    ],
    [
      "one delimiter twice",
      good.replace("*P*>~", "*P*~~"),
      "Segment 1 (ISA), element 16: two of the delimiters are the same character."
    ],
    [
      "a space that is missing in ISA",
      good.replace("SENDER  ", "SENDER "),
      "Segment 1 (ISA), element 6: no element separator stands at character 51."
    ],
    [
      "a segment outside of sets",
      good.replace("ST*", "REF*BM*1~\nST*"),
      "Segment 3 (REF): ST or GE is expected here."
    ],
    ["SE without ST", good.replace(/ST\*[^~]*~\n/, ""), "Segment 3 (BSN): ST or GE is expected here."],
    ["something behind IEA", `${good}REF*BM*1~`, "Segment 8 (REF): an interchange begins with ISA."]
  ])("is refused with %s", (_, text, fault) => {
    assert.strictEqual(faultOf(text).slice(0, fault.length), fault)
  })

  it.each([
    ["length", 200, "the file is longer than 200 characters"],
    ["segments", 5, "the file has more than 5 segments"],
    ["segmentLength", 25, "the segment is longer than 25 characters"],
    ["elements", 3, "the segment has 8 elements"],
    ["sets", 0, "the file has more than 0 sets"],
    ["interchanges", 0, "the file has more than 0 interchanges"]
  ])("is refused beyond the limit of %s", (limit, value, detail) => {
    assert.include(faultOf(good, { ...defaultLimits, [limit]: value }), detail)
  })

  it("is refused beyond the segments of a file, in however many interchanges they stand", () => {
    const second = good.replaceAll("000000007", "000000008")
    assert.strictEqual(faultOf(good + second, { ...defaultLimits, segments: 14 }), "taken")
    assert.strictEqual(
      faultOf(good + second, { ...defaultLimits, segments: 13 }),
      "Segment 7: the file has more than 13 segments. Send it in several files."
    )
  })

  it("D23.4 may have an envelope of any version, which is noted: GS08 says the release of its sets", () => {
    for (const version of ["00200", "00204", "00304", "00306", "00602"]) {
      const [interchange] = Result.getOrThrow(read(good.replace("*00401*", `*${version}*`)))
      assert.strictEqual(interchange!.groups[0]!.version, "004010")
      assert.deepStrictEqual(interchange!.notes.map(told), [
        `Segment 1 (ISA), element 12: the envelope is of the version ${version}. Send 00401 or 00501; GS08 says in which release the sets are.`
      ])
    }
  })

  it("names the lines of a segment that goes on over the end of a line", () => {
    const wordsIn = (text: string) => groupOf(text).sets.flatMap(({ faults }) => faults).map(told).join()
    const text = good.replace("SE*3*0001~", "SE*3\n*0002~")
    assert.include(
      wordsIn(text),
      "element 2: the control number of ST is 0001 (the segment stands on lines 5 to 6, as line 5 does not end with the segment terminator)."
    )
    // The lines are those of the file, however many interchanges and empty lines come before, and whatever the line breaks are.
    const cutText = good.replace("IEA*1", "IEA*2\r\n\n")
    assert.include(faultOf(cutText), "the segment stands on lines 7 to 9, as lines 7 to 8 do not end")
    assert.include(faultOf(`${good}\n\n${cutText}`), "lines 15 to 17")
    assert.include(faultOf(cutText.replaceAll("~\n", "~\r\n")), "lines 7 to 9")
    assert.notInclude(faultOf(good.replaceAll("~\n", "\n").replace("IEA*1", "IEA*2")), "line")
  })

  it("D23.6 may say what became of others, before its first group", () => {
    const ta1 = "TA1*000000041*261120*1705*R*024~\n"
    const [interchange] = Result.getOrThrow(read(good.replace("GS*", `${ta1}GS*`).replace("*0*P*", "*1*P*")))
    assert.isTrue(interchange!.wantsAcknowledgment)
    assert.deepStrictEqual(
      interchange!.acknowledgments.map(({ segment, ...each }) => [segment.position, each]),
      [
        [2, { control: "000000041", date: "261120", time: "1705", status: "R", code: "024" }]
      ]
    )
  })

  it("is read no further than it can be valid", () => {
    const reader = new X12Reader()
    assert.isFalse(atOnce(reader.push("no X12")))
    assert.isFalse(atOnce(reader.push(good)))
    assert.isTrue(Result.isFailure(reader.end()))
  })

  it("of 10 MB is read in steps of the cost of a segment", () => {
    const count = Math.floor(9_900_000 / 39)
    const short = textOf(interchangeOf("SH", [{ id: "856", segments: [] }]))
    const long = short.replace("SE*2*", `${`REF*BM*${"x".repeat(30)}~\n`.repeat(count)}SE*${count + 2}*`)
    assert.isAbove(long.length, 9_800_000)
    const reader = new X12Reader()
    let [steps, largest] = [0, 0]
    for (const cost of reader.push(long)) {
      steps++
      largest = Math.max(largest, cost)
    }
    assert.strictEqual(steps, count + 6)
    assert.isBelow(largest, 10)
    assert.strictEqual(Result.getOrThrow(reader.end())[0]!.groups[0]!.sets[0]!.segments.length, count)
  })
})

describe("D18.1: a damaged group or set", () => {
  it.each([
    [
      "another number in GE02",
      good.replace("GE*1*7", "GE*1*8"),
      "Segment 6 (GE), element 2: the control number of GS is 7.",
      "4"
    ],
    [
      "another count in GE01",
      good.replace("GE*1*7", "GE*2*7"),
      "Segment 6 (GE), element 1: the group has 1 set.",
      "5"
    ],
    ["no GE", good.replace("GE*1*7~\n", ""), "Segment 6 (IEA): the group 7 has no GE.", "3"],
    [
      "a control number of letters",
      good.replaceAll("1700*7*X", "1700*A*X"),
      "Segment 2 (GS), element 6: the control number does not have one to nine digits.",
      "6"
    ]
  ])("keeps the fault of a group with %s", (_, text, fault, code) => {
    const { faults: [first] } = groupOf(text)
    assert.strictEqual(told(first!).slice(0, fault.length), fault)
    assert.strictEqual(first!.code, code)
  })

  it("keeps the fault of the second group of a number", () => {
    const group = good.slice(good.indexOf("GS*"), good.indexOf("IEA"))
    const text = good.replace("IEA*1", `${group}IEA*2`)
    const [interchange] = Result.getOrThrow(read(text))
    assert.deepStrictEqual(interchange!.groups.map(({ faults }) => faults.map(({ code }) => code)), [[], [
      "6"
    ]])
  })

  it.each([
    [
      "another number in SE02",
      good.replace("SE*3*0001", "SE*3*0002"),
      "Segment 5 (SE, 3 of its set), element 2: the control number of ST is 0001.",
      "3"
    ],
    [
      "another count in SE01",
      good.replace("SE*3", "SE*4"),
      "Segment 5 (SE, 3 of its set), element 1: the set has 3 segments.",
      "4"
    ],
    ["no SE", good.replace("SE*3*0001~\n", ""), "Segment 5 (GE): the set 0001 has no SE.", "2"],
    [
      "a kind of letters",
      good.replace("ST*856", "ST*ASN"),
      "Segment 3 (ST, 1 of its set), element 1: the kind of set does not have three digits.",
      "6"
    ],
    [
      "a short control number",
      good.replaceAll("0001~", "1~"),
      "Segment 3 (ST, 1 of its set), element 2: the control number does not have four to nine characters.",
      "7"
    ],
    ["a segment without an id", good.replace("BSN*", "*"), "Segment 4: the segment is empty.", "1"]
  ])("keeps the fault of a set with %s", (_, text, fault, code) => {
    const { sets: [set] } = groupOf(text)
    assert.strictEqual(told(set!.faults[0]!).slice(0, fault.length), fault)
    assert.strictEqual(set!.faults[0]!.code, code)
  })
})
