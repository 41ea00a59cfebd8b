/**
 * Port: stores the cursor of each webhook endpoint over the message log, and the record of its deliveries (D9).
 *
 * An endpoint gets messages of the log and entries of outboxes (`Delivery.ts`). Here both are called messages, and the log includes the
 * outboxes. The state of an endpoint is its cursor and the record of its deliveries. Every matching message up to the cursor is in the
 * record as delivered, dead or pending. A message after the cursor is in the log; it is in the record only if it was settled before an
 * earlier message. For each shipment only the earliest pending delivery has a time for its next attempt; the others wait for it (D9.4).
 *
 * Guarantee: only the newest lease of an endpoint settles deliveries. Opening the endpoint again ends the previous lease: later settlements
 * under that lease are refused and change nothing. Results that were settled are committed. The methods of dispatchers (`ready`, `open`,
 * `take`, `settle`) work on sets, so their round trips do not grow with the number of endpoints and deliveries.
 *
 * Deliveries are due by the clock of the storage, which `ready` returns, so that dispatchers whose clocks differ can hand endpoints to each
 * other. `now` is the time of a clock that replaces the storage's (`Timestamp.givenNow`), else `null`.
 */
import { Context, Effect } from "effect"
import type { Scope } from "effect"
import type { StorageUnavailable } from "../values/Errors.ts"
import type { EndpointId, MessageId } from "../values/Id.ts"
import type {
  DeliveryNotFound,
  TooManyDeliveries,
  WebhookEndpointNotFound
} from "../values/OperatorErrors.ts"
import type { Page, PageRequest } from "../values/Page.ts"
import type { Timestamp } from "../values/Timestamp.ts"
import type {
  Deliverable,
  Delivery,
  DeliveryResult,
  DeliveryStatus,
  DueDelivery,
  EndpointDelivery
} from "./Delivery.ts"
import type { LoginWait, WebhookEndpoint } from "./WebhookEndpoint.ts"

/** The number of partitions into which endpoints are divided, to be spread over the instances of a service. */
export const partitionCount = 64

/**
 * The partition of an endpoint, from 0, by a hash, because the ids of endpoints may be any distance apart, such as 1024 in the shards of a
 * cluster. A storage that looks for endpoints in its database computes the same hash there.
 */
export const partitionOf = (endpointId: EndpointId): number => {
  let hash = (endpointId ^ Math.floor(endpointId / 2 ** 32)) >>> 0
  for (let round = 0; round < 2; round++) hash = Math.imul(hash ^ (hash >>> 16), 73_244_475) >>> 0
  return ((hash ^ (hash >>> 16)) >>> 0) % partitionCount
}

/** The right to dispatch to an endpoint until it is opened again. */
export interface Lease {
  readonly business: string
  readonly endpointId: EndpointId
  /** The epoch grows with each opening. */
  readonly epoch: number
  /**
   * How many settlements of the lease the holder knows to be stored; 0 at the opening. A storage that has stored fewer was restored, or is
   * a promoted standby: it lacks results that the holder keeps no longer, so the lease has ended.
   */
  readonly settlements: number
}

/** The endpoints with work. */
export interface ReadyEndpoints {
  /** The endpoints that have messages to deliver now, by a cheap estimate: an endpoint may turn out to have none. */
  readonly endpoints: ReadonlyArray<EndpointId>
  /** When the next delivery or login of the other endpoints is due; `null` when none is. */
  readonly nextDueAt: Timestamp | null
  /** The time of the storage's clock at which the endpoints were selected. */
  readonly now: Timestamp
}

/** An opened endpoint. */
export interface OpenedEndpoint {
  readonly lease: Lease
  readonly endpoint: WebhookEndpoint
}

/** A request for an endpoint's next messages. */
export interface TakeRequest {
  readonly lease: Lease
  /** The endpoint's version that the holder knows. */
  readonly version: number
  /** The id up to which the holder has read the log: at first the cursor. */
  readonly afterId: MessageId
  /** Messages that the holder has taken but not settled; they are not handed out again. */
  readonly takenIds: ReadonlyArray<MessageId>
  /** The most messages, and the most characters of payload; at least one message is returned. */
  readonly limit: number
  readonly textLimit: number
}

/** A message of the log that waits for an earlier message of its shipment. The next settlement records it as pending. */
export interface BlockedMessage extends Pick<Delivery, "messageId" | "messageType" | "shipmentId"> {}

/** An endpoint's next messages. */
export interface TakenMessages {
  /** The stored endpoint, if its version differs from the version that the holder knows. */
  readonly endpoint: WebhookEndpoint | undefined
  /** The due pending deliveries, in the order of due times and ids; at most one of each shipment. */
  readonly due: ReadonlyArray<DueDelivery>
  /** The due pending deliveries whose messages have been dropped by age, to be settled as dead. */
  readonly staleDeliveries: ReadonlyArray<Delivery>
  /** The messages of the log after `afterId`, in id order, of shipments without pending deliveries. */
  readonly fresh: ReadonlyArray<DueDelivery>
  /** The messages of the log after `afterId` that belong to shipments with pending deliveries. */
  readonly blocked: ReadonlyArray<BlockedMessage>
  /** Every matching message up to this id is in `fresh`, in `blocked` or in the record, or was taken before. */
  readonly readTo: MessageId
  /** Whether the limits cut the due messages or the log, so that another take returns more. */
  readonly more: boolean
  /** Messages up to this id were dropped by age before they were taken, and `readTo` is past it; `undefined` when none were. */
  readonly expiredUpTo: MessageId | undefined
}

/**
 * The result of a take: messages; `lost` when the lease has ended, or when the storage was restored: the holder has read beyond the end of
 * the log, or has more settlements than the storage; `closed` when the endpoint is disabled.
 */
