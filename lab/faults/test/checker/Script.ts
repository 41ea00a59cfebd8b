/**
 * Histories made by hand: each method tells of something that happened, in the order of the calls.
 */
import { assert, describe, it } from "@effect/vitest"
import { invariants } from "../../src/checker/Checker.ts"
import type { InvariantName } from "../../src/checker/Checker.ts"
import { Facts } from "../../src/checker/Facts.ts"
import type { Invariant } from "../../src/checker/Facts.ts"
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

/** A history under way, in which time passes as it is told to. */
export class Script {
  readonly #events: Array<Event> = []
  #calls = 0
  #receipts = 0
  #now = 0

  get history(): History {
    return this.#events
  }

  /** Something happens. */
  tell(occurrence: Occurrence): this {
    this.#events.push({ seq: this.#events.length, at: this.#now, ...occurrence })
    return this
  }

  pass(millis: number): this {
    this.#now += millis
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

  /** A call begins, and nobody knows how it ends. */
  lost(asked: Asked, begin: Begin & { readonly reason?: string } = {}): this {
    return this.unknown(this.begin(asked, begin), begin.reason)
  }

  /** A call begins and is refused. */
  denied(asked: Asked, code: string, status = 409, begin: Begin = {}): this {
    return this.refused(this.begin(asked, begin), code, status)
  }

  /** A call is under way while other things happen, and is acknowledged after them. */
  during(asked: Asked, answer: Answered, others: (script: this) => this): this {
    const call = this.begin(asked)
    return others(this).ok(call, answer)
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

  /** A message of another type than those of pallets. */
  told(id: number, messageType: string, more: Partial<Logged> = {}): this {
    return this.log(id, { messageType, pallets: [], ...more })
  }

  completion(id: number, pallets: Logged["pallets"] = [], more: Partial<Logged> = {}): this {
    return this.log(id, { messageType: "SHIPMENT_COMPLETE", pallets, ...more })
  }

  /** Somebody begins to read the log of acme. */
  reader(facility: string | null = null): this {
    return this.tell({ type: "reader", reader: "R", client: "acme-client", business: "acme", facility })
  }

  /** The reader sees messages. */
  sees(...messages: ReadonlyArray<number | readonly [id: number, more: Partial<EventOf<"seen">>]>): this {
    for (const message of messages) {
      const [id, more] = typeof message === "number" ? [message, {}] : message
      this.tell({
        type: "seen",
        reader: "R",
        id,
        business: "acme",
        facility: "east",
        messageType: "PALLET_EVENT",
        digest: `digest ${id}`,
        tags: [],
        ...more
      })
    }
    return this
  }

  /** An endpoint of acme takes webhooks. */
  endpoint(endpoint = "E"): this {
    return this.tell({ type: "endpoint", endpoint, business: "acme", facility: null })
  }

  /** A message comes to the endpoint, and is answered unless the status is 0. */
  post(id: number, status: number, more: Partial<EventOf<"receipt">> = {}): this {
    const receipt = ++this.#receipts
    this.tell({
      type: "receipt",
      receipt,
      endpoint: "E",
      path: "/api/palletEvent",
      webhookId: `msg_${id}`,
      signed: true,
      digest: `digest ${id}`,
      tags: ["acme/east"],
      ...more
    })
    return status === 0 ? this : this.tell({ type: "answered", receipt, status })
  }

  /** The operator sees what became of a message at the endpoint. */
  delivery(messageId: number, status = "DELIVERED", attempts = 1, endpoint = "E"): this {
    return this.tell({ type: "delivery", endpoint, messageId, status, attempts })
  }

  /** A copy of the database is made. */
  copied(): this {
    return this.tell({ type: "copied", phase: "begin" }).tell({ type: "copied", phase: "end" })
  }

  /** The copy takes the place of the database: these messages are gone, and what it has is told by business. */
  promoted(newest: Readonly<Record<string, number>> = { acme: 0 }, ...lost: ReadonlyArray<number>): this {
    this.tell({ type: "promoted", phase: "begin" })
    for (const id of lost) {
      this.tell({
        type: "lost",
        id,
        business: "acme",
        facility: "east",
        messageType: "PALLET_EVENT",
        digest: `digest ${id}`,
        tags: []
      })
    }
    return this.tell({ type: "promoted", phase: "end", newest })
  }

  /** What an invariant finds. */
  finds(name: InvariantName): ReadonlyArray<string> {
    const invariant: Invariant = invariants[name]
    return Array.from(invariant(new Facts(this.#events)), ({ text }) => text)
  }
}

/** A history, and what is found in it: nothing, so many violations, or one that says this. */
type Case = readonly [what: string, script: Script, finds?: number | RegExp]

/** Holds what an invariant finds in histories. */
export const judges = (name: InvariantName, ...cases: ReadonlyArray<Case>) =>
  describe(name, () => {
    for (const [what, script, finds = 0] of cases) {
      it(`${what}: ${finds === 0 ? "is right" : "is found"}`, () => {
        const texts = script.finds(name)
        if (typeof finds === "number") assert.lengthOf(texts, finds, texts.join("\n"))
        else assert.match(texts.join("\n"), finds)
      })
    }
  })

/** A moment at which a pallet passes. */
export const moment = (at: number): string => new Date(Date.UTC(2026, 10, 21) + at).toISOString()

/** What a message tells of a pallet that passes at that moment. */
export const passing = (at: number, palletId = "1", direction = "LOADING") => ({
  pallets: [{ palletId, direction, orders: [], occurredAt: moment(at) }]
})

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
