/**
 * GraphQL over HTTP (D8.5, D8.8).
 *
 * Guarantee: the token and the rate limit (D10.5) are checked before the body is read. Refusals of the token, the path, the method and
 * the media types are problems (RFC 9457); all others have the form of GraphQL (D4.2, D8.6).
 */
import { Authenticator } from "@dockline/core/access/Authenticator"
import type { Session } from "@dockline/core/access/Authenticator"
import { AnswerMemory, waitAside } from "@dockline/core/access/RequestLimits"
import * as JsonText from "@dockline/core/input/JsonText"
import * as Slices from "@dockline/core/input/Slices"
import type { CatalogueError, ErrorCategory } from "@dockline/core/values/CatalogueError"
import { MalformedRequest } from "@dockline/core/values/Errors"
import {
  MethodNotAllowed,
  NotAcceptable,
  PayloadTooLarge,
  ResourceNotFound
} from "@dockline/core/values/RequestErrors"
import type { Overloaded } from "@dockline/core/values/RequestErrors"
import * as RequestLog from "@dockline/core/values/RequestLog"
import { correlationHeader, correlationIdOf, withCacheControl } from "@dockline/wire/AnswerHeaders"
import * as BoundedBody from "@dockline/wire/BoundedBody"
import {
  contentTypeReader,
  eventStream,
  graphqlResultType,
  graphqlType,
  isNamed
} from "@dockline/wire/MediaType"
import { pathOf } from "@dockline/wire/Path"
import * as Pieces from "@dockline/wire/Pieces"
import { retryAfterOf } from "@dockline/wire/Problem"
import * as Problem from "@dockline/wire/Problem"
import * as Refusal from "@dockline/wire/Refusal"
import * as RequestAdmission from "@dockline/wire/RequestAdmission"
import { Effect, Predicate, Stream } from "effect"
import { HttpServerResponse, Multipart } from "effect/http"
import type { HttpServerRequest } from "effect/http"
import type { GraphQLError } from "graphql"
import * as Engine from "../engine/Engine.ts"
import { GraphqlEngine } from "../engine/Engine.ts"
import type { OnceResult } from "../engine/Engine.ts"
import { memoryFor, partsOf } from "../engine/GraphqlOperation.ts"
import type { GraphqlRequest } from "../engine/GraphqlOperation.ts"
import type { GraphqlConfig } from "../GraphqlConfig.ts"
import { badInput, isRetryable } from "../resolvers/Run.ts"
import * as Sse from "./Sse.ts"

const maxFiles = 10

/** Files, and the fields of either form of multipart requests. */
const maxParts = maxFiles + 5

/** After parsing a longer body, in bytes, the event loop gets a turn before the variables are handled. */
const longBody = 65_536

const readType = contentTypeReader("application/json", "multipart/form-data")

/**
 * Reads the operation of a request over HTTP: from the parameters of a GET, from JSON as REST reads it (D2.6), or from a multipart request,
 * whose files are named by the GraphQL multipart request convention or, without `map`, by the paths of their variables (D8.5).
 *
 * Guarantee: bodies, parts, their number and their sizes are bounded. A file can replace only a `null` in the variables.
 */
export const readOperation = Effect.fnUntraced(function*(
  request: HttpServerRequest.HttpServerRequest,
  config: GraphqlConfig
) {
  if (request.method === "GET") return yield* operationOf(yield* parametersOf(request.url), "query")
  const { format } = yield* Effect.fromResult(readType(request.headers))
  if (format === "multipart") return yield* readMultipart(request, config)
  const bytes = yield* BoundedBody.read(request, config.bodyLimit).pipe(
    Effect.catchTag("HttpServerError", () => Effect.fail(incomplete))
  )
  const body = yield* readJson(bytes, "body")
  if (bytes.length > longBody) yield* Slices.pause
  return yield* operationOf(body, "body")
})

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

/** The refusal of a request because of its part at `path`. */
const malformed = (detail: string, path: string): MalformedRequest =>
  new MalformedRequest({ errors: [{ path, detail }] })

const incomplete = malformed("ended before it was complete", "body")

