/** How SQL compares numbers and LPNs that are searched, as core does (`Found.ts`). */
import { endingLength } from "@dockline/core/Found"

/** A text with small letters instead of the letters A to Z. */
export const folded = (text: string): string => `lower(${text} collate "C")`

/** The folded end of a text, which an index holds. */
export const ending = (text: string): string => `(${folded(`right(${text}, ${endingLength})`)})`
