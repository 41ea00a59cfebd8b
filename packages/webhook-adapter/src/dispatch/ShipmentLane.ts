/** The deliveries of one shipment that the process holds, in the order in which they are sent (D9.4). */
import { fromMillis } from "@dockline/core/values/Timestamp"
import type { Delivery, DeliveryResult, DueDelivery } from "@dockline/core/webhooks/Delivery"
import type { BlockedMessage, Settlement } from "@dockline/core/webhooks/DeliveryStore"

export interface HeldDelivery extends DueDelivery {
  state: "waiting" | "sending" | "ended"
  /** When the delivery began, in milliseconds of a monotonic clock; 0 before. */
  begunAt: number
  readonly lane: ShipmentLane
  /** `undefined` once the store has recorded the message as pending. */
  unrecordedMessage: UnrecordedMessage | undefined
}

export interface ShipmentLane {
  readonly shipmentId: number
  /** In the order of message ids; only the first may be under way. */
  readonly queue: Array<HeldDelivery>
  /** How many messages of the lane the store has yet to record as pending; later messages wait for them. */
  unrecordedCount: number
  inLine: boolean
}

/** A message of the log that the store has not recorded yet: held, or blocked by an earlier message of its shipment. */
export interface UnrecordedMessage {
  readonly blocked: BlockedMessage
  readonly lane: ShipmentLane
  delivery: HeldDelivery | undefined
}

export interface EndedDelivery {
  readonly result: DeliveryResult
  readonly delivery: HeldDelivery | undefined
}

/** The part of a settlement that is about messages. */
export interface WindowSettlement extends Pick<Settlement, "cursorId" | "results" | "waitingMessages"> {
  /** How many unrecorded messages lie up to the cursor. */
  readonly unrecordedCount: number
}

/**
 * Whether the store may have more due deliveries once this result is durable: blocked messages wait only behind
 * deliveries that the store has recorded.
 */
export const frees = ({ delivery, result }: EndedDelivery): boolean =>
  result.status !== "PENDING" && delivery?.unrecordedMessage === undefined

export const insert = (queue: Array<HeldDelivery>, delivery: HeldDelivery): void => {
  const before = queue.findLastIndex(({ message, state }) =>
    state !== "waiting" || message.id <= delivery.message.id
  )
  queue.splice(before + 1, 0, delivery)
}

export const droppedResult = (delivery: Delivery, now: number): DeliveryResult => {
  const error = "the message was dropped by age before it could be delivered"
  const attempt = { at: fromMillis(now), status: null, durationMs: 0, response: "", error }
  return { ...delivery, status: "DEAD", nextAttemptAt: null, attempts: [attempt] }
}
