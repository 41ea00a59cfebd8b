/**
 * The deliveries of one endpoint that a worker holds, as a state machine without I/O: its methods are the transitions (D9.4).
 *
 * States of a message:
 *
 * - **held, unrecorded**: the worker took the message from the log; the record does not contain it.
 * - **held, recorded**: the worker took the message from the record because it was due, or a settlement has recorded it while it was held.
 * - **blocked**: an earlier message of its shipment has to be settled first. The next settlement records the message as pending, and the
 *   store returns it to a take when it is due.
 * - **ended**: its attempt is over. The next settlement writes the result.
 *
 * Held messages of a shipment form a lane; only the first message of a lane may be under way.
 *
 * Transitions:
 *
 * - `beginTake`, then `accept` or `endTake`: the messages that the store returns become held or blocked.
 * - `next`: the first message of a lane begins.
 * - `ended`: its attempt ends. If the message stays pending, the later messages of its lane become blocked, because they must wait for its
 *   next attempt.
 * - `relieve`: messages that wait for a hanging attempt become blocked, and the cursor may pass the hanging message.
 * - `settlement`, then `commit` once the settlement is durable: ended messages leave, blocked messages are left to the record, and the
 *   cursor moves.
 *
 * A take and a settlement may be under way at once, so the result of a take may be older than a settlement. Therefore messages that were
 * settled meanwhile are not accepted, and a new message becomes blocked if a message of its lane was recorded meanwhile.
 *
 * Invariants, compared with a model of the store over random interleavings (`test/dispatch/DeliveryWindowModel.ts`):
 *
 * 1. Of each shipment one message is under way at a time, in the order of ids, and the next begins only when the result of the previous one
 *    is durable. A message that an operator replays precedes later messages that wait.
 * 2. No message is recorded as pending while an earlier message of its shipment is neither recorded nor settled, so a dispatcher that
 *    continues from the store finds the same order.
 * 3. Every message up to the written cursor is settled or recorded.
 * 4. Every message is settled in the end, if attempts succeed.
 *
 * The limits of the takes bound the number of messages in the window.
 */
import type { MessageId, ShipmentId } from "@dockline/core/values/Id"
import { fromMillis } from "@dockline/core/values/Timestamp"
import { sizeOf, textOf } from "@dockline/core/webhooks/Delivery"
import type { Delivery, DeliveryResult, DueDelivery } from "@dockline/core/webhooks/Delivery"
import type { BlockedMessage, Settlement, TakenMessages } from "@dockline/core/webhooks/DeliveryStore"

/** A message that the worker holds. */
export interface HeldDelivery extends DueDelivery {
  state: "waiting" | "sending" | "ended"
  /** The time when the delivery began, in milliseconds of a monotonic clock; 0 before that. */
  begunAt: number
  readonly lane: ShipmentLane
  /** `undefined` once the store has recorded the message as pending. */
  unrecordedMessage: UnrecordedMessage | undefined
}

/** The held messages of one shipment. */
export interface ShipmentLane {
  readonly shipmentId: ShipmentId
  /** The messages in the order of their ids. Only the first may be under way. */
  readonly queue: Array<HeldDelivery>
  /** The number of messages of the lane that the store has not recorded as pending yet; later messages wait for them. */
  unrecordedCount: number
  inLine: boolean
}

/** A message of the log that the store has not recorded yet: it is held, or blocked by an earlier message of its shipment. */
export interface UnrecordedMessage {
  readonly blocked: BlockedMessage
  readonly lane: ShipmentLane
  delivery: HeldDelivery | undefined
}

/** A result to write, and its message if the worker held it: a message that expired was never held. */
export interface EndedDelivery {
  readonly result: DeliveryResult
  readonly delivery: HeldDelivery | undefined
}

/** The part of a settlement that concerns messages. */
export interface WindowSettlement extends Pick<Settlement, "cursorId" | "results" | "waitingMessages"> {
  /** The number of unrecorded messages up to the cursor. */
  readonly unrecordedCount: number
}

/**
 * Whether the store may have more due deliveries once this result is durable: blocked messages wait only for deliveries that the store has
 * recorded.
 */
export const frees = ({ delivery, result }: EndedDelivery): boolean =>
  result.status !== "PENDING" && delivery?.unrecordedMessage === undefined

/** Inserts a delivery into a queue, before waiting deliveries with higher ids. */
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

export class DeliveryWindow {
  readonly #lanes = new Map<number, ShipmentLane>()
  readonly #held = new Map<number, HeldDelivery>()
  /** The lanes whose first delivery can be sent. */
  #line: Array<ShipmentLane> = []
  /** The messages of the log that the store has not recorded, in id order. */
  #unrecorded: Array<UnrecordedMessage> = []
  #ended: Array<EndedDelivery> = []
  /** The lowest id that the next cursor must reach, because the delivery of that message hangs. */
  #cursorAtLeast = 0
  #cursorId: MessageId
  #readTo: MessageId
  #text = 0
  #waiting = 0
  #blocked = 0
  #taking = false
  /** The ids of messages that were settled during the current take, whose result is outdated for them. */
  readonly #settledMeanwhile = new Set<number>()
  /** The lanes whose latest records the current take may have missed. */
  readonly #unsureLanes = new Set<ShipmentLane>()

