/**
 * Errors as GraphQL shows them: `extensions.code` for what kind of error it is, `extensions.reason` for the machine
 * code of the catalogue, `extensions.errors` for the fields at fault, `extensions.retryable` where repeating the request
 * may help, `extensions.retryAfterSeconds` when, `extensions.droppedId` from which id on messages are still there,
 * `extensions.newestId` the newest id of a log that a cursor lies beyond (D8.6).
 *
 * Guarantee: both codes and the text derive from the one declaration in core; nothing internal is ever shown.
 */
import type { CatalogueError } from "@dockline/core/values/CatalogueError"
import { InternalError } from "@dockline/core/values/RequestErrors"
import type { GraphqlCode as CatalogueCode } from "@dockline/wire/Categories"
import * as Problem from "@dockline/wire/Problem"
import { GraphQLError } from "graphql"

export type GraphqlCode = CatalogueCode | "GRAPHQL_PARSE_FAILED" | "GRAPHQL_VALIDATION_FAILED"

export const ofCatalogue = (error: CatalogueError): GraphQLError =>
  new GraphQLError(error.message, { extensions: Problem.graphqlExtensionsOf(error) })

/** Whether the same request may succeed later: the storage or the token issuer is away. */
export const isRetryable = (
  { extensions }: { readonly extensions?: Readonly<Record<string, unknown>> | undefined }
): boolean => extensions?.["retryable"] === true

/** The error of a defect: it shows only the correlation id under which the defect is logged. */
export const internal = (correlationId: string): GraphQLError => {
  const error = new InternalError({ correlationId })
  return new GraphQLError(error.message, {
    extensions: { ...Problem.graphqlExtensionsOf(error), correlationId }
  })
}

/** Input that GraphQL itself refuses. */
export const badInput = (message: string): GraphQLError =>
  new GraphQLError(clip(message), { extensions: { code: "BAD_USER_INPUT" } })

const longestMessage = 1000

/** GraphQL's own messages quote the client's text, which may be long. */
export const clip = (message: string): string =>
  message.length > longestMessage ? `${message.slice(0, longestMessage).toWellFormed()}…` : message

/** Adds a code to an error without one. */
export const withCode = (error: GraphQLError, code: GraphqlCode): GraphQLError => {
  if (error.extensions["code"] !== undefined) return error
  const { message, nodes, source, positions, path, originalError } = error
  const extensions = { ...error.extensions, code }
  return new GraphQLError(clip(message), { nodes, source, positions, path, originalError, extensions })
}
