/**
 * Divides a text of X12, which may come in chunks of any size, into segments.
 *
 * Guarantee: the segments do not depend on the chunks. The delimiters are those that ISA names; nothing is guessed. Only one incomplete
 * segment is in memory, so that the reader's memory does not grow with the file.
 */
import type * as Slices from "@dockline/core/input/Slices"
import { faultOf, interchangeCodes, isaFault, noSegment } from "./Fault.ts"
import type { Delimiters, Fault, Segment } from "./Fault.ts"
import type { Limits } from "./Interchange.ts"

/** The length of an ISA segment with its delimiters. ISA is the only segment of fixed length. */
export const isaLength = 106

/** The positions of the element separators in ISA. */
const isaSeparators = [3, 6, 17, 20, 31, 34, 50, 53, 69, 76, 81, 83, 89, 99, 101, 103]

/** The cost of a segment, in the unit of slices. */
const segmentCost = 4

/** A segment without its number in a set, which only the reader of envelopes knows. */
export type SegmentText = Omit<Segment, "inSet">

/** Accepts the segments. Its methods may return a fault, which ends the reading of the file. */
export interface SegmentSink {
  /** `start` is the position of ISA in the file. */
  readonly open: (isa: SegmentText, delimiters: Delimiters, start: number) => Fault | undefined
  /** `length` is the number of characters of the segment with its terminator. `end` is the position of its end in the file. */
  readonly segment: (segment: SegmentText, length: number, end: number) => Fault | undefined
  /** Whether no interchange is open, so that the next segment has to be an ISA. */
  readonly isClosed: () => boolean
}

/** The characters with which some systems pad a file: the old end-of-file character (0x1A), and NUL. */
const isFill = (code: number): boolean => code === 0x1a || code === 0

const lineFeed = 10

const isSpace = (code: number): boolean => code === 32 || (code >= 9 && code <= 13) || code === 0xfeff

export class SegmentReader {
  readonly #limits: Limits
  readonly #sink: SegmentSink
  #delimiters: Delimiters | undefined
  #rest = ""
  #length = 0
  /** The number of segments so far, in the file and in the interchange. */
  #segments = 0
  #position = 0
  /** The line of the file on which the next segment begins. */
  #line = 1

  constructor(sink: SegmentSink, limits: Limits) {
    this.#sink = sink
    this.#limits = limits
  }

  /** Reads a chunk, and yields the cost of each segment. Returns the fault that ends the reading of the file, if any. */
  *push(chunk: string): Slices.Steps<Fault | undefined> {
    this.#length += chunk.length
    if (this.#length > this.#limits.length) {
      const detail = `the file is longer than ${this.#limits.length} characters`
      return this.#fault("", interchangeCodes.size, detail, "Send it in several files.")
    }
    const text = this.#rest + chunk
    const before = this.#length - text.length
    let from = 0
    for (;;) {
      from = this.#beginOf(text, from)
      const end = this.#endOf(text, from)
      if (end === -1) break
      yield segmentCost + Math.ceil((end - from) / 100)
      const fault = this.#take(text.slice(from, end), before + end)
      if (fault !== undefined) return fault
      from = end
    }
    this.#rest = text.slice(from)
    return this.#rest.length > this.#limits.segmentLength ? this.#longSegment() : undefined
  }

