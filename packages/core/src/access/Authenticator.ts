/**
 * Port: from an `Authorization` header to a session. The HTTP adapter holds the implementation by bearer token; other
 * adapters depend on this port only, and a service that knows its users already brings an implementation of its own.
 */
import { Clock, Context, Effect, Layer } from "effect"
import { IssuerUnavailable, StorageUnavailable, Unauthenticated } from "../values/Errors.ts"
import type { Principal } from "./Access.ts"

/** An authenticated client. */
export interface Session {
  readonly principal: Principal
  /** When its token stops to be valid, in milliseconds since 1970. */
  readonly expiresAt: number
}

/** How a service that knows its users already tells who they are. */
export interface OwnAuthentication {
  /**
   * Who sends a request with this `Authorization` header: a session, or a principal whose session lasts an hour; `null`
   * or `undefined` for nobody. A rejection with an `Unauthenticated` tells the client why its token is not good; any other says
   * that it cannot be told at the moment: the client is asked to repeat the request.
   */
  readonly authenticate: (
    authorizationHeader: string | undefined
  ) => Promise<Session | Principal | null | undefined>
  /**
   * What a client may do this moment, `null` or `undefined` when it is gone: asked every few seconds for those that hold connections.
   * Without it a connection keeps what its client could do at its last request, until its session ends.
   */
  readonly current?: (clientId: string) => Promise<Principal | null | undefined>
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
}>()("@dockline/core/Authenticator") {
  /**
   * Authentication by plain functions.
   *
   * ```ts
   * Authenticator.layerPromise(async (header) => users.byKey(header?.replace("ApiKey ", "")))
   * ```
   */
  static readonly layerPromise = (
    given: OwnAuthentication | OwnAuthentication["authenticate"]
  ): Layer.Layer<Authenticator> =>
    Layer.sync(Authenticator, () => make(typeof given === "function" ? { authenticate: given } : given))
}

/** How long a session lasts that says nothing of its end, in milliseconds. */
const sessionMillis = 3_600_000

/** The most clients whose last session is remembered for {@link OwnAuthentication.current}. */
const capacity = 100_000

const make = ({ authenticate, current }: OwnAuthentication): Authenticator["Service"] => {
  const sessions = new Map<string, Session>()

  const remember = (session: Session): void => {
    const { clientId } = session.principal
    // Taken out first, so that the map is in the order in which clients were seen.
    sessions.delete(clientId)
    sessions.set(clientId, session)
    if (sessions.size > capacity) sessions.delete(sessions.keys().next().value!)
  }

  const remembered = Effect.fnUntraced(function*(clientId: string) {
    const session = sessions.get(clientId)
    if (session === undefined || session.expiresAt <= (yield* Clock.currentTimeMillis)) {
      sessions.delete(clientId)
      return yield* new Unauthenticated()
    }
    return session.principal
  })

  return {
    authenticate: Effect.fnUntraced(function*(header: string | undefined) {
      const found = yield* Effect.tryPromise({
        try: () => authenticate(header),
        catch: (cause) => cause instanceof Unauthenticated ? cause : new IssuerUnavailable({ cause })
      })
      if (found === null || found === undefined) {
        return yield* new Unauthenticated(header === undefined ? {} : { reason: "invalid" })
      }
      const now = yield* Clock.currentTimeMillis
      const session = "principal" in found ? found : { principal: found, expiresAt: now + sessionMillis }
      if (session.expiresAt <= now) return yield* new Unauthenticated({ reason: "expired" })
      if (current === undefined) remember(session)
      return session
    }),
    current: current === undefined ? remembered : Effect.fnUntraced(function*(clientId: string) {
      const principal = yield* Effect.tryPromise({
        try: () => current(clientId),
        catch: (cause) => new StorageUnavailable({ cause })
      })
      return principal ?? (yield* new Unauthenticated())
    })
  }
}
