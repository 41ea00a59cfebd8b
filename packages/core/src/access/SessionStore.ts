/**
 * Port: stores the sessions of people who have signed in with a browser (D14.4), shared by all instances of a service.
 *
 * Guarantee: sessions begin and end by the clock of the storage, unless a clock was given (`Timestamp.givenNow`): no instance whose clock is
 * wrong ends those of others, or lets its own last longer.
 */
import { Context } from "effect"
import type { Effect } from "effect"
import type { StorageUnavailable } from "../values/Errors.ts"

/** A session of a browser that begins. */
export interface SessionDraft {
  /** The SHA-256 of the session's secret in lower-case hexadecimal. The secret itself is not stored. */
  readonly id: string
  /** The client or person whose grants the session has, by the id of its principal. */
  readonly clientId: string
  /** How long it lasts. */
  readonly millis: number
}

/** A session that has not ended. */
export interface StoredSession {
  readonly clientId: string
  /** How long it still lasts. */
  readonly leftMillis: number
}

/** The most sessions of one client at a time. */
export const sessionsPerClient = 1000

/**
 * How long a storage knows of a sign-in that it was answered, in milliseconds: a week. A sign-in itself lasts minutes, but an instance whose
 * clock is behind takes it for longer.
 */
export const answeredMillis = 7 * 24 * 60 * 60 * 1000

/** Stores the sessions of browsers. */
export class SessionStore extends Context.Service<SessionStore, {
  /** Begins a session, and drops those that have ended and those of its client beyond the {@link sessionsPerClient} newest. */
  readonly add: (session: SessionDraft) => Effect.Effect<void, StorageUnavailable>
  /** The session with this id; `null` when there is none, or when it has ended. */
  readonly find: (id: string) => Effect.Effect<StoredSession | null, StorageUnavailable>
  /** Removes a session, if it is there. */
  readonly remove: (id: string) => Effect.Effect<void, StorageUnavailable>
  /**
   * Records that a sign-in was answered, by the SHA-256 of its secret in lower-case hexadecimal; `false` when it was already, by any
   * instance, within {@link answeredMillis}.
   */
  readonly markAnswered: (id: string) => Effect.Effect<boolean, StorageUnavailable>
}>()("@dockline/core/access/SessionStore") {}
