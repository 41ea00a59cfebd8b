/** Maps each category of errors to its HTTP status, its GraphQL code, and the time after which to repeat the request (D4.3, D4.4, D8.6). */
import { isKept } from "@dockline/core/values/CatalogueError"
import type { CatalogueError, ErrorCategory } from "@dockline/core/values/CatalogueError"
import { Struct } from "effect"

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
