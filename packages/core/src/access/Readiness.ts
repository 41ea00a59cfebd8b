/**
 * Tells whether requests can be served. A storage or the composing program provides it.
 */
import { Context, Effect } from "effect"
import type { StorageUnavailable } from "../values/Errors.ts"

/** Succeeds while requests can be served; always by default, as for a service in memory. */
export const Readiness: Context.Reference<Effect.Effect<void, StorageUnavailable>> = Context.Reference(
  "@dockline/core/Readiness",
  { defaultValue: (): Effect.Effect<void, StorageUnavailable> => Effect.void }
)
