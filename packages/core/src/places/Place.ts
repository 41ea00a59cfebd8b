/**
 * Businesses and facilities as clients see them, the fields by which operators name new ones, the rules for new ones in any storage (D1.4),
 * days and hours at a facility in its time zone (D13.7), and the port that stores the businesses, their facilities and docks.
 */
import { Context, Effect, Result, Schema } from "effect"
import type { BusinessScope } from "../access/Access.ts"
import type { FieldError } from "../values/CatalogueError.ts"
import { InvalidRequest } from "../values/Errors.ts"
import type { BusinessNotFound, FacilityNotFound, StorageUnavailable } from "../values/Errors.ts"
import * as Field from "../values/Field.ts"
import { textFault, wholeFault } from "../values/Field.ts"
import { TooManyEntries } from "../values/OperatorErrors.ts"
import type { BusinessExists, DockExists, FacilityExists } from "../values/OperatorErrors.ts"
import type { NamePageRequest, Page } from "../values/Page.ts"
import * as Timestamp from "../values/Timestamp.ts"
import * as ViewField from "../values/ViewField.ts"
import { slugPattern } from "../values/Vocabulary.ts"
import { checkFieldMap, withPaths } from "./MessageField.ts"
import type { MessageField, PayloadProfile } from "./MessageField.ts"

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

/** The field for a name that people read. */
export const nameField = (description: string) =>
  Field.stringField(description, nameFault, { minLength: 1, maxLength: maxNameLength })

/** The field for the slug of a new entity: its name in addresses. */
export const slugField = (description: string) =>
  Field.stringField(description, slugFault, { pattern: slugPattern.source, maxLength: 63 })

/** A facility with the slugs of its docks. */
export interface FacilityEntry extends Place {
  readonly docks: ReadonlyArray<string>
  /** If absent, the zone stays; a new facility has `UTC`. */
  readonly timeZone?: string
  /** If absent, the limit stays; a new facility has 120. */
  readonly detentionMinutes?: number
}

/** A stored facility, with the slugs of its docks. */
export interface DescribedFacility extends Facility {
  readonly docks: ReadonlyArray<string>
}

/** A stored business, with its facilities. */
export interface DescribedBusiness extends BusinessEntry {
  readonly facilities: ReadonlyArray<DescribedFacility>
}

/** A change of a facility; absent fields stay. */
export interface FacilityChange {
  readonly slug: string
  readonly name?: string | undefined
  readonly timeZone?: string | undefined
  readonly detentionMinutes?: number | undefined
}

/** A business with its facilities. */
export interface BusinessEntry extends Place {
  /** Absent: the stored field map stays; a new business has an empty one. */
  readonly fieldMap?: ReadonlyArray<MessageField> | undefined
  readonly facilities: ReadonlyArray<FacilityEntry>
}

/** The business and the facility that two slugs name; `null` when they do not exist. */
export interface NamedPlace {
  readonly business: Place | null
  readonly facility: Place | null
}

