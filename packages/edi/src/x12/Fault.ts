/**
 * Segments of X12, and what is wrong with them: where it is, and what the sender is to do.
 *
 * Guarantee: each fault names its segment by id and position, its element where an element is at fault, and a remedy.
 */

/**
 * Segments of X12: an id with its elements, and where it stands.
 *
 * Guarantee: an element is the text as it stands in the file. Only the spaces at its end are dropped, which X12 says mean nothing.
 */
export interface Segment {
  /** Two or three characters, such as `MAN`. */
  readonly id: string
  /** The elements as they stand: the first is element 1. A composite still has its separators. */
  readonly elements: ReadonlyArray<string>
  /** The number of the segment in its interchange; ISA is 1. */
  readonly position: number
  /** The number of the segment in its transaction set; ST is 1, and a segment outside of sets has 0. */
  readonly inSet: number
  /** The lines of the file on which it begins and ends, if it goes on over the end of a line. */
  readonly lines?: readonly [first: number, last: number]
}

/** The beginning of a file of which no segment was read. */
export const noSegment: Segment = { id: "", elements: [], position: 1, inSet: 0 }

/** An element to be written: text, or the components of a composite. */
export type ElementDraft = string | ReadonlyArray<string>

/** A segment to be written. */
export interface SegmentDraft {
  readonly id: string
  readonly elements: ReadonlyArray<ElementDraft>
}

/** Makes a segment to be written. */
export const segment = (id: string, ...elements: ReadonlyArray<ElementDraft>): SegmentDraft => ({
  id,
  elements
})

/** The text of an element by its number, from 1 on, without the spaces at its end; `""` if it is absent. */
export const elementOf = ({ elements }: Pick<Segment, "elements">, number: number): string =>
  withoutEnd(elements[number - 1] ?? "", " ")

/** A text without a character at its end, however often it stands there. A pattern would take quadratic time for runs before the end. */
export const withoutEnd = (text: string, character: string): string => {
  let end = text.length
  while (end > 0 && text[end - 1] === character) end--
  return text.slice(0, end)
}

/** Whether text holds control characters, which no element may hold: line breaks too. */
export const hasControls = (text: string): boolean => /\p{Cc}/u.test(text)

/** The characters that separate the parts of an interchange, as its ISA segment names them. */
export interface Delimiters {
  /** Between elements. */
  readonly element: string
  /** Between the components of a composite. */
  readonly component: string
  /** Between repetitions of an element; `""` where the release has none. */
  readonly repetition: string
  /** After each segment. */
  readonly segment: string
}

/** The delimiters that are written: those that most partners use. */
export const defaultDelimiters: Delimiters = { element: "*", component: ">", repetition: "^", segment: "~" }

/** How much a fault spoils: one segment, its transaction set, its functional group, or the whole file. */
export type FaultScope = "SEGMENT" | "SET" | "GROUP" | "INTERCHANGE"

/** A fault of a file. */
export interface Fault {
  readonly scope: FaultScope
  /** The id of the segment, as it stands in the file; `""` where none stands. */
  readonly segmentId: string
  /** The number of the segment in its interchange; ISA is 1. */
  readonly segment: number
  /** The number of the segment in its transaction set; ST is 1, and 0 is outside of sets. */
  readonly inSet: number
  /** The number of the element, from 1 on; 0 for the segment as a whole. */
  readonly element: number
  /**
   * The code of a 997: of AK403 for an element, AK304 for a segment, AK502 for a set, AK905 for a group. A fault of the whole file
   * is answered by no 997, and has the code of TA105.
   */
  readonly code: string
  /** The value at fault, at most 99 characters. */
  readonly value: string
  /** The lines of the file on which the segment begins and ends, if it goes on over the end of a line. */
  readonly lines?: readonly [first: number, last: number]
  /** What is wrong, without a full stop. */
  readonly detail: string
  /** What the sender is to do, a sentence. */
  readonly remedy: string
  /** Whether the set is taken all the same: accepted, with the error noted. */
  readonly isNoted: boolean
}

