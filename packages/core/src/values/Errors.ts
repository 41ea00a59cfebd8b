/**
 * The errors of the requests of clients: documents, movements, reads. `OperatorErrors` has the errors of the requests of operators, and
 * `RequestErrors` the errors of any request.
 */
import { CatalogueError, fields } from "./CatalogueError.ts"
import type { FieldError } from "./CatalogueError.ts"
import { nameText } from "./Clip.ts"
import { secondsInWords } from "./Timestamp.ts"

const count = (errors: ReadonlyArray<FieldError>, whole = "document"): string =>
  errors.length === 1
    ? `${errors[0]!.path || whole}: ${errors[0]!.detail}`
    : `${errors.length} errors; see errors`

const faults = (...errors: ReadonlyArray<FieldError>) => ({ errors })

/** The body cannot be read, or holds a field of the wrong type or an unknown field (D2.3). */
export class MalformedDocument extends CatalogueError("MALFORMED_DOCUMENT", "malformed", {
  when:
    "the body is not well-formed JSON or XML, or a field has a wrong type or is unknown; `errors` names every fault",
  example: faults(
    { path: "orderNumbr", detail: "is not a field of a document; did you mean orderNumber?" },
    { path: "items[0].quantity", detail: "must be a number, not a string" }
  ),
  message: ({ errors }) => `The document cannot be read: ${count(errors)}`
}) {}

/** The document is readable, but a value is bad or a required field is missing (D2.4). */
export class InvalidDocument extends CatalogueError("INVALID_DOCUMENT", "unprocessable", {
  when:
    "a required field is missing, even if only the strategy requires it, or a value is bad; `errors` names every fault",
  example: faults(
    { path: "direction", detail: "must be one of INBOUND, OUTBOUND" },
    { path: "items[0].quantity", detail: "must not be negative" },
    { path: "items[0].sku", detail: "is required by OVERWRITE" }
  ),
  message: ({ errors }) => `The document is not valid: ${count(errors)}`
}) {}

/** A query parameter is unknown, or a query parameter or a header has a bad value. */
export class InvalidParameter extends CatalogueError("INVALID_PARAMETER", "malformed", {
  when: "a query parameter is unknown, or a query parameter or header has a bad value",
  example: faults({ path: "limit", detail: "must be between 1 and 100" }),
  message: ({ errors }) => `The request is not valid: ${count(errors)}`
}) {}

/** The body of a request other than a document cannot be read, or holds a field of the wrong type or an unknown one. */
export class MalformedRequest extends CatalogueError("MALFORMED_REQUEST", "malformed", {
  when:
    "the body is not well-formed JSON, or a field has a wrong type or is unknown; `errors` names every fault",
  example: faults({ path: "occurredAt", detail: "must be a string, not a number" }),
  message: ({ errors }) => `The request cannot be read: ${count(errors, "request")}`
}) {}

/** The request is readable, but a value is bad or a required field is missing. */
export class InvalidRequest extends CatalogueError("INVALID_REQUEST", "unprocessable", {
  when: "a required field is missing, or a value is bad; `errors` names every fault",
  example: faults({ path: "eventId", detail: "is required" }),
  message: ({ errors }) => `The request is not valid: ${count(errors, "request")}`
}) {}

/** There is no bearer token, or it is expired or forged, or its client is disabled. */
export class Unauthenticated extends CatalogueError("UNAUTHENTICATED", "unauthenticated", {
  when:
    "the bearer token is missing, malformed, expired or forged, or its client is disabled; answered before the body is read; `WWW-Authenticate` and `errors` describe the fault of a token that was sent",
  // The reason is absent if no token was sent. `invalid` hides from a stranger whether the token is forged, or the client unknown or
  // disabled. `errors` replaces the usual remedy where the request needs another token than a client's.
  example: fields<{
    readonly reason?: "malformed" | "expired" | "audience" | "invalid"
    readonly errors?: ReadonlyArray<FieldError>
  }>({}),
  message: "missing or invalid bearer token"
}) {}

/** The client lacks a permission at the business or facility. */
export class Forbidden extends CatalogueError("FORBIDDEN", "forbidden", {
  when: "the token is good, but its client lacks the permission at the business or facility",
  example: { permission: "documents:write", business: "acme", facility: "west" },
  message: ({ permission, business, facility }) =>
    `The client lacks the permission ${permission} for business=${business}, facility=${facility}`
}) {}

