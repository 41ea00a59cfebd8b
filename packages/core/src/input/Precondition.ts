/**
 * Compares the version of the entity that a request changes with the versions that the request expects, so that no client overwrites a
 * state that it has not seen (D11).
 *
 * Guarantee: if the store runs the check under its lock, a change succeeds only while the state equals one that the request expects. So of
 * two requests that expect the same version, the second succeeds only if the state has become the same again.
 */
import { Context, Effect, Result } from "effect"
import { PreconditionFailed } from "../values/RequestErrors.ts"
import * as WebCrypto from "../values/WebCrypto.ts"

/** The expected versions: one of them must be the present version. `undefined` or `*` matches any version. */
export type Expected = ReadonlyArray<string> | undefined

/** The versions that the present request expects. Interfaces with preconditions provide it. */
export const ExpectedVersions: Context.Reference<Expected> = Context.Reference(
  "@dockline/core/ExpectedVersions",
  { defaultValue: (): Expected => undefined }
)

/** JSON with the members of objects in sorted order, because a storage may reorder them. */
const textOf = (state: unknown): string =>
  JSON.stringify(
    state,
    (_, value: unknown) =>
      typeof value === "object" && value !== null && !Array.isArray(value)
        ? Object.fromEntries(Object.entries(value).sort(([one], [other]) => one < other ? -1 : 1))
        : value
  )

/** The version of a state: two versions are equal only if the states are. */
export const versionOf = (state: unknown): Effect.Effect<string> =>
  Effect.map(WebCrypto.sha256(textOf(state)), (hash) => hash.slice(0, 32))

/** Checks that a state is still the one that a request expects. */
export type Unchanged = (present: unknown) => Result.Result<void, PreconditionFailed>

/**
 * Compares a state with the versions that the request expects. Returns a check that the state has not changed since; the store runs the
 * check under its lock, as part of the change.
 */
export const expected = Effect.fnUntraced(function*(read: unknown) {
  const versions = yield* ExpectedVersions
  const unchanged: Unchanged = () => Result.void
  if (versions === undefined || versions.includes("*")) return unchanged
  if (!versions.includes(yield* versionOf(read))) return yield* new PreconditionFailed()
  const text = textOf(read)
  const check: Unchanged = (present) =>
    textOf(present) === text ? Result.void : Result.fail(new PreconditionFailed())
  return check
})
