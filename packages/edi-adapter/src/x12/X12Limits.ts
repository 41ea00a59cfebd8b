/** How much of X12 is read at most. */

/** Limits of reading. */
export interface Limits {
  /** The longest file, in UTF-16 code units. */
  readonly length: number
  /** The most segments of an interchange. */
  readonly segments: number
  /** The longest segment. */
  readonly segmentLength: number
  /** The most elements of a segment. */
  readonly elements: number
  /** The most transaction sets of a file. */
  readonly sets: number
  /** The most interchanges of a file. */
  readonly interchanges: number
}

/** The default limits: 10 Mi characters, as long as a document may be (D2.7). */
export const defaultLimits: Limits = {
  length: 10 * 1024 * 1024,
  segments: 1_000_000,
  segmentLength: 16_384,
  elements: 100,
  sets: 10_000,
  interchanges: 100
}
