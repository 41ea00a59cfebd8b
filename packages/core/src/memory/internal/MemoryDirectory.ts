/**
 * Businesses, facilities and docks in memory. Each change runs in one step of the event loop, so it is a transaction.
 */
import { Effect, Order, Result, Struct } from "effect"
import { everything } from "../../access/Access.ts"
import { checkFieldMap } from "../../places/MessageField.ts"
import type { MessageField } from "../../places/MessageField.ts"
import {
  checkBusinesses,
  defaultDetentionMinutes,
  defaultTimeZone,
  Directory,
  maxDocks,
  maxFacilities,
  tooManyDocks,
  tooManyFacilities
} from "../../places/Place.ts"
import type {
  Business,
  BusinessEntry,
  DescribedBusiness,
  Facility,
  NamedPlace,
  Place
} from "../../places/Place.ts"
import type { Dock } from "../../shipment/Shipment.ts"
import { BusinessNotFound, FacilityNotFound } from "../../values/Errors.ts"
import { BusinessExists, DockExists, FacilityExists } from "../../values/OperatorErrors.ts"
import { pageOfNames } from "../../values/Page.ts"

interface StoredBusiness extends Business {
  readonly fieldMap: ReadonlyArray<MessageField>
  readonly facilities: Map<string, StoredFacility>
}

interface StoredFacility extends Facility {
  readonly docks: Map<string, Dock>
}

const placeOf = (place: Place): Place => Struct.pick(place, ["slug", "name"])

const businessOf = (business: Business): Business => Struct.pick(business, ["slug", "name"])

const facilityOf = (facility: Facility): Facility =>
  Struct.pick(facility, ["slug", "name", "timeZone", "detentionMinutes"])

const orNull = <A, B>(row: A | undefined, f: (row: A) => B): B | null => row === undefined ? null : f(row)

const slugOf = ({ slug }: Place): string => slug

export class MemoryPlaces {
  readonly businesses = new Map<string, StoredBusiness>()
  readonly #nextId: () => number

  constructor(nextId: () => number) {
    this.#nextId = nextId
  }

  put({ slug, name, fieldMap: newFieldMap, facilities: entries }: BusinessEntry): void {
    const business = this.businesses.get(slug)
    const fieldMap = newFieldMap ?? business?.fieldMap ?? []
    const facilities = business?.facilities ?? new Map<string, StoredFacility>()
    this.businesses.set(slug, { slug, name, fieldMap, facilities })
    for (const { slug, name, docks, timeZone, detentionMinutes } of entries) {
      const before = facilities.get(slug)
      const docksBySlug = before?.docks ?? new Map<string, Dock>()
      for (const dock of docks) if (!docksBySlug.has(dock)) this.putDock(docksBySlug, dock)
      facilities.set(slug, {
        slug,
        name,
        docks: docksBySlug,
        timeZone: timeZone ?? before?.timeZone ?? defaultTimeZone,
        detentionMinutes: detentionMinutes ?? before?.detentionMinutes ?? defaultDetentionMinutes
      })
    }
  }

