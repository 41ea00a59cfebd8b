/**
 * Every kind of refusal, for the responses in the OpenAPI document.
 *
 * Guarantee: status, code and text of a refusal are those of core's catalogue, never written again here. What is
 * written here is when it occurs, once for each code; this module stops compiling when core declares a code that it
 * does not explain.
 */
import * as DocumentInput from "@dockline/core/DocumentInput"
import * as Errors from "@dockline/core/Errors"
import type { CatalogueError } from "@dockline/core/internal/Categories"
import { internal, methodNotAllowed, problemOf } from "@dockline/core/internal/Problem"
import type { Problem } from "@dockline/core/internal/Problem"
import { Record, Result } from "effect"
import * as Problems from "../answer/Problems.ts"
import { defaultHttpConfig } from "../api/HttpConfig.ts"
import * as ContentType from "../body/ContentType.ts"
import { documentExamples } from "./Examples.ts"
import { operatorErrors } from "./OpenApiOperatorErrors.ts"
import type { InstancesOf, OperatorErrorCode } from "./OpenApiOperatorErrors.ts"

/** The codes of core's catalogue that no operation of REST has: messages, and many entities at once, are GraphQL's. */
export const foreignCodes = [
  "TOO_MANY_MESSAGES",
  "CONSUMER_TOO_SLOW",
  "ANSWER_TOO_LARGE"
] as const

/** The codes of core's catalogue, and of the refusals that the adapter makes itself. */
export type ErrorCode =
  | Exclude<Extract<InstancesOf<typeof Errors>, CatalogueError>["code"], (typeof foreignCodes)[number]>
  | OperatorErrorCode
  | "METHOD_NOT_ALLOWED"
  | "REQUEST_TIMEOUT"
  | "HEADERS_TOO_LARGE"
  | "INTERNAL_ERROR"

/** One kind of refusal. */
export interface Refusal {
  /** When it occurs, as the end of a sentence. */
  readonly when: string
  /** A refusal of this kind, as it is answered. */
  readonly example: Problem
}

