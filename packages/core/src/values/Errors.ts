/**
 * The error catalogue: every error that a client can meet, declared once.
 *
 * Guarantee: each error carries a stable machine `code` and a neutral `category`; adapters derive HTTP statuses,
 * GraphQL codes and texts from these two and `message`, and nothing else (D4.4). No error here knows a protocol.
 */
import { Schema } from "effect"

/**
 * What kind of refusal an error is. An adapter maps each category to its own form in one table that stops
 * compiling when a category is added.
 */
export type ErrorCategory =
  | "malformed"
  | "unauthenticated"
  | "forbidden"
  | "notFound"
  | "methodNotAllowed"
  | "conflict"
  | "expired"
  | "ahead"
  | "tooMany"
  | "tooLarge"
  | "unsupportedMediaType"
  | "unprocessable"
  | "rateLimited"
  | "internal"
  | "unavailable"

/** One thing that is wrong with a document: where (`items[2].quantity`, `""` for the whole) and what. */
export const FieldError = Schema.Struct({
  path: Schema.String.annotate({ description: "Where in the document, such as items[2].quantity" }),
  detail: Schema.String.annotate({ description: "What is wrong and what is expected" })
}).annotate({ identifier: "FieldError" })

/** One thing that is wrong with a document. */
export type FieldError = typeof FieldError.Type

const count = (errors: ReadonlyArray<FieldError>, whole = "document"): string =>
  errors.length === 1
    ? `${errors[0]!.path || whole}: ${errors[0]!.detail}`
    : `${errors.length} errors; see errors`

/** The body cannot be read, or holds a field of the wrong type or an unknown field (D2.3). */
export class MalformedDocument extends Schema.TaggedError<MalformedDocument>()("MalformedDocument", {
  errors: Schema.Array(FieldError)
}) {
  readonly category = "malformed" satisfies ErrorCategory
  readonly code = "MALFORMED_DOCUMENT"
  override get message(): string {
    return `The document cannot be read: ${count(this.errors)}`
  }
}

/** The document is readable, but a value is bad or a required field is missing (D2.4). */
export class InvalidDocument extends Schema.TaggedError<InvalidDocument>()("InvalidDocument", {
  errors: Schema.Array(FieldError)
}) {
  readonly category = "unprocessable" satisfies ErrorCategory
  readonly code = "INVALID_DOCUMENT"
  override get message(): string {
    return `The document is not valid: ${count(this.errors)}`
  }
}

/** A parameter of a query or path is not valid. */
export class InvalidParameter extends Schema.TaggedError<InvalidParameter>()("InvalidParameter", {
  errors: Schema.Array(FieldError)
}) {
  readonly category = "malformed" satisfies ErrorCategory
  readonly code = "INVALID_PARAMETER"
  override get message(): string {
    return `The request is not valid: ${count(this.errors)}`
  }
}

/** No bearer token, or one that is expired, forged, or of a client that is disabled. */
export class Unauthenticated extends Schema.TaggedError<Unauthenticated>()("Unauthenticated", {
  /**
   * What is wrong with the token; absent where none was sent. `invalid` is whatever a stranger is not to tell apart: a
   * forged token, an unknown client, a disabled one.
   */
  reason: Schema.optionalKey(Schema.Literals(["malformed", "expired", "audience", "invalid"]))
}) {
  readonly category = "unauthenticated" satisfies ErrorCategory
  readonly code = "UNAUTHENTICATED"
  override readonly message = "missing or invalid bearer token"
}

/** The client lacks a permission at the business or facility. */
export class Forbidden extends Schema.TaggedError<Forbidden>()("Forbidden", {
  permission: Schema.String,
  business: Schema.String,
  facility: Schema.String
}) {
  readonly category = "forbidden" satisfies ErrorCategory
  readonly code = "FORBIDDEN"
  override get message(): string {
    return `The client lacks the permission ${this.permission} for business=${this.business}, facility=${this.facility}`
  }
}

/** No token was set up for the metrics, and this is no request of the machine itself that may read them without one. */
export class MetricsForbidden extends Schema.TaggedError<MetricsForbidden>()("MetricsForbidden", {}) {
  readonly category = "forbidden" satisfies ErrorCategory
  readonly code = "METRICS_FORBIDDEN"
  override readonly message =
    "Without METRICS_TOKEN, metrics are shown only to the machine itself, and only by a server that listens on a loopback address with a loopback BASE_URL; set METRICS_TOKEN and send it as bearer token"
}

