/**
 * Port: the webhook endpoints as operators set them up (D11). How far each has got is the business of
 * `DeliveryStore.ts`, over the same data.
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
import type { TooManyEntries } from "../values/OperatorErrors.ts"
import type { Page, PageRequest } from "../values/Page.ts"
import type { Timestamp } from "../values/Timestamp.ts"
import type { DisabledReason, EndpointSettings, ShownEndpoint, WebhookEndpoint } from "./WebhookEndpoint.ts"

/** An endpoint to be made. */
export interface EndpointDraft extends EndpointSettings {
  /** The first message it gets; `null` for those that come from now on (D9.3). */
  readonly fromId: number | null
  readonly now: Timestamp
}

/** What becomes of an endpoint; business and facility stay. */
export interface EndpointChange extends Omit<EndpointSettings, "business" | "facility"> {
  readonly disabledReason: DisabledReason
}

/** The most endpoints of a business. */
export const endpointLimit = 1000

/** The webhook endpoints. */
export class WebhookEndpointStore extends Context.Service<WebhookEndpointStore, {
  /**
   * Makes an endpoint; {@link endpointLimit} at most, however many are made at once. `HistoryExpired` when the messages
   * from `fromId` on have been dropped in part; `CursorAhead` when it lies beyond the id after the log's newest: nobody
   * knows the ids to come, and what came before it would be left out in silence.
   */
  readonly create: (
    draft: EndpointDraft
  ) => Effect.Effect<
    ShownEndpoint,
    BusinessNotFound | FacilityNotFound | HistoryExpired | CursorAhead | TooManyEntries | StorageUnavailable
  >
  /** The endpoint of that id, or null. */
  readonly find: (id: number) => Effect.Effect<ShownEndpoint | null, StorageUnavailable>
  /** The endpoints of the businesses in scope, in id order. */
  readonly list: (
    scope: BusinessScope,
    page: PageRequest
  ) => Effect.Effect<Page<ShownEndpoint>, StorageUnavailable>
  /**
   * Changes an endpoint as `change` says, nothing coming between its reading and its writing; `null` when there is
   * none. It waits for its login no longer: what was changed may be what mends it. One that is enabled by it begins
   * anew: its pending deliveries are due now and their schedule starts over, it is not failing, and its lease has ended.
   */
  readonly update: <E>(
    id: number,
    now: Timestamp,
    change: (endpoint: WebhookEndpoint) => Result.Result<EndpointChange, E>
  ) => Effect.Effect<ShownEndpoint | null, E | StorageUnavailable>
  /** Removes an endpoint with its record of deliveries; `false` when there is none. */
  readonly remove: (id: number) => Effect.Effect<boolean, StorageUnavailable>
}>()("@dockline/core/WebhookEndpointStore") {}
