/**
 * What is wrong with envelopes: with ISA and IEA, GS and GE, ST and SE.
 */
import { faultOf, groupCodes, interchangeCodes, segmentCodes, setCodes } from "./Fault.ts"
import type { Fault } from "./Fault.ts"
import { elementOf } from "./Segment.ts"
import type { Segment } from "./Segment.ts"

/** A number without the zeros before it, which say nothing; other text as it is. */
export const plainNumber = (text: string): string => /^\d+$/.test(text) ? text.replace(/^0+(?=\d)/, "") : text

/** Whether two numbers are the same, with or without zeros before them. */
const isSameNumber = (left: string, right: string): boolean => plainNumber(left) === plainNumber(right)

/** A number of things, in words. */
const counted = (count: number, thing: string): string => `${count} ${thing}${count === 1 ? "" : "s"}`

/** Makes the faults of a scope, of an element of a segment or of the segment as a whole. */
const faults =
  (scope: Fault["scope"]) =>
  (at: Segment, element: number, code: string, detail: string, remedy: string): Fault =>
    faultOf(at, {
      scope,
      element,
      code,
      value: element === 0 ? "" : elementOf(at, element),
      detail,
      remedy
    })

/** Refuses a file by a segment. */
export const refusal = faults("INTERCHANGE")

const groupFault = faults("GROUP")

const setFault = faults("SET")

/** Refuses a file for the place of a segment. */
export const misplaced = (at: Segment, detail: string, remedy: string): Fault =>
  refusal(at, 0, interchangeCodes.structure, detail, remedy)

/** Refuses a file with more of something than may be. */
export const tooMany = (at: Segment, limit: number, things: string): Fault =>
  refusal(
    at,
    0,
    interchangeCodes.size,
    `the file has more than ${limit} ${things}`,
    "Send them in several files."
  )

/** What is wrong with the beginning of an interchange. */
export const isaFault = (isa: Segment): Fault | undefined => {
  if (!/^00[45]0\d$/.test(elementOf(isa, 12))) {
    const detail = `the version ${elementOf(isa, 12)} is not read`
    return refusal(
      isa,
      12,
      interchangeCodes.version,
      detail,
      "Send an interchange of version 00401 or 00501."
    )
  }
  return /^\d{9}$/.test(elementOf(isa, 13))
    ? undefined
    : refusal(
      isa,
      13,
      interchangeCodes.number,
      "the control number has not nine digits",
      "Send a control number of nine digits."
    )
}

/** What is wrong with the end of an interchange. */
export const ieaFault = (iea: Segment, control: string, groups: number): Fault | undefined => {
  if (!isSameNumber(elementOf(iea, 2), control)) {
    const detail = `the control number of ISA is ${control}, and this is ${elementOf(iea, 2)}`
    return refusal(
      iea,
      2,
      interchangeCodes.control,
      detail,
      "Send the same control number in ISA13 and IEA02."
    )
  }
  return isSameNumber(elementOf(iea, 1), String(groups)) ? undefined : refusal(
    iea,
    1,
    interchangeCodes.count,
    `the interchange has ${counted(groups, "group")}`,
    "Send the number of groups in IEA01, and no group less."
  )
}

/** What is wrong with a file that has ended, by its last ISA. */
export const endFault = (isa: Segment | undefined): Fault =>
  isa === undefined
    ? misplaced(
      { id: "", elements: [], position: 1, inSet: 0 },
      "the file is empty",
      "Send an interchange, from ISA to IEA."
    )
    : refusal(
      isa,
      0,
      interchangeCodes.end,
      "the interchange has no IEA",
      "Send the whole interchange, from ISA to IEA."
    )

/** What is wrong with the beginning of a group, beside others of these control numbers, without zeros before them. */
export const gsFaults = (gs: Segment, others: ReadonlySet<string>): ReadonlyArray<Fault> => {
  const control = elementOf(gs, 6)
  if (!/^\d{1,9}$/.test(control)) {
    const detail = "the control number is not of one to nine digits"
    return [groupFault(gs, 6, groupCodes.number, detail, "Send a control number of at most nine digits.")]
  }
  if (!others.has(plainNumber(control))) return []
  const detail = "another group of the interchange has the control number"
  return [groupFault(gs, 6, groupCodes.number, detail, "Number each group anew.")]
}

/** What is wrong with the end of a group, at its GE or at the segment that shows that there is none. */
export const geFaults = (
  at: Segment,
  isEnd: boolean,
  control: string,
  sets: number
): ReadonlyArray<Fault> => {
  if (!isEnd) {
    return [
      groupFault(at, 0, groupCodes.noTrailer, `the group ${control} has no GE`, "End each group with GE.")
    ]
  }
  const found: Array<Fault> = []
  if (!isSameNumber(elementOf(at, 2), control)) {
    const detail = `the control number of GS is ${control}`
    found.push(
      groupFault(at, 2, groupCodes.control, detail, "Send the same control number in GS06 and GE02.")
    )
  }
  if (!isSameNumber(elementOf(at, 1), String(sets))) {
    const detail = `the group has ${counted(sets, "set")}`
    found.push(
      groupFault(at, 1, groupCodes.count, detail, "Send the number of sets in GE01, and no set less.")
    )
  }
  return found
}

/** What is wrong with the beginning of a set. */
export const stFaults = (st: Segment): ReadonlyArray<Fault> => {
  const found: Array<Fault> = []
  if (!/^\d{3}$/.test(elementOf(st, 1))) {
    const detail = "the kind of set is not of three digits"
    found.push(setFault(st, 1, setCodes.id, detail, "Send the kind of the set, such as 856."))
  }
  if (!/^[A-Za-z0-9]{4,9}$/.test(elementOf(st, 2))) {
    const detail = "the control number has not four to nine characters"
    found.push(setFault(st, 2, setCodes.number, detail, "Send a control number such as 0001."))
  }
  return found
}

/** What is wrong with the end of a set, at its SE or at the segment that shows that there is none. */
export const seFaults = (
  at: Segment,
  isEnd: boolean,
  control: string,
  segments: number
): ReadonlyArray<Fault> => {
  if (!isEnd) {
    return [setFault(at, 0, setCodes.noTrailer, `the set ${control} has no SE`, "End each set with SE.")]
  }
  const found: Array<Fault> = []
  if (!isSameNumber(elementOf(at, 2), control)) {
    const detail = `the control number of ST is ${control}`
    found.push(setFault(at, 2, setCodes.control, detail, "Send the same control number in ST02 and SE02."))
  }
  if (!isSameNumber(elementOf(at, 1), String(segments))) {
    const detail = `the set has ${counted(segments, "segment")}`
    const remedy = "Send the number of segments in SE01, ST and SE among them, and no segment less."
    found.push(setFault(at, 1, setCodes.count, detail, remedy))
  }
  return found
}

/** The fault of a segment of a set that has no id. */
export const idFault = (segment: Segment): Fault =>
  faultOf(segment, {
    code: segmentCodes.unrecognized,
    detail: segment.id === ""
      ? "the segment is empty"
      : "a segment begins with two or three capital letters and digits",
    remedy: "Send segments whose data hold neither the segment terminator nor line breaks."
  })
