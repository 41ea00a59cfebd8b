/** The texts for messages on pages, by type. */
import type { EndpointView } from "@dockline/core/operator/OperatorView"
import type { Message } from "../api/operations.ts"
import type { MessageKind } from "../capability.ts"
import { messageKindsAdded, outboxesAdded } from "../capability.ts"
import { countText } from "./words.ts"

export type MessageType = Message["messageType"]

export type WebhookType = EndpointView["messageTypes"][number]

/** The text of a field of a payload; the texts of a list are joined. */
export const textOf = (message: Message["message"], name: string): string => {
  const value = message[name]
  return Array.isArray(value) ? value.join(", ") : typeof value === "string" ? value : ""
}

/** The LPN of a pallet in a message, if the customer's field map includes it. */
export const lpnIn = (message: Message["message"]): string => textOf(message, "LPN") || textOf(message, "lpn")

/** The name of a pallet in a message: its LPN, or else its id. */
export const palletName = (message: Message["message"]): string =>
  lpnIn(message) || `#${textOf(message, "servicePalletId")}`

const countOf = (list: unknown, noun: string, plural?: string): string =>
  countText(Array.isArray(list) ? list.length : 0, noun, plural)

const shipmentName = (message: Message["message"]): string => `Shipment ${textOf(message, "shipmentNumber")}`

const messageKinds: Readonly<Record<string, MessageKind>> = {
  PALLET_EVENT: {
    name: "Pallet",
    filter: ["pallets", "Pallets"],
    badge: (message) => [message["direction"] === "LOADING" ? "Loaded" : "Unloaded", "calm"],
    summary: (message) => `Pallet ${palletName(message)}`
  },
  SHIPMENT_COMPLETE: {
    name: "Departure",
    filter: ["departures", "Departures"],
    badge: () => ["Departed", "ok"],
    summary: ({ pallets }) => `${countOf(pallets, "pallet")} on the truck`
  },
  SHIPMENT_ARRIVED: {
    name: "Arrival",
    filter: ["arrivals", "Arrivals"],
    badge: () => ["Arrived", "ok"],
    summary: shipmentName
  },
  SHIPMENT_CANCELLED: {
    name: "Cancellation",
    filter: ["cancellations", "Cancellations"],
    badge: () => ["Cancelled", "warn"],
    summary: shipmentName
  },
  SHIPMENT_DISCREPANCIES: {
    name: "Discrepancies",
    filter: ["discrepancies", "Discrepancies"],
    badge: () => ["Discrepant", "bad"],
    summary: ({ discrepancies }) => `${countOf(discrepancies, "discrepancy", "discrepancies")} at departure`,
    noticeOf: ({ discrepancies }) => {
      const short = Array.isArray(discrepancies) ? discrepancies.filter(({ kind }) => kind === "SHORT") : []
      return short.length === 0 ? undefined : `Left ${countOf(short, "pallet")} short`
    }
  }
}

/** The texts for the types of messages of the service. */
const kinds = (): Readonly<Record<string, MessageKind>> => ({ ...messageKinds, ...messageKindsAdded() })

/** The types of messages of the service. */
export const messageTypes = (): ReadonlyArray<MessageType> => Object.keys(kinds())

const unknownKind: MessageKind = {
  name: "Message",
  filter: ["others", "Others"],
  badge: () => ["Message", "calm"],
  summary: shipmentName
}

/** The texts for a type of messages; general texts for an unknown type. */
export const messageKind = (type: MessageType): MessageKind => kinds()[type] ?? unknownKind

/** The name of a type of messages or entries for endpoints. */
export const webhookName = (type: WebhookType): string => outboxesAdded()[type] ?? messageKind(type).name
