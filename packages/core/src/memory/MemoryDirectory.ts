/**
 * Businesses and their places, in memory.
 */
import { Effect, Layer, Result } from "effect"
import { checkBusinesses, Directory } from "../places/Directory.ts"
import { checkFieldMap } from "../places/MessageField.ts"
import { MemoryDatabase } from "./MemoryDatabase.ts"

/** A directory in memory. */
export const layer: Layer.Layer<Directory, never, MemoryDatabase> = Layer.effect(
  Directory,
  Effect.map(MemoryDatabase, (database) => {
    const { places } = database
    return Directory.of({
      lookup: (business, facility) => Effect.sync(() => places.lookup(business, facility)),
      describe: (business) => Effect.sync(() => places.describe(business)),
      facilitySlugs: (businesses) => Effect.sync(() => places.facilitySlugs(businesses)),
      list: (scope, page) => Effect.sync(() => places.list(scope, page)),
      create: (business) => Effect.suspend(() => Effect.fromResult(places.create(business))),
      rename: (business) => Effect.suspend(() => Effect.fromResult(places.rename(business))),
      facilities: (business, page) => Effect.sync(() => places.facilities(business, page)),
      createFacility: (business, facility) =>
        Effect.suspend(() => Effect.fromResult(places.createFacility(business, facility))),
      renameFacility: (business, facility) =>
        Effect.suspend(() => Effect.fromResult(places.renameFacility(business, facility))),
      docks: (business, facility, page) => Effect.sync(() => places.docks(business, facility, page)),
      createDock: (business, facility, dock) =>
        Effect.suspend(() => Effect.fromResult(places.createDock(business, facility, dock))),
      fieldMap: (business) => Effect.sync(() => places.fieldMap(business)),
      setFieldMap: (business, fields) =>
        Effect.suspend(() =>
          Effect.fromResult(
            Result.flatMap(checkFieldMap(fields), (checked) => places.setFieldMap(business, checked))
          )
        ),
      put: (businesses) =>
        Effect.suspend(() => Effect.fromResult(checkBusinesses(businesses))).pipe(
          Effect.map((checked) => checked.forEach((business) => places.put(business)))
        )
    })
  })
)
