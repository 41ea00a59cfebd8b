/**
 * Sessions of people who have signed in with a browser (D14.4), and the port that stores them. A session is a random secret that the
 * browser keeps in a cookie; the store maps it to a client or a person.
 *
 * Guarantee: a session ends twelve hours after it began, when somebody ends it, or when its client or person has begun
 * {@link sessionsPerPrincipal} newer ones. It is refused while its client is disabled, and once its person is removed. At each request it
 * has the grants that the authenticator or the store has for the client or person. A leaked storage gives nobody a session, because it
 * holds only hashes.
 */
import { Clock, Context, Effect, Layer } from "effect"
import { Unauthenticated } from "../values/Errors.ts"
import type { StorageUnavailable } from "../values/Errors.ts"
import { randomBase64Url, sha256 } from "../values/WebCrypto.ts"
import { Authenticator } from "./Authenticator.ts"
import type { Session } from "./Authenticator.ts"
import { isPerson, personIdOf, PersonStore, principalOf } from "./Principals.ts"

/** A new session of a browser. */
export interface SessionDraft {
  /** The SHA-256 of the session's secret in lower-case hexadecimal. The secret itself is not stored. */
  readonly id: string
  /** The id of the principal whose grants the session has: a client, or a person. */
  readonly principalId: string
  /** How long the session lasts, in milliseconds. */
  readonly millis: number
}

/** A session that has not ended. */
export interface StoredSession {
  /** The id of its principal: a client, or a person. */
  readonly principalId: string
  /** How much longer the session lasts, in milliseconds. */
  readonly leftMillis: number
}

/** The most sessions of one client or person at a time. */
export const sessionsPerPrincipal = 1000

/**
 * How long a storage remembers that a sign-in was answered, in milliseconds: a week. A sign-in is valid for minutes, but an instance whose
 * clock is slow accepts it for longer.
 */
export const answeredMillis = 7 * 24 * 60 * 60 * 1000

/**
 * Port: stores the sessions of browsers, shared by all instances of a service. Sessions begin and end by the clock of the storage, unless
 * the program has a clock of its own (`Timestamp.givenNow`). So an instance whose clock is wrong neither ends sessions of other instances
 * nor extends its own.
 */
export class SessionStore extends Context.Service<SessionStore, {
  /** Begins a session, and removes sessions that have ended, and all but the {@link sessionsPerPrincipal} newest of its principal. */
  readonly add: (session: SessionDraft) => Effect.Effect<void, StorageUnavailable>
  /** The session with this id; `null` when it does not exist or has ended. */
  readonly find: (id: string) => Effect.Effect<StoredSession | null, StorageUnavailable>
  /** Removes a session, if it exists. */
  readonly remove: (id: string) => Effect.Effect<void, StorageUnavailable>
  /**
   * Records that a sign-in was answered. Its id is the SHA-256 of its secret in lower-case hexadecimal. `false` when any instance has
   * already answered it within {@link answeredMillis}.
   */
  readonly markAnswered: (id: string) => Effect.Effect<boolean, StorageUnavailable>
}>()("@dockline/core/access/SessionStore") {}

/** How long a session lasts, in seconds. */
export const sessionSeconds = 12 * 60 * 60

/** The bytes of a secret. */
const secretBytes = 32

/** The pattern of secrets; other text is refused without a look-up. */
const secretPattern = /^[\w-]{43}$/

/** The scheme with which a host passes on the secret of a session, in place of `Bearer`. */
const scheme = "Dockline-Session "

/** The `Authorization` header for a request within a session. */
export const authorizationOf = (secret: string): string => `${scheme}${secret}`

/** The sessions of browsers. */
export class BrowserSessions extends Context.Service<BrowserSessions, {
  /** Begins a session of a client or a person by the id of its principal, and returns the session's secret. */
  readonly begin: (principalId: string) => Effect.Effect<string, StorageUnavailable>
  /** The session of a secret, with the present grants of its client or person. */
  readonly find: (secret: string) => Effect.Effect<Session, Unauthenticated | StorageUnavailable>
  /** Ends a session everywhere; nothing happens when it has ended already. */
  readonly end: (secret: string) => Effect.Effect<void, StorageUnavailable>
}>()("@dockline/core/access/BrowserSessions") {
  /** Keeps sessions in the session store. A session belongs to a person of the person store or to a client of the authenticator. */
  static readonly layer = Layer.effect(
    BrowserSessions,
    Effect.gen(function*() {
      const store = yield* SessionStore
      const principalWithId = yield* currentPrincipal

      const begin = Effect.fn("BrowserSessions.begin")(function*(principalId: string) {
        const secret = yield* randomBase64Url(secretBytes)
        yield* store.add({ id: yield* sha256(secret), principalId, millis: sessionSeconds * 1000 })
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
          principal: yield* principalWithId(session.principalId),
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

  /** Authenticates requests within sessions ({@link authorizationOf}). The underlying authenticator handles all other requests. */
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

/** Makes the function that finds the present principal with an id: a person of the store, or a client. */
const currentPrincipal = Effect.gen(function*() {
  const { current } = yield* Authenticator
  const people = yield* PersonStore
  return Effect.fnUntraced(function*(id: string) {
    if (!isPerson(id)) return yield* current(id)
    const person = yield* people.find(personIdOf(id))
    return person === null ? yield* new Unauthenticated({ reason: "invalid" }) : principalOf(person)
  })
})
