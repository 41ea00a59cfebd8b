/**
 * The words that documents and answers may use: directions, units, statuses.
 *
 * Guarantee: each vocabulary of documents is declared here and nowhere else. Documents are checked against the service
 * `Vocabulary`, which an embedding service can widen (WIRE.md, D1.3):
 *
 * ```ts
 * Effect.provideService(program, Vocabulary, {
 *   ...defaultVocabulary,
 *   quantityUnits: [...defaultVocabulary.quantityUnits, "DRUM"]
 * })
 * ```
 */
import { Context, Layer } from "effect"

/** The words a document may use; all are case sensitive. */
export interface VocabularyWords {
  /** Directions of an order and its shipment. */
  readonly directions: ReadonlyArray<string>
  /** Units of an item's quantity. */
  readonly quantityUnits: ReadonlyArray<string>
  /** Units of `weightPerUnit`. */
  readonly weightUnits: ReadonlyArray<string>
  /** Units of `height`, `length` and `width`. */
  readonly dimensionUnits: ReadonlyArray<string>
}

const words = {
  directions: ["INBOUND", "OUTBOUND"],
  quantityUnits: ["PALLET", "CASE", "UNIT"],
  weightUnits: ["POUND", "KILOGRAM", "OUNCE", "GRAM"],
  dimensionUnits: ["INCH", "FOOT", "CENTIMETER", "MILLIMETER", "METER"]
} as const

/** The vocabulary of the wire contract (D1.1, D1.3). */
export const defaultVocabulary: VocabularyWords = words

/** A word of a vocabulary: one of the contract, or any that a service adds. */
export type Word<Of extends keyof VocabularyWords> = (typeof words)[Of][number] | (string & {})

/** The vocabulary in force; {@link defaultVocabulary} unless provided. */
export const Vocabulary: Context.Reference<VocabularyWords> = Context.Reference(
  "@dockline/core/values/Vocabulary",
  {
    defaultValue: () => defaultVocabulary
  }
)

/** The statuses of a shipment in their only order (D1.2); `CANCELLED` comes after `SCHEDULED` only (D13.9). */
export const shipmentStatuses = ["SCHEDULED", "ARRIVED", "DEPARTED", "CANCELLED"] as const

/** A status of a shipment. */
export type ShipmentStatus = (typeof shipmentStatuses)[number]

/** The orders of a list of shipments: by id, or by their times from the earliest or the latest on (D13.10). */
export const shipmentOrders = ["ID", "EARLIEST", "LATEST"] as const

/** An order of a list of shipments. */
export type ShipmentOrder = (typeof shipmentOrders)[number]

/** The steps of a check-in, in the only order in which a truck passes them (D17.3). */
export const checkInSteps = ["AT_FACILITY", "DOOR_ASSIGNED", "CHECKED_OUT"] as const

/** A step of a check-in. */
export type CheckInStep = (typeof checkInSteps)[number]

/** The milestones in `statusEvents`: the statuses of a shipment, with the steps of its check-in in between (D4.1, D17.3). */
export const shipmentMilestones = ["SCHEDULED", ...checkInSteps, "ARRIVED", "DEPARTED", "CANCELLED"] as const

/** A milestone of a shipment. */
export type ShipmentMilestone = (typeof shipmentMilestones)[number]

/** The display names of the milestones, for `statusEvents[].displayName` (D4.1). */
export const shipmentMilestoneNames: Readonly<Record<ShipmentMilestone, string>> = {
  SCHEDULED: "Scheduled",
  AT_FACILITY: "At facility",
  DOOR_ASSIGNED: "Door assigned",
  CHECKED_OUT: "Checked out",
  ARRIVED: "Arrived",
  DEPARTED: "Departed",
  CANCELLED: "Cancelled"
}

/** The statuses of an order: `COMPLETED` once its shipment has departed (D1.2), `CANCELLED` with its shipment (D13.9). */
export const orderStatuses = ["CREATED", "COMPLETED", "CANCELLED"] as const

/** A status of an order. */
export type OrderStatus = (typeof orderStatuses)[number]

/** The directions in which a pallet crosses a dock (D1.1). */
export const palletDirections = ["LOADING", "UNLOADING"] as const

/** A direction in which a pallet crosses a dock. */
export type PalletDirection = (typeof palletDirections)[number]

/** The types of messages of the contract (D1.2, D15.1). */
export const messageTypes = [
  "PALLET_EVENT",
  "SHIPMENT_COMPLETE",
  "SHIPMENT_ARRIVED",
  "SHIPMENT_CANCELLED",
  "SHIPMENT_DISCREPANCIES"
] as const

/** A type of message to customers: one of the contract, or any that a capability adds. */
export type MessageType = (typeof messageTypes)[number] | (string & {})

/** The types of messages of a service, from the contract and from its capabilities; {@link messageTypes} unless provided. */
export const MessageTypes: Context.Reference<ReadonlyArray<MessageType>> = Context.Reference(
  "@dockline/core/MessageTypes",
  { defaultValue: (): ReadonlyArray<MessageType> => messageTypes }
)

/** Provides the types of messages of the contract and of capabilities. */
export const messageTypesOf = (types: ReadonlyArray<MessageType>): Layer.Layer<never> =>
  Layer.succeed(MessageTypes, [...messageTypes, ...types])

/** A type that endpoints receive: a type of message, or of entries in an outbox of a capability (`webhooks/Delivery`). */
export type WebhookType = MessageType

/**
 * The path of a type of message under the base URL of an endpoint (WIRE.md, customer-hosted endpoints; D9.1): `/api/palletEvent` for
 * `PALLET_EVENT`. It follows from the type alone, so that a message of the log is delivered whichever capabilities the service has now.
 */
export const webhookPath = (type: MessageType): string =>
  `/api/${type.toLowerCase().replace(/_([a-z0-9])/g, (_, first: string) => first.toUpperCase())}`

/** A business or facility slug (D1.4). */
export const slugPattern = /^[a-z0-9][a-z0-9-]{0,62}$/
