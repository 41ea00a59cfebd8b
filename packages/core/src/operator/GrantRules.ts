/**
 * Which clients and people an operator may see, by their grants, and which grants it may give them (D11).
 */
import { Effect, Result } from "effect"
import { everything, isWithin, operatedBusinesses } from "../access/Access.ts"
import type { Grant, Principal } from "../access/Access.ts"
import type { AuditAction, AuditDraft } from "../access/AuditEntry.ts"
import { businessOf, subjectOf } from "../access/AuditLog.ts"
import { notOperator, operates } from "../access/Operators.ts"
import { maxFaults } from "../input/Faults.ts"
import type { Directory } from "../places/Directory.ts"
import type { FieldError } from "../values/CatalogueError.ts"
import { clip } from "../values/Clip.ts"
import { InvalidRequest } from "../values/Errors.ts"
import type { Forbidden } from "../values/Errors.ts"
import { slugPattern } from "../values/Vocabulary.ts"

interface Granted {
  readonly id: string
  readonly grants: ReadonlyArray<Grant>
}

/** A client or a person, if the operator may see it; fails as if it were missing otherwise. */
export const visible = <A extends Granted, E>(
  found: A | null,
  principal: Principal,
  missing: E
): Result.Result<A, E> =>
  found !== null && isWithin(found, operatedBusinesses(principal))
    ? Result.succeed(found)
    : Result.fail(missing)

/** A change for the audit log; the client or the person before and after it says which businesses it concerns. */
export const drafted = (
  action: AuditAction,
  details: AuditDraft["details"],
  subject: ReadonlyArray<string>,
  ...entities: ReadonlyArray<Granted>
): AuditDraft => ({
  action,
  business: businessOf(...entities.flatMap(({ grants }) => grants)),
  subject: subjectOf(...subject),
  details
})

/** Refuses grants that the operator may not give, and grants for places that do not exist. Without grants, it refuses nothing. */
export const checkGrants = Effect.fnUntraced(function*(
  directory: Directory["Service"],
  principal: Principal,
  grants: ReadonlyArray<Grant> | undefined
) {
  if (grants === undefined) return
  yield* Effect.fromResult(checkReach(grants, principal))
  yield* checkPlaces(directory, grants)
})

/** The most grants of a client or a person, and facilities of a grant. */
export const maxGrants = 100
export const maxFacilities = 1000

const isSamePlace = (one: Grant, other: Grant): boolean =>
  one.business === other.business &&
  (one.facilities === everything || other.facilities === everything
    ? one.facilities === other.facilities
    : one.facilities.length === other.facilities.length &&
      one.facilities.every((facility) => other.facilities.includes(facility)))

/** Adds grants; permissions for a place that has a grant join that grant. */
export const withGrants = (
  known: ReadonlyArray<Grant>,
  added: ReadonlyArray<Grant>
): Result.Result<ReadonlyArray<Grant>, InvalidRequest> => {
  const all = [...known]
  for (const grant of added) {
    const index = all.findIndex((each) => isSamePlace(each, grant))
    const same = all[index]
    if (same === undefined) all.push(grant)
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

/** What is left of a grant without permissions at facilities, `*` for all of its business. */
const reduced = (grant: Grant, { facilities, permissions }: Grant): ReadonlyArray<Grant> => {
  const rest = grant.permissions.filter((permission) => !permissions.includes(permission))
  const [left, reached] = grant.facilities === everything || facilities === everything
    ? [[], grant.facilities] as const
    : [
      grant.facilities.filter((facility) => !facilities.includes(facility)),
      grant.facilities.filter((facility) => facilities.includes(facility))
    ] as const
  return [
    ...(left.length === 0 ? [] : [{ ...grant, facilities: left }]),
    ...(rest.length === 0 || reached.length === 0
      ? []
      : [{ ...grant, facilities: reached, permissions: rest }])
  ]
}

/** Whether a grant has a permission that is withdrawn, at a facility of which the withdrawal says something. */
const isReached = (grant: Grant, withdrawn: Grant): boolean =>
  grant.business === withdrawn.business &&
  grant.permissions.some((permission) => withdrawn.permissions.includes(permission)) &&
  (withdrawn.facilities === everything ||
    grant.facilities !== everything &&
      grant.facilities.some((facility) => withdrawn.facilities.includes(facility)))

/**
 * Takes grants away: their permissions at their facilities, or with `*` at all of the business. Fails where nothing of one is there, and
 * where it is only part of a grant for all facilities, which names none.
 */
const withoutGrants = (
  known: ReadonlyArray<Grant>,
  withdrawn: ReadonlyArray<Grant>
): Result.Result<ReadonlyArray<Grant>, InvalidRequest> => {
  const errors = withdrawn.flatMap((grant, index): ReadonlyArray<FieldError> => {
    const path = `grants[${index}]`
    if (known.some((each) => isReached(each, grant))) return []
    return known.some((each) =>
        isReached(each, { ...grant, facilities: everything }) && each.facilities === everything
      )
      ? [{
        path: `${path}.facilities`,
        detail:
          `is part of a grant for all facilities: withdraw that with "${everything}", and grant the facilities that stay`
      }]
      : [{ path, detail: "is not granted" }]
  })
  return errors.length > 0
    ? Result.fail(new InvalidRequest({ errors: errors.slice(0, maxFaults) }))
    : Result.succeed(withdrawn.reduce<ReadonlyArray<Grant>>(
      (grants, grant) => grants.flatMap((each) => isReached(each, grant) ? reduced(each, grant) : [each]),
      known
    ))
}

/** Refuses grants beyond what the principal operates; only an operator of the whole service may leave somebody without any. */
const checkReach = (
  grants: ReadonlyArray<Grant>,
  principal: Principal
): Result.Result<void, Forbidden> => {
  const reach = grants.length === 0 ? [everything] : grants.map(({ business }) => business)
  const beyond = reach.find((business) => !operates(principal, business))
  return beyond === undefined ? Result.void : Result.fail(notOperator(clip(beyond)))
}

/** Takes grants away for an operator, who may leave somebody without any only if it operates the whole service. */
export const lessGrants = (
  known: ReadonlyArray<Grant>,
  withdrawn: ReadonlyArray<Grant>,
  principal: Principal
): Result.Result<ReadonlyArray<Grant>, InvalidRequest | Forbidden> =>
  Result.flatMap(
    withoutGrants(known, withdrawn),
    (rest) => Result.map(checkReach(rest, principal), () => rest)
  )

const checkPlaces = Effect.fnUntraced(function*(
  directory: Directory["Service"],
  grants: ReadonlyArray<Grant>
) {
  const named = new Set(grants.map(({ business }) => business).filter((slug) => slugPattern.test(slug)))
  const known = named.size === 0
    ? new Map<string, ReadonlySet<string>>()
    : yield* directory.facilitySlugs([...named])
  const errors = grants.flatMap(({ business, facilities }, index): ReadonlyArray<FieldError> => {
    if (business === everything) return []
    const slugs = known.get(business)
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
