/**
 * Authentication by bearer token: core's `Authenticator` over the tokens and the clients of the service, which runs
 * before the body of a request is read (WIRE.md, authentication).
 *
 * Guarantee: every fault of the header, its token or the client is the error `Unauthenticated`, which names the fault of
 * the token and tells nothing about clients. A storage or an issuer that cannot be reached is another error, so that no
 * client throws a good token away.
 */
import { Authenticator } from "@dockline/core/Authenticator"
import { Unauthenticated } from "@dockline/core/Errors"
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
          return Effect.fail(new Unauthenticated(isMalformed ? { reason: "malformed" } : {}))
        }
        return Effect.flatMap(
          tokens.verify(token),
          ({ clientId, expiresAt }) =>
            Effect.map(clients.principal(clientId), (principal) => ({ principal, expiresAt }))
        )
      },
      current: clients.current
    })
  })
)
