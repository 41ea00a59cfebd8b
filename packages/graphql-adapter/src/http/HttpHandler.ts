/**
 * GraphQL over HTTP: from a request to its response (D8.5, D8.8).
 *
 * Guarantee: the token, and whether its client may send another request now (D10.5), are checked before anything of the
 * body is read. Requests, methods and media types are judged by
 * `graphql-http`, after the GraphQL over HTTP specification; the operation by the engine, and by nothing else.
 */
import { Authenticator } from "@dockline/core/Authenticator"
import type { Session } from "@dockline/core/Authenticator"
import { eventStream, graphqlResultType, graphqlType, isNamed } from "@dockline/core/internal/Accept"
import { retryAfterOf, statusOf } from "@dockline/core/internal/Categories"
import type { CatalogueError } from "@dockline/core/internal/Categories"
import { correlationHeader, correlationIdOf } from "@dockline/core/internal/CorrelationId"
import { graphqlRefusalOf, headersOf, problemOf } from "@dockline/core/internal/Problem"
import { allowanceOf, rateLimitFields } from "@dockline/core/internal/RateLimitFields"
import * as Slices from "@dockline/core/internal/Slices"
import { countRefusal } from "@dockline/core/Refusals"
import { RequestLimits } from "@dockline/core/RequestLimits"
import type { Allowance } from "@dockline/core/RequestLimits"
import * as RequestLog from "@dockline/core/RequestLog"
import { Effect, Predicate, References } from "effect"
import { HttpServerResponse } from "effect/http"
import type { HttpServerRequest } from "effect/http"
import { GraphQLError } from "graphql"
import type { ExecutionResult, FormattedExecutionResult } from "graphql"
import { createHandler, parseRequestParams } from "graphql-http"
import type { Response as HandlerResponse } from "graphql-http"
import { GraphqlEngine, shown } from "../engine/Engine.ts"
import type { GraphqlContext, GraphqlRequest, Prepared } from "../engine/Engine.ts"
import { badInput, isRetryable } from "../engine/GraphqlErrors.ts"
import * as Idempotency from "../engine/Idempotency.ts"
import type { GraphqlConfig } from "../GraphqlConfig.ts"
import * as EventStreams from "../sse/Sse.ts"
import * as HttpProblems from "./HttpProblems.ts"
import * as Multipart from "./Multipart.ts"
import { malformed, readBytes, readJson } from "./RequestBody.ts"

/** What goes with one request through `graphql-http`. */
interface Passing {
  readonly context: GraphqlContext
  readonly mediaType: string
  /** The operation, where it has been read already. */
  readonly parsed: GraphqlRequest | undefined
  /** The `Idempotency-Key`. */
  readonly idempotencyKey: string | undefined
  prepared?: Prepared
  /** The answer under the key, as it was written down, and whether to an earlier request. */
  kept?: FormattedExecutionResult
  replayed?: boolean
}

/** Answers an error of the request as such, in GraphQL's form. */
const refuse = (request: HttpServerRequest.HttpServerRequest, error: CatalogueError) => {
  const status = statusOf(error.category)
  const response = HttpServerResponse.text(graphqlRefusalOf(error), {
    status,
    contentType: `${graphqlResultType(request.headers["accept"])}; charset=utf-8`,
    headers: headersOf(error)
  })
  const counted = countRefusal("graphql", error.code)
  return Effect.as(
    status === 503
      ? Effect.andThen(counted, Effect.logWarning(`Answered 503 ${error.code}`, error))
      : counted,
    response
  )
}

/** Says what a client may still send. */
const withAllowance = (response: HttpServerResponse.HttpServerResponse, allowance: Allowance) =>
  HttpServerResponse.setHeaders(response, rateLimitFields(allowance))

