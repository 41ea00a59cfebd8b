/**
 * Errors as GraphQL shows them: `extensions.code` for what kind of error it is, `extensions.reason` for the machine
 * code of the catalogue, `extensions.errors` for the fields at fault, `extensions.retryable` where repeating the request
 * may help, `extensions.retryAfterSeconds` when, `extensions.droppedId` from which id on messages are still there (D8.6).
 *
 * Guarantee: both codes and the text derive from the one declaration in core; the table of categories stops compiling
 * when a category is added; nothing internal is ever shown.
 */
import { maxFaults } from "@dockline/core/DocumentCheck"
import type { ErrorCategory, FieldError } from "@dockline/core/Errors"
import { GraphQLError } from "graphql"

/** What an error is made from: an error of core's catalogue, or one that is shaped like it. */
export interface CatalogueError {
  readonly category: ErrorCategory
  readonly code: string
  readonly message: string
  readonly errors?: ReadonlyArray<FieldError>
  /** The id after which messages can be read, where those before have been dropped. */
  readonly droppedId?: number
  /** After how many seconds the operation may succeed, where that is known. */
  readonly retryAfterSeconds?: number
}

/** The values of `extensions.code`. */
export type GraphqlCode =
  | "UNAUTHENTICATED"
  | "FORBIDDEN"
  | "NOT_FOUND"
  | "BAD_USER_INPUT"
  | "CONFLICT"
  | "HISTORY_EXPIRED"
  | "TOO_MANY_MESSAGES"
  | "RATE_LIMITED"
  | "INTERNAL"
  | "GRAPHQL_PARSE_FAILED"
  | "GRAPHQL_VALIDATION_FAILED"

interface Form {
  readonly code: GraphqlCode
  /** The HTTP status where the request itself is refused; an error of a field does not change the answer's. */
  readonly status: number
}

/** Each category's form. */
export const forms: Readonly<Record<ErrorCategory, Form>> = {
  malformed: { code: "BAD_USER_INPUT", status: 400 },
  unauthenticated: { code: "UNAUTHENTICATED", status: 401 },
  forbidden: { code: "FORBIDDEN", status: 403 },
  notFound: { code: "NOT_FOUND", status: 404 },
  methodNotAllowed: { code: "BAD_USER_INPUT", status: 405 },
  conflict: { code: "CONFLICT", status: 409 },
  expired: { code: "HISTORY_EXPIRED", status: 410 },
  tooMany: { code: "TOO_MANY_MESSAGES", status: 413 },
  tooLarge: { code: "BAD_USER_INPUT", status: 413 },
  unsupportedMediaType: { code: "BAD_USER_INPUT", status: 415 },
  unprocessable: { code: "BAD_USER_INPUT", status: 422 },
  rateLimited: { code: "RATE_LIMITED", status: 429 },
  internal: { code: "INTERNAL", status: 500 },
  unavailable: { code: "INTERNAL", status: 503 }
}

/** The GraphQL error of an error of the catalogue. At most {@link maxFaults} faults are listed. */
export const ofCatalogue = (error: CatalogueError): GraphQLError =>
  new GraphQLError(error.message, {
    extensions: {
      code: forms[error.category].code,
      reason: error.code,
      ...(error.category === "unavailable" ? { retryable: true } : {}),
      ...(error.retryAfterSeconds === undefined ? {} : { retryAfterSeconds: error.retryAfterSeconds }),
      ...(error.droppedId === undefined ? {} : { droppedId: error.droppedId }),
      ...(error.errors === undefined ? {} : { errors: error.errors.slice(0, maxFaults) })
    }
  })

/** Whether the same request may well succeed in a moment: the storage or the token issuer is away. */
export const isRetryable = (
  { extensions }: { readonly extensions?: Readonly<Record<string, unknown>> | undefined }
): boolean => extensions?.["retryable"] === true

/** A defect of ours: nothing is shown but the correlation id under which it is logged. */
export const internal = (correlationId: string): GraphQLError =>
  new GraphQLError("The service failed to process the request; quote the correlation id to its operator", {
    extensions: { code: "INTERNAL", reason: "INTERNAL_ERROR", correlationId }
  })

/** Input that GraphQL itself refuses. */
export const badInput = (message: string): GraphQLError =>
  new GraphQLError(clip(message), { extensions: { code: "BAD_USER_INPUT" } })

const longestMessage = 1000

/** GraphQL's own messages quote the client, who may have sent much. */
export const clip = (message: string): string =>
  message.length > longestMessage ? `${message.slice(0, longestMessage).toWellFormed()}…` : message

/** The same error with a code, unless it has one. */
export const withCode = (error: GraphQLError, code: GraphqlCode): GraphQLError => {
  if (error.extensions["code"] !== undefined) return error
  const { message, nodes, source, positions, path, originalError } = error
  return new GraphQLError(clip(message), {
    nodes,
    source,
    positions,
    path,
    originalError,
    extensions: { ...error.extensions, code }
  })
}
