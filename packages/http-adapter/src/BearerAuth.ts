/**
 * From an `Authorization` header to a principal: what runs before the body of a request is read (WIRE.md,
 * authentication).
 *
 * Guarantee: whatever is wrong with the header, its token or the client is the one error `Unauthenticated`, which
 * does not tell what; only a storage that cannot be reached is told apart, so that no client throws a good token away.
 */
import type { Principal } from "@dockline/core/Access"
import { Unauthenticated } from "@dockline/core/Errors"
import type { IssuerUnavailable, StorageUnavailable } from "@dockline/core/Errors"
import { Context, Effect, Layer } from "effect"
import { Clients } from "./Clients.ts"
import { Tokens, tokenSizeLimit } from "./Tokens.ts"

/** `Bearer`, in any case, and one token (RFC 6750 section 2.1). */
const credentials = /^Bearer +([A-Za-z0-9\-._~+/]+=*) *$/i

/** The token of an `Authorization` header of at most 8 KiB; `undefined` when it is anything but one bearer token. */
export const bearerToken = (authorizationHeader: string | undefined): string | undefined =>
  authorizationHeader === undefined || authorizationHeader.length > tokenSizeLimit
    ? undefined
    : credentials.exec(authorizationHeader)?.[1]

/** Authentication by bearer token. */
export class BearerAuth extends Context.Service<BearerAuth, {
  /** Who sends a request with this `Authorization` header, and what it may do now. */
  readonly authenticate: (
    authorizationHeader: string | undefined
  ) => Effect.Effect<Principal, Unauthenticated | StorageUnavailable | IssuerUnavailable>
}>()("@dockline/http-adapter/BearerAuth") {
  /** Tokens of the service, or of the external issuer it is set to, for its enabled clients. */
  static readonly layer: Layer.Layer<BearerAuth, never, Tokens | Clients> = Layer.effect(
    BearerAuth,
    Effect.gen(function*() {
      const tokens = yield* Tokens
      const clients = yield* Clients

      const authenticate = Effect.fnUntraced(function*(authorizationHeader: string | undefined) {
        const token = bearerToken(authorizationHeader)
        if (token === undefined) return yield* new Unauthenticated()
        const { clientId } = yield* tokens.verify(token)
        return yield* clients.principal(clientId)
      })

      return BearerAuth.of({ authenticate })
    })
  )
}
