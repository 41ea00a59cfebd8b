/**
 * The payloads of messages to customers, the same in GraphQL and webhooks: their schemas, and how they are made. First come the
 * fields of the contract, then the customer's fields, each a text or a list of texts (WIRE.md, D6.4, D6.6). Ids are strings.
 */
import { Schema } from "effect"
import type { MessagePayload } from "../messages/Message.ts"
import { customerFields, testFieldName } from "../places/MessageField.ts"
import type { completionFieldNames, MessageField, palletFieldNames } from "../places/MessageField.ts"
import type { LocatedShipment } from "../shipment/Shipment.ts"
import type { Timestamp } from "../values/Timestamp.ts"
import { palletDirections } from "../values/Vocabulary.ts"
import type { MessageType } from "../values/Vocabulary.ts"
import type { RecordedPallet } from "./Pallet.ts"
import { remaining } from "./Remaining.ts"

const text = (description: string) => Schema.String.annotate({ description })

const orders = (description: string) => Schema.Array(Schema.String).annotate({ description })

/** A message says `test` only where it is about nothing that exists (D9.9). */
const test = Schema.optionalKey(
  Schema.Boolean.annotate({
    description: "True in a test message, and absent otherwise: verify it, store nothing, answer 2xx"
  })
)

const palletFields = {
  businessSlug: text("Business slug"),
  facilitySlug: text("Facility slug; with businessSlug it names the facility where the pallet was seen"),
  serviceShipmentId: text("The shipment's id"),
  servicePalletId: text("The pallet's id"),
  url: text("The page of the pallet in the dashboard"),
  direction: Schema.Literals(palletDirections).annotate({
    description:
      "Where the pallet went. A pallet that is loaded and then unloaded makes two messages, which cancel each other"
  }),
  orders: orders("The numbers of the orders that the pallet belongs to"),
  dockId: text("The id of the dock at which the pallet was seen")
} satisfies Partial<Record<(typeof palletFieldNames)[number], Schema.Top>>

/** The payload of a pallet message. */
export const PalletMessage = Schema.Struct(
  {
    ...palletFields,
    occurredAt: text("When the pallet passed, in UTC with milliseconds: 2026-11-20T17:00:00.000Z"),
    test
  } satisfies Record<(typeof palletFieldNames)[number] | typeof testFieldName, Schema.Top>
)

/** The payload of a shipment-completion message. */
export const CompletionMessage = Schema.Struct(
  {
    serviceShipmentId: text("The shipment's id"),
    orders: orders("The numbers of all orders of the shipment"),
    url: text("The page of the shipment in the dashboard"),
    dockId: text("The id of the shipment's dock; empty where it has none"),
    pallets: Schema.Array(Schema.Struct(palletFields)).annotate({
      description: "The pallets that remain on the truck, as in pallet messages, without occurredAt"
    }),
    test
  } satisfies Record<(typeof completionFieldNames)[number] | typeof testFieldName, Schema.Top>
)

interface PayloadPlace {
  readonly business: string
  readonly facility: string
}

/** A pallet at a dock, as messages report it. */
interface PalletSighting extends Omit<RecordedPallet, "messageId" | "occurredAt">, PayloadPlace {
  readonly shipmentId: number
}

interface PayloadSettings {
  /** The customer's dashboard, without a slash at the end. */
  readonly dashboardUrl: string
  readonly fieldMap: ReadonlyArray<MessageField>
}

const shipmentUrl = (dashboardUrl: string, shipmentId: number): string =>
  `${dashboardUrl}/shipments/${shipmentId}`

/** The address of a pallet's page in the dashboard. */
export const palletUrl = (dashboardUrl: string, shipmentId: number, palletId: number): string =>
  `${shipmentUrl(dashboardUrl, shipmentId)}/pallets/${palletId}`

