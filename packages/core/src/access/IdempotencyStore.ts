/**
 * Port: the answers that are kept by idempotency key, so that a repeated request gets the first one (D5.2). The stores that
 * write keep them too, in the transaction of the write (`Keep`).
 */
import { Context } from "effect"
import type { Effect } from "effect"
import type { StorageUnavailable } from "../values/Errors.ts"
import type { IdempotencyKeyInUse, IdempotencyKeyReused } from "../values/RequestErrors.ts"
import type { IdempotentRequest, KeptAnswer } from "./Keep.ts"

/** How long an answer is kept, in milliseconds: 24 hours. */
export const retentionMillis = 24 * 60 * 60 * 1000

/** Keeps answers by idempotency key. */
export class IdempotencyStore extends Context.Service<IdempotencyStore, {
  /**
   * Keeps the answer of a request that has written nothing, and returns `null`; or returns the answer that is kept for it
   * already. Fails with `IdempotencyKeyReused` when the key was used for another request within 24 hours, and with
   * `IdempotencyKeyInUse` while a transaction has the key.
   */
  readonly keep: (
    request: IdempotentRequest,
    text: string
  ) => Effect.Effect<KeptAnswer | null, IdempotencyKeyReused | IdempotencyKeyInUse | StorageUnavailable>
}>()("@dockline/core/access/IdempotencyStore") {}