/** The codes of AK304 that are used: what is wrong with a segment. */
export const segmentCodes = {
  unrecognized: "1",
  unexpected: "2",
  missing: "3",
  tooMany: "5",
  elements: "8"
} as const

/** The codes of AK403 that are used: what is wrong with an element. */
export const elementCodes = {
  missing: "1",
  conditional: "2",
  tooMany: "3",
  tooShort: "4",
  tooLong: "5",
  character: "6",
  code: "7",
  date: "8",
  time: "9"
} as const

/** The codes of AK502 that are used: what is wrong with a set. */
export const setCodes = {
  unsupported: "1",
  noTrailer: "2",
  control: "3",
  count: "4",
  segments: "5",
  id: "6",
  number: "7"
} as const

/** The codes of AK905 that are used: what is wrong with a group. */
export const groupCodes = {
  unsupported: "1",
  version: "2",
  noTrailer: "3",
  control: "4",
  count: "5",
  number: "6"
} as const

/** The codes of TA105 that are used: what is wrong with an interchange. */
export const interchangeCodes = {
  control: "001",
  version: "017",
  noGroups: "024",
  structure: "022",
  count: "021",
  isa: "004",
  number: "018",
  duplicate: "025",
  end: "023",
  size: "031"
} as const

/** The fields of a fault beside its segment. The value is that of the element unless given. */
export type FaultText =
  & Pick<Fault, "code" | "detail" | "remedy">
  & Partial<Pick<Fault, "scope" | "element" | "value" | "isNoted">>

/** The longest value at fault that is kept: that of AK404. */
const longestValue = 99

const linesOf = ({ lines }: Segment): Pick<Fault, "lines"> => lines === undefined ? {} : { lines }

/** The fault of a segment. */
export const faultOf = (
  segment: Segment,
  { element = 0, isNoted = false, scope = "SEGMENT", value = elementOf(segment, element), ...text }: FaultText
): Fault => ({
  ...linesOf(segment),
  scope,
  segmentId: segment.id,
  segment: segment.position,
  inSet: segment.inSet,
  element,
  ...text,
  value: Array.from(value.slice(0, 2 * longestValue)).slice(0, longestValue).join(""),
  isNoted
})

/** The fault of an interchange, at its ISA. */
export const isaFault = (text: FaultText): Fault =>
  faultOf({ ...noSegment, id: "ISA" }, { scope: "INTERCHANGE", ...text })

/** A fault in a sentence or two, for people: its place, what is wrong, and the remedy. */
export const describe = ({ element, inSet, segment, segmentId, ...fault }: Fault): string => {
  const set = inSet === 0 ? "" : `, ${inSet} of its set`
  const id = segmentId === "" ? "" : ` (${segmentId}${set})`
  const at = element === 0 ? "" : `, element ${element}`
  return `Segment ${segment}${id}${at}: ${detailOf(fault)}. ${fault.remedy}`
}

/** What is wrong, with the lines of a segment that goes on over the end of a line: one of them lacks its terminator. */
export const detailOf = ({ detail, lines }: Pick<Fault, "detail" | "lines">): string => {
  if (lines === undefined) return detail
  const [first, last] = lines
  const open = last - first === 1 ? `line ${first} does` : `lines ${first} to ${last - 1} do`
  return `${detail} (the segment stands on lines ${first} to ${last}, as ${open} not end with the segment terminator)`
}

/** The most faults that are kept of a set; more would tell a sender nothing new. */
export const maxSetFaults = 100

/** Collects the faults of a set. */
export class SetFaults {
  readonly faults: Array<Fault> = []
  /** Whether a fault is not only noted: the set is rejected. */
  isRejected = false

  /** Adds a fault of a segment, unless enough are known. One that rejects the set is always kept. */
  add(segment: Segment, text: FaultText): void {
    const fault = faultOf(segment, text)
    if (this.faults.length >= maxSetFaults) {
      if (fault.isNoted || this.isRejected) return
      this.faults.pop()
    }
    if (!fault.isNoted) this.isRejected = true
    this.faults.push(fault)
  }
}

/** A number of things in words: `1 item`, `2 items`. */
export const countOf = (count: number, thing: string): string => `${count} ${thing}${count === 1 ? "" : "s"}`
