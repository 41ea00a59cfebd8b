/**
 * Parses, limits, validates and executes the operations of all transports. Clients see errors of the catalogue,
 * errors of GraphQL itself, or a correlation id.
 *
 * Guarantee: each operation is held against the schema of its path, and whichever it is, the same limits hold. A schema beside
 * that of the adapter is made when its path is first asked for.
 */
import { hasTooManyItems } from "@dockline/core/document/DocumentInput"
import { OperationTooCostly, TooManyItems } from "@dockline/core/values/Errors"
import { Clock, Context, Effect, Layer } from "effect"
import { execute as graphqlExecute, getOperationAST, GraphQLError } from "graphql"
import type { ExecutionResult, GraphQLSchema } from "graphql"
import { defaultGraphqlConfig } from "../GraphqlConfig.ts"
import type { GraphqlConfig } from "../GraphqlConfig.ts"
import { operations } from "../GraphqlMetrics.ts"
import { badInput, internal, ofCatalogue, withCode } from "../resolvers/GraphqlErrors.ts"
import type { GraphqlContext } from "../resolvers/Run.ts"
import { gatherServices, makeServices } from "../resolvers/SchemaServices.ts"
import type { GivenServices, SchemaServices } from "../resolvers/SchemaServices.ts"
import type { GraphqlPart } from "../schema/GraphqlPart.ts"
import { makeSchema } from "../schema/Schema.ts"
import { makeReadMessages } from "../schema/SchemaMessages.ts"
import { makeDocuments } from "./DocumentCache.ts"
import { argumentEntriesOf, entriesOf } from "./Entries.ts"
import * as MessageList from "./MessageList.ts"
import { inSpan } from "./OperationSpan.ts"
import type { GraphqlRequest, Prepared } from "./Prepared.ts"

export class GraphqlEngine extends Context.Service<GraphqlEngine, {
  readonly schema: GraphQLSchema
  /** The schemas of the capabilities that the service has. */
  readonly parts: ReadonlyArray<GraphqlPart>
  readonly services: SchemaServices
  /**
   * Parses, limits and validates, by the schema of the path, that of the adapter unless another is named; synchronous, and kept for
   * the next request with the same text.
   */
  readonly prepare: (request: GraphqlRequest, path?: string) => Prepared | ReadonlyArray<GraphQLError>
  /** Runs a query or a mutation. Never rejected: every failure is among the `errors`, each with its codes. */
  readonly execute: (prepared: Prepared, context: GraphqlContext) => Promise<ExecutionResult>
}>()("@dockline/graphql-adapter/GraphqlEngine") {
  static readonly layer = (
    config: GraphqlConfig = defaultGraphqlConfig,
    parts: ReadonlyArray<GraphqlPart> = []
  ) =>
    Layer.effect(
      GraphqlEngine,
      Effect.map(gatherServices(config), (services) => makeEngine(services, parts))
    )
}

const makeSchemas = (services: SchemaServices, schema: GraphQLSchema, parts: ReadonlyArray<GraphqlPart>) => {
  const { config } = services
  const own = { path: String(config.path), schema, judged: makeDocuments(schema, config) }
  const made = new Map<string, typeof own>([[own.path, own]])
  return (path: string) => {
    const known = made.get(path)
    const part = parts.find((part) => part.path === path)
    if (known !== undefined || part === undefined) return known ?? own
    const schema = part.schemaOf(services)
    const served = { path, schema, judged: makeDocuments(schema, config) }
    made.set(path, served)
    return served
  }
}