  putDock(docks: Map<string, Dock>, slug: string): void {
    docks.set(slug, { id: this.#nextId(), slug })
  }

  facility(business: string, facility: string): StoredFacility | undefined {
    return this.businesses.get(business)?.facilities.get(facility)
  }

  lookup(businessSlug: string, facilitySlug: string): NamedPlace {
    const business = this.businesses.get(businessSlug)
    const facility = business?.facilities.get(facilitySlug)
    return { business: orNull(business, placeOf), facility: orNull(facility, placeOf) }
  }

  dock(business: string, facility: string, slug: string): Dock | null {
    return this.facility(business, facility)?.docks.get(slug) ?? null
  }

  fieldMap(business: string): ReadonlyArray<MessageField> | null {
    return this.businesses.get(business)?.fieldMap ?? null
  }
}

const entryOf = (business: StoredBusiness): DescribedBusiness => ({
  ...businessOf(business),
  fieldMap: business.fieldMap,
  facilities: Array.from(
    business.facilities.values(),
    ({ docks, ...facility }) => ({ ...facilityOf(facility), docks: Array.from(docks.keys()).sort() })
  ).sort((left, right) => Order.String(left.slug, right.slug))
})

export const directoryOf = (places: MemoryPlaces): Directory["Service"] => {
  const { businesses } = places
  const change = Effect.fnUntraced(function*(slug: string, update: Partial<StoredBusiness>) {
    const business = businesses.get(slug)
    if (business === undefined) return yield* new BusinessNotFound({ business: slug })
    businesses.set(slug, { ...business, ...update })
  })
  return Directory.of({
    lookup: (business, facility) => Effect.sync(() => places.lookup(business, facility)),
    describe: (slug) => Effect.sync(() => orNull(businesses.get(slug), entryOf)),
    facilitySlugs: (slugs) =>
      Effect.sync(() =>
        new Map(slugs.flatMap((slug) => {
          const business = businesses.get(slug)
          return business === undefined ? [] : [[slug, new Set(business.facilities.keys())] as const]
        }))
      ),
    list: (scope, page) =>
      Effect.sync(() => {
        const all = Array.from(businesses.values(), businessOf)
        return pageOfNames(
          all.filter(({ slug }) => scope === everything || scope.includes(slug)),
          slugOf,
          page
        )
      }),
    business: (slug) => Effect.sync(() => orNull(businesses.get(slug), businessOf)),
    create: Effect.fnUntraced(function*({ slug, name }) {
      if (businesses.has(slug)) return yield* new BusinessExists({ business: slug })
      businesses.set(slug, { slug, name, fieldMap: [], facilities: new Map() })
    }),
    rename: ({ slug, name }) => change(slug, { name }),
    facilities: (business, page) =>
      Effect.sync(() => {
        const all = Array.from(businesses.get(business)?.facilities.values() ?? [], facilityOf)
        return pageOfNames(all, slugOf, page)
      }),
    facility: (business, slug) => Effect.sync(() => orNull(places.facility(business, slug), facilityOf)),
    createFacility: Effect.fnUntraced(function*(business, facility) {
      const facilities = businesses.get(business)?.facilities
      if (facilities === undefined) return yield* new BusinessNotFound({ business })
      const { slug } = facility
      if (facilities.has(slug)) return yield* new FacilityExists({ business, facility: slug })
      if (facilities.size >= maxFacilities) return yield* tooManyFacilities()
      facilities.set(slug, { ...facilityOf(facility), docks: new Map() })
    }),
    updateFacility: Effect.fnUntraced(function*(business, { slug, name, timeZone, detentionMinutes }) {
      const facility = places.facility(business, slug)
      if (facility === undefined) return yield* new FacilityNotFound({ business, facility: slug })
      const after = {
        ...facility,
        name: name ?? facility.name,
        timeZone: timeZone ?? facility.timeZone,
        detentionMinutes: detentionMinutes ?? facility.detentionMinutes
      }
      businesses.get(business)!.facilities.set(slug, after)
      return facilityOf(after)
    }),
    docks: (business, facility, page) =>
      Effect.sync(() =>
        pageOfNames(places.facility(business, facility)?.docks.keys() ?? [], (slug) => slug, page)
      ),
    createDock: Effect.fnUntraced(function*(business, facility, dock) {
      const docks = places.facility(business, facility)?.docks
      if (docks === undefined) return yield* new FacilityNotFound({ business, facility })
      if (docks.has(dock)) return yield* new DockExists({ facility, dock })
      if (docks.size >= maxDocks) return yield* tooManyDocks()
      places.putDock(docks, dock)
    }),
    fieldMap: (business) => Effect.sync(() => places.fieldMap(business)),
    setFieldMap: (business, fields, check) =>
      Effect.suspend(() =>
        Effect.fromResult(checkFieldMap(fields)).pipe(
          Effect.tap(Effect.fromResult(check?.(places.fieldMap(business) ?? []) ?? Result.void)),
          Effect.flatMap((fieldMap) => change(business, { fieldMap }))
        )
      ),
    put: (entries) =>
      Effect.map(
        Effect.suspend(() => Effect.fromResult(checkBusinesses(entries))),
        (businesses) => businesses.forEach((business) => places.put(business))
      )
  })
}
