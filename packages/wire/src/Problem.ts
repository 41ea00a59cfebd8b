/**
 * Writes refusals: as problems (RFC 9457) with the headers of their status, as GraphQL errors, and as complete HTTP
 * answers for sockets that have no response object (D4.2, D4.3, D8.6). Internal details are never
 * shown. Each category of errors has its HTTP status, its GraphQL code, and the time after which to repeat the request (D4.4).
 */
import { maxFaults } from "@dockline/core/input/Faults"
import type {
  CatalogueError,
  ErrorCategory,
  ErrorClass,
  FieldError
} from "@dockline/core/values/CatalogueError"
import { isKept } from "@dockline/core/values/CatalogueError"
import { Unauthenticated } from "@dockline/core/values/Errors"
import { MethodNotAllowed, UnsupportedMediaType } from "@dockline/core/values/RequestErrors"
import { Struct } from "effect"
import { correlationHeader, correlationIdOf, noStore } from "./AnswerHeaders.ts"

/** The `extensions.code` of an error over GraphQL (D8.6). */
export type GraphqlCode =
  | "UNAUTHENTICATED"
  | "FORBIDDEN"
  | "NOT_FOUND"
  | "BAD_USER_INPUT"
  | "CONFLICT"
  | "HISTORY_EXPIRED"
  | "CURSOR_AHEAD"
  | "TOO_MANY_MESSAGES"
  | "RATE_LIMITED"
  | "INTERNAL"

interface Form {
  readonly status: number
  readonly graphqlCode: GraphqlCode
}

const forms: Readonly<Record<ErrorCategory, Form>> = {
  malformed: { status: 400, graphqlCode: "BAD_USER_INPUT" },
  unauthenticated: { status: 401, graphqlCode: "UNAUTHENTICATED" },
  forbidden: { status: 403, graphqlCode: "FORBIDDEN" },
  notFound: { status: 404, graphqlCode: "NOT_FOUND" },
  methodNotAllowed: { status: 405, graphqlCode: "BAD_USER_INPUT" },
  notAcceptable: { status: 406, graphqlCode: "BAD_USER_INPUT" },
  tooSlow: { status: 408, graphqlCode: "BAD_USER_INPUT" },
  conflict: { status: 409, graphqlCode: "CONFLICT" },
  expired: { status: 410, graphqlCode: "HISTORY_EXPIRED" },
  ahead: { status: 409, graphqlCode: "CURSOR_AHEAD" },
  preconditionFailed: { status: 412, graphqlCode: "CONFLICT" },
  tooMany: { status: 413, graphqlCode: "TOO_MANY_MESSAGES" },
  tooLarge: { status: 413, graphqlCode: "BAD_USER_INPUT" },
  unsupportedMediaType: { status: 415, graphqlCode: "BAD_USER_INPUT" },
  misdirected: { status: 421, graphqlCode: "BAD_USER_INPUT" },
  unprocessable: { status: 422, graphqlCode: "BAD_USER_INPUT" },
  upgradeRequired: { status: 426, graphqlCode: "BAD_USER_INPUT" },
  rateLimited: { status: 429, graphqlCode: "RATE_LIMITED" },
  headTooLarge: { status: 431, graphqlCode: "BAD_USER_INPUT" },
  internal: { status: 500, graphqlCode: "INTERNAL" },
  notImplemented: { status: 501, graphqlCode: "INTERNAL" },
  unavailable: { status: 503, graphqlCode: "INTERNAL" }
}

/** The statuses of refusals that are not kept under an idempotency key. */
const transientStatuses: ReadonlySet<number> = new Set(
  Struct.keys(forms).flatMap((category) => isKept(category) ? [] : [forms[category].status])
)

/** The HTTP status of errors of a category (D4.4). */
export const statusOf = (category: ErrorCategory): number => forms[category].status

/** The `extensions.code` of errors of a category over GraphQL (D8.6). */
export const graphqlCodeOf = (category: ErrorCategory): GraphqlCode => forms[category].graphqlCode

/** Whether an answer of this status is replayed to a repeated request with the same key (D5.2). */
export const isKeptStatus = (status: number): boolean => !transientStatuses.has(status)

/** The number of seconds after which to repeat a refused request; `undefined` if a repetition alone does not help. */
export const retryAfterOf = (
  { category, retryAfterSeconds }: Pick<CatalogueError, "category" | "retryAfterSeconds">
): number | undefined => retryAfterSeconds ?? (category === "unavailable" ? 2 : undefined)

/** A refusal in the form of RFC 9457, with the additional members of D4.2. */
export interface Problem {
  readonly type: "about:blank"
  readonly title: string
  readonly status: number
  readonly detail: string
  readonly code: string
  readonly errors?: ReadonlyArray<FieldError>
  readonly droppedId?: number
  readonly newestId?: number
  readonly instance?: string
}

/** The media type of a {@link Problem}. */
export const mediaType = "application/problem+json"