/** Reads JSON; `part` is the name of the part of the request that contains the JSON. */
const readJson = (json: Uint8Array | string, part: string): Effect.Effect<unknown, MalformedRequest> =>
  JsonText.read(json).pipe(
    Effect.map(({ value }) => value),
    Effect.mapError(({ errors }) =>
      new MalformedRequest({
        errors: errors.map(({ path, detail }) => ({
          // Paths begin in the body, so they do not name it.
          path: path === "" ? part : part === "body" ? path : `${part}.${path}`,
          detail
        }))
      })
    )
  )

/** The operation in the members of a JSON object; `part` is the name of the part of the request that contains the object. */
const operationOf = Effect.fnUntraced(function*(
  members: unknown,
  part: string
): Effect.fn.Return<GraphqlRequest, MalformedRequest> {
  if (Array.isArray(members)) {
    return yield* malformed("is a list; batches are not supported: send one operation in each request", part)
  }
  if (!Predicate.isObject(members)) return yield* malformed("must be an object", part)
  const { query, operationName = null, variables = null, extensions = null } = members
  if (typeof query !== "string") return yield* malformed("must be text: the document", "query")
  if (operationName !== null && typeof operationName !== "string") {
    return yield* malformed("must be text", "operationName")
  }
  if (!isRecordOrNull(variables)) return yield* malformed("must be an object", "variables")
  if (!isRecordOrNull(extensions)) return yield* malformed("must be an object", "extensions")
  return { query, operationName, variables }
})

const isRecordOrNull = (value: unknown): value is Record<string, unknown> | null =>
  value === null || Predicate.isObject(value)

const readMultipart = Effect.fnUntraced(function*(
  request: HttpServerRequest.HttpServerRequest,
  config: GraphqlConfig
): Effect.fn.Return<GraphqlRequest, MalformedRequest | Overloaded | PayloadTooLarge> {
  const { fields, files } = yield* waitAside(request.source, readParts(request, config))
  const operation = yield* operationIn(fields)
  const variables = { ...operation.variables }
  const map = fields.get("map")
  const places = map === undefined
    ? new Map(Array.from(files.keys(), (name) => [name, [name.replace(/^variables\./, "")]]))
    : yield* placesOf(yield* readJson(map, "map"))
  for (const name of files.keys()) {
    if (!places.has(name)) return yield* malformed("is a file that map does not mention", name)
  }
  for (const [name, paths] of places) {
    const file = files.get(name)
    if (file === undefined) {
      return yield* malformed("is mentioned in map; send a file part of that name", name)
    }
    for (const path of paths) {
      if (place(variables, path.split("."), file)) continue
      return yield* malformed(
        `is to take the place of the variable ${path}, where the variables must hold null`,
        name
      )
    }
  }
  return { ...operation, variables }
})

const readParts = Effect.fnUntraced(function*(
  request: HttpServerRequest.HttpServerRequest,
  config: GraphqlConfig
) {
  const fields = new Map<string, string>()
  const files = new Map<string, File>()
  const limit = config.bodyLimit + config.uploadLimit
  if (Number(request.headers["content-length"] || Number.NaN) > limit) {
    return yield* new PayloadTooLarge({ limit })
  }
  const limits = Multipart.limitsServices({
    maxParts,
    maxFieldSize: config.bodyLimit,
    maxFileSize: config.uploadLimit,
    maxTotalSize: limit,
    // No file is a field because of its type: a file may be JSON too.
    fieldMimeTypes: []
  })
  const take = Effect.fnUntraced(function*(part: Multipart.Part) {
    if (fields.has(part.key) || files.has(part.key)) return yield* malformed("occurs twice", part.key)
    if (part._tag === "Field") {
      // The parser has replaced bytes that are not UTF-8 by this character.
      if (part.value.includes("\ufffd")) {
        return yield* malformed("is not UTF-8; the character U+FFFD itself is written as \\ufffd", part.key)
      }
      return void fields.set(part.key, part.value)
    }
    if (files.size >= maxFiles) return yield* malformed(`a request holds at most ${maxFiles} files`, part.key)
    const bytes = yield* part.contentEffect
    files.set(part.key, new File([Uint8Array.from(bytes)], part.name, { type: part.contentType }))
  })
  yield* request.multipartStream.pipe(
    Stream.runForEach(take),
    Effect.provideContext(limits),
    Effect.catchTag("MultipartError", (error) => Effect.fail(refusalOf(error, config)))
  )
  return { fields, files }
})

