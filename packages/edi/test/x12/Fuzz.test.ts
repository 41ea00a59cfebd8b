/** Any input is read or refused: nothing throws, and each fault names its place and a remedy. */
import { atOnce } from "@dockline/core/input/Slices"
import * as Law from "@dockline/testing/Law"
import * as fc from "fast-check"
import { assert, describe, it } from "vitest"
import { statusOf } from "../../src/sets/SetContent.ts"
import { readGroup } from "../../src/sets/SetReader.ts"
import { describe as told } from "../../src/x12/Fault.ts"
import type { Fault } from "../../src/x12/Fault.ts"
import { read } from "../../src/x12/X12Reader.ts"
import { write } from "../../src/x12/X12Writer.ts"
import { acknowledge, east, fileOf, fileWith, interchangeOf } from "../Files.ts"

const pallets = fileWith("856", "SH", [
  "BSN*00*SO-1*20261120*1700",
  "HL*1**S*1",
  "DTM*017*20261121*0800",
  "HL*2*1*O*1",
  "PRF*PO-1",
  "HL*3*2*T*1",
  "MAN*GM*00106141411234567897",
  "HL*4*3*P*1",
  "MAN*GM*00106141411234567903",
  "HL*5*4*I*0",
  "LIN**SK*SKU-1",
  "SN1**12*CA",
  "DTM*036*20270131",
  "CTT*5"
])

const files = [
  pallets,
  ...[
    "EdiEngine/856.Crossdock.OK.edi",
    "EdiEngine/940.OK.edi",
    "EdiEngine/AckTest.edi",
    "staedi/simple997.edi"
  ].map(fileOf)
]

const isGood = (fault: Fault): void => {
  assert.match(told(fault), /^Segment \d+.*: .+\. [A-Z].*\.$/s)
  assert.notStrictEqual(fault.code, "")
}

/** Reads a file, checks its faults, and answers it. */
const take = (text: string): void => {
  const reading = read(text)
  if (reading._tag === "Failure") {
    isGood(reading.failure)
    return
  }
  for (const functionalGroup of reading.success.flatMap(({ groups }) => groups)) {
    const { group, sets } = atOnce(readGroup(functionalGroup, east))
    for (const fault of [...group.faults, ...sets.flatMap(({ faults }) => faults)]) isGood(fault)
    for (const { faults, meaning } of sets) {
      // A set without a meaning is rejected, by itself or with its group.
      if (meaning === undefined) assert.isTrue(statusOf(faults) === "R" || group.faults.length > 0)
      else assert.notStrictEqual(statusOf(faults), "R")
    }
    for (const release of ["004010", "005010"] as const) {
      const segments = acknowledge({ group, sets }, release)
      const text = write(interchangeOf("FA", [{ id: "997", segments }], release))
      assert.strictEqual(text._tag, "Success", JSON.stringify(text))
      if (text._tag === "Success") assert.strictEqual(read(text.success)._tag, "Success")
    }
  }
}

const marks = fc.constantFrom(
  "~",
  "*",
  "\n",
  "\r\n",
  ">",
  "^",
  "~\n~\n",
  "*****",
  " ",
  "\0",
  "\ufeff",
  "\ud800",
  "🚚",
  "00",
  "99999999",
  "-1",
  "1e9",
  "X",
  "HL*1*1*S~\n",
  "HL*0**I~\n",
  "HL*99999999999999999*1*I~\n",
  "LIN**SK*S~\n",
  "MAN*GM*1~\n",
  "SE*1*0001~\n",
  "ST*856*0001~\n",
  "GE*1*7~\n",
  "GS*SH*A*B*20261120*1700*7*X*004010~\n",
  "IEA*1*000000007~\n",
  "DTM*017*00010101*0000~\n",
  "DTM*017*99991231*2359~\n",
  "SN1**1*XX~\n",
  "BSN*01*X1*20261120*1700~\n",
  "TA1*1~\n",
  "__proto__",
  "constructor"
)

const edits = fc.array(
  fc.record({ at: fc.nat(), length: fc.oneof(fc.nat(3), fc.nat(60)), put: fc.oneof(marks, fc.constant("")) }),
  { minLength: 1, maxLength: 5 }
)

const editText = (
  text: string,
  list: ReadonlyArray<{ readonly at: number; readonly length: number; readonly put: string }>
): string =>
  list.reduce((text, { at, length, put }) => {
    const place = at % (text.length + 1)
    return text.slice(0, place) + put + text.slice(place + length)
  }, text)

Law.register({ describe, it }, "D18.1: any file is taken or refused", [
  Law.make("of random characters", fc.string({ unit: "binary", maxLength: 300 }), take, 1000),
  Law.make(
    "that begins as one",
    fc.string({ unit: "binary-ascii", maxLength: 300 }),
    (text) => take(pallets.slice(0, 130) + text),
    1000
  ),
  Law.make(
    "that was damaged",
    fc.tuple(fc.constantFrom(...files), edits),
    ([text, edits]) => take(editText(text, edits)),
    4000
  ),
  Law.make(
    "whose lines were mixed up",
    fc.constantFrom(...files).chain((text) => {
      const lines = text.split("\n")
      return fc.array(fc.constantFrom(...lines.slice(3)), { maxLength: 20 }).map((input) =>
        [...lines.slice(0, 3), ...input, `SE*${input.length + 2}*0001~`, "GE*1*7~", "IEA*1*000000007~"].join(
          "\n"
        )
      )
    }),
    take,
    2000
  )
])

describe("D18.1: a file that was cut off", () => {
  it("is refused, wherever", () => {
    for (const text of files) {
      for (let end = 0; end < text.trimEnd().length - 1; end++) {
        const reading = read(text.slice(0, end))
        assert.strictEqual(reading._tag, "Failure", text.slice(Math.max(0, end - 20), end))
        take(text.slice(0, end))
      }
    }
  })
})
