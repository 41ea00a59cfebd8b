/**
 * What a call of a store keeps under an idempotency key: the answer that the service gives, as text (D5.2).
 *
 * Guarantee: a store that is given a {@link Keep} claims its key in the transaction of the call, and keeps the text there. So a
 * crash leaves what was written and its answer, or neither, and a key that has an answer writes nothing.
 */
import { Data, Effect, Result } from "effect"
import type { IdempotencyKeyInUse, IdempotencyKeyReused } from "../values/RequestErrors.ts"
import type { Principal } from "./Access.ts"

/** Identifies a request that may be repeated. Keys belong to a client. */
export interface IdempotentRequest {
  readonly clientId: string
  readonly key: string
  /** A digest of all that is asked: a request with another one is another request. */
  readonly fingerprint: string
}

/** The answer that an earlier run has kept. */
export class KeptAnswer extends Data.TaggedClass("KeptAnswer")<{ readonly text: string }> {}

/** The state of a key that is not free. */
export type KeyState = KeptAnswer | IdempotencyKeyInUse | IdempotencyKeyReused

/** A call was not run, as its key is taken. */
export class NotRun extends Data.TaggedError("NotRun")<{ readonly key: KeyState }> {}

/** What a call that returns `A` keeps; it fails with `F` where the key is taken. */
export interface Keep<in A, out F> {
  readonly request: IdempotentRequest
  /** The text to keep of a result, or `undefined`. It asks nobody, and may be called again when the transaction is repeated. */
  readonly textOf: (result: Result.Result<A, unknown>) => string | undefined
  /** The failure of the call where the key is taken. */
  readonly notRun: (key: KeyState) => F
}

/** An operation that writes, on behalf of a principal. With a {@link Keep} it keeps its answer in the transaction of its write. */
export type WriteCall<Input extends ReadonlyArray<unknown>, Value, Refusal> = <F = never>(
  ...input: [...Input, principal: Principal, keep?: Keep<Value, F> | undefined]
) => Effect.Effect<Value, Refusal | F>

/** Shows the result of a call, and keeps it as it is shown. What was shown to be kept is not made again. */
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

/** Keeps the refusal of a call that can only be refused. */
export const keepRefusal = <F>(keep: Keep<never, F> | undefined): Keep<unknown, F> | undefined =>
  keep && {
    ...keep,
    textOf: (result) => Result.isFailure(result) ? keep.textOf(Result.fail(result.failure)) : undefined
  }
