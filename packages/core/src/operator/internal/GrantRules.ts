/**
 * The rules about grants for operators: the clients and people that an operator may see, and the grants that it may give (D11).
 */
import { Effect, Result } from "effect"
import { everything, isWithin, notOperator, operatedBusinesses, operates } from "../../access/Access.ts"
import type { Grant, Permission, Principal } from "../../access/Access.ts"
import { businessOf, subjectOf } from "../../access/AuditLog.ts"
import type { AuditAction, AuditDraft } from "../../access/AuditLog.ts"
import { maxFaults } from "../../input/Faults.ts"
import type { Directory } from "../../places/Place.ts"
import type { FieldError } from "../../values/CatalogueError.ts"
import { clip } from "../../values/Clip.ts"
import { InvalidRequest } from "../../values/Errors.ts"
import type { Forbidden } from "../../values/Errors.ts"
import { slugPattern } from "../../values/Vocabulary.ts"

interface GrantHolder {
  readonly id: string
  readonly grants: ReadonlyArray<Grant>
}

/** The client or person, if the operator may see it; otherwise the failure `missing`. */
export const visible = <A extends GrantHolder, E>(
  match: A | null,
  principal: Principal,
  missing: E
): Result.Result<A, E> =>
  match !== null && isWithin(match, operatedBusinesses(principal))
    ? Result.succeed(match)
    : Result.fail(missing)

/** A change for the audit log. Its businesses are those in the grants of the client or person before and after it. */
export const auditDraft = (
  action: AuditAction,
  details: AuditDraft["details"],
  subject: ReadonlyArray<string>,
  ...entities: ReadonlyArray<GrantHolder>
): AuditDraft => ({
  action,
  business: businessOf(...entities.flatMap(({ grants }) => grants)),
  subject: subjectOf(...subject),
  details
})

/** Refuses grants that the operator may not give, and grants for places that do not exist. `undefined`, for no change, is not refused. */
export const checkGrants = Effect.fnUntraced(function*(
  directory: Directory["Service"],
  principal: Principal,
  grants: ReadonlyArray<Grant> | undefined
) {
  if (grants === undefined) return
  yield* Effect.fromResult(checkReach(grants, principal))
  yield* checkPlaces(directory, grants)
})

/** The most grants of a client or a person. */
export const maxGrants = 100

/** The most facilities of a grant. */
export const maxFacilities = 1000

/**
 * A key of the place of a grant, independent of the order of its facilities. Keys make comparisons cheap: a grant may have 1,000 facilities
 * and is compared with up to 100 grants.
 */
const placeKey = ({ business, facilities }: Grant): string =>
  JSON.stringify([business, facilities === everything ? facilities : facilities.toSorted()])

/** Adds grants. If there is a grant for the same place already, the permissions are added to that grant. */
export const withGrants = (
  present: ReadonlyArray<Grant>,
  news: ReadonlyArray<Grant>
): Result.Result<ReadonlyArray<Grant>, InvalidRequest> => {
  const all = [...present]
  const places = new Map<string, number>()
  for (const [index, grant] of present.entries()) {
    const key = placeKey(grant)
    if (!places.has(key)) places.set(key, index)
  }
  for (const grant of news) {
    const key = placeKey(grant)
    const index = places.get(key)
    const same = index === undefined ? undefined : all[index]
    if (index === undefined || same === undefined) places.set(key, all.push(grant) - 1)
    else {
      all[index] = {
        ...same,
        permissions: Array.from(new Set([...same.permissions, ...grant.permissions]))
      }
    }
  }
  return all.length <= maxGrants
    ? Result.succeed(all)
    : Result.fail(
      new InvalidRequest({ errors: [{ path: "grants", detail: `must be at most ${maxGrants} in all` }] })
    )
}

type Permissions = ReadonlySet<Permission>

/** The permissions in grants for a business: for all facilities, for each named facility, and anywhere. */
interface Rights {
  readonly everywhere: Set<Permission>
  readonly anywhere: Set<Permission>
  readonly byFacility: Map<string, Set<Permission>>
}

const addTo = (permissions: Set<Permission>, { permissions: news }: Grant): void => {
  for (const permission of news) permissions.add(permission)
}

const rightsOf = (grants: ReadonlyArray<Grant>): ReadonlyMap<string, Rights> => {
  const all = new Map<string, Rights>()
  for (const grant of grants) {
    const rights = all.get(grant.business) ??
      { everywhere: new Set(), anywhere: new Set(), byFacility: new Map<string, Set<Permission>>() }
    all.set(grant.business, rights)
    addTo(rights.anywhere, grant)
    if (grant.facilities === everything) addTo(rights.everywhere, grant)
    else {
      for (const facility of grant.facilities) {
        const permissions = rights.byFacility.get(facility) ?? new Set()
        rights.byFacility.set(facility, permissions)
        addTo(permissions, grant)
      }
    }
  }
  return all
}

const none: Permissions = new Set()

const hasSome = (permissions: Permissions, { permissions: wantedPermissions }: Grant): boolean =>
  wantedPermissions.some((permission) => permissions.has(permission))

