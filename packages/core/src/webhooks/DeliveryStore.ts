/**
 * Port: how far each webhook endpoint has got in the message log, and the record of its deliveries (D9).
 *
 * An endpoint's state is its cursor and its exceptions. Every matching message up to the cursor has its line in the
 * record, delivered, dead or pending; what comes after the cursor has none, unless it was settled before what comes
 * before it, and is found in the log. Of each shipment the earliest pending delivery alone has a time for its next
 * attempt: the others wait behind it (D9.4).
 *
 * Guarantee: whoever dispatches for an endpoint holds a lease of it. Opening it again ends the lease before: what its
 * holder still settles is refused and changes nothing, however long it was away. What was settled is durable. All
 * methods work on sets: one round trip for any number of endpoints and deliveries.
 */
import { Context, Effect } from "effect"
import type { Scope } from "effect"
import type { StorageUnavailable } from "../values/Errors.ts"
import type {
  DeliveryNotFound,
  TooManyDeliveries,
  WebhookEndpointNotFound
} from "../values/OperatorErrors.ts"
import type { Page, PageRequest } from "../values/Page.ts"
import type { Timestamp } from "../values/Timestamp.ts"
import type { MessageType } from "../values/Vocabulary.ts"
import type { Delivery, DeliveryResult, DeliveryStatus, DueDelivery } from "./Delivery.ts"
import type { DisabledReason, LoginWait, WebhookEndpoint } from "./WebhookEndpoint.ts"

/** The number of parts that endpoints are divided into, to be spread over the instances of a service. */
export const partitionCount = 64

/** The part that an endpoint belongs to, from 0. */
export const partitionOf = (endpointId: number): number => endpointId % partitionCount

/** The right to dispatch for an endpoint, until it is opened again. */
export interface Lease {
  readonly endpointId: number
  /** Grows with each opening. */
  readonly epoch: number
}

/** What there is to do. */
export interface ReadyEndpoints {
  /** Endpoints with something to deliver now, as far as can be told cheaply: one of them may turn out to have nothing. */
  readonly endpoints: ReadonlyArray<number>
  /** When the next delivery or login is due of those that have nothing to do now; `null` when none is. */
  readonly nextDueAt: Timestamp | null
}

/** An endpoint that was opened. */
export interface OpenedEndpoint {
  readonly lease: Lease
  readonly endpoint: WebhookEndpoint
}

/** Asks for an endpoint's next messages. */
export interface TakeRequest {
  readonly lease: Lease
  /** The version of the endpoint that the holder knows. */
  readonly version: number
  /** Up to where the holder has read the log: the cursor at first. */
  readonly afterId: number
  /** Messages that the holder has taken and not settled yet: they are not handed out again. */
  readonly taken: ReadonlyArray<number>
  /** The most messages to be handed out, and the most characters of payload; one message at least. */
  readonly limit: number
  readonly textLimit: number
}

/** A message of the log that waits behind an earlier one of its shipment: to be recorded as pending when settling. */
export interface BlockedMessage {
  readonly messageId: number
  readonly messageType: MessageType
  readonly shipmentId: number
}

/** An endpoint's next messages. */
export interface Taken {
  /** The endpoint as it is now, where it is no longer of the version that the holder knows. */
  readonly endpoint: WebhookEndpoint | undefined
  /** Pending deliveries that are due, in the order of their due times and ids. Those of one shipment do not come together. */
  readonly due: ReadonlyArray<DueDelivery>
  /** Pending deliveries that are due and whose messages have been dropped by age: to be settled as dead. */
  readonly gone: ReadonlyArray<Delivery>
  /** Messages of the log after `afterId`, in id order, of shipments that nothing is pending of. */
  readonly fresh: ReadonlyArray<DueDelivery>
  /** Messages of the log after `afterId` of the other shipments. */
  readonly blocked: ReadonlyArray<BlockedMessage>
  /** Every matching message of the log up to this id is among `fresh`, `blocked` and the record, or taken before. */
  readonly readTo: number
  /** Whether the limits cut what there is, due or in the log, so that asking again hands out more. */
  readonly more: boolean
  /** Messages up to this id were dropped by age before they were taken; `undefined` when none were. Then `readTo` is past it. */
  readonly expiredUpTo: number | undefined
}

/**
 * What `take` says of an endpoint: its messages; `lost` when the lease has ended, or when the holder has read the log
 * further than it goes, as the storage was restored meanwhile; `closed` when it is disabled. */
export type TakeResult =
  | { readonly _tag: "taken"; readonly taken: Taken }
  | { readonly _tag: "closed" }
  | { readonly _tag: "lost" }

