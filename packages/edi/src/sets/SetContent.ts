/**
 * The content of a set that is read: its segments, with the elements that a reader has read.
 *
 * Guarantee: nothing is dropped in silence. What no reader has read is noted, segment by segment, unless the kind of the set passes it over
 * by name: names, references, remarks, transport (D23.1). A fault of an element rejects a set only where the element is read; elsewhere
 * it is noted (D23.4).
 */
import type { DocumentJson } from "@dockline/core/embed/Dockline"
import type * as Slices from "@dockline/core/input/Slices"
import * as Dictionary from "../x12/Dictionary.ts"
import { elementCodes, elementOf, maxSetFaults, segmentCodes, SetFaults, withoutEnd } from "../x12/Fault.ts"
import type { Fault, Segment } from "../x12/Fault.ts"
import type { Acknowledgment } from "./SetStatus.ts"
import type { UnitCode } from "./Units.ts"
import type { OrderWords } from "./Words.ts"

/**
 * The part of a segment that is skipped if no reader reads it: all of it, some elements, or those that a function chooses.
 */
export type Aside =
  | "ALL"
  | ReadonlyArray<number>
  | ((segment: Segment, element: number, content: SetContent) => boolean)

/** What a kind of set passes over, by the ids of segments. Of a segment that is not listed, everything is to be read. */
export type Asides = ReadonlyMap<string, Aside>

/** The reference numbers of the elements that say what kind of value follows them. */
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

  /** Judges the elements of all segments, in steps. It comes before all reading. */
  *judge(): Slices.Steps<void> {
    for (const segment of this.segments) {
      yield Dictionary.judgeCost
      const faults = Dictionary.judgeSegment(segment, this.version)
      if (faults.length === 0) continue
      this.#unread.set(segment, faults)
      // Without its qualifier nobody knows what a value is, and whether it is kept.
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

  /** Passes over elements that say nothing that is kept, without a look at their values. */
  pass(segment: Segment, ...elements: ReadonlyArray<number>): void {
    for (const element of elements) {
      this.#read[segment.inSet] = (this.#read[segment.inSet] ?? 0) | bit(element)
    }
  }

  /** Whether the values of elements can be read as what they are. */
  isSound(segment: Segment, ...elements: ReadonlyArray<number>): boolean {
    const faults = this.#unread.get(segment)
    return faults === undefined ||
      !faults.some((fault) => fault.isNoted !== true && elements.includes(fault.element))
  }

  /** Whether a reader has read an element, or passed over it. */
  isRead(segment: Segment, element: number): boolean {
    return ((this.#read[segment.inSet] ?? 0) & bit(element)) !== 0
  }

  /** Notes, in steps, what is wrong with elements that no reader has read, and what was left unread of a set that is not rejected. */
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

  /** The first element with a value that nobody has read and that is not passed over; 0 for a segment of another kind. */
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

  /** The number of the element that says what kind of value an element is; 0 if none does. */
  #qualifierOf(segment: Segment, element: number): number {
    for (let at = element - 1; at > 0; at--) if (isQualifier(segment, at)) return at
    return 0
  }
}

/** The bit of an element; a segment has few elements of more than one kind behind the 31st. */
const bit = (element: number): number => 1 << Math.min(element, 31)

/** What a set means. */
export type Meaning = DocumentMeaning | Cancellation | AcknowledgmentMeaning

/** Where a value comes from. The element is 0 where it is no single one. */
export interface Source {
  readonly segment: Segment
  readonly element: number
}

/** The words in which a set says the goods of an order. */
export interface OrderWording {
  readonly orderNumber: string
  readonly words: OrderWords
  /** Whether the set changes some items of the order, and says nothing of the others. */
  readonly isChange: boolean
}

/** A set that is a document, as clients write it. */
export interface DocumentMeaning {
  readonly _tag: "Document"
  readonly document: DocumentJson
  /** The words in which it says the goods of its orders. */
  readonly words?: ReadonlyArray<OrderWording> | undefined
  /** Where the field of a path comes from. */
  readonly sourceAt: (path: string) => Source
  /** What it replaces, where a document leaves some of that: what is expected after all is noted. */
  readonly replaces?: Replacement | undefined
}

/** What a set replaces, and where it says so. */
export interface Replacement {
  readonly source: Source
  /** Whether all that was said of the shipment; else all that was said of the orders that the set names. */
  readonly isWhole: boolean
  readonly remedy: string
}

/** A set that cancels a shipment. */
export interface Cancellation {
  readonly _tag: "Cancellation"
  /** The direction of what the kind of the set tells of. */
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

/** A set that was read: what it means, unless it is rejected, and its faults. */
export interface SetReading {
  readonly meaning: Meaning | undefined
  readonly faults: ReadonlyArray<Fault>
}

/**
 * The reading of a set, in steps: its meaning, unless its faults reject it. Elements that were left unread are noted.
 */
export function* readingOf(meaning: Meaning | undefined, content: SetContent): Slices.Steps<SetReading> {
  // A cancellation covers everything, whatever else it says.
  yield* content.close(meaning?._tag !== "Cancellation")
  const { faults, isRejected } = content.faults
  return {
    meaning: isRejected ? undefined : meaning,
    // What rejects the set comes first.
    faults: faults.toSorted((left, right) =>
      Number(left.isNoted) - Number(right.isNoted) || left.segment - right.segment
    )
  }
}

/** How a kind of set begins: with a segment whose first element says what the set is for. */
export interface Beginning {
  readonly id: string
  /** What begins with it, and how its faults call what the set is for. */
  readonly what: string
  readonly purposes: string
  /** The strategy of a document for each purpose. */
  readonly strategies: Readonly<Record<string, string>>
  /** The purpose of a set that cancels. */
  readonly cancellation: string
  readonly remedy: string
}

/** The facility that a set is for, and what a set cannot say itself. */
export interface SetPlace {
  readonly business: string
  readonly facility: string
  /** The time zone of the facility: times of X12 are local. */
  readonly timeZone: string
  /** The version of the sets, as GS08 says it. */
  readonly version: string
  /** The units that are agreed on beside those of X12 (D23.5). */
  readonly units?: ReadonlyArray<UnitCode> | undefined
  /** The purposes of ship notices (BSN01) that mean a new one beside 00. */
  readonly newPurposes?: ReadonlyArray<string> | undefined
}
