/**
 * What reads of entities at places have in common: filters, pages, and who may ask.
 *
 * Guarantee: an entity that the client may not see is answered as one that does not exist.
 */
import { Effect, Schema } from "effect"
import { canRead, readScopes } from "../access/Access.ts"
import type { Principal, ReadScope } from "../access/Access.ts"
import { soughtLpn } from "../labels/Lpn.ts"
import { clip } from "../values/Clip.ts"
import { ShipmentNotFound } from "../values/Errors.ts"
import * as Field from "../values/Field.ts"
import { idOf, limitOf } from "../values/Page.ts"
import type { Page, PageRequest } from "../values/Page.ts"
import * as Authorize from "./Authorize.ts"
import type { Directory } from "./Directory.ts"
import type { Location } from "./Place.ts"

/** The page of a list in id order. */
export interface ListPage {
  /** The size of the page, clamped to 1 to 100; 100 when absent. */
  readonly limit?: number | undefined
  /** The `next` of the previous page; 0 when absent. */
  readonly after?: number | undefined
}

/** The filters that narrow a list to a place. */
export const placeFilters = {
  business: Schema.optionalKey(Field.text("Slug of a business; all that the client may see when absent.")),
  facility: Schema.optionalKey(Field.text("Slug of a facility of the business."))
}

/** The filters and the page of a list; `""` filters nothing. */
export interface ListQuery extends ListPage {
  readonly business?: string | undefined
  readonly facility?: string | undefined
}

/** The page of a list in id order, as ports take it. */
export const pageRequest = ({ after = 0, limit }: ListPage): PageRequest => ({ limit: limitOf(limit), after })

/** A page of entries that are computed together; `next` counts those of the pages before. */
export const computedPage = <A>(
  all: ReadonlyArray<A>,
  { after = 0, limit }: ListPage,
  most = limitOf(limit)
): Page<A> => {
  const end = after + most
  return { items: all.slice(after, end), next: end < all.length ? String(end) : null }
}

/** Finds an entity by its id; one that the client may not see counts as missing: as a shipment, unless it is said. */
export const visible = <A extends { readonly location: Location }, E, Missing = ShipmentNotFound>(
  id: string,
  principal: Principal,
  find: (id: number, reader: ReadonlyArray<ReadScope>) => Effect.Effect<A | null, E>,
  missing: (id: string) => Missing = (id) => new ShipmentNotFound({ id }) as Missing
): Effect.Effect<A, E | Missing> =>
  Effect.gen(function*() {
    const number = idOf(id)
    const match = number === undefined ? null : yield* find(number, readScopes(principal))
    if (match !== null && canRead(principal, match.location.business.slug, match.location.facility.slug)) {
      return match
    }
    return yield* Effect.fail(missing(clip(id)))
  })

/** Forms send empty filters for fields that are not filled in; an empty filter filters nothing. */
export const filledOrUndefined = <A extends string>(filter: A | undefined): Exclude<A, ""> | undefined =>
  // What is not "" is another word of the type, which the compiler does not narrow.
  filter === "" ? undefined : filter as Exclude<A, "">

/** The LPN by which a list is filtered, in each form that scanners send (D22). */
export const filledLpn = (filter: string | undefined): string | undefined => {
  const lpn = filledOrUndefined(filter)
  return lpn === undefined ? undefined : soughtLpn(lpn)
}

/** The place that a query names, as ports take it. */
export const placeOf = ({ business, facility }: Pick<ListQuery, "business" | "facility">) => ({
  business: filledOrUndefined(business),
  facility: filledOrUndefined(facility)
})

/** Refuses a list of a place: 404 when the place does not exist, 403 when the client may see nothing there. */
export const checkPlace = (
  directory: Directory["Service"],
  principal: Principal,
  { business, facility }: ReturnType<typeof placeOf>
): Effect.Effect<void, Authorize.PlaceError> =>
  business === undefined
    ? Effect.void
    : Authorize.place(directory, principal, "read", { business, facility })