const refusalOf = ({ reason }: Multipart.MultipartError, config: GraphqlConfig) => {
  switch (reason._tag) {
    case "TooManyParts":
      return malformed(`has more than ${maxParts} parts`, "body")
    case "FieldTooLarge":
      return new PayloadTooLarge({ limit: config.bodyLimit })
    case "FileTooLarge":
      return new PayloadTooLarge({ limit: config.uploadLimit })
    case "BodyTooLarge":
      return new PayloadTooLarge({ limit: config.bodyLimit + config.uploadLimit })
    case "Parse":
      return malformed("is not multipart/form-data as its boundary says", "body")
    case "InternalError":
      return incomplete
  }
}

/** The names of parts that are not files: those of the convention, and the members of a JSON request. */
const fieldNames = new Set(["operations", "map", "query", "variables", "operationName", "extensions"])

const operationIn = Effect.fnUntraced(function*(fields: ReadonlyMap<string, string>) {
  const strange = Array.from(fields.keys()).find((name) => !fieldNames.has(name))
  if (strange !== undefined) {
    return yield* malformed("is no file: give the part a filename, or leave it out", strange)
  }
  const operations = fields.get("operations")
  if (operations !== undefined) {
    return yield* operationOf(yield* readJson(operations, "operations"), "operations")
  }
  const variables = fields.get("variables")
  return yield* operationOf({
    query: fields.get("query"),
    operationName: fields.get("operationName"),
    variables: variables === undefined ? undefined : yield* readJson(variables, "variables")
  }, "operations")
})

/** For each part with a file, the paths of its variables. */
const placesOf = Effect.fnUntraced(function*(
  map: unknown
): Effect.fn.Return<ReadonlyMap<string, ReadonlyArray<string>>, MalformedRequest> {
  if (!Predicate.isObject(map)) return yield* malformed("must be an object", "map")
  const places = new Map<string, ReadonlyArray<string>>()
  for (const [name, paths] of Object.entries(map)) {
    if (!arePaths(paths)) {
      return yield* malformed("must be a list of paths such as \"variables.input.file\"", `map.${name}`)
    }
    places.set(name, paths.map((path) => path.slice("variables.".length)))
  }
  return places
})

const arePaths = (paths: unknown): paths is ReadonlyArray<string> =>
  Array.isArray(paths) && paths.length > 0 && paths.length <= maxFiles &&
  paths.every((path) => typeof path === "string" && path.startsWith("variables."))

/** Puts the file at the path; `false` if the variables have no `null` there. */
const place = (holder: unknown, [key = "", ...rest]: ReadonlyArray<string>, file: File): boolean => {
  if (!Predicate.isObjectOrArray(holder) || !Object.hasOwn(holder, key)) return false
  const member: unknown = Reflect.get(holder, key)
  if (rest.length > 0) return place(member, rest, file)
  return member === null && Reflect.set(holder, key, file)
}

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

/** The answer to a request for an unknown path. */
export const notFound = ({ url }: HttpServerRequest.HttpServerRequest) =>
  Effect.succeed(problem(Problem.problemOf(new ResourceNotFound({ path: pathOf(url) }))))

const answer = ({ headers }: HttpServerRequest.HttpServerRequest, { result, replayed }: OnceResult) => {
  const mediaType = graphqlResultType(headers["accept"])
  const isUnavailable = result.errors?.some(isRetryable) === true
  // A result without data comes from a request that was never executed (GraphQL over HTTP, status codes).
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
  const once = yield* Engine.makeOnce(engine)
  const stream = yield* Sse.make(config.live, once)

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
      // The id that the service has given the request or, without one, the id of the request or a new id (D4.5).
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
      const memory = yield* admit(session.principal)
      return yield* Effect.provideService(respond(request, session), AnswerMemory, memoryFor(memory))
    }).pipe(Effect.catch((error) => refuse(request, error)), Effect.map(withCacheControl))
})
