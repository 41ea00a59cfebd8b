/**
 * Port: answers kept by idempotency key, so that a repeated request gets the first answer (D5.2).
 *
 * Guarantee: the answer is kept in the same transaction as what the request wrote. A crash leaves both or neither,
 * so a repeat either replays the answer or runs the request as if for the first time.
 */
import { Clock, Context, Effect, Layer } from "effect"
import { IdempotencyKeyInUse, IdempotencyKeyReused } from "./Errors.ts"
import type { StorageUnavailable } from "./Errors.ts"
import { MemoryDatabase } from "./MemoryDatabase.ts"

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
}>()("@dockline/core/IdempotencyStore") {
  /** Answers in memory. */
  static readonly layerMemory: Layer.Layer<IdempotencyStore, never, MemoryDatabase> = Layer.effect(
    IdempotencyStore,
    Effect.map(MemoryDatabase, ({ idempotency }) =>
      IdempotencyStore.of({
        once: Effect.fnUntraced(function*(request, first) {
          const id = JSON.stringify([request.clientId, request.key])
          const now = yield* Clock.currentTimeMillis
          dropExpired(idempotency.kept, now)
          const kept = idempotency.kept.get(id)
          if (kept !== undefined && !isExpired(kept, now)) {
            if (kept.fingerprint !== request.fingerprint) return yield* new IdempotencyKeyReused()
            return { answer: kept.answer, replayed: true }
          }
          if (idempotency.running.has(id)) return yield* new IdempotencyKeyInUse()
          const { answer } = yield* Effect.suspend(() => {
            idempotency.running.add(id)
            return first
          }).pipe(
            Effect.tap(({ answer, keep }) =>
              Effect.map(Clock.currentTimeMillis, (keptAt) => {
                if (!keep) return
                idempotency.kept.delete(id)
                idempotency.kept.set(id, { fingerprint: request.fingerprint, answer, keptAt })
              })
            ),
            Effect.ensuring(Effect.sync(() => idempotency.running.delete(id))),
            // A client that goes away must not part what was written from the answer to it.
            Effect.uninterruptible
          )
          return { answer, replayed: false }
        })
      }))
  )
}

const isExpired = ({ keptAt }: { readonly keptAt: number }, now: number): boolean =>
  keptAt + retentionMillis <= now

/** Answers stand in the order in which they were kept, so the first that is young enough ends the search. */
const dropExpired = (kept: Map<string, { readonly keptAt: number }>, now: number): void => {
  for (const [id, answer] of kept) {
    if (!isExpired(answer, now)) return
    kept.delete(id)
  }
}