/** Whether grants with these rights have a withdrawn permission at a facility of the withdrawal. */
const isReached = ({ anywhere, byFacility }: Rights, withdrawal: Grant): boolean =>
  withdrawal.facilities === everything
    ? hasSome(anywhere, withdrawal)
    : withdrawal.facilities.some((facility) => hasSome(byFacility.get(facility) ?? none, withdrawal))

/** The remainder of a grant: first the facilities that keep all permissions, then those that keep some, one grant for each set of them. */
const rest = (grant: Grant, rights: Rights | undefined): ReadonlyArray<Grant> => {
  if (rights === undefined || grant.facilities.length === 0) return [grant]
  const { facilities } = grant
  const remainder = (facility?: string): Grant["permissions"] => {
    const at = facility === undefined ? none : rights.byFacility.get(facility) ?? none
    return grant.permissions.filter((permission) => !rights.everywhere.has(permission) && !at.has(permission))
  }
  if (facilities === everything) {
    const permissions = remainder()
    return permissions.length === 0 && grant.permissions.length > 0 ? [] : [{ ...grant, permissions }]
  }
  const parts = new Map<string, { readonly permissions: Grant["permissions"]; readonly at: Array<string> }>()
  parts.set(grant.permissions.join(), { permissions: grant.permissions, at: [] })
  for (const facility of facilities) {
    const permissions = remainder(facility)
    const key = permissions.join()
    const part = parts.get(key) ?? { permissions, at: [] }
    parts.set(key, part)
    part.at.push(facility)
  }
  return Array.from(parts.values()).flatMap(({ at, permissions }) =>
    at.length === 0 || (permissions.length === 0 && grant.permissions.length > 0)
      ? []
      : [{ ...grant, facilities: at, permissions }]
  )
}

/**
 * Withdraws permissions at the named facilities, or with `*` at all facilities of the business. Fails if the holder has no permission of a
 * withdrawal, and if only a grant for all facilities covers a named facility.
 */
const withoutGrants = (
  present: ReadonlyArray<Grant>,
  withdrawals: ReadonlyArray<Grant>
): Result.Result<ReadonlyArray<Grant>, InvalidRequest> => {
  const [has, losses] = [rightsOf(present), rightsOf(withdrawals)]
  const errors = withdrawals.flatMap((grant, index): ReadonlyArray<FieldError> => {
    const path = `grants[${index}]`
    const rights = has.get(grant.business)
    if (rights !== undefined && isReached(rights, grant)) return []
    return rights !== undefined && hasSome(rights.everywhere, grant)
      ? [{
        path: `${path}.facilities`,
        detail:
          `is part of a grant for all facilities: withdraw that with "${everything}", and grant the facilities that stay`
      }]
      : [{ path, detail: "is not granted" }]
  })
  return errors.length > 0
    ? Result.fail(new InvalidRequest({ errors: errors.slice(0, maxFaults) }))
    : Result.succeed(present.flatMap((grant) => rest(grant, losses.get(grant.business))))
}

/**
 * Refuses grants for businesses that the principal does not operate. Only an operator of the whole service may leave a holder without
 * grants.
 */
const checkReach = (
  grants: ReadonlyArray<Grant>,
  principal: Principal
): Result.Result<void, Forbidden> => {
  const reach = grants.length === 0 ? [everything] : grants.map(({ business }) => business)
  const beyond = reach.find((business) => !operates(principal, business))
  return beyond === undefined ? Result.void : Result.fail(notOperator(clip(beyond)))
}

/** Withdraws grants for an operator. Only an operator of the whole service may leave a holder without grants. */
export const lessGrants = (
  present: ReadonlyArray<Grant>,
  withdrawals: ReadonlyArray<Grant>,
  principal: Principal
): Result.Result<ReadonlyArray<Grant>, InvalidRequest | Forbidden> =>
  Result.flatMap(
    withoutGrants(present, withdrawals),
    (rest) => Result.map(checkReach(rest, principal), () => rest)
  )

const checkPlaces = Effect.fnUntraced(function*(
  directory: Directory["Service"],
  grants: ReadonlyArray<Grant>
) {
  const businesses = new Set(grants.map(({ business }) => business).filter((slug) => slugPattern.test(slug)))
  const placesThere = businesses.size === 0
    ? new Map<string, ReadonlySet<string>>()
    : yield* directory.facilitySlugs([...businesses])
  const errors = grants.flatMap(({ business, facilities }, index): ReadonlyArray<FieldError> => {
    if (business === everything) return []
    const slugs = placesThere.get(business)
    if (slugs === undefined) {
      return [{ path: `grants[${index}].business`, detail: `Unknown business: ${clip(business)}` }]
    }
    return facilities === everything ? [] : facilities.flatMap((facility, at) =>
      slugs.has(facility)
        ? []
        : [{
          path: `grants[${index}].facilities[${at}]`,
          detail: `Unknown facility: ${clip(facility)} of business ${business}`
        }]
    )
  })
  if (errors.length > 0) return yield* new InvalidRequest({ errors: errors.slice(0, maxFaults) })
})
