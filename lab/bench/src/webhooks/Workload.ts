/**
 * The messages of the webhook benchmark, and the request for each of them, which is the same for all contestants.
 */
import type { MessageDraft } from "@dockline/core/messages/Message"
import { createHmac } from "node:crypto"
import * as Graphql from "../graphql/Workload.ts"

/** Milliseconds of the machine's monotonic clock, the same in every process. */
export const clock = Graphql.clock

/** The path below the base URL of every endpoint. */
export const path = "/api/palletEvent"

/** The business whose messages are delivered. */
export const business = Graphql.query.business

/** Requests in flight at once. */
export const concurrency = 32

/** The account that was agreed with the customer. */
export const account = { username: "dockline", password: "agreed-with-the-customer" }

/** The signing secret of every endpoint. */
export const signingSecret = `whsec_${Buffer.alloc(32, 7).toString("base64")}`

const userAgent = "Dockline/0.1.0"

const authorization = `Basic ${Buffer.from(`${account.username}:${account.password}`).toString("base64")}`

const key = Buffer.from(signingSecret.slice("whsec_".length), "base64")

/** Shipments that are loaded at a time. */
const shipmentsAtOnce = 64

/** Pallets of a shipment. */
const palletsEach = 26

/** The shipment of the n-th message of a run. */
const shipmentOf = (n: number): number =>
  100_000 + Math.floor(n / (shipmentsAtOnce * palletsEach)) * shipmentsAtOnce + n % shipmentsAtOnce

/** The n-th pallet message of a run, as the service makes it with the field map of the demo. */
export const draftOf = (n: number): MessageDraft => {
  const draft = Graphql.draftOf(n)
  const shipmentId = shipmentOf(n)
  return {
    ...draft,
    shipmentId,
    payload: {
      ...draft.payload,
      serviceShipmentId: String(shipmentId),
      url: `https://dashboard.example.com/shipments/${shipmentId}/pallets/${200_000 + n}`
    }
  }
}

/** The id of the n-th message of a run at a peer, with the length of the ids of our log. */
export const idOf = (n: number): number => 100_000 + n

/** `v1,` and the HMAC of id, time and body (D9.5). */
export const signatureOf = (id: string, seconds: string, body: string): string =>
  `v1,${createHmac("sha256", key).update(`${id}.${seconds}.${body}`).digest("base64")}`

/** The headers of a message's delivery. */
export const headersOf = (id: number, body: string): Record<string, string> => {
  const webhookId = `msg_${id}`
  const seconds = String(Math.floor(Date.now() / 1000))
  return {
    "Content-Type": "application/json",
    Authorization: authorization,
    "webhook-id": webhookId,
    "webhook-timestamp": seconds,
    "webhook-signature": signatureOf(webhookId, seconds, body),
    "User-Agent": userAgent
  }
}

/** The headers that every delivery must have, in lower case, without those whose value changes. */
export const fixedHeaders: Readonly<Record<string, string>> = {
  "content-type": "application/json",
  authorization,
  "user-agent": userAgent
}