/** What a result is answered with. Written here, as `graphql-http` writes it with a replacer, which takes its time. */
const answer = (
  result: ExecutionResult | FormattedExecutionResult,
  { mediaType, replayed }: Passing
): HandlerResponse => {
  const retryable = result.errors?.some(isRetryable) === true
  // What has no data was never run (GraphQL over HTTP, status codes).
  const refused = !("data" in result) && mediaType === "application/graphql-response+json"
  return [JSON.stringify(result), {
    status: retryable ? 503 : refused ? 400 : 200,
    statusText: "",
    headers: {
      "content-type": `${mediaType}; charset=utf-8`,
      ...(retryable ? { "retry-after": String(retryAfterOf({ category: "unavailable" })) } : {}),
      ...(replayed === true ? { "idempotency-replayed": "true" } : {})
    }
  }]
}

const useStream = badInput("Subscribe over a WebSocket, or send Accept: text/event-stream")

const makeExecution = (engine: typeof GraphqlEngine.Service, once: Idempotency.Once) =>
  createHandler<undefined, Passing, { readonly passing: Passing }>({
    parseRequestParams: ({ context: { parsed } }) =>
      parsed === undefined ? undefined : {
        query: parsed.query,
        operationName: parsed.operationName ?? undefined,
        variables: { ...parsed.variables }
      },
    onSubscribe: ({ context: passing }, { query, operationName, variables }) => {
      const prepared = engine.prepare({ query, operationName, variables })
      if (!("document" in prepared)) return prepared
      if (prepared.operation.operation === "subscription") return [useStream]
      passing.prepared = prepared
      return {
        schema: engine.schema,
        document: prepared.document,
        operationName: prepared.operationName,
        contextValue: { passing }
      }
    },
    execute: async ({ contextValue }) => {
      const { passing } = contextValue as { readonly passing: Passing }
      const { context, idempotencyKey } = passing
      const prepared = passing.prepared!
      if (idempotencyKey === undefined || prepared.operation.operation !== "mutation") {
        return engine.execute(prepared, context)
      }
      try {
        const { result, replayed } = await once(idempotencyKey, prepared, context)
        passing.replayed = replayed
        passing.kept = result
        return { data: null }
      } catch (error) {
        return { errors: [shown(error, context, engine.services)] }
      }
    },
    onOperation: ({ context }, _args, result) => answer(context.kept ?? result as ExecutionResult, context),
    formatError: (error) =>
      error instanceof GraphQLError && error.extensions["code"] !== undefined
        ? error
        : badInput(error.message)
  })

/** The correlation id that the boundary of the service has given the request, or its own (D4.5). */
const correlationOf = (
  { correlationId }: Readonly<Record<string, unknown>>,
  { headers }: HttpServerRequest.HttpServerRequest
): string => typeof correlationId === "string" ? correlationId : correlationIdOf(headers[correlationHeader])

const isJson = (contentType: string | undefined): boolean =>
  contentType?.toLowerCase().includes("json") === true

/** Refuses a request whose query parameters hold what is no JSON. */
const checkParameters = Effect.fnUntraced(function*(url: string) {
  const parameters = new URLSearchParams(url.slice(url.indexOf("?") + 1))
  for (const name of ["variables", "extensions"]) {
    const text = parameters.get(name) ?? ""
    if (text !== "") yield* readJson(text, name)
  }
})

/** From how many bytes on a body is long. */
const longBody = 65_536

/** Reads the body of a request that is in JSON; of no other is a body taken. */
const readRequest = Effect.fnUntraced(function*(
  request: HttpServerRequest.HttpServerRequest,
  bodyLimit: number
) {
  const bytes = yield* readBytes(request, bodyLimit)
  if (!isJson(request.headers["content-type"])) return null
  const body = yield* readJson(bytes, "body")
  // The variables of a long one are checked and executed at a stretch: in a round of the event loop that no other has.
  if (bytes.length > longBody) yield* Slices.pause
  if (Array.isArray(body)) {
    return yield* malformed("is a list; batches are not taken: send one operation a request", "body")
  }
  return Predicate.isObject(body) ? body as Body : yield* malformed("must be an object", "body")
})

/** A body of a request, or none. */
type Body = Record<string, unknown> | null

const isMultipart = (contentType: string | undefined): boolean =>
  contentType?.toLowerCase().startsWith("multipart/form-data") === true

