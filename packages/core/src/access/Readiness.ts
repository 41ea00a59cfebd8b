/**
 * Readiness: whether requests can be served. A storage says so of itself, or the composing program does.
 */
import { Context, Effect } from "effect"
import type { StorageUnavailable } from "../values/Errors.ts"

/** Succeeds while requests can be served; by default always, as a service in memory can. */
export const Readiness: Context.Reference<Effect.Effect<void, StorageUnavailable>> = Context.Reference(
  "@dockline/core/Readiness",
  { defaultValue: (): Effect.Effect<void, StorageUnavailable> => Effect.void }
)
