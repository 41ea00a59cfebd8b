/**
 * The types of messages and of outbox entries for people and programs: name, occasion, schema, and a test message about no real entity, for
 * receivers (D9.9).
 */
import { Context } from "effect"
import type { Schema } from "effect"
import type { MessagePayload } from "../messages/Message.ts"
import {
  CompletionMessage,
  DiscrepanciesMessage,
  PalletMessage,
  palletPayload,
  ShipmentMessage,
  shipmentPayload,
  shipmentUrl
} from "../movement/ShipmentMessage.ts"
import type { MessageShipment, PayloadSettings } from "../movement/ShipmentMessage.ts"
import { testFieldName } from "../places/MessageField.ts"
import type { SlugsOfPlace } from "../shipment/ShipmentStore.ts"
import type { Timestamp } from "../values/Timestamp.ts"
import type { MessageType, messageTypes, WebhookType } from "../values/Vocabulary.ts"
import type { Content, OutboxText } from "./Delivery.ts"

/** Ids begin at 1, so no shipment, pallet, exception or dock has this one. */
export const noId = 0

const noDock = { id: noId, slug: "" }

/** A shipment that does not exist, at a place. */
export const noShipment = ({ business, facility }: SlugsOfPlace): MessageShipment => ({
  business,
  facility,
  id: noId,
  number: "",
  dock: noDock,
  orders: []
})

/** Makes a payload with every field of its type, about a shipment that does not exist (D9.9). */
export type AboutNothing = (place: SlugsOfPlace, now: Timestamp, settings: PayloadSettings) => MessagePayload

const testPallet: AboutNothing = (place, now, settings) =>
  palletPayload(
    {
      ...place,
      shipmentId: noId,
      palletId: noId,
      direction: "LOADING",
      orders: [],
      dock: noDock,
      labels: []
    },
    now,
    settings
  )

const testCompletion: AboutNothing = (_place, _now, { dashboardUrl }) => ({
  serviceShipmentId: String(noId),
  orders: [],
  url: shipmentUrl(dashboardUrl, noId),
  dockId: String(noId),
  pallets: []
} satisfies typeof CompletionMessage.Type)

const testShipment: AboutNothing = (place, now, { dashboardUrl }) =>
  shipmentPayload(noShipment(place), now, dashboardUrl)

const testDiscrepancies: AboutNothing = (place, now, settings) => ({
  ...testShipment(place, now, settings),
  discrepancies: []
})

/** A type of message: its name for people, its occasion, and its payloads. */
export interface MessageKind {
  /** The name of its schema in contracts for machines. */
  readonly name: string
  readonly title: string
  /** Its subject, in a few words. */
  readonly about: string
  readonly when: string
  readonly schema: Schema.Top
  readonly aboutNothing: AboutNothing
}

/** The types of messages of the contract. */
export const messageKinds = {
  PALLET_EVENT: {
    name: "PalletMessage",
    title: "Pallet message",
    about: "A pallet was loaded or unloaded at a dock",
    when:
      "A pallet has passed a dock: the message is sent each time that a tower or a lift camera sees the pallet.",
    schema: PalletMessage,
    aboutNothing: testPallet
  },
  SHIPMENT_COMPLETE: {
    name: "CompletionMessage",
    title: "Shipment-completion message",
    about: "A shipment has departed",
    when: "A shipment has departed: the message lists the pallets that remain on the truck.",
    schema: CompletionMessage,
    aboutNothing: testCompletion
  },
  SHIPMENT_ARRIVED: {
    name: "ArrivalMessage",
    title: "Arrival message",
    about: "A shipment has arrived",
    when: "A shipment has arrived at its dock: its arrival was reported, or its first pallet has passed.",
    schema: ShipmentMessage,
    aboutNothing: testShipment
  },
  SHIPMENT_CANCELLED: {
    name: "CancellationMessage",
    title: "Cancellation message",
    about: "A shipment was cancelled",
    when: "A shipment was cancelled before it arrived, and its orders with it.",
    schema: ShipmentMessage,
    aboutNothing: testShipment
  },
  SHIPMENT_DISCREPANCIES: {
    name: "DiscrepanciesMessage",
    title: "Discrepancies message",
    about: "A shipment has departed, and pallets were missing, unexpected or at the wrong place",
    when:
      "A shipment has departed, and the pallets that passed differ from the expected ones. It follows the \
shipment-completion message; a shipment without discrepancies has none.",
    schema: DiscrepanciesMessage,
    aboutNothing: testDiscrepancies
  }
} as const satisfies Readonly<Record<(typeof messageTypes)[number], MessageKind>>

/** Types of messages, by their names. */
export type Kinds = Readonly<Record<string, MessageKind>>

/** The types of messages of a service: those of the contract, and those of its capabilities; {@link messageKinds} unless provided. */
export const MessageKinds: Context.Reference<Kinds> = Context.Reference("@dockline/core/MessageKinds", {
  defaultValue: (): Kinds => messageKinds
})

/** A type of outbox entries, as people and contracts for machines describe it. */
export interface OutboxKind extends Omit<OutboxText, "text"> {
  /** Its name in contracts for machines. */
  readonly name: string
  readonly title: string
  /** The content of its entries, as it follows the name of the type and "for": `interchanges for partners`. */
  readonly about: string
  readonly when: string
  /** A sentence that describes the text. */
  readonly content: string
  readonly example: string
  /** Makes the text of a test, about no real entity (D9.9). */
  readonly aboutNothing: (now: Timestamp) => string
}

/** Types of outbox entries, by their names. */
export type OutboxKinds = Readonly<Record<string, OutboxKind>>

/** The outboxes of a service: those of its capabilities; none unless provided. */
export const Outboxes: Context.Reference<OutboxKinds> = Context.Reference("@dockline/core/Outboxes", {
  defaultValue: (): OutboxKinds => ({})
})

/**
 * The payload of a test message (D9.9): it has every field of a message of its type and the field `test`, and is about a shipment that does
 * not exist. For a type that is not among the kinds, it has only the field `test`.
 */
export const testPayload = (
  type: MessageType,
  place: SlugsOfPlace,
  now: Timestamp,
  settings: PayloadSettings,
  kinds: Kinds = messageKinds
): MessagePayload => ({ ...kinds[type]?.aboutNothing(place, now, settings), [testFieldName]: true })

/** The content of a test of a type: its {@link testPayload}, or the test text of its outbox. */
export const testContent = (
  type: WebhookType,
  place: SlugsOfPlace,
  now: Timestamp,
  settings: PayloadSettings,
  { kinds, outboxes }: { readonly kinds: Kinds; readonly outboxes: OutboxKinds }
): Content => {
  const outbox = outboxes[type]
  return outbox === undefined
    ? { type, json: JSON.stringify(testPayload(type, place, now, settings, kinds)) }
    : { type, path: outbox.path, mediaType: outbox.mediaType, text: outbox.aboutNothing(now) }
}