  constructor(cursorId: MessageId) {
    this.#cursorId = cursorId
    this.#readTo = cursorId
  }

  get readTo(): number {
    return this.#readTo
  }

  /** The number of held deliveries and blocked messages. */
  get size(): number {
    return this.#held.size + this.#blocked
  }

  get waiting(): number {
    return this.#waiting
  }

  get isReady(): boolean {
    return this.#line.length > 0
  }

  /** The number of characters of held payloads and of answers that are not written yet. */
  get text(): number {
    return this.#text
  }

  get isDirty(): boolean {
    return this.#ended.length > 0 || this.#cursorAtLeast > this.#cursorId ||
      (this.#unrecorded.length === 0
        ? this.#readTo > this.#cursorId
        : this.#unrecorded[0]?.delivery === undefined)
  }

  /** Begins a take, and returns the ids of the messages that it must not return. */
  beginTake(): ReadonlyArray<number> {
    this.#taking = true
    const messageIds: Array<MessageId> = []
    for (const [id, { unrecordedMessage }] of this.#held) {
      if (unrecordedMessage === undefined) messageIds.push(id)
    }
    for (const { delivery, result } of this.#ended) {
      if (delivery === undefined) messageIds.push(result.messageId)
    }
    return messageIds
  }

  /** Ends a take, with messages or without. */
  endTake(): void {
    this.#taking = false
    this.#settledMeanwhile.clear()
    const lanes = [...this.#unsureLanes]
    this.#unsureLanes.clear()
    for (const lane of lanes) this.#tidy(lane)
  }

  /** Accepts the messages of a take, and ends it. */
  accept(batch: TakenMessages, now: number): void {
    for (const due of batch.due) if (!this.#isKnown(due.message.id)) this.#hold(due, undefined)
    for (const drop of batch.staleDeliveries) {
      if (!this.#isKnown(drop.messageId)) {
        this.#addEnded({ result: droppedResult(drop, now), delivery: undefined })
      }
    }
    this.#acceptLog(batch)
    this.#readTo = Math.max(this.#readTo, batch.readTo)
    this.endTake()
  }

  /** Begins the first delivery of a lane, and returns it; `undefined` if none can begin. */
  next(now: number): HeldDelivery | undefined {
    for (let lane = this.#line.shift(); lane !== undefined; lane = this.#line.shift()) {
      lane.inLine = false
      const first = lane.queue[0]
      if (first?.state !== "waiting") continue
      first.state = "sending"
      first.begunAt = now
      this.#waiting--
      return first
    }
    return undefined
  }

  /** Ends an attempt. If the delivery stays pending, the deliveries that wait for it are left to the record. */
  ended(delivery: HeldDelivery, result: DeliveryResult): void {
    delivery.state = "ended"
    this.#addEnded({ result, delivery })
    if (result.status !== "PENDING") return
    delivery.lane.unrecordedCount++
    this.#leaveQueue(delivery.lane, delivery.message.id)
  }

  /**
   * Leaves to the record the deliveries that wait for a delivery which began before `since`; with `all`, every delivery that has not begun.
   */
  relieve(since: number, all: boolean): void {
    for (const lane of this.#lanes.values()) {
      const first = lane.queue[0]
      const isStalled = first?.state === "sending" && first.begunAt < since
      if (isStalled && first.unrecordedMessage !== undefined) {
        this.#cursorAtLeast = Math.max(this.#cursorAtLeast, first.message.id)
      }
      if (isStalled || all) this.#leaveQueue(lane, 0)
      this.#tidy(lane)
    }
    if (all) {
      this.#cursorAtLeast = Math.max(this.#cursorAtLeast, this.#unrecorded.at(-1)?.blocked.messageId ?? 0)
    }
  }

  /** The settlement to write now. Its cursor stops before the first message that is held and not recorded. */
  settlement(): WindowSettlement {
    let atLeast = this.#cursorAtLeast
    for (const { delivery, result } of this.#ended) {
      if (delivery?.unrecordedMessage !== undefined) atLeast = Math.max(atLeast, result.messageId)
    }
    const waitingMessages: Array<BlockedMessage> = []
    let unrecordedCount = 0
    for (const { blocked, delivery } of this.#unrecorded) {
      const isOpen = delivery !== undefined && delivery.state !== "ended"
      if (isOpen && blocked.messageId > atLeast) break
      if (delivery === undefined || isOpen) waitingMessages.push(blocked)
      unrecordedCount++
    }
    const stop = this.#unrecorded[unrecordedCount]
    const cursorId = stop === undefined ? this.#readTo : stop.blocked.messageId - 1
    return {
      cursorId,
      results: this.#ended.map(({ result }) => result),
      waitingMessages,
      unrecordedCount
    }
  }

  /** Applies a durable settlement. Returns whether the store may have more due deliveries because of it. */
  commit({ unrecordedCount, cursorId, results }: WindowSettlement): boolean {
    const endedNow = this.#ended.splice(0, results.length)
    // This must precede the loop below, which marks the messages up to the cursor as recorded.
    let hasFreed = endedNow.some(frees)
    this.#cursorId = Math.max(this.#cursorId, cursorId)
    for (const { delivery, lane } of this.#unrecorded.splice(0, unrecordedCount)) {
      if (delivery !== undefined) delivery.unrecordedMessage = undefined
      else {
        hasFreed = true
        this.#blocked--
        this.#recorded(lane)
      }
    }
    for (const { delivery, result } of endedNow) {
      this.#text -= textOf(result.attempts)
      if (this.#taking) this.#settledMeanwhile.add(result.messageId)
      if (delivery === undefined) continue
      this.#release(delivery)
      if (result.status === "PENDING") this.#recorded(delivery.lane)
      this.#lineUp(delivery.lane)
      this.#tidy(delivery.lane)
    }
    return hasFreed
  }

  #acceptLog({ blocked, fresh }: TakenMessages): void {
    let at = 0
    const blockedUpTo = (id: number) => {
      for (let next = blocked[at]; next !== undefined && next.messageId < id; next = blocked[++at]) {
        this.#block(next, this.#laneOf(next.shipmentId))
      }
    }
    for (const due of fresh) {
      const { id, shipmentId, type } = due.message
      blockedUpTo(id)
      const message: BlockedMessage = { messageId: id, messageType: type, shipmentId }
      const lane = this.#laneOf(shipmentId)
      if (lane.unrecordedCount > 0 || this.#unsureLanes.has(lane)) {
        this.#block(message, lane)
        continue
      }
      const unrecordedMessage: UnrecordedMessage = { blocked: message, lane, delivery: undefined }
      unrecordedMessage.delivery = this.#hold(due, unrecordedMessage)
      this.#unrecorded.push(unrecordedMessage)
    }
    blockedUpTo(Number.POSITIVE_INFINITY)
  }

  #addEnded(ended: EndedDelivery): void {
    this.#ended.push(ended)
    this.#text += textOf(ended.result.attempts)
  }

  #isKnown(messageId: MessageId): boolean {
    return this.#held.has(messageId) || this.#settledMeanwhile.has(messageId)
  }

  #block(blocked: BlockedMessage, lane: ShipmentLane): void {
    lane.unrecordedCount++
    this.#blocked++
    this.#unrecorded.push({ blocked, lane, delivery: undefined })
  }

