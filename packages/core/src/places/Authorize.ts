/**
 * Decides whether a client may act at a place. An unknown business is reported first, then an unknown facility, then a
 * missing permission (D3.9).
 */
import { Effect } from "effect"
import {
  allows,
  allowsEverywhere,
  canRead,
  canReadSome,
  checkOperator,
  everything,
  notOperator,
  operates
} from "../access/Access.ts"
import type { Permission, Principal } from "../access/Access.ts"
import type { ErrorOf } from "../values/CatalogueError.ts"
import { clip } from "../values/Clip.ts"
import { BusinessNotFound, FacilityNotFound, Forbidden, StorageUnavailable } from "../values/Errors.ts"
import { slugPattern } from "../values/Vocabulary.ts"
import type { Directory, NamedPlace } from "./Place.ts"

/** A facility by its slugs, or a whole business when no facility is named. */
export interface PlaceSlugs {
  readonly business: string
  readonly facility?: string | null | undefined
}

/** The error for the first unknown slug, if any. */
export const unknownPlace = (
  place: NamedPlace,
  { business, facility }: PlaceSlugs
): BusinessNotFound | FacilityNotFound | undefined => {
  if (place.business === null) return new BusinessNotFound({ business })
  return typeof facility === "string" && place.facility === null
    ? new FacilityNotFound({ business, facility })
    : undefined
}

/**
 * Whether the principal holds the permission at the place. For reading at a facility, any permission there suffices; for reading at a whole
 * business, any permission at one of its facilities.
 */
export const permits = (
  principal: Principal,
  permission: Permission | "read",
  { business, facility }: PlaceSlugs
): boolean => {
  if (typeof facility === "string") {
    return permission === "read"
      ? canRead(principal, business, facility)
      : allows(principal, permission, business, facility)
  }
  return permission === "read"
    ? canReadSome(principal, business)
    : allowsEverywhere(principal, permission, business)
}

/** The errors of an operation on a place. */
export const placeErrors = [BusinessNotFound, FacilityNotFound, Forbidden, StorageUnavailable] as const
/** One of {@link placeErrors}. */
export type PlaceError = ErrorOf<typeof placeErrors>

/** The refusal if the place does not exist, or the principal lacks the permission there; otherwise `undefined`. */
export const refusalAt = (
  place: NamedPlace,
  principal: Principal,
  permission: Permission | "read",
  slugs: PlaceSlugs
): BusinessNotFound | FacilityNotFound | Forbidden | undefined =>
  unknownPlace(place, slugs) ?? (permits(principal, permission, slugs)
    ? undefined
    : new Forbidden({ permission, business: slugs.business, facility: slugs.facility ?? everything }))

/** Succeeds when the place exists and the principal holds the permission there. */
export const place = Effect.fnUntraced(function*(
  directory: Directory["Service"],
  principal: Principal,
  permission: Permission | "read",
  slugs: PlaceSlugs
): Effect.fn.Return<void, PlaceError> {
  const place = yield* directory.lookup(slugs.business, slugs.facility ?? "")
  const refusal = refusalAt(place, principal, permission, slugs)
  if (refusal !== undefined) return yield* refusal
})

/**
 * Succeeds when the principal holds the permission at the place. The place is not looked up, because the decision does so under its locks.
 * For a client without the permission, the place is looked up without locks, so that an unknown place is still reported first.
 */
export const permission = (
  directory: Directory["Service"],
  principal: Principal,
  permission: Permission,
  slugs: PlaceSlugs
): Effect.Effect<void, PlaceError> =>
  permits(principal, permission, slugs) ? Effect.void : place(directory, principal, permission, slugs)

/** The places that the slugs name, if the principal operates the business. A malformed slug matches nothing. */
export const operatorOf = Effect.fnUntraced(function*(
  directory: Directory["Service"],
  principal: Principal,
  business: string,
  facility = ""
) {
  yield* Effect.fromResult(checkOperator(principal))
  const place = slugPattern.test(business)
    ? yield* directory.lookup(business, slugPattern.test(facility) ? facility : "")
    : { business: null, facility: null }
  if (place.business === null) return yield* new BusinessNotFound({ business: clip(business) })
  if (!operates(principal, business)) return yield* notOperator(business)
  return { business: place.business, facility: place.facility }
})