/** No business has that slug. */
export class BusinessNotFound extends CatalogueError("BUSINESS_NOT_FOUND", "notFound", {
  when: "there is no business with that slug",
  example: { business: "acne" },
  message: ({ business }) => `Unknown business: ${nameText(business)}`
}) {}

/** The business has no facility with that slug. */
export class FacilityNotFound extends CatalogueError("FACILITY_NOT_FOUND", "notFound", {
  when: "the business has no facility with that slug",
  example: { business: "acme", facility: "north" },
  message: ({ business, facility }) =>
    `Unknown facility: ${nameText(facility)} of business ${nameText(business)}`
}) {}

/** No shipment has that id, or the client may not see it (D5.1). */
export class ShipmentNotFound extends CatalogueError("SHIPMENT_NOT_FOUND", "notFound", {
  when: "there is no shipment with that id that the client may see",
  example: { id: "4711" },
  message: ({ id }) => `Unknown shipment: ${nameText(id)}`
}) {}

/** No recorded document has that id, or the client may not see it (D13.6). */
export class DocumentNotFound extends CatalogueError("DOCUMENT_NOT_FOUND", "notFound", {
  when: "there is no record of a document with that id that the client may see",
  example: { id: "4711" },
  message: ({ id }) => `Unknown document: ${nameText(id)}`
}) {}

/** The shipment has no pallet with that id (D13.2). */
export class PalletNotFound extends CatalogueError("PALLET_NOT_FOUND", "notFound", {
  when: "the shipment has no pallet with that id",
  example: { id: "815", shipmentId: "4711" },
  message: ({ id, shipmentId }) => `Unknown pallet: ${nameText(id)} of shipment ${nameText(shipmentId)}`
}) {}

/** The facility has no dock with that slug; checked after permission (D3.8). */
export class UnknownDock extends CatalogueError("UNKNOWN_DOCK", "unprocessable", {
  when: "the facility has no dock with that slug",
  example: { dockSlug: "D9", facility: "east" },
  message: ({ dockSlug, facility }) => `Unknown dock: ${nameText(dockSlug)} of facility ${nameText(facility)}`
}) {
  /** The field at fault. */
  get errors(): ReadonlyArray<FieldError> {
    return [{ path: "dockSlug", detail: this.message }]
  }
}

/** One document holds an orderNumber twice (D2.1). */
export class DuplicateOrderInRequest extends CatalogueError("DUPLICATE_ORDER_IN_REQUEST", "conflict", {
  when: "the same orderNumber twice in the document",
  example: { orderNumber: "PO-1001" },
  message: ({ code, orderNumber }) => `${code}: orderNumber=${orderNumber}`
}) {}

/** The key of an item that occurs twice. */
interface DuplicateItem {
  readonly lpn: string
  readonly sku: string
  /** Present for an item without an lpn (D17.2). */
  readonly identifier?: string | undefined
}

const keyText = ({ identifier = "", lpn, sku }: DuplicateItem): string =>
  `${lpn === "" && identifier !== "" ? `identifier=${identifier}` : `lpn=${lpn}`}, sku=${sku}`

/** A document holds an lpn + sku twice, or one of its orders holds the same item without an lpn twice (D3.5, D17.2). */
export class DuplicateItemInRequest extends CatalogueError("DUPLICATE_ITEM_IN_REQUEST", "conflict", {
  when: "the same lpn + sku twice in the document",
  example: fields<DuplicateItem>({ lpn: "000123", sku: "SKU-100" }),
  message: (error) => `${error.code}: ${keyText(error)}`
}) {}

/** APPEND of an item whose lpn + sku the order already has (WIRE.md, errors). */
export class DuplicateOrderItemKey extends CatalogueError("DUPLICATE_ORDER_ITEM_KEY", "conflict", {
  when: "APPEND of an lpn + sku that the order already has",
  example: fields<DuplicateItem>({ lpn: "000125", sku: "SKU-300" }),
  message: (error) => `${error.code}: ${keyText(error)}`
}) {}

/** The target shipment has the other direction, or is departed and the document would change it (D3.2). */
export class ShipmentConflict extends CatalogueError("SHIPMENT_CONFLICT", "conflict", {
  when: "the shipment has the other direction, or has departed and the document would change it",
  example: fields<{ readonly shipmentNumber: string; readonly reason: "DIRECTION" | "DEPARTED" }>({
    shipmentNumber: "SHP-1001",
    reason: "DIRECTION"
  }),
  message: ({ code, shipmentNumber, reason }) => `${code}: shipmentNumber=${shipmentNumber}, reason=${reason}`
}) {}