  #hold(due: DueDelivery, unrecordedMessage: UnrecordedMessage | undefined): HeldDelivery {
    const lane = this.#laneOf(due.message.shipmentId)
    const { message, progress } = due
    const delivery: HeldDelivery = {
      message,
      progress,
      state: "waiting",
      begunAt: 0,
      lane,
      unrecordedMessage
    }
    insert(lane.queue, delivery)
    this.#held.set(message.id, delivery)
    this.#text += sizeOf(message)
    this.#waiting++
    this.#lineUp(lane)
    return delivery
  }

  #leaveQueue(lane: ShipmentLane, afterId: MessageId): void {
    const waiting = lane.queue.filter(({ message, state }) => state === "waiting" && message.id > afterId)
    for (const delivery of waiting) {
      this.#release(delivery)
      this.#waiting--
      // The current take may return later messages of the lane, because it does not know this message.
      if (delivery.unrecordedMessage === undefined) this.#beUnsure(lane)
      else {
        delivery.unrecordedMessage.delivery = undefined
        lane.unrecordedCount++
        this.#blocked++
      }
    }
  }

  #release(delivery: HeldDelivery): void {
    const { queue } = delivery.lane
    queue.splice(queue.indexOf(delivery), 1)
    this.#held.delete(delivery.message.id)
    this.#text -= sizeOf(delivery.message)
  }

  #recorded(lane: ShipmentLane): void {
    lane.unrecordedCount--
    this.#beUnsure(lane)
    this.#tidy(lane)
  }

  #beUnsure(lane: ShipmentLane): void {
    if (this.#taking) this.#unsureLanes.add(lane)
  }

  #lineUp(lane: ShipmentLane): void {
    if (lane.inLine || lane.queue[0]?.state !== "waiting") return
    lane.inLine = true
    this.#line.push(lane)
  }

  #laneOf(shipmentId: ShipmentId): ShipmentLane {
    const present = this.#lanes.get(shipmentId)
    if (present !== undefined) return present
    const lane: ShipmentLane = { shipmentId, queue: [], unrecordedCount: 0, inLine: false }
    this.#lanes.set(shipmentId, lane)
    return lane
  }

  #tidy(lane: ShipmentLane): void {
    if (lane.queue.length > 0 || lane.unrecordedCount > 0 || this.#unsureLanes.has(lane)) return
    this.#lanes.delete(lane.shipmentId)
  }
}
