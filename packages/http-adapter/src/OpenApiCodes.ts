/**
 * Which refusals each operation can give, for the responses in the OpenAPI document. A test fails when an operation
 * declares a status that has no code here.
 */
import type { ErrorCode } from "./OpenApiErrors.ts"

const anywhere = ["METHOD_NOT_ALLOWED", "INTERNAL_ERROR"] as const
const secured = ["UNAUTHENTICATED", "STORAGE_UNAVAILABLE", "ISSUER_UNAVAILABLE", ...anywhere] as const
const listed = [
  "INVALID_PARAMETER",
  "FORBIDDEN",
  "BUSINESS_NOT_FOUND",
  "FACILITY_NOT_FOUND",
  ...secured
] as const

/** The codes of a write in JSON. */
const written = [
  "MALFORMED_REQUEST",
  "INVALID_PARAMETER",
  "IDEMPOTENCY_KEY_IN_USE",
  "PAYLOAD_TOO_LARGE",
  "UNSUPPORTED_MEDIA_TYPE",
  "INVALID_REQUEST",
  "IDEMPOTENCY_KEY_REUSED",
  ...secured
] as const
const moved = ["FORBIDDEN", "SHIPMENT_NOT_FOUND", ...written] as const

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
  getShipment: ["INVALID_PARAMETER", "SHIPMENT_NOT_FOUND", ...secured],
  listShipments: listed,
  listOrders: listed,
  recordPalletEvent: [
    "FORBIDDEN",
    "BUSINESS_NOT_FOUND",
    "FACILITY_NOT_FOUND",
    "SHIPMENT_NOT_FOUND",
    "EVENT_ID_REUSED",
    "PALLET_NOT_MATCHED",
    "SHIPMENT_DEPARTED",
    "TOO_MANY_PALLET_EVENTS",
    "UNKNOWN_DOCK",
    ...written
  ],
  arriveShipment: ["UNKNOWN_DOCK", "INVALID_TRANSITION", ...moved],
  departShipment: ["INVALID_TRANSITION", ...moved],
  linkShipments: ["SHIPMENT_DEPARTED", "TOO_MANY_LINKS", ...moved],
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
