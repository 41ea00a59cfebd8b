/** Histories made by hand: each method tells of something that happened, in the order of the calls. */
import { assert, describe, it } from "@effect/vitest"
import { invariants } from "../src/checker/Checker.ts"
import type { InvariantName } from "../src/checker/Checker.ts"
import { Facts } from "../src/checker/Facts.ts"
import type { Invariant } from "../src/checker/Facts.ts"
import { correlationOf } from "../src/history/History.ts"
import type { Answered, Asked, AskedOf, Event, EventOf, Lpns, Occurrence } from "../src/history/History.ts"
import type { PalletFacts, ShownItem, ShownShipment } from "../src/history/History.ts"

type Texts = ReadonlyArray<string>

/** An item as it is shown. */
export const item = (lpn: string, more: Partial<ShownItem> = {}): ShownItem => {
  const empty = { lot: "", quantity: 1, purchaseOrder: "", description: "", upc: "" }
  return { id: `id of ${lpn}`, lpn, ...empty, ...more }
}

/** A shipment of the orders O1, O2 and so on with these items, as it is shown. */
export const shipment = (
  more: Partial<ShownShipment> = {},
  ...orders: ReadonlyArray<ReadonlyArray<string | ShownItem>>
): ShownShipment => ({
  id: 1,
  shipmentNumber: "S1",
  status: "SCHEDULED",
  orders: orders.map((items, at) => ({
    orderNumber: `O${at + 1}`,
    status: more.status === "DEPARTED" ? "COMPLETED" : "CREATED",
    items: items.map((each) => typeof each === "string" ? item(each) : each)
  })),
  ...more
})

/** A shipment of one order, and an answer that shows it. */
export const stored = (...lpns: Texts) => shipment({}, lpns)
export const shows = (...lpns: Texts): Answered => ({ shipments: [stored(...lpns)] })

/** A moment at which a pallet passes. */
export const moment = (at: number): string => new Date(Date.UTC(2026, 10, 21) + at).toISOString()

/** What a message tells of a pallet that passes at that moment. */
export const passing = (at: number, palletId = "1", direction = "LOADING") => ({
  pallets: [{ palletId, direction, orders: [], occurredAt: moment(at) }]
})

/** A pallet event of that moment. */
export const eventAt = (at: number, more: Partial<AskedOf<"event">> = {}): Asked => {
  const pallet = {
    shipmentId: 1,
    lpn: "L",
    direction: "LOADING",
    way: "rest",
    late: false,
    clock: "usual"
  } as const
  return { operation: "event", eventId: `E${at}`, occurredAt: moment(at), ...pallet, ...more }
}

/** Items added to O1, or to several orders; and a shipment, or one order, read. */
export const adding = (own: Texts | Lpns, shipment = "S1"): Asked => ({
  operation: "add",
  shipment,
  own: Array.isArray(own) ? { O1: own } : own as Lpns
})
export const reading = (shipment = "S1", order?: string): Asked => ({
  operation: "read",
  shipment,
  way: "id",
  order
})

interface Begin {
  readonly client?: string
  readonly business?: string
  readonly facility?: string
  readonly once?: boolean
  /** Another try of this request. */
  readonly request?: string
  readonly reason?: string
}

type More<Type extends Event["type"]> = Partial<EventOf<Type>>

const east = { business: "acme", facility: "east" }

/** A history under way, in which time passes as it is told to. */
export class Script {
  readonly history: Array<Event> = []
  #calls = 0
  #receipts = 0
  #now = 0

