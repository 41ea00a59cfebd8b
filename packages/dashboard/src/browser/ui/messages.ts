/**
 * Messages on pages: their texts by type, and reads of the newest messages of a facility. The service lists messages since a time, so each
 * read begins earlier than the last.
 */
import type { EndpointView } from "@dockline/core/operator/OperatorView"
import type { Message } from "../api/operations.ts"
import { messages as messagesOperation } from "../api/operations.ts"
import { Fault, run } from "../api/request.ts"
import type { MessageKind } from "../capability.ts"
import { messageKindsAdded, outboxesAdded } from "../capability.ts"
import type { Place } from "../session.ts"
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

export const shownAtMost = 300

/** How far back each read begins, in minutes; the next read follows if there are too few messages. */
const steps = [5, 60, 24 * 60, 30 * 24 * 60]

const pageSize = 1000

type MessagesInput = Parameters<NonNullable<typeof messagesOperation["types"]>>[0]["input"]

/** Reads the messages of a facility since a time, oldest first. */
export const readMessages = (
  { business, facility }: Place,
  page: Omit<MessagesInput, "businessSlug" | "facilitySlug">
): Promise<ReadonlyArray<Message>> =>
  run(messagesOperation, { input: { businessSlug: business.slug, facilitySlug: facility.slug, ...page } })

/** Messages, oldest first: all that are kept, or the last {@link shownAtMost} of them. */
interface Result {
  readonly messages: ReadonlyArray<Message>
  /** Whether older ones have been dropped by age. */
  readonly isAll: boolean
}

export const since = async (
  place: Place,
  messageTypes: ReadonlyArray<MessageType>,
  time: string
): Promise<Result> => {
  let messages: ReadonlyArray<Message> = []
  let isAll = false
  let afterId: number | undefined
  for (;;) {
    try {
      const page = await readMessages(place, { messageTypes, since: time, afterId, limit: pageSize })
      messages = [...messages, ...page].slice(-shownAtMost)
      if (page.length < pageSize) return { messages, isAll }
      afterId = page.at(-1)!.id
    } catch (error) {
      if (!(error instanceof Fault) || error.droppedId === undefined) throw error
      isAll = true
      afterId = error.droppedId
    }
  }
}

interface Newest {
  readonly messages: ReadonlyArray<Message>
  /** The id of the newest message that was read or was known before: messages with higher ids have come since. */
  readonly lastId: number
}

/** The newest messages of these types: at least `enough`, if there are so many. `lastMessage` is the newest message known before. */
export const newest = async (
  place: Place,
  messageTypes: ReadonlyArray<MessageType>,
  enough: number,
  lastMessage: Message | undefined
): Promise<Newest> => {
  let messages: ReadonlyArray<Message> = []
  for (const minutes of steps) {
    const result = await since(place, messageTypes, new Date(Date.now() - minutes * 60_000).toISOString())
    messages = result.messages.toReversed()
    if (result.isAll || messages.length >= enough) break
  }
  return { messages, lastId: Math.max(messages[0]?.id ?? 0, lastMessage?.id ?? 0) }
}

/** Replaces the list by the messages of a read, except for messages that have come since. */
export const withNewer =
  ({ lastId, messages }: Newest, most = shownAtMost) =>
  (before: ReadonlyArray<Message>): ReadonlyArray<Message> =>
    [...before.filter(({ id }) => id > lastId), ...messages].slice(0, most)

/** Puts a live message at the top of the list, unless a read has already returned it. */
export const withNewest =
  (message: Message, most = shownAtMost) => (before: ReadonlyArray<Message>): ReadonlyArray<Message> =>
    before.some(({ id }) => id === message.id) ? before : [message, ...before].slice(0, most)
