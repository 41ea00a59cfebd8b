/**
 * Port: stores the sessions of people who have signed in with a browser (D14.4), shared by all instances of a service.
 */
import { Context } from "effect"
import type { Effect } from "effect"
import type { StorageUnavailable } from "../values/Errors.ts"
import type { Timestamp } from "../values/Timestamp.ts"

/** A session of a browser. */
export interface StoredSession {
  /** The SHA-256 of the session's secret in lower-case hexadecimal. The secret itself is not stored. */
  readonly id: string
  /** The client or person whose grants the session has, by the id of its principal. */
  readonly clientId: string
  readonly createdAt: Timestamp
  readonly expiresAt: Timestamp
}

/** A sign-in that a provider has answered. */
export interface AnsweredSignIn {
  /** The SHA-256 of the sign-in's secret in lower-case hexadecimal. */
  readonly id: string
  /** When the sign-in ends, answered or not. */
  readonly expiresAt: Timestamp
}

/** The most sessions of one client at a time. */
export const sessionsPerClient = 1000

/** Stores the sessions of browsers. */
export class SessionStore extends Context.Service<SessionStore, {
  /** Adds a session, and drops expired ones and those of its client beyond the {@link sessionsPerClient} newest. */
  readonly add: (session: StoredSession) => Effect.Effect<void, StorageUnavailable>
  /** The session with this id, expired or not; `null` when there is none. */
  readonly find: (id: string) => Effect.Effect<StoredSession | null, StorageUnavailable>
  /** Removes a session, if it is there. */
  readonly remove: (id: string) => Effect.Effect<void, StorageUnavailable>
  /** Records that a sign-in was answered; `false` when it was already, by any instance. Records expired before `now` are dropped. */
  readonly markAnswered: (
    signIn: AnsweredSignIn,
    now: Timestamp
  ) => Effect.Effect<boolean, StorageUnavailable>
}>()("@dockline/core/access/SessionStore") {}
