/**
 * Interchanges of X12: an envelope of functional groups, each with transaction sets.
 */
import type { Delimiters, Fault, Segment } from "./Fault.ts"

/** The default limits: 10 Mi characters, as long as a document may be (D2.7). */
export const defaultLimits = {
  /** The longest file, in UTF-16 code units. */
  length: 10 * 1024 * 1024,
  /** The most segments of a file. */
  segments: 1_000_000,
  /** The longest segment. */
  segmentLength: 16_384,
  /** The most elements of a segment. */
  elements: 100,
  /** The most transaction sets of a file. */
  sets: 10_000,
  /** The most interchanges of a file. */
  interchanges: 100
}

/** See {@link defaultLimits}. */
export type Limits = Readonly<typeof defaultLimits>

/** A transaction set: the segments from ST to SE. */
export interface TransactionSet {
  /** Its kind, such as `856` (ST01). */
  readonly id: string
  /** Its control number, as in the file (ST02). */
  readonly control: string
  /** The segment ST. */
  readonly head: Segment
  /** The segments between ST and SE. */
  readonly segments: ReadonlyArray<Segment>
  /** The faults of its envelope. The content of a set with such a fault is not read. */
  readonly faults: ReadonlyArray<Fault>
}

/** A functional group: the segments from GS to GE. */
export interface FunctionalGroup {
  /** Its kind, such as `SH` for ship notices (GS01). */
  readonly functionalId: string
  /** The sender (GS02). */
  readonly sender: string
  /** The receiver (GS03). */
  readonly receiver: string
  /** Its control number, as in the file (GS06). */
  readonly control: string
  /** The version of its sets, such as `004010` or `005010` (GS08). */
  readonly version: string
  /** The segment GS. */
  readonly head: Segment
  readonly sets: ReadonlyArray<TransactionSet>
  /** The number of sets according to GE; the number of sets found if GE is missing or contains no valid number. */
  readonly claimedSets: number
  /** The faults of its envelope. No set of a group with such a fault is accepted. */
  readonly faults: ReadonlyArray<Fault>
}

/** The sender or receiver of an interchange: a qualifier such as `ZZ`, and an id. */
export interface Party {
  readonly qualifier: string
  /** Without padding spaces. */
  readonly id: string
}

/** The acknowledgment of an interchange (TA1). */
export interface InterchangeAcknowledgment {
  /** The control number of the interchange (TA101), and the date and the time of its ISA. */
  readonly control: string
  readonly date: string
  readonly time: string
  /** `A` accepted, `E` accepted with errors noted, `R` rejected (TA104). */
  readonly status: string
  /** The code of the reason (TA105); `000` for no error. */
  readonly code: string
}

/** A received TA1, with its segment. */
export interface ReadAcknowledgment extends InterchangeAcknowledgment {
  readonly segment: Segment
}

/** An interchange: the segments from ISA to IEA. */
export interface Interchange {
  readonly sender: Party
  readonly receiver: Party
  /** Its control number of nine digits, as in the file (ISA13). */
  readonly control: string
  /** The version of the envelope, such as `00401` (ISA12). */
  readonly version: string
  /** `P` for production, `T` for a test (ISA15). */
  readonly usage: string
  readonly delimiters: Delimiters
  readonly groups: ReadonlyArray<FunctionalGroup>
  /** Its sender's acknowledgments of interchanges (TA1). */
  readonly acknowledgments: ReadonlyArray<ReadAcknowledgment>
  /** Whether its sender requests a TA1 (ISA14), and its date and time (ISA09, ISA10). */
  readonly wantsAcknowledgment: boolean
  readonly date: string
  readonly time: string
  /** Noted faults of its envelope, with which the interchange is still accepted. */
  readonly notes: ReadonlyArray<Fault>
  /** The length of its text, in UTF-16 code units, and its number of segments. */
  readonly length: number
  readonly segmentCount: number
  /** The beginning and the end of its text in the file, in UTF-16 code units. */
  readonly start: number
  readonly end: number
}
