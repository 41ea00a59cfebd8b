/**
 * `Idempotency-Key`: a repeated request gets the first answer (D5.2). The store keeps the answer of the operation, from which each
 * interface builds its response again, together with the business and facility of the change. A repeated request is refused if its client
 * no longer has a permission at that facility (D10.3).
 *
 * Guarantee: a store that gets a {@link Keep} claims the key and keeps the answer in the transaction of the call. So a crash leaves both
 * the writes and their answer, or neither, and a request whose key has an answer writes nothing. {@link Keeping} keeps a result without a
 * transaction by a write of its own.
 */
import { Context, Data, Effect, Layer, Result } from "effect"
import { isKept } from "../values/CatalogueError.ts"
import type { CatalogueError, ErrorCategory } from "../values/CatalogueError.ts"
import * as Errors from "../values/Errors.ts"
import { Forbidden, InvalidParameter } from "../values/Errors.ts"
import type { StorageUnavailable } from "../values/Errors.ts"
import * as OperatorErrors from "../values/OperatorErrors.ts"
import * as RequestErrors from "../values/RequestErrors.ts"
import { IdempotencyKeyInUse } from "../values/RequestErrors.ts"
import type { IdempotencyKeyReused } from "../values/RequestErrors.ts"
import { allowsAny } from "./Access.ts"
import type { Permission, Principal } from "./Access.ts"

/** The most characters (UTF-16 code units) of a key. */
export const maxKeyLength = 255

/** The refusal of an invalid `Idempotency-Key`, the same in every interface (D5.2); `undefined` for a valid key. */
const keyRefusalOf = (key: string): InvalidParameter | undefined =>
  key === "" || key.length > maxKeyLength
    ? new InvalidParameter({
      errors: [{ path: "Idempotency-Key", detail: `must be 1 to ${maxKeyLength} characters long` }]
    })
    : undefined

/** An error as JSON. `category` and `message` are for errors whose class is unknown. */
export interface ErrorJson {
  readonly code: string
  readonly category: ErrorCategory
  readonly message: string
  readonly fields: Readonly<Record<string, unknown>>
}

type ErrorMaker = new(fields: Readonly<Record<string, unknown>>) => CatalogueError

const isDeclared = (value: unknown): value is ErrorMaker & { readonly code: string } =>
  typeof value === "function" && "code" in value && "category" in value

const makers: ReadonlyMap<string, ErrorMaker> = new Map(
  Object.values<unknown>({ ...Errors, ...OperatorErrors, ...RequestErrors })
    .filter(isDeclared)
    .map((maker) => [maker.code, maker] as const)
)

/** An error of the catalogue as JSON. */
export const toJson = (error: CatalogueError): ErrorJson => {
  const { category, code, message } = error
  const members: Record<string, unknown> = { ...error }
  const { _tag, category: _category, code: _code, name: _name, ...fields } = members
  return { code, category, message, fields }
}

/** The inverse of {@link toJson}. */
export const fromJson = ({ category, code, fields, message }: ErrorJson): CatalogueError => {
  const Maker = makers.get(code)
  return Maker === undefined ? { ...fields, category, code, message } : new Maker(fields)
}

/** Identifies a request that may be repeated. Keys belong to a client. */
export interface IdempotentRequest {
  readonly clientId: string
  readonly key: string
  /** A digest of the whole request. A request with another fingerprint is another request. */
  readonly fingerprint: string
}

/** The answer that an earlier run has kept. */
export class KeptAnswer extends Data.TaggedClass("KeptAnswer")<{ readonly text: string }> {}

/** The state of a key that is not free. */
export type KeyState = KeptAnswer | IdempotencyKeyInUse | IdempotencyKeyReused

/** A call did not run because its key is in use, has an answer, or was used for another request. */
export class NotRun extends Data.TaggedError("NotRun")<{ readonly state: KeyState }> {}

/** How a call that returns `A` keeps its answer. The call fails with `F` when its key is not free. */
export interface Keep<in A, out F> {
  readonly request: IdempotentRequest
  /** The text to keep for a result, or `undefined` to keep nothing. It is pure: a repeated transaction calls it again. */
  readonly textOf: (result: Result.Result<A, unknown>) => string | undefined
  /** The failure of the call when the key is not free. */
  readonly notRun: (state: KeyState) => F
}

/** An operation that writes, on behalf of a principal. With a {@link Keep} it keeps its answer in the transaction of its write. */
export type WriteCall<Input extends ReadonlyArray<unknown>, Value, Refusal> = <F = never>(
  ...input: [...Input, principal: Principal, keep?: Keep<Value, F> | undefined]
) => Effect.Effect<Value, Refusal | F>

