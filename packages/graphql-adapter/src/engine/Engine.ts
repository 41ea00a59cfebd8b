/**
 * Parses, limits, validates and executes the operations of all transports. Clients see errors of the catalogue,
 * errors of GraphQL itself, or a correlation id.
 *
 * Guarantee: the same limits hold for each operation, whichever schema its path has. The schema of a capability is made at the first
 * request for its path. Each query or mutation is a span; it contains no arguments or variables, and other texts of clients are clipped.
 */
import { Keeping } from "@dockline/core/access/Idempotency"
import { hasTooManyItems } from "@dockline/core/document/DocumentInput"
import type { CatalogueError } from "@dockline/core/values/CatalogueError"
import { clip as clipName } from "@dockline/core/values/Clip"
import { InvalidRequest, OperationTooCostly, TooManyItems } from "@dockline/core/values/Errors"
import * as TraceContext from "@dockline/core/values/TraceContext"
import { Context, Effect, Layer, Result, Tracer } from "effect"
import {
  execute as graphqlExecute,
  getOperationAST,
  GraphQLError,
  Kind,
  parse,
  specifiedRules,
  validate
} from "graphql"
import type { DocumentNode, ExecutionResult, GraphQLSchema, OperationDefinitionNode } from "graphql"
import { createHash } from "node:crypto"
import { defaultGraphqlConfig } from "../GraphqlConfig.ts"
import type { GraphqlConfig } from "../GraphqlConfig.ts"
import { measureOperation } from "../GraphqlMetrics.ts"
import {
  badInput,
  clip,
  gatherServices,
  internal,
  ofCatalogue,
  referencesOf,
  withCode
} from "../resolvers/Run.ts"
import type { GraphqlCode, GraphqlContext, MutationKey, SchemaServices } from "../resolvers/Run.ts"
import { makeSchema } from "../schema/Schema.ts"
import type { GraphqlPart } from "../schema/Schema.ts"
import { makeReadMessages } from "../schema/SchemaMessages.ts"
import { argumentEntriesOf, entriesOf, executionArgs, limitErrors } from "./GraphqlOperation.ts"
import type { GraphqlOperation, GraphqlRequest, OperationResult } from "./GraphqlOperation.ts"
import * as MessageList from "./MessageList.ts"

