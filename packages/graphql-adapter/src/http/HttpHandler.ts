/** GraphQL over HTTP (D8.5, D8.8). The token and the rate limit (D10.5) are checked before the body is read. */
import { Authenticator } from "@dockline/core/access/Authenticator"
import type { Session } from "@dockline/core/access/Authenticator"
import { AnswerRoom, AnswerRooms, RequestLimits } from "@dockline/core/access/RequestLimits"
import type { Allowance } from "@dockline/core/access/RequestLimits"
import * as Slices from "@dockline/core/input/Slices"
import type { CatalogueError } from "@dockline/core/values/CatalogueError"
import { countRefusal } from "@dockline/core/values/Refusals"
import type { UnsupportedMediaType } from "@dockline/core/values/RequestErrors"
import * as RequestLog from "@dockline/core/values/RequestLog"
import { eventStream, graphqlResultType, graphqlType, isNamed } from "@dockline/wire/Accept"
import * as BoundedBody from "@dockline/wire/BoundedBody"
import * as Caching from "@dockline/wire/Caching"
import { retryAfterOf } from "@dockline/wire/Categories"
import * as ContentType from "@dockline/wire/ContentType"
import { correlationHeader, correlationIdOf } from "@dockline/wire/CorrelationId"
import * as Pieces from "@dockline/wire/Pieces"
import { allowanceOf, rateLimitFields } from "@dockline/wire/RateLimitFields"
import { answerIn } from "@dockline/wire/Refusal"
import { Effect, References, Stream } from "effect"
import { HttpServerResponse } from "effect/http"
import type { HttpServerRequest } from "effect/http"
import type { GraphQLError } from "graphql"
import { GraphqlEngine } from "../engine/Engine.ts"
import * as KeyedMutations from "../engine/KeyedMutations.ts"
import type { OnceResult } from "../engine/KeyedMutations.ts"
import { partsOf, roomFor } from "../engine/Results.ts"
import type { GraphqlConfig } from "../GraphqlConfig.ts"
import { badInput, isRetryable } from "../resolvers/GraphqlErrors.ts"
import * as EventStreams from "../sse/Sse.ts"
import * as HttpProblems from "./HttpProblems.ts"
import * as Multipart from "./Multipart.ts"
import { aborted, operationOf, readJson } from "./RequestBody.ts"

/** Answers an error of the request as such, in GraphQL's form. */
const refuse = (request: HttpServerRequest.HttpServerRequest, error: CatalogueError) => {
  const { body, ...init } = answerIn("graphql", error, { accept: request.headers["accept"] })
  const counted = countRefusal("graphql", error.code)
  return Effect.as(
    init.status === 503
      ? Effect.andThen(counted, Effect.logWarning(`Answered 503 ${error.code}`, error))
      : counted,
    HttpServerResponse.text(body, init)
  )
}

/** An error of the headers of a body is a problem. */
const refuseType = (error: UnsupportedMediaType) =>
  Effect.as(countRefusal("graphql", error.code), HttpProblems.respond(error))

const withAllowance =
  (allowance: Allowance | undefined) => (response: HttpServerResponse.HttpServerResponse) =>
    allowance === undefined ? response : HttpServerResponse.setHeaders(response, rateLimitFields(allowance))

const answer = ({ headers }: HttpServerRequest.HttpServerRequest, { result, replayed }: OnceResult) => {
  const mediaType = graphqlResultType(headers["accept"])
  const retryable = result.errors?.some(isRetryable) === true
  // A result without data was never executed (GraphQL over HTTP, status codes).
  const refused = !("data" in result) && mediaType === "application/graphql-response+json"
  const written = Pieces.written(partsOf(result))
  const options = {
    status: retryable ? 503 : refused ? 400 : 200,
    contentType: `${mediaType}; charset=utf-8`,
    headers: {
      ...(retryable ? { "retry-after": String(retryAfterOf({ category: "unavailable" })) } : {}),
      ...(replayed ? { "idempotency-replayed": "true" } : {})
    }
  }
  return written._tag === "Whole"
    ? HttpServerResponse.text(written.text, options)
    : HttpServerResponse.stream(Stream.encodeText(written.pieces), options)
}

const refusedBy = (request: HttpServerRequest.HttpServerRequest, errors: ReadonlyArray<GraphQLError>) =>
  answer(request, { result: { errors }, replayed: false })

const useStream = badInput("Subscribe over a WebSocket, or send Accept: text/event-stream")

/** The correlation id that the boundary of the service has given the request, or its own (D4.5). */
const correlationOf = (
  { correlationId }: Readonly<Record<string, unknown>>,
  { headers }: HttpServerRequest.HttpServerRequest
): string => typeof correlationId === "string" ? correlationId : correlationIdOf(headers[correlationHeader])

