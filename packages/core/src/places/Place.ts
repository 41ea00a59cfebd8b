/**
 * Names of businesses and facilities, as clients see them.
 */
import { Schema } from "effect"
import * as ViewField from "../values/ViewField.ts"

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

/** The time zone of a facility that says none. */
export const defaultTimeZone = "UTC"

/** How many minutes a shipment may take from arrival to departure at a facility that says nothing of it. */
export const defaultDetentionMinutes = 120

/** The most minutes that a facility may say. */
export const detentionMinutesAtMost = 99_999

/** A facility as operators see it. The zone of its clocks is for people's eyes only, as the wire stays UTC (D13.7, D13.13). */
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
