/**
 * The messages of the service, as `pushMessages` and `pushMessage` give them, and as webhooks carry them.
 */
import { field, isObject, texts } from "./Json.ts"
import type { JsonObject } from "./Json.ts"

/** A record of the message log. */
export interface PushMessage {
  /** Grows within a business; stored to go on after it, and to process nothing twice. */
  readonly id: number
  readonly businessSlug: string
  /** `""` where a webhook does not tell it. */
  readonly facilitySlug: string
  /** `PALLET_EVENT` or `SHIPMENT_COMPLETE`; others may come. */
  readonly messageType: string
  /** The payload, as the webhook would carry it. */
  readonly message: JsonObject
  /** `""` where it came by webhook, which does not tell it. */
  readonly sentAt: string
}

/** What to ask for of a record. */
export const selection = "{ id businessSlug facilitySlug messageType message sentAt }"

/** A pallet that crossed a dock. */
export interface Pallet {
  readonly serviceShipmentId: string
  readonly servicePalletId: string
  readonly direction: "LOADING" | "UNLOADING"
  readonly orders: ReadonlyArray<string>
  readonly dockId: string
  /** When it crossed; `""` in a completion. */
  readonly occurredAt: string
  /** Our own label field; `""` where the service was not told to send one. */
  readonly lpn: string
}

/** A shipment that has departed, with the pallets that remain of all that crossed the dock either way. */
export interface Completion {
  readonly serviceShipmentId: string
  readonly orders: ReadonlyArray<string>
  readonly pallets: ReadonlyArray<Pallet>
}

/** The name under which the service sends the license plate: agreed during integration. */
export const lpnField = "LPN"

/** Reads the record of an answer; `undefined` when it is none. */
export const read = (value: unknown): PushMessage | undefined => {
  if (!isObject(value)) return undefined
  const id = field(value, "id", "number")
  const { message } = value
  if (id === undefined || !Number.isSafeInteger(id) || !isObject(message)) return undefined
  return {
    id,
    businessSlug: field(value, "businessSlug", "string") ?? "",
    facilitySlug: field(value, "facilitySlug", "string") ?? "",
    messageType: field(value, "messageType", "string") ?? "",
    message,
    sentAt: field(value, "sentAt", "string") ?? ""
  }
}

/** The pallet of a `PALLET_EVENT`; `undefined` when the payload does not say which pallet went where. */
export const readPallet = (payload: unknown): Pallet | undefined => {
  if (!isObject(payload)) return undefined
  const serviceShipmentId = field(payload, "serviceShipmentId", "string")
  const servicePalletId = field(payload, "servicePalletId", "string")
  const { direction } = payload
  if (serviceShipmentId === undefined || servicePalletId === undefined) return undefined
  if (direction !== "LOADING" && direction !== "UNLOADING") return undefined
  return {
    serviceShipmentId,
    servicePalletId,
    direction,
    orders: texts(payload["orders"]),
    dockId: field(payload, "dockId", "string") ?? "",
    occurredAt: field(payload, "occurredAt", "string") ?? "",
    lpn: field(payload, lpnField, "string") ?? ""
  }
}

/** The completion of a `SHIPMENT_COMPLETE`; `undefined` when the payload is not one. */
export const readCompletion = (payload: JsonObject): Completion | undefined => {
  const serviceShipmentId = field(payload, "serviceShipmentId", "string")
  const listed = payload["pallets"]
  if (serviceShipmentId === undefined || !Array.isArray(listed)) return undefined
  const pallets = listed.map(readPallet).filter((pallet) => pallet !== undefined)
  if (pallets.length !== listed.length) return undefined
  return { serviceShipmentId, orders: texts(payload["orders"]), pallets }
}
