/**
 * The version of what a request changes, and the versions that the request expects, so that nobody replaces what they have not
 * seen (D11).
 *
 * Guarantee: of two changes that expect the same version, at most one that changes something succeeds.
 */
import { Context, Effect, Result } from "effect"
import { PreconditionFailed } from "../values/RequestErrors.ts"
import * as WebCrypto from "../values/WebCrypto.ts"

/** The versions of which one must be the present one; any will do when there are none, or with `*`. */
export type Expected = ReadonlyArray<string> | undefined

/** What the request expects that an operation runs for. Interfaces with preconditions provide it. */
export const ExpectedVersions: Context.Reference<Expected> = Context.Reference(
  "@dockline/core/ExpectedVersions",
  { defaultValue: (): Expected => undefined }
)

/** JSON with the members of objects in the order of their names, which a storage may change. */
const textOf = (state: unknown): string =>
  JSON.stringify(
    state,
    (_, value: unknown) =>
      typeof value === "object" && value !== null && !Array.isArray(value)
        ? Object.fromEntries(Object.entries(value).sort(([one], [other]) => one < other ? -1 : 1))
        : value
  )

/** The version of a state: the same for equal states alone. */
export const versionOf = (state: unknown): Effect.Effect<string> =>
  Effect.map(WebCrypto.sha256(textOf(state)), (hash) => hash.slice(0, 32))

/** Whether a state is still that which a request expects. */
export type Unchanged = (present: unknown) => Result.Result<void, PreconditionFailed>

/**
 * Compares a state that was read with what the request expects, and makes the check that it has not changed since, for the change
 * itself to make: a store runs it alone.
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