export class GraphqlEngine extends Context.Service<GraphqlEngine, {
  readonly schema: GraphQLSchema
  /** The schemas of the capabilities that the service has. */
  readonly parts: ReadonlyArray<GraphqlPart>
  readonly services: SchemaServices
  /**
   * Parses and validates a request, and checks its limits, with the schema of the path; by default, the schema of the adapter.
   * Synchronous. The document is cached for further requests with the same text.
   */
  readonly prepare: (request: GraphqlRequest, path?: string) => GraphqlOperation | ReadonlyArray<GraphQLError>
  /** Runs a query or a mutation. Never rejects: every failure is among the `errors`, with its codes. */
  readonly execute: (operation: GraphqlOperation, context: GraphqlContext) => Promise<ExecutionResult>
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

export const makeEngine = (
  services: SchemaServices,
  allParts: ReadonlyArray<GraphqlPart> = []
): typeof GraphqlEngine.Service => {
  const { config, references, registry: { capabilities } } = services
  const { itemLimit, limits } = config
  const parts = allParts.filter((part) => capabilities.some(({ name }) => name === part.name))
  const schema = makeSchema(services)
  const tooCostly = ofCatalogue(new OperationTooCostly({ limit: limits.entries }))
  const listMessages = MessageList.make(schema, makeReadMessages(services))

  const serve = (path: string, schema: GraphQLSchema) => ({
    path,
    schema,
    read: makeDocuments(schema, config)
  })
  const own = serve(config.path, schema)
  const schemas = new Map([[own.path, own]])
  const schemaAt = (path: string) => {
    const part = parts.find((part) => part.path === path)
    const there = schemas.get(path) ?? (part === undefined ? own : serve(path, part.schemaOf(services)))
    schemas.set(there.path, there)
    return there
  }

  const executeIn = async (
    operation: GraphqlOperation,
    context: GraphqlContext
  ): Promise<ExecutionResult> => {
    if (operation.type === "subscription") {
      return { errors: [badInput("A subscription runs over a WebSocket or as text/event-stream")] }
    }
    if (entriesOf(operation, limits.entries) > limits.entries) return { errors: [tooCostly] }
    try {
      const list = operation.schema === schema ? listMessages(operation, context) : undefined
      const result = await list ?? await graphqlExecute(executionArgs(operation, context))
      return result.errors === undefined
        ? result
        : { ...result, errors: result.errors.map((error) => publicError(error, context, services)) }
    } catch (cause) {
      return { errors: [publicError(cause, context, services)] }
    }
  }

  const execute = (operation: GraphqlOperation, context: GraphqlContext): Promise<ExecutionResult> =>
    measureOperation(
      context.fiber ?? references,
      operation.type,
      () => inSpan(references, operation, context, (inside) => executeIn(operation, inside)),
      ({ errors }) => errors === undefined
    )

  const prepare = (
    { operationName: name, query, variables }: GraphqlRequest,
    requestPath: string = config.path
  ): GraphqlOperation | ReadonlyArray<GraphQLError> => {
    const operationName = name || undefined
    const { path, read, schema } = schemaAt(requestPath)
    const document = read(query)
    if (!("kind" in document)) return document
    const definition = getOperationAST(document, operationName)
    if (definition === null || definition === undefined) {
      return [badInput(
        operationName === undefined
          ? "The document holds several operations: name one in operationName"
          : "The document holds no operation of the given operationName"
      )]
    }
    // Refuses too many items before their entries are counted and the variables are coerced: each item may have many fields.
    const isTooLarge = Object.values(variables ?? {}).some((value) =>
      hasTooManyItems(Array.isArray(value) ? { items: value } : value, itemLimit)
    )
    if (isTooLarge) return [ofCatalogue(new TooManyItems({ limit: itemLimit }))]
    const operation = {
      path,
      schema,
      source: query,
      document,
      definition,
      type: definition.operation,
      operationName,
      variables: variables ?? {}
    }
    // Entries are counted before the variables are coerced, because coercion cannot pause.
    return argumentEntriesOf(operation, limits.entries) > limits.entries ? [tooCostly] : operation
  }

  return { schema, parts, services, prepare, execute }
}

/** A document that may be executed, or its errors. */
type DocumentOrErrors = DocumentNode | ReadonlyArray<GraphQLError>

/** The most errors of one answer, to bound the time of validation. */
const maxErrors = 20

/**
 * Makes the function that reads documents. It caches documents, including refused ones, by their texts. The cache is bounded by number,
 * characters and tokens, and drops the least recently used document first.
 */
const makeDocuments = (schema: GraphQLSchema, config: GraphqlConfig) => {
  const { characters, entries, tokens } = config.documentCache
  const documents = new Map<string, DocumentOrErrors>()
  const total = { characters: 0, tokens: 0 }
  const count = (source: string, document: DocumentOrErrors, sign: 1 | -1): void => {
    total.characters += sign * source.length
    total.tokens += sign * ("kind" in document ? document.tokenCount ?? 0 : 0)
  }
  return (source: string): DocumentOrErrors => {
    const earlier = documents.get(source)
    const document = earlier ?? readDocument(source, schema, config)
    // A single text must not evict many others.
    if (source.length > characters / 16) return document
    if (earlier === undefined) count(source, document, 1)
    documents.delete(source)
    documents.set(source, document)
    for (const [oldest, oldestDocument] of documents) {
      if (documents.size <= entries && total.characters <= characters && total.tokens <= tokens) break
      documents.delete(oldest)
      count(oldest, oldestDocument, -1)
    }
    return document
  }
}

const readDocument = (source: string, schema: GraphQLSchema, { limits }: GraphqlConfig): DocumentOrErrors => {
  let document: DocumentNode
  try {
    document = parse(source, { maxTokens: limits.tokens })
  } catch (error) {
    // The parser is recursive: deep nesting may exhaust the stack before the limit of tokens.
    if (error instanceof RangeError) {
      return [
        withoutNodes(new GraphQLError("Syntax Error: Document nests too deep."), "GRAPHQL_PARSE_FAILED")
      ]
    }
    if (!(error instanceof GraphQLError)) throw error
    return [withoutNodes(error, "GRAPHQL_PARSE_FAILED")]
  }
  // The limits come first: they bound the input of GraphQL's own rules, some of which take more than linear time.
  const beyond = limitErrors(document, limits)
  const errors = beyond.length > 0 ? beyond : validate(schema, document, specifiedRules, { maxErrors })
  return errors.length === 0
    ? document
    : errors.map((error) => withoutNodes(error, "GRAPHQL_VALIDATION_FAILED"))
}

/** The error without its nodes, which would keep the whole document in the cache. */
const withoutNodes = ({ message, source, positions }: GraphQLError, code: GraphqlCode): GraphQLError =>
  new GraphQLError(clip(message), { source, positions, extensions: { code } })

/** Executes in a span if a tracer is among the references. References of the request override those of the service. */
const inSpan = (
  serviceReferences: Context.Context<never>,
  { definition: { name }, type }: GraphqlOperation,
  context: GraphqlContext,
  execute: (context: GraphqlContext) => Promise<ExecutionResult>
): Promise<ExecutionResult> => {
  const references = referencesOf(serviceReferences, context)
  if (!TraceContext.isTraced(references)) return execute(context)
  const isFirst = Context.getOrUndefined(references, Tracer.ParentSpan) === undefined
  const attributes: Record<string, unknown> = {
    "graphql.operation.type": type,
    ...(name === undefined ? {} : { "graphql.operation.name": clipName(name.value) }),
    ...(isFirst
      ? {
        "correlation.id": context.correlationId,
        "dockline.client.id": context.session.principal.clientId
      }
      : {})
  }
  const execution = Effect.useSpan(
    `GraphQL ${type}`,
    { kind: isFirst ? "server" : "internal", attributes },
    (span) =>
      Effect.map(
        Effect.promise(() =>
          execute({ ...context, fiber: Context.add(references, Tracer.ParentSpan, span) })
        ),
        (result) => {
          const codes = result.errors?.map(({ extensions }) =>
            String(extensions["reason"] ?? extensions["code"])
          )
          if (codes !== undefined) span.attribute("graphql.error.codes", Array.from(new Set(codes)))
          return result
        }
      )
  )
  return Effect.runPromiseWith(references)(execution)
}

/** An error as clients see it. An error is a defect unless it is of the catalogue, or about the client's variables or arguments. */
export const publicError = (
  error: unknown,
  context: GraphqlContext,
  { run }: Pick<SchemaServices, "run">
): GraphQLError => {
  const graphqlError = error instanceof GraphQLError ? error : undefined
  if (graphqlError?.extensions["code"] !== undefined) return graphqlError
  if (graphqlError !== undefined && isAboutInput(graphqlError)) {
    return withCode(graphqlError, "BAD_USER_INPUT")
  }
  // Logs the defect; the rejection adds no information.
  run(Effect.die(graphqlError?.originalError ?? error), context).catch(() => undefined)
  const { message, extensions } = internal(context.correlationId)
  return new GraphQLError(message, { extensions, nodes: graphqlError?.nodes, path: graphqlError?.path })
}

/** GraphQL's own error about a variable, which has no path, or about an argument, which has the path of its field. */
const isAboutInput = ({ originalError, path, message }: GraphQLError): boolean =>
  (originalError === undefined || originalError instanceof GraphQLError) &&
  (path === undefined || message.startsWith("Argument "))

/** The answer to an operation, and whether it repeats the answer to an earlier request. */
export interface OnceResult {
  readonly result: OperationResult
  readonly replayed: boolean
}

/** Executes an operation: a mutation with a key only once, any other each time. Never rejects. */
export type Once = (
  key: string | undefined,
  operation: GraphqlOperation,
  context: GraphqlContext
) => Promise<OnceResult>

/**
 * Makes the handling of `Idempotency-Key` on a mutation (D5.2). Core keeps the result or the refusal of the operation; the answer
 * to a repetition shows the fields of the result that the repeated mutation selects.
 */
export const makeOnce = (engine: typeof GraphqlEngine.Service): Effect.Effect<Once, never, Keeping> =>
  Effect.map(Keeping, (keeping): Once => {
    const onceByKey = async (
      key: string,
      operation: GraphqlOperation,
      context: GraphqlContext
    ): Promise<OnceResult> => {
      if (!isSingle(operation.definition)) await engine.services.run(Effect.fail(severalMutations), context)
      const request = {
        key,
        principal: context.session.principal,
        fingerprint: await fingerprintOf(operation)
      }
      /** The refusal of the key itself, if the mutation gets neither a new answer nor an earlier one. */
      let refusal: CatalogueError | undefined
      let replayed = false
      const mutationKey: MutationKey = {
        refusal: undefined,
        once: (permissions, run) =>
          keeping.once({ ...request, permissions }, run).pipe(
            Effect.tapError((error) => Effect.sync(() => void (refusal = error))),
            Effect.tap((outcome) =>
              Effect.sync(() => {
                replayed = outcome.replayed
                if (replayed && Result.isFailure(outcome.result)) mutationKey.refusal = outcome.result.failure
              })
            )
          )
      }
      const result = await engine.execute(operation, { ...context, key: mutationKey })
      return refusal === undefined
        ? { result, replayed }
        : { result: { errors: [ofCatalogue(refusal)] }, replayed: false }
    }

    return async (key, operation, context) => {
      if (key === undefined || operation.type !== "mutation") {
        return { result: await engine.execute(operation, context), replayed: false }
      }
      try {
        return await onceByKey(key, operation, context)
      } catch (error) {
        return { result: { errors: [publicError(error, context, engine.services)] }, replayed: false }
      }
    }
  })

const severalMutations = new InvalidRequest({
  errors: [{ path: "Idempotency-Key", detail: "covers one mutation; send each with its own key" }]
})

const isSingle = ({ selectionSet: { selections } }: OperationDefinitionNode): boolean =>
  selections.length === 1 && selections[0]?.kind === Kind.FIELD

/** A digest of the whole request: document, operation, variables, and the bytes of files among the variables. */
const fingerprintOf = async ({ source, operationName, variables }: GraphqlOperation): Promise<string> => {
  const files: Array<Blob> = []
  const text = JSON.stringify(["graphql", source, operationName ?? "", variables], (_key, value: unknown) => {
    if (!(value instanceof Blob)) return value
    files.push(value)
    return ["file", value.type, value.size]
  })
  const hash = createHash("sha256").update(text)
  for (const file of files) hash.update("\n").update(new Uint8Array(await file.arrayBuffer()))
  return hash.digest("hex")
}
