/**
 * The operations of towers and docks: pallet events, arrivals, departures, links.
 */
import { recently } from "@dockline/testing/generators/Given"
import { Effect } from "effect"
import type { RequestOptions } from "../../support/TestServer.ts"
import { TestServer, unique } from "../../support/TestServer.ts"
import { item, order } from "../Sample.ts"
import { send } from "../Sending.ts"
import type { Reply } from "../Wire.ts"

type Fields = Readonly<Record<string, unknown>>

/** A label. */
export const label = (name: string, value: string) => ({ name, value })

/** A pallet loaded at acme east, dock D1, without labels. */
export const palletEvent = (fields: Fields = {}): Record<string, unknown> & { readonly eventId: string } => ({
  eventId: unique("E"),
  business: "acme",
  facility: "east",
  dockSlug: "D1",
  direction: "LOADING",
  occurredAt: recently("17:00:00Z"),
  labels: [],
  ...fields
})

/** Posts a body as the tower: a value as JSON, text and bytes unchanged, or nothing without a Content-Type. */
export const post = (
  path: string,
  body: unknown,
  options: RequestOptions = {}
): Effect.Effect<Reply, never, TestServer> => send("POST", path, body, { client: "tower", ...options })

/** Reports a pallet event. */
export const record = (event: unknown, options?: RequestOptions) => post("/v1/pallet-events", event, options)

/** Lets a shipment arrive. */
export const arrive = (id: number | string, body?: unknown, options?: RequestOptions) =>
  post(`/v1/shipments/${id}/arrive`, body, options)

/** Lets a shipment depart. */
export const depart = (id: number | string, body?: unknown, options?: RequestOptions) =>
  post(`/v1/shipments/${id}/depart`, body, options)

/** Cancels a shipment. */
export const cancel = (id: number | string, body?: unknown, options?: RequestOptions) =>
  post(`/v1/shipments/${id}/cancel`, body, options)

/** Links two shipments. */
export const link = (id: number | string, linkedShipmentId: unknown, options?: RequestOptions) =>
  post(`/v1/shipments/${id}/link`, { linkedShipmentId }, options)

/** A scheduled shipment of one order, with an item for each lpn. */
export const scheduled = (fields: Fields = {}, ...lpns: ReadonlyArray<string>) =>
  Effect.gen(function*() {
    const server = yield* TestServer
    const document = order({ ...(lpns.length > 0 ? { items: lpns.map((lpn) => item(lpn)) } : {}), ...fields })
    const client = document["business"] === "globex" ? "globex-client" : "acme-client"
    const { shipment } = yield* server.submit(document, { client })
    return shipment
  })

/** The messages of a business that an effect makes, with the effect's result. */
export const messagesOf = <A, E, R>(business: string, effect: Effect.Effect<A, E, R>) =>
  Effect.gen(function*() {
    const server = yield* TestServer
    const before = yield* server.messages(business)
    const result = yield* effect
    return { result, messages: yield* server.messages(business, before.at(-1)?.id ?? 0) }
  })

/** Reports pallets on a shipment of acme east, and returns the ids of their messages. */
export const palletMessages = (count: number) =>
  Effect.gen(function*() {
    const { id: shipmentId } = yield* scheduled()
    const { messages } = yield* messagesOf(
      "acme",
      Effect.forEach(Array.from({ length: count }), () => record(palletEvent({ shipmentId })))
    )
    return { shipmentId, ids: messages.map(({ id }) => id) }
  })
