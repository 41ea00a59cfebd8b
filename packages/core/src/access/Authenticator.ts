/**
 * Ports: authenticate requests by their `Authorization` header, and check the id and secret of a client that signs in with a browser
 * (D14.4). `@dockline/http-adapter` implements both with the clients of its token endpoint; other adapters depend on the ports only. A
 * service that already has users provides its own `Authenticator`. The port `SigningKeyStore` stores the keys that sign tokens, which all
 * instances of a service share.
 */
import { Clock, Context, Effect, Layer, Redacted } from "effect"
import { StorageUnavailable, Unauthenticated } from "../values/Errors.ts"
import { IssuerUnavailable } from "../values/RequestErrors.ts"
import type { RateLimited } from "../values/RequestErrors.ts"
import type { Timestamp } from "../values/Timestamp.ts"
import type { Principal } from "./Access.ts"

/** The origin of a request, as far as its host knows it. */
export interface Sender {
  /** The address of the connection; `undefined` when the host does not know it. */
  readonly remoteAddress: string | undefined
  /** The headers of the request, by names in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>
}

/** A request that names a client and its secret. */
export interface SignIn extends Sender {
  readonly clientId: string
  readonly clientSecret: string
}

/** Checks ids and secrets of clients. */
export class Credentials extends Context.Service<Credentials, {
  /** Whether the client is enabled and the secret is right. After too many failures from one network, secrets are not compared (D10.5). */
  readonly check: (signIn: SignIn) => Effect.Effect<boolean, RateLimited | StorageUnavailable>
  /** The network from which a request comes, beyond trusted proxies. Limits for each network use this key. */
  readonly networkOf: (sender: Sender) => string
}>()("@dockline/core/access/Credentials") {}

/** An authenticated client. */
export interface Session {
  readonly principal: Principal
  /** When its token expires, in milliseconds since 1970. */
  readonly expiresAt: number
  /**
   * Checks whether the session is still valid; present if a session may end before it expires. Connections that outlive their first request
   * run the check every few seconds.
   */
  readonly holds?: Effect.Effect<boolean, StorageUnavailable>
}

/** The authentication of a service that already has users. */
export interface OwnAuthentication {
  /**
   * Authenticates a request by its `Authorization` header: returns a session, or a principal, whose session then lasts an
   * hour; `null` or `undefined` for an unknown client. A rejection with `Unauthenticated` tells the client what is wrong
   * with its token. Any other rejection means that authentication is unavailable, and asks the client to repeat the
   * request.
   */
  readonly authenticate: (
    authorizationHeader: string | undefined
  ) => Promise<Session | Principal | null | undefined>
  /**
   * The present principal of a client; `null` or `undefined` when the client no longer exists. It is called every few
   * seconds for clients that hold connections. Without this function a connection keeps the permissions of its client's
   * last request until the session ends.
   */
  readonly current?: (clientId: string) => Promise<Principal | null | undefined>
}

/** Authenticates clients. */
export class Authenticator extends Context.Service<Authenticator, {
  /** Authenticates a request by its `Authorization` header. */
  readonly authenticate: (
    authorizationHeader: string | undefined
  ) => Effect.Effect<Session, Unauthenticated | StorageUnavailable | IssuerUnavailable>
  /**
   * The present principal of a client; `Unauthenticated` when the client no longer exists or is disabled. The result is uncached, except
   * for `layerPromise` without `current`.
   */
  readonly current: (clientId: string) => Effect.Effect<Principal, Unauthenticated | StorageUnavailable>
}>()("@dockline/core/access/Authenticator") {
  /**
   * Authentication by plain functions.
   *
   * ```ts
   * Authenticator.layerPromise(async (header) => users.byKey(header?.replace("ApiKey ", "")))
   * ```
   */
  static readonly layerPromise = (
    options: OwnAuthentication | OwnAuthentication["authenticate"]
  ): Layer.Layer<Authenticator> =>
    Layer.sync(Authenticator, () => make(typeof options === "function" ? { authenticate: options } : options))
}

/** The length of the session of a bare principal, in milliseconds. */
const sessionMillis = 3_600_000

/** The most clients whose last session is remembered when {@link OwnAuthentication.current} is absent. */
const capacity = 100_000

const make = ({ authenticate, current }: OwnAuthentication): Authenticator["Service"] => {
  const sessions = new Map<string, Session>()

  const remember = (session: Session): void => {
    const { clientId } = session.principal
    // Deleting the entry first keeps the map in the order in which clients were last seen.
    sessions.delete(clientId)
    sessions.set(clientId, session)
    if (sessions.size > capacity) sessions.delete(sessions.keys().next().value!)
  }

  const cachedPrincipal = Effect.fnUntraced(function*(clientId: string) {
    const session = sessions.get(clientId)
    if (session === undefined || session.expiresAt <= (yield* Clock.currentTimeMillis)) {
      sessions.delete(clientId)
      return yield* new Unauthenticated()
    }
    return session.principal
  })

  return {
    authenticate: Effect.fnUntraced(function*(header: string | undefined) {
      const result = yield* Effect.tryPromise({
        try: () => authenticate(header),
        catch: (cause) => cause instanceof Unauthenticated ? cause : new IssuerUnavailable({ cause })
      })
      if (result === null || result === undefined) {
        return yield* new Unauthenticated(header === undefined ? {} : { reason: "invalid" })
      }
      const now = yield* Clock.currentTimeMillis
      const session = "principal" in result ? result : { principal: result, expiresAt: now + sessionMillis }
      if (session.expiresAt <= now) return yield* new Unauthenticated({ reason: "expired" })
      if (current === undefined) remember(session)
      return session
    }),
    current: current === undefined ? cachedPrincipal : Effect.fnUntraced(function*(clientId: string) {
      const principal = yield* Effect.tryPromise({
        try: () => current(clientId),
        catch: (cause) => new StorageUnavailable({ cause })
      })
      return principal ?? (yield* new Unauthenticated())
    })
  }
}

/** A private signing key. */
export interface SigningKey {
  /** The id, `kid` in token headers. */
  readonly id: string
  /** The private key as a JSON Web Key, in JSON. */
  readonly privateJwk: Redacted.Redacted<string>
  readonly createdAt: Timestamp
}

/** Stores the keys that sign tokens. */
export class SigningKeyStore extends Context.Service<SigningKeyStore, {
  /** All stored keys, newest first. */
  readonly list: Effect.Effect<ReadonlyArray<SigningKey>, StorageUnavailable>
  /**
   * Adds the key unless a key was created after `unlessSince`, drops keys created before `dropBefore` (never the newest),
   * and returns the stored keys, newest first. Instances that start at the same time therefore share one key.
   */
  readonly rotate: (
    key: SigningKey,
    unlessSince: Timestamp,
    dropBefore: Timestamp
  ) => Effect.Effect<ReadonlyArray<SigningKey>, StorageUnavailable>
}>()("@dockline/core/access/SigningKeyStore") {}
