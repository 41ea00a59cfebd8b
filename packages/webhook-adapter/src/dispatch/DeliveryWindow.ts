/**
 * The deliveries that a worker holds of one endpoint: messages taken from the store, in one lane for each shipment, and
 * the results that are to be written (D9.4).
 *
 * Guarantee: of each shipment one delivery is under way at a time, in id order, and the next begins only when the result
 * of the one before is durable. No message is recorded as pending while an earlier message of its shipment is neither
 * recorded nor settled, so a dispatcher that continues from the store finds the same order. Every message up to the
 * cursor that is written is settled or recorded. The number of held deliveries is bounded by the limits of the takes.
 */
import { textOf } from "@dockline/core/webhooks/Attempts"
import type { DeliveryResult, DueDelivery } from "@dockline/core/webhooks/Delivery"
import { sizeOf } from "@dockline/core/webhooks/Delivery"
import type { BlockedMessage, Taken } from "@dockline/core/webhooks/DeliveryStore"
import { dropped, frees, insert } from "./ShipmentLane.ts"
import type {
  EndedDelivery,
  HeldDelivery,
  ShipmentLane,
  UnrecordedMessage,
  WindowSettlement
} from "./ShipmentLane.ts"

export class DeliveryWindow {
  readonly #lanes = new Map<number, ShipmentLane>()
  readonly #held = new Map<number, HeldDelivery>()
  /** The lanes whose first delivery can be sent. */
  #line: Array<ShipmentLane> = []
  /** The messages of the log that the store has not recorded, in id order. */
  #unrecorded: Array<UnrecordedMessage> = []
  #ended: Array<EndedDelivery> = []
  /** The next cursor must reach this message, because its delivery hangs. */
  #cursorAtLeast = 0
  #cursorId: number
  #readTo: number
  #text = 0
  #waiting = 0
  #blocked = 0
  #taking = false
  /** The messages that were settled while a take is under way; its result is outdated for them. */
  readonly #settledMeanwhile = new Set<number>()
  /** The lanes of which the take under way may not see the latest records. */
  readonly #unsureLanes = new Set<ShipmentLane>()

