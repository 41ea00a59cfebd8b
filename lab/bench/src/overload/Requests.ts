/**
 * The requests of the mix: documents of 10 items, pallet events, departures, and reads.
 */
import { historyDocument, path as graphqlPath } from "../graphql/Workload.ts"
import { postOf } from "../Http.ts"
import type { Request } from "../Http.ts"
import { documentOf, place } from "../intake/Documents.ts"
import { life } from "./Life.ts"
import type { Slot, Step } from "./Life.ts"
import type { Tokens } from "./Task.ts"

/** Messages of one answer of `pushMessages`. */
const pageSize = 50

/** A placeholder for the number of a shipment in a text that is made once, with as many characters as the number has digits. */
const mark = "########"
const digits = mark.length

const orderNumber = `MIX-${mark}`
const lpnOf = (index: number): string => `0034${mark}${index}`

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

/** The time at which the first pallet passed. */
const firstMoment = Date.now() - 3_600_000

const eventText = (index: number): string =>
  JSON.stringify({
    eventId: `E-${mark}-${index}`,
    ...place,
    dockSlug: "D1",
    // The last but one is unloaded again, so that two events of a completion cancel each other.
    direction: index === 4 ? "UNLOADING" : "LOADING",
    occurredAt: new Date(firstMoment + index * 60_000).toISOString(),
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
  /** By step of the life; `undefined` if the request needs values that are known only later. */
  readonly #texts: ReadonlyArray<string | undefined> = life.map((step) =>
    step.kind === "document" ? documentText(step) : step.kind === "pallet" ? eventText(step.index) : undefined
  )

  constructor(tokens: Tokens) {
    this.#tokens = tokens
  }

  /** The request of a shipment's next step; `afterId` is the position of the reader of messages. */
  of(slot: Slot, afterId: number): Request {
    const { customer, tower } = this.#tokens
    const text = (this.#texts[slot.at] ?? "").replaceAll(mark, String(slot.number).padStart(digits, "0"))
    switch (life[slot.at]!.kind) {
      case "document":
        return postOf("/v1/documents", customer, text)
      case "pallet":
        return postOf("/v1/pallet-events", tower, text)
      case "step":
        return postOf(`/v1/shipments/${slot.id}/depart`, tower, "{}")
      case "messages":
        return postOf(graphqlPath, customer, messagesText(afterId))
      case "shipment":
        return {
          method: "GET",
          path: `/v1/shipments/${slot.id}`,
          headers: { authorization: `Bearer ${customer}` }
        }
    }
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
