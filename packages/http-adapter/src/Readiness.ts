/**
 * Readiness: whether requests can be served. The composing program says what that takes.
 */
import type { StorageUnavailable } from "@dockline/core/Errors"
import { Context, Effect } from "effect"

/** Succeeds while requests can be served; by default always, as a service in memory can. */
export const Readiness: Context.Reference<Effect.Effect<void, StorageUnavailable>> = Context.Reference(
  "@dockline/http-adapter/Readiness",
  { defaultValue: (): Effect.Effect<void, StorageUnavailable> => Effect.void }
)
