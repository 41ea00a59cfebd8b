/**
 * Port: from an `Authorization` header to a session. The HTTP adapter holds the implementation by bearer token; other
 * adapters depend on this port only.
 */
import { Context } from "effect"
import type { Effect } from "effect"
import type { Principal } from "./Access.ts"
import type { IssuerUnavailable, StorageUnavailable, Unauthenticated } from "./Errors.ts"

/** An authenticated client. */
export interface Session {
  readonly principal: Principal
  /** When its token stops to be valid, in milliseconds since 1970. */
  readonly expiresAt: number
}

/** Authentication. */
export class Authenticator extends Context.Service<Authenticator, {
  /** Who sends a request with this `Authorization` header, what it may do now, and until when its token is valid. */
  readonly authenticate: (
    authorizationHeader: string | undefined
  ) => Effect.Effect<Session, Unauthenticated | StorageUnavailable | IssuerUnavailable>
  /**
   * What a client may do this moment, from no cache: for connections that outlive the look-up of their first request.
   * `Unauthenticated` when it is gone or disabled.
   */
  readonly current: (clientId: string) => Effect.Effect<Principal, Unauthenticated | StorageUnavailable>
}>()("@dockline/core/Authenticator") {}
