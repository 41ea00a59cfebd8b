/**
 * Names of businesses and facilities as clients see them, the fields by which operators name new ones, the rules for new ones in any storage (D1.4), and days and hours at
 * a facility, in its time zone (D13.7).
 */
import { Schema } from "effect"
import * as Field from "../values/Field.ts"
import { TooManyEntries } from "../values/OperatorErrors.ts"
import * as Timestamp from "../values/Timestamp.ts"
import * as ViewField from "../values/ViewField.ts"
import { slugPattern } from "../values/Vocabulary.ts"

/** A business or facility as clients see it. */
export interface Place {
  readonly slug: string
  readonly name: string
}

const slugAndName = {
  slug: ViewField.text("Its name in documents and addresses"),
  name: ViewField.text("Its name for people")
}

/** A business as operators see it. */
export const Business = Schema.Struct(slugAndName).annotate({
  identifier: "Business",
  description: "A business."
})

/** A business as operators see it. */
export type Business = typeof Business.Type

/** The default time zone of a facility. */
export const defaultTimeZone = "UTC"

/** The default of the minutes that a shipment may take from arrival to departure at a facility. */
export const defaultDetentionMinutes = 120

/** The maximum of `detentionMinutes`. */
export const detentionMinutesAtMost = 99_999

/** A facility as operators see it. Its time zone is for days, hours and displays; times on the wire are UTC (D13.7, D13.13). */
export const Facility = Schema.Struct({
  ...slugAndName,
  timeZone: ViewField.text("IANA name of the time zone that its clocks show"),
  detentionMinutes: ViewField.whole(
    "How many minutes a shipment may take from arrival to departure before it counts as detained"
  )
}).annotate({ identifier: "Facility", description: "A facility of a business." })

/** A facility as operators see it. */
export type Facility = typeof Facility.Type

/** The business and facility an entity belongs to. */
export interface Location {
  readonly business: Place
  readonly facility: Place
}

/** The most characters (code points) of the slug of a dock (D1.4). */
export const maxDockSlugLength = 64

/** The most facilities of a business (D11). */
export const maxFacilities = 1000

/** The most docks of a facility (D11). */
export const maxDocks = 1000

/** The fault of a business or facility slug; `undefined` for a valid one. */
export const slugFault = (text: string): string | undefined =>
  slugPattern.test(text)
    ? undefined
    : "must be 1 to 63 lower-case letters, digits and hyphens, and not begin with a hyphen"

/** The fault of a dock slug; `undefined` for a valid one. Documents may name docks by any text. */
export const dockSlugFault = (text: string): string | undefined => {
  if (text === "") return "is required"
  return Array.from(text).length > maxDockSlugLength
    ? `must be at most ${maxDockSlugLength} characters long`
    : undefined
}

/** The fault of a time zone; `undefined` if this runtime knows it as an IANA name (D13.7). */
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

const dayMillis = 24 * 60 * 60_000

/** Makes the function that returns the hour of a time in a zone: `2026-11-20 07`. The Swedish locale has the order of ISO 8601. */
export const hoursOf = (timeZone: string): (time: string | number) => string => {
  const format = new Intl.DateTimeFormat("sv", {
    timeZone,
    year: "numeric",
    month: "2-digit",
    day: "2-digit",
    hour: "2-digit",
    hourCycle: "h23"
  })
  return (time) => format.format(new Date(time))
}

/** The day a number of days after a day. */
export const dayAfter = (day: string, days: number): string =>
  new Date(Date.parse(`${day}T00:00:00Z`) + days * dayMillis).toISOString().slice(0, 10)

/** The beginning of a day in a zone: the first minute that has the date of the day in that zone. */
export const startOfDay = (day: string, timeZone: string): Timestamp.Timestamp => {
  const hourOf = hoursOf(timeZone)
  const midnight = Date.parse(`${day}T00:00:00Z`)
  // Zones are at most 14 hours ahead of UTC and 12 behind it.
  let [before, from] = [midnight - dayMillis, midnight + dayMillis]
  while (from - before > 60_000) {
    const middle = before + Math.floor((from - before) / 120_000) * 60_000
    if (hourOf(middle).slice(0, 10) < day) before = middle
    else from = middle
  }
  return Timestamp.fromMillis(from)
}

const maxNameLength = 200

const nameFault = (text: string): string | undefined => {
  if (text === "") return "is required"
  if (Array.from(text).length > maxNameLength) return `must be at most ${maxNameLength} characters long`
  // oxlint-disable-next-line no-control-regex -- the pattern looks for control characters
  return /[\u0000-\u001f\u007f-\u009f]/.test(text) ? "must not contain control characters" : undefined
}

/** A nameField that people read. */
export const nameField = (description: string) =>
  Field.stringField(description, nameFault, { minLength: 1, maxLength: maxNameLength })

/** The slugField of a new entity: its nameField in addresses. */
export const slugField = (description: string) =>
  Field.stringField(description, slugFault, { pattern: slugPattern.source, maxLength: 63 })
