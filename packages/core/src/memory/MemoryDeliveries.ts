/**
 * The record of one endpoint's deliveries in memory.
 *
 * Guarantee: after {@link MemoryDeliveries.arrange} the earliest pending delivery of a shipment alone has a time for
 * its next attempt (D9.4).
 */
import type { Timestamp } from "../values/Timestamp.ts"
import type { Delivery, DeliveryStatus } from "../webhooks/Delivery.ts"

/** The deliveries of an endpoint. */
export class MemoryDeliveries {
  readonly #rows = new Map<number, Delivery>()
  /** Message ids by shipment. */
  readonly #pending = new Map<number, Set<number>>()
  /** Those with a time for their next attempt. */
  readonly #timed = new Set<number>()

  get(messageId: number): Delivery | undefined {
    return this.#rows.get(messageId)
  }

  /** Records a delivery, in place of what was recorded of it. */
  put(delivery: Delivery): void {
    const { messageId, shipmentId, status, nextAttemptAt } = delivery
    this.#rows.set(messageId, delivery)
    if (nextAttemptAt === null) this.#timed.delete(messageId)
    else this.#timed.add(messageId)
    if (status === "PENDING") {
      this.#pending.set(shipmentId, (this.#pending.get(shipmentId) ?? new Set()).add(messageId))
    } else this.#settle(shipmentId, messageId)
  }

  remove({ messageId, shipmentId }: Delivery): void {
    this.#rows.delete(messageId)
    this.#timed.delete(messageId)
    this.#settle(shipmentId, messageId)
  }

  /** Whether something of the shipment is pending. */
  isPending(shipmentId: number): boolean {
    return this.#pending.has(shipmentId)
  }

  /** How many are pending. */
  get pendingCount(): number {
    let count = 0
    for (const ids of this.#pending.values()) count += ids.size
    return count
  }

  /** Gives the earliest pending delivery of each shipment a time, `now` where it has none, and takes it from the others. */
  arrange(shipmentIds: Iterable<number>, now: Timestamp): void {
    for (const shipmentId of new Set(shipmentIds)) {
      const ids = this.#pending.get(shipmentId)
      if (ids === undefined) continue
      let first = Infinity
      for (const id of ids) if (id < first) first = id
      for (const id of ids) {
        const row = this.#rows.get(id)!
        if (id === first && row.nextAttemptAt === null) this.put({ ...row, nextAttemptAt: now })
        if (id !== first && row.nextAttemptAt !== null) this.put({ ...row, nextAttemptAt: null })
      }
    }
  }

  /** All pending deliveries begin anew, at once. */
  restart(now: Timestamp): void {
    for (const ids of this.#pending.values()) {
      for (const id of ids) {
        const row = this.#rows.get(id)!
        const nextAttemptAt = row.nextAttemptAt === null ? null : now
        this.put({ ...row, tries: 0, failedSince: null, nextAttemptAt })
      }
    }
  }

  /** Those that have a time for their next attempt, in its order. */
  timed(): ReadonlyArray<Delivery & { readonly nextAttemptAt: Timestamp }> {
    return Array.from(this.#timed, (id) => this.#rows.get(id)!)
      .filter((row): row is Delivery & { readonly nextAttemptAt: Timestamp } => row.nextAttemptAt !== null)
      .sort((left, right) =>
        left.nextAttemptAt === right.nextAttemptAt
          ? left.messageId - right.messageId
          : left.nextAttemptAt < right.nextAttemptAt
          ? -1
          : 1
      )
  }

  /** Those of a status, the newest message first. */
  newestFirst(status: DeliveryStatus | undefined): ReadonlyArray<Delivery> {
    return Array.from(this.#rows.values())
      .filter((row) => status === undefined || row.status === status)
      .sort((left, right) => right.messageId - left.messageId)
  }

  #settle(shipmentId: number, messageId: number): void {
    const ids = this.#pending.get(shipmentId)
    ids?.delete(messageId)
    if (ids?.size === 0) this.#pending.delete(shipmentId)
  }
}
