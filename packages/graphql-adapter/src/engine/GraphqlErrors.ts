/**
 * Errors as GraphQL shows them: `extensions.code` for what kind of error it is, `extensions.reason` for the machine
 * code of the catalogue, `extensions.errors` for the fields at fault, `extensions.retryable` where repeating the request
 * may help, `extensions.retryAfterSeconds` when, `extensions.droppedId` from which id on messages are still there,
 * `extensions.newestId` the newest id of a log that a cursor lies beyond (D8.6).
 *
 * Guarantee: both codes and the text derive from the one declaration in core; nothing internal is ever shown.
 */
import type { ErrorCategory } from "@dockline/core/Errors"
import type { CatalogueError, GraphqlCode as CatalogueCode } from "@dockline/core/internal/Categories"
import * as Problem from "@dockline/core/internal/Problem"
import { GraphQLError } from "graphql"

/** The values of `extensions.code`. */
export type GraphqlCode = CatalogueCode | "GRAPHQL_PARSE_FAILED" | "GRAPHQL_VALIDATION_FAILED"

class CatalogueGraphqlError extends GraphQLError {
  readonly category: ErrorCategory

  constructor(error: CatalogueError) {
    super(error.message, { extensions: Problem.graphqlExtensionsOf(error) })
    this.category = error.category
  }
}

/** The GraphQL error of an error of the catalogue. */
export const ofCatalogue = (error: CatalogueError): GraphQLError => new CatalogueGraphqlError(error)

/** The category of an error of the catalogue, wherever in an operation it occurred; GraphQL's own have none. */
export const categoryOf = (error: Error | undefined): ErrorCategory | undefined => {
  if (error instanceof CatalogueGraphqlError) return error.category
  return error instanceof GraphQLError ? categoryOf(error.originalError) : undefined
}

/** Whether the same request may well succeed in a moment: the storage or the token issuer is away. */
export const isRetryable = (
  { extensions }: { readonly extensions?: Readonly<Record<string, unknown>> | undefined }
): boolean => extensions?.["retryable"] === true

/** A defect of ours: nothing is shown but the correlation id under which it is logged. */
export const internal = (correlationId: string): GraphQLError => {
  const { code, detail } = Problem.internal(correlationId)
  return new GraphQLError(detail, { extensions: { code: "INTERNAL", reason: code, correlationId } })
}

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