/** No business of that slug. */
export class BusinessNotFound extends Schema.TaggedError<BusinessNotFound>()("BusinessNotFound", {
  business: Schema.String
}) {
  readonly category = "notFound" satisfies ErrorCategory
  readonly code = "BUSINESS_NOT_FOUND"
  override get message(): string {
    return `Unknown business: ${this.business}`
  }
}

/** The business has no facility of that slug. */
export class FacilityNotFound extends Schema.TaggedError<FacilityNotFound>()("FacilityNotFound", {
  business: Schema.String,
  facility: Schema.String
}) {
  readonly category = "notFound" satisfies ErrorCategory
  readonly code = "FACILITY_NOT_FOUND"
  override get message(): string {
    return `Unknown facility: ${this.facility} of business ${this.business}`
  }
}

/** No shipment of that id, or none that the client may see (D5.1). */
export class ShipmentNotFound extends Schema.TaggedError<ShipmentNotFound>()("ShipmentNotFound", {
  id: Schema.String
}) {
  readonly category = "notFound" satisfies ErrorCategory
  readonly code = "SHIPMENT_NOT_FOUND"
  override get message(): string {
    return `Unknown shipment: ${this.id}`
  }
}

/** The facility has no dock of that slug; checked after permission (D3.8). */
export class UnknownDock extends Schema.TaggedError<UnknownDock>()("UnknownDock", {
  dockSlug: Schema.String,
  facility: Schema.String
}) {
  readonly category = "unprocessable" satisfies ErrorCategory
  readonly code = "UNKNOWN_DOCK"
  override get message(): string {
    return `Unknown dock: ${this.dockSlug} of facility ${this.facility}`
  }
  /** The field at fault. */
  get errors(): ReadonlyArray<FieldError> {
    return [{ path: "dockSlug", detail: this.message }]
  }
}

/** The same orderNumber twice in one document (D2.1). */
export class DuplicateOrderInRequest
  extends Schema.TaggedError<DuplicateOrderInRequest>()("DuplicateOrderInRequest", {
    orderNumber: Schema.String
  })
{
  readonly category = "conflict" satisfies ErrorCategory
  readonly code = "DUPLICATE_ORDER_IN_REQUEST"
  override get message(): string {
    return `${this.code}: orderNumber=${this.orderNumber}`
  }
}

/** The same lpn + sku twice in one document (D3.5). */
export class DuplicateItemInRequest
  extends Schema.TaggedError<DuplicateItemInRequest>()("DuplicateItemInRequest", {
    lpn: Schema.String,
    sku: Schema.String
  })
{
  readonly category = "conflict" satisfies ErrorCategory
  readonly code = "DUPLICATE_ITEM_IN_REQUEST"
  override get message(): string {
    return `${this.code}: lpn=${this.lpn}, sku=${this.sku}`
  }
}

/** APPEND of an lpn + sku that the order already has (WIRE.md, errors). */
export class DuplicateOrderItemKey
  extends Schema.TaggedError<DuplicateOrderItemKey>()("DuplicateOrderItemKey", {
    lpn: Schema.String,
    sku: Schema.String
  })
{
  readonly category = "conflict" satisfies ErrorCategory
  readonly code = "DUPLICATE_ORDER_ITEM_KEY"
  override get message(): string {
    return `${this.code}: lpn=${this.lpn}, sku=${this.sku}`
  }
}

/** The target shipment has the other direction, or is departed and the document would change it (D3.2). */
export class ShipmentConflict extends Schema.TaggedError<ShipmentConflict>()("ShipmentConflict", {
  shipmentNumber: Schema.String,
  reason: Schema.Literals(["DIRECTION", "DEPARTED"])
}) {
  readonly category = "conflict" satisfies ErrorCategory
  readonly code = "SHIPMENT_CONFLICT"
  override get message(): string {
    return `${this.code}: shipmentNumber=${this.shipmentNumber}, reason=${this.reason}`
  }
}

