/**
 * Arguments of the functions that read pages of lists.
 */
import { everything } from "@dockline/core/Access"
import type { ReadScope } from "@dockline/core/Access"
import { indexKey } from "./IndexKey.ts"

/** The argument of `facilities_within`: the places in scope that the filter names; `null` for every facility. */
export const placesOf = (
  scopes: ReadonlyArray<ReadScope>,
  filter: { readonly business: string | undefined; readonly facility: string | undefined }
): string | null => {
  const places = scopes
    .filter(({ business }) => business === everything || (filter.business ?? business) === business)
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
