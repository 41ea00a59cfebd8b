/**
 * Businesses, facilities and docks in memory. Every method is synchronous, so it is a transaction of its own.
 */
import { Result } from "effect"
import { everything } from "../access/Access.ts"
import type { BusinessScope } from "../access/Access.ts"
import type { BusinessEntry, NamedPlace } from "../places/Directory.ts"
import type { MessageField } from "../places/MessageField.ts"
import type { Place } from "../places/Place.ts"
import { maxDocks, maxFacilities, tooManyDocks, tooManyFacilities } from "../places/PlaceRules.ts"
import type { Dock } from "../shipment/Shipment.ts"
import { BusinessNotFound, FacilityNotFound } from "../values/Errors.ts"
import { BusinessExists, DockExists, FacilityExists } from "../values/OperatorErrors.ts"
import type { TooManyEntries } from "../values/OperatorErrors.ts"
import { pageOfNames } from "../values/Page.ts"
import type { NamePage } from "../values/Page.ts"
import type { Page } from "../values/Page.ts"

interface StoredBusiness extends Place {
  readonly fieldMap: ReadonlyArray<MessageField>
  readonly facilities: Map<string, StoredFacility>
}

interface StoredFacility extends Place {
  readonly docks: Map<string, Dock>
}

const placeOf = ({ slug, name }: Place): Place => ({ slug, name })

const slugOf = ({ slug }: { readonly slug: string }): string => slug

/** Businesses, facilities and docks. */
export class MemoryPlaces {
  readonly #businesses = new Map<string, StoredBusiness>()
  readonly #nextId: () => number

  constructor(nextId: () => number) {
    this.#nextId = nextId
  }

  /** Adds or renames a business, its facilities and docks. */
  put({ slug, name, fieldMap, facilities: entries }: BusinessEntry): void {
    const facilities = this.#businesses.get(slug)?.facilities ?? new Map<string, StoredFacility>()
    this.#businesses.set(slug, { slug, name, fieldMap, facilities })
    for (const { slug, name, docks } of entries) {
      const known = facilities.get(slug)?.docks ?? new Map<string, Dock>()
      for (const dock of docks) if (!known.has(dock)) known.set(dock, { id: this.#nextId(), slug: dock })
      facilities.set(slug, { slug, name, docks: known })
    }
  }

  lookup(businessSlug: string, facilitySlug: string): NamedPlace {
    const business = this.#businesses.get(businessSlug)
    const facility = business?.facilities.get(facilitySlug)
    return {
      business: business === undefined ? null : placeOf(business),
      facility: facility === undefined ? null : placeOf(facility)
    }
  }

  describe(slug: string): BusinessEntry | null {
    const business = this.#businesses.get(slug)
    if (business === undefined) return null
    const facilities = Array.from(business.facilities.values(), ({ slug, name, docks }) => ({
      slug,
      name,
      docks: Array.from(docks.keys()).sort()
    }))
    return {
      ...placeOf(business),
      fieldMap: business.fieldMap,
      facilities: facilities.sort((left, right) => (left.slug < right.slug ? -1 : 1))
    }
  }

  /** The slugs of all businesses. */
  get slugs(): ReadonlyArray<string> {
    return Array.from(this.#businesses.keys())
  }

  facilitySlugs(businesses: ReadonlyArray<string>): ReadonlyMap<string, ReadonlySet<string>> {
    return new Map(businesses.flatMap((slug) => {
      const business = this.#businesses.get(slug)
      return business === undefined ? [] : [[slug, new Set(business.facilities.keys())] as const]
    }))
  }

  list(scope: BusinessScope, page: NamePage): Page<Place> {
    const within = Array.from(this.#businesses.values(), placeOf)
      .filter(({ slug }) => scope === everything || scope.includes(slug))
    return pageOfNames(within, slugOf, page)
  }

  create({ slug, name }: Place): Result.Result<void, BusinessExists> {
    if (this.#businesses.has(slug)) return Result.fail(new BusinessExists({ business: slug }))
    this.#businesses.set(slug, { slug, name, fieldMap: [], facilities: new Map() })
    return Result.void
  }

  rename({ slug, name }: Place): Result.Result<void, BusinessNotFound> {
    return Result.map(this.#business(slug), (business) => {
      this.#businesses.set(slug, { ...business, name })
    })
  }

  facilities(business: string, page: NamePage): Page<Place> {
    const { items, next } = pageOfNames(
      this.#businesses.get(business)?.facilities.values() ?? [],
      slugOf,
      page
    )
    return { items: items.map(placeOf), next }
  }

  createFacility(
    business: string,
    { slug, name }: Place
  ): Result.Result<void, BusinessNotFound | FacilityExists | TooManyEntries> {
    return Result.flatMap(this.#business(business), ({ facilities }): Result.Result<
      void,
      FacilityExists | TooManyEntries
    > => {
      if (facilities.has(slug)) return Result.fail(new FacilityExists({ business, facility: slug }))
      if (facilities.size >= maxFacilities) return Result.fail(tooManyFacilities())
      facilities.set(slug, { slug, name, docks: new Map() })
      return Result.void
    })
  }

  renameFacility(business: string, { slug, name }: Place): Result.Result<void, FacilityNotFound> {
    return Result.map(this.#facility(business, slug), (facility) => {
      this.#businesses.get(business)!.facilities.set(slug, { ...facility, name })
    })
  }

  docks(business: string, facility: string, page: NamePage): Page<string> {
    const docks = this.#businesses.get(business)?.facilities.get(facility)?.docks.keys() ?? []
    return pageOfNames(docks, (slug) => slug, page)
  }

  createDock(
    business: string,
    facility: string,
    dock: string
  ): Result.Result<void, FacilityNotFound | DockExists | TooManyEntries> {
    return Result.flatMap(this.#facility(business, facility), ({ docks }): Result.Result<
      void,
      DockExists | TooManyEntries
    > => {
      if (docks.has(dock)) return Result.fail(new DockExists({ facility, dock }))
      if (docks.size >= maxDocks) return Result.fail(tooManyDocks())
      docks.set(dock, { id: this.#nextId(), slug: dock })
      return Result.void
    })
  }

  /** The dock of that slug. */
  dock(business: string, facility: string, slug: string): Dock | null {
    return this.#businesses.get(business)?.facilities.get(facility)?.docks.get(slug) ?? null
  }

  fieldMap(business: string): ReadonlyArray<MessageField> | null {
    return this.#businesses.get(business)?.fieldMap ?? null
  }

  setFieldMap(slug: string, fieldMap: ReadonlyArray<MessageField>): Result.Result<void, BusinessNotFound> {
    return Result.map(this.#business(slug), (business) => {
      this.#businesses.set(slug, { ...business, fieldMap })
    })
  }

  #business(slug: string): Result.Result<StoredBusiness, BusinessNotFound> {
    const business = this.#businesses.get(slug)
    return business === undefined
      ? Result.fail(new BusinessNotFound({ business: slug }))
      : Result.succeed(business)
  }

  #facility(business: string, slug: string): Result.Result<StoredFacility, FacilityNotFound> {
    const facility = this.#businesses.get(business)?.facilities.get(slug)
    return facility === undefined
      ? Result.fail(new FacilityNotFound({ business, facility: slug }))
      : Result.succeed(facility)
  }
}
