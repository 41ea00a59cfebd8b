/**
 * Writes interchanges of X12.
 *
 * Guarantee: a written interchange reads back as its draft. If X12 cannot hold a value, nothing is written, and each such value is named
 * with its segment and element. The counts of the envelope are computed.
 */
import * as Slices from "@dockline/core/input/Slices"
import { Result } from "effect"
import { maxLength, rulesOf, valueFault } from "./Dictionary.ts"
import { defaultDelimiters, hasControls } from "./Fault.ts"
import type { Delimiters, ElementDraft, SegmentDraft } from "./Fault.ts"
import type {
  FunctionalGroup,
  Interchange,
  InterchangeAcknowledgment,
  TransactionSet
} from "./Interchange.ts"

/** A transaction set to be written. Its control number has four to nine digits. */
export interface SetDraft extends Pick<TransactionSet, "id" | "control"> {
  readonly segments: ReadonlyArray<SegmentDraft>
}

/** A functional group to be written. Its control number has one to nine digits. */
export interface GroupDraft
  extends Pick<FunctionalGroup, "functionalId" | "sender" | "receiver" | "control">
{
  readonly sets: ReadonlyArray<SetDraft>
}

/** A release in which interchanges are written. */
export type Release = "004010" | "005010"

/** An interchange to be written. */
export interface InterchangeDraft extends Pick<Interchange, "sender" | "receiver"> {
  /** Its date as `YYYYMMDD` and its time as `HHMM`. */
  readonly date: string
  readonly time: string
  /** Its control number, from 0 to 999999999. */
  readonly control: number
  readonly release: Release
  /** `P` for production, `T` for a test. */
  readonly usage: "P" | "T"
  readonly groups: ReadonlyArray<GroupDraft>
  /** Its acknowledgments of received interchanges. */
  readonly acknowledgments?: ReadonlyArray<InterchangeAcknowledgment>
  readonly delimiters?: Delimiters
}

/** The reason why an interchange cannot be written. */
export interface WriteFault {
  /** The element, as the id of its segment with its number: `MAN02`. */
  readonly place: string
  readonly value: string
  readonly detail: string
}

/** The text of an interchange, or the values that X12 cannot hold. */
export type Writing = Result.Result<string, ReadonlyArray<WriteFault>>

/** Writes an interchange synchronously, with one segment on each line. */
export const write = (draft: InterchangeDraft): Writing => Slices.atOnce(writeSteps(draft))

/** The cost of writing a segment, in the unit of slices. */
const segmentCost = 5

/** Writes an interchange in steps, with one segment on each line. */
export function* writeSteps(draft: InterchangeDraft): Slices.Steps<Writing> {
  const delimiters = draft.delimiters ?? defaultDelimiters
  const writer = new Writer(delimiters, draft.release)
  const control = String(draft.control).padStart(9, "0")
  const isOld = draft.release === "004010"
  writer.putFixed("ISA", [
    ["00", 2],
    ["", 10],
    ["00", 2],
    ["", 10],
    [draft.sender.qualifier, 2],
    [draft.sender.id, 15],
    [draft.receiver.qualifier, 2],
    [draft.receiver.id, 15],
    [draft.date.slice(2), 6],
    [draft.time, 4],
    [isOld ? "U" : delimiters.repetition, 1],
    [isOld ? "00401" : "00501", 5],
    [control, 9],
    ["0", 1],
    [draft.usage, 1],
    [delimiters.component, 1]
  ])
  for (const { code, control, date, status, time } of draft.acknowledgments ?? []) {
    writer.put("TA1", [control, date, time, status, code])
  }
  for (const group of draft.groups) {
    const { control: number, functionalId, receiver, sender } = group
    writer.put("GS", [functionalId, sender, receiver, draft.date, draft.time, number, "X", draft.release])
    for (const { control, id, segments } of group.sets) {
      writer.put("ST", [id, control])
      for (const segment of segments) {
        yield segmentCost
        writer.put(segment.id, segment.elements)
      }
      writer.put("SE", [String(segments.length + 2), control])
    }
    writer.put("GE", [String(group.sets.length), group.control])
  }
  writer.put("IEA", [String(draft.groups.length), control])
  return writer.faults.length === 0 ? Result.succeed(writer.text()) : Result.fail(writer.faults)
}

/**
 * A fast check of whether an element of the type text can hold a value. If it returns `true`, `segmentFaults` finds no fault; otherwise it
 * may or may not.
 */
export const fits = (id: string, element: number, value: string, release: Release): boolean => {
  const rule = rulesOf(id)?.[element - 1]
  return rule?.type === "AN" && value.length >= rule.min && value.length <= maxLength(rule, release) &&
    /^[A-Za-z0-9-]+$/.test(value)
}

/** The values of a set that X12 cannot hold, in steps. */
export function* segmentFaults(
  segments: ReadonlyArray<SegmentDraft>,
  release: Release
): Slices.Steps<ReadonlyArray<WriteFault>> {
  const writer = new Writer(defaultDelimiters, release)
  for (const { elements, id } of segments) {
    yield segmentCost
    writer.put(id, elements)
  }
  return writer.faults
}

