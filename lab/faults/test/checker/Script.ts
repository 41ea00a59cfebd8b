/**
 * Histories made by hand: each method tells of something that happened, in the order of the calls.
 */
import { invariants } from "../../src/checker/Checker.ts"
import type { InvariantName } from "../../src/checker/Checker.ts"
import { Facts } from "../../src/checker/CheckerFacts.ts"
import type { Invariant } from "../../src/checker/CheckerFacts.ts"
import { correlationOf } from "../../src/history/History.ts"
import type {
  Answered,
  Asked,
  Event,
  EventOf,
  History,
  Occurrence,
  ShownItem,
  ShownShipment
} from "../../src/history/History.ts"

/** An item as it is shown. */
export const item = (lpn: string, lot = "", marks: Partial<ShownItem["marks"]> = {}): ShownItem => ({
  id: `id of ${lpn}`,
  lpn,
  lot,
  quantity: 1,
  marks: { purchaseOrder: "", description: "", upc: "", ...marks }
})

/** A shipment of one order with these items, as it is shown. */
export const shipment = (
  shipmentNumber: string,
  items: ReadonlyArray<ShownItem>,
  more: Partial<ShownShipment> = {}
): ShownShipment => ({
  id: 1,
  shipmentNumber,
  status: "SCHEDULED",
  orders: [{ orderNumber: "O1", status: "CREATED", items }],
  ...more
})

interface Begin {
  readonly client?: string
  readonly business?: string
  readonly facility?: string
  readonly once?: boolean
  /** Another try of this request. */
  readonly request?: string
}

type Logged = EventOf<"log">

/** A history under way. */
export class Script {
  readonly #events: Array<Event> = []
  #calls = 0

  get history(): History {
    return this.#events
  }

  /** Something happens. */
  tell(occurrence: Occurrence): this {
    this.#events.push({ seq: this.#events.length, at: this.#events.length, ...occurrence })
    return this
  }

  /** A call begins; its number. */
  begin(asked: Asked, { business = "acme", client = `${business}-client`, ...more }: Begin = {}): number {
    const call = ++this.#calls
    const { facility = "east", once = true, request = `r${call}` } = more
    this.tell({ type: "invoke", call, request, once, client, business, facility, instance: 0, asked })
    return call
  }

  ok(call: number, answer: Answered = {}, tags: ReadonlyArray<string> = []): this {
    return this.tell({ type: "ok", call, status: 200, tags, answer })
  }

  refused(call: number, code: string, status = 409, tags: ReadonlyArray<string> = []): this {
    return this.tell({ type: "refused", call, status, code, tags })
  }

  unknown(call: number, reason = "TimeoutError"): this {
    return this.tell({ type: "unknown", call, reason, tags: [] })
  }

  /** A call begins and is acknowledged. */
  done(asked: Asked, answer: Answered = {}, begin: Begin = {}): this {
    return this.ok(this.begin(asked, begin), answer)
  }

  stored(shipment: ShownShipment, business = "acme", facility = "east"): this {
    return this.tell({ type: "stored", business, facility, shipment })
  }

  /** The record tells of the try of a document. */
  recorded(call: number, shipmentNumber: string, more: Partial<EventOf<"recorded">> = {}): this {
    return this.tell({
      type: "recorded",
      business: "acme",
      facility: "east",
      client: "acme-client",
      correlationId: correlationOf(call),
      shipmentNumber,
      outcome: "CREATED",
      code: "",
      counts: [1, 1, 0],
      ...more
    })
  }

  /** A message of the log: of a pallet unless it says otherwise. */
  log(id: number, more: Partial<Logged> = {}): this {
    const { business = "acme", facility = "east", shipmentId = 1 } = more
    return this.tell({
      type: "log",
      id,
      business,
      facility,
      messageType: "PALLET_EVENT",
      shipmentId,
      sentAt: id,
      digest: `digest ${id}`,
      tags: [`${business}/${facility}`],
      orders: [],
      pallets: [{ palletId: "1", direction: "LOADING", orders: [], occurredAt: moment(id) }],
      ...more
    })
  }

  completion(id: number, pallets: Logged["pallets"] = [], more: Partial<Logged> = {}): this {
    return this.log(id, { messageType: "SHIPMENT_COMPLETE", pallets, ...more })
  }

  /** What an invariant finds. */
  finds(name: InvariantName): ReadonlyArray<string> {
    const invariant: Invariant = invariants[name]
    return invariant(new Facts(this.#events)).map(({ text }) => text)
  }
}

/** A moment at which a pallet passes. */
export const moment = (at: number): string => new Date(Date.UTC(2026, 10, 21) + at).toISOString()

/** A pallet event of that moment. */
export const eventAt = (
  at: number,
  more: Partial<Extract<Asked, { readonly operation: "event" }>> = {}
): Asked => ({
  operation: "event",
  eventId: `E${at}`,
  shipmentId: 1,
  occurredAt: moment(at),
  lpn: "L",
  direction: "LOADING",
  way: "rest",
  late: false,
  ...more
})

/** Items added to the order O1 of a shipment. */
export const adding = (lpns: ReadonlyArray<string>, shipment = "S1"): Asked => ({
  operation: "add",
  shipment,
  own: { O1: lpns }
})

/** A shipment read. */
export const reading = (shipment = "S1", order?: string): Asked => ({
  operation: "read",
  shipment,
  way: "id",
  ...(order === undefined ? {} : { order })
})

/** A copy takes the place of the database: messages by id are lost with it, and what the copy has is told by business. */
export const lose = <S extends Script>(
  script: S,
  lost: Readonly<Record<number, Partial<EventOf<"lost">>>>,
  newest: Readonly<Record<string, number>>
): S => {
  script.tell({ type: "copied", phase: "begin" }).tell({ type: "copied", phase: "end" })
  script.tell({ type: "promoted", phase: "begin" })
  for (const [id, more] of Object.entries(lost)) {
    script.tell({
      type: "lost",
      id: Number(id),
      business: "acme",
      facility: "east",
      messageType: "PALLET_EVENT",
      digest: `digest ${id}`,
      tags: [],
      ...more
    })
  }
  script.tell({ type: "promoted", phase: "end", newest })
  return script
}
