/**
 * Permissions, grants and principals decide who may do what.
 *
 * Guarantee: every check uses only the grants of the principal that is passed to it. Whoever provides the principal decides how old its
 * grants may be: the HTTP adapter looks them up by client id and keeps them for at most 5 seconds (WIRE.md, D10.3).
 */
import { Effect, Result, Schema } from "effect"
import { Forbidden } from "../values/Errors.ts"

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

/** The permissions to change something at a facility: to send documents, report pallets, or move shipments. */
export const writePermissions: ReadonlyArray<Permission> = [
  "documents:write",
  "pallets:write",
  "shipments:write"
]

/** Stands for all businesses or all facilities, including future ones. */
export const everything = "*"

/** What a client may do at some or all (`"*"`) facilities of one business, or of all businesses (`"*"`). */
export const Grant = Schema.Struct({
  business: Schema.String.annotate({ description: "Business slug" }),
  facilities: Schema.Union([Schema.Literal("*"), Schema.Array(Schema.String)]).annotate({
    description: "Facility slugs; * for all facilities of the business, including future ones"
  }),
  permissions: Schema.Array(Schema.Literals(permissions)).annotate({ description: "What may be done there" })
}).annotate({ identifier: "Grant" })

/** What a client may do at some or all facilities of one business. */
export type Grant = typeof Grant.Type

/** An authenticated client or person, and what it may do now. */
export interface Principal {
  /** The id of the client; `person:` and the id of the person otherwise. */
  readonly clientId: string
  /** How people know the client or person. */
  readonly name?: string
  readonly grants: ReadonlyArray<Grant>
}

/** An operation of a service. Its result depends on the permissions of the principal, its last parameter. */
export type AuthorizedCall<Arguments extends ReadonlyArray<unknown>, Value, Refusal> = (
  ...rest: [...Arguments, principal: Principal]
) => Effect.Effect<Value, Refusal>

const isOf = (place: { readonly business: string }, business: string): boolean =>
  place.business === everything || place.business === business

/** The facilities of one business, or of all businesses (`"*"`), that a reader may see. */
export interface ReadScope {
  readonly business: string
  readonly facilities: "*" | ReadonlyArray<string>
}

/** Whether a facility is within a scope. */
export const isInScope = (scope: ReadScope, business: string, facility: string): boolean =>
  isOf(scope, business) && (scope.facilities === everything || scope.facilities.includes(facility))

/** A grant in a form that makes look-ups fast. */
interface Entry {
  readonly facilities: "*" | ReadonlySet<string>
  readonly permissions: ReadonlySet<Permission>
}

const indexes = new WeakMap<Principal["grants"], ReadonlyMap<string, ReadonlyArray<Entry>>>()

/** Indexes grants by business, once for each list of grants, so that the cost of a look-up does not grow with the number of facilities. */
const indexOf = (grants: Principal["grants"]): ReadonlyMap<string, ReadonlyArray<Entry>> => {
  const cachedIndex = indexes.get(grants)
  if (cachedIndex !== undefined) return cachedIndex
  const index = new Map<string, Array<Entry>>()
  for (const { business, facilities, permissions } of grants) {
    const entry: Entry = {
      facilities: facilities === everything ? facilities : new Set(facilities),
      permissions: new Set(permissions)
    }
    const entries = index.get(business)
    if (entries === undefined) index.set(business, [entry])
    else entries.push(entry)
  }
  indexes.set(grants, index)
  return index
}

/** Whether the predicate holds for one of the grants that apply to the business. */
const some = ({ grants }: Principal, business: string, is: (entry: Entry) => boolean): boolean => {
  const index = indexOf(grants)
  return index.get(business)?.some(is) === true || index.get(everything)?.some(is) === true
}

const covers = ({ facilities }: Entry, facility: string): boolean =>
  facilities === everything || facilities.has(facility)

/** Whether the principal holds the permission at the facility. */
export const allows = (
  principal: Principal,
  permission: Permission,
  business: string,
  facility: string
): boolean =>
  some(principal, business, (entry) => covers(entry, facility) && entry.permissions.has(permission))

/** Whether the principal holds one of the permissions at the facility. */
export const allowsAny = (
  principal: Principal,
  permissions: ReadonlyArray<Permission>,
  business: string,
  facility: string
): boolean => permissions.some((permission) => allows(principal, permission, business, facility))

/** Whether the principal holds the permission anywhere. */
export const holds = (principal: Principal, permission: Permission): boolean =>
  principal.grants.some((grant) => grant.permissions.includes(permission))

/** Whether the principal holds the permission at all facilities of the business, including future ones. */
export const allowsEverywhere = (principal: Principal, permission: Permission, business: string): boolean =>
  some(
    principal,
    business,
    ({ facilities, permissions }) => facilities === everything && permissions.has(permission)
  )

/** Some businesses by slug, or all (`"*"`). */
export type BusinessScope = "*" | ReadonlyArray<string>

/** The businesses that the principal operates, at all their facilities, including future ones. */
export const operatedBusinesses = (principal: Principal): BusinessScope => {
  if (allowsEverywhere(principal, "operator", everything)) return everything
  const businesses = principal.grants.map(({ business }) => business)
  return Array.from(new Set(businesses)).filter((business) =>
    allowsEverywhere(principal, "operator", business)
  )
}

/** Whether the principal may read shipments and orders at the facility: any permission there suffices (D10.3). */
export const canRead = (principal: Principal, business: string, facility: string): boolean =>
  some(principal, business, (entry) => covers(entry, facility) && entry.permissions.size > 0)

/** The scopes that a principal may read, one for each grant that has permissions. */
export const readScopes = (principal: Principal): ReadonlyArray<ReadScope> =>
  principal.grants
    .filter((grant) => grant.permissions.length > 0)
    .map(({ business, facilities }) => ({ business, facilities }))

/** Whether the principal may read anything at facilities of the business. */
export const canReadSome = (principal: Principal, business: string): boolean =>
  some(principal, business, ({ permissions }) => permissions.size > 0)

/** Whether there are grants, and all of them are for businesses of the scope. The scope of all businesses (`"*"`) always fits. */
export const isWithin = (
  { grants }: { readonly grants: ReadonlyArray<Grant> },
  scope: BusinessScope
): boolean =>
  scope === everything || (grants.length > 0 && grants.every(({ business }) => scope.includes(business)))

/** The refusal of a client that does not operate the business, or the whole service (`"*"`). */
export const notOperator = (business: string): Forbidden =>
  new Forbidden({ permission: "operator", business, facility: everything })

/** Whether the principal operates the business; `"*"` stands for the whole service. */
export const operates = (principal: Principal, business: string): boolean =>
  allowsEverywhere(principal, "operator", business)

/** Refuses a client that holds the permission `operator` nowhere, before any look-up. */
export const checkOperator = (principal: Principal): Result.Result<void, Forbidden> =>
  holds(principal, "operator") ? Result.void : Result.fail(notOperator(everything))

/** The businesses whose entities the principal may list. */
export const operatorScope = (principal: Principal): Effect.Effect<BusinessScope, Forbidden> => {
  const scope = operatedBusinesses(principal)
  return scope.length === 0 ? Effect.fail(notOperator(everything)) : Effect.succeed(scope)
}
