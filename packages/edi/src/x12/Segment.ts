/**
 * Segments of X12: an id with its elements, and where it stands.
 *
 * Guarantee: an element is the text as it stands in the file. Only the spaces at its end are dropped, which X12 says mean nothing.
 */

/** A segment that was read. */
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