/** The shipment would exceed the limits of a shipment. It is read and answered as a whole, so it must stay readable. */
export class ShipmentTooLarge extends CatalogueError("SHIPMENT_TOO_LARGE", "conflict", {
  when: "the shipment would exceed the limits of a shipment",
  // `itemLimit` counts the items of all orders, and `textLimit` the characters of all items and additional fields.
  example: { shipmentNumber: "SHP-1001", itemLimit: 20_000, textLimit: 16_777_216 },
  message: ({ code, shipmentNumber, itemLimit, textLimit }) =>
    `${code}: shipmentNumber=${shipmentNumber}; a shipment holds at most ${itemLimit} items ` +
    `and ${textLimit} characters; spread the orders over several shipments`
}) {}

/** The document holds more items or orders than the service accepts at once (D2.7). */
export class TooManyItems extends CatalogueError("TOO_MANY_ITEMS", "tooLarge", {
  when: "the document holds more items than the service accepts at once",
  example: { limit: 10_000 },
  message: ({ limit }) =>
    `A document holds at most ${limit} items; send the rest in further documents with APPEND or MERGE`
}) {}

/** The facility has recorded an event with that id and other content (D6.1). */
export class EventIdReused extends CatalogueError("EVENT_ID_REUSED", "conflict", {
  when: "the facility has recorded an event with that id and other content; a new event needs a new id",
  example: { eventId: "E-1001" },
  message: ({ code, eventId }) =>
    `${code}: eventId=${eventId}; an event with other content was recorded under it`
}) {}

/** No shipment of the facility fits the pallet (D6.2). */
export class PalletNotMatched extends CatalogueError("PALLET_NOT_MATCHED", "conflict", {
  when:
    "the event names no shipment, no open shipment of the facility has an item with the pallet's lpn, and none has arrived at the dock; nothing is stored",
  example: { lpn: "000999", dockSlug: "D2" },
  message: ({ code, lpn, dockSlug }) =>
    `${code}: lpn=${lpn}, dockSlug=${dockSlug}; no open shipment holds an item with this lpn, ` +
    "and none has arrived at this dock"
}) {}

/** The shipment has departed and is final (D6.2). */
export class ShipmentDeparted extends CatalogueError("SHIPMENT_DEPARTED", "conflict", {
  when: "the shipment has departed and is final; repeating the request does not help",
  example: { shipmentNumber: "SHP-1001" },
  message: ({ code, shipmentNumber }) =>
    `${code}: shipmentNumber=${shipmentNumber}; the shipment is final, so repeating this does not help`
}) {}

/** The shipment is cancelled and final (D13.9). */
export class ShipmentCancelled extends CatalogueError("SHIPMENT_CANCELLED", "conflict", {
  when: "the shipment is cancelled, and is final; its orders can be sent with another shipmentNumber",
  example: { shipmentNumber: "SHP-1001" },
  message: ({ code, shipmentNumber }) => `${code}: shipmentNumber=${shipmentNumber}`
}) {}

/** A step is out of order (D6.5, D13.9, D17.3). */
export class InvalidTransition extends CatalogueError("INVALID_TRANSITION", "conflict", {
  when:
    "the step is out of order: a departure before the arrival, an arrival after the departure, a cancellation of a shipment that has arrived or is linked, a step of a check-in after a later one, or any step of a cancelled shipment",
  example: { shipmentNumber: "SHP-1001", from: "SCHEDULED", to: "DEPARTED" },
  message: ({ code, shipmentNumber, from, to }) =>
    `${code}: shipmentNumber=${shipmentNumber}, from=${from}, to=${to}`
}) {}

/** The shipment has the maximum number of pallet events, or of characters in them, because its completion message lists them all. */
export class TooManyPalletEvents extends CatalogueError("TOO_MANY_PALLET_EVENTS", "conflict", {
  when: "the shipment has the maximum number of pallet events",
  example: { shipmentNumber: "SHP-1001", eventLimit: 10_000, textLimit: 2_097_152 },
  message: ({ code, shipmentNumber, eventLimit, textLimit }) =>
    `${code}: shipmentNumber=${shipmentNumber}; a shipment takes at most ${eventLimit} pallet ` +
    `events with ${textLimit} characters of labels and order numbers`
}) {}

