/**
 * `Idempotency-Key`: a repeated request gets the first answer (D5.2).
 */
import { allowsAny } from "@dockline/core/Access"
import type { Permission, Principal } from "@dockline/core/Access"
import { Forbidden } from "@dockline/core/Errors"
import { IdempotencyStore } from "@dockline/core/IdempotencyStore"
import type { CatalogueError } from "@dockline/core/internal/values/CatalogueError"
import { isKeptStatus } from "@dockline/core/internal/wire/Categories"
import { keyRefusalOf } from "@dockline/core/internal/wire/IdempotencyKey"
import { Context, Effect, Layer } from "effect"
import { HttpServerRequest } from "effect/http"
import { createHash } from "node:crypto"
import * as Answer from "./Answer.ts"

export interface RepeatableRequest {
  readonly principal: Principal
  /** The permissions each of which the answer takes, the kept one too. */
  readonly permissions: ReadonlyArray<Permission>
  readonly operation: ReadonlyArray<string>
  readonly body: Uint8Array
  readonly writesOnce?: boolean | undefined
}

/** An answer about a place, which only clients with a permission at that place may get. */
export interface PlacedAnswer extends Answer.Answer {
  readonly place: { readonly business: string; readonly facility: string }
}

export class RepeatedRequests extends Context.Service<RepeatedRequests, {
  /**
   * Runs `first` unless an answer to the same request is kept under its key. A client that has lost the permission
   * since is forbidden the kept answer (D10.3).
   */
  readonly once: <R>(
    request: RepeatableRequest,
    first: Effect.Effect<PlacedAnswer, CatalogueError, R>
  ) => Effect.Effect<Answer.Answer, CatalogueError, R | HttpServerRequest.HttpServerRequest>
}>()("@dockline/http-adapter/RepeatedRequests") {
  static readonly layer: Layer.Layer<RepeatedRequests, never, IdempotencyStore> = Layer.effect(
    RepeatedRequests,
    Effect.map(IdempotencyStore, (store) => {
      const onceByKey = Effect.fnUntraced(
        function*<R>(
          key: string,
          request: RepeatableRequest,
          first: Effect.Effect<PlacedAnswer, CatalogueError, R>
        ): Effect.fn.Return<Answer.Answer, CatalogueError, R> {
          const { permissions, principal } = request
          const badKey = keyRefusalOf(key)
          if (badKey !== undefined) return yield* badKey
          // Noted after the transaction: an answer that is lost with it is never given.
          let refused: CatalogueError | undefined
          const { answer, replayed } = yield* store.once(
            { clientId: principal.clientId, key, fingerprint: fingerprint(request) },
            first.pipe(
              Effect.catch((error) => {
                refused = error
                return Effect.succeed(Answer.refusal(error))
              }),
              Effect.map((answer) => ({ answer: JSON.stringify(answer), keep: isKeptStatus(answer.status) }))
            ),
            request
          )
          const kept = JSON.parse(answer) as KeptAnswer
          if (!replayed) {
            if (refused !== undefined) yield* Answer.note(refused)
            return kept
          }
          const { place } = kept
          if (place !== undefined && !allowsAny(principal, permissions, place.business, place.facility)) {
            return yield* new Forbidden({ permission: permissions.join(" or "), ...place })
          }
          return { ...kept, headers: { ...kept.headers, "idempotency-replayed": "true" } }
        }
      )
      return RepeatedRequests.of({
        once: <R>(request: RepeatableRequest, first: Effect.Effect<PlacedAnswer, CatalogueError, R>) =>
          Effect.flatMap(
            HttpServerRequest.HttpServerRequest,
            ({ headers }): Effect.Effect<Answer.Answer, CatalogueError, R> => {
              const key = headers["idempotency-key"]
              return key === undefined ? first : onceByKey(key, request, first)
            }
          )
      })
    })
  )
}

/** A refusal has no place. */
type KeptAnswer = Answer.Answer & Partial<PlacedAnswer>

const fingerprint = ({ operation, body }: RepeatableRequest): string =>
  createHash("sha256").update(JSON.stringify(operation)).update("\n").update(body).digest("hex")
