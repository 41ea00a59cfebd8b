/**
 * Port: stores the businesses, their facilities and docks.
 */
import { Context, Effect, Result } from "effect"
import type { BusinessScope } from "../access/Access.ts"
import type { FieldError } from "../values/CatalogueError.ts"
import { InvalidRequest } from "../values/Errors.ts"
import type { BusinessNotFound, FacilityNotFound, StorageUnavailable } from "../values/Errors.ts"
import { textFault, wholeFault } from "../values/Field.ts"
import type { BusinessExists, DockExists, FacilityExists, TooManyEntries } from "../values/OperatorErrors.ts"
import type { NamePageRequest, Page } from "../values/Page.ts"
import { checkFieldMap, withPaths } from "./MessageField.ts"
import type { MessageField, PayloadProfile } from "./MessageField.ts"
import { detentionMinutesAtMost, dockSlugFault, slugFault, timeZoneFault } from "./Place.ts"
import type { Business, Facility, Place } from "./Place.ts"

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
  readonly fieldMap: ReadonlyArray<MessageField>
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
  /** Adds a facility without docks, if the business has fewer than 1,000 facilities (`Place.ts`). */
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
  /** Adds a dock, if the facility has fewer than 1,000 docks (`Place.ts`). */
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
   * Removes nothing. Writes nothing if {@link checkBusinesses} refuses an entry.
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
  for (const { fieldMap } of businesses) {
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
