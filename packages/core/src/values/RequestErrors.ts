/**
 * The errors that any request may get, because of its address, size, speed or key, or the capacity of the service.
 */
import { CatalogueError, fields } from "./CatalogueError.ts"
import { secondsInWords } from "./Timestamp.ts"

/** The body has a media type that is not supported here; `detail` may say more. */
export class UnsupportedMediaType extends CatalogueError("UNSUPPORTED_MEDIA_TYPE", "unsupportedMediaType", {
  when:
    "the Content-Type is missing or not one of those listed, or its charset or the content coding is not supported",
  example: fields<{
    readonly supported: ReadonlyArray<string>
    readonly detail?: string
    /** Whether the unsupported part is the content coding. */
    readonly isCoding?: boolean
  }>({
    supported: ["application/json, application/xml or text/xml"]
  }),
  message: ({ detail, supported }) =>
    detail ?? `The media type of the body is not supported; send ${supported.join(" or ")}`
}) {}

/** The body is larger than the service reads; the limit is in bytes. */
export class PayloadTooLarge extends CatalogueError("PAYLOAD_TOO_LARGE", "tooLarge", {
  when: "the body is larger than the limit of the service",
  example: { limit: 10_485_760 },
  message: ({ limit }) => `The body is larger than ${limit} bytes`
}) {}

/** The program that embeds Dockline has read the body before Dockline could. */
export class BodyAlreadyRead extends CatalogueError("BODY_ALREADY_READ", "internal", {
  when: "the service is embedded in a program that reads bodies before the service can",
  example: {},
  message:
    "The body was read before Dockline got it; mount Dockline before any parser of bodies, such as express.json()"
}) {}

/** The Idempotency-Key was used for another request (D5.2). */
export class IdempotencyKeyReused extends CatalogueError("IDEMPOTENCY_KEY_REUSED", "unprocessable", {
  when: "this Idempotency-Key was sent with another request",
  example: {},
  message: "This Idempotency-Key was used for another request; use a new key for a new request"
}) {}

/** The first request with this Idempotency-Key still runs (D5.2). */
export class IdempotencyKeyInUse extends CatalogueError("IDEMPOTENCY_KEY_IN_USE", "conflict", {
  when: "the first request with this Idempotency-Key is still running",
  example: {},
  message: "A request with this Idempotency-Key is still running; repeat it to get its answer"
}) {}

/** The entity does not have the version that the request expects, because somebody has changed it meanwhile (D11). */
export class PreconditionFailed extends CatalogueError("PRECONDITION_FAILED", "preconditionFailed", {
  when:
    "`If-Match` names another version, because somebody has changed the entity meanwhile; or a document with `If-None-Match: *` has an order that already exists",
  example: fields<{ readonly detail?: string }>({}),
  message: ({ detail }) =>
    detail ??
      "Somebody has changed it meanwhile, and nothing was done; read it again, and send the change with its new ETag"
}) {}

/** The client, or an address that asks for tokens, has sent more requests in one window than its limit (D10.5). */
export class RateLimited extends CatalogueError("RATE_LIMITED", "rateLimited", {
  when: "the client has sent as many requests as it may within a minute; go on after Retry-After seconds",
  example: { limit: 6000, windowSeconds: 60, retryAfterSeconds: 42 },
  message: ({ limit, windowSeconds, retryAfterSeconds }) =>
    `More than ${limit === 1 ? "1 request" : `${limit} requests`} in ${
      secondsInWords(windowSeconds)
    }; go on after ${secondsInWords(retryAfterSeconds)}`
}) {}

/** Without a token for the metrics, only requests from the machine itself may read them. */
export class MetricsForbidden extends CatalogueError("METRICS_FORBIDDEN", "forbidden", {
  when: "no token for metrics is set, and the request comes from another machine or through a proxy",
  example: {},
  message:
    "Without METRICS_TOKEN, metrics are shown only to the machine itself, and only by a server that listens on a loopback address with a loopback BASE_URL; set METRICS_TOKEN and send it as bearer token"
}) {}

/** The keys of the external token issuer cannot be fetched, so no token can be checked (D10.2). */
export class IssuerUnavailable extends CatalogueError("ISSUER_UNAVAILABLE", "unavailable", {
  when:
    "the keys of the external token issuer cannot be fetched at the moment; repeat the request after Retry-After seconds",
  example: fields<{ readonly cause: unknown }>({ cause: undefined }),
  message: "The token cannot be checked at the moment; repeat the request"
}) {}

