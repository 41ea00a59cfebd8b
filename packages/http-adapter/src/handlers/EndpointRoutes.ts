/**
 * Serves the endpoints of an API: admits the client where one needs a token, reads the parameters as the endpoint declares them, and has the
 * request answered.
 *
 * Effect's own builder merges two contexts for each request and encodes answers by schema. Here answers have their services when they
 * are made, and write themselves.
 */
import { Effect, Result, Schema, SchemaParser } from "effect"
import type { SchemaIssue } from "effect"
import { HttpRouter, HttpServerRequest } from "effect/http"
import type { HttpServerResponse } from "effect/http"
import type { HttpApiEndpoint } from "effect/http-api"
import * as Answer from "../answer/Answer.ts"
import { refusalOf, sentTo } from "../answer/Parameters.ts"
import type { Answering, CallInput } from "../api/Parts.ts"
import * as RequestAuthorization from "./RequestAuthorization.ts"

/** Answers the requests for an endpoint that needs no token. */
export type OpenAnswering = (
  input: CallInput
) => Effect.Effect<HttpServerResponse.HttpServerResponse, never, HttpServerRequest.HttpServerRequest>

/** What answers endpoints, by their names. */
export interface Answers {
  readonly ofClients: Readonly<Record<string, Answering>>
  readonly ofAnyone: Readonly<Record<string, OpenAnswering>>
}

/** A refusal names every bad parameter of a request, and a misspelt parameter is refused. */
const queryParseOptions = { errors: "all", onExcessProperty: "error" } as const

/** Makes the reader of what a request sends in its path and its query. */
const readerOf = ({ params, query }: HttpApiEndpoint.Top) => {
  // The schemas of parameters need no services.
  const readParams = params && SchemaParser.decodeUnknownResult(params as Schema.Decoder<CallInput["params"]>)
  const readQuery = query && SchemaParser.decodeUnknownResult(
    Schema.toCodecArrayFromSingle(query) as unknown as Schema.Decoder<CallInput["query"]>,
    queryParseOptions
  )
  return (inPath: unknown, inQuery: unknown): Result.Result<CallInput, SchemaIssue.Issue> => {
    const input: { -readonly [Name in keyof CallInput]: CallInput[Name] } = {}
    if (readParams !== undefined) {
      const params = readParams(inPath)
      if (Result.isFailure(params)) return Result.fail(params.failure)
      if (params.success !== undefined) input.params = params.success
    }
    if (readQuery !== undefined) {
      const query = readQuery(inQuery)
      if (Result.isFailure(query)) return Result.fail(query.failure)
      if (query.success !== undefined) input.query = query.success
    }
    return Result.succeed(input)
  }
}

/** Reads the parameters of a request, and has it answered. */
const handlerOf = <R>(
  endpoint: HttpApiEndpoint.Top,
  answering: (input: CallInput) => Effect.Effect<HttpServerResponse.HttpServerResponse, never, R>,
  valuesOf: (values: HttpServerRequest.ParsedSearchParams["Service"]) => ReturnType<typeof sentTo>
) => {
  const inputOf = readerOf(endpoint)
  return Effect.flatMap(
    HttpRouter.RouteContext,
    ({ params }) =>
      Effect.flatMap(HttpServerRequest.ParsedSearchParams, (query) => {
        const values = valuesOf(query)
        if (Result.isFailure(values)) return Answer.respond(values.failure)
        const input = inputOf(params, values.success)
        return Result.isFailure(input) ? Answer.respond(refusalOf(input.failure)) : answering(input.success)
      })
  )
}

/** Makes the routes of endpoints; one that nothing answers is a defect. */
export const layer = <E, R>(
  endpoints: ReadonlyArray<HttpApiEndpoint.Top>,
  answers: Effect.Effect<Answers, E, R>
) =>
  HttpRouter.use(Effect.fnUntraced(function*(router) {
    const forClients = yield* RequestAuthorization.make
    const { ofAnyone, ofClients } = yield* answers
    yield* router.addAll(endpoints.map((endpoint) => {
      const { identifier, method, path } = endpoint
      const [toClient, toAnyone] = [ofClients[identifier], ofAnyone[identifier]]
      const handler = toClient !== undefined
        ? forClients(handlerOf(endpoint, toClient, (values) => sentTo(endpoint, values)))
        : toAnyone && handlerOf(endpoint, toAnyone, Result.succeed)
      if (handler === undefined) throw new Error(`Nothing answers the endpoint ${identifier}`)
      return HttpRouter.route(method, path as HttpRouter.PathInput, handler)
    }))
  }))