export const makeEngine = (
  given: GivenServices,
  others: ReadonlyArray<GraphqlPart> = []
): typeof GraphqlEngine.Service => {
  const services = makeServices(given)
  const { capabilities } = services.registry
  const parts = others.filter((part) => capabilities.some(({ name }) => name === part.name))
  const schema = makeSchema(services)
  const schemaAt = makeSchemas(services, schema, parts)
  const listMessages = MessageList.make(schema, makeReadMessages(services))

  const executeIn = async (prepared: Prepared, context: GraphqlContext): Promise<ExecutionResult> => {
    if (prepared.operation.operation === "subscription") {
      return { errors: [badInput("A subscription runs over a WebSocket or as text/event-stream")] }
    }
    const { limits } = services.config
    const { served } = prepared
    if (entriesOf(prepared, served.schema, limits.entries) > limits.entries) {
      return { errors: [ofCatalogue(new OperationTooCostly({ limit: limits.entries }))] }
    }
    try {
      const listed = served.schema === schema ? listMessages(prepared, context) : undefined
      const result = await listed ?? await graphqlExecute({
        schema: served.schema,
        document: prepared.document,
        operationName: prepared.operationName,
        variableValues: prepared.variables,
        contextValue: context
      })
      return result.errors === undefined
        ? result
        : { ...result, errors: result.errors.map((error) => shown(error, context, services)) }
    } catch (cause) {
      return { errors: [shown(cause, context, services)] }
    }
  }

  const execute = async (prepared: Prepared, context: GraphqlContext): Promise<ExecutionResult> => {
    const references = context.fiber ?? services.references
    const clock = Context.get(references, Clock.Clock)
    const begun = clock.monotonicTimeNanosUnsafe()
    const result = await inSpan(
      services.references,
      prepared,
      context,
      (inside) => executeIn(prepared, inside)
    )
    operations.of(prepared.operation.operation, result.errors === undefined ? "ok" : "error")
      .updateUnsafe(Number(clock.monotonicTimeNanosUnsafe() - begun) / 1e9, references)
    return result
  }

  const prepare = (
    request: GraphqlRequest,
    path: string = services.config.path
  ): Prepared | ReadonlyArray<GraphQLError> => {
    const { query, variables } = request
    const operationName = request.operationName || undefined
    const { judged, ...served } = schemaAt(path)
    const document = judged(query)
    if (!("kind" in document)) return document
    const operation = getOperationAST(document, operationName)
    if (operation === null || operation === undefined) {
      return [badInput(
        operationName === undefined
          ? "The document holds several operations: name one in operationName"
          : "The document holds no operation of the given operationName"
      )]
    }
    const { itemLimit, limits: { entries } } = services.config
    // Before an item is looked at, which may have many fields: by counting the entries, and by coercing the variables.
    const isTooLarge = Object.values(variables ?? {}).some((value) =>
      hasTooManyItems(Array.isArray(value) ? { items: value } : value, itemLimit)
    )
    if (isTooLarge) return [ofCatalogue(new TooManyItems({ limit: itemLimit }))]
    const prepared = { served, source: query, document, operation, operationName, variables: variables ?? {} }
    // Before the variables are coerced, which takes no pauses.
    return argumentEntriesOf(prepared, entries) > entries
      ? [ofCatalogue(new OperationTooCostly({ limit: entries }))]
      : prepared
  }

  return { schema, parts, services, prepare, execute }
}

/** A defect is an error that is neither of the catalogue nor about the variables and arguments of the client. */
export const shown = (error: unknown, context: GraphqlContext, { run }: SchemaServices): GraphQLError => {
  const located = error instanceof GraphQLError ? error : undefined
  if (located?.extensions["code"] !== undefined) return located
  if (located !== undefined && isAboutInput(located)) return withCode(located, "BAD_USER_INPUT")
  // Logs the defect; the rejection says no more than is returned here.
  run(Effect.die(located?.originalError ?? error), context).catch(() => undefined)
  const { message, extensions } = internal(context.correlationId)
  return new GraphQLError(message, { extensions, nodes: located?.nodes, path: located?.path })
}

/** GraphQL's own error of a variable, which has no path, or of an argument, which has that of its field. */
const isAboutInput = ({ originalError, path, message }: GraphQLError): boolean =>
  (originalError === undefined || originalError instanceof GraphQLError) &&
  (path === undefined || message.startsWith("Argument "))
