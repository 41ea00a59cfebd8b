/**
 * The content of a set: its segments, with a record of the elements that its reader has read. Also the outcomes of a set and of a group, sent
 * or received, as a functional acknowledgment (997) reports them.
 *
 * Guarantee: nothing in an accepted set is dropped silently, except in a cancellation, which needs no more than its number. Elements that
 * the reader has not read are noted, segment by segment, unless the kind of set skips them explicitly: names, references, remarks, transport
 * (D23.1). A fault of an element rejects a set only if the reader reads the element; otherwise the fault is noted (D23.4).
 */
import type { DocumentJson } from "@dockline/core/embed/Dockline"
import type * as Slices from "@dockline/core/input/Slices"
import * as Dictionary from "../x12/Dictionary.ts"
import type { Fault, Segment } from "../x12/Fault.ts"
import { elementCodes, elementOf, maxSetFaults, segmentCodes, SetFaults, withoutEnd } from "../x12/Fault.ts"
import type { TransactionSet } from "../x12/Interchange.ts"
import type { OrderWords, UnitCode } from "./Words.ts"

/** The outcome of a set: accepted, accepted with errors noted, rejected. */
export type SetStatus = "A" | "E" | "R"

/** The outcome of a group, which may also be partly accepted. */
export type GroupStatus = SetStatus | "P"

/** An error that the receiver of a set noted. */
export interface NotedError {
  /** The id of the segment; `""` for the set as a whole. */
  readonly segmentId: string
  /** The number of the segment in its set; ST is 1, and 0 stands for the set as a whole. */
  readonly segment: number
  /** The number of the element; 0 for the segment as a whole. */
  readonly element: number
  /** AK403; AK304 if the element is 0; AK502 for the set as a whole. */
  readonly code: string
  readonly value: string
}

/** The acknowledgment of a set. */
export interface AcknowledgedSet {
  readonly id: string
  readonly control: string
  readonly status: SetStatus
  readonly errors: ReadonlyArray<NotedError>
}

/** The acknowledgment of a group. */
export interface Acknowledgment {
  /** The kind of the group, such as `SH` (AK101). */
  readonly functionalId: string
  /** The control number of the group (AK102). */
  readonly control: string
  readonly status: GroupStatus
  readonly includedCount: number
  readonly receivedCount: number
  readonly acceptedCount: number
  /** The sets that the acknowledgment names. It may accept a group without naming its sets. */
  readonly sets: ReadonlyArray<AcknowledgedSet>
}

/** The kind of groups of acknowledgments, which are not answered. */
export const acknowledgmentGroup = "FA"

/** A set with its faults. The set is rejected if any fault is not merely noted. */
export type SetVerdict = Pick<TransactionSet, "id" | "control" | "faults">

/** The outcome of a set with these faults. */
export const statusOf = (faults: ReadonlyArray<Fault>): SetStatus =>
  faults.length === 0 ? "A" : faults.every(({ isNoted }) => isNoted) ? "E" : "R"

/** The outcome of a group with sets of these outcomes. A group with a fault of its own is rejected with all its sets. */
export const groupStatusOf = (
  statuses: ReadonlyArray<SetStatus>,
  faults: ReadonlyArray<Fault>
): GroupStatus => {
  const rejections = statuses.filter((status) => status === "R").length
  if (faults.length > 0 || (rejections > 0 && rejections === statuses.length)) return "R"
  if (rejections > 0) return "P"
  return statuses.includes("E") ? "E" : "A"
}

/** The elements of a segment that are skipped if the reader does not read them: all, some, or those that a function selects. */
export type Aside =
  | "ALL"
  | ReadonlyArray<number>
  | ((segment: Segment, element: number, content: SetContent) => boolean)

/** The segments that a kind of set skips, by their ids. All elements of an unlisted segment have to be read. */
export type Asides = ReadonlyMap<string, Aside>

/** The reference numbers of qualifiers: elements that state the kind of the value after them. */
const qualifiers = new Set(["88", "128", "235", "374", "432"])

const isQualifier = ({ id }: Segment, element: number): boolean =>
  qualifiers.has(Dictionary.rulesOf(id)?.[element - 1]?.reference ?? "")

/** The segments of a set, as a reader reads them. */
export class SetContent {
  readonly faults = new SetFaults()
  readonly segments: ReadonlyArray<Segment>
  readonly version: string
  readonly #asides: Asides
  /** A bit for each element that was read, by the number of its segment in the set. */
  readonly #read: Array<number> = []
  /** The faults of elements that no reader has read, by segment. */
  readonly #unread = new Map<Segment, ReadonlyArray<Dictionary.JudgedElement>>()

  constructor(segments: ReadonlyArray<Segment>, version: string, asides: Asides) {
    this.segments = segments
    this.version = version
    this.#asides = asides
  }

  /** Checks the elements of all segments, in steps. It has to run before the reader begins. */
  *judge(): Slices.Steps<void> {
    for (const segment of this.segments) {
      yield Dictionary.judgeCost
      const faults = Dictionary.judgeSegment(segment, this.version)
      if (faults.length === 0) continue
      this.#unread.set(segment, faults)
      // A missing qualifier rejects the set, because it leaves the meaning of its value unknown.
      this.read(
        segment,
        ...faults.flatMap(({ code, element }) =>
          code === elementCodes.missing && isQualifier(segment, element) ? [element] : []
        )
      )
    }
  }

