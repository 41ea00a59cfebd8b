/**
 * Sessions of people who have signed in with a browser (D14.4). A session is a random secret, which the browser keeps in
 * a cookie, and which names a client or a person here.
 *
 * Guarantee: a session ends twelve hours after it began, when it is ended, and when its client is disabled or its person
 * removed; it has their present grants at each request. A storage that leaks gives nobody a session: it holds hashes.
 */
import { Clock, Context, Effect, Layer } from "effect"
import { Unauthenticated } from "../values/Errors.ts"
import type { StorageUnavailable } from "../values/Errors.ts"
import { randomBase64Url, sha256 } from "../values/WebCrypto.ts"
import { Authenticator } from "./Authenticator.ts"
import type { Session } from "./Authenticator.ts"
import { isPerson, personIdOf, principalOf } from "./Person.ts"
import { PersonStore } from "./PersonStore.ts"
import { SessionStore } from "./SessionStore.ts"

/** How long a session lasts, in seconds. */
export const sessionSeconds = 12 * 60 * 60

/** The bytes of a secret. */
const secretBytes = 32

/** What a secret looks like; other text is refused without a look-up. */
const secretPattern = /^[\w-]{43}$/

/** The scheme under which a host passes the secret of a session on, in place of `Bearer`. */
const scheme = "Dockline-Session "

/** The `Authorization` header of a request of a session. */
export const authorizationOf = (secret: string): string => `${scheme}${secret}`

/** The sessions of browsers. */
export class BrowserSessions extends Context.Service<BrowserSessions, {
  /** Begins a session of a client or a person by the id of its principal, and returns the session's secret. */
  readonly begin: (clientId: string) => Effect.Effect<string, StorageUnavailable>
  /** The session of a secret, with the present grants of its client or person. */
  readonly find: (secret: string) => Effect.Effect<Session, Unauthenticated | StorageUnavailable>
  /** Ends a session everywhere; nothing happens when it has ended already. */
  readonly end: (secret: string) => Effect.Effect<void, StorageUnavailable>
}>()("@dockline/core/BrowserSessions") {
  /** Sessions in the store, of people in the store and of clients that the given authenticator knows. */
  static readonly layer = Layer.effect(
    BrowserSessions,
    Effect.gen(function*() {
      const store = yield* SessionStore
      const current = yield* currentPrincipal

      const begin = Effect.fn("BrowserSessions.begin")(function*(clientId: string) {
        const secret = yield* randomBase64Url(secretBytes)
        yield* store.add({ id: yield* sha256(secret), clientId, millis: sessionSeconds * 1000 })
        return secret
      })

      const find = Effect.fnUntraced(function*(secret: string): Effect.fn.Return<
        Session,
        Unauthenticated | StorageUnavailable
      > {
        if (!secretPattern.test(secret)) return yield* new Unauthenticated({ reason: "malformed" })
        const id = yield* sha256(secret)
        const session = yield* store.find(id)
        if (session === null) return yield* new Unauthenticated({ reason: "expired" })
        return {
          principal: yield* current(session.clientId),
          expiresAt: (yield* Clock.currentTimeMillis) + session.leftMillis,
          holds: Effect.map(store.find(id), (session) => session !== null)
        }
      })

      const end = Effect.fn("BrowserSessions.end")(function*(secret: string) {
        if (secretPattern.test(secret)) yield* store.remove(yield* sha256(secret))
      })

      return BrowserSessions.of({ begin, find, end })
    })
  )

  /** Authenticates requests of sessions ({@link authorizationOf}), and all others as the given authenticator does. */
  static readonly authenticator = Layer.effect(
    Authenticator,
    Effect.gen(function*() {
      const { find } = yield* BrowserSessions
      const { authenticate } = yield* Authenticator
      return Authenticator.of({
        authenticate: (header) =>
          header?.startsWith(scheme) === true ? find(header.slice(scheme.length)) : authenticate(header),
        current: yield* currentPrincipal
      })
    })
  )
}

/** The present principal of an id: a person of the store, or a client. */
const currentPrincipal = Effect.gen(function*() {
  const { current } = yield* Authenticator
  const people = yield* PersonStore
  return Effect.fnUntraced(function*(id: string) {
    if (!isPerson(id)) return yield* current(id)
    const person = yield* people.find(personIdOf(id))
    return person === null ? yield* new Unauthenticated({ reason: "invalid" }) : principalOf(person)
  })
})
