/**
 * Names of businesses and facilities, as clients see them.
 */

/** A business or facility as clients see it. */
export interface Place {
  readonly slug: string
  readonly name: string
}

/** The business and facility an entity belongs to. */
export interface Location {
  readonly business: Place
  readonly facility: Place
}