/** One of the shipments has the maximum number of links. */
export class TooManyLinks extends CatalogueError("TOO_MANY_LINKS", "conflict", {
  when: "one of the two shipments has the maximum number of links",
  example: { shipmentNumber: "SHP-1001", limit: 100 },
  message: ({ code, shipmentNumber, limit }) =>
    `${code}: shipmentNumber=${shipmentNumber}; a shipment is linked to at most ${limit} others`
}) {}

/** Messages after the requested cursor have been dropped by age (D7.4). No message after `droppedId` is missing. */
export class HistoryExpired extends CatalogueError("HISTORY_EXPIRED", "expired", {
  when: "some of the messages after the requested point have been dropped by age",
  example: { business: "acme", droppedId: 90_070 },
  message: ({ business, droppedId }) =>
    `Messages of business ${business} up to id ${droppedId} have been dropped by age; read on with ` +
    `afterId ${droppedId}, or a later since, and reconcile earlier data`
}) {}

/**
 * A cursor is beyond the newest id of the log, which is 0 for a log that never had messages (D7.5): the storage was restored from a backup
 * or a standby was promoted, and messages that the consumer already has are lost; or the cursor belongs to another log.
 */
export class CursorAhead extends CatalogueError("CURSOR_AHEAD", "ahead", {
  when: "the requested point lies beyond the newest message of the log, or the newest entry of an outbox",
  example: { business: "acme", newestId: 90_071 },
  message: ({ business, newestId }) =>
    `Business ${business} has given no id that high: its newest id is ${newestId}. Later messages may have been lost when the ` +
    "service was restored: tell its operator, and read messages again by since, or an outbox after its newest id"
}) {}

/** There are more messages than one answer can hold (D8.1); `limit` is absent if their text is too long. */
export class TooManyMessages extends CatalogueError("TOO_MANY_MESSAGES", "tooMany", {
  when: "there are more messages than one answer holds; page with `limit` and `afterId`",
  example: fields<{ readonly limit?: number }>({ limit: 10_000 }),
  message: ({ limit }) =>
    `${
      limit === undefined
        ? "The messages hold more text than one answer may"
        : `More messages than one answer holds (${limit})`
    }; page with limit and afterId`
}) {}

/** The answer would exceed the limit of one answer: it has the same entities many times, or many large ones. */
export class AnswerTooLarge extends CatalogueError("ANSWER_TOO_LARGE", "tooLarge", {
  when: "the answer would exceed the limit of one answer",
  example: { limit: 67_108_864 },
  message: ({ limit }) =>
    `The answer would be larger than ${limit} characters; ask for fewer fields and aliases, a smaller ` +
    "first, or one shipment an operation"
}) {}

/** The lists of an operation could hold more entries than one operation may request (D8.8). */
export class OperationTooCostly extends CatalogueError("OPERATION_TOO_COSTLY", "tooLarge", {
  when: "the lists of the operation could hold more entries than one operation may request",
  example: { limit: 50_000 },
  message: ({ limit }) =>
    `The lists of the operation could hold more than ${limit} entries; ask for a smaller first or for fewer lists within ` +
    "lists, or in several operations"
}) {}

/** The reads of an operation take longer than one operation may (D8.8). */
export class OperationTooSlow extends CatalogueError("OPERATION_TOO_SLOW", "tooLarge", {
  when: "the reads of the operation take longer than one operation may",
  example: { seconds: 10 },
  message: ({ seconds }) =>
    `The operation was ended after ${
      secondsInWords(seconds)
    }; ask for fewer lists in one operation, or a smaller first`
}) {}

/** A consumer of live messages has fallen behind by more than its buffer (D8.7); it resumes after its last message. */
export class ConsumerTooSlow extends CatalogueError("CONSUMER_TOO_SLOW", "tooMany", {
  when: "more live messages wait for the consumer than its buffer holds; resume with `afterId`",
  example: { buffer: 1000 },
  message: ({ buffer }) =>
    `More than ${buffer} live messages, or too much text, waited for this consumer; resume with afterId`
}) {}

/**
 * The storage cannot be reached. Nothing was written, or a repeated request reveals the outcome. If the cause is another, `detail` names it
 * in a sentence, which replaces the message.
 */
export class StorageUnavailable extends CatalogueError("STORAGE_UNAVAILABLE", "unavailable", {
  when: "the database cannot be reached at the moment; repeat the request after Retry-After seconds",
  example: fields<{ readonly cause: unknown; readonly detail?: string }>({ cause: undefined }),
  message: ({ detail }) => detail ?? "The database cannot be reached at the moment; repeat the request"
}) {}