  constructor(cursorId: number) {
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

  /** The characters of held payloads and of unwritten answers. */
  get text(): number {
    return this.#text
  }

  get isDirty(): boolean {
    return this.#ended.length > 0 || this.#cursorAtLeast > this.#cursorId ||
      (this.#unrecorded.length === 0
        ? this.#readTo > this.#cursorId
        : this.#unrecorded[0]?.held === undefined)
  }

  /** Begins a take and returns the ids of the messages that it must not hand out. */
  beginTake(): ReadonlyArray<number> {
    this.#taking = true
    const taken: Array<number> = []
    for (const [id, { unrecorded }] of this.#held) if (unrecorded === undefined) taken.push(id)
    for (const { held, result } of this.#ended) if (held === undefined) taken.push(result.messageId)
    return taken
  }

  endTake(): void {
    this.#taking = false
    this.#settledMeanwhile.clear()
    const lanes = [...this.#unsureLanes]
    this.#unsureLanes.clear()
    for (const lane of lanes) this.#tidy(lane)
  }

  accept(taken: Taken, now: number): void {
    for (const due of taken.due) if (!this.#isKnown(due.message.id)) this.#hold(due, undefined)
    for (const gone of taken.gone) {
      if (!this.#isKnown(gone.messageId)) this.#addEnded({ result: dropped(gone, now), held: undefined })
    }
    this.#acceptLog(taken)
    this.#readTo = Math.max(this.#readTo, taken.readTo)
    this.endTake()
  }

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

  /** If the delivery stays pending, those that wait behind it are left to the record. */
  ended(held: HeldDelivery, result: DeliveryResult): void {
    held.state = "ended"
    this.#addEnded({ result, held })
    if (result.status !== "PENDING") return
    held.lane.unrecorded++
    this.#leaveQueue(held.lane, held.message.id)
  }

  /** Frees the deliveries that wait behind one begun before `since`; with `all`, every delivery that has not begun. */
  relieve(since: number, all: boolean): void {
    for (const lane of this.#lanes.values()) {
      const first = lane.queue[0]
      const stalled = first?.state === "sending" && first.begunAt < since
      if (stalled && first.unrecorded !== undefined) {
        this.#cursorAtLeast = Math.max(this.#cursorAtLeast, first.message.id)
      }
      if (stalled || all) this.#leaveQueue(lane, 0)
      this.#tidy(lane)
    }
    if (all) {
      this.#cursorAtLeast = Math.max(this.#cursorAtLeast, this.#unrecorded.at(-1)?.blocked.messageId ?? 0)
    }
  }

  settlement(): WindowSettlement {
    let atLeast = this.#cursorAtLeast
    for (const { held, result } of this.#ended) {
      if (held?.unrecorded !== undefined) atLeast = Math.max(atLeast, result.messageId)
    }
    const parked: Array<BlockedMessage> = []
    let covered = 0
    for (const { blocked, held } of this.#unrecorded) {
      const isOpen = held !== undefined && held.state !== "ended"
      if (isOpen && blocked.messageId > atLeast) break
      if (held === undefined || isOpen) parked.push(blocked)
      covered++
    }
    const stop = this.#unrecorded[covered]
    const cursorId = stop === undefined ? this.#readTo : stop.blocked.messageId - 1
    return { cursorId, results: this.#ended.map(({ result }) => result), parked, covered }
  }

  /** Returns whether the store may have more due deliveries because of this durable settlement. */
  commit({ covered, cursorId, results }: WindowSettlement): boolean {
    const endedNow = this.#ended.splice(0, results.length)
    // This must precede the loop below, which marks covered messages as recorded.
    let freed = endedNow.some(frees)
    this.#cursorId = Math.max(this.#cursorId, cursorId)
    for (const { held, lane } of this.#unrecorded.splice(0, covered)) {
      if (held !== undefined) held.unrecorded = undefined
      else {
        freed = true
        this.#blocked--
        this.#recorded(lane)
      }
    }
    for (const { held, result } of endedNow) {
      this.#text -= textOf(result.attempts)
      if (this.#taking) this.#settledMeanwhile.add(result.messageId)
      if (held === undefined) continue
      this.#release(held)
      if (result.status === "PENDING") this.#recorded(held.lane)
      this.#lineUp(held.lane)
      this.#tidy(held.lane)
    }
    return freed
  }

  #acceptLog({ blocked, fresh }: Taken): void {
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
      if (lane.unrecorded > 0 || this.#unsureLanes.has(lane)) {
        this.#block(message, lane)
        continue
      }
      const unrecorded: UnrecordedMessage = { blocked: message, lane, held: undefined }
      unrecorded.held = this.#hold(due, unrecorded)
      this.#unrecorded.push(unrecorded)
    }
    blockedUpTo(Number.POSITIVE_INFINITY)
  }

  #addEnded(ended: EndedDelivery): void {
    this.#ended.push(ended)
    this.#text += textOf(ended.result.attempts)
  }

  #isKnown(messageId: number): boolean {
    return this.#held.has(messageId) || this.#settledMeanwhile.has(messageId)
  }

  #block(blocked: BlockedMessage, lane: ShipmentLane): void {
    lane.unrecorded++
    this.#blocked++
    this.#unrecorded.push({ blocked, lane, held: undefined })
  }

  #hold(due: DueDelivery, unrecorded: UnrecordedMessage | undefined): HeldDelivery {
    const lane = this.#laneOf(due.message.shipmentId)
    const { message, progress } = due
    const held: HeldDelivery = { message, progress, state: "waiting", begunAt: 0, lane, unrecorded }
    insert(lane.queue, held)
    this.#held.set(message.id, held)
    this.#text += sizeOf(message)
    this.#waiting++
    this.#lineUp(lane)
    return held
  }

  #leaveQueue(lane: ShipmentLane, afterId: number): void {
    const waiting = lane.queue.filter(({ message, state }) => state === "waiting" && message.id > afterId)
    for (const held of waiting) {
      this.#release(held)
      this.#waiting--
      // A take under way may hand out later messages of the lane, as it does not know of this one.
      if (held.unrecorded === undefined) this.#beUnsure(lane)
      else {
        held.unrecorded.held = undefined
        lane.unrecorded++
        this.#blocked++
      }
    }
  }

  #release(held: HeldDelivery): void {
    const { queue } = held.lane
    queue.splice(queue.indexOf(held), 1)
    this.#held.delete(held.message.id)
    this.#text -= sizeOf(held.message)
  }

  #recorded(lane: ShipmentLane): void {
    lane.unrecorded--
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

  #laneOf(shipmentId: number): ShipmentLane {
    const known = this.#lanes.get(shipmentId)
    if (known !== undefined) return known
    const lane: ShipmentLane = { shipmentId, queue: [], unrecorded: 0, inLine: false }
    this.#lanes.set(shipmentId, lane)
    return lane
  }

  #tidy(lane: ShipmentLane): void {
    if (lane.queue.length > 0 || lane.unrecorded > 0 || this.#unsureLanes.has(lane)) return
    this.#lanes.delete(lane.shipmentId)
  }
}
