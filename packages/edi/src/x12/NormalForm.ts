/**
 * The form of an interchange in which two that say the same are equal, however they are wrapped: its segments, without the spaces and line
 * breaks between them, and without the character that ends them. Systems on the way wrap files anew, and change the ends of their lines.
 */
import type * as Slices from "@dockline/core/input/Slices"
import type { Delimiters } from "./Segment.ts"

/** What stands between segments, and is skipped by what reads them. */
const between = /[\t-\r \ufeff]*/y

/** What stands for the end of each segment: no segment holds it. */
const end = "\n"

/** The cost of a segment, in the unit of slices. */
const segmentCost = 2

/** Makes the normal form of the text of an interchange, from ISA to IEA, in steps. */
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