/** What is to be written of an endpoint. */
export interface Settlement {
  readonly lease: Lease
  /** The new cursor: it never moves back. Every matching message up to it is in the record, `results` and `parked` included. */
  readonly cursorId: number
  readonly results: ReadonlyArray<DeliveryResult>
  /** Messages to be recorded as pending: blocked ones, and those still on their way that the cursor moves past. */
  readonly parked: ReadonlyArray<BlockedMessage>
  readonly failingSince: Timestamp | null
  readonly login: LoginWait | null
  /** Disables the endpoint (D9.3). What is pending stays so. */
  readonly disable: "GONE" | "FAILING" | undefined
  readonly expiredUpTo: number | undefined
}

/** How much waits for an endpoint, and since when. */
export interface EndpointBacklog {
  readonly endpointId: number
  /** Business slug. */
  readonly business: string
  readonly enabled: boolean
  readonly disabledReason: DisabledReason
  /** Since when no delivery has succeeded; `null` when the last one did. */
  readonly failingSince: Timestamp | null
  /** Whether it waits for its login. */
  readonly awaitsLogin: boolean
  /** Messages that wait to be delivered, counted up to `backlogLimit`. */
  readonly messages: number
  /** When the oldest of them was sent; `null` when none waits. */
  readonly oldestAt: Timestamp | null
}

/** The most endpoints whose backlog is told at once. */
export const backlogEndpoints = 10_000

/** Which deliveries of an endpoint a replay names; both ends included. */
export type ReplayRange =
  | { readonly fromId: number; readonly toId: number }
  | { readonly from: Timestamp; readonly to: Timestamp }

/** The most messages of one replay. */
export const replayLimit = 100_000

/** The most characters of answers and errors in one page of the record. */
export const pageText = 4 * 1024 * 1024

/** How far endpoints have got, and the record of their deliveries. */
export class DeliveryStore extends Context.Service<DeliveryStore, {
  /** Which enabled endpoints of these partitions have something to do. One that waits for its login has nothing. */
  readonly ready: (
    partitions: ReadonlyArray<number>,
    now: Timestamp
  ) => Effect.Effect<ReadyEndpoints, StorageUnavailable>
  /** Opens endpoints, ending the leases before; those that are gone or disabled are left out. */
  readonly open: (
    endpointIds: ReadonlyArray<number>
  ) => Effect.Effect<ReadonlyArray<OpenedEndpoint>, StorageUnavailable>
  /** The next messages of endpoints, one answer for each request in their order. Writes nothing. */
  readonly take: (
    requests: ReadonlyArray<TakeRequest>,
    now: Timestamp
  ) => Effect.Effect<ReadonlyArray<TakeResult>, StorageUnavailable>
  /** Writes what has become of deliveries; for each settlement whether its lease still held, else nothing of it is written. */
  readonly settle: (
    settlements: ReadonlyArray<Settlement>,
    now: Timestamp
  ) => Effect.Effect<ReadonlyArray<boolean>, StorageUnavailable>
  /** Calls `wake` when there may be something new to do, until the scope ends. Calls may be lost, repeated or late. */
  readonly watch: (wake: () => void) => Effect.Effect<void, never, Scope.Scope>
  /**
   * The deliveries of an endpoint, the newest message first; `page.after` is the id of the last one of the page before.
   * A page ends early rather than hold more than about {@link pageText} characters; it holds one delivery at least.
   */
  readonly list: (
    endpointId: number,
    status: DeliveryStatus | undefined,
    page: PageRequest
  ) => Effect.Effect<Page<Delivery>, StorageUnavailable>
  /** Makes one delivery pending and due, whatever it was. */
  readonly replay: (
    endpointId: number,
    messageId: number,
    now: Timestamp
  ) => Effect.Effect<void, WebhookEndpointNotFound | DeliveryNotFound | StorageUnavailable>
  /**
   * Makes the deliveries of a range pending and due, and says how many: of all matching messages up to the cursor that
   * the log still holds, delivered before or not, also from before the endpoint was made, and of those recorded after
   * it. What is neither is delivered anyway. More than {@link replayLimit} are refused and nothing is written. The
   * storage may do it in parts, in id order, so that the endpoint's settlements do not wait for long.
   */
  readonly replayRange: (
    endpointId: number,
    range: ReplayRange,
    now: Timestamp
  ) => Effect.Effect<number, WebhookEndpointNotFound | TooManyDeliveries | StorageUnavailable>
  /**
   * How much waits for each endpoint, whether or not anybody dispatches for it, in the order of their ids; of
   * {@link backlogEndpoints} at most. Cheap enough to be asked every few seconds.
   */
  readonly backlog: Effect.Effect<ReadonlyArray<EndpointBacklog>, StorageUnavailable>
  /** Drops the record of settled deliveries whose messages the log has dropped, in batches; says how many. */
  readonly dropExpired: Effect.Effect<number, StorageUnavailable>
}>()("@dockline/core/DeliveryStore") {}
