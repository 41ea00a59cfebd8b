/**
 * Who sends a request: a bearer token verified once and then remembered, and grants that are at most 5 seconds old.
 */
import type { Grant } from "@dockline/core/access/Access"
import { Unauthenticated } from "@dockline/core/values/Errors"
import { importJWK, jwtVerify } from "jose"
import type { Database } from "./Database.ts"

/** The check of an `Authorization` header; it resolves to the client's grants or throws 401. */
export type Authenticate = (header: string | undefined) => Promise<ReadonlyArray<Grant>>

const grantLifetime = 5000
const capacity = 10_000

/** Makes the check of tokens of an issuer for an audience, signed with the key of a JWK. */
export const makeAuthenticate = async (
  sql: Database,
  jwk: string,
  issuer: string,
  audience: string
): Promise<Authenticate> => {
  const key = await importJWK(JSON.parse(jwk), "RS256")
  const tokens = new Map<string, { readonly clientId: string; readonly expiresAt: number }>()
  const grants = new Map<string, { readonly found: Promise<ReadonlyArray<Grant>>; readonly until: number }>()

  const verify = async (token: string) => {
    const { payload } = await jwtVerify(token, key, {
      algorithms: ["RS256"],
      typ: "at+jwt",
      issuer,
      audience,
      requiredClaims: ["exp", "iat", "jti", "sub", "client_id"]
    }).catch(() => {
      throw new Unauthenticated({})
    })
    if (payload.sub === undefined || payload.sub !== payload["client_id"]) throw new Unauthenticated({})
    const verified = { clientId: payload.sub, expiresAt: (payload.exp ?? 0) * 1000 }
    if (tokens.size >= capacity) tokens.clear()
    tokens.set(token, verified)
    return verified
  }

  const find = async (clientId: string) => {
    const [client] = await sql<Array<{ grants: ReadonlyArray<Grant> }>>`
      select grants from dockline.client where id = ${clientId} and enabled`
    if (client === undefined) throw new Unauthenticated({})
    return client.grants
  }

  return async (header) => {
    const token = header === undefined ? undefined : /^Bearer +([A-Za-z0-9\-._~+/]+=*) *$/i.exec(header)?.[1]
    if (token === undefined) throw new Unauthenticated({})
    const now = Date.now()
    const { clientId, expiresAt } = tokens.get(token) ?? (await verify(token))
    if (expiresAt <= now) throw new Unauthenticated({})
    const cached = grants.get(clientId)
    if (cached !== undefined && cached.until > now) return cached.found
    const found = find(clientId)
    grants.set(clientId, { found, until: now + grantLifetime })
    found.catch(() => grants.delete(clientId))
    return found
  }
}
