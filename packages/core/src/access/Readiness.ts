/**
 * The readiness to serve requests. A storage, or the program that composes the service, provides it.
 */
import { Context, Effect } from "effect"
import type { StorageUnavailable } from "../values/Errors.ts"

/** Succeeds, with warnings for operators, while requests can be served. By default it always succeeds. */
export const Readiness: Context.Reference<Effect.Effect<ReadonlyArray<string>, StorageUnavailable>> = Context
  .Reference(
    "@dockline/core/access/Readiness",
    { defaultValue: (): Effect.Effect<ReadonlyArray<string>, StorageUnavailable> => Effect.succeed([]) }
  )