  /**
   * Ends the file, and returns a fault if it ends within a segment. If segments end with line breaks, the end of the file also ends the
   * last segment.
   */
  end(): Fault | undefined {
    let end = this.#rest.length
    while (this.#delimiters !== undefined && isFill(this.#rest.charCodeAt(end - 1))) end--
    const rest = this.#rest.slice(0, end)
    if (rest === "") return undefined
    if (this.#delimiters === undefined || this.#sink.isClosed()) return notIsa(rest, this.#position + 1)
    const { segment } = this.#delimiters
    if (isSpace(segment.charCodeAt(0))) {
      return this.#take(rest + segment, this.#length - this.#rest.length + end)
    }
    this.#position++
    return this.#fault(
      idOf(rest, this.#delimiters),
      interchangeCodes.end,
      "the file ends within the segment",
      "Send the whole interchange, with the segment terminator after IEA too."
    )
  }

  /** The beginning of the next segment: after white space, and after IEA also after padding characters. */
  #beginOf(text: string, from: number): number {
    const mayFill = this.#delimiters !== undefined && this.#sink.isClosed()
    let begin = from
    for (; begin < text.length; begin++) {
      const code = text.charCodeAt(begin)
      if (!isSpace(code) && !(mayFill && isFill(code))) break
      if (code === lineFeed) this.#line++
    }
    return begin
  }

  /** The end of the segment that begins at `from`, after its terminator; -1 if the text does not contain the whole segment. */
  #endOf(text: string, from: number): number {
    if (this.#delimiters === undefined || this.#sink.isClosed()) {
      if (text.length - from >= isaLength) return from + isaLength
      // Text that cannot become an ISA is refused at once.
      return text.length - from >= 3 && !text.startsWith("ISA", from) ? text.length : -1
    }
    const end = text.indexOf(this.#delimiters.segment, from)
    return end === -1 ? -1 : end + 1
  }

  #take(text: string, end: number): Fault | undefined {
    this.#position++
    const line = this.#line
    this.#line += breaksIn(text)
    if (++this.#segments > this.#limits.segments) {
      const detail = `the file has more than ${this.#limits.segments} segments`
      return this.#fault("", interchangeCodes.size, detail, "Send it in several files.")
    }
    if (this.#delimiters === undefined || this.#sink.isClosed()) {
      const fault = isaTextFault(text, this.#position)
      if (fault !== undefined) return fault
      this.#position = 1
      const delimiters = delimitersOf(text)
      this.#delimiters = delimiters
      const elements = text.slice(4, -1).split(delimiters.element)
      return this.#sink.open({ id: "ISA", elements, position: 1 }, delimiters, end - text.length)
    }
    if (text.length > this.#limits.segmentLength) return this.#longSegment()
    const elements = text.slice(0, -1).split(this.#delimiters.element)
    const id = elements.shift() ?? ""
    if (elements.length > this.#limits.elements) {
      const detail = `the segment has ${elements.length} elements`
      return this.#fault(id, interchangeCodes.structure, detail, `Send at most ${this.#limits.elements}.`)
    }
    const segment = { id, elements, position: this.#position }
    // A terminator that is a line break ends its own line.
    const last = isSpace(text.charCodeAt(text.length - 1)) ? this.#line - 1 : this.#line
    return this.#sink.segment(last > line ? { ...segment, lines: [line, last] } : segment, text.length, end)
  }

  #fault(id: string, code: string, detail: string, remedy: string): Fault {
    const at = { ...noSegment, id, position: Math.max(1, this.#position) }
    return faultOf(at, { scope: "INTERCHANGE", code, detail, remedy })
  }

  #longSegment(): Fault {
    this.#position++
    return this.#fault(
      this.#delimiters === undefined ? "" : idOf(this.#rest, this.#delimiters),
      interchangeCodes.structure,
      `the segment is longer than ${this.#limits.segmentLength} characters`,
      "End each segment with the terminator that stands as the last character of ISA."
    )
  }
}

const breaksIn = (text: string): number => {
  let count = 0
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) count++
  return count
}

const idOf = (text: string, { element }: Delimiters): string => text.slice(0, 3).split(element)[0] ?? ""

const isaIs = (detail: string, element: number, value = ""): Fault =>
  isaFault({
    element,
    code: interchangeCodes.isa,
    value,
    detail,
    remedy:
      "Send an ISA segment of 106 characters, whose elements have their fixed widths, filled up with spaces."
  })

const notIsa = (text: string, position: number): Fault =>
  text.startsWith("ISA")
    ? isaIs(`the file ends after ${text.length} characters of the segment`, 0)
    : faultOf({ ...noSegment, id: text.slice(0, 3), position }, {
      scope: "INTERCHANGE",
      code: interchangeCodes.structure,
      detail: "an interchange begins with ISA",
      remedy: "Send X12 that begins with an ISA segment."
    })

const isaTextFault = (text: string, position: number): Fault | undefined => {
  if (!text.startsWith("ISA") || text.length < isaLength) return notIsa(text, position)
  const { component, element, repetition, segment } = delimitersOf(text)
  for (const [index, place] of isaSeparators.entries()) {
    if (text[place] !== element) return isaIs(`no element separator stands at character ${place + 1}`, index)
  }
  if (text.slice(4, isaSeparators[15]).split(element).length !== 15) {
    return isaIs("an element holds the element separator", 0)
  }
  const delimiters = [element, component, segment, ...(repetition === "" ? [] : [repetition])]
  const bad = delimiters.find((character) => /[A-Za-z0-9 \uD800-\uDFFF]/.test(character))
  if (bad !== undefined) return isaIs("a letter, a digit or a space is a delimiter", 16, bad)
  return new Set(delimiters).size === delimiters.length
    ? undefined
    : isaIs("two of the delimiters are the same character", 16)
}

/** The delimiters of an ISA segment. From release 00402 on, ISA11 is the separator of repetitions; before, it was `U`. */
const delimitersOf = (isa: string): Delimiters => {
  const repetition = isa[82] ?? ""
  return {
    element: isa[3] ?? "",
    component: isa[104] ?? "",
    repetition: isa.slice(84, 89) >= "00402" && !/[A-Za-z0-9]/.test(repetition) ? repetition : "",
    segment: isa[105] ?? ""
  }
}
