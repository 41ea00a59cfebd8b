/**
 * Port: keeps answers by idempotency key, so that a repeated request gets the first answer (D5.2).
 *
 * Guarantee: an answer is kept in the same transaction as the writes of its request. A crash leaves both or neither, so a
 * repeat either replays the answer or runs the request as if for the first time.
 */
import { Context, Effect } from "effect"
import type { StorageUnavailable } from "../values/Errors.ts"
import { IdempotencyKeyInUse, IdempotencyKeyReused } from "../values/RequestErrors.ts"

/** How long an answer is kept, in milliseconds: 24 hours. */
export const retentionMillis = 24 * 60 * 60 * 1000

/** Identifies a request that may be repeated. Keys belong to a client. */
export interface IdempotentRequest {
  readonly clientId: string
  readonly key: string
  /** A digest of the operation and the body. */
  readonly fingerprint: string
}

/** The answer of a first run, as opaque text, and whether to keep it. */
export interface FirstAnswer {
  readonly answer: string
  readonly keep: boolean
}

/** The answer of this run or of an earlier run. */
export interface KeptAnswer {
  readonly answer: string
  readonly replayed: boolean
}

/** How a request runs. */
export interface OnceOptions {
  /** Whether it writes at most once, and reads nothing afterwards: then the write may share a transaction with others. */
  readonly writesOnce?: boolean | undefined
}

/** Keeps answers by idempotency key. */
export class IdempotencyStore extends Context.Service<IdempotencyStore, {
  /**
   * Runs `first` unless an answer is kept for the request. Fails with `IdempotencyKeyReused` when the key was used for
   * another request within 24 hours, and with `IdempotencyKeyInUse` while the first request is running.
   */
  readonly once: <E, R>(
    request: IdempotentRequest,
    first: Effect.Effect<FirstAnswer, E, R>,
    options?: OnceOptions
  ) => Effect.Effect<KeptAnswer, E | IdempotencyKeyReused | IdempotencyKeyInUse | StorageUnavailable, R>
}>()("@dockline/core/IdempotencyStore") {}
