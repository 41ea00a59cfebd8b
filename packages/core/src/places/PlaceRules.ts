/**
 * The rules for new businesses, facilities and docks in any storage: their slugs (D1.4) and their number.
 */
import { TooManyEntries } from "../values/OperatorErrors.ts"
import { slugPattern } from "../values/Vocabulary.ts"

/** The most characters (code points) of the slug of a dock (D1.4). */
export const maxDockSlugLength = 64

/** The most facilities of a business (D11). */
export const maxFacilities = 1000

/** The most docks of a facility (D11). */
export const maxDocks = 1000

/** The fault of a business or facility slug; `undefined` when it has none. */
export const slugFault = (text: string): string | undefined =>
  slugPattern.test(text)
    ? undefined
    : "must be 1 to 63 lower-case letters, digits and hyphens, and not begin with a hyphen"

/** The fault of a dock slug; `undefined` when it has none. Documents may name docks by any text. */
export const dockSlugFault = (text: string): string | undefined => {
  if (text === "") return "is required"
  return Array.from(text).length > maxDockSlugLength
    ? `must be at most ${maxDockSlugLength} characters long`
    : undefined
}

/** The fault of a time zone; `undefined` when it has none: this runtime knows it by its name in the IANA's list (D13.7). */
export const timeZoneFault = (text: string): string | undefined => {
  if (/^[A-Za-z]/.test(text)) {
    try {
      Intl.DateTimeFormat("en", { timeZone: text })
      return undefined
    } catch {
      // The runtime does not know the zone.
    }
  }
  return "must be the name of an IANA time zone, such as Europe/Berlin or UTC"
}

/** The refusal of a facility beyond {@link maxFacilities}. */
export const tooManyFacilities = (): TooManyEntries =>
  new TooManyEntries({ what: "facilities of a business", limit: maxFacilities })

/** The refusal of a dock beyond {@link maxDocks}. */
export const tooManyDocks = (): TooManyEntries =>
  new TooManyEntries({ what: "docks of a facility", limit: maxDocks })
