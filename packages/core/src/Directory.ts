/**
 * Port: the businesses, their facilities and docks.
 */
import { Context, Effect, Layer } from "effect"
import type { StorageUnavailable } from "./Errors.ts"
import { MemoryDatabase } from "./MemoryDatabase.ts"
import type { Place } from "./Plan.ts"

/** How one label of a pallet becomes a field of a business's pallet messages (D6.4). */
export interface MessageField {
  /** The field's name in the message. */
  readonly name: string
  /** The label it is read from. */
  readonly label: string
  /** Whether all values of the label are sent, as a list, or the first only. */
  readonly list: boolean
}

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
  /** Adds what is missing of the given businesses, and brings names and field maps to what is given. Removes nothing. */
  readonly put: (businesses: ReadonlyArray<BusinessEntry>) => Effect.Effect<void, StorageUnavailable>
}>()("@dockline/core/Directory") {
  /** A directory in memory. */
  static readonly layerMemory: Layer.Layer<Directory, never, MemoryDatabase> = Layer.effect(
    Directory,
    Effect.map(MemoryDatabase, (database) =>
      Directory.of({
        lookup: (business, facility) => Effect.sync(() => database.lookup(business, facility)),
        put: (businesses) =>
          Effect.sync(() => businesses.forEach((business) => database.putBusiness(business)))
      }))
  )
}
