/**
 * The document, independent of any wire format: one shipment, its orders, and the strategies for their items; and the errors with which a
 * strategy, the decision, intake or the reader of a file refuses a document.
 *
 * An absent or empty field is `""`, 0, `false` or `[]`, and an absent time is `null`, because absent and empty mean the same to every rule
 * (only a non-empty, non-zero value replaces, D3.6, D3.7).
 */
import type { AdditionalField, OrderFields, OrderItemDraft, shipmentFields } from "../shipment/Shipment.ts"
import type { ErrorOf } from "../values/CatalogueError.ts"
import {
  BusinessNotFound,
  DuplicateItemInRequest,
  DuplicateOrderInRequest,
  DuplicateOrderItemKey,
  FacilityNotFound,
  Forbidden,
  InvalidDocument,
  MalformedDocument,
  ShipmentCancelled,
  ShipmentConflict,
  ShipmentTooLarge,
  StorageUnavailable,
  TooManyItems,
  UnknownDock
} from "../values/Errors.ts"
import type * as Row from "../values/FieldTable.ts"
import { Overloaded, PreconditionFailed, UnsupportedMediaType } from "../values/RequestErrors.ts"
import type { Timestamp } from "../values/Timestamp.ts"

/** One order of a document. */
export interface DocumentOrder {
  readonly orderNumber: string
  /** The name of the item update strategy. */
  readonly strategy: string
  readonly fields: OrderFields
  readonly items: ReadonlyArray<OrderItemDraft>
}

/** A document: one shipment and at least one order. */
export interface Document extends Row.Values<typeof shipmentFields> {
  readonly business: string
  readonly facility: string
  readonly direction: string
  /** The shipment number, already defaulted to the order number. */
  readonly shipmentNumber: string
  readonly expectedArrivalAt: Timestamp | null
  readonly dockSlug: string
  readonly additionalFields: ReadonlyArray<AdditionalField>
  readonly orders: ReadonlyArray<DocumentOrder>
}

/** The number of items in all orders of a document. */
export const itemCount = (document: Document): number =>
  document.orders.reduce((sum, order) => sum + order.items.length, 0)

const strategyRefusals = [DuplicateOrderItemKey] as const
/** The errors with which a strategy refuses the items of an order (D3.5). */
export type StrategyRefusal = ErrorOf<typeof strategyRefusals>

/** The refusals of a well-formed document. */
const decisionRefusals = [
  BusinessNotFound,
  FacilityNotFound,
  UnknownDock,
  ...strategyRefusals,
  DuplicateItemInRequest,
  DuplicateOrderInRequest,
  ShipmentCancelled,
  ShipmentConflict,
  ShipmentTooLarge
] as const
/** An error for which the decision refuses a document. */
export type DecisionRefusal = ErrorOf<typeof decisionRefusals>

/** The errors with which intake refuses a readable document: from the decision, the permissions, the limits, or the storage. */
export const intakeErrors = [
  ...decisionRefusals,
  Forbidden,
  TooManyItems,
  PreconditionFailed,
  Overloaded,
  StorageUnavailable
] as const
/** One of {@link intakeErrors}. */
export type IntakeError = ErrorOf<typeof intakeErrors>

/** The errors with which a document file is refused before the storage is asked. */
export const documentReadErrors = [
  UnsupportedMediaType,
  MalformedDocument,
  TooManyItems,
  InvalidDocument
] as const
/** One of {@link documentReadErrors}. */
export type DocumentReadError = ErrorOf<typeof documentReadErrors>

/** The refusals that a repetition of the document would get again. Intake records them, except `TOO_MANY_ITEMS`. */
type RecordedRefusal =
  | Exclude<DecisionRefusal, BusinessNotFound | FacilityNotFound>
  | PreconditionFailed
  | InstanceType<Exclude<typeof documentReadErrors[number], typeof UnsupportedMediaType>>

const faultNaming =
  "The answer to its sender named each; the same request with ?dryRun=true names them again."

const remedies: Readonly<Record<RecordedRefusal["code"], string>> = {
  UNKNOWN_DOCK: "Name a dock of the facility, leave the dock out, or have an operator create it.",
  DUPLICATE_ORDER_ITEM_KEY:
    "APPEND names an LPN with an SKU that the order already has. Leave such items out, or name another strategy.",
  DUPLICATE_ITEM_IN_REQUEST: "An LPN appears twice with the same SKU. Name each item once.",
  DUPLICATE_ORDER_IN_REQUEST: "An order appears twice. Name each order once, with all of its items.",
  SHIPMENT_CANCELLED: "The shipment was cancelled. Send the goods under another shipment number.",
  SHIPMENT_CONFLICT:
    "The shipment has the other direction, or it has departed and cannot change any more. Check the number and the direction.",
  SHIPMENT_TOO_LARGE: "The shipment would hold too many items. Spread its orders over several shipments.",
  PRECONDITION_FAILED:
    "The shipment has changed since its version was read. Read it again, and send the document with its present version.",
  TOO_MANY_ITEMS: "Send the rest in further documents with APPEND or MERGE.",
  MALFORMED_DOCUMENT: `Fields are unknown or have a wrong type. ${faultNaming}`,
  INVALID_DOCUMENT: `Fields are missing or wrong. ${faultNaming}`
}

const remedyOf = new Map<string, string>(Object.entries(remedies))

/**
 * Advice to the sender of a refused document, by the code of the refusal; `""` for other codes. The record keeps only the code of a refusal
 * (D13.6).
 */
export const refusalRemedy = (code: string): string => remedyOf.get(code) ?? ""
