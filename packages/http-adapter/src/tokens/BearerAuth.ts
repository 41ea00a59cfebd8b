/**
 * Authentication by bearer token: core's `Authenticator` over the tokens and the clients of the service, which runs
 * before the body of a request is read (WIRE.md, authentication).
 *
 * Guarantee: whatever is wrong with the header, its token or the client is the one error `Unauthenticated`, which
 * tells what its sender can mend, and nothing about clients; a storage or an issuer that cannot be reached is told apart,
 * so that no client throws a good token away.
 */
import { Authenticator } from "@dockline/core/Authenticator"
import { Unauthenticated } from "@dockline/core/Errors"
import { Effect, Layer } from "effect"
import { Clients } from "./Clients.ts"
import { Tokens, tokenSizeLimit } from "./Tokens.ts"

/** `Bearer`, in any case, and one token (RFC 6750 section 2.1). */
const credentials = /^Bearer +([A-Za-z0-9\-._~+/]+=*) *$/i

/** Any attempt at one; other schemes are no tokens. */
const isBearer = /^Bearer +[^ ]/i

/** The token of an `Authorization` header of at most 8 KiB; `undefined` when it is anything but one bearer token. */
export const bearerToken = (authorizationHeader: string | undefined): string | undefined =>
  authorizationHeader === undefined || authorizationHeader.length > tokenSizeLimit
    ? undefined
    : credentials.exec(authorizationHeader)?.[1]

/** Tokens of the service, or of the external issuer it is set to, for its enabled clients. */
export const layer: Layer.Layer<Authenticator, never, Tokens | Clients> = Layer.effect(
  Authenticator,
  Effect.gen(function*() {
    const tokens = yield* Tokens
    const clients = yield* Clients

    const authenticate = Effect.fnUntraced(function*(authorizationHeader: string | undefined) {
      const token = bearerToken(authorizationHeader)
      if (token === undefined) {
        return yield* new Unauthenticated(
          isBearer.test(authorizationHeader ?? "") ? { reason: "malformed" } : {}
        )
      }
      const { clientId, expiresAt } = yield* tokens.verify(token)
      return { principal: yield* clients.principal(clientId), expiresAt }
    })

    return Authenticator.of({ authenticate, current: clients.current })
  })
)
