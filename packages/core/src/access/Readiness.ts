/**
 * Tells whether requests can be served. A storage or the composing program provides it.
 */
import { Context, Effect } from "effect"
import type { StorageUnavailable } from "../values/Errors.ts"

/** Succeeds while requests can be served, with what operators are to be warned of; always, unless provided. */
export const Readiness: Context.Reference<Effect.Effect<ReadonlyArray<string>, StorageUnavailable>> = Context
  .Reference(
    "@dockline/core/access/Readiness",
    { defaultValue: (): Effect.Effect<ReadonlyArray<string>, StorageUnavailable> => Effect.succeed([]) }
  )
