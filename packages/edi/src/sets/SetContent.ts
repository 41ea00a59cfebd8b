/**
 * The content of a set: its segments, with a record of the elements that its reader has read.
 *
 * Guarantee: nothing is dropped in silence. Elements that no reader has read are noted, segment by segment, unless the kind of the set
 * skips them by name: names, references, remarks, transport (D23.1). A fault of an element rejects a set only if a reader reads the
 * element; otherwise it is noted (D23.4).
 */
import type { DocumentJson } from "@dockline/core/embed/Dockline"
import type * as Slices from "@dockline/core/input/Slices"
import * as Dictionary from "../x12/Dictionary.ts"
import { elementCodes, elementOf, maxSetFaults, segmentCodes, SetFaults, withoutEnd } from "../x12/Fault.ts"
import type { Fault, Segment } from "../x12/Fault.ts"
import type { Acknowledgment } from "./SetStatus.ts"
import type { OrderWords, UnitCode } from "./Words.ts"

/**
 * The part of a segment that is skipped if no reader reads it: all of it, some elements, or those that a function chooses.
 */
export type Aside =
  | "ALL"
  | ReadonlyArray<number>
  | ((segment: Segment, element: number, content: SetContent) => boolean)

/** The segments that a kind of set skips, by their ids. All elements of an unlisted segment have to be read. */
export type Asides = ReadonlyMap<string, Aside>

/** The reference numbers of the elements that name the kind of the value after them. */
const qualifiers = new Set(["88", "128", "235", "374", "432"])

const isQualifier = ({ id }: Segment, element: number): boolean =>
  qualifiers.has(Dictionary.rulesOf(id)?.[element - 1]?.reference ?? "")

/** The segments of a set, as a reader reads them. */
export class SetContent {
  readonly faults = new SetFaults()
  readonly segments: ReadonlyArray<Segment>
  readonly version: string
  readonly #passed: Asides
  /** A bit for each element that was read, by the number of its segment in the set. */
  readonly #read: Array<number> = []
  /** The faults of elements that no reader has read, by segment. */
  readonly #unread = new Map<Segment, ReadonlyArray<Dictionary.JudgedElement>>()

  constructor(segments: ReadonlyArray<Segment>, version: string, asides: Asides) {
    this.segments = segments
    this.version = version
    this.#passed = asides
  }

  /** Judges the elements of all segments, in steps. It has to run before anything is read. */
  *judge(): Slices.Steps<void> {
    for (const segment of this.segments) {
      yield Dictionary.judgeCost
      const faults = Dictionary.judgeSegment(segment, this.version)
      if (faults.length === 0) continue
      this.#unread.set(segment, faults)
      // Without its qualifier, a value has no known meaning, and nothing says whether it is kept.
      this.read(
        segment,
        ...faults.flatMap(({ code, element }) =>
          code === elementCodes.missing && isQualifier(segment, element) ? [element] : []
        )
      )
    }
  }

  /** Marks elements as read. A fault that spoils one of them rejects the set. */
  read(segment: Segment, ...elements: ReadonlyArray<number>): void {
    this.pass(segment, ...elements)
    const faults = this.#unread.get(segment)
    if (faults === undefined) return
    const isSpoilt = (fault: Dictionary.JudgedElement): boolean =>
      fault.isNoted !== true && elements.includes(fault.element)
    for (const fault of faults.filter(isSpoilt)) this.faults.add(segment, fault)
    this.#unread.set(segment, faults.filter((fault) => !isSpoilt(fault)))
  }

  /** Reads the text of an element. */
  text(segment: Segment, element: number): string {
    this.read(segment, element)
    return elementOf(segment, element)
  }

  /** Skips elements without information that is kept, whatever their values are. */
  pass(segment: Segment, ...elements: ReadonlyArray<number>): void {
    for (const element of elements) {
      this.#read[segment.inSet] = (this.#read[segment.inSet] ?? 0) | bit(element)
    }
  }

  /** Whether the values of elements can be read according to their types. */
  isSound(segment: Segment, ...elements: ReadonlyArray<number>): boolean {
    const faults = this.#unread.get(segment)
    return faults === undefined ||
      !faults.some((fault) => fault.isNoted !== true && elements.includes(fault.element))
  }

