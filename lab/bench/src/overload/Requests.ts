/**
 * The requests of the mix as bytes: documents of 10 items, pallet events, departures, and reads.
 */
import { historyDocument, path as graphqlPath } from "../graphql/Workload.ts"
import { documentOf, place } from "../intake/Documents.ts"
import { life } from "./Life.ts"
import type { Slot, Step } from "./Life.ts"
import type { Tokens } from "./Task.ts"
import { mark, Template } from "./Template.ts"

/** Messages of one answer of `pushMessages`. */
const pageSize = 50

const orderNumber = `MIX-${mark}`
const lpnOf = (index: number): string => `0034${mark}${index}`

const post = (head: string, body: string): string =>
  `${head}Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`

/** The document of the intake benchmark with numbers of this mix. */
const documentText = ({ strategy, variant }: Extract<Step, { kind: "document" }>): string => {
  const document = documentOf(0, 0, variant, strategy)
  return JSON.stringify({
    ...document,
    orderNumber,
    bolNumber: `BOL-${mark}`,
    items: document.items.map((item, index) => ({
      ...item,
      identifier: `${orderNumber}-${index}`,
      lpn: lpnOf(index),
      caseSerials: [{ id: `CS-${mark}-${index}A`, quantity: 12 }, {
        id: `CS-${mark}-${index}B`,
        quantity: 12
      }]
    }))
  })
}

const eventText = (index: number): string =>
  JSON.stringify({
    eventId: `E-${mark}-${index}`,
    ...place,
    dockSlug: "D1",
    // The last but one is taken off again, so that a completion has something to cancel.
    direction: index === 4 ? "UNLOADING" : "LOADING",
    occurredAt: `2026-11-20T17:0${index}:11Z`,
    shipmentNumber: orderNumber,
    labels: [
      { name: "lpn", value: lpnOf(index === 4 ? 3 : index) },
      { name: "sku", value: "SKU-010000" },
      { name: "lot", value: "LOT-2026-A" },
      { name: "expiration", value: "2027-11-20" }
    ]
  })

/** Makes requests. */
export class Requests {
  readonly #tokens: Tokens
  readonly #port: number
  /** By step of the life; `undefined` where the request names what is only known later. */
  readonly #templates: ReadonlyArray<Template | undefined>

  constructor(tokens: Tokens, port: number) {
    this.#tokens = tokens
    this.#port = port
    this.#templates = life.map((step) => {
      if (step.kind === "document") {
        return new Template(post(this.#head("POST", "/v1/documents", "customer"), documentText(step)))
      }
      return step.kind === "pallet"
        ? new Template(post(this.#head("POST", "/v1/pallet-events", "tower"), eventText(step.index)))
        : undefined
    })
  }

  /** The request of a shipment's next step; `afterId` is where the reader of messages has got. */
  of(slot: Slot, afterId: number): Buffer {
    const template = this.#templates[slot.at]
    if (template !== undefined) return template.with(slot.number)
    const { kind } = life[slot.at]!
    return Buffer.from(
      kind === "shipment"
        ? `${this.#head("GET", `/v1/shipments/${slot.id}`, "customer")}\r\n`
        : kind === "step"
        ? `${this.#head("POST", `/v1/shipments/${slot.id}/depart`, "tower")}Content-Length: 0\r\n\r\n`
        : post(this.#head("POST", graphqlPath, "customer"), messagesText(afterId))
    )
  }

  #head(method: string, path: string, who: keyof Tokens): string {
    const lines = [
      `${method} ${path} HTTP/1.1`,
      `Host: 127.0.0.1:${this.#port}`,
      `Authorization: Bearer ${this.#tokens[who]}`
    ]
    return `${lines.join("\r\n")}\r\n`
  }
}

const messagesText = (afterId: number): string =>
  JSON.stringify({
    query: historyDocument,
    variables: {
      input: { businessSlug: place.business, since: "2020-01-01T00:00:00Z", afterId, limit: pageSize }
    }
  })

const shipmentIdMark = Buffer.from("\"shipment\":{\"id\":")
const messageIdMark = Buffer.from("\"messageId\":")

/** The number after a mark; 0 without it. */
const numberAfter = (body: Buffer, what: Buffer): number => {
  const at = body.indexOf(what)
  return at < 0 ? 0 : Number.parseInt(body.toString("latin1", at + what.length, at + what.length + 16), 10)
}

/** The id of the shipment that a document's answer shows. */
export const shipmentIdIn = (body: Buffer): number => numberAfter(body, shipmentIdMark)

/** The id of the message that a pallet's answer names. */
export const messageIdIn = (body: Buffer): number => numberAfter(body, messageIdMark)
