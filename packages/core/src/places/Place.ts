/**
 * Names of businesses and facilities, as clients see them.
 */

/** A business or facility as clients see it. */
export interface Place {
  readonly slug: string
  readonly name: string
}

/** A business as operators see it. */
export interface Business extends Place {
  /** Whether an integration is tried there, without real freight. It stays as it was made. */
  readonly sandbox: boolean
}

/** The time zone of a facility that says none. */
export const defaultTimeZone = "UTC"

/** A facility, with the zone of its clocks. */
export interface Facility extends Place {
  /** The name of a zone of the IANA, such as `Europe/Berlin`: for people's eyes only, as the wire stays UTC (D13.7). */
  readonly timeZone: string
}

/** The business and facility an entity belongs to. */
export interface Location {
  readonly business: Place
  readonly facility: Place
}
