/** How much of X12 is read at most. */

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
