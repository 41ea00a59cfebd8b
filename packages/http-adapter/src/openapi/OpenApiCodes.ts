/**
 * Which refusals each operation can give, for the responses in the OpenAPI document. A test fails when an operation
 * declares a status that has no code here.
 */
import type { ErrorCode } from "./OpenApiErrors.ts"

/** Answered before any operation is chosen. */
const unrouted = ["METHOD_NOT_ALLOWED", "REQUEST_TIMEOUT", "HEADERS_TOO_LARGE"] as const
const anywhere = [...unrouted, "INTERNAL_ERROR"] as const
const secured = [
  "UNAUTHENTICATED",
  "RATE_LIMITED",
  "OVERLOADED",
  "STOPPING",
  "STORAGE_UNAVAILABLE",
  "ISSUER_UNAVAILABLE",
  ...anywhere
] as const
const listed = [
  "INVALID_PARAMETER",
  "FORBIDDEN",
  "BUSINESS_NOT_FOUND",
  "FACILITY_NOT_FOUND",
  ...secured
] as const

/** The codes of a request with a body in JSON. */
const sent = [
  "MALFORMED_REQUEST",
  "INVALID_PARAMETER",
  "PAYLOAD_TOO_LARGE",
  "UNSUPPORTED_MEDIA_TYPE",
  ...secured
] as const

/** The codes of a write that may be repeated under a key. */
const written = [
  "IDEMPOTENCY_KEY_IN_USE",
  "INVALID_REQUEST",
  "IDEMPOTENCY_KEY_REUSED",
  ...sent
] as const
const moved = ["FORBIDDEN", "SHIPMENT_NOT_FOUND", ...written] as const

const operated = ["INVALID_PARAMETER", "FORBIDDEN", ...secured] as const
const done = ["FORBIDDEN", ...sent] as const
const set = ["INVALID_REQUEST", ...done] as const
const client = ["CLIENT_NOT_FOUND", ...operated] as const
const endpoint = ["WEBHOOK_ENDPOINT_NOT_FOUND", ...operated] as const

/** The codes that each operation of the operator side can be refused with. */
const operatorCodes = {
  listBusinesses: operated,
  createBusiness: ["BUSINESS_EXISTS", ...set],
  getBusiness: ["BUSINESS_NOT_FOUND", ...operated],
  renameBusiness: ["BUSINESS_NOT_FOUND", ...set],
  getFieldMap: ["BUSINESS_NOT_FOUND", ...operated],
  setFieldMap: ["BUSINESS_NOT_FOUND", ...set],
  listFacilities: ["BUSINESS_NOT_FOUND", ...operated],
  createFacility: ["BUSINESS_NOT_FOUND", "FACILITY_EXISTS", "TOO_MANY_ENTRIES", ...set],
  getFacility: ["BUSINESS_NOT_FOUND", "FACILITY_NOT_FOUND", ...operated],
  renameFacility: ["BUSINESS_NOT_FOUND", "FACILITY_NOT_FOUND", ...set],
  listDocks: ["BUSINESS_NOT_FOUND", "FACILITY_NOT_FOUND", ...operated],
  createDock: ["BUSINESS_NOT_FOUND", "FACILITY_NOT_FOUND", "DOCK_EXISTS", "TOO_MANY_ENTRIES", ...set],
  listClients: operated,
  createClient: set,
  getClient: client,
  updateClient: ["CLIENT_NOT_FOUND", ...set],
  createSecret: ["CLIENT_NOT_FOUND", "TOO_MANY_SECRETS", ...done],
  deleteSecret: ["SECRET_NOT_FOUND", ...client],
  listWebhookEndpoints: operated,
  createWebhookEndpoint: [
    "BUSINESS_NOT_FOUND",
    "FACILITY_NOT_FOUND",
    "TOO_MANY_ENTRIES",
    "SECRETS_KEY_MISSING",
    "HISTORY_EXPIRED",
    "CURSOR_AHEAD",
    ...set
  ],
  getWebhookEndpoint: endpoint,
  updateWebhookEndpoint: ["WEBHOOK_ENDPOINT_NOT_FOUND", "SECRETS_KEY_MISSING", ...set],
  deleteWebhookEndpoint: endpoint,
  rotateSigningSecret: ["WEBHOOK_ENDPOINT_NOT_FOUND", "SECRETS_KEY_MISSING", ...done],
  advanceMessages: ["ADVANCE_TOO_FAR", ...set],
  listDeliveries: endpoint,
  replayDelivery: ["WEBHOOK_ENDPOINT_NOT_FOUND", "DELIVERY_NOT_FOUND", ...done],
  replayDeliveries: ["WEBHOOK_ENDPOINT_NOT_FOUND", "TOO_MANY_DELIVERIES", ...set]
} as const

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
  requestToken: unrouted,
  ...operatorCodes,
  describeAuthorizationServer: ["OVERLOADED", "STOPPING", ...anywhere],
  describeOpenIdProvider: ["OVERLOADED", "STOPPING", ...anywhere],
  listKeys: ["OVERLOADED", "STOPPING", "STORAGE_UNAVAILABLE", ...anywhere],
  healthz: anywhere,
  readyz: ["STOPPING", "STORAGE_UNAVAILABLE", ...anywhere],
  metrics: ["UNAUTHENTICATED", "METRICS_FORBIDDEN", ...anywhere]
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
    status: 429,
    error: "temporarily_unavailable",
    when:
      "the client id was sent with a wrong secret too often from this address within a minute; repeat the request after Retry-After seconds"
  },
  {
    status: 500,
    error: "server_error",
    when: "the service failed; its operator finds the reason by the Correlation-Id"
  },
  {
    status: 503,
    error: "temporarily_unavailable",
    when: "the database cannot be reached at the moment, or the service has too much to do"
  }
]
