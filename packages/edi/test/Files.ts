/** Files of X12 for tests: samples by other authors, and files that tests compose. */
import { atOnce } from "@dockline/core/input/Slices"
import { Result } from "effect"
import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { acknowledgeSteps, errorRoom } from "../src/sets/Acknowledgments.ts"
import type { SetPlace } from "../src/sets/SetContent.ts"
import type { ReadGroup, ReadSet } from "../src/sets/SetReader.ts"
import { readSets } from "../src/sets/SetReader.ts"
import { describe as told } from "../src/x12/Fault.ts"
import type { SegmentDraft } from "../src/x12/Fault.ts"
import { write } from "../src/x12/X12Writer.ts"
import type { InterchangeDraft, Release } from "../src/x12/X12Writer.ts"

/** The text of a sample by another author. */
export const fileOf = (name: string): string =>
  readFileSync(fileURLToPath(new URL(`fixtures/${name}`, import.meta.url)), "utf8")

/** The place for which the sets of these tests are meant. */
export const east = { business: "acme", facility: "east", timeZone: "America/New_York" }

/** An interchange with one group of sets. */
export const interchangeOf = (
  functionalId: string,
  sets: ReadonlyArray<{ readonly id: string; readonly segments: ReadonlyArray<SegmentDraft> }>,
  release: Release = "004010"
): InterchangeDraft => ({
  sender: { qualifier: "ZZ", id: "SENDER" },
  receiver: { qualifier: "01", id: "123456789" },
  date: "20261120",
  time: "1700",
  control: 7,
  release,
  usage: "P",
  groups: [{
    functionalId,
    sender: "SENDER",
    receiver: "123456789",
    control: "7",
    sets: sets.map(({ id, segments }, index) => ({
      id,
      control: String(index + 1).padStart(4, "0"),
      segments
    }))
  }]
})

/** The segments of the acknowledgment of a group. */
export const acknowledge = (
  { group, sets }: ReadGroup,
  release: Release = "004010"
): ReadonlyArray<SegmentDraft> =>
  atOnce(acknowledgeSteps(group, sets.map(({ faults, set }) => ({ ...set, faults })), release, errorRoom()))

/** The text of a valid interchange. */
export const textOf = (draft: InterchangeDraft): string =>
  Result.getOrThrowWith(write(draft), (faults) => new Error(JSON.stringify(faults)))

/** The sets of a file that must not be refused. */
export const setsOf = (text: string, place: Omit<SetPlace, "version"> = east): ReadonlyArray<ReadSet> =>
  Result.getOrThrowWith(readSets(text, place), (fault) => new Error(told(fault))).flatMap(({ sets }) => sets)

/** A file with one set, made from the lines of its segments. */
export const fileWith = (
  id: string,
  group: string,
  lines: ReadonlyArray<string>
): string =>
  [
    "ISA*00*          *00*          *ZZ*SENDER         *01*123456789      *261120*1700*U*00401*000000007*0*P*>",
    `GS*${group}*SENDER*123456789*20261120*1700*7*X*004010`,
    `ST*${id}*0001`,
    ...lines,
    `SE*${lines.length + 2}*0001`,
    "GE*1*7",
    "IEA*1*000000007"
  ].map((line) => `${line}~\n`).join("")

/** The lines of a ship notice: an order with a pallet of 5, 6, … cases for each of the LPNs. */
export const noticeOf = (
  number: string,
  lpns: ReadonlyArray<string>,
  { order = `PO-${number}`, purpose = "00", quantity }: {
    readonly order?: string
    readonly purpose?: string
    /** The quantity on each pallet instead. */
    readonly quantity?: string
  } = {}
): ReadonlyArray<string> => [
  `BSN*${purpose}*${number}*20261120*1700`,
  "HL*1**S",
  "DTM*017*20261121*0830",
  "HL*2*1*O",
  `PRF*${order}`,
  ...lpns.flatMap((lpn, index) => [
    `HL*${3 + 2 * index}*2*T`,
    `MAN*W*${lpn}`,
    `HL*${4 + 2 * index}*${3 + 2 * index}*I`,
    `LIN**SK*SKU-${index + 1}`,
    `SN1**${quantity ?? index + 5}*CA`
  ])
]

/** A file with a group of several sets. */
export const fileOfSets = (
  id: string,
  group: string,
  [first = [], ...others]: ReadonlyArray<ReadonlyArray<string>>
): string => {
  const more = others.map((lines, index) => {
    const control = String(index + 2).padStart(4, "0")
    return [`ST*${id}*${control}`, ...lines, `SE*${lines.length + 2}*${control}`].map((line) => `${line}~\n`)
      .join("")
  })
  return fileWith(id, group, first).replace("GE*1", () => `${more.join("")}GE*${others.length + 1}`)
}

/** The only set of a file. */
export const setOf = (text: string, place: Omit<SetPlace, "version"> = east): ReadSet => {
  const [set, ...others] = setsOf(text, place)
  if (set === undefined || others.length > 0) throw new Error("The file has not one set")
  return set
}

/** The faults of a set in words. */
export const wordsOf = ({ faults }: Pick<ReadSet, "faults">): ReadonlyArray<string> => faults.map(told)