/** The payload of a pallet message, without `occurredAt` when that is `undefined`. */
export const palletPayload = (
  sighting: PalletSighting,
  occurredAt: Timestamp | undefined,
  { dashboardUrl, fieldMap }: PayloadSettings
): MessagePayload => {
  const { business, facility, shipmentId, palletId, direction, orders, dock, labels } = sighting
  const fields: typeof PalletMessage.Type | Omit<typeof PalletMessage.Type, "occurredAt"> = {
    businessSlug: business,
    facilitySlug: facility,
    serviceShipmentId: String(shipmentId),
    servicePalletId: String(palletId),
    ...(occurredAt === undefined ? {} : { occurredAt }),
    url: palletUrl(dashboardUrl, shipmentId, palletId),
    direction,
    orders,
    dockId: String(dock.id)
  }
  return { ...fields, ...customerFields(fieldMap, labels) }
}

/** The payload of a shipment-completion message, with the pallets that remain on the truck. */
export const completionPayload = (
  { location, shipment }: LocatedShipment,
  pallets: ReadonlyArray<RecordedPallet>,
  settings: PayloadSettings
): MessagePayload => {
  const place = {
    business: location.business.slug,
    facility: location.facility.slug,
    shipmentId: shipment.id
  }
  return {
    serviceShipmentId: String(shipment.id),
    orders: shipment.orders.map(({ number }) => number),
    url: shipmentUrl(settings.dashboardUrl, shipment.id),
    dockId: shipment.dock === null ? "" : String(shipment.dock.id),
    pallets: remaining(pallets).map((pallet) => palletPayload({ ...place, ...pallet }, undefined, settings))
  }
}

/** Ids begin at 1, so this one names no shipment, pallet or dock. */
const noId = 0

const testPallet = (place: PayloadPlace, now: Timestamp, settings: PayloadSettings): MessagePayload =>
  palletPayload(
    {
      ...place,
      shipmentId: noId,
      palletId: noId,
      direction: "LOADING",
      orders: [],
      dock: { id: noId, slug: "" },
      labels: []
    },
    now,
    settings
  )

const testCompletion = (
  _place: PayloadPlace,
  _now: Timestamp,
  { dashboardUrl }: PayloadSettings
): MessagePayload => ({
  serviceShipmentId: String(noId),
  orders: [],
  url: shipmentUrl(dashboardUrl, noId),
  dockId: String(noId),
  pallets: []
} satisfies typeof CompletionMessage.Type)

/** A type of message: what people call it, when it is sent, and its payloads. */
interface MessageKind {
  /** The name of its schema in contracts for machines. */
  readonly name: string
  readonly title: string
  /** What it is about, in a few words. */
  readonly about: string
  readonly when: string
  readonly schema: Schema.Top
  /** A payload with every field of the contract, about a shipment that does not exist (D9.9). */
  readonly aboutNothing: (place: PayloadPlace, now: Timestamp, settings: PayloadSettings) => MessagePayload
}

/** The types of messages. The path of each under the base URL of an endpoint is in `messagePaths`. */
export const messageKinds: Readonly<Record<MessageType, MessageKind>> = {
  PALLET_EVENT: {
    name: "PalletMessage",
    title: "Pallet message",
    about: "A pallet was loaded or unloaded at a dock",
    when: "A pallet has passed a dock: it is sent once for each time that a tower or a lift camera saw it.",
    schema: PalletMessage,
    aboutNothing: testPallet
  },
  SHIPMENT_COMPLETE: {
    name: "CompletionMessage",
    title: "Shipment-completion message",
    about: "A shipment has departed",
    when: "A shipment has departed: it lists the pallets that remain on the truck.",
    schema: CompletionMessage,
    aboutNothing: testCompletion
  }
}

/**
 * The payload of a test message (D9.9): it has every field of a message of its type and the field `test`, and is about a
 * shipment that does not exist.
 */
export const testPayload = (
  type: MessageType,
  place: PayloadPlace,
  now: Timestamp,
  settings: PayloadSettings
): MessagePayload => ({ ...messageKinds[type].aboutNothing(place, now, settings), [testFieldName]: true })
