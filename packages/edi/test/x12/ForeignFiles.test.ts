/** D18.1: files by other authors are read as intended, or are refused with segment, position and remedy. */
import { assert, describe, it } from "vitest"
import { statusOf } from "../../src/sets/SetContent.ts"
import { describe as told } from "../../src/x12/Fault.ts"
import { read } from "../../src/x12/X12Reader.ts"
import { fileOf, setsOf } from "../Files.ts"

/** The readable files: the kind, the control number and the status of each set. */
const files: Readonly<Record<string, ReadonlyArray<string>>> = {
  "EdiEngine/850.OK.edi": ["850 000000010 R"],
  "EdiEngine/856.Crossdock.OK.edi": ["856 0001 E"],
  "EdiEngine/940.OK.edi": ["940 0001 A"],
  "EdiEngine/940.2.OK.edi": ["940 20066 A"],
  "EdiEngine/940.W05.Only.edi": ["940 20066 A"],
  "EdiEngine/940_Failed_SE01.edi": ["940 20066 R"],
  "EdiEngine/AckTest.edi": ["940 20066 A", "940 20067 R", "940 20068 E"],
  "EdiEngine/MultipleInterchangesAndGroups.edi": [
    "940 0001 A",
    "940 0002 A",
    "940 0001 A",
    "940 0001 A",
    "940 0002 A",
    "940 0001 A"
  ],
  "gozer/x12.base.txt": ["AAA 0001 R", "BBB 0002 R", "YYZ 0099 R", "AAA 0003 R"],
  "gozer/x12.base.loop.txt": ["AAA 0001 R", "BBB 0002 R", "YYZ 0099 R", "AAA 0003 R"],
  "gozer/x12.base.no.line.breaks.txt": ["AAA 0001 R", "BBB 0002 R", "YYZ 0099 R", "AAA 0003 R"],
  "gozer/x12.base.no.line.breaks.empty.line.txt": ["AAA 0001 R", "BBB 0002 R", "YYZ 0099 R", "AAA 0003 R"],
  "gozer/x12.base.no.line.breaks.odd.char.txt": ["AAA 0001 R", "BBB 0002 R", "YYZ 0099 R", "AAA 0003 R"],
  "staedi/simple997.edi": ["997 0001 A"],
  "staedi/simple997-multiple-interchanges.edi": ["997 0001 A", "997 0001 A", "997 0001 A"],
  "staedi/optionalInterchangeServices.edi": ["997 0001 A"],
  "staedi/empty997.edi": ["997 0001 R"],
  // An invalid number of a data element is not kept.
  "staedi/invalid997.edi": ["997 0001 E"],
  "staedi/extraDelimiter997.edi": ["997 0001 R"],
  "staedi/simple810.edi": ["810 000000001 R", "810 000000002 R"],
  "staedi/multi-tx-transaction-type.edi": ["855 0001 R", "855 0002 R"],
  "staedi/ts214_ellipses_segterm.edi": ["214 757760001 R"]
}

/** The files that are refused as a whole, with their faults. */
const refusals: Readonly<Record<string, string>> = {
  // The sample of ship notices that circulates: its interchange trailer has the control number of its group.
  "gozer/asn856.txt":
    "Segment 35 (IEA), element 2: the control number of ISA is 000003438, and this is 000000049. Send the same control number in ISA13 and IEA02.",
  "EdiEngine/ControlNumbersMismatch.edi":
    "Segment 9 (IEA), element 2: the control number of ISA is 000003438, and this is 000003439. Send the same control number in ISA13 and IEA02.",
  "EdiEngine/WrongGroupsAndTranCount.edi":
    "Segment 9 (IEA), element 1: the interchange has 1 group. Send all groups, and their number in IEA01.",
  "EdiEngine/NonEdi.edi":
    "Segment 1 (Tk9): an interchange begins with ISA. Send X12 that begins with an ISA segment.",
  "gozer/x12.missing.ISA.txt":
    "Segment 1 (GS*): an interchange begins with ISA. Send X12 that begins with an ISA segment.",
  "gozer/x12.wrong.ISA.txt":
    "Segment 1 (XXX): an interchange begins with ISA. Send X12 that begins with an ISA segment.",
  "gozer/x12.wrong.GS.txt":
    "Segment 2 (XX): GS or IEA is expected here. Send each segment of data between ST and SE, and each set between GS and GE.",
  "gozer/x12.no.line.break.no.delim.txt":
    "Segment 1 (ISA), element 16: a letter, a digit or a space is a delimiter. Send an ISA segment of 106 characters, whose elements have their fixed widths, filled up with spaces.",
  "staedi/simple_with_binary_segment.edi":
    "Segment 4 (BIN): binary segments are not read. Send the interchange without it.",
  // Its lines are cut after 80 characters, even within ISA.
  "staedi/ts210_80char.edi":
    "Segment 1 (ISA), element 10: no element separator stands at character 82. Send an ISA segment of 106 characters, whose elements have their fixed widths, filled up with spaces."
}

describe("D18.1: files of others", () => {
  for (const [name, sets] of Object.entries(files)) {
    it(`reads ${name}`, () => {
      const read = setsOf(fileOf(name)).map(({ faults, set }) =>
        `${set.id} ${set.control} ${statusOf(faults)}`
      )
      assert.deepStrictEqual(read, [...sets])
    })
  }

  for (const [name, words] of Object.entries(refusals)) {
    it(`refuses ${name}`, () => {
      const reading = read(fileOf(name))
      assert.strictEqual(reading._tag === "Failure" ? told(reading.failure) : "taken", words)
    })
  }

  it("names the wrong elements of the sets that EdiEngine rejects, or notes as errors", () => {
    const faults = setsOf(fileOf("EdiEngine/AckTest.edi")).map(({ faults }) => faults.map(told))
    assert.deepStrictEqual(faults, [
      [],
      ["Segment 18 (N9, 7 of its set), element 1: a required element is missing. Send it."],
      ["Segment 25 (W66, 3 of its set), element 6: it has 5 characters. Send at most 2."]
    ])
  })
})
