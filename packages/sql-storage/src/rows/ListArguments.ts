/** What reads of clients take: their connections (ADR 17), and the arguments of the functions that read pages of lists. */
import { everything } from "@dockline/core/access/Access"
import type { BusinessScope, ReadScope } from "@dockline/core/access/Access"
import type { TimePosition } from "@dockline/core/values/Page"
import type { Timestamp } from "@dockline/core/values/Timestamp"
import type { StoreClaim } from "../connections/StoreOperations.ts"
import { businessId, indexKey } from "./Keys.ts"

/**
 * The claim of a read. Its holder is all businesses that who asks may read, whichever of them the read is about: a client
 * has one share, whatever it asks for, and takes nothing from the share of others. Who may read all businesses has another.
 */
export const readsOf = (scope: BusinessScope | ReadonlyArray<ReadScope>): StoreClaim => {
  const slugs = scope === everything
    ? [everything]
    : scope.map((each) => typeof each === "string" ? each : each.business)
  const businesses = Array.from(new Set(slugs)).sort()
  if (businesses.includes(everything)) return { lane: "reads", holder: everything }
  const [first = ""] = businesses
  return businesses.length === 1
    ? readsOfBusiness(businessId(first))
    : { lane: "reads", holder: JSON.stringify(businesses) }
}

/** The claim of a read for who may read one business, by its id. */
export const readsOfBusiness = (id: string): StoreClaim => ({ lane: "reads", holder: id })

/** The places that a list is narrowed to. */
interface PlaceFilter {
  readonly business: string | undefined
  readonly facility: string | undefined
}

/** The scopes that a list is about. */
const scopesIn = (scopes: ReadonlyArray<ReadScope>, filter: Pick<PlaceFilter, "business">) =>
  scopes.filter(({ business }) => business === everything || (filter.business ?? business) === business)

/** The business that a list is about, by its id, if it is about one: in a cluster its node alone is asked. */
const businessOf = (
  scopes: ReadonlyArray<ReadScope>,
  filter: Pick<PlaceFilter, "business">
): string | undefined => {
  const [slug = everything, ...others] = new Set(
    scopesIn(scopes, filter).map(({ business }) => filter.business ?? business)
  )
  return slug === everything || others.length > 0 ? undefined : businessId(slug)
}

/** The claim of a list. */
export const listsOf = (
  scopes: ReadonlyArray<ReadScope>,
  filter: Pick<PlaceFilter, "business">
): StoreClaim => ({ ...readsOf(scopes), business: businessOf(scopes, filter) })

/** The argument of `facilities_within`: the places in scope that the filter names; `null` for every facility. */
export const placesOf = (scopes: ReadonlyArray<ReadScope>, filter: PlaceFilter): string | null => {
  const places = scopesIn(scopes, filter)
    .map(({ business, facilities }) => [
      filter.business ?? (business === everything ? null : business),
      facilities === everything
        ? filter.facility === undefined ? null : [filter.facility]
        : facilities.filter((facility) => (filter.facility ?? facility) === facility)
    ])
  return places.some(([business, facilities]) => business === null && facilities === null)
    ? null
    : JSON.stringify(places)
}

/** The key of a number that a list is narrowed to; `null` for all. */
export const keyOf = (number: string | undefined): string | null =>
  number === undefined ? null : indexKey(number)

/** A place has this many ids of one millisecond. No two rows of a millisecond have ids that differ by as much. */
export const idsOfMillisecond = 2 ** 22

/** The place before all, and the negative of that after all. */
const furthestPlace = 2n ** 63n - 1n

/** Places tell milliseconds from 1970 to 2109 apart, which are so many to either side of the middle; others count as the first or the last. */
export const millisOfPlaces = 2 ** 41

/** The place of a time and an id (`list_place`). */
const placeOf = ({ at, id }: TimePosition): bigint => {
  const furthest = millisOfPlaces - 2
  const millis = Math.max(-furthest, Math.min(Date.parse(at) - millisOfPlaces, furthest))
  return -(BigInt(millis) * BigInt(idsOfMillisecond) + BigInt(id % idsOfMillisecond))
}

/** The place of the entry after which a page begins; for the first page, that before all. */
export const placeAfter = (position: TimePosition | undefined): string =>
  String(position === undefined ? -furthestPlace : placeOf(position))

/** The place after which a page of what came before a time begins, and the last place of what came at a time or later; without times, of all. */
export const placesBetween = (
  after: TimePosition | undefined,
  { from, to }: { readonly from: Timestamp | undefined; readonly to: Timestamp | undefined }
): readonly [after: string, last: string] => {
  const places = [after, to === undefined ? undefined : { at: to, id: 0 }]
    .map((position) => position === undefined ? -furthestPlace : placeOf(position))
  return [
    String(places.reduce((one, other) => one > other ? one : other)),
    String(from === undefined ? furthestPlace : placeOf({ at: from, id: 0 }))
  ]
}
