/**
 * What transaction sets mean to the service: a document, a cancellation, or the acknowledgment of what was sent.
 */
import type { DocumentJson } from "@dockline/core/embed/Dockline"
import type * as Slices from "@dockline/core/input/Slices"
import type { Fault } from "../x12/Fault.ts"
import type { Segment } from "../x12/Segment.ts"
import type { Acknowledgment } from "./Acknowledgments.ts"
import type { SetContent } from "./SetContent.ts"
import type { OrderWords, UnitCode } from "./Words.ts"

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

/** What was read of a set, in steps: its meaning, unless its faults reject it. What was left unread is noted. */
export function* readingOf(meaning: Meaning | undefined, content: SetContent): Slices.Steps<SetReading> {
  // A cancellation is of all that there is, whatever else it says.
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

/** Where a set is meant for, and what it cannot say itself. */
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