/** Stores the businesses, their facilities and docks. */
export class Directory extends Context.Service<Directory, {
  /** The business and the facility with these slugs. */
  readonly lookup: (business: string, facility: string) => Effect.Effect<NamedPlace, StorageUnavailable>
  /** A business with its facilities and docks, in slug order; `null` when it does not exist. */
  readonly describe: (business: string) => Effect.Effect<DescribedBusiness | null, StorageUnavailable>
  /** The facility slugs of each business; businesses that do not exist are left out. */
  readonly facilitySlugs: (
    businesses: ReadonlyArray<string>
  ) => Effect.Effect<ReadonlyMap<string, ReadonlySet<string>>, StorageUnavailable>
  /** The businesses of a scope, in slug order. */
  readonly list: (
    scope: BusinessScope,
    page: NamePageRequest
  ) => Effect.Effect<Page<Business>, StorageUnavailable>
  /** The business with this slug; `null` when it does not exist. */
  readonly business: (slug: string) => Effect.Effect<Business | null, StorageUnavailable>
  /** Adds a business without facilities. */
  readonly create: (business: Business) => Effect.Effect<void, BusinessExists | StorageUnavailable>
  /** Renames a business. */
  readonly rename: (business: Place) => Effect.Effect<void, BusinessNotFound | StorageUnavailable>
  /** The facilities of a business, in slug order; none when it does not exist. */
  readonly facilities: (
    business: string,
    page: NamePageRequest
  ) => Effect.Effect<Page<Facility>, StorageUnavailable>
  /** The facility with these slugs; `null` when it does not exist. */
  readonly facility: (
    business: string,
    facility: string
  ) => Effect.Effect<Facility | null, StorageUnavailable>
  /** Adds a facility without docks, if the business has fewer than {@link maxFacilities}. */
  readonly createFacility: (
    business: string,
    facility: Facility
  ) => Effect.Effect<void, BusinessNotFound | FacilityExists | TooManyEntries | StorageUnavailable>
  /** Changes a facility, and returns it. */
  readonly updateFacility: (
    business: string,
    change: FacilityChange
  ) => Effect.Effect<Facility, FacilityNotFound | StorageUnavailable>
  /** The dock slugs of a facility, in slug order; none when it does not exist. */
  readonly docks: (
    business: string,
    facility: string,
    page: NamePageRequest
  ) => Effect.Effect<Page<string>, StorageUnavailable>
  /** Adds a dock, if the facility has fewer than {@link maxDocks}. */
  readonly createDock: (
    business: string,
    facility: string,
    dock: string
  ) => Effect.Effect<void, FacilityNotFound | DockExists | TooManyEntries | StorageUnavailable>
  /** The field map of a business; `null` when the business does not exist. */
  readonly fieldMap: (
    business: string
  ) => Effect.Effect<ReadonlyArray<MessageField> | null, StorageUnavailable>
  /** Replaces the field map; nothing is written if the map is invalid or if the check refuses the stored map. */
  readonly setFieldMap: <E = never>(
    business: string,
    fields: ReadonlyArray<MessageField>,
    check?: (present: ReadonlyArray<MessageField>) => Result.Result<void, E>
  ) => Effect.Effect<void, E | BusinessNotFound | InvalidRequest | StorageUnavailable>
  /**
   * Adds businesses, facilities and docks that do not exist, and updates the other settings of existing ones, such as names and field maps.
   * Removes no entity. Writes nothing if {@link checkBusinesses} refuses an entry.
   */
  readonly put: (
    businesses: ReadonlyArray<BusinessEntry>
  ) => Effect.Effect<void, InvalidRequest | StorageUnavailable>
}>()("@dockline/core/places/Directory") {}

/**
 * Refuses malformed slugs, unknown time zones, invalid detention limits and invalid field maps (D1.4, D6.4, D13.7). Every storage calls it
 * before it writes. A service that has its own profiles of payloads also calls it with these profiles.
 */
export const checkBusinesses = (
  businesses: ReadonlyArray<BusinessEntry>,
  profiles: ReadonlyArray<PayloadProfile> = []
): Result.Result<ReadonlyArray<BusinessEntry>, InvalidRequest> => {
  const errors = businesses.flatMap(slugErrors)
  if (errors.length > 0) return Result.fail(new InvalidRequest({ errors }))
  for (const { fieldMap = [] } of businesses) {
    const checks = checkFieldMap(fieldMap, profiles)
    if (Result.isFailure(checks)) return Result.fail(checks.failure)
  }
  return Result.succeed(businesses)
}

const slugErrors = ({ slug, facilities }: BusinessEntry, index: number): ReadonlyArray<FieldError> => {
  const at = `[${index}]`
  return withPaths([
    { path: `${at}.slug`, detail: slugFault(slug) },
    ...facilities.flatMap((facility, index) => [
      { path: `${at}.facilities[${index}].slug`, detail: slugFault(facility.slug) },
      {
        path: `${at}.facilities[${index}].timeZone`,
        detail: facility.timeZone === undefined ? undefined : timeZoneFault(facility.timeZone)
      },
      {
        path: `${at}.facilities[${index}].detentionMinutes`,
        detail: wholeFault(facility.detentionMinutes ?? 0, detentionMinutesAtMost)
      },
      ...facility.docks.map((dock, number) => ({
        path: `${at}.facilities[${index}].docks[${number}]`,
        detail: textFault(dock) ?? dockSlugFault(dock)
      }))
    ])
  ])
}
