/**
 * `Idempotency-Key`: a repeated request gets the first answer (D5.2). The store keeps the answer of the operation, from which each
 * interface makes its own anew, with the place it is about: a client that has lost the permission there since is forbidden
 * it (D10.3).
 *
 * Guarantee: the answer of a write is kept in its transaction. A refusal that no transaction has seen is kept by itself.
 */
import { Context, Effect, Layer, Result } from "effect"
import { isKept } from "../values/CatalogueError.ts"
import type { CatalogueError } from "../values/CatalogueError.ts"
import { Forbidden } from "../values/Errors.ts"
import type { InvalidParameter, StorageUnavailable } from "../values/Errors.ts"
import * as ErrorJson from "../values/internal/ErrorJson.ts"
import { IdempotencyKeyInUse } from "../values/RequestErrors.ts"
import type { IdempotencyKeyReused } from "../values/RequestErrors.ts"
import { allowsAny } from "./Access.ts"
import type { Permission, Principal } from "./Access.ts"
import { keyRefusalOf } from "./IdempotencyKey.ts"
import { IdempotencyStore } from "./IdempotencyStore.ts"
import { NotRun } from "./Keep.ts"
import type { Keep, KeptAnswer } from "./Keep.ts"

interface KeyedRequest {
  readonly key: string
  /** A digest of all that is asked, the form of the answer included. */
  readonly fingerprint: string
  readonly principal: Principal
  /** The permissions each of which the answer takes, the kept one too. */
  readonly permissions: ReadonlyArray<Permission>
}

/** An answer, which is plain JSON, with the place where its client needs a permission. */
export interface PlacedAnswer<out A> {
  readonly place: { readonly business: string; readonly facility: string }
  readonly answer: A
}

/** What a request came to, now or when it came first. */
export interface Outcome<out A> {
  readonly result: Result.Result<A, CatalogueError>
  readonly replayed: boolean
}

/** Why a request with a key gets neither its answer nor an earlier one. */
export type KeyRefusal =
  | Forbidden
  | IdempotencyKeyInUse
  | IdempotencyKeyReused
  | InvalidParameter
  | StorageUnavailable

/** An operation, which passes what is kept to the store that it writes to. */
type Keeps<A, E, R = never> = (
  keep: Keep<PlacedAnswer<A>, NotRun>
) => Effect.Effect<PlacedAnswer<A>, E | NotRun, R>

/** Runs what a request with a key asks for, as {@link Keeping} does. */
export type Once = <A, E extends CatalogueError>(
  permissions: ReadonlyArray<Permission>,
  run: Keeps<A, E>
) => Effect.Effect<Outcome<A>, KeyRefusal>

/** Runs what a request asks for: once under its key, if it has one. */
export const run = <A, E extends CatalogueError>(
  once: Once | undefined,
  permissions: ReadonlyArray<Permission>,
  operate: <F>(keep: Keep<PlacedAnswer<A>, F> | undefined) => Effect.Effect<PlacedAnswer<A>, E | F>
): Effect.Effect<Outcome<A>, KeyRefusal> =>
  once === undefined
    ? Effect.map(Effect.result(operate<never>(undefined)), (result) => ({
      result: Result.map(result, ({ answer }) => answer),
      replayed: false
    }))
    : once<A, E>(permissions, operate)

/** What the kept text holds. */
type StoredAnswer<A> = PlacedAnswer<A> | { readonly refusal: ErrorJson.ErrorJson }

/** Keeps the answers of requests. */
export class Keeping extends Context.Service<Keeping, {
  /** Runs an operation unless an answer is kept for the request. While it runs, another request with its key is refused. */
  readonly once: <A, E extends CatalogueError, R>(
    request: KeyedRequest,
    run: Keeps<A, E, R>
  ) => Effect.Effect<Outcome<A>, KeyRefusal, R>
}>()("@dockline/core/Keeping") {
  static readonly layer: Layer.Layer<Keeping, never, IdempotencyStore> = Layer.effect(
    Keeping,
    Effect.map(IdempotencyStore, (store) => {
      const running = new Set<string>()
      return Keeping.of({
        once: <A, E extends CatalogueError, R>(
          request: KeyedRequest,
          run: Keeps<A, E, R>
        ): Effect.Effect<Outcome<A>, KeyRefusal, R> => {
          const badKey = keyRefusalOf(request.key)
          if (badKey !== undefined) return Effect.fail(badKey)
          const id = JSON.stringify([request.principal.clientId, request.key])
          return Effect.acquireUseRelease(
            Effect.suspend(() =>
              running.has(id) ? Effect.fail(new IdempotencyKeyInUse()) : Effect.sync(() => running.add(id))
            ),
            () => onceIn(store, request, run),
            () => Effect.sync(() => running.delete(id))
          )
        }
      })
    })
  )
}

const onceIn = Effect.fnUntraced(function*<A, E extends CatalogueError, R>(
  store: IdempotencyStore["Service"],
  { fingerprint, key, permissions, principal }: KeyedRequest,
  run: Keeps<A, E, R>
) {
  const request = { clientId: principal.clientId, key, fingerprint }
  let isWithStore = false

  const replay = Effect.fnUntraced(function*({ text }: KeptAnswer) {
    const row: StoredAnswer<A> = JSON.parse(text)
    if ("refusal" in row) {
      return { result: Result.fail(ErrorJson.fromJson(row.refusal)), replayed: true }
    }
    const { answer, place } = row
    if (!allowsAny(principal, permissions, place.business, place.facility)) {
      return yield* new Forbidden({ permission: permissions.join(" or "), ...place })
    }
    return { result: Result.succeed(answer), replayed: true }
  })

  const result = yield* Effect.result(run({
    request,
    textOf: (result) => {
      isWithStore = true
      return textOf(result)
    },
    notRun: (key) => new NotRun({ key })
  }))
  if (Result.isFailure(result) && result.failure instanceof NotRun) {
    const { key } = result.failure
    return yield* key._tag === "KeptAnswer" ? replay(key) : key
  }
  // What did not run has been answered above.
  const success = result as Result.Result<PlacedAnswer<A>, E>
  const text = isWithStore ? undefined : textOf(success)
  const before = text === undefined ? null : yield* store.keep(request, text)
  return before === null
    ? { result: Result.map(success, ({ answer }) => answer), replayed: false }
    : yield* replay(before)
})

/** The text to keep of a result; `undefined` for a failure that a repeat does not get again. */
const textOf = (result: Result.Result<PlacedAnswer<unknown>, unknown>): string | undefined => {
  if (Result.isSuccess(result)) return JSON.stringify(result.success satisfies StoredAnswer<unknown>)
  // Whatever else fails is a row of the catalogue.
  const refusal = result.failure as CatalogueError
  return isKept(refusal.category)
    ? JSON.stringify({ refusal: ErrorJson.toJson(refusal) } satisfies StoredAnswer<unknown>)
    : undefined
}
