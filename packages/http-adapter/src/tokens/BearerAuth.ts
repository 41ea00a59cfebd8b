/**
 * Authentication by bearer token: implements the `Authenticator` of core over the tokens and the clients of the service. It runs before the
 * body of a request is read (WIRE.md, authentication).
 *
 * Guarantee: every fault of the header, its token or the client is the error `Unauthenticated`, which names the fault of the token and
 * reveals nothing about clients. If a storage or an issuer cannot be reached, the error is another one, so that clients keep a valid token.
 */
import { Authenticator } from "@dockline/core/access/Authenticator"
import { Unauthenticated } from "@dockline/core/values/Errors"
import { tokenFaults } from "@dockline/wire/Problem"
import { Effect, Layer } from "effect"
import { Clients } from "./Clients.ts"
import { Tokens, tokenSizeLimit } from "./Tokens.ts"

/** `Bearer`, in any case, and one token (RFC 6750 section 2.1). */
const credentials = /^Bearer +([A-Za-z0-9\-._~+/]+=*) *$/i

/** `Bearer` with anything after it. */
const isBearer = /^Bearer +[^ ]/i

/** The token of an `Authorization` header of at most 8 KiB; `undefined` unless the header holds one bearer token. */
export const bearerToken = (authorizationHeader: string | undefined): string | undefined =>
  authorizationHeader === undefined || authorizationHeader.length > tokenSizeLimit
    ? undefined
    : credentials.exec(authorizationHeader)?.[1]

type Reason = NonNullable<Unauthenticated["reason"]>

const issuers = "POST /oauth/token, or from the issuer of your tokens"

const remedies: Readonly<Record<Reason, string>> = {
  malformed: `send it whole, after "Bearer ", as you got it from ${issuers}`,
  expired: `get a new one from ${issuers}`,
  audience: `get one for this service from ${issuers}`,
  invalid: `get a new one from ${issuers}; if that is refused too, ask the operator about your client`
}

/** The refusal, with the fault of the token and where to get a valid token. All 401 answers have the same detail (D4.3). */
const refusalOf = (reason: Reason | undefined): Unauthenticated => {
  const detail = reason === undefined
    ? `must be "Bearer " and a token, from ${issuers}`
    : `${tokenFaults[reason]}; ${remedies[reason]}`
  const errors = [{ path: "Authorization", detail }]
  return new Unauthenticated(reason === undefined ? { errors } : { reason, errors })
}

/** Authenticates enabled clients by tokens of the service or of its external issuer. */
export const layer: Layer.Layer<Authenticator, never, Tokens | Clients> = Layer.effect(
  Authenticator,
  Effect.gen(function*() {
    const tokens = yield* Tokens
    const clients = yield* Clients

    return Authenticator.of({
      authenticate: (authorizationHeader) => {
        const token = bearerToken(authorizationHeader)
        if (token === undefined) {
          const isMalformed = isBearer.test(authorizationHeader ?? "")
          return Effect.fail(refusalOf(isMalformed ? "malformed" : undefined))
        }
        return Effect.flatMap(
          tokens.verify(token),
          ({ clientId, expiresAt }) =>
            Effect.map(clients.principal(clientId), (principal) => ({ principal, expiresAt }))
        ).pipe(Effect.catchTag("Unauthenticated", ({ reason }) => Effect.fail(refusalOf(reason))))
      },
      current: clients.current
    })
  })
)
