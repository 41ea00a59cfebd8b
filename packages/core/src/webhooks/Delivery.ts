/**
 * Deliveries: one message on its way to one endpoint, its attempts, and what follows from each (D9.3, D9.6).
 *
 * Guarantee: pure rules; time and chance are parameters.
 */
import type { Message } from "../messages/Message.ts"
import type { Timestamp } from "../values/Timestamp.ts"
import type { MessageType } from "../values/Vocabulary.ts"

/** Where a delivery stands. `DEAD`: every attempt of the schedule has failed, or the message was dropped by age. */
export const deliveryStatuses = ["PENDING", "DELIVERED", "DEAD"] as const

/** Where a delivery stands. */
export type DeliveryStatus = (typeof deliveryStatuses)[number]

/** The most characters of an answer that are kept (D9.6: the first 4 KiB). */
export const responseLimit = 4096

/** The most attempts of one delivery that are kept, the newest. */
export const attemptLimit = 50

/** One request, and how it went. */
export interface Attempt {
  /** When it began. */
  readonly at: Timestamp
  /** The status of the answer; `null` when there was none. */
  readonly status: number | null
  readonly durationMs: number
  /** The beginning of the answer's body, `""` without one. */
  readonly response: string
  /** Why there was no answer, or why it could not be read to its end; `""` when nothing went wrong. */
  readonly error: string
}

/** How far a delivery is in its schedule. */
export interface Progress {
  /** Failed attempts of the schedule so far. */
  readonly tries: number
  /** The first of them; `null` before it. */
  readonly failedSince: Timestamp | null
}

/** A delivery that nothing has been tried of. */
export const fresh: Progress = { tries: 0, failedSince: null }

/** A message to be delivered. */
export interface DueDelivery {
  readonly message: Message
  readonly progress: Progress
}

/** A delivery as it is recorded. */
export interface Delivery extends Progress {
  /** Delivery and message have the same id: an endpoint has one delivery of each message. */
  readonly messageId: number
  readonly messageType: MessageType
  readonly shipmentId: number
  readonly status: DeliveryStatus
  /** The newest {@link attemptLimit}, oldest first. */
  readonly attempts: ReadonlyArray<Attempt>
  /** When it is tried next; `null` when it is not pending, or waits for an earlier message of its shipment. */
  readonly nextAttemptAt: Timestamp | null
}

/** What has become of a delivery that was tried. */
export interface DeliveryResult extends Progress {
  readonly messageId: number
  readonly messageType: MessageType
  readonly shipmentId: number
  readonly status: DeliveryStatus
  /** What was tried now: one attempt, or two when a token had to be renewed (D9.2). */
  readonly attempts: ReadonlyArray<Attempt>
  /** When it is tried next; `null` unless it is pending. */
  readonly nextAttemptAt: Timestamp | null
}
