/**
 * Reads files of X12 in the releases 4010 to 5010 (D18.1).
 *
 * Guarantee: the result does not depend on the chunks of a file. A damaged file is refused with its first fault, and none of its
 * interchanges is returned. No input throws. A long file is read in slices, and only as far as it can still be valid.
 *
 * ```ts
 * Result.match(X12Reader.read(text), { onSuccess: (interchanges) => …, onFailure: (fault) => describe(fault) })
 * ```
 */
import * as Slices from "@dockline/core/input/Slices"
import { Result } from "effect"
import { EnvelopeReader } from "./EnvelopeReader.ts"
import type { Delimiters, Fault } from "./Fault.ts"
import { defaultLimits } from "./Interchange.ts"
import type { Interchange, Limits } from "./Interchange.ts"
import { SegmentReader } from "./SegmentReader.ts"

/** The interchanges of a file, at least one, or the reason why it is refused as a whole. */
export type Reading = Result.Result<ReadonlyArray<Interchange>, Fault>

/** Reads a file that comes in chunks, each in steps. */
export class X12Reader {
  readonly #envelopes: EnvelopeReader
  readonly #segments: SegmentReader
  #fault: Fault | undefined

  constructor(limits: Limits = defaultLimits) {
    this.#envelopes = new EnvelopeReader(limits)
    this.#segments = new SegmentReader(this.#envelopes, limits)
  }

  /** Reads a chunk. Returns `false` once the file is refused: later text is ignored. */
  *push(chunk: string): Slices.Steps<boolean> {
    this.#fault ??= yield* this.#segments.push(chunk)
    return this.#fault === undefined
  }

  /** Ends the file. */
  end(): Reading {
    this.#fault ??= this.#segments.end() ?? this.#envelopes.end()
    return this.#fault === undefined ? Result.succeed(this.#envelopes.interchanges) : Result.fail(this.#fault)
  }
}

/** Reads a file in steps. */
export function* readSteps(text: string, limits?: Limits): Slices.Steps<Reading> {
  const reader = new X12Reader(limits)
  yield* reader.push(text)
  return reader.end()
}

/** Reads a file at once. */
export const read = (text: string, limits?: Limits): Reading => Slices.atOnce(readSteps(text, limits))

/** The characters between segments, which readers skip. */
const between = /[\t-\r \ufeff]*/y

/** Marks the end of each segment; no segment contains it. */
const end = "\n"

/** The cost of a segment, in the unit of slices. */
const segmentCost = 2

/**
 * The normal form of an interchange, by which repetitions are recognised however their lines are wrapped: its segments, without the spaces
 * and line breaks between them, and without their terminators. Systems on the way wrap files anew, and change the ends of their lines.
 *
 * It is made in steps, from the text from ISA to IEA.
 */
export function* normalForm(
  text: string,
  { segment: terminator }: Pick<Delimiters, "segment">
): Slices.Steps<string> {
  const segments: Array<string> = []
  for (let from = 0; from < text.length;) {
    yield segmentCost
    between.lastIndex = from
    between.test(text)
    const begin = between.lastIndex
    const match = text.indexOf(terminator, begin)
    const last = match === -1 ? text.length : match
    if (begin < text.length) segments.push(text.slice(begin, last))
    from = last + 1
  }
  return segments.join(end)
}
