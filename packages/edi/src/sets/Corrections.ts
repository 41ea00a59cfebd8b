/**
 * What makes a set that tells of a shipment the replacement of one that was sent before (D23.8): a ship notice by its purpose (BSN01), a
 * shipping advice by its action (W0612), and both advices in words, as a receiving advice has no code for it.
 */
import { segment } from "../x12/Segment.ts"
import type { SegmentDraft } from "../x12/Segment.ts"
import type { AdviceSet } from "./Departure.ts"

/** The purposes of a ship notice (BSN01) that replaces, and of one that cancels, another of its number. */
const [replacement, cancellation] = ["05", "01"]

/** The action of an advice that replaces another (W0612), and its place. */
const [replace, action] = ["RX", 12]

const inWords = segment("NTE", "GEN", "REPLACES THE ADVICE OF THIS ORDER AND SHIPMENT THAT WAS SENT BEFORE")

/** The segments before which the note of an advice stands. */
const behindNote = new Set(["W27", "W07", "W14"])

/** Makes a set the replacement of the one that told of the same before. */
export const replacing = (set: AdviceSet): AdviceSet => {
  const { id, segments: [first, ...rest] } = set
  if (first === undefined || isCancellation(set)) return set
  if (id === "856") {
    return { id, segments: [segment("BSN", replacement, ...first.elements.slice(1)), ...rest] }
  }
  const at = rest.findIndex(({ id }) => behindNote.has(id))
  return { id, segments: [id === "945" ? acting(first) : first, ...rest.toSpliced(at, 0, inWords)] }
}

const acting = ({ elements, id }: SegmentDraft): SegmentDraft => {
  const before = Array.from({ length: action - 1 }, (_, index) => elements[index] ?? "")
  return segment(id, ...before, replace)
}

/** A set without what an advice says of being a replacement. */
export const withoutCorrection = ({ id, segments: [first, ...rest] }: AdviceSet): AdviceSet => ({
  id,
  segments: [
    ...(first === undefined ? [] : [{ ...first, elements: first.elements.slice(0, action - 1) }]),
    ...rest.filter(({ id }) => id !== "NTE")
  ]
})

/** Whether a set cancels the ship notice that was sent before. */
export const isCancellation = ({ id, segments: [first] }: AdviceSet): boolean =>
  id === "856" && first?.elements[0] === cancellation
