/**
 * The refusals of each operation, as its responses in the OpenAPI document.
 *
 * Guarantee: status, code and text of a refusal are those of core's catalogue, never written again here. What is
 * written here is when it occurs, once for each code; this module stops compiling when core declares a code that it
 * does not explain, and a test fails when an operation declares a status that has no code here.
 */
import * as DocumentInput from "@dockline/core/DocumentInput"
import * as Errors from "@dockline/core/Errors"
import { Result } from "effect"
import type { HttpServerResponse } from "effect/http"
import * as ContentType from "./ContentType.ts"
import { documentExamples } from "./Examples.ts"
import { defaultHttpConfig } from "./HttpConfig.ts"
import * as Problems from "./Problems.ts"
import type { CatalogueError, Problem } from "./Problems.ts"

/** The instances of the error classes of a module. */
type InstancesOf<Module> = {
  [Name in keyof Module]: Module[Name] extends abstract new(...parameters: never) => infer Instance ? Instance
    : never
}[keyof Module]

/** The codes of core's catalogue, and of the refusals that the adapter makes itself. */
export type ErrorCode =
  | Extract<InstancesOf<typeof Errors>, CatalogueError>["code"]
  | "METHOD_NOT_ALLOWED"
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
    INVALID_PARAMETER: explain(
      "a query parameter is unknown, or a query parameter or header has a bad value",
      new Errors.InvalidParameter({ errors: [{ path: "limit", detail: "must be between 1 and 100" }] })
    ),
    UNAUTHENTICATED: explain(
      "the bearer token is missing, malformed, expired or forged, or its client is disabled; told before the body is read",
      new Errors.Unauthenticated()
    ),
    FORBIDDEN: explain(
      "the token is good, but its client lacks the permission at the business or facility",
      new Errors.Forbidden({ permission: "documents:write", ...at, facility: "west" })
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
    METHOD_NOT_ALLOWED: {
      when: "the path is asked with a method that it does not take; `Allow` names those that it does",
      example: bodyOf(Problems.methodNotAllowed("DELETE", ["POST"]))
    },
    INTERNAL_ERROR: {
      when: "the service failed; `instance` is the correlation id under which its operator finds the reason",
      example: bodyOf(Problems.internal("3f1c2a9e-6a2b-4f3e-9a53-0c6a5d1f7b21"))
    }
  }
}

const explain = (when: string, error: CatalogueError): Refusal => ({
  when,
  example: Problems.problemOf(error)
})

const read = DocumentInput.reader()

const refusalOf = (document: Readonly<Record<string, unknown>>): CatalogueError => {
  const result = read(document)
  if (Result.isSuccess(result)) throw new Error("The example of a refused document is accepted")
  return result.failure
}

/** The problem in a response of {@link Problems}, which makes its own refusals as responses only. */
const bodyOf = ({ body }: HttpServerResponse.HttpServerResponse): Problem => {
  if (body._tag !== "Uint8Array") throw new Error("A problem is written as bytes")
  return JSON.parse(new TextDecoder().decode(body.body)) as Problem
}

const anywhere = ["METHOD_NOT_ALLOWED", "INTERNAL_ERROR"] as const
const secured = ["UNAUTHENTICATED", "STORAGE_UNAVAILABLE", "ISSUER_UNAVAILABLE", ...anywhere] as const
const listed = [
  "INVALID_PARAMETER",
  "FORBIDDEN",
  "BUSINESS_NOT_FOUND",
  "FACILITY_NOT_FOUND",
  ...secured
] as const

/** The codes that each operation can be refused with; for the token endpoint beside {@link tokenRefusals}. */
export const codesOf: Readonly<Record<string, ReadonlyArray<ErrorCode>>> = {
  submitDocument: [
    "MALFORMED_DOCUMENT",
    "INVALID_PARAMETER",
    "FORBIDDEN",
    "BUSINESS_NOT_FOUND",
    "FACILITY_NOT_FOUND",
    "DUPLICATE_ORDER_ITEM_KEY",
    "DUPLICATE_ITEM_IN_REQUEST",
    "DUPLICATE_ORDER_IN_REQUEST",
    "SHIPMENT_CONFLICT",
    "SHIPMENT_TOO_LARGE",
    "IDEMPOTENCY_KEY_IN_USE",
    "PAYLOAD_TOO_LARGE",
    "TOO_MANY_ITEMS",
    "UNSUPPORTED_MEDIA_TYPE",
    "INVALID_DOCUMENT",
    "UNKNOWN_DOCK",
    "IDEMPOTENCY_KEY_REUSED",
    ...secured
  ],
  getShipment: ["SHIPMENT_NOT_FOUND", ...secured],
  listShipments: listed,
  listOrders: listed,
  requestToken: ["METHOD_NOT_ALLOWED"],
  listKeys: ["STORAGE_UNAVAILABLE", ...anywhere],
  healthz: anywhere,
  readyz: ["STORAGE_UNAVAILABLE", ...anywhere]
}

/** An error of the token endpoint (RFC 6749, section 5.2). */
export interface TokenRefusal {
  readonly status: number
  readonly error: string
  readonly when: string
}

/** The errors of the token endpoint. */
export const tokenRefusals: ReadonlyArray<TokenRefusal> = [
  {
    status: 400,
    error: "invalid_request",
    when:
      "the body cannot be read, a parameter is missing, given twice or of a wrong type, or tokens are issued elsewhere: `error_description` names the issuer"
  },
  { status: 400, error: "unsupported_grant_type", when: "`grant_type` is not `client_credentials`" },
  { status: 400, error: "invalid_target", when: "`audience` is not the GraphQL API address of this service" },
  { status: 401, error: "invalid_client", when: "the client is unknown or disabled, or its secret is wrong" },
  { status: 413, error: "invalid_request", when: "the body is larger than the endpoint reads" },
  { status: 415, error: "invalid_request", when: "the body is neither JSON nor a form" },
  {
    status: 500,
    error: "server_error",
    when: "the service failed; its operator finds the reason by the Correlation-Id"
  },
  { status: 503, error: "temporarily_unavailable", when: "the database cannot be reached at the moment" }
]