/** Makes the handler of the path. */
export const make = (config: GraphqlConfig) =>
  Effect.gen(function*() {
    const authenticator = yield* Authenticator
    const limits = yield* RequestLimits
    const engine = yield* GraphqlEngine
    const streams = yield* EventStreams.EventStreams
    const once = yield* Idempotency.make(engine)
    const execute = makeExecution(engine, once)

    /** Answers with an event stream, if that is how the operation is to be answered. */
    const stream = Effect.fnUntraced(function*(
      request: HttpServerRequest.HttpServerRequest,
      parsed: GraphqlRequest | undefined,
      body: Body,
      context: GraphqlContext
    ) {
      const { method, url, headers } = request
      const params = parsed ?? (yield* Effect.tryPromise({
        try: () => parseRequestParams({ method, url, headers, body, raw: undefined, context: undefined }),
        catch: (cause) =>
          malformed(cause instanceof Error ? cause.message : "is not a request of GraphQL", "request")
      }))
      // What is no request, `graphql-http` refuses.
      if (!("query" in params)) return undefined
      const prepared = engine.prepare(params)
      const operation = "document" in prepared ? prepared : undefined
      if (
        operation?.operation.operation !== "subscription" && graphqlType(headers["accept"]) !== eventStream
      ) {
        return undefined
      }
      if (method === "GET" && operation?.operation.operation === "mutation") {
        return HttpProblems.methodNotAllowed
      }
      return streams.respond(prepared, context, request, once)
    })

    const respond = Effect.fnUntraced(
      function*(request: HttpServerRequest.HttpServerRequest, session: Session) {
        if (request.method !== "GET" && request.method !== "POST") return HttpProblems.methodNotAllowed
        const { accept } = request.headers
        const acceptsEvents = isNamed(accept, eventStream)
        const type = graphqlType(accept)
        if (!acceptsEvents && (type === undefined || type === "text/html")) return HttpProblems.notAcceptable
        const fiber = yield* Effect.context<never>()
        const correlationId = correlationOf(yield* References.CurrentLogAnnotations, request)
        const parsed = request.method === "POST" && isMultipart(request.headers["content-type"])
          ? yield* Multipart.read(request, config)
          : undefined
        const body = request.method === "GET" || parsed !== undefined
          ? null
          : yield* readRequest(request, config.bodyLimit)
        if (request.method === "GET") yield* checkParameters(request.url)
        if (acceptsEvents || type === eventStream) {
          const response = yield* stream(request, parsed, body, { session, correlationId, fiber })
          if (response !== undefined) return response
        }
        const mediaType = graphqlResultType(accept)
        const [text, init] = yield* Effect.promise(() =>
          Promise.resolve(execute({
            method: request.method,
            url: request.url,
            // Negotiated here: `graphql-http` knows no quality.
            headers: { ...request.headers, accept: mediaType },
            body,
            raw: undefined,
            context: {
              context: { session, correlationId, fiber },
              mediaType,
              parsed,
              idempotencyKey: request.headers["idempotency-key"]
            }
          }))
        )
        if (text === null || init.status === 405) return HttpProblems.refused(init.status, init.headers ?? {})
        return HttpServerResponse.text(text, { status: init.status, headers: init.headers ?? {} })
      }
    )

    const admit = (request: HttpServerRequest.HttpServerRequest, session: Session) =>
      Effect.matchEffect(limits.take(session.principal.clientId), {
        onFailure: (error) =>
          Effect.map(refuse(request, error), (response) => withAllowance(response, allowanceOf(error))),
        onSuccess: (allowance) => {
          const responded = Effect.catch(respond(request, session), (error) => refuse(request, error))
          return allowance === null
            ? responded
            : Effect.map(responded, (response) => withAllowance(response, allowance))
        }
      })

    return (request: HttpServerRequest.HttpServerRequest) =>
      Effect.matchEffect(authenticator.authenticate(request.headers["authorization"]), {
        onFailure: (error) =>
          error._tag === "Unauthenticated"
            ? Effect.as(
              countRefusal("graphql", error.code),
              HttpProblems.respond(problemOf(error), headersOf(error))
            )
            : refuse(request, error),
        onSuccess: (session) =>
          Effect.andThen(
            RequestLog.add({ route: config.path, clientId: session.principal.clientId }),
            admit(request, session)
          )
      })
  })
