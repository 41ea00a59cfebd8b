/**
 * What the operator services share: who may operate, and which page of a list is asked for (D11).
 *
 * Guarantee: a client without the permission operator learns nothing but that it lacks it.
 */
import { Effect, Result } from "effect"
import { allowsEverywhere, everything, holds, operatedBusinesses } from "../access/Access.ts"
import type { BusinessScope, Principal } from "../access/Access.ts"
import { pageLimit } from "../movement/Shipments.ts"
import { Forbidden, InvalidParameter } from "../values/Errors.ts"
import type { NamePage } from "../values/Page.ts"
import type { PageRequest } from "../values/Page.ts"

/** Which page of a list is asked for. */
export interface PageQuery {
  /** 1 to {@link pageLimit}, and brought there; all of it when absent. */
  readonly limit?: number | undefined
  /** The `next` of the page before; the first page when absent or `""`. */
  readonly after?: string | undefined
}

/** The refusal of a client that does not operate the business, or all of them (`"*"`). */
export const notOperator = (business: string): Forbidden =>
  new Forbidden({ permission: "operator", business, facility: everything })

/** Whether the principal operates the business; `"*"` stands for the whole service. */
export const operates = (principal: Principal, business: string): boolean =>
  allowsEverywhere(principal, "operator", business)

/** Refuses a client that operates nothing at all, before anything is looked up. */
export const checkOperator = (principal: Principal): Result.Result<void, Forbidden> =>
  holds(principal, "operator") ? Result.void : Result.fail(notOperator(everything))

/** The businesses that lists are narrowed to. */
export const operatorScope = (principal: Principal): Effect.Effect<BusinessScope, Forbidden> => {
  const scope = operatedBusinesses(principal)
  return scope.length === 0 ? Effect.fail(notOperator(everything)) : Effect.succeed(scope)
}

const limitOf = ({ limit }: PageQuery): number => Math.max(1, Math.min(limit ?? pageLimit, pageLimit))

/** The page of a list in the order of names. */
export const namePage = (query: PageQuery): NamePage => ({ limit: limitOf(query), after: query.after ?? "" })

/** The page of a list in the order of ids. */
export const idPage = (query: PageQuery): Result.Result<PageRequest, InvalidParameter> => {
  const after = query.after === undefined || query.after === "" ? 0 : idOf(query.after)
  return after === undefined
    ? Result.fail(
      new InvalidParameter({ errors: [{ path: "after", detail: "must be the next of the page before" }] })
    )
    : Result.succeed({ limit: limitOf(query), after })
}

/** The id that a text in a path stands for; `undefined` when it is none. */
export const idOf = (text: string): number | undefined =>
  /^[1-9]\d{0,15}$/.test(text) && Number.isSafeInteger(Number(text)) ? Number(text) : undefined