/** The shipment would hold more than a shipment can: it is read and answered whole, so it must stay readable. */
export class ShipmentTooLarge extends Schema.TaggedError<ShipmentTooLarge>()("ShipmentTooLarge", {
  shipmentNumber: Schema.String,
  /** The most items a shipment may hold, over all its orders. */
  itemLimit: Schema.Number,
  /** The most characters of text it may hold, over all its items and fields. */
  textLimit: Schema.Number
}) {
  readonly category = "conflict" satisfies ErrorCategory
  readonly code = "SHIPMENT_TOO_LARGE"
  override get message(): string {
    return `${this.code}: shipmentNumber=${this.shipmentNumber}; a shipment holds at most ${this.itemLimit} items ` +
      `and ${this.textLimit} characters; spread the orders over several shipments`
  }
}

/** The document holds more items than the service takes at once (D2.7). */
export class TooManyItems extends Schema.TaggedError<TooManyItems>()("TooManyItems", {
  limit: Schema.Number
}) {
  readonly category = "tooLarge" satisfies ErrorCategory
  readonly code = "TOO_MANY_ITEMS"
  override get message(): string {
    return `A document holds at most ${this.limit} items; send the rest in further documents with APPEND or MERGE`
  }
}

/** The body is larger than the service reads. */
export class PayloadTooLarge extends Schema.TaggedError<PayloadTooLarge>()("PayloadTooLarge", {
  /** In bytes. */
  limit: Schema.Number
}) {
  readonly category = "tooLarge" satisfies ErrorCategory
  readonly code = "PAYLOAD_TOO_LARGE"
  override get message(): string {
    return `The body is larger than ${this.limit} bytes`
  }
}

/** The body is of a media type that is not read here. */
export class UnsupportedMediaType extends Schema.TaggedError<UnsupportedMediaType>()("UnsupportedMediaType", {
  supported: Schema.Array(Schema.String),
  /** What is wrong with this one, where there is more to say than what is supported. */
  detail: Schema.optionalKey(Schema.String)
}) {
  readonly category = "unsupportedMediaType" satisfies ErrorCategory
  readonly code = "UNSUPPORTED_MEDIA_TYPE"
  override get message(): string {
    return this.detail ?? `The media type of the body is not supported; send ${this.supported.join(" or ")}`
  }
}

/** The body of a request other than a document cannot be read, or holds a field of the wrong type or an unknown one. */
export class MalformedRequest extends Schema.TaggedError<MalformedRequest>()("MalformedRequest", {
  errors: Schema.Array(FieldError)
}) {
  readonly category = "malformed" satisfies ErrorCategory
  readonly code = "MALFORMED_REQUEST"
  override get message(): string {
    return `The request cannot be read: ${count(this.errors, "request")}`
  }
}

/** The request is readable, but a value is bad or a required field is missing. */
export class InvalidRequest extends Schema.TaggedError<InvalidRequest>()("InvalidRequest", {
  errors: Schema.Array(FieldError)
}) {
  readonly category = "unprocessable" satisfies ErrorCategory
  readonly code = "INVALID_REQUEST"
  override get message(): string {
    return `The request is not valid: ${count(this.errors, "request")}`
  }
}

/** The facility has had an event of that id with other content (D6.1). */
export class EventIdReused extends Schema.TaggedError<EventIdReused>()("EventIdReused", {
  eventId: Schema.String
}) {
  readonly category = "conflict" satisfies ErrorCategory
  readonly code = "EVENT_ID_REUSED"
  override get message(): string {
    return `${this.code}: eventId=${this.eventId}; an event with other content was recorded under it`
  }
}

/** No shipment of the facility fits the pallet (D6.2). */
export class PalletNotMatched extends Schema.TaggedError<PalletNotMatched>()("PalletNotMatched", {
  lpn: Schema.String,
  dockSlug: Schema.String
}) {
  readonly category = "conflict" satisfies ErrorCategory
  readonly code = "PALLET_NOT_MATCHED"
  override get message(): string {
    return `${this.code}: lpn=${this.lpn}, dockSlug=${this.dockSlug}; no open shipment holds an item with this lpn, ` +
      "and none has arrived at this dock"
  }
}

/** The shipment has departed and is final (D6.2). */
export class ShipmentDeparted extends Schema.TaggedError<ShipmentDeparted>()("ShipmentDeparted", {
  shipmentNumber: Schema.String
}) {
  readonly category = "conflict" satisfies ErrorCategory
  readonly code = "SHIPMENT_DEPARTED"
  override get message(): string {
    return `${this.code}: shipmentNumber=${this.shipmentNumber}`
  }
}

