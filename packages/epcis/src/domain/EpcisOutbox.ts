/**
 * Entries of events in the outbox for webhook endpoints (D24.5). An endpoint with this type gets one document for each message that makes
 * events, in the form in which repositories of EPCIS capture documents.
 */
import type { Message } from "@dockline/core/messages/Message"
import * as Timestamp from "@dockline/core/values/Timestamp"
import type { OutboxDraft } from "@dockline/core/webhooks/Delivery"
import type { OutboxKind } from "@dockline/core/webhooks/MessageKinds"
import { captureDocument } from "../events/EpcisEvent.ts"
import type { EpcisEvent } from "../events/EpcisEvent.ts"
import recorded from "./answers.json" with { type: "json" }

/** The type of documents with events. */
export const epcisEvents = "EPCIS_EVENTS"

const textOf = (events: ReadonlyArray<object>, at: Timestamp.Timestamp): string =>
  JSON.stringify(captureDocument(events, at))

const kind: OutboxKind = {
  path: "/capture",
  mediaType: "application/ld+json",
  name: "EpcisDocument",
  title: "EPCIS document",
  about: "EPCIS events, as documents for capture",
  when:
    "A message makes events: a pallet has passed, or a shipment has arrived or departed, and the business publishes events. Only endpoints \
whose settings name the type get it, at `/capture` under their addresses, where repositories of EPCIS 2.0 take documents.",
  content: "A document of EPCIS 2.0 in JSON-LD with the events of one message.",
  example: textOf(
    recorded.answers.queryEpcisEvents.epcisBody.queryResults.resultsBody.eventList.slice(1, 2),
    Timestamp.of("2026-11-20T17:02:11.482Z")
  ),
  aboutNothing: (now) => textOf([], now)
}

/** The types of entries in the outbox. */
export const epcisOutboxes = { [epcisEvents]: kind } as const

/** The outbox entry with the events of a message. */
export const epcisEntry = (
  { business, facility, sentAt, shipmentId }: Message,
  events: ReadonlyArray<EpcisEvent>
): OutboxDraft => ({
  business,
  facility,
  shipmentId,
  type: epcisEvents,
  path: kind.path,
  mediaType: kind.mediaType,
  text: textOf(events, sentAt)
})