/** The rules of the segments of the envelope: the least and the greatest length of each element. */
const envelopes: Readonly<Record<string, ReadonlyArray<readonly [min: number, max: number]>>> = {
  TA1: [[9, 9], [6, 6], [4, 4], [1, 1], [3, 3]],
  GS: [[2, 2], [2, 15], [2, 15], [8, 8], [4, 8], [1, 9], [1, 2], [1, 12]],
  ST: [[3, 3], [4, 9]],
  SE: [[1, 10], [4, 9]],
  GE: [[1, 6], [1, 9]],
  IEA: [[1, 5], [9, 9]]
}

class Writer {
  readonly faults: Array<WriteFault> = []
  readonly #lines: Array<string> = []
  readonly #delimiters: Delimiters
  readonly #version: Release
  /** The delimiters in use, which no value may contain. */
  readonly #held: ReadonlyArray<string>

  constructor(delimiters: Delimiters, version: Release) {
    this.#delimiters = delimiters
    const { component, element, repetition, segment } = delimiters
    this.#held = [element, component, repetition, segment].filter((delimiter) => delimiter !== "")
    this.#version = version
  }

  text(): string {
    // No line break follows the last terminator, because some readers mistake it for a segment.
    return this.#lines.join(/\s/.test(this.#delimiters.segment) ? "" : "\n")
  }

  /** Writes the segment whose elements have fixed widths; its last element is a delimiter. */
  putFixed(id: string, elements: ReadonlyArray<readonly [value: string, width: number]>): void {
    const { element } = this.#delimiters
    for (const [index, [value, width]] of elements.entries()) {
      if (value.length > width) this.#add(id, index + 1, value, `has more than ${width} characters`)
      // ISA11 of 5010 and ISA16 are delimiters.
      else if (index < 15 && index !== 10) this.#check(id, index + 1, value)
    }
    this.#line(id, elements.map(([value, width]) => value.padEnd(width)).join(element))
  }

  put(id: string, elements: ReadonlyArray<ElementDraft>): void {
    const rules = rulesOf(id)
    const widths = envelopes[id]
    const texts = elements.map((draft, index) => {
      const place = index + 1
      if (typeof draft !== "string") {
        for (const component of draft) this.#check(id, place, component)
        return withoutEnd(draft).join(this.#delimiters.component)
      }
      this.#check(id, place, draft)
      const rule = rules?.[index]
      const width = widths?.[index]
      if (rule === undefined && rules !== undefined) {
        this.#add(id, place, draft, "is no element of the segment")
      }
      if (rule !== undefined && draft !== "") {
        const fault = valueFault(rule, draft, this.#version)
        if (fault !== undefined) {
          const max = maxLength(rule, this.#version)
          this.#add(id, place, draft, `cannot be written: ${fault.detail}, and ${rule.min} to ${max} fit`)
        }
      }
      if ((rule?.isRequired === true || width !== undefined) && draft === "") {
        this.#add(id, place, draft, "is required")
      }
      if (width !== undefined && draft !== "" && (draft.length < width[0] || draft.length > width[1])) {
        this.#add(id, place, draft, `does not have ${width[0]} to ${width[1]} characters`)
      }
      return draft
    })
    this.#line(id, withoutEnd(texts).join(this.#delimiters.element))
  }

  #line(id: string, elements: string): void {
    const { element, segment } = this.#delimiters
    this.#lines.push(`${id}${elements === "" ? "" : element}${elements}${segment}`)
  }

  /** Reports a value that would read back differently, or that contains a control character. */
  #check(id: string, place: number, value: string): void {
    if (value === "") return
    const delimiter = this.#held.find((delimiter) => value.includes(delimiter))
    if (delimiter !== undefined) this.#add(id, place, value, `holds the delimiter ${delimiter}`)
    else if (value.endsWith(" ")) this.#add(id, place, value, "ends with a space, which X12 drops")
    // Control characters are refused everywhere, so that no value can break the structure of a file.
    else if (hasControls(value)) this.#add(id, place, value, "holds a control character")
  }

  #add(id: string, place: number, value: string, detail: string): void {
    this.faults.push({ place: `${id}${String(place).padStart(2, "0")}`, value, detail })
  }
}

const withoutEnd = (texts: ReadonlyArray<string>): ReadonlyArray<string> =>
  texts.slice(0, texts.findLastIndex((text) => text !== "") + 1)

/**
 * Changes a text so that an element can hold it: delimiters and control characters become spaces, and a long text is cut. This is only for
 * names and descriptions, which people read. Identifiers are written unchanged or not at all.
 */
export const plainText = (text: string, max: number): string => {
  const delimiters = new Set(Object.values(defaultDelimiters))
  const plain = Array.from(
    text,
    (character) => delimiters.has(character) || hasControls(character) ? " " : character
  )
    .join("").replace(/ {2,}/g, " ").trim()
  if (plain.length <= max) return plain
  const head = plain.slice(0, max)
  return (head.isWellFormed() ? head : head.slice(0, -1)).trimEnd()
}
