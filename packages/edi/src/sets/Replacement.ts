/**
 * The marks by which a set replaces an earlier set (D23.8) or cancels a ship notice.
 *
 * Guarantee: `withoutCorrection` gives an advice and its replacement the same content.
 */
import type { AdviceKind } from "../domain/EdiPartner.ts"
import { segment } from "../x12/Fault.ts"
import type { SegmentDraft } from "../x12/Fault.ts"

/** A set about a departed shipment. */
export interface AdviceSet {
  readonly id: AdviceKind
  readonly segments: ReadonlyArray<SegmentDraft>
}

/** The purposes (BSN01) of a ship notice that replaces, and of one that cancels, another with the same number. */
const [replacement, cancellation] = ["05", "01"]

/** The action of a shipping advice that replaces another, and the number of its element (W0612). */
const [replace, action] = ["RX", 12]

const note = segment("NTE", "GEN", "REPLACES THE ADVICE OF THIS ORDER AND SHIPMENT THAT WAS SENT BEFORE")

/** The segments before which the note of an advice has to stand. */
const afterNote = new Set(["W27", "W07", "W14"])

/**
 * Marks a set about a shipment as the replacement of an earlier one (D23.8): a ship notice by its purpose (BSN01), a shipping advice by its
 * action (W0612), and both advices by a note, because a receiving advice has no code for it.
 */
export const replacing = (set: AdviceSet): AdviceSet => {
  const { id, segments: [first, ...rest] } = set
  if (first === undefined || isCancellation(set)) return set
  if (id === "856") {
    return { id, segments: [segment("BSN", replacement, ...first.elements.slice(1)), ...rest] }
  }
  const place = rest.findIndex(({ id }) => afterNote.has(id))
  const withNote = place === -1 ? [...rest, note] : rest.toSpliced(place, 0, note)
  return { id, segments: [id === "945" ? acting(first) : first, ...withNote] }
}

const acting = ({ elements, id }: SegmentDraft): SegmentDraft => {
  const before = Array.from({ length: action - 1 }, (_, index) => elements[index] ?? "")
  return segment(id, ...before, replace)
}

/** A set without the note and the action that mark an advice as a replacement. */
export const withoutCorrection = ({ id, segments: [first, ...rest] }: AdviceSet): AdviceSet => ({
  id,
  segments: [
    ...(first === undefined ? [] : [{ ...first, elements: first.elements.slice(0, action - 1) }]),
    ...rest.filter(({ id }) => id !== "NTE")
  ]
})

/** Whether a set cancels an earlier ship notice. */
export const isCancellation = ({ id, segments: [first] }: AdviceSet): boolean =>
  id === "856" && first?.elements[0] === cancellation
