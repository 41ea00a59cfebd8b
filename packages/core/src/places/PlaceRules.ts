/**
 * What holds for businesses, facilities and docks that are made, whatever they are stored in: their slugs (D1.4), and
 * how many there may be.
 */
import { TooManyEntries } from "../values/OperatorErrors.ts"
import { slugPattern } from "../values/Vocabulary.ts"

/** The longest slug of a dock. */
export const maxDockSlugLength = 64

/** The most facilities of a business that operators make. */
export const maxFacilities = 1000

/** The most docks of a facility that operators make. */
export const maxDocks = 1000

/** What is wrong with the slug of a business or facility, or nothing. */
export const slugFault = (text: string): string | undefined =>
  slugPattern.test(text)
    ? undefined
    : "must be 1 to 63 lower-case letters, digits and hyphens, and not begin with a hyphen"

/** What is wrong with the slug of a dock, or nothing: documents may name docks by any text. */
export const dockSlugFault = (text: string): string | undefined => {
  if (text === "") return "is required"
  return Array.from(text).length > maxDockSlugLength
    ? `must be at most ${maxDockSlugLength} characters long`
    : undefined
}

/** The refusal of a facility too many. */
export const tooManyFacilities = (): TooManyEntries =>
  new TooManyEntries({ what: "facilities of a business", limit: maxFacilities })

/** The refusal of a dock too many. */
export const tooManyDocks = (): TooManyEntries =>
  new TooManyEntries({ what: "docks of a facility", limit: maxDocks })
