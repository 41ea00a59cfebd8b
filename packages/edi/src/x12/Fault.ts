/**
 * Segments of X12, and their faults.
 *
 * Guarantee: each fault names its segment by id and position, the element if one is wrong, and a remedy.
 */

/**
 * A segment of X12: an id with its elements, and its position.
 *
 * Guarantee: the elements are texts of the file, unchanged. Only `elementOf` drops the spaces at their ends, which have no meaning in X12.
 */
export interface Segment {
  /** Two or three characters, such as `MAN`. */
  readonly id: string
  /** The elements as in the file: the first is element 1. A composite keeps its separators. */
  readonly elements: ReadonlyArray<string>
  /** The number of the segment in its interchange; ISA is 1. */
  readonly position: number
  /** The number of the segment in its transaction set; ST is 1. It is 0 outside of sets. */
  readonly inSet: number
  /** The lines of the file on which it begins and ends, if it spans several. */
  readonly lines?: readonly [first: number, last: number]
}

/** The position for a fault of a file without segments. */
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

/**
 * A text without the repetitions of a character at its end. A regular expression would take quadratic time if the text contained long runs
 * of the character before its end.
 */
export const withoutEnd = (text: string, character: string): string => {
  let end = text.length
  while (end > 0 && text[end - 1] === character) end--
  return text.slice(0, end)
}

/** Whether a text contains control characters, such as line breaks, which no element may contain. */
export const hasControls = (text: string): boolean => /\p{Cc}/u.test(text)

/** The characters that separate the parts of an interchange, as its ISA segment names them. */
export interface Delimiters {
  /** Between elements. */
  readonly element: string
  /** Between the components of a composite. */
  readonly component: string
  /** Between repetitions of an element; `""` if the release has none. */
  readonly repetition: string
  /** After each segment. */
  readonly segment: string
}

/** The delimiters of written interchanges, which most partners use. */
export const defaultDelimiters: Delimiters = { element: "*", component: ">", repetition: "^", segment: "~" }

/** The scope of a fault: a segment, a transaction set, a functional group, or the whole file. */
export type FaultScope = "SEGMENT" | "SET" | "GROUP" | "INTERCHANGE"

/** A fault of a file. */
export interface Fault {
  readonly scope: FaultScope
  /** The id of the segment, as in the file; `""` without a segment. */
  readonly segmentId: string
  /** The number of the segment in its interchange; ISA is 1. */
  readonly segment: number
  /** The number of the segment in its transaction set; ST is 1. It is 0 outside of sets. */
  readonly inSet: number
  /** The number of the element, from 1 on; 0 for the segment as a whole. */
  readonly element: number
  /**
   * The code for a 997: AK403 for an element, AK304 for a segment, AK502 for a set, AK905 for a group. A fault of the whole file has a code
   * for TA105, because no 997 reports it.
   */
  readonly code: string
  /** The wrong value, at most 99 characters. */
  readonly value: string
  /** The lines of the file on which the segment begins and ends, if it spans several. */
  readonly lines?: readonly [first: number, last: number]
  /** The description of the fault, without a full stop. */
  readonly detail: string
  /** The instruction to the sender, a sentence. */
  readonly remedy: string
  /** Whether the fault is only noted, so that it does not reject the set. */
  readonly isNoted: boolean
}

/** The codes of faults of segments (AK304) that are in use. */
export const segmentCodes = {
  unrecognized: "1",
  unexpected: "2",
  missing: "3",
  tooMany: "5",
  elements: "8"
} as const

/** The codes of faults of elements (AK403) that are in use. */
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

/** The codes of faults of sets (AK502) that are in use. */
export const setCodes = {
  unsupported: "1",
  noTrailer: "2",
  control: "3",
  count: "4",
  segments: "5",
  id: "6",
  number: "7"
} as const

/** The codes of faults of groups (AK905) that are in use. */
export const groupCodes = {
  unsupported: "1",
  version: "2",
  noTrailer: "3",
  control: "4",
  count: "5",
  number: "6"
} as const

/** The codes of faults of interchanges (TA105) that are in use. */
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

/** The fields of a fault besides its segment. The default of `value` is the text of the element. */
export type FaultText =
  & Pick<Fault, "code" | "detail" | "remedy">
  & Partial<Pick<Fault, "scope" | "element" | "value" | "isNoted">>

/** The most characters of a wrong value that are kept: the length of AK404. */
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

/** A fault in words for people: its position, description and remedy. */
export const describe = ({ element, inSet, segment, segmentId, ...fault }: Fault): string => {
  const set = inSet === 0 ? "" : `, ${inSet} of its set`
  const id = segmentId === "" ? "" : ` (${segmentId}${set})`
  const at = element === 0 ? "" : `, element ${element}`
  return `Segment ${segment}${id}${at}: ${detailOf(fault)}. ${fault.remedy}`
}

/** The description. For a segment that spans several lines, it names the lines, because a terminator is probably missing. */
export const detailOf = ({ detail, lines }: Pick<Fault, "detail" | "lines">): string => {
  if (lines === undefined) return detail
  const [first, last] = lines
  const open = last - first === 1 ? `line ${first} does` : `lines ${first} to ${last - 1} do`
  return `${detail} (the segment stands on lines ${first} to ${last}, as ${open} not end with the segment terminator)`
}

/** The most faults of a set that are kept. More would not help a sender. */
export const maxSetFaults = 100

/** Collects the faults of a set. */
export class SetFaults {
  readonly faults: Array<Fault> = []
  /** Whether a fault that is not merely noted rejects the set. */
  isRejected = false

  /**
   * Adds a fault of a segment, unless there are already `maxSetFaults`. The first fault that rejects the set is added in any case.
   */
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