/** The statuses of refusals, with their HTTP phrases. */
const titles: Readonly<Record<number, string>> = {
  400: "Bad Request",
  401: "Unauthorized",
  403: "Forbidden",
  404: "Not Found",
  405: "Method Not Allowed",
  406: "Not Acceptable",
  408: "Request Timeout",
  409: "Conflict",
  410: "Gone",
  412: "Precondition Failed",
  413: "Content Too Large",
  415: "Unsupported Media Type",
  421: "Misdirected Request",
  422: "Unprocessable Entity",
  426: "Upgrade Required",
  429: "Too Many Requests",
  431: "Request Header Fields Too Large",
  500: "Internal Server Error",
  501: "Not Implemented",
  503: "Service Unavailable"
}

/** A problem with this status, without the members that only some errors have. Its title is the HTTP phrase of the status (D4.2). */
export const problem = (status: number, code: string, detail: string): Problem => ({
  type: "about:blank",
  title: titles[status] ?? "Error",
  status,
  detail,
  code
})

/**
 * The problem for an error of the catalogue. It lists at most {@link maxFaults} faults, so that an answer stays small, however large the
 * document is.
 */
export const problemOf = (error: CatalogueError): Problem => ({
  ...problem(statusOf(error.category), error.code, error.message),
  ...faultsOf(error),
  ...(error.correlationId === undefined ? {} : { instance: error.correlationId })
})

/** The machine-readable facts of an error, in any interface. */
const faultsOf = ({ droppedId, errors, newestId }: CatalogueError) => ({
  ...(droppedId === undefined ? {} : { droppedId }),
  ...(newestId === undefined ? {} : { newestId }),
  ...(errors === undefined ? {} : { errors: errors.slice(0, maxFaults) })
})

/** A problem with the status and the code of an error, and with a detail for this request. */
export const problemAs = ({ category, code }: ErrorClass, detail: string): Problem =>
  problem(statusOf(category), code, detail)

/** The headers of the answer to an error, in any media type. */
export const headersOf = (error: CatalogueError): Readonly<Record<string, string>> => {
  const retryAfter = retryAfterOf(error)
  return {
    ...(error.category === "unauthenticated" ? { "www-authenticate": challengeOf(error) } : {}),
    ...(error instanceof MethodNotAllowed ? { allow: error.allowed.join(", ") } : {}),
    // RFC 9110, section 15.5.16.
    ...(error instanceof UnsupportedMediaType && error.isCoding === true
      ? { "accept-encoding": "identity" }
      : {}),
    ...(retryAfter === undefined ? {} : { "retry-after": String(retryAfter) }),
    // The rest of the body is not read, so the connection cannot be used for another request.
    ...(statusOf(error.category) === 413 ? { connection: "close" } : {})
  }
}

/** The faults of tokens, as challenges describe them (RFC 6750, section 3). */
export const tokenFaults: Readonly<Record<NonNullable<Unauthenticated["reason"]>, string>> = {
  malformed: "The token is malformed",
  expired: "The token has expired",
  audience: "The token is for another audience",
  invalid: "The token is not valid here"
}

const challengeOf = (error: CatalogueError): string =>
  error instanceof Unauthenticated && error.reason !== undefined
    ? `Bearer error="invalid_token", error_description="${tokenFaults[error.reason]}"`
    : "Bearer"

/** The `extensions` of an error over GraphQL: its code, its reason, whether and when to repeat the request, and its faults (D8.6). */
export const graphqlExtensionsOf = (error: CatalogueError): Readonly<Record<string, unknown>> => ({
  code: graphqlCodeOf(error.category),
  reason: error.code,
  ...(error.category === "unavailable" ? { retryable: true } : {}),
  ...(error.retryAfterSeconds === undefined ? {} : { retryAfterSeconds: error.retryAfterSeconds }),
  ...faultsOf(error)
})

/** The body of a GraphQL answer with this error and no data, as JSON. */
export const graphqlRefusalOf = (error: CatalogueError): string =>
  JSON.stringify({ errors: [{ message: error.message, extensions: graphqlExtensionsOf(error) }] })

/**
 * A problem as a complete HTTP/1.1 answer, for sockets without a response object; the connection must be closed after it. Send the text in
 * Latin-1, the encoding of headers; the body is ASCII.
 */
export const answerOf = (
  problem: Problem,
  correlationId: string | undefined,
  headers: Readonly<Record<string, string>> = {}
): string => {
  const body = toAscii(JSON.stringify(problem))
  const lines = Object.entries({
    ...headers,
    ...noStore,
    "content-type": mediaType,
    "content-length": String(body.length),
    "x-content-type-options": "nosniff",
    [correlationHeader]: correlationIdOf(correlationId),
    connection: "close"
  }).map(([name, value]) => `${name}: ${value}\r\n`)
  return `HTTP/1.1 ${problem.status} ${problem.title}\r\n${lines.join("")}\r\n${body}`
}

const toAscii = (json: string): string =>
  json.replaceAll(/[^\x20-\x7e]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)
