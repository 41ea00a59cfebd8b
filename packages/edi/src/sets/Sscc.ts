/**
 * The serial shipping container code (SSCC) of GS1 in marks of packages (MAN), and what is the LPN of a pallet.
 *
 * Guarantee: an LPN that is written as a mark reads as one with the same key (D22). A check digit that does not fit is told and never refused (D18.4).
 */
import { checkDigitNote, lpnKey, ssccOf } from "@dockline/core/labels/Lpn"
import { elementCodes } from "../x12/Fault.ts"
import type { SetFaults } from "../x12/Fault.ts"
import { elementOf, segment } from "../x12/Segment.ts"
import type { Segment, SegmentDraft } from "../x12/Segment.ts"

/** Whether text has the form of an SSCC: 18 digits. */
export const isSscc = (text: string): boolean => /^\d{18}$/.test(text)

/**
 * The qualifiers of a mark (MAN01, and N901) that name a package, the best first: GM and AA are SSCCs, which the label has, W is a pallet
 * number, CP is what the carrier assigned, and LV a license plate. All others are marks of something else (D23.3).
 */
const qualifiers = ["GM", "AA", "W", "CP", "LV"]

/** Where qualifiers of marks stand, by the ids of their segments. */
const places: Readonly<Record<string, ReadonlyArray<number>>> = { MAN: [1, 4], N9: [1] }

/**
 * The LPN that a mark names; `undefined` for a mark of another kind. GM and AA are SSCCs: in each form that scanners give
 * them, they are their 18 digits (D22).
 */
export const lpnOfMark = (qualifier: string, mark: string): string | undefined => {
  if (!qualifiers.includes(qualifier)) return undefined
  return qualifier === "GM" || qualifier === "AA" ? lpnKey(mark) : mark
}

/** A mark that names a package, with the segment that says it. */
export interface Mark {
  readonly lpn: string
  readonly segment: Segment
  readonly element: number
  /** The place of its qualifier among those that name a package: 0 is the best. */
  readonly rank: number
}

/** The marks that a segment says (MAN, N9*LV). */
export const marksIn = (segment: Segment): ReadonlyArray<Mark> => {
  if (!Object.hasOwn(places, segment.id)) return []
  return (places[segment.id] ?? []).flatMap((place) => {
    const qualifier = elementOf(segment, place)
    const lpn = (segment.id === "MAN") === (qualifier !== "LV")
      ? lpnOfMark(qualifier, elementOf(segment, place + 1))
      : undefined
    if (lpn === undefined || lpn === "") return []
    return [{ lpn, segment, element: place + 1, rank: qualifiers.indexOf(qualifier) }]
  })
}

/** The best of a mark that is known and those that a segment says; of two with the same qualifier it is the first. */
export const betterMark = (mark: Mark | undefined, segment: Segment): Mark | undefined => {
  let best = mark
  for (const mark of marksIn(segment)) {
    if (best === undefined || mark.rank < best.rank) best = mark
  }
  return best
}

/** Notes an SSCC whose check digit does not fit: the label may have the same, so that it is taken (D18.4). */
export const noteCheckDigit = ({ element, lpn, segment }: Mark, faults: SetFaults): void => {
  const isTold = faults.faults.some((fault) =>
    fault.segment === segment.position && fault.element === element
  )
  const note = elementOf(segment, element - 1) === "W" ? undefined : checkDigitNote(lpn)
  if (note === undefined || isTold) return
  faults.add(segment, {
    element,
    code: elementCodes.code,
    detail: note,
    remedy: "Send the SSCC as it stands on the label.",
    isNoted: true
  })
}

/** The mark of an LPN. */
export const markOf = (lpn: string): SegmentDraft => {
  const sscc = ssccOf(lpn)
  return sscc === undefined ? segment("MAN", "W", lpn) : segment("MAN", "GM", `00${sscc}`)
}
