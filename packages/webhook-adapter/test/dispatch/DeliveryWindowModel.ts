/**
 * What a `DeliveryWindow` talks to, as small as it can be: a log of messages, the record of their deliveries, and a cursor (the port
 * `DeliveryStore`, for one endpoint). A take reads the record as it is at some moment; a settlement changes it at another.
 *
 * Guarantee: a settlement that breaks what the window promises is refused with what is wrong, and so is a delivery that begins out of
 * order.
 */
import * as Timestamp from "@dockline/core/values/Timestamp"
import { noProgress } from "@dockline/core/webhooks/Delivery"
import type { DueDelivery } from "@dockline/core/webhooks/Delivery"
import type { BlockedMessage, TakenMessages } from "@dockline/core/webhooks/DeliveryStore"
import type { HeldDelivery, WindowSettlement } from "@dockline/webhook-adapter/dispatch/DeliveryWindow"

/** What the record says of a message: settled, or pending, and then whether its next attempt is due. */
type Status = "settled" | "later" | "due"

/** A message of the log. */
export interface Message {
  readonly id: number
  readonly shipmentId: number
}

export const blockedOf = ({ id, shipmentId }: Message): BlockedMessage => ({
  messageId: id,
  messageType: "PALLET_EVENT",
  shipmentId
})

export const dueOf = ({ id, shipmentId }: Message): DueDelivery => ({
  message: {
    id,
    shipmentId,
    business: "acme",
    facility: "east",
    type: "PALLET_EVENT",
    sentAt: Timestamp.of("2026-11-20T12:00:00.000Z"),
    json: "{}"
  },
  progress: noProgress
})

export class DeliveryWindowModel {
  cursorId = 0
  readonly log: Array<Message> = []
  readonly record = new Map<number, Status>()
  /** The messages that an operator replays: their order among later ones is not promised. */
  readonly replays = new Set<number>()

  append(shipmentId: number): void {
    this.log.push({ id: this.log.length + 1, shipmentId })
  }

  /** The time of all next attempts comes. */
  passTime(): void {
    for (const [id, status] of this.record) if (status === "later") this.record.set(id, "due")
  }

  replay(id: number): void {
    if (this.record.get(id) !== "settled") return
    this.record.set(id, "due")
    this.replays.add(id)
  }

  /** At most `limit` messages, as the record has them now. */
  take(afterId: number, takenIds: ReadonlyArray<number>, limit: number): TakenMessages {
    const first = new Map<number, Message>()
    for (const message of this.log) {
      if (this.#isPending(message.id) && !first.has(message.shipmentId)) {
        first.set(message.shipmentId, message)
      }
    }
    // Of each shipment the earliest pending delivery alone has a time for its next attempt.
    const due = Array.from(first.values())
      .filter(({ id }) => this.record.get(id) === "due" && !takenIds.includes(id))
    const next = this.log.filter(({ id }) => id > afterId && !this.record.has(id))
    const part = next.slice(0, Math.max(0, limit - due.length))
    return {
      endpoint: undefined,
      due: due.slice(0, limit).map(dueOf),
      staleDeliveries: [],
      fresh: part.filter(({ shipmentId }) => !first.has(shipmentId)).map(dueOf),
      blocked: part.filter(({ shipmentId }) => first.has(shipmentId)).map(blockedOf),
      readTo: part.length < next.length ? part.at(-1)?.id ?? afterId : Math.max(afterId, this.log.length),
      more: part.length < next.length || due.length > limit,
      expiredUpTo: undefined
    }
  }

  /** Writes a settlement; throws where it breaks the order of a shipment, or passes a message that nothing tells of. */
  settle({ cursorId, results, waitingMessages }: WindowSettlement): void {
    const later = new Map(this.record)
    for (const { messageId } of waitingMessages) later.set(messageId, "due")
    for (const { messageId, status } of results) {
      later.set(messageId, status === "PENDING" ? "later" : "settled")
    }
    for (const { messageId, shipmentId } of waitingMessages) {
      const earlier = this.log.find((each) =>
        each.shipmentId === shipmentId && each.id < messageId && !later.has(each.id)
      )
      if (earlier !== undefined) throw new Error(`${messageId} is recorded as pending before ${earlier.id}`)
    }
    this.cursorId = Math.max(this.cursorId, cursorId)
    const gap = this.log.find(({ id }) => id <= this.cursorId && !later.has(id))
    if (gap !== undefined) {
      throw new Error(`the cursor ${this.cursorId} passes ${gap.id}, which is not recorded`)
    }
    for (const [id, status] of later) this.record.set(id, status)
  }

  /** Throws when a delivery begins while the record lacks the outcome of an earlier message of its shipment. */
  begin({ message: { id, shipmentId } }: HeldDelivery, underWay: ReadonlyArray<HeldDelivery>): void {
    if (this.record.get(id) === "settled") throw new Error(`${id} begins, although it is settled`)
    const beside = underWay.find(({ message }) => message.shipmentId === shipmentId)
    if (beside !== undefined) throw new Error(`${id} begins beside ${beside.message.id}`)
    const earlier = this.log.find((each) =>
      each.shipmentId === shipmentId && each.id < id && this.record.get(each.id) !== "settled" &&
      !this.replays.has(each.id)
    )
    if (earlier !== undefined) throw new Error(`${id} begins before ${earlier.id} is settled`)
  }

  get isDone(): boolean {
    return this.log.every(({ id }) => this.record.get(id) === "settled")
  }

  #isPending(id: number): boolean {
    const status = this.record.get(id)
    return status === "due" || status === "later"
  }
}
