/**
 * What a dispatcher holds of one endpoint: messages taken from the store, in one lane for each shipment, and what is
 * to be written of them (D9.4).
 *
 * Guarantee: of one shipment one delivery is on its way at a time, in id order, and the next one begins only when the
 * outcome of the one before is durable. No message is recorded as pending while an earlier one of its shipment is
 * neither recorded nor settled: whoever goes on from the store finds the same order. The cursor that is to be written
 * has nothing behind it that is not in the record. What is held is bounded by what is asked for.
 */
import type { DeliveryResult, DueDelivery } from "@dockline/core/Delivery"
import type { BlockedMessage, Taken } from "@dockline/core/DeliveryStore"
import { answerText, dropped, emptyLane, frees, insert } from "./Lane.ts"
import type { Held, Lane, Outcome, Unrecorded, WindowSettlement } from "./Lane.ts"

/** What is held of one endpoint. */
export class Window {
  readonly #lanes = new Map<number, Lane>()
  readonly #held = new Map<number, Held>()
  /** Lanes whose first delivery can be sent. */
  #line: Array<Lane> = []
  /** Messages of the log up to where it was read, in id order. */
  #unrecorded: Array<Unrecorded> = []
  #outcomes: Array<Outcome> = []
  /** The cursor must reach this message: it has been on its way for too long to wait for. */
  #cursorAtLeast = 0
  #cursorId: number
  #readTo: number
  #text = 0
  #waiting = 0
  #blocked = 0
  #taking = false
  /** What was settled while a take is under way: what it says of these is old. */
  readonly #settledMeanwhile = new Set<number>()
  readonly #unsureLanes = new Set<Lane>()

  constructor(cursorId: number) {
    this.#cursorId = cursorId
    this.#readTo = cursorId
  }

  /** Up to where the log has been read. */
  get readTo(): number {
    return this.#readTo
  }

  /** Deliveries and messages that are held or wait to be recorded. */
  get size(): number {
    return this.#held.size + this.#blocked
  }

  /** Deliveries that have not been begun. */
  get waiting(): number {
    return this.#waiting
  }

  /** Whether a delivery can be begun. */
  get isReady(): boolean {
    return this.#line.length > 0
  }

  /** Characters of payloads that are held, and of answers that are to be written. */
  get text(): number {
    return this.#text
  }

