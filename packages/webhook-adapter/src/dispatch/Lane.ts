/**
 * The deliveries of one shipment that are held, in the order in which they are sent (D9.4).
 */
import { textOf } from "@dockline/core/Attempts"
import type { Delivery, DeliveryResult, DueDelivery } from "@dockline/core/Delivery"
import type { BlockedMessage, Settlement } from "@dockline/core/DeliveryStore"
import { fromMillis } from "@dockline/core/Timestamp"

/** A delivery that is held. */
export interface Held extends DueDelivery {
  state: "waiting" | "sending" | "ended"
  /** Whether the store has it as pending. */
  recorded: boolean
  /** When it was begun, by a clock that never goes back; 0 before. */
  begunAt: number
  readonly lane: Lane
  /** Its place among what is not in the record yet; it was handed out from the record if there is none. */
  readonly unrecorded: Unrecorded | undefined
}

/** What is held of one shipment. */
export interface Lane {
  readonly shipmentId: number
  /** In the order of their ids; the first alone may be on its way. */
  readonly queue: Array<Held>
  /** How many of its messages are still to be recorded as pending: later ones cannot be sent before. */
  unrecorded: number
  /** A take is under way that may not know yet what was recorded. */
  unsure: boolean
  /** Whether it stands in line for being sent. */
  inLine: boolean
}

/** A message of the log that is not in the record yet: one that is held, or one that waits behind another. */
export interface Unrecorded {
  readonly blocked: BlockedMessage
  readonly lane: Lane
  /** `undefined` for one that waits. */
  held: Held | undefined
}

/** A result, and the delivery that it is of; none for one that was never begun. */
export interface Outcome {
  readonly result: DeliveryResult
  readonly held: Held | undefined
}

/** What is to be written of messages, and how much of what is held it covers. */
export interface WindowSettlement extends Pick<Settlement, "cursorId" | "results" | "parked"> {
  /** How many of the unrecorded messages lie up to the cursor. */
  readonly covered: number
}

/** Characters of what came back. */
export const answerText = ({ result }: Outcome): number => textOf(result.attempts)

/**
 * Whether the store may have something due once an outcome is durable: only behind what it had as pending may
 * something wait there.
 */
export const frees = ({ held, result }: Outcome): boolean =>
  result.status !== "PENDING" && held?.recorded !== false

/** A lane of a shipment that nothing is held of. */
export const emptyLane = (shipmentId: number): Lane => ({
  shipmentId,
  queue: [],
  unrecorded: 0,
  unsure: false,
  inLine: false
})

/** Puts a delivery in its place: in id order, but behind what is on its way. */
export const insert = (queue: Array<Held>, held: Held): void => {
  let place = queue.length
  while (
    place > 0 && queue[place - 1]!.state === "waiting" && queue[place - 1]!.message.id > held.message.id
  ) place--
  queue.splice(place, 0, held)
}

/** A delivery whose message was dropped by age before it could be sent. */
export const dropped = (delivery: Delivery, now: number): DeliveryResult => {
  const error = "the message was dropped by age before it could be delivered"
  const attempt = { at: fromMillis(now), status: null, durationMs: 0, response: "", error }
  return { ...delivery, status: "DEAD", nextAttemptAt: null, attempts: [attempt] }
}
