/**
 * Answers kept by idempotency key, in memory: what a request wrote and the answer to it are never parted.
 */
import { Clock, Effect, Layer } from "effect"
import { IdempotencyStore, retentionMillis } from "../access/IdempotencyStore.ts"
import { IdempotencyKeyInUse, IdempotencyKeyReused } from "../values/Errors.ts"
import { MemoryDatabase } from "./MemoryDatabase.ts"

/** Answers in memory. */
export const layer: Layer.Layer<IdempotencyStore, never, MemoryDatabase> = Layer.effect(
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

const isExpired = ({ keptAt }: { readonly keptAt: number }, now: number): boolean =>
  keptAt + retentionMillis <= now

/** Answers stand in the order in which they were kept, so the first that is young enough ends the search. */
const dropExpired = (kept: Map<string, { readonly keptAt: number }>, now: number): void => {
  for (const [id, answer] of kept) {
    if (!isExpired(answer, now)) return
    kept.delete(id)
  }
}
