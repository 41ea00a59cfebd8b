/**
 * Decides who may operate (D11). A client without the permission operator learns nothing except that it lacks it.
 */
import { Effect, Result } from "effect"
import { Forbidden } from "../../values/Errors.ts"
import { allowsEverywhere, everything, holds, operatedBusinesses } from "../Access.ts"
import type { BusinessScope, Principal } from "../Access.ts"

/** The refusal of a client that does not operate the business, or the whole service (`"*"`). */
export const notOperator = (business: string): Forbidden =>
  new Forbidden({ permission: "operator", business, facility: everything })

/** Whether the principal operates the business; `"*"` stands for the whole service. */
export const operates = (principal: Principal, business: string): boolean =>
  allowsEverywhere(principal, "operator", business)

/** Refuses a client that operates nothing, before any look-up. */
export const checkOperator = (principal: Principal): Result.Result<void, Forbidden> =>
  holds(principal, "operator") ? Result.void : Result.fail(notOperator(everything))

/** The businesses whose entities the principal may list. */
export const operatorScope = (principal: Principal): Effect.Effect<BusinessScope, Forbidden> => {
  const scope = operatedBusinesses(principal)
  return scope.length === 0 ? Effect.fail(notOperator(everything)) : Effect.succeed(scope)
}
