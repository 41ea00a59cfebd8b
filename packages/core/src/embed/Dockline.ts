/**
 * The operations of Dockline as one object with promises, for programs that do not use Effect.
 *
 * Guarantee: a refusal of a call is a value, an error of core or of a capability, which its `_tag` and its `code` identify. A call rejects
 * only for a mistake of the program, when it is aborted, and after closing; a loop of `follow` also throws refusals. All calls, and every
 * adapter over `layer`, share one state.
 *
 * ```ts
 * import * as Dockline from "@dockline/core/embed/Dockline"
 * import * as Memory from "@dockline/core/memory/Memory"
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
import type { Context } from "effect"
import type { Principal } from "../access/Access.ts"
import type * as Capability from "../capability/Capability.ts"
import type { IntakeError } from "../document/Document.ts"
import type { DocumentJson, OwnDocumentJson } from "../document/DocumentInput.ts"
import type { IntakeResult } from "../document/Outcome.ts"
import type { Message } from "../messages/Message.ts"
import type { HistoryError } from "../messages/Messages.ts"
import type {
  InvalidDocument,
  InvalidRequest,
  MalformedDocument,
  MalformedRequest,
  StorageUnavailable
} from "../values/Errors.ts"
import * as CoreServices from "./CoreServices.ts"
import type { Options, Services } from "./CoreServices.ts"
import * as DocklineInput from "./DocklineInput.ts"
import { checkOptions } from "./DocklineInput.ts"
import type { FollowQuery, MessagesQuery, PlaceInput } from "./DocklineInput.ts"
import { DocklineNotOpened, makeCalls, methods } from "./internal/DocklineCalls.ts"
import type {
  Answer,
  CallOptions,
  CapabilityMethods,
  ExtendedMethods,
  OperationMethods,
  SubmitOptions
} from "./internal/DocklineCalls.ts"
import { follow } from "./internal/DocklineFollow.ts"
import type { Following } from "./internal/DocklineFollow.ts"

export type { Principal } from "../access/Access.ts"
export type { DocumentJson, OwnDocumentJson } from "../document/DocumentInput.ts"
export type { Options, Services } from "./CoreServices.ts"
export type { FollowQuery, MessagesQuery, PlaceInput } from "./DocklineInput.ts"
export { DocklineClosed, DocklineNotOpened } from "./internal/DocklineCalls.ts"
export type { SubmitOptions } from "./internal/DocklineCalls.ts"
export type {
  Answer,
  CallOptions,
  CapabilityMethods,
  ExtendedMethods,
  Listing,
  Method,
  OperationMethods,
  ShipmentId
} from "./internal/DocklineCalls.ts"
export { isFollowError } from "./internal/DocklineFollow.ts"
export type { FollowError, Following } from "./internal/DocklineFollow.ts"

/** A value of unknown type, such as the result of `JSON.parse`; no other. */
type Unknown<Value> = unknown extends Value ? Value : never

/**
 * An open Dockline. Documents, events, steps, queries and ids are read and checked, whatever their type: a mistake in
 * them is returned as an answer. A wrong principal or a wrong option is a mistake of the program: the call rejects with a `TypeError`
 * that names it. No method throws.
 */
export type Dockline<Document = DocumentJson, Capabilities extends Capability.List = []> =
  // Extended methods come first, so that a call has their types and not the types of the contract.
  & ExtendedMethods<Capabilities>
  & ContractDockline<Document, Capabilities>
  & CapabilityMethods<Capabilities>

/** The operations of the contract. */
interface ContractDockline<Document, Capabilities extends Capability.List>
  extends OperationMethods, AsyncDisposable
{
  /**
   * Adds businesses, facilities and docks that are missing, and updates names and given settings. The field map of a business becomes the
   * given one, or empty. Nothing else is removed.
   */
  readonly places: (
    places: ReadonlyArray<PlaceInput>,
    options?: CallOptions
  ) => Promise<Answer<void, MalformedRequest | InvalidRequest | StorageUnavailable>>
  /** Submits a document for a client (WIRE.md, document intake): a typed document, or an `unknown` value. */
  readonly submit: <Value>(
    document: Document | Unknown<Value>,
    principal: Principal,
    options?: SubmitOptions
  ) => Promise<Answer<IntakeResult, MalformedDocument | InvalidDocument | IntakeError>>
  /** Messages of a business, ascending by id. After a page of `limit` messages, the next begins after its last id (D8.1). */
  readonly messages: (
    query: MessagesQuery,
    principal: Principal,
    options?: CallOptions
  ) => Promise<Answer<ReadonlyArray<Message>, MalformedRequest | InvalidRequest | HistoryError>>
  /**
   * Follows the messages of a business: messages after `afterId`, or by default the messages that are appended after the
   * first call of `next`. Ends when the signal is aborted, when the loop is left, and when Dockline is closed; any other
   * end throws a `FollowError`. Store the id of each processed message, and continue after it.
   */
  readonly follow: (query: FollowQuery, principal: Principal, options?: CallOptions) => Following
  /** Succeeds, with warnings for operators, if requests can be served now. */
  readonly ready: (options?: CallOptions) => Promise<Answer<ReadonlyArray<string>, StorageUnavailable>>
  /** Waits for the calls in flight, ends all loops that follow messages, and releases the storage. */
  readonly close: () => Promise<void>
  /** The stores and services, for adapters and for users of Effect. They share the state of the calls. */
  readonly layer: Layer.Layer<
    Services | Capability.ServicesOf<Capabilities> | Capability.PortsOf<Capabilities>
  >
}

interface Open {
  /**
   * Opens Dockline over a storage. Rejects with {@link DocklineNotOpened} when the storage cannot be opened, with the
   * storage's own error as `cause`, and when the options are wrong, with a `TypeError` as `cause`.
   */
  <const Capabilities extends Capability.List = []>(
    options: Options<Capabilities> & { readonly strategies?: never; readonly vocabulary?: never }
  ): Promise<Dockline<DocumentJson, Capabilities>>
  /** Opens Dockline with strategies or words that documents may name in addition to the wire contract's. */
  <const Capabilities extends Capability.List = []>(
    options: Options<Capabilities>
  ): Promise<Dockline<OwnDocumentJson, Capabilities>>
}

/** Opens Dockline over a storage. */
export const open: Open = async (
  options: Options
): Promise<Dockline<OwnDocumentJson, never> & { readonly layer: Layer.Layer<unknown> }> => {
  const scope = Scope.makeUnsafe()
  try {
    checkOptions(options, DocklineInput.options)
    const context = await Effect.runPromise(Layer.buildWithScope(CoreServices.layerOf(options), scope))
    const calls = makeCalls(context, scope)
    const { close } = calls
    return {
      ...methods(
        calls,
        CoreServices.rulesOf(options),
        CoreServices.configOf(options),
        options.capabilities ?? []
      ),
      follow: (query, principal, options) => follow(calls, query, principal, options),
      close,
      [Symbol.asyncDispose]: close,
      // The context also holds the services of the capabilities, which its type does not show.
      layer: Layer.succeedContext(context as Context.Context<unknown>)
    }
  } catch (cause) {
    await Effect.runPromise(Scope.close(scope, Exit.void))
    throw new DocklineNotOpened({ cause })
  }
}
