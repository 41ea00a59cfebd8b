/**
 * What is wrong with envelopes: with ISA and IEA, GS and GE, ST and SE.
 */
import { countOf, faultOf, groupCodes, interchangeCodes, segmentCodes, setCodes } from "./Fault.ts"
import type { Fault, FaultText } from "./Fault.ts"
import { elementOf, noSegment } from "./Segment.ts"
import type { Segment } from "./Segment.ts"

/** A number without the zeros before it, which say nothing; other text as it is. */
export const plainNumber = (text: string): string => /^\d+$/.test(text) ? text.replace(/^0+(?=\d)/, "") : text

const isSameNumber = (left: string, right: string): boolean => plainNumber(left) === plainNumber(right)

type Rule = Pick<FaultText, "scope" | "element" | "code" | "remedy">

const rules = (scope: Fault["scope"]) => (element: number, code: string, remedy: string): Rule => ({
  scope,
  element,
  code,
  remedy
})

const [file, group, set] = [rules("INTERCHANGE"), rules("GROUP"), rules("SET")]

/** What holds for each part of an envelope: the element, the code of a fault, and the remedy. */
const envelope = {
  version: file(12, interchangeCodes.version, "Send a version such as 00401."),
  release: file(
    12,
    interchangeCodes.version,
    "Send 00401 or 00501; GS08 says in which release the sets are."
  ),
  number: file(13, interchangeCodes.number, "Send a control number of nine digits."),
  control: file(2, interchangeCodes.control, "Send the same control number in ISA13 and IEA02."),
  groups: file(1, interchangeCodes.count, "Send the number of groups in IEA01, and no group less."),
  end: file(0, interchangeCodes.end, "Send the whole interchange, from ISA to IEA."),
  size: file(0, interchangeCodes.size, "Send them in several files."),
  groupNumber: group(6, groupCodes.number, "Send a control number of at most nine digits."),
  groupNumberUsed: group(6, groupCodes.number, "Number each group anew."),
  kind: set(1, setCodes.id, "Send the kind of the set, such as 856."),
  setNumber: set(2, setCodes.number, "Send a control number such as 0001.")
}

/** What holds for the end of a group and of a set. */
const trailers = {
  group: {
    head: "GS",
    id: "GE",
    entry: "set",
    end: group(0, groupCodes.noTrailer, "End each group with GE."),
    control: group(2, groupCodes.control, "Send the same control number in GS06 and GE02."),
    count: group(1, groupCodes.count, "Send the number of sets in GE01, and no set less.")
  },
  set: {
    head: "ST",
    id: "SE",
    entry: "segment",
    end: set(0, setCodes.noTrailer, "End each set with SE."),
    control: set(2, setCodes.control, "Send the same control number in ST02 and SE02."),
    count: set(
      1,
      setCodes.count,
      "Send the number of segments in SE01, ST and SE among them, and no segment less."
    )
  }
}

const envelopeFault = (rule: keyof typeof envelope, at: Segment, detail: string): Fault =>
  faultOf(at, { ...envelope[rule], detail })

export const placeFault = (at: Segment, detail: string, remedy: string): Fault =>
  faultOf(at, { scope: "INTERCHANGE", code: interchangeCodes.structure, detail, remedy })

export const tooMany = (at: Segment, limit: number, things: string): Fault =>
  envelopeFault("size", at, `the file has more than ${limit} ${things}`)

export const isaFault = (isa: Segment): Fault | undefined => {
  const version = elementOf(isa, 12)
  if (!/^\d{5}$/.test(version)) {
    return envelopeFault("version", isa, `the version ${version} has not five digits`)
  }
  return /^\d{9}$/.test(elementOf(isa, 13))
    ? undefined
    : envelopeFault("number", isa, "the control number has not nine digits")
}

/** What is noted of the beginning of an interchange: GS08 says the release of its sets, and ISA12 that of the envelope alone (D23.6). */
export const isaNotes = (isa: Segment): ReadonlyArray<Fault> => {
  const version = elementOf(isa, 12)
  return /^00[45]0\d$/.test(version)
    ? []
    : [{ ...envelopeFault("release", isa, `the envelope is of the version ${version}`), isNoted: true }]
}

export const ieaFault = (iea: Segment, control: string, groups: number): Fault | undefined => {
  if (!isSameNumber(elementOf(iea, 2), control)) {
    return envelopeFault(
      "control",
      iea,
      `the control number of ISA is ${control}, and this is ${elementOf(iea, 2)}`
    )
  }
  return isSameNumber(elementOf(iea, 1), String(groups))
    ? undefined
    : envelopeFault("groups", iea, `the interchange has ${countOf(groups, "group")}`)
}

/** What is wrong with a file that has ended, by its last ISA. */
export const endFault = (isa: Segment | undefined): Fault =>
  isa === undefined
    ? placeFault(noSegment, "the file is empty", "Send an interchange, from ISA to IEA.")
    : envelopeFault("end", isa, "the interchange has no IEA")

/** What is wrong with the beginning of a group, beside others of these control numbers, without zeros before them. */
export const gsFaults = (gs: Segment, others: ReadonlySet<string>): ReadonlyArray<Fault> => {
  const control = elementOf(gs, 6)
  if (!/^\d{1,9}$/.test(control)) {
    return [envelopeFault("groupNumber", gs, "the control number is not of one to nine digits")]
  }
  return others.has(plainNumber(control))
    ? [envelopeFault("groupNumberUsed", gs, "another group of the interchange has the control number")]
    : []
}

export const stFaults = (st: Segment): ReadonlyArray<Fault> => [
  ...(/^\d{3}$/.test(elementOf(st, 1))
    ? []
    : [envelopeFault("kind", st, "the kind of set is not of three digits")]),
  ...(/^[A-Za-z0-9]{4,9}$/.test(elementOf(st, 2))
    ? []
    : [envelopeFault("setNumber", st, "the control number has not four to nine characters")])
]

/** What is wrong with the end of a group or a set, at its trailer or at the segment that shows that there is none. */
export const trailerFaults = (
  what: keyof typeof trailers,
  at: Segment,
  isEnd: boolean,
  control: string,
  entries: number
): ReadonlyArray<Fault> => {
  const { count, entry, head, id, ...trailer } = trailers[what]
  if (!isEnd) return [faultOf(at, { ...trailer.end, detail: `the ${what} ${control} has no ${id}` })]
  return [
    ...(isSameNumber(elementOf(at, 2), control)
      ? []
      : [faultOf(at, { ...trailer.control, detail: `the control number of ${head} is ${control}` })]),
    ...(isSameNumber(elementOf(at, 1), String(entries))
      ? []
      : [faultOf(at, { ...count, detail: `the ${what} has ${countOf(entries, entry)}` })])
  ]
}

export const idFault = (segment: Segment): Fault =>
  faultOf(segment, {
    code: segmentCodes.unrecognized,
    detail: segment.id === ""
      ? "the segment is empty"
      : "a segment begins with two or three capital letters and digits",
    remedy: "Send segments whose data hold neither the segment terminator nor line breaks."
  })