const parametersOf = Effect.fnUntraced(function*(url: string) {
  const members: Record<string, unknown> = {}
  for (const [name, text] of new URLSearchParams(url.split("?", 2)[1])) {
    const isJson = name === "variables" || name === "extensions"
    if (!Object.hasOwn(members, name) && !(isJson && text === "")) {
      members[name] = isJson ? yield* readJson(text, name) : text
    }
  }
  return members
})

/** The size of a body from which on its variables take a turn of the event loop of their own. */
const longBody = 65_536

const readType = ContentType.reader("application/json", "multipart/form-data")

/** Reads the operation of a request. */
const readOperation = Effect.fnUntraced(function*(
  request: HttpServerRequest.HttpServerRequest,
  config: GraphqlConfig
) {
  if (request.method === "GET") return yield* operationOf(yield* parametersOf(request.url), "query")
  const { format } = yield* Effect.fromResult(readType(request.headers))
  if (format === "multipart") return yield* Multipart.read(request, config)
  const bytes = yield* BoundedBody.read(request, config.bodyLimit).pipe(
    Effect.catchTag("HttpServerError", () => Effect.fail(aborted))
  )
  const body = yield* readJson(bytes, "body")
  if (bytes.length > longBody) yield* Slices.pause
  return yield* operationOf(body, "body")
})

export const make = (config: GraphqlConfig) =>
  Effect.gen(function*() {
    const authenticator = yield* Authenticator
    const limits = yield* RequestLimits
    const openRoom = yield* AnswerRooms
    const engine = yield* GraphqlEngine
    const once = yield* KeyedMutations.make(engine)
    const stream = yield* EventStreams.make(config.live, once)

    const respond = Effect.fnUntraced(
      function*(request: HttpServerRequest.HttpServerRequest, session: Session) {
        const { headers, method } = request
        if (method !== "GET" && method !== "POST") return HttpProblems.methodNotAllowed("GET, POST")
        const type = graphqlType(headers["accept"])
        const acceptsEvents = isNamed(headers["accept"], eventStream)
        if (!acceptsEvents && (type === undefined || type === "text/html")) return HttpProblems.notAcceptable
        const fiber = yield* Effect.context<never>()
        const correlationId = correlationOf(yield* References.CurrentLogAnnotations, request)
        const context = { session, correlationId, fiber }
        const asked = yield* readOperation(request, config)
        const prepared = engine.prepare(asked, config.path)
        const operation = "document" in prepared ? prepared.operation.operation : undefined
        if (method === "GET" && operation === "mutation") return HttpProblems.methodNotAllowed("POST")
        if (type === eventStream || (acceptsEvents && operation === "subscription")) {
          return stream(prepared, context, request)
        }
        if (!("document" in prepared)) return refusedBy(request, prepared)
        if (operation === "subscription") return refusedBy(request, [useStream])
        return answer(
          request,
          yield* Effect.promise(() => once(headers["idempotency-key"], prepared, context))
        )
      }
    )

    /** Responds within a room of the client, which is open until its answer has been taken, or it is gone. */
    const respondWithRoom = Effect.fnUntraced(
      function*(request: HttpServerRequest.HttpServerRequest, session: Session) {
        const { release, room } = openRoom(session.principal)
        yield* Effect.addFinalizer(() => Effect.sync(release))
        return yield* Effect.provideService(respond(request, session), AnswerRoom, roomFor(room))
      }
    )

    const admit = (request: HttpServerRequest.HttpServerRequest, session: Session) =>
      Effect.matchEffect(limits.take(session.principal.clientId), {
        onFailure: (error) => Effect.map(refuse(request, error), withAllowance(allowanceOf(error))),
        onSuccess: (allowance) =>
          Effect.map(
            Effect.catch(
              respondWithRoom(request, session),
              (error) => error._tag === "UnsupportedMediaType" ? refuseType(error) : refuse(request, error)
            ),
            withAllowance(allowance)
          )
      })

    return (request: HttpServerRequest.HttpServerRequest) =>
      Effect.matchEffect(authenticator.authenticate(request.headers["authorization"]), {
        onFailure: (error) =>
          error._tag === "Unauthenticated"
            ? Effect.as(countRefusal("graphql", error.code), HttpProblems.respond(error))
            : refuse(request, error),
        onSuccess: (session) =>
          Effect.andThen(
            RequestLog.add({ route: config.path, clientId: session.principal.clientId }),
            admit(request, session)
          )
      }).pipe(Effect.map(Caching.complete))
  })
