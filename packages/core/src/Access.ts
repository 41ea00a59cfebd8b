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

/** What a client may do at some or all (`"*"`) facilities of one business. */
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

const covers = (grant: Grant, business: string, facility: string): boolean =>
  grant.business === business && (grant.facilities === "*" || grant.facilities.includes(facility))

/** Whether the principal holds the permission at the facility. */
export const allows = (
  principal: Principal,
  permission: Permission,
  business: string,
  facility: string
): boolean =>
  principal.grants.some((grant) =>
    covers(grant, business, facility) && grant.permissions.includes(permission)
  )

/** Whether the principal holds the permission anywhere at all. */
export const holds = (principal: Principal, permission: Permission): boolean =>
  principal.grants.some((grant) => grant.permissions.includes(permission))

/** Whether the principal holds the permission at every facility of the business, those to come included. */
export const allowsEverywhere = (principal: Principal, permission: Permission, business: string): boolean =>
  principal.grants.some((grant) =>
    grant.business === business && grant.facilities === "*" && grant.permissions.includes(permission)
  )

/** Whether the principal may read shipments and orders there: any permission at the facility does (D10.3). */
export const canRead = (principal: Principal, business: string, facility: string): boolean =>
  principal.grants.some((grant) => covers(grant, business, facility) && grant.permissions.length > 0)

/** The facilities of one business that a reader may see. */
export interface ReadScope {
  readonly business: string
  readonly facilities: "*" | ReadonlyArray<string>
}

/** Everything a principal may read, one entry a grant. */
export const readScopes = (principal: Principal): ReadonlyArray<ReadScope> =>
  principal.grants
    .filter((grant) => grant.permissions.length > 0)
    .map(({ business, facilities }) => ({ business, facilities }))
