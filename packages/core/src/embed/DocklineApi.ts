/**
 * What the façade offers: its methods, and the errors that each can be refused with.
 */
import type { Layer } from "effect"
import type { Principal } from "../access/Access.ts"
import type { IntakeError } from "../document/Intake.ts"
import type { IntakeResult } from "../document/Outcome.ts"
import type { Stores } from "../memory/Memory.ts"
import type { Message } from "../messages/Message.ts"
import type { PalletAnswer } from "../movement/Pallet.ts"
import type { PalletError } from "../movement/Pallets.ts"
import type * as Shipments from "../movement/Shipments.ts"
import type { OrderQuery, ShipmentQuery } from "../movement/Shipments.ts"
import type { LocatedOrderView, ShipmentView } from "../shipment/View.ts"
import type {
  BusinessNotFound,
  CursorAhead,
  FacilityNotFound,
  Forbidden,
  HistoryExpired,
  InvalidDocument,
  InvalidRequest,
  MalformedDocument,
  MalformedRequest,
  ShipmentNotFound,
  StorageUnavailable,
  TooManyMessages
} from "../values/Errors.ts"
import type { Page } from "../values/Page.ts"
import type { CoreServices, WebhookParts } from "./CoreServices.ts"
import type { Answer, CallOptions } from "./DocklineCalls.ts"
import type { Following } from "./DocklineFollow.ts"
import type { FollowQuery, Listing, MessagesQuery, PlaceInput } from "./DocklineInput.ts"

/** Everything that is built: the stores, the services over them, and the parts that webhooks need. */
export type Services = Stores | CoreServices | WebhookParts

type UnreadRequest = MalformedRequest | InvalidRequest

/** Why places are refused. */
export type PlacesError = UnreadRequest | StorageUnavailable

/** Why a document is refused. */
export type SubmitError = MalformedDocument | InvalidDocument | IntakeError

/** Why a pallet event is refused. */
export type RecordError = UnreadRequest | PalletError

/** Why a step of a shipment is refused. */
export type StepError = UnreadRequest | Shipments.StepError

/** Why a link is refused. */
export type LinkError = UnreadRequest | Shipments.LinkError

/** Why a list is refused. */
export type ListError = UnreadRequest | Shipments.ListError

/** Why messages are refused. */
export type MessagesError =
  | UnreadRequest
  | BusinessNotFound
  | FacilityNotFound
  | Forbidden
  | HistoryExpired
  | CursorAhead
  | TooManyMessages
  | StorageUnavailable

/** Where a pallet went, and whether the event had been recorded before. */
export interface RecordedEvent {
  readonly answer: PalletAnswer
  readonly repeated: boolean
}

/** How a document is submitted. */
export interface SubmitOptions extends CallOptions {
  /** Answer exactly as the real run would, with the ids of would-be entities empty, and write nothing (D5.3). */
  readonly dryRun?: boolean | undefined
}

/** The id of a shipment: as answers hold it, or as text. */
export type ShipmentId = number | string

/**
 * Dockline, open. Documents, events, steps, queries and ids are read and checked, whatever they are: a mistake in one is
 * an answer. A principal or options that are wrong are a mistake of the program: the call rejects with a `TypeError` that
 * names it. No method throws.
 */
export interface Dockline extends AsyncDisposable {
  /** Adds what is missing of the businesses given, and brings names and field maps to them; removes nothing. */
  readonly places: (
    places: ReadonlyArray<PlaceInput>,
    options?: CallOptions
  ) => Promise<Answer<void, PlacesError>>
  /** Submits a document on behalf of a client (WIRE.md, document intake). */
  readonly submit: (
    document: unknown,
    principal: Principal,
    options?: SubmitOptions
  ) => Promise<Answer<IntakeResult, SubmitError>>
  /** Records that a pallet has crossed a dock (D6.1). */
  readonly recordPallet: (
    event: unknown,
    principal: Principal,
    options?: CallOptions
  ) => Promise<Answer<RecordedEvent, RecordError>>
  /** The shipment has arrived: `{ occurredAt?, dockSlug? }`; `{}` is now, at the dock it was expected at (D6.5). */
  readonly arrive: (
    shipmentId: ShipmentId,
    arrival: unknown,
    principal: Principal,
    options?: CallOptions
  ) => Promise<Answer<ShipmentView, StepError>>
  /** The shipment has departed, which completes it: `{ occurredAt? }`; `{}` is now (D6.5). */
  readonly depart: (
    shipmentId: ShipmentId,
    departure: unknown,
    principal: Principal,
    options?: CallOptions
  ) => Promise<Answer<ShipmentView, StepError>>
  /** The shipment belongs together with another: `{ linkedShipmentId }` (D6.5). */
  readonly link: (
    shipmentId: ShipmentId,
    link: unknown,
    principal: Principal,
    options?: CallOptions
  ) => Promise<Answer<ShipmentView, LinkError>>
  /** The shipment of that id; one that the client may not see is not there. */
  readonly shipment: (
    shipmentId: ShipmentId,
    principal: Principal,
    options?: CallOptions
  ) => Promise<Answer<ShipmentView, ShipmentNotFound | StorageUnavailable>>
  /** The shipments that the client may see, in id order. */
  readonly shipments: (
    query: Listing<ShipmentQuery>,
    principal: Principal,
    options?: CallOptions
  ) => Promise<Answer<Page<ShipmentView>, ListError>>
  /** The orders that the client may see, in id order. */
  readonly orders: (
    query: Listing<OrderQuery>,
    principal: Principal,
    options?: CallOptions
  ) => Promise<Answer<Page<LocatedOrderView>, ListError>>
  /** Messages of a business, ascending by id; after a page of `limit` messages ask again after its last id (D8.1). */
  readonly messages: (
    query: MessagesQuery,
    principal: Principal,
    options?: CallOptions
  ) => Promise<Answer<ReadonlyArray<Message>, MessagesError>>
  /**
   * Messages of a business as they come, beginning when the first is asked for: with those after `afterId`, else with
   * the next to come. Ends when the signal is aborted, when the loop is left, and as this closes; what stops it
   * otherwise is thrown, a `FollowError`. Store the id of each message that is done, and begin there again.
   */
  readonly follow: (query: FollowQuery, principal: Principal, options?: CallOptions) => Following
  /** Whether requests can be served now. */
  readonly ready: (options?: CallOptions) => Promise<Answer<void, StorageUnavailable>>
  /** Waits for the calls in flight, ends what follows messages, and releases the storage. */
  readonly close: () => Promise<void>
  /** What is built, for the adapters and for users of Effect: all of them work on the one state that the calls do. */
  readonly layer: Layer.Layer<Services>
}
