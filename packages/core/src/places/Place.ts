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

/** How many minutes a shipment may take from arrival to departure at a facility that says nothing of it. */
export const defaultDetentionMinutes = 120

/** The most minutes that a facility may say. */
export const detentionMinutesAtMost = 99_999

/** A facility, with the zone of its clocks and its limit of detention. */
export interface Facility extends Place {
  /** The name of a zone of the IANA, such as `Europe/Berlin`: for people's eyes only, as the wire stays UTC (D13.7). */
  readonly timeZone: string
  /** How many minutes a shipment may take from arrival to departure before it counts as detained (D13.13). */
  readonly detentionMinutes: number
}

/** The business and facility an entity belongs to. */
export interface Location {
  readonly business: Place
  readonly facility: Place
}
