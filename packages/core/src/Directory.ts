/**
 * Port: the businesses, their facilities and docks.
 */
import { Context, Effect, Layer, Result } from "effect"
import type { InvalidRequest, StorageUnavailable } from "./Errors.ts"
import { checkFieldMap } from "./FieldMap.ts"
import { MemoryDatabase } from "./MemoryDatabase.ts"
import type { MessageField } from "./Pallet.ts"
import type { Place } from "./Plan.ts"

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
  /**
   * Adds what is missing of the given businesses, and brings names and field maps to what is given. Removes nothing.
   * A bad field map is refused (see {@link checkBusinesses}) and nothing is written.
   */
  readonly put: (
    businesses: ReadonlyArray<BusinessEntry>
  ) => Effect.Effect<void, InvalidRequest | StorageUnavailable>
}>()("@dockline/core/Directory") {
  /** A directory in memory. */
  static readonly layerMemory: Layer.Layer<Directory, never, MemoryDatabase> = Layer.effect(
    Directory,
    Effect.map(MemoryDatabase, (database) =>
      Directory.of({
        lookup: (business, facility) => Effect.sync(() => database.lookup(business, facility)),
        describe: (business) => Effect.sync(() => database.describeBusiness(business)),
        put: (businesses) =>
          Effect.suspend(() => Effect.fromResult(checkBusinesses(businesses))).pipe(
            Effect.map((checked) => checked.forEach((business) => database.putBusiness(business)))
          )
      }))
  )
}

/** Refuses businesses with a field map that messages cannot follow (D6.4). Every storage checks before it writes. */
export const checkBusinesses = (
  businesses: ReadonlyArray<BusinessEntry>
): Result.Result<ReadonlyArray<BusinessEntry>, InvalidRequest> => {
  for (const { fieldMap } of businesses) {
    const checked = checkFieldMap(fieldMap)
    if (Result.isFailure(checked)) return Result.fail(checked.failure)
  }
  return Result.succeed(businesses)
}
