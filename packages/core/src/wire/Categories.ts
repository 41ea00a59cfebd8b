/**
 * What becomes of each category of errors on the wire: its HTTP status, its GraphQL code, whether its answer is kept
 * under an `Idempotency-Key`, when to repeat the request (D4.3, D4.4, D5.2, D8.6).
 *
 * Guarantee: the table stops compiling when a category is added.
 */
import { Overloaded } from "../values/Errors.ts"
import type { ErrorCategory, FieldError } from "../values/Errors.ts"

/** What an answer is made from: an error of the catalogue, or one that is shaped like it. */
export interface CatalogueError {
  readonly category: ErrorCategory
  readonly code: string
  readonly message: string
  readonly errors?: ReadonlyArray<FieldError>
  /** The id after which messages can be read, where those before have been dropped. */
  readonly droppedId?: number
  /** The newest id of the log, where a cursor lies beyond it. */
  readonly newestId?: number
  /** After how many seconds the request may succeed, where that is known. */
  readonly retryAfterSeconds?: number
}

/** The values of `extensions.code` that errors of the catalogue have. */
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
  conflict: { status: 409, graphqlCode: "CONFLICT" },
  expired: { status: 410, graphqlCode: "HISTORY_EXPIRED" },
  ahead: { status: 409, graphqlCode: "CURSOR_AHEAD" },
  tooMany: { status: 413, graphqlCode: "TOO_MANY_MESSAGES" },
  tooLarge: { status: 413, graphqlCode: "BAD_USER_INPUT" },
  unsupportedMediaType: { status: 415, graphqlCode: "BAD_USER_INPUT" },
  unprocessable: { status: 422, graphqlCode: "BAD_USER_INPUT" },
  rateLimited: { status: 429, graphqlCode: "RATE_LIMITED" },
  internal: { status: 500, graphqlCode: "INTERNAL" },
  unavailable: { status: 503, graphqlCode: "INTERNAL" }
}

/** The HTTP status of a request that is refused so. */
export const statusOf = (category: ErrorCategory): number => forms[category].status

/** `extensions.code` of an error of GraphQL. */
export const graphqlCodeOf = (category: ErrorCategory): GraphqlCode => forms[category].graphqlCode

/**
 * Whether an answer of this status is given again to the same request under its key. One that says nothing about the
 * request itself is not: with another token, another body, or a moment later it would be another (D5.2).
 */
export const isKeptStatus = (status: number): boolean =>
  status < 500 && status !== 401 && status !== 413 && status !== 415 && status !== 429

/** Whether a refusal of this category is given again to the same request under its key. */
export const isKept = (category: ErrorCategory): boolean => isKeptStatus(statusOf(category))

/** After how many seconds a refused request is to be repeated; `undefined` where that does not help by itself. */
export const retryAfterOf = (
  { category, retryAfterSeconds }: Pick<CatalogueError, "category" | "retryAfterSeconds">
): number | undefined => retryAfterSeconds ?? (category === "unavailable" ? 2 : undefined)

/** A refusal for overload. Clients that are refused at once are told 1, 2 or 3 seconds, so as not to return at once. */
export const overloaded = (chance: number = Math.random()): Overloaded =>
  new Overloaded({ retryAfterSeconds: 1 + Math.floor(chance * 3) })
