/**
 * The parts that reads of entities at places share: filters, pages and permissions.
 *
 * Guarantee: the answer for an entity that the client may not see equals the answer for a missing one.
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
import type { Directory, Location } from "./Place.ts"

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

/** The filters and the page of a list; the filter `""` has no effect. */
export interface ListQuery extends ListPage {
  readonly business?: string | undefined
  readonly facility?: string | undefined
}

/** The page of a list in id order, in the form for ports. */
export const pageRequest = ({ after = 0, limit }: ListPage): PageRequest => ({ limit: limitOf(limit), after })

/** A page of a list that is computed as a whole; `next` is the number of entries up to the end of this page. */
export const computedPage = <A>(
  all: ReadonlyArray<A>,
  { after = 0, limit }: ListPage,
  most = limitOf(limit)
): Page<A> => {
  const end = after + most
  return { items: all.slice(after, end), next: end < all.length ? String(end) : null }
}

/** Finds an entity by its id. An entity that the client may not see counts as missing; by default, the error is `ShipmentNotFound`. */
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

/** The filter, or `undefined` for an empty filter, which forms send for fields that are not filled in. */
export const filledOrUndefined = <A extends string>(filter: A | undefined): Exclude<A, ""> | undefined =>
  // A text other than "" is another word of the type, which the compiler does not infer.
  filter === "" ? undefined : filter as Exclude<A, "">

/** The LPN by which a list is filtered, accepted in each form that scanners send (D22). */
export const filledLpn = (filter: string | undefined): string | undefined => {
  const lpn = filledOrUndefined(filter)
  return lpn === undefined ? undefined : soughtLpn(lpn)
}

/** The place that a query names, in the form for ports. */
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