/** Every kind of refusal, by its code. */
export const refusals = (): Readonly<Record<ErrorCode, Refusal>> => {
  const { overwrite } = documentExamples(1)
  const { items, ...document } = overwrite!.document
  const [item] = items!
  const at = { business: "acme", facility: "east" }
  return {
    MALFORMED_DOCUMENT: explain(
      "the body is no well-formed JSON or XML, or a field has a wrong type or is unknown; `errors` names every fault",
      refusalOf({ ...document, orderNumbr: "SO-1001", items: [{ ...item, quantity: "48" }] })
    ),
    INVALID_DOCUMENT: explain(
      "a required field is missing, also one that the strategy requires, or a value is bad; `errors` names every fault",
      refusalOf({
        ...document,
        direction: "SIDEWAYS",
        items: [{ lpn: item!.lpn, quantity: -1, quantityUnit: "CASE" }]
      })
    ),
    MALFORMED_REQUEST: explain(
      "the body is no well-formed JSON, or a field has a wrong type or is unknown; `errors` names every fault",
      new Errors.MalformedRequest({
        errors: [{ path: "occurredAt", detail: "must be a string, not a number" }]
      })
    ),
    INVALID_REQUEST: explain(
      "a required field is missing, or a value is bad; `errors` names every fault",
      new Errors.InvalidRequest({ errors: [{ path: "eventId", detail: "is required" }] })
    ),
    INVALID_PARAMETER: explain(
      "a query parameter is unknown, or a query parameter or header has a bad value",
      new Errors.InvalidParameter({ errors: [{ path: "limit", detail: "must be between 1 and 100" }] })
    ),
    UNAUTHENTICATED: explain(
      "the bearer token is missing, malformed, expired or forged, or its client is disabled; told before the body is read, and `WWW-Authenticate` tells what is wrong with a token that was sent",
      new Errors.Unauthenticated()
    ),
    FORBIDDEN: explain(
      "the token is good, but its client lacks the permission at the business or facility",
      new Errors.Forbidden({ permission: "documents:write", ...at, facility: "west" })
    ),
    METRICS_FORBIDDEN: explain(
      "no token for the metrics is set up, and the request does not come from the machine itself, or through a proxy",
      new Errors.MetricsForbidden()
    ),
    BUSINESS_NOT_FOUND: explain(
      "there is no business of that slug",
      new Errors.BusinessNotFound({ business: "acne" })
    ),
    FACILITY_NOT_FOUND: explain(
      "the business has no facility of that slug",
      new Errors.FacilityNotFound({ business: "acme", facility: "north" })
    ),
    SHIPMENT_NOT_FOUND: explain(
      "there is no shipment of that id, or none that the client may see",
      new Errors.ShipmentNotFound({ id: "4711" })
    ),
    DUPLICATE_ORDER_ITEM_KEY: explain(
      "APPEND of an lpn + sku that the order already has",
      new Errors.DuplicateOrderItemKey({ lpn: "000125", sku: "SKU-300" })
    ),
    DUPLICATE_ITEM_IN_REQUEST: explain(
      "the same lpn + sku twice in the document",
      new Errors.DuplicateItemInRequest({ lpn: "000123", sku: "SKU-100" })
    ),
    DUPLICATE_ORDER_IN_REQUEST: explain(
      "the same orderNumber twice in the document",
      new Errors.DuplicateOrderInRequest({ orderNumber: "PO-1001" })
    ),
    SHIPMENT_CONFLICT: explain(
      "the shipment has the other direction, or has departed and the document would change it",
      new Errors.ShipmentConflict({ shipmentNumber: "SHP-1001", reason: "DIRECTION" })
    ),
    SHIPMENT_TOO_LARGE: explain(
      "the shipment would outgrow what one shipment may hold",
      new Errors.ShipmentTooLarge({ shipmentNumber: "SHP-1001", itemLimit: 50_000, textLimit: 33_554_432 })
    ),
    EVENT_ID_REUSED: explain(
      "the facility has had an event of that id that said something else; a new event needs a new id",
      new Errors.EventIdReused({ eventId: "E-1001" })
    ),
    PALLET_NOT_MATCHED: explain(
      "the event names no shipment, no open one at the facility holds an item with the pallet's lpn, and none has arrived at the dock; nothing is stored",
      new Errors.PalletNotMatched({ lpn: "000999", dockSlug: "D2" })
    ),
    SHIPMENT_DEPARTED: explain(
      "the shipment has departed, and is final",
      new Errors.ShipmentDeparted({ shipmentNumber: "SHP-1001" })
    ),
    TOO_MANY_PALLET_EVENTS: explain(
      "the shipment has as many pallet events as it can hold",
      new Errors.TooManyPalletEvents({
        shipmentNumber: "SHP-1001",
        eventLimit: 10_000,
        textLimit: 2_097_152
      })
    ),
    INVALID_TRANSITION: explain(
      "the step is out of order: departing what has not arrived, or arriving what has departed",
      new Errors.InvalidTransition({ shipmentNumber: "SHP-1001", from: "SCHEDULED", to: "DEPARTED" })
    ),
    TOO_MANY_LINKS: explain(
      "one of the two shipments is linked to as many others as it can be",
      new Errors.TooManyLinks({ shipmentNumber: "SHP-1001", limit: 100 })
    ),
    IDEMPOTENCY_KEY_IN_USE: explain(
      "the first request with this Idempotency-Key is still running",
      new Errors.IdempotencyKeyInUse()
    ),
    IDEMPOTENCY_KEY_REUSED: explain(
      "this Idempotency-Key was sent with another request",
      new Errors.IdempotencyKeyReused()
    ),
    UNKNOWN_DOCK: explain(
      "the facility has no dock of that slug",
      new Errors.UnknownDock({ dockSlug: "D9", facility: "east" })
    ),
    PAYLOAD_TOO_LARGE: explain(
      "the body is larger than the service reads",
      new Errors.PayloadTooLarge({ limit: defaultHttpConfig.bodyLimit })
    ),
    TOO_MANY_ITEMS: explain(
      "the document holds more items than the service takes at once",
      new Errors.TooManyItems({ limit: defaultHttpConfig.itemLimit })
    ),
    UNSUPPORTED_MEDIA_TYPE: explain(
      "the Content-Type is missing or is none of those listed, or its charset is not supported",
      new Errors.UnsupportedMediaType({ supported: [ContentType.supported] })
    ),
    STORAGE_UNAVAILABLE: explain(
      "the database cannot be reached at the moment; repeat the request after Retry-After seconds",
      new Errors.StorageUnavailable({ cause: undefined })
    ),
    ISSUER_UNAVAILABLE: explain(
      "the keys of the external token issuer cannot be fetched at the moment; repeat the request after Retry-After seconds",
      new Errors.IssuerUnavailable({ cause: undefined })
    ),
    STOPPING: explain(
      "the service stops; repeat the request after Retry-After seconds, on a new connection",
      new Errors.Stopping()
    ),
    OVERLOADED: explain(
      "the service has more to do at the moment than it can; nothing was done, repeat the request after Retry-After seconds",
      new Errors.Overloaded({ retryAfterSeconds: 2 })
    ),
    RATE_LIMITED: explain(
      "the client has sent as many requests as it may within a minute; go on after Retry-After seconds",
      new Errors.TooManyRequests({ limit: 6000, windowSeconds: 60, retryAfterSeconds: 42 })
    ),
    ...explainAll(operatorErrors),
    METHOD_NOT_ALLOWED: {
      when: "the path is asked with a method that it does not take; `Allow` names those that it does",
      example: methodNotAllowed("DELETE", ["POST"])
    },
    REQUEST_TIMEOUT: {
      when: "the request, or its body, comes too slowly; the connection is closed",
      example: Problems.requestTimeout
    },
    HEADERS_TOO_LARGE: {
      when: "the address and the headers are too large; the connection is closed",
      example: Problems.headTooLarge
    },
    INTERNAL_ERROR: {
      when: "the service failed; `instance` is the correlation id under which its operator finds the reason",
      example: internal("3f1c2a9e-6a2b-4f3e-9a53-0c6a5d1f7b21")
    }
  }
}

const explain = (when: string, error: CatalogueError): Refusal => ({
  when,
  example: problemOf(error)
})

const explainAll = <Code extends string>(
  errors: Readonly<Record<Code, readonly [when: string, error: CatalogueError]>>
): Readonly<Record<Code, Refusal>> => Record.map(errors, ([when, error]) => explain(when, error))

const read = DocumentInput.reader()

const refusalOf = (document: Readonly<Record<string, unknown>>): CatalogueError => {
  const result = read(document)
  if (Result.isSuccess(result)) throw new Error("The example of a refused document is accepted")
  return result.failure
}