  /** Marks elements as read. A fault of one of them, unless it is only noted, rejects the set. */
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

  /** Skips elements whose values are not needed: they are neither noted nor rejected. */
  pass(segment: Segment, ...elements: ReadonlyArray<number>): void {
    for (const element of elements) {
      this.#read[segment.inSet] = (this.#read[segment.inSet] ?? 0) | bit(element)
    }
  }

  /** Whether none of the elements has a fault that would reject the set. */
  isSound(segment: Segment, ...elements: ReadonlyArray<number>): boolean {
    const faults = this.#unread.get(segment)
    return faults === undefined ||
      !faults.some((fault) => fault.isNoted !== true && elements.includes(fault.element))
  }

  /** Whether a reader has read an element, or skipped it. */
  isRead(segment: Segment, element: number): boolean {
    return ((this.#read[segment.inSet] ?? 0) & bit(element)) !== 0
  }

  /**
   * Notes, in steps, the faults of elements that the reader has not read. If the set is not rejected and `isWhole`, also notes the unread
   * elements.
   */
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

  /**
   * The number of the first element with a value that is neither read nor skipped; `undefined` without one. It is 0 for an unread segment
   * without rules.
   */
  #leftOf(segment: Segment): number | undefined {
    const aside = this.#asides.get(segment.id)
    if (aside === "ALL") return undefined
    const rules = Dictionary.rulesOf(segment.id)
    if (aside === undefined && rules === undefined) {
      return this.#read[segment.inSet] === undefined
        ? 0
        : undefined
    }
    const isPassed = (element: number): boolean =>
      typeof aside === "function" ? aside(segment, element, this) : aside?.includes(element) === true
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

  /** The number of the qualifier before an element; 0 if there is none. */
  #qualifierOf(segment: Segment, element: number): number {
    for (let at = element - 1; at > 0; at--) if (isQualifier(segment, at)) return at
    return 0
  }
}

/** The bit of an element. The elements from the 31st on share a bit. */
const bit = (element: number): number => 1 << Math.min(element, 31)

/** The meaning of a set. */
export type Meaning = DocumentMeaning | Cancellation | AcknowledgmentMeaning

/** The source of a value. The element is 0 if the value does not come from a single element. */
export interface Source {
  readonly segment: Segment
  readonly element: number
}

/** The words that a set uses for the goods of an order. */
export interface OrderWording {
  readonly orderNumber: string
  readonly words: OrderWords
  /** Whether the set changes only some items of the order. */
  readonly isChange: boolean
}

/** A set that is a document, in the form in which clients write it. */
export interface DocumentMeaning {
  readonly _tag: "Document"
  readonly document: DocumentJson
  /** The words that the set uses for the goods of its orders. */
  readonly words?: ReadonlyArray<OrderWording> | undefined
  /** The source of the field with a path. */
  readonly sourceAt: (path: string) => Source
  /** Present if the set replaces earlier content that a document cannot replace completely. Goods that stay expected are then noted. */
  readonly replaces?: Replacement | undefined
}

/** The extent of a replacement, and the element that requests it. */
export interface Replacement {
  readonly source: Source
  /** Whether the set replaces the whole shipment; otherwise it replaces only the orders that it names. */
  readonly isWhole: boolean
  readonly remedy: string
}

/** A set that cancels a shipment. */
export interface Cancellation {
  readonly _tag: "Cancellation"
  /** The direction of the shipments that this kind of set describes. */
  readonly direction: string
  readonly shipmentNumber: string
  readonly source: Source
  /** The order that the set cancels (940): its shipment is cancelled only if it has no other order. A ship notice (856) names no order. */
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

/** Ends the reading of a set, in steps. The result has the meaning unless a fault rejects the set. Unread elements are noted. */
export function* readingOf(meaning: Meaning | undefined, content: SetContent): Slices.Steps<SetReading> {
  // In a cancellation, unread elements do not matter, because everything is cancelled.
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
  /** The names of the set and of its purposes in the texts of faults. */
  readonly what: string
  readonly purposes: string
  /** The strategy of a document for each purpose. */
  readonly strategies: Readonly<Record<string, string>>
  /** The purpose of a set that cancels. */
  readonly cancellation: string
  readonly remedy: string
}

/** The facility to which a set belongs, and other facts that the set itself does not contain. */
export interface SetPlace {
  readonly business: string
  readonly facility: string
  /** The time zone of the facility. Times in X12 are local times. */
  readonly timeZone: string
  /** The version of the sets (GS08). */
  readonly version: string
  /** The units agreed on with the partner, in addition to those of X12 (D23.5). */
  readonly units?: ReadonlyArray<UnitCode> | undefined
  /** The purposes of ship notices (BSN01) that mean a new notice, in addition to 00. */
  readonly newPurposes?: ReadonlyArray<string> | undefined
}
