/**
 * Runs effects in resolvers, and shows errors as GraphQL does: `extensions.code` for the kind of an error, `extensions.reason` for its code
 * in the catalogue, and its other machine-readable facts (D8.6).
 *
 * Guarantee: codes and texts derive from the one declaration in core. A defect is logged under the correlation id, and the client sees
 * only that id.
 */
import type { Session } from "@dockline/core/access/Authenticator"
import type { Once } from "@dockline/core/access/Idempotency"
import { OperationRegistry } from "@dockline/core/capability/OperationRegistry"
import type { DocumentRules } from "@dockline/core/document/DocumentInput"
import { DocumentReader } from "@dockline/core/document/DocumentReader"
import { Intake } from "@dockline/core/document/Intake"
import { Strategies } from "@dockline/core/document/Strategy"
import { MessageLog } from "@dockline/core/messages/MessageLog"
import { Messages } from "@dockline/core/messages/Messages"
import { Pallets } from "@dockline/core/movement/Pallets"
import { Shipments } from "@dockline/core/movement/Shipments"
import { Directory } from "@dockline/core/places/Place"
import { Search } from "@dockline/core/search/Search"
import type { CatalogueError } from "@dockline/core/values/CatalogueError"
import { countRefusal } from "@dockline/core/values/Metrics"
import { InternalError } from "@dockline/core/values/RequestErrors"
import { Vocabulary } from "@dockline/core/values/Vocabulary"
import type { GraphqlCode as CatalogueCode } from "@dockline/wire/Problem"
import * as Problem from "@dockline/wire/Problem"
import { Cause, Context, Effect, Exit } from "effect"
import { GraphQLError } from "graphql"
import { defaultGraphqlConfig } from "../GraphqlConfig.ts"
import type { GraphqlConfig } from "../GraphqlConfig.ts"

const core = {
  intake: Intake,
  shipments: Shipments,
  pallets: Pallets,
  search: Search,
  messages: Messages,
  /** The operations from which fields and mutations derive. */
  registry: OperationRegistry,
  log: MessageLog,
  directory: Directory,
  /** Reads the files of `uploadDocument`. */
  documentReader: DocumentReader
}

/** The services of core that the schema uses. */
export type CoreServices = { readonly [Name in keyof typeof core]: (typeof core)[Name]["Service"] }

/** The services of core, with the settings and the function that runs effects. */
export interface SchemaServices extends CoreServices {
  readonly rules: DocumentRules
  readonly config: GraphqlConfig
  readonly run: Run
  /** The references of operations outside of a request, such as the tracer. */
  readonly references: Context.Context<never>
}

/** Gathers the services, and references such as the logger, from the context of an effect. */
export const gatherServices = Effect.fnUntraced(function*(config: GraphqlConfig = defaultGraphqlConfig) {
  const references = yield* Effect.context<never>()
  const services: SchemaServices = {
    ...(yield* Effect.all(core)),
    rules: { vocabulary: yield* Vocabulary, strategies: yield* Strategies },
    config,
    references,
    run: makeRun(references)
  }
  return services
})

/** The codes of errors in `extensions.code`. */
export type GraphqlCode = CatalogueCode | "GRAPHQL_PARSE_FAILED" | "GRAPHQL_VALIDATION_FAILED"

/** The idempotency key of a mutation. */
export interface MutationKey {
  readonly once: Once
  /** The refusal of an earlier request with the same key. */
  refusal: CatalogueError | undefined
}

/** The request of a resolver: its session, its correlation id, and the idempotency key of a mutation, if any. */
export interface GraphqlContext {
  readonly session: Session
  readonly correlationId: string
  /** The references of the request's fiber, so that logs and spans of resolvers belong to the request. */
  readonly fiber?: Context.Context<never> | undefined
  readonly key?: MutationKey
}

/** Runs an effect for a resolver; rejects with a `GraphQLError` only. */
export type Run = <A, E extends CatalogueError>(
  effect: Effect.Effect<A, E>,
  context: GraphqlContext
) => Promise<A>

/** The references of a request, which override those of the service. */
export const referencesOf = (references: Context.Context<never>, { fiber }: GraphqlContext) =>
  fiber === undefined ? references : Context.merge(references, fiber)

/** Makes the function that runs effects with these references. */
export const makeRun = (references: Context.Context<never>): Run => async (effect, context) => {
  const { correlationId, session: { principal: { clientId } } } = context
  const exit = await Effect.runPromiseExitWith(referencesOf(references, context))(
    effect.pipe(
      Effect.tapCause((cause) => logFault(cause, context)),
      Effect.annotateLogs({ correlationId, clientId })
    )
  )
  if (Exit.isSuccess(exit)) return exit.value
  const error = Cause.findErrorOption(exit.cause)
  throw error._tag === "Some" ? ofCatalogue(error.value) : internal(correlationId)
}

/** Counts refusals, except repeated ones. Logs defects and unavailability, whose causes clients do not see. */
const logFault = <E extends CatalogueError>(
  cause: Cause.Cause<E>,
  { key }: GraphqlContext
): Effect.Effect<void> => {
  if (Cause.hasInterruptsOnly(cause)) return Effect.void
  const error = Cause.findErrorOption(cause)
  if (error._tag === "Some" && error.value === key?.refusal) return Effect.void
  const count = countRefusal("graphql", error._tag === "None" ? "INTERNAL_ERROR" : error.value.code)
  if (error._tag === "None") return Effect.andThen(count, Effect.logError("Request failed", cause))
  return error.value.category === "unavailable"
    ? Effect.andThen(count, Effect.logWarning(`Answered ${error.value.code}`, cause))
    : count
}

/** Converts an error of the catalogue to an error of GraphQL. */
export const ofCatalogue = (error: CatalogueError): GraphQLError =>
  new GraphQLError(error.message, { extensions: Problem.graphqlExtensionsOf(error) })

/** Whether the same request may succeed later, because the storage or the token issuer is unavailable. */
export const isRetryable = (
  { extensions }: { readonly extensions?: Readonly<Record<string, unknown>> | undefined }
): boolean => extensions?.["retryable"] === true

/** The error that clients see for a defect. */
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
