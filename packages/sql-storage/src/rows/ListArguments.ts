/** The claims of reads for connections (ADR 17), and the arguments of the functions that read pages of lists. */
import { everything } from "@dockline/core/access/Access"
import type { BusinessScope, ReadScope } from "@dockline/core/access/Access"
import type { TimePosition } from "@dockline/core/values/Page"
import type { Timestamp } from "@dockline/core/values/Timestamp"
import type { StoreClaim } from "../connections/StoreOperations.ts"
import { businessId, indexKey } from "./Keys.ts"

/**
 * The claim of a read. Its holder is the set of all businesses that the client may read, whichever of them the read is about: so a client
 * has one share for all its reads, and takes nothing from the share of others. Clients that may read all businesses have a separate share.
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

/** The claim of a read for a client of one business, by its id. */
export const readsOfBusiness = (id: string): StoreClaim => ({ lane: "reads", holder: id })

/** The places that a list is narrowed to. */
interface PlaceFilter {
  readonly business: string | undefined
  readonly facility: string | undefined
}

/** The scopes that a list is about. */
const scopesIn = (scopes: ReadonlyArray<ReadScope>, filter: Pick<PlaceFilter, "business">) =>
  scopes.filter(({ business }) => business === everything || (filter.business ?? business) === business)

/** The id of the business of a list, if it is about only one: in a cluster then only its node is asked. */
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

/** The key of the number by which a list is filtered; `null` for all. */
export const keyOf = (number: string | undefined): string | null =>
  number === undefined ? null : indexKey(number)

/** A place has this many ids of one millisecond. No two rows of a millisecond have ids that differ by as much. */
export const idsOfMillisecond = 2 ** 22

/** The place before all, and the negative of that after all. */
const furthestPlace = 2n ** 63n - 1n

/**
 * Places distinguish milliseconds from 1970 to 2109, this many on either side of the middle; other times count as the first or the last.
 */
export const millisOfPlaces = 2 ** 41

/** The place of a time and an id (`list_place`). */
const placeOf = ({ at, id }: TimePosition): bigint => {
  const furthest = millisOfPlaces - 2
  const millis = Math.max(-furthest, Math.min(Date.parse(at) - millisOfPlaces, furthest))
  return -(BigInt(millis) * BigInt(idsOfMillisecond) + BigInt(id % idsOfMillisecond))
}

/** The place of the entry after which a page begins; for the first page, the place before all entries. */
export const placeAfter = (position: TimePosition | undefined): string =>
  String(position === undefined ? -furthestPlace : placeOf(position))

/** The place after which a page begins, from `before`, and its last place, from `since`; without times, the bounds of all places. */
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