export type TakeResult =
  | { readonly _tag: "taken"; readonly messages: TakenMessages }
  | { readonly _tag: "closed" }
  | { readonly _tag: "lost" }

/** The results to write for an endpoint. */
export interface Settlement {
  readonly lease: Lease
  /** The new cursor, which never moves back: matching messages up to it are in the record, in `results` or in `waitingMessages`. */
  readonly cursorId: MessageId
  readonly results: ReadonlyArray<DeliveryResult>
  /** Messages to record as pending: blocked messages, and messages in flight that the cursor passes. */
  readonly waitingMessages: ReadonlyArray<BlockedMessage>
  readonly failingSince: Timestamp | null
  readonly login: LoginWait | null
  /** Disables the endpoint (D9.3). Pending deliveries stay pending. */
  readonly disable: "GONE" | "FAILING" | undefined
  readonly expiredUpTo: MessageId | undefined
}

/** The backlog and the health of an endpoint. */
export interface EndpointBacklog
  extends Pick<WebhookEndpoint, "business" | "enabled" | "disabledReason" | "failingSince">
{
  readonly endpointId: EndpointId
  /** Whether the endpoint waits for its login. */
  readonly awaitsLogin: boolean
  /** The messages that wait to be delivered, counted up to `backlogLimit`. */
  readonly messages: number
  /** When the oldest of them was sent; `null` without any. */
  readonly oldestAt: Timestamp | null
}

/** The most endpoints in a result of `backlog`. */
export const backlogEndpoints = 10_000

/** The deliveries of a replay; both ends are included. */
export type ReplayRange =
  | { readonly fromId: MessageId; readonly toId: MessageId }
  | { readonly from: Timestamp; readonly to: Timestamp }

/** The most messages of one replay. */
export const replayLimit = 100_000

/** The most characters of answers and errors in a page of deliveries. */
export const pageText = 4 * 1024 * 1024

/** Stores the cursors of endpoints and the record of their deliveries. */
export class DeliveryStore extends Context.Service<DeliveryStore, {
  /** The enabled endpoints of these partitions that have work. An endpoint that waits for its login has none until the login is due. */
  readonly ready: (
    partitions: ReadonlyArray<number>,
    now: Timestamp | null
  ) => Effect.Effect<ReadyEndpoints, StorageUnavailable>
  /** Opens endpoints, which ends their previous leases; endpoints that are removed or disabled are left out. */
  readonly open: (
    endpointIds: ReadonlyArray<EndpointId>
  ) => Effect.Effect<ReadonlyArray<OpenedEndpoint>, StorageUnavailable>
  /** The next messages of endpoints, one result for each request in the same order. Writes nothing. */
  readonly take: (
    requests: ReadonlyArray<TakeRequest>,
    now: Timestamp | null
  ) => Effect.Effect<ReadonlyArray<TakeResult>, StorageUnavailable>
  /** Writes the results of deliveries. Returns for each settlement whether its lease was still held; if not, it wrote nothing. */
  readonly settle: (
    settlements: ReadonlyArray<Settlement>,
    now: Timestamp | null
  ) => Effect.Effect<ReadonlyArray<boolean>, StorageUnavailable>
  /** Calls `wake` when there may be new work, until the scope ends. Calls may be lost, repeated or late. */
  readonly watch: (wake: () => void) => Effect.Effect<void, never, Scope.Scope>
  /**
   * The deliveries of an endpoint, the newest message first. A page ends early instead of holding more than about
   * {@link pageText} characters; it holds at least one delivery.
   */
  readonly list: (
    endpointId: EndpointId,
    status: DeliveryStatus | undefined,
    page: PageRequest
  ) => Effect.Effect<Page<Delivery>, StorageUnavailable>
  /** The message of a business with this id, of the log or of an outbox; `undefined` when it was dropped by age. */
  readonly message: (
    business: string,
    id: MessageId
  ) => Effect.Effect<Deliverable | undefined, StorageUnavailable>
  /** The deliveries of a message of a business, in the order of the ids of endpoints. */
  readonly ofMessage: (
    business: string,
    id: MessageId
  ) => Effect.Effect<ReadonlyArray<EndpointDelivery>, StorageUnavailable>
  /** Makes a delivery pending and due, whatever its status. */
  readonly replay: (
    endpointId: EndpointId,
    messageId: MessageId,
    now: Timestamp | null
  ) => Effect.Effect<void, WebhookEndpointNotFound | DeliveryNotFound | StorageUnavailable>
  /**
   * Makes the deliveries of a range pending and due, and returns their number. It covers all matching messages up to the cursor that the
   * log still holds, delivered or not, including those from before the endpoint was created, and recorded deliveries after the cursor. The
   * endpoint still gets all other messages anyway. A replay of more than {@link replayLimit} messages is refused, and nothing is written.
   * The storage may work in parts, in id order, so that the endpoint's settlements need not wait for long.
   */
  readonly replayRange: (
    endpointId: EndpointId,
    range: ReplayRange,
    now: Timestamp | null
  ) => Effect.Effect<number, WebhookEndpointNotFound | TooManyDeliveries | StorageUnavailable>
  /** The backlogs of at most {@link backlogEndpoints} endpoints, in id order. The service reads them every few seconds. */
  readonly backlog: Effect.Effect<ReadonlyArray<EndpointBacklog>, StorageUnavailable>
  /** Drops the record of settled deliveries whose messages the log has dropped, in batches; returns their number. */
  readonly dropExpired: Effect.Effect<number, StorageUnavailable>
}>()("@dockline/core/webhooks/DeliveryStore") {}
