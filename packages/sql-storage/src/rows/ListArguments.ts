/** Arguments of the functions that read pages of lists. */
import { everything } from "@dockline/core/Access"
import type { ReadScope } from "@dockline/core/Access"
import { businessId } from "./BusinessId.ts"
import { indexKey } from "./IndexKey.ts"

/** The places that a list is narrowed to. */
interface PlaceFilter {
  readonly business: string | undefined
  readonly facility: string | undefined
}

/** The scopes that a list is about. */
const scopesIn = (scopes: ReadonlyArray<ReadScope>, filter: Pick<PlaceFilter, "business">) =>
  scopes.filter(({ business }) => business === everything || (filter.business ?? business) === business)

/** The business that a list is about, by its id, if it is about one: in a cluster its node alone is asked. */
export const businessOf = (
  scopes: ReadonlyArray<ReadScope>,
  filter: Pick<PlaceFilter, "business">
): string | undefined => {
  const [slug = everything, ...others] = new Set(
    scopesIn(scopes, filter).map(({ business }) => filter.business ?? business)
  )
  return slug === everything || others.length > 0 ? undefined : businessId(slug)
}

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
