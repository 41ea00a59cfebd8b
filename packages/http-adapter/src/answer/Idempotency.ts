/**
 * `Idempotency-Key`: a repeated request gets the first answer (D5.2).
 */
import { allows } from "@dockline/core/Access"
import type { Permission, Principal } from "@dockline/core/Access"
import { Forbidden, InvalidParameter } from "@dockline/core/Errors"
import type { IdempotencyKeyInUse, IdempotencyKeyReused, StorageUnavailable } from "@dockline/core/Errors"
import { IdempotencyStore } from "@dockline/core/IdempotencyStore"
import { isKeptStatus } from "@dockline/core/internal/Categories"
import type { CatalogueError } from "@dockline/core/internal/Categories"
import { Context, Effect, Layer } from "effect"
import { HttpServerRequest } from "effect/http"
import { createHash } from "node:crypto"
import * as Answer from "./Answer.ts"

/** The longest key, in characters. */
export const maxKeyLength = 255

/** What makes a request: who sends it, what it asks, its body. */
export interface RepeatableRequest {
  readonly principal: Principal
  /** What it takes to get the answer, the kept one as well. */
  readonly permission: Permission
  readonly operation: ReadonlyArray<string>
  readonly body: Uint8Array
}

/** An answer that tells of what is at a place, and so is for clients with the permission there only. */
export interface PlacedAnswer extends Answer.Answer {
  readonly place: { readonly business: string; readonly facility: string }
}

/** Runs requests that carry an `Idempotency-Key` once. */
export class Idempotency extends Context.Service<Idempotency, {
  /**
   * Runs `first`, unless the request carries a key under which an answer to the same request is kept. A client that
   * has lost the permission since is forbidden the kept answer (D10.3).
   */
  readonly once: <R>(
    request: RepeatableRequest,
    first: Effect.Effect<PlacedAnswer, CatalogueError, R>
  ) => Effect.Effect<
    Answer.Answer,
    | CatalogueError
    | InvalidParameter
    | IdempotencyKeyInUse
    | IdempotencyKeyReused
    | Forbidden
    | StorageUnavailable,
    R | HttpServerRequest.HttpServerRequest
  >
}>()("@dockline/http-adapter/Idempotency") {
  /** Keeps answers in the store. */
  static readonly layer: Layer.Layer<Idempotency, never, IdempotencyStore> = Layer.effect(
    Idempotency,
    Effect.map(IdempotencyStore, (store) =>
      Idempotency.of({
        once: Effect.fnUntraced(function*(request, first) {
          const { principal, permission } = request
          const { headers } = yield* HttpServerRequest.HttpServerRequest
          const key = headers["idempotency-key"]
          if (key === undefined) return yield* first
          if (key === "" || key.length > maxKeyLength) return yield* badKey
          // Told of once the answer stands: one that is lost with the transaction around it is never given.
          let refused: CatalogueError | undefined
          const { answer, replayed } = yield* store.once(
            { clientId: principal.clientId, key, fingerprint: fingerprint(request) },
            first.pipe(
              Effect.catch((error) => {
                refused = error
                return Effect.succeed(Answer.refusal(error))
              }),
              Effect.map((answer) => ({ answer: JSON.stringify(answer), keep: isKeptStatus(answer.status) }))
            )
          )
          const kept = JSON.parse(answer) as KeptAnswer
          if (!replayed) {
            if (refused !== undefined) yield* Answer.note(refused)
            return kept
          }
          const { place } = kept
          if (place !== undefined && !allows(principal, permission, place.business, place.facility)) {
            return yield* new Forbidden({ permission, ...place })
          }
          return { ...kept, headers: { ...kept.headers, "idempotency-replayed": "true" } }
        })
      }))
  )
}

/** A refusal has no place. */
type KeptAnswer = Answer.Answer & Partial<PlacedAnswer>

const badKey = new InvalidParameter({
  errors: [{ path: "Idempotency-Key", detail: `must be 1 to ${maxKeyLength} characters long` }]
})

const fingerprint = ({ operation, body }: RepeatableRequest): string =>
  createHash("sha256").update(JSON.stringify(operation)).update("\n").update(body).digest("hex")
