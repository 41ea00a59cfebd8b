/**
 * Who may do what: permissions, grants, principals.
 *
 * Guarantee: permissions are data of the service, looked up by client id at each request and never carried in a
 * token, so that revoking is immediate (WIRE.md, D10.3).
 */
import { Schema } from "effect"

/** The permissions a client can hold. */
export const permissions = [
  "documents:write",
  "messages:read",
  "pallets:write",
  "shipments:write",
  "operator"
] as const

/** One permission. */
export type Permission = (typeof permissions)[number]

/** Stands for every business, or every facility, those to come included. */
export const everything = "*"

/** What a client may do at some or all (`"*"`) facilities of one business, or of every business (`"*"`). */
export const Grant = Schema.Struct({
  business: Schema.String,
  facilities: Schema.Union([Schema.Literal("*"), Schema.Array(Schema.String)]),
  permissions: Schema.Array(Schema.Literals(permissions))
}).annotate({ identifier: "Grant" })

/** What a client may do at some or all facilities of one business. */
export type Grant = typeof Grant.Type

/** An authenticated client and what it may do now. */
export interface Principal {
  readonly clientId: string
  readonly grants: ReadonlyArray<Grant>
}

const isOf = (given: { readonly business: string }, business: string): boolean =>
  given.business === everything || given.business === business

/** The facilities of one business, or of every business (`"*"`), that a reader may see. */
export interface ReadScope {
  readonly business: string
  readonly facilities: "*" | ReadonlyArray<string>
}

/** Whether a facility is within a scope. */
export const isInScope = (scope: ReadScope, business: string, facility: string): boolean =>
  isOf(scope, business) && (scope.facilities === everything || scope.facilities.includes(facility))

/** Whether the principal holds the permission at the facility. */
export const allows = (
  principal: Principal,
  permission: Permission,
  business: string,
  facility: string
): boolean =>
  principal.grants.some((grant) =>
    isInScope(grant, business, facility) && grant.permissions.includes(permission)
  )

/** Whether the principal holds the permission anywhere at all. */
export const holds = (principal: Principal, permission: Permission): boolean =>
  principal.grants.some((grant) => grant.permissions.includes(permission))

/** Whether the principal holds the permission at every facility of the business, those to come included. */
export const allowsEverywhere = (principal: Principal, permission: Permission, business: string): boolean =>
  principal.grants.some((grant) =>
    isOf(grant, business) && grant.facilities === everything && grant.permissions.includes(permission)
  )

/** Whether the principal holds the permission for the whole service: every business, those to come included. */
export const allowsAll = (principal: Principal, permission: Permission): boolean =>
  allowsEverywhere(principal, permission, everything)

/** Some businesses by slug, or every one (`"*"`). */
export type BusinessScope = "*" | ReadonlyArray<string>

/** The businesses that the principal operates: at all facilities, those to come included. */
export const operatedBusinesses = (principal: Principal): BusinessScope => {
  if (allowsAll(principal, "operator")) return everything
  const named = principal.grants.map(({ business }) => business)
  return Array.from(new Set(named)).filter((business) => allowsEverywhere(principal, "operator", business))
}

/** Whether the principal may read shipments and orders there: any permission at the facility does (D10.3). */
export const canRead = (principal: Principal, business: string, facility: string): boolean =>
  principal.grants.some((grant) => isInScope(grant, business, facility) && grant.permissions.length > 0)

/** Everything a principal may read, one entry a grant. */
export const readScopes = (principal: Principal): ReadonlyArray<ReadScope> =>
  principal.grants
    .filter((grant) => grant.permissions.length > 0)
    .map(({ business, facilities }) => ({ business, facilities }))

/** Whether the principal may read anything at facilities of the business. */
export const canReadSome = (principal: Principal, business: string): boolean =>
  readScopes(principal).some((scope) => isOf(scope, business))
