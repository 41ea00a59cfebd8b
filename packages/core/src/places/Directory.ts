/**
 * Port: the businesses, their facilities and docks.
 */
import { Context, Effect, Result } from "effect"
import type { BusinessScope } from "../access/Access.ts"
import { InvalidRequest } from "../values/Errors.ts"
import type { BusinessNotFound, FacilityNotFound, FieldError, StorageUnavailable } from "../values/Errors.ts"
import { textFault } from "../values/Field.ts"
import type { BusinessExists, DockExists, FacilityExists, TooManyEntries } from "../values/OperatorErrors.ts"
import type { NamePage } from "../values/Page.ts"
import type { Page } from "../values/Page.ts"
import { checkFieldMap } from "./MessageField.ts"
import type { MessageField } from "./MessageField.ts"
import type { Place } from "./Place.ts"
import { dockSlugFault, slugFault } from "./PlaceRules.ts"

/** A facility with the slugs of its docks. */
export interface FacilityEntry extends Place {
  readonly docks: ReadonlyArray<string>
}

/** A business with its facilities. */
export interface BusinessEntry extends Place {
  readonly fieldMap: ReadonlyArray<MessageField>
  readonly facilities: ReadonlyArray<FacilityEntry>
}

/** What two slugs name; `null` where they name nothing. */
export interface NamedPlace {
  readonly business: Place | null
  readonly facility: Place | null
}

/** The businesses, their facilities and docks. */
export class Directory extends Context.Service<Directory, {
  /** What the slugs of a business and one of its facilities name. */
  readonly lookup: (business: string, facility: string) => Effect.Effect<NamedPlace, StorageUnavailable>
  /** A business with its facilities and docks, in slug order; `null` when there is none. */
  readonly describe: (business: string) => Effect.Effect<BusinessEntry | null, StorageUnavailable>
  /** The slugs of the facilities of businesses, by business; those that do not exist are left out. */
  readonly facilitySlugs: (
    businesses: ReadonlyArray<string>
  ) => Effect.Effect<ReadonlyMap<string, ReadonlySet<string>>, StorageUnavailable>
  /** The businesses of a scope, in slug order. */
  readonly list: (scope: BusinessScope, page: NamePage) => Effect.Effect<Page<Place>, StorageUnavailable>
  /** Adds a business without facilities. */
  readonly create: (business: Place) => Effect.Effect<void, BusinessExists | StorageUnavailable>
  /** Gives a business another name. */
  readonly rename: (business: Place) => Effect.Effect<void, BusinessNotFound | StorageUnavailable>
  /** The facilities of a business, in slug order; none of one that does not exist. */
  readonly facilities: (business: string, page: NamePage) => Effect.Effect<Page<Place>, StorageUnavailable>
  /** Adds a facility without docks, if the business has fewer than 1,000 (`PlaceRules.ts`). */
  readonly createFacility: (
    business: string,
    facility: Place
  ) => Effect.Effect<void, BusinessNotFound | FacilityExists | TooManyEntries | StorageUnavailable>
  /** Gives a facility another name. */
  readonly renameFacility: (
    business: string,
    facility: Place
  ) => Effect.Effect<void, FacilityNotFound | StorageUnavailable>
  /** The slugs of the docks of a facility, in their order; none of one that does not exist. */
  readonly docks: (
    business: string,
    facility: string,
    page: NamePage
  ) => Effect.Effect<Page<string>, StorageUnavailable>
  /** Adds a dock, if the facility has fewer than 1,000 (`PlaceRules.ts`). */
  readonly createDock: (
    business: string,
    facility: string,
    dock: string
  ) => Effect.Effect<void, FacilityNotFound | DockExists | TooManyEntries | StorageUnavailable>
  /** The field map of a business; `null` when there is no such business. */
  readonly fieldMap: (
    business: string
  ) => Effect.Effect<ReadonlyArray<MessageField> | null, StorageUnavailable>
  /** Brings the field map to what is given; a bad one is refused and nothing is written. */
  readonly setFieldMap: (
    business: string,
    fields: ReadonlyArray<MessageField>
  ) => Effect.Effect<void, BusinessNotFound | InvalidRequest | StorageUnavailable>
  /**
   * Adds what is missing of the given businesses, and brings names and field maps to what is given. Removes nothing.
   * A malformed slug and a bad field map are refused (see {@link checkBusinesses}) and nothing is written.
   */
  readonly put: (
    businesses: ReadonlyArray<BusinessEntry>
  ) => Effect.Effect<void, InvalidRequest | StorageUnavailable>
}>()("@dockline/core/Directory") {}

/**
 * Refuses businesses with a malformed slug, or a field map that messages cannot follow (D1.4, D6.4). Every storage
 * checks before it writes.
 */
export const checkBusinesses = (
  businesses: ReadonlyArray<BusinessEntry>
): Result.Result<ReadonlyArray<BusinessEntry>, InvalidRequest> => {
  const errors = businesses.flatMap(slugErrors)
  if (errors.length > 0) return Result.fail(new InvalidRequest({ errors }))
  for (const { fieldMap } of businesses) {
    const checked = checkFieldMap(fieldMap)
    if (Result.isFailure(checked)) return Result.fail(checked.failure)
  }
  return Result.succeed(businesses)
}

const slugErrors = ({ slug, facilities }: BusinessEntry, index: number): ReadonlyArray<FieldError> => {
  const at = `[${index}]`
  const faults = [
    { path: `${at}.slug`, detail: slugFault(slug) },
    ...facilities.flatMap((facility, index) => [
      { path: `${at}.facilities[${index}].slug`, detail: slugFault(facility.slug) },
      ...facility.docks.map((dock, number) => ({
        path: `${at}.facilities[${index}].docks[${number}]`,
        detail: textFault(dock) ?? dockSlugFault(dock)
      }))
    ])
  ]
  return faults.flatMap(({ path, detail }) => detail === undefined ? [] : [{ path, detail }])
}