/** A step out of order: departing what has not arrived, arriving what has departed (D6.5). */
export class InvalidTransition extends Schema.TaggedError<InvalidTransition>()("InvalidTransition", {
  shipmentNumber: Schema.String,
  from: Schema.String,
  to: Schema.String
}) {
  readonly category = "conflict" satisfies ErrorCategory
  readonly code = "INVALID_TRANSITION"
  override get message(): string {
    return `${this.code}: shipmentNumber=${this.shipmentNumber}, from=${this.from}, to=${this.to}`
  }
}

/** The shipment has as many pallet events, or as much text of them, as it can hold: its completion lists them all. */
export class TooManyPalletEvents extends Schema.TaggedError<TooManyPalletEvents>()("TooManyPalletEvents", {
  shipmentNumber: Schema.String,
  /** The most pallet events of a shipment. */
  eventLimit: Schema.Number,
  /** The most characters of the labels of all its pallet events. */
  textLimit: Schema.Number
}) {
  readonly category = "conflict" satisfies ErrorCategory
  readonly code = "TOO_MANY_PALLET_EVENTS"
  override get message(): string {
    return `${this.code}: shipmentNumber=${this.shipmentNumber}; a shipment takes at most ${this.eventLimit} pallet ` +
      `events with ${this.textLimit} characters of labels and order numbers`
  }
}

/** The shipment is linked to as many others as it can be. */
export class TooManyLinks extends Schema.TaggedError<TooManyLinks>()("TooManyLinks", {
  shipmentNumber: Schema.String,
  limit: Schema.Number
}) {
  readonly category = "conflict" satisfies ErrorCategory
  readonly code = "TOO_MANY_LINKS"
  override get message(): string {
    return `${this.code}: shipmentNumber=${this.shipmentNumber}; a shipment is linked to at most ${this.limit} others`
  }
}

/** Messages after the point asked for have been dropped by age (D7.4). */
export class HistoryExpired extends Schema.TaggedError<HistoryExpired>()("HistoryExpired", {
  business: Schema.String,
  /** The id of the last message that was dropped: reading after it, or later, misses nothing. */
  droppedId: Schema.Number
}) {
  readonly category = "expired" satisfies ErrorCategory
  readonly code = "HISTORY_EXPIRED"
  override get message(): string {
    return `Messages of business ${this.business} up to id ${this.droppedId} have been dropped by age; read on with ` +
      `afterId ${this.droppedId}, or a later since, and reconcile what lies before`
  }
}

/**
 * A cursor is beyond the newest id that the log has given (D7.5): the storage was restored from a backup or a standby
 * was promoted, and messages that the consumer has had are gone; or the cursor is not of this log.
 */
export class CursorAhead extends Schema.TaggedError<CursorAhead>()("CursorAhead", {
  business: Schema.String,
  /** The newest id that the log has given; 0 when it has given none. */
  newestId: Schema.Number
}) {
  readonly category = "ahead" satisfies ErrorCategory
  readonly code = "CURSOR_AHEAD"
  override get message(): string {
    return `Business ${this.business} has no message of that id or a higher one: its newest id is ${this.newestId}. ` +
      "Messages may have been lost as the service was restored: tell its operator, and read again by since"
  }
}

/** More messages than one answer holds (D8.1). */
export class TooManyMessages extends Schema.TaggedError<TooManyMessages>()("TooManyMessages", {
  /** The most messages of one answer; absent where not their number but their text is too much. */
  limit: Schema.optionalKey(Schema.Number)
}) {
  readonly category = "tooMany" satisfies ErrorCategory
  readonly code = "TOO_MANY_MESSAGES"
  override get message(): string {
    const what = this.limit === undefined
      ? "The messages hold more text than one answer may"
      : `More messages than one answer holds (${this.limit})`
    return `${what}; page with limit and afterId`
  }
}

/** The answer would show more than one answer holds: the same entities many times, or many large ones. */
export class AnswerTooLarge extends Schema.TaggedError<AnswerTooLarge>()("AnswerTooLarge", {
  /** The most characters of one answer. */
  limit: Schema.Number
}) {
  readonly category = "tooLarge" satisfies ErrorCategory
  readonly code = "ANSWER_TOO_LARGE"
  override get message(): string {
    return `The answer would be larger than ${this.limit} characters; ask for fewer fields and aliases, a smaller ` +
      "first, or one shipment an operation"
  }
}

