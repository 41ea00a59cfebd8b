/**
 * Which clients and people an operator may see, by their grants, and which grants it may give them (D11).
 */
import { Effect, Result } from "effect"
import { everything, operatedBusinesses } from "../access/Access.ts"
import type { Grant, Principal } from "../access/Access.ts"
import type { AuditAction, AuditDraft } from "../access/AuditEntry.ts"
import { businessOf, subjectOf } from "../access/AuditLog.ts"
import { isWithin } from "../access/ClientStore.ts"
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

/** Refuses grants beyond what the principal operates; only an operator of the whole service may leave somebody without any. */
const checkReach = (
  grants: ReadonlyArray<Grant>,
  principal: Principal
): Result.Result<void, Forbidden> => {
  const reach = grants.length === 0 ? [everything] : grants.map(({ business }) => business)
  const beyond = reach.find((business) => !operates(principal, business))
  return beyond === undefined ? Result.void : Result.fail(notOperator(clip(beyond)))
}

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