/** The service is overloaded at the moment. The request was refused before anything was done. */
export class Overloaded extends CatalogueError("OVERLOADED", "unavailable", {
  when:
    "the service is overloaded at the moment; nothing was done, repeat the request after Retry-After seconds",
  example: { retryAfterSeconds: 2 },
  message: ({ retryAfterSeconds }) =>
    `The service has too much to do at the moment; repeat the request after ${
      secondsInWords(retryAfterSeconds)
    }`
}) {}

/** The service is stopping and refuses new requests. */
export class Stopping extends CatalogueError("STOPPING", "unavailable", {
  when: "the service is stopping; repeat the request after Retry-After seconds, on a new connection",
  example: {},
  message: "The service is stopping; repeat the request"
}) {}

/** There is nothing at the path. */
export class ResourceNotFound extends CatalogueError("RESOURCE_NOT_FOUND", "notFound", {
  when: "there is nothing at the path",
  example: { path: "/v1/shipment" },
  message: ({ path }) => `No resource at ${path.length > 200 ? `${path.slice(0, 200)}…` : path}`
}) {}

/** The request names a host that is not one of this server (D12.5). */
export class MisdirectedRequest extends CatalogueError("MISDIRECTED_REQUEST", "misdirected", {
  when: "the `Host` of the request is not one of the service",
  example: { host: "10.0.0.5:8080", baseUrl: "https://logistics.example.com" },
  message: ({ baseUrl, host }) =>
    `${
      host === "" ? "The request names no host" : `This server is not ${host.slice(0, 200)}`
    }; it is at ${baseUrl} (the setting BASE_URL). Send requests there, or have its operator set BASE_URL to the address that clients use`
}) {}

/** The path does not support the method; the `Allow` header of the answer lists the methods that it supports. */
export class MethodNotAllowed extends CatalogueError("METHOD_NOT_ALLOWED", "methodNotAllowed", {
  when: "the path does not support the method; `Allow` names those that it supports",
  example: fields<{ readonly method: string; readonly allowed: ReadonlyArray<string> }>({
    method: "DELETE",
    allowed: ["POST"]
  }),
  message: ({ method, allowed }) => `${method} is not allowed here; allowed: ${allowed.join(", ")}`
}) {}

/** The request, or its body, did not arrive in time. */
export class RequestTimeout extends CatalogueError("REQUEST_TIMEOUT", "tooSlow", {
  when: "the request, or its body, arrives too slowly; the connection is closed",
  example: {},
  message: "The request did not arrive in time; repeat it on a new connection"
}) {}

/** The address and the headers of the request are larger than the service reads; the limit is in bytes. */
export class HeadersTooLarge extends CatalogueError("HEADERS_TOO_LARGE", "headTooLarge", {
  when: "the address and the headers are too large; the connection is closed",
  example: { limit: 16_384 },
  message: ({ limit }) => `The address and the headers of the request are larger than ${limit} bytes`
}) {}

/** The service failed by a defect; the client sees only the id under which the defect is logged. */
export class InternalError extends CatalogueError("INTERNAL_ERROR", "internal", {
  when: "the service failed; `instance` is the correlation id under which its operator finds the reason",
  example: { correlationId: "3f1c2a9e-6a2b-4f3e-9a53-0c6a5d1f7b21" },
  message: "The service failed to process the request; quote the correlation id to its operator"
}) {}

/** The service does not implement the transfer coding or the method of the request. */
export class NotImplemented extends CatalogueError("NOT_IMPLEMENTED", "notImplemented", {
  when: "the service does not know the transfer coding of the body, or the method is CONNECT",
  example: {},
  message: "The transfer coding of the body is not implemented; send it as it is, or chunked"
}) {}

/** The client accepts no media type of GraphQL answers. */
export class NotAcceptable extends CatalogueError("NOT_ACCEPTABLE", "notAcceptable", {
  when: "`Accept` names no media type that a GraphQL answer can have",
  example: {},
  message:
    "Accept application/graphql-response+json or application/json, or text/event-stream for a subscription"
}) {}

/** A WebSocket is opened with a version other than 13. */
export class WebsocketVersion extends CatalogueError("WEBSOCKET_VERSION", "upgradeRequired", {
  when: "a WebSocket is opened with a version other than 13",
  example: {},
  message: "Send Sec-WebSocket-Version: 13"
}) {}

/** A WebSocket is opened only for unsupported subprotocols. */
export class SubprotocolNotSupported extends CatalogueError("SUBPROTOCOL_NOT_SUPPORTED", "malformed", {
  when: "a WebSocket is opened for another subprotocol",
  example: { subprotocol: "graphql-transport-ws" },
  message: ({ subprotocol }) => `Offer the subprotocol ${subprotocol}; no other is supported`
}) {}
