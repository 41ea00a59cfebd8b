/**
 * The whole of Dockline in one object, for plain asynchronous code: promises in, answers out.
 *
 * Guarantee: what is refused is a value, one of core's errors, told apart by its `_tag` or its `code`. Only a bug, an
 * aborted call and the use of what is closed reject. All calls, and every adapter over `layer`, share one state.
 *
 * ```ts
 * import * as Dockline from "@dockline/core/Dockline"
 * import * as Memory from "@dockline/core/Memory"
 *
 * await using dockline = await Dockline.open({ storage: Memory.layer })
 * await dockline.places([{ slug: "acme", name: "Acme", facilities: [{ slug: "east", name: "East" }] }])
 * const wms = { clientId: "wms", grants: [{ business: "acme", facilities: "*", permissions: ["documents:write"] }] } as const
 * const document = { business: "acme", facility: "east", direction: "OUTBOUND", orderNumber: "SO-1001" }
 * const answer = await dockline.submit(document, wms)
 * answer.ok ? answer.value.created.length : answer.error.code // => 2
 * ```
 */
import { Effect, Exit, Layer, Scope } from "effect"
import { checkOptions } from "../internal/Given.ts"
import type { Dockline } from "./DocklineApi.ts"
import { Calls, DocklineNotOpened } from "./DocklineCalls.ts"
import { methods } from "./DocklineMethods.ts"
import * as DocklineParts from "./DocklineParts.ts"

export type {
  Dockline,
  LinkError,
  ListError,
  MessagesError,
  PlacesError,
  RecordedEvent,
  RecordError,
  Services,
  ShipmentId,
  StepError,
  SubmitError,
  SubmitOptions
} from "./DocklineApi.ts"
export { DocklineClosed, DocklineNotOpened } from "./DocklineCalls.ts"
export type { Answer, CallOptions } from "./DocklineCalls.ts"
export { isFollowError } from "./DocklineFollow.ts"
export type { FollowError, Following } from "./DocklineFollow.ts"
export type { FollowQuery, Listing, MessagesQuery, PlaceInput } from "./DocklineInput.ts"

/** What Dockline is made of: a storage, and whatever is to be different from its defaults. */
export type Options = DocklineParts.Options

/**
 * Opens Dockline over a storage. Rejects with {@link DocklineNotOpened} when the storage cannot be opened, with the
 * storage's own error as `cause`, and when the options are wrong, with a `TypeError` as `cause`.
 */
export const open = async (options: Options): Promise<Dockline> => {
  const scope = Scope.makeUnsafe()
  try {
    checkOptions(options, DocklineParts.known)
    const built = await Effect.runPromise(Layer.buildWithScope(DocklineParts.layer(options), scope))
    const calls = new Calls(built, scope)
    const close = () => calls.close()
    return {
      ...methods(calls, DocklineParts.rulesOf(options), DocklineParts.configOf(options)),
      close,
      [Symbol.asyncDispose]: close,
      layer: Layer.succeedContext(built)
    }
  } catch (cause) {
    await Effect.runPromise(Scope.close(scope, Exit.void))
    throw new DocklineNotOpened({ cause })
  }
}
