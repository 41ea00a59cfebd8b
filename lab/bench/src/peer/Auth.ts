/**
 * Who sends a request: a bearer token verified once and then remembered, and grants that are at most 5 seconds old.
 */
import type { Permission } from "@dockline/core/Access"
import { importJWK, jwtVerify } from "jose"
import type { JWK } from "jose"
import type { Database } from "./Database.ts"
import { Problem } from "./Problems.ts"

/** What a client may do at some or all facilities of one business. */
export interface Grant {
  readonly business: string
  readonly facilities: "*" | ReadonlyArray<string>
  readonly permissions: ReadonlyArray<Permission>
}

/** Whose tokens are accepted. */
export interface AuthConfig {
  readonly publicJwk: JWK
  readonly issuer: string
  readonly audience: string
}

/** The check of an `Authorization` header; it resolves to the client's grants or throws 401. */
export type Authenticate = (header: string | undefined) => Promise<ReadonlyArray<Grant>>

const grantLifetime = 5000
const capacity = 10_000

/** Makes the check. */
export const makeAuthenticate = async (sql: Database, config: AuthConfig): Promise<Authenticate> => {
  const key = await importJWK(config.publicJwk, "RS256")
  const tokens = new Map<string, { readonly clientId: string; readonly expiresAt: number }>()
  const grants = new Map<string, { readonly found: Promise<ReadonlyArray<Grant>>; readonly until: number }>()

  const verify = async (token: string) => {
    const { payload } = await jwtVerify(token, key, {
      algorithms: ["RS256"],
      typ: "at+jwt",
      issuer: config.issuer,
      audience: config.audience,
      requiredClaims: ["exp", "iat", "jti", "sub", "client_id"]
    }).catch(() => {
      throw unauthenticated()
    })
    if (payload.sub === undefined || payload.sub !== payload["client_id"]) throw unauthenticated()
    const verified = { clientId: payload.sub, expiresAt: payload.exp! * 1000 }
    if (tokens.size >= capacity) tokens.delete(tokens.keys().next().value!)
    tokens.set(token, verified)
    return verified
  }

  const find = async (clientId: string) => {
    const [client] = await sql<Array<{ grants: ReadonlyArray<Grant> }>>`
      select grants from dockline.client where id = ${clientId} and enabled`
    if (client === undefined) throw unauthenticated()
    return client.grants
  }

  return async (header) => {
    const token = header === undefined ? undefined : /^Bearer +([A-Za-z0-9\-._~+/]+=*) *$/i.exec(header)?.[1]
    if (token === undefined) throw unauthenticated()
    const now = Date.now()
    const known = tokens.get(token)
    if (known !== undefined && known.expiresAt <= now) throw unauthenticated()
    const { clientId } = known ?? (await verify(token))
    const cached = grants.get(clientId)
    if (cached !== undefined && cached.until > now) return cached.found
    const found = find(clientId)
    grants.set(clientId, { found, until: now + grantLifetime })
    found.catch(() => grants.delete(clientId))
    return found
  }
}

/** Whether documents of the facility may be written. */
export const maySubmit = (grants: ReadonlyArray<Grant>, business: string, facility: string): boolean =>
  grants.some((grant) =>
    grant.business === business && (grant.facilities === "*" || grant.facilities.includes(facility)) &&
    grant.permissions.includes("documents:write")
  )

const unauthenticated = () => new Problem(401, "UNAUTHENTICATED", "missing or invalid bearer token")
