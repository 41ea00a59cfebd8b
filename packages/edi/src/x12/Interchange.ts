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

/** A transaction set: what stands between ST and SE. */
export interface TransactionSet {
  /** Its kind, such as `856` (ST01). */
  readonly id: string
  /** Its control number, as it stands (ST02). */
  readonly control: string
  /** The segment ST. */
  readonly head: Segment
  /** The segments between ST and SE. */
  readonly segments: ReadonlyArray<Segment>
  /** What is wrong with its envelope; a set with a fault is not read further. */
  readonly faults: ReadonlyArray<Fault>
}

/** A functional group: what stands between GS and GE. */
export interface FunctionalGroup {
  /** Its kind, such as `SH` for ship notices (GS01). */
  readonly functionalId: string
  /** Who sends it (GS02). */
  readonly sender: string
  /** Who gets it (GS03). */
  readonly receiver: string
  /** Its control number, as it stands (GS06). */
  readonly control: string
  /** The version of its sets, such as `004010` or `005010` (GS08). */
  readonly version: string
  /** The segment GS. */
  readonly head: Segment
  readonly sets: ReadonlyArray<TransactionSet>
  /** How many sets GE says it has; that of those found where GE is missing or says no number. */
  readonly claimedSets: number
  /** What is wrong with its envelope; no set of a group with a fault is taken. */
  readonly faults: ReadonlyArray<Fault>
}

/** Who sends or gets an interchange: a qualifier such as `ZZ`, and an id. */
export interface Party {
  readonly qualifier: string
  /** Without the spaces that fill it up. */
  readonly id: string
}

/** What became of an interchange, as a TA1 tells it. */
export interface InterchangeAcknowledgment {
  /** The control number of the interchange (TA101), and the date and the time of its ISA. */
  readonly control: string
  readonly date: string
  readonly time: string
  /** `A` accepted, `E` accepted with errors noted, `R` rejected (TA104). */
  readonly status: string
  /** Why (TA105); `000` for no error. */
  readonly code: string
}

/** A TA1 that was read, with its segment. */
export interface ReadAcknowledgment extends InterchangeAcknowledgment {
  readonly segment: Segment
}

/** An interchange: what stands between ISA and IEA. */
export interface Interchange {
  readonly sender: Party
  readonly receiver: Party
  /** Its control number of nine digits, as it stands (ISA13). */
  readonly control: string
  /** The version of the envelope, such as `00401` (ISA12). */
  readonly version: string
  /** `P` for production, `T` for a test (ISA15). */
  readonly usage: string
  readonly delimiters: Delimiters
  readonly groups: ReadonlyArray<FunctionalGroup>
  /** What its sender says of interchanges that it got (TA1). */
  readonly acknowledgments: ReadonlyArray<ReadAcknowledgment>
  /** Whether its sender asks for a TA1 (ISA14), and the date and the time that it says (ISA09, ISA10). */
  readonly wantsAcknowledgment: boolean
  readonly date: string
  readonly time: string
  /** What is noted of its envelope: it is taken all the same. */
  readonly notes: ReadonlyArray<Fault>
  /** The length of its text, in UTF-16 code units, and its number of segments. */
  readonly length: number
  readonly segmentCount: number
  /** Where it begins and ends in the file, in UTF-16 code units: its text is what lies between. */
  readonly start: number
  readonly end: number
}