/** Maps the result of a call to its view and keeps that view. The view of a result is computed once. */
export const keepView = <A, B, E, E2, F, R>(
  keep: Keep<B, F> | undefined,
  show: (result: A) => Result.Result<B, E>,
  call: (keep: Keep<A, F> | undefined) => Effect.Effect<A, E2, R>
): Effect.Effect<B, E | E2, R> => {
  if (keep === undefined) return Effect.flatMap(call(undefined), (result) => Effect.fromResult(show(result)))
  let last: { readonly of: A; readonly view: Result.Result<B, E> } | undefined
  const showOnce = (result: A): Result.Result<B, E> => {
    if (last === undefined || last.of !== result) last = { of: result, view: show(result) }
    return last.view
  }
  const ownKeep: Keep<A, F> = {
    ...keep,
    textOf: (result) => keep.textOf(Result.flatMap(result, showOnce))
  }
  return Effect.flatMap(call(ownKeep), (result) => Effect.fromResult(showOnce(result)))
}

/** Makes the keep of a call that succeeds with nothing to keep: only its refusal is kept. */
export const keepRefusal = <F>(keep: Keep<never, F> | undefined): Keep<unknown, F> | undefined =>
  keep && {
    ...keep,
    textOf: (result) => Result.isFailure(result) ? keep.textOf(Result.fail(result.failure)) : undefined
  }

/** How long an answer is kept, in milliseconds: 24 hours. */
export const retentionMillis = 24 * 60 * 60 * 1000

/** Port: keeps answers by idempotency key. Other stores also keep answers, each in the transaction of its write ({@link Keep}). */
export class IdempotencyStore extends Context.Service<IdempotencyStore, {
  /**
   * Keeps the answer of a request that has written nothing, and returns `null`. If an answer is kept for the request already, returns that
   * answer. Fails with `IdempotencyKeyReused` when the key was used for another request within 24 hours, and with `IdempotencyKeyInUse`
   * while a transaction holds the key.
   */
  readonly keep: (
    request: IdempotentRequest,
    text: string
  ) => Effect.Effect<KeptAnswer | null, IdempotencyKeyReused | IdempotencyKeyInUse | StorageUnavailable>
}>()("@dockline/core/access/IdempotencyStore") {}

interface KeyedRequest {
  readonly key: string
  /** A digest of the whole request, including the format of the answer. */
  readonly fingerprint: string
  readonly principal: Principal
  /** To get a kept answer, a client needs one of these permissions at the place of the change. A kept refusal needs none. */
  readonly permissions: ReadonlyArray<Permission>
}

/** An answer in plain JSON, and the place where its client needs a permission. */
export interface PlacedAnswer<out A> {
  readonly place: { readonly business: string; readonly facility: string }
  readonly answer: A
}

/** The outcome of a request; if `replayed`, the outcome of the first request with the same key. */
export interface Outcome<out A> {
  readonly result: Result.Result<A, CatalogueError>
  readonly replayed: boolean
}

/** The errors of a request with a key that gets neither a new answer nor a kept one. */
export type KeyRefusal =
  | Forbidden
  | IdempotencyKeyInUse
  | IdempotencyKeyReused
  | InvalidParameter
  | StorageUnavailable

/** An operation that passes its {@link Keep} to the store that it writes to. */
type Keeps<A, E, R = never> = (
  keep: Keep<PlacedAnswer<A>, NotRun>
) => Effect.Effect<PlacedAnswer<A>, E | NotRun, R>

/** Runs the operation of a request with a key, as {@link Keeping} does. */
export type Once = <A, E extends CatalogueError>(
  permissions: ReadonlyArray<Permission>,
  run: Keeps<A, E>
) => Effect.Effect<Outcome<A>, KeyRefusal>

/** Runs the operation of a request. If the request has a key, `once` runs the operation at most once for that key. */
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

/** The content of a kept text. */
type StoredAnswer<A> = PlacedAnswer<A> | { readonly refusal: ErrorJson }

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
      return { result: Result.fail(fromJson(row.refusal)), replayed: true }
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
    notRun: (state) => new NotRun({ state })
  }))
  if (Result.isFailure(result) && result.failure instanceof NotRun) {
    const { state } = result.failure
    return yield* state._tag === "KeptAnswer" ? replay(state) : state
  }
  // Calls that did not run have returned above.
  const ownResult = result as Result.Result<PlacedAnswer<A>, E>
  const text = isWithStore ? undefined : textOf(ownResult)
  const before = text === undefined ? null : yield* store.keep(request, text)
  return before === null
    ? { result: Result.map(ownResult, ({ answer }) => answer), replayed: false }
    : yield* replay(before)
})

/** The text to keep for a result; `undefined` for a failure that a repeated request need not get again. */
const textOf = (result: Result.Result<PlacedAnswer<unknown>, unknown>): string | undefined => {
  if (Result.isSuccess(result)) return JSON.stringify(result.success satisfies StoredAnswer<unknown>)
  // All other failures are rows of the catalogue.
  const refusal = result.failure as CatalogueError
  return isKept(refusal.category)
    ? JSON.stringify({ refusal: toJson(refusal) } satisfies StoredAnswer<unknown>)
    : undefined
}
