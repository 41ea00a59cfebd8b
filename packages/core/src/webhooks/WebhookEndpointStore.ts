/**
 * Port: stores webhook endpoints as operators set them up (D11). `DeliveryStore.ts` stores their cursors and deliveries,
 * over the same data.
 */
import { Context, Effect } from "effect"
import type { Result } from "effect"
import type { BusinessScope } from "../access/Access.ts"
import type {
  BusinessNotFound,
  CursorAhead,
  FacilityNotFound,
  HistoryExpired,
  StorageUnavailable
} from "../values/Errors.ts"
import type { MessageId } from "../values/Id.ts"
import type { TooManyEntries } from "../values/OperatorErrors.ts"
import type { Page, PageRequest } from "../values/Page.ts"
import type { Timestamp } from "../values/Timestamp.ts"
import type { DisabledReason, EndpointSettings, ShownEndpoint, WebhookEndpoint } from "./WebhookEndpoint.ts"

/** A new endpoint. */
export interface EndpointDraft extends EndpointSettings {
  /** The first message that it receives; `null` for messages from now on (D9.3). */
  readonly fromId: MessageId | null
  readonly now: Timestamp
}

/** The new settings of an endpoint; business and facility stay. */
export interface EndpointChange extends Omit<EndpointSettings, "business" | "facility"> {
  readonly disabledReason: DisabledReason
}

/** The most endpoints of a business. */
export const endpointLimit = 1000

/** Stores webhook endpoints. */
export class WebhookEndpointStore extends Context.Service<WebhookEndpointStore, {
  /**
   * Creates an endpoint; a business has at most {@link endpointLimit}, however many are created at once. Fails
   * with `HistoryExpired` when messages from `fromId` on have been dropped, and with `CursorAhead` when `fromId` lies beyond
   * the next id of the log.
   */
  readonly create: (
    draft: EndpointDraft
  ) => Effect.Effect<
    ShownEndpoint,
    BusinessNotFound | FacilityNotFound | HistoryExpired | CursorAhead | TooManyEntries | StorageUnavailable
  >
  /** The endpoint with this id, or `null`. */
  readonly find: (id: number) => Effect.Effect<ShownEndpoint | null, StorageUnavailable>
  /** The endpoints of the businesses in scope, in id order. */
  readonly list: (
    scope: BusinessScope,
    page: PageRequest
  ) => Effect.Effect<Page<ShownEndpoint>, StorageUnavailable>
  /**
   * Changes an endpoint atomically; `null` when it does not exist. The endpoint no longer waits for its login, because the change may have
   * corrected it. If the change enables the endpoint, its state is reset: its pending deliveries are due now with a new schedule, it is not
   * failing, and its lease has ended. `change` gets the time `now`; for `null`, the time of the storage.
   */
  readonly update: <E>(
    id: number,
    now: Timestamp | null,
    change: (endpoint: WebhookEndpoint, now: Timestamp) => Result.Result<EndpointChange, E>
  ) => Effect.Effect<ShownEndpoint | null, E | StorageUnavailable>
  /** Removes an endpoint with its delivery record; `false` when it does not exist. */
  readonly remove: (id: number) => Effect.Effect<boolean, StorageUnavailable>
}>()("@dockline/core/webhooks/WebhookEndpointStore") {}
