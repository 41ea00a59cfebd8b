/**
 * The types of messages as people and programs meet them: what each is called, when it is sent, its schema, and a message of it
 * that is about nothing, for tests of receivers (D9.9).
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
} from "../movement/internal/Payload.ts"
import type { MessageShipment, PayloadSettings } from "../movement/internal/Payload.ts"
import { testFieldName } from "../places/MessageField.ts"
import type { SlugsOfPlace } from "../shipment/ShipmentStore.ts"
import type { Timestamp } from "../values/Timestamp.ts"
import type { messageTypes, WebhookType } from "../values/Vocabulary.ts"
import { testInterchange } from "./DeliveryBody.ts"

/** Ids begin at 1, so this one names no shipment, pallet, exception or dock. */
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

/** A type of message: what people call it, when it is sent, and its payloads. */
export interface MessageKind {
  /** The name of its schema in contracts for machines. */
  readonly name: string
  readonly title: string
  /** What it is about, in a few words. */
  readonly about: string
  readonly when: string
  readonly schema: Schema.Top
  readonly aboutNothing: AboutNothing
}

/** The interchanges of EDI: what people call them, and when an endpoint that asks for them gets them (D18.3). */
export const interchangeKind = {
  name: "EdiInterchange",
  title: "EDI interchange",
  about: "What is to be sent to an EDI partner, as X12",
  when:
    "A shipment has departed, and an EDI partner is to be told: the body is the interchange, as X12. Only endpoints whose settings name \
the type get it.",
  /** A receipt advice (944). */
  example: [
    "ISA*00*          *00*          *ZZ*WAREHOUSE      *ZZ*SUPPLIER       *261120*1700*U*00401*000000002*0*P*>~",
    "GS*RE*WAREHOUSE*SUPPLIER*20261121*1001*2*X*004010~",
    "ST*944*0001~",
    "W17*F*20261121*1*PO-1*ASN-1~",
    "N1*WH*Acme East*ZZ*east~",
    "W07*12*CA**SK*SKU-1~",
    "N9*LV*106141411234567897~",
    "W14*12~",
    "SE*7*0001~",
    "GE*1*2~",
    "IEA*1*000000002~"
  ].join("\n")
} as const

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
    about: "A shipment has departed, and something was short, over or at the wrong place",
    when:
      "A shipment has departed, and what has passed the dock differs from what was expected. It follows the \
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

/**
 * The payload of a test message (D9.9): it has every field of a message of its type and the field `test`, and is about a
 * shipment that does not exist. An interchange has its own marks of a test. Of a type that is not among the kinds it is the field alone.
 */
export const testPayload = (
  type: WebhookType,
  place: SlugsOfPlace,
  now: Timestamp,
  settings: PayloadSettings,
  kinds: Kinds = messageKinds
): MessagePayload =>
  type === "EDI_INTERCHANGE"
    ? testInterchange(now)
    : { ...kinds[type]?.aboutNothing(place, now, settings), [testFieldName]: true }