/** A consumer of live messages has fallen behind by more than its buffer (D8.7); it resumes after its last message. */
export class ConsumerTooSlow extends Schema.TaggedError<ConsumerTooSlow>()("ConsumerTooSlow", {
  /** The most messages that wait for the consumer. */
  buffer: Schema.Number
}) {
  readonly category = "tooMany" satisfies ErrorCategory
  readonly code = "CONSUMER_TOO_SLOW"
  override get message(): string {
    return `More than ${this.buffer} live messages, or too much text, waited for this consumer; resume with afterId`
  }
}

/** The same Idempotency-Key with another body (D5.2). */
export class IdempotencyKeyReused
  extends Schema.TaggedError<IdempotencyKeyReused>()("IdempotencyKeyReused", {})
{
  readonly category = "unprocessable" satisfies ErrorCategory
  readonly code = "IDEMPOTENCY_KEY_REUSED"
  override readonly message =
    "This Idempotency-Key was used for another request; take a new key for a new request"
}

/** The first request with this Idempotency-Key still runs (D5.2). */
export class IdempotencyKeyInUse
  extends Schema.TaggedError<IdempotencyKeyInUse>()("IdempotencyKeyInUse", {})
{
  readonly category = "conflict" satisfies ErrorCategory
  readonly code = "IDEMPOTENCY_KEY_IN_USE"
  override readonly message =
    "A request with this Idempotency-Key is still running; repeat it to get its answer"
}

/** The storage cannot be reached; nothing was written, or the outcome can be learnt by repeating the request. */
export class StorageUnavailable extends Schema.TaggedError<StorageUnavailable>()("StorageUnavailable", {
  cause: Schema.Defect(),
  /** What else is the matter, where the storage can be reached: a sentence for who looks after it. */
  detail: Schema.optionalKey(Schema.String)
}) {
  readonly category = "unavailable" satisfies ErrorCategory
  readonly code = "STORAGE_UNAVAILABLE"
  override get message(): string {
    return this.detail ?? "The database cannot be reached at the moment; repeat the request"
  }
}

/** More is asked of the service at the moment than it can do; this request was refused before anything was done. */
export class Overloaded extends Schema.TaggedError<Overloaded>()("Overloaded", {
  /** After how many seconds the request may succeed. */
  retryAfterSeconds: Schema.Number
}) {
  readonly category = "unavailable" satisfies ErrorCategory
  readonly code = "OVERLOADED"
  override get message(): string {
    return `The service has too much to do at the moment; repeat the request after ${this.retryAfterSeconds} seconds`
  }
}

/** The service stops, and takes on nothing more. */
export class Stopping extends Schema.TaggedError<Stopping>()("Stopping", {}) {
  readonly category = "unavailable" satisfies ErrorCategory
  readonly code = "STOPPING"
  override readonly message = "The service is stopping; repeat the request"
}

/** The keys of the external token issuer cannot be fetched, so that no token can be judged (D10.2). */
export class IssuerUnavailable extends Schema.TaggedError<IssuerUnavailable>()("IssuerUnavailable", {
  cause: Schema.Defect()
}) {
  readonly category = "unavailable" satisfies ErrorCategory
  readonly code = "ISSUER_UNAVAILABLE"
  override readonly message = "The token cannot be checked at the moment; repeat the request"
}

/** The client, or whoever asks for its tokens, has sent more requests than it may (D10.5). */
export class TooManyRequests extends Schema.TaggedError<TooManyRequests>()("TooManyRequests", {
  /** The most requests of one window. */
  limit: Schema.Number,
  /** The length of a window, in seconds. */
  windowSeconds: Schema.Number,
  /** After how many seconds another request may succeed. */
  retryAfterSeconds: Schema.Number
}) {
  readonly category = "rateLimited" satisfies ErrorCategory
  readonly code = "RATE_LIMITED"
  override get message(): string {
    return `More than ${this.limit} requests in ${this.windowSeconds} seconds; go on after ${this.retryAfterSeconds} seconds`
  }
}
