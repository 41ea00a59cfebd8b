/**
 * Port: answers kept by idempotency key, so that a repeated request gets the first answer (D5.2).
 *
 * Guarantee: the answer is kept in the same transaction as what the request wrote. A crash leaves both or neither,
 * so a repeat either replays the answer or runs the request as if for the first time.
 */
import { Context, Effect } from "effect"
import { IdempotencyKeyInUse, IdempotencyKeyReused } from "../values/Errors.ts"
import type { StorageUnavailable } from "../values/Errors.ts"

/** How long an answer is kept, in milliseconds: 24 hours. */
export const retentionMillis = 24 * 60 * 60 * 1000

/** What identifies a request that may be repeated. Keys belong to a client. */
export interface IdempotentRequest {
  readonly clientId: string
  readonly key: string
  /** A digest of everything that makes the request: operation and body. */
  readonly fingerprint: string
}

/** An answer of a first run: opaque text, and whether it is to be kept. */
export interface FirstAnswer {
  readonly answer: string
  readonly keep: boolean
}

/** The answer of this or of an earlier run. */
export interface KeptAnswer {
  readonly answer: string
  readonly replayed: boolean
}

/** Answers kept by idempotency key. */
export class IdempotencyStore extends Context.Service<IdempotencyStore, {
  /**
   * Runs `first` unless an answer is kept for the request. Fails with `IdempotencyKeyReused` when the key was used
   * for another request within 24 hours, with `IdempotencyKeyInUse` while the first still runs.
   */
  readonly once: <E, R>(
    request: IdempotentRequest,
    first: Effect.Effect<FirstAnswer, E, R>
  ) => Effect.Effect<KeptAnswer, E | IdempotencyKeyReused | IdempotencyKeyInUse | StorageUnavailable, R>
}>()("@dockline/core/IdempotencyStore") {}
