/**
 * GraphQL over HTTP (D8.5, D8.8).
 *
 * Guarantee: the token and the rate limit (D10.5) are checked before the body is read. Refusals of the token, the path, the method and
 * the media types are problems (RFC 9457); all others have the form of GraphQL (D4.2, D8.6).
 */
import { Authenticator } from "@dockline/core/access/Authenticator"
import type { Session } from "@dockline/core/access/Authenticator"
import { AnswerRoom } from "@dockline/core/access/RequestLimits"
import type { CatalogueError, ErrorCategory } from "@dockline/core/values/CatalogueError"
import { MethodNotAllowed, NotAcceptable, ResourceNotFound } from "@dockline/core/values/RequestErrors"
import * as RequestLog from "@dockline/core/values/RequestLog"
import { eventStream, graphqlResultType, graphqlType, isNamed } from "@dockline/wire/Accept"
import * as Caching from "@dockline/wire/Caching"
import { retryAfterOf } from "@dockline/wire/Categories"
import { correlationHeader, correlationIdOf } from "@dockline/wire/CorrelationId"
import { pathOf } from "@dockline/wire/Path"
import * as Pieces from "@dockline/wire/Pieces"
import * as Problem from "@dockline/wire/Problem"
import * as Refusal from "@dockline/wire/Refusal"
import * as RequestAdmission from "@dockline/wire/RequestAdmission"
import { Effect, Stream } from "effect"
import { HttpServerResponse } from "effect/http"
import type { HttpServerRequest } from "effect/http"
import type { GraphQLError } from "graphql"
import { GraphqlEngine } from "../engine/Engine.ts"
import { partsOf, roomFor } from "../engine/GraphqlOperation.ts"
import * as KeyedMutations from "../engine/KeyedMutations.ts"
import type { OnceResult } from "../engine/KeyedMutations.ts"
import type { GraphqlConfig } from "../GraphqlConfig.ts"
import { badInput, isRetryable } from "../resolvers/Run.ts"
import * as EventStreams from "../sse/Sse.ts"
import { readOperation } from "./RequestBody.ts"

const problems: ReadonlySet<ErrorCategory> = new Set(["unauthenticated", "unsupportedMediaType"])

const refuse = (request: HttpServerRequest.HttpServerRequest, error: CatalogueError) =>
  Refusal.respond(
    "graphql",
    error,
    Refusal.answerIn(problems.has(error.category) ? "problem" : "graphql", error, {
      accept: request.headers["accept"]
    })
  )

const problem = (problem: Problem.Problem, headers: Readonly<Record<string, string>> = {}) =>
  HttpServerResponse.text(JSON.stringify(problem), {
    status: problem.status,
    headers: { ...headers, "content-type": Problem.mediaType }
  })

const methodNotAllowed = (allow: "GET, POST" | "POST") =>
  problem(Problem.problemAs(MethodNotAllowed, "Send a query with GET or POST, a mutation with POST"), {
    allow
  })

/** The answer to a request for a path under which there is nothing. */
export const notFound = ({ url }: HttpServerRequest.HttpServerRequest) =>
  Effect.succeed(problem(Problem.problemOf(new ResourceNotFound({ path: pathOf(url) }))))

const answer = ({ headers }: HttpServerRequest.HttpServerRequest, { result, replayed }: OnceResult) => {
  const mediaType = graphqlResultType(headers["accept"])
  const isUnavailable = result.errors?.some(isRetryable) === true
  // A result without data was never executed (GraphQL over HTTP, status codes).
  const isRefusal = !("data" in result) && mediaType === "application/graphql-response+json"
  const body = Pieces.outputOf(partsOf(result))
  const options = {
    status: isUnavailable ? 503 : isRefusal ? 400 : 200,
    contentType: `${mediaType}; charset=utf-8`,
    headers: {
      ...(isUnavailable ? { "retry-after": String(retryAfterOf({ category: "unavailable" })) } : {}),
      ...(replayed ? { "idempotency-replayed": "true" } : {})
    }
  }
  return body._tag === "Whole"
    ? HttpServerResponse.text(body.text, options)
    : HttpServerResponse.stream(Stream.encodeText(body.pieces), options)
}

const useStream = badInput("Subscribe over a WebSocket, or send Accept: text/event-stream")

/** Makes the handler of the requests at the path of the settings. */
export const make = Effect.fnUntraced(function*(config: GraphqlConfig) {
  const { authenticate } = yield* Authenticator
  const admit = yield* RequestAdmission.make
  const engine = yield* GraphqlEngine
  const once = yield* KeyedMutations.make(engine)
  const stream = yield* EventStreams.make(config.live, once)

  const respond = Effect.fnUntraced(
    function*(request: HttpServerRequest.HttpServerRequest, session: Session) {
      const { headers, method } = request
      if (method !== "GET" && method !== "POST") return methodNotAllowed("GET, POST")
      const type = graphqlType(headers["accept"])
      const acceptsEvents = isNamed(headers["accept"], eventStream)
      if (!acceptsEvents && (type === undefined || type === "text/html")) {
        return problem(Problem.problemOf(new NotAcceptable()))
      }
      const fiber = yield* Effect.context<never>()
      // That of the boundary of the service, or its own (D4.5).
      const correlationId = (yield* RequestLog.correlationId) || correlationIdOf(headers[correlationHeader])
      const context = { session, correlationId, fiber }
      const operation = engine.prepare(yield* readOperation(request, config), config.path)
      const operationType = "document" in operation ? operation.type : undefined
      if (method === "GET" && operationType === "mutation") return methodNotAllowed("POST")
      if (type === eventStream || (acceptsEvents && operationType === "subscription")) {
        return stream(operation, context, request)
      }
      const refusal = (errors: ReadonlyArray<GraphQLError>) =>
        answer(request, { result: { errors }, replayed: false })
      if (!("document" in operation)) return refusal(operation)
      if (operationType === "subscription") return refusal([useStream])
      return answer(
        request,
        yield* Effect.promise(() => once(headers["idempotency-key"], operation, context))
      )
    }
  )

  return (request: HttpServerRequest.HttpServerRequest) =>
    Effect.gen(function*() {
      const session = yield* authenticate(request.headers["authorization"])
      yield* RequestLog.add({ route: config.path, clientId: session.principal.clientId })
      const room = yield* admit(session.principal)
      return yield* Effect.provideService(respond(request, session), AnswerRoom, roomFor(room))
    }).pipe(Effect.catch((error) => refuse(request, error)), Effect.map(Caching.complete))
})