  /** Something happens. */
  tell(occurrence: Occurrence): this {
    this.history.push({ seq: this.history.length, at: this.#now, ...occurrence })
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

  ok(call: number, answer: Answered = {}, tags: Texts = []): this {
    return this.tell({ type: "ok", call, status: 200, tags, answer })
  }

  refused(call: number, code: string, status = 409, tags: Texts = []): this {
    return this.tell({ type: "refused", call, status, code, tags })
  }

  /** A call begins, and nobody knows how it ends; it is refused; or it is acknowledged. */
  lost(asked: Asked, begin: Begin = {}): this {
    return this.unknown(this.begin(asked, begin), begin.reason)
  }
  denied(asked: Asked, code: string, status = 409, begin: Begin = {}): this {
    return this.refused(this.begin(asked, begin), code, status)
  }
  done(asked: Asked, answer: Answered = {}, begin: Begin = {}): this {
    return this.ok(this.begin(asked, begin), answer)
  }

  unknown(call: number, reason = "TimeoutError"): this {
    return this.tell({ type: "unknown", call, reason, tags: [] })
  }

  /** A call is under way while other things happen, and is acknowledged after them. */
  during(asked: Asked, answer: Answered, others: (script: this) => this): this {
    const call = this.begin(asked)
    return others(this).ok(call, answer)
  }

  stored(shipment: ShownShipment, more: More<"stored"> = {}): this {
    return this.tell({ type: "stored", ...east, shipment, ...more })
  }

  /** The record tells of the try of a document. */
  recorded(call: number, more: More<"recorded"> = {}): this {
    const told = { client: "acme-client", correlationId: correlationOf(call), shipmentNumber: "S1" }
    return this.tell({
      type: "recorded",
      ...east,
      ...told,
      outcome: "CREATED",
      code: "",
      counts: [1, 1, 0],
      ...more
    })
  }

  /** A message of the log: of a pallet, of another type, or of a departure. */
  log(id: number, more: More<"log"> = {}): this {
    const { business, facility } = { ...east, ...more }
    const told = { id, messageType: "PALLET_EVENT", shipmentId: 1, sentAt: id, digest: `digest ${id}` }
    const tags = [`${business}/${facility}`]
    return this.tell({ type: "log", ...east, ...told, tags, orders: [], ...passing(id), ...more })
  }
  told(id: number, messageType: string, more: More<"log"> = {}): this {
    return this.log(id, { messageType, pallets: [], ...more })
  }
  completion(id: number, pallets: ReadonlyArray<PalletFacts> = [], more: More<"log"> = {}): this {
    return this.log(id, { messageType: "SHIPMENT_COMPLETE", pallets, ...more })
  }

  /** Somebody begins to read the log of acme, and sees messages. */
  reader(facility: string | null = null): this {
    return this.tell({ type: "reader", reader: "R", client: "acme-client", business: "acme", facility })
  }
  sees(...messages: ReadonlyArray<number | readonly [id: number, more: More<"seen">]>): this {
    for (const message of messages) {
      const [id, more] = typeof message === "number" ? [message, {}] : message
      const digest = `digest ${id}`
      this.tell({
        type: "seen",
        reader: "R",
        id,
        ...east,
        messageType: "PALLET_EVENT",
        digest,
        tags: [],
        ...more
      })
    }
    return this
  }

  /** An endpoint of acme takes webhooks; a message comes to it, and is answered unless the status is 0; and what became of that. */
  endpoint(endpoint = "E"): this {
    return this.tell({ type: "endpoint", endpoint, business: "acme", facility: null })
  }
  post(id: number, status: number, more: More<"receipt"> = {}): this {
    const receipt = ++this.#receipts
    const told = { receipt, endpoint: "E", path: "/api/palletEvent", webhookId: `msg_${id}`, signed: true }
    this.tell({ type: "receipt", ...told, digest: `digest ${id}`, tags: ["acme/east"], ...more })
    return status === 0 ? this : this.tell({ type: "answered", receipt, status })
  }
  delivery(messageId: number, status = "DELIVERED", attempts = 1, endpoint = "E"): this {
    return this.tell({ type: "delivery", endpoint, messageId, status, attempts })
  }

  /** A copy of the database is made; it takes its place, and these messages are gone. */
  copied(): this {
    return this.tell({ type: "copied", phase: "begin" }).tell({ type: "copied", phase: "end" })
  }
  promoted(newest: Readonly<Record<string, number>> = { acme: 0 }, ...lost: ReadonlyArray<number>): this {
    this.tell({ type: "promoted", phase: "begin" })
    for (const id of lost) {
      this.tell({ type: "lost", id, ...east, messageType: "PALLET_EVENT", digest: `digest ${id}`, tags: [] })
    }
    return this.tell({ type: "promoted", phase: "end", newest })
  }
}

export const history = () => new Script()

type Cases = Readonly<Record<string, Script | readonly [Script, number]>>

/** Holds that an invariant finds one violation in each history, or as many as are said, and none in those that are right. */
export const judges = (name: InvariantName, wrong: Cases, right: Readonly<Record<string, Script>> = {}) =>
  describe(name, () => {
    const holds: Invariant = invariants[name]
    const finds = ({ history }: Script) => Array.from(holds(new Facts(history)), ({ text }) => text)
    it.each(Object.entries(wrong))("%s: is found", (_, given) => {
      const [script, count] = given instanceof Script ? [given, 1] : given
      const texts = finds(script)
      assert.lengthOf(texts, count, texts.join("\n"))
    })
    it.each(Object.entries(right))("%s: is right", (_, script) => assert.deepStrictEqual(finds(script), []))
  })

const segments = (...all: Texts) => all.map((segment) => `${segment}~\n`).join("")

/** An interchange of one set that a partner gets, in X12 as the service writes it. */
export const interchange = (control: number, group: number, kind: string, ...set: Texts) => {
  const number = String(control).padStart(9, "0")
  return segments(
    `ISA*00*          *00*          *ZZ*WAREHOUSE      *ZZ*PARTNER        *261128*0700*U*00401*${number}*0*P*>`,
    `GS*RE*WAREHOUSE*PARTNER*20261128*0700*${group}*X*004010`,
    `ST*${kind}*0001`,
    ...set,
    `SE*${set.length + 2}*0001`,
    `GE*1*${group}`,
    `IEA*1*${number}`
  )
}

/** The answer to the notice of a control number, under the numbers of ours. */
export const answer = (notice: number, control = 1, says = "A") => {
  const set = [`AK1*SH*${notice}`, "AK2*856*0001", `AK5*${says}`, `AK9*${says}*1*1*1`]
  return { acknowledgment: interchange(control, control, "997", ...set) }
}