  /** Whether a reader has read an element, or skipped it. */
  isRead(segment: Segment, element: number): boolean {
    return ((this.#read[segment.inSet] ?? 0) & bit(element)) !== 0
  }

  /** Notes, in steps, the faults of elements that no reader has read, and, in a set that is not rejected, the unread elements. */
  *close(isWhole: boolean): Slices.Steps<void> {
    const faultySegments = new Set(this.faults.faults.map(({ inSet }) => inSet))
    for (const [segment, faults] of this.#unread) {
      yield 1
      for (const fault of faults) {
        this.faults.add(segment, { ...fault, isNoted: true })
        faultySegments.add(segment.inSet)
      }
    }
    if (this.faults.isRejected || !isWhole) return
    const unread: Array<readonly [Segment, element: number]> = []
    for (const segment of this.segments) {
      yield 1
      const element = this.#leftOf(segment)
      if (element !== undefined && !faultySegments.has(segment.inSet)) unread.push([segment, element])
    }
    const room = maxSetFaults - this.faults.faults.length
    const notes = unread.length <= room ? unread : unread.slice(0, Math.max(0, room - 1))
    for (const [segment, element] of notes) this.#note(segment, element, "")
    const [next] = unread.slice(notes.length)
    if (next !== undefined) {
      this.#note(...next, `, nor is what ${unread.length - notes.length - 1} more segments say`)
    }
  }

  /** The first element with a value that is neither read nor skipped; 0 for a segment of another kind. */
  #leftOf(segment: Segment): number | undefined {
    const asides = this.#passed.get(segment.id)
    if (asides === "ALL") return undefined
    const rules = Dictionary.rulesOf(segment.id)
    if (asides === undefined && rules === undefined) {
      return this.#read[segment.inSet] === undefined
        ? 0
        : undefined
    }
    const isPassed = (element: number): boolean =>
      typeof asides === "function" ? asides(segment, element, this) : asides?.includes(element) === true
    for (const [index] of segment.elements.entries()) {
      const element = index + 1
      if (elementOf(segment, element) === "" || this.isRead(segment, element)) continue
      if (!isQualifier(segment, element) && !isPassed(element)) return element
    }
    return undefined
  }

  #note(segment: Segment, element: number, more: string): void {
    const qualifier = this.#qualifierOf(segment, element)
    const value = elementOf(segment, element)
    const name = withoutEnd(`${segment.id}*${qualifier === 0 ? "" : elementOf(segment, qualifier)}`, "*")
    this.faults.add(segment, {
      element: element === 0 || qualifier === 0 ? element : qualifier,
      code: element === 0 ? segmentCodes.unrecognized : elementCodes.code,
      detail: `what ${name} says${value === "" ? "" : ` (${value.slice(0, 40)})`} is not kept${more}`,
      remedy: "Leave it out, or agree with the warehouse on where to say it.",
      isNoted: true
    })
  }

  /** The number of the element that names the kind of another element's value; 0 if there is none. */
  #qualifierOf(segment: Segment, element: number): number {
    for (let at = element - 1; at > 0; at--) if (isQualifier(segment, at)) return at
    return 0
  }
}

/** The bit of an element; the few elements after the 31st of a segment share one, and are of one kind. */
const bit = (element: number): number => 1 << Math.min(element, 31)

/** The meaning of a set. */
export type Meaning = DocumentMeaning | Cancellation | AcknowledgmentMeaning

/** The source of a value. The element is 0 if the value has no single one. */
export interface Source {
  readonly segment: Segment
  readonly element: number
}

/** The words that a set uses for the goods of an order. */
export interface OrderWording {
  readonly orderNumber: string
  readonly words: OrderWords
  /** Whether the set changes only some items of the order, and leaves the others. */
  readonly isChange: boolean
}

/** A set that is a document, in the form in which clients write it. */
export interface DocumentMeaning {
  readonly _tag: "Document"
  readonly document: DocumentJson
  /** The words that it uses for the goods of its orders. */
  readonly words?: ReadonlyArray<OrderWording> | undefined
  /** The source of the field with a path. */
  readonly sourceAt: (path: string) => Source
  /** The content that it replaces, if a document cannot replace all of that; goods that stay expected after all are noted. */
  readonly replaces?: Replacement | undefined
}

/** The content that a set replaces, and the element that says so. */
export interface Replacement {
  readonly source: Source
  /** Whether it replaces all content of the shipment; otherwise it replaces that of the orders that the set names. */
  readonly isWhole: boolean
  readonly remedy: string
}

/** A set that cancels a shipment. */
export interface Cancellation {
  readonly _tag: "Cancellation"
  /** The direction of the shipments that this kind of set is about. */
  readonly direction: string
  readonly shipmentNumber: string
  readonly source: Source
  /** The order that the set cancels (940): the shipment is cancelled only if it has no other. A ship notice (856) names none. */
  readonly order?: { readonly number: string; readonly source: Source }
}

/** A set that acknowledges a group that was sent. */
export interface AcknowledgmentMeaning {
  readonly _tag: "Acknowledged"
  readonly acknowledgment: Acknowledgment
}

/** The result of reading a set: its meaning, unless it is rejected, and its faults. */
export interface SetReading {
  readonly meaning: Meaning | undefined
  readonly faults: ReadonlyArray<Fault>
}

/**
 * Ends the reading of a set, in steps: its meaning, unless its faults reject it. Elements that stayed unread are noted.
 */
export function* readingOf(meaning: Meaning | undefined, content: SetContent): Slices.Steps<SetReading> {
  // A cancellation covers everything, whatever else the set contains.
  yield* content.close(meaning?._tag !== "Cancellation")
  const { faults, isRejected } = content.faults
  return {
    meaning: isRejected ? undefined : meaning,
    // The faults that reject the set come first.
    faults: faults.toSorted((left, right) =>
      Number(left.isNoted) - Number(right.isNoted) || left.segment - right.segment
    )
  }
}

/** The beginning of a kind of set: a segment whose first element names the purpose of the set. */
export interface Beginning {
  readonly id: string
  /** The name of the set, and the name of its purpose, in faults. */
  readonly what: string
  readonly purposes: string
  /** The strategy of a document for each purpose. */
  readonly strategies: Readonly<Record<string, string>>
  /** The purpose of a set that cancels. */
  readonly cancellation: string
  readonly remedy: string
}

/** The facility that a set is for, and other facts that the set itself cannot contain. */
export interface SetPlace {
  readonly business: string
  readonly facility: string
  /** The time zone of the facility: times of X12 are local. */
  readonly timeZone: string
  /** The version of the sets (GS08). */
  readonly version: string
  /** The units agreed on with the partner, beside those of X12 (D23.5). */
  readonly units?: ReadonlyArray<UnitCode> | undefined
  /** The purposes of ship notices (BSN01) that mean a new notice, beside 00. */
  readonly newPurposes?: ReadonlyArray<string> | undefined
}
