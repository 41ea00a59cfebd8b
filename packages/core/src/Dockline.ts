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
import type { WebhookParts } from "./CoreServices.ts"
import type { Dockline } from "./DocklineApi.ts"
import { Calls, DocklineNotOpened } from "./DocklineCalls.ts"
import { methods } from "./DocklineMethods.ts"
import * as DocklineParts from "./DocklineParts.ts"
import type { Stores } from "./Memory.ts"

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
export interface Options extends DocklineParts.DocklineParts {
  /** Where everything is kept: `Memory.layer`, `Postgres.layer` of `@dockline/sql-storage`, or one's own ports. */
  readonly storage: Layer.Layer<Stores, unknown>
  /** What the setting up of webhook endpoints needs; without it none can be set up. */
  readonly webhooks?: Layer.Layer<WebhookParts, unknown>
}

/**
 * Opens Dockline over a storage. Rejects with {@link DocklineNotOpened}, whose `cause` is the storage's own error, when
 * the storage cannot be opened.
 */
export const open = async (options: Options): Promise<Dockline> => {
  const scope = Scope.makeUnsafe()
  try {
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