  /** Whether there is something to write. */
  get isDirty(): boolean {
    return this.#outcomes.length > 0 || this.#cursorAtLeast > this.#cursorId ||
      (this.#unrecorded.length === 0
        ? this.#readTo > this.#cursorId
        : this.#unrecorded[0]!.held === undefined)
  }

  /** Whether nothing is held and nothing is to be written. */
  get isEmpty(): boolean {
    return this.#held.size === 0 && !this.isDirty
  }

  /** A take begins: the ids of what it shall not hand out. */
  beginTake(): ReadonlyArray<number> {
    this.#taking = true
    const taken: Array<number> = []
    for (const [id, { recorded }] of this.#held) if (recorded) taken.push(id)
    for (const { held, result } of this.#outcomes) if (held === undefined) taken.push(result.messageId)
    return taken
  }

  /** The take that was begun has ended. */
  endTake(): void {
    this.#taking = false
    this.#settledMeanwhile.clear()
    for (const lane of this.#unsureLanes) {
      lane.unsure = false
      this.#tidy(lane)
    }
    this.#unsureLanes.clear()
  }

  /** What a take has brought, at a time. */
  accept(taken: Taken, now: number): void {
    for (const due of taken.due) if (!this.#isKnown(due.message.id)) this.#hold(due, undefined)
    for (const gone of taken.gone) {
      if (!this.#isKnown(gone.messageId)) this.#come({ result: dropped(gone, now), held: undefined })
    }
    this.#acceptLog(taken)
    this.#readTo = Math.max(this.#readTo, taken.readTo)
    this.endTake()
  }

  /** The next delivery to be begun, one of each shipment at a time. */
  next(now: number): Held | undefined {
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

  /** A delivery has ended. Where it stays pending, what waits behind it is left to the record. */
  ended(held: Held, result: DeliveryResult): void {
    held.state = "ended"
    this.#come({ result, held })
    if (result.status !== "PENDING") return
    held.lane.unrecorded++
    this.#leaveQueue(held.lane, held.message.id)
  }

  /**
   * Puts off what waits behind deliveries that have been on their way since before `since`, and with `all` whatever
   * has not been begun: it is left to the record, so that it takes no place here.
   */
  relieve(since: number, all: boolean): void {
    for (const lane of this.#lanes.values()) {
      const first = lane.queue[0]
      const stalled = first?.state === "sending" && first.begunAt < since
      if (stalled && !first.recorded) this.#cursorAtLeast = Math.max(this.#cursorAtLeast, first.message.id)
      if (stalled || all) this.#leaveQueue(lane, 0)
      this.#tidy(lane)
    }
    if (all) {
      this.#cursorAtLeast = Math.max(this.#cursorAtLeast, this.#unrecorded.at(-1)?.blocked.messageId ?? 0)
    }
  }

  /** What is to be written now. */
  settlement(): WindowSettlement {
    let atLeast = this.#cursorAtLeast
    for (const { held, result } of this.#outcomes) {
      if (held !== undefined && !held.recorded) atLeast = Math.max(atLeast, result.messageId)
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
    return { cursorId, results: this.#outcomes.map(({ result }) => result), parked, covered }
  }

  /** What `settlement` gave is durable. Says whether the store may have more that is due now because of it. */
  commit({ covered, cursorId, results }: WindowSettlement): boolean {
    const outcomes = this.#outcomes.splice(0, results.length)
    // Before what is covered now counts as recorded.
    let freed = outcomes.some(frees)
    this.#cursorId = Math.max(this.#cursorId, cursorId)
    for (const { held, lane } of this.#unrecorded.splice(0, covered)) {
      if (held !== undefined) held.recorded = true
      else {
        freed = true
        this.#blocked--
        this.#recorded(lane)
      }
    }
    for (const outcome of outcomes) {
      const { held, result } = outcome
      this.#text -= answerText(outcome)
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
      for (; at < blocked.length && blocked[at]!.messageId < id; at++) {
        this.#block(blocked[at]!, this.#laneOf(blocked[at]!.shipmentId))
      }
    }
    for (const due of fresh) {
      const { id, shipmentId, type } = due.message
      blockedUpTo(id)
      const message: BlockedMessage = { messageId: id, messageType: type, shipmentId }
      const lane = this.#laneOf(shipmentId)
      if (lane.unrecorded > 0 || lane.unsure) {
        this.#block(message, lane)
        continue
      }
      const unrecorded: Unrecorded = { blocked: message, lane, held: undefined }
      unrecorded.held = this.#hold(due, unrecorded)
      this.#unrecorded.push(unrecorded)
    }
    blockedUpTo(Number.POSITIVE_INFINITY)
  }

  #come(outcome: Outcome): void {
    this.#outcomes.push(outcome)
    this.#text += answerText(outcome)
  }

  #isKnown(messageId: number): boolean {
    return this.#held.has(messageId) || this.#settledMeanwhile.has(messageId)
  }

  #block(blocked: BlockedMessage, lane: Lane): void {
    lane.unrecorded++
    this.#blocked++
    this.#unrecorded.push({ blocked, lane, held: undefined })
  }

  #hold(due: DueDelivery, unrecorded: Unrecorded | undefined): Held {
    const lane = this.#laneOf(due.message.shipmentId)
    const { queue } = lane
    const { message, progress } = due
    const held: Held = {
      message,
      progress,
      state: "waiting",
      recorded: unrecorded === undefined,
      begunAt: 0,
      lane,
      unrecorded
    }
    insert(queue, held)
    this.#held.set(message.id, held)
    this.#text += message.size
    this.#waiting++
    this.#lineUp(lane)
    return held
  }

  /** Leaves to the record what waits in a lane and has a higher id. */
  #leaveQueue(lane: Lane, afterId: number): void {
    for (
      const held of lane.queue.filter(({ message, state }) => state === "waiting" && message.id > afterId)
    ) {
      this.#release(held)
      this.#waiting--
      // A take that is under way may hand out later ones, as it does not know of this one.
      if (held.recorded || held.unrecorded === undefined) this.#beUnsure(lane)
      else {
        held.unrecorded.held = undefined
        lane.unrecorded++
        this.#blocked++
      }
    }
  }

  #release(held: Held): void {
    const { queue } = held.lane
    queue.splice(queue.indexOf(held), 1)
    this.#held.delete(held.message.id)
    this.#text -= held.message.size
  }

  /** One of the lane's messages has been recorded as pending. */
  #recorded(lane: Lane): void {
    lane.unrecorded--
    this.#beUnsure(lane)
    this.#tidy(lane)
  }

  #beUnsure(lane: Lane): void {
    if (!this.#taking) return
    lane.unsure = true
    this.#unsureLanes.add(lane)
  }

  #lineUp(lane: Lane): void {
    if (lane.inLine || lane.queue[0]?.state !== "waiting") return
    lane.inLine = true
    this.#line.push(lane)
  }

  #laneOf(shipmentId: number): Lane {
    const known = this.#lanes.get(shipmentId)
    if (known !== undefined) return known
    const lane = emptyLane(shipmentId)
    this.#lanes.set(shipmentId, lane)
    return lane
  }

  #tidy(lane: Lane): void {
    if (lane.queue.length === 0 && lane.unrecorded === 0 && !lane.unsure) this.#lanes.delete(lane.shipmentId)
  }
}
