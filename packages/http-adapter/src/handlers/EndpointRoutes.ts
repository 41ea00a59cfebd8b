/**
 * Serves the endpoints of an API: admits the client if the endpoint needs a token, reads the parameters that the endpoint declares, and
 * calls the function that answers the request.
 *
 * The builder of Effect merges two contexts for each request and encodes answers by schema. Here the answering functions get their services
 * when they are made, and write the answers themselves.
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

/** The functions that answer endpoints, by the names of the endpoints. */
export interface Answers {
  readonly ofClients: Readonly<Record<string, Answering>>
  readonly ofAnyone: Readonly<Record<string, OpenAnswering>>
}

/** A refusal names every wrong parameter of a request, and a misspelt parameter is refused. */
const queryParseOptions = { errors: "all", onExcessProperty: "error" } as const

/** Makes the function that reads the parameters in the path and the query of a request. */
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

/** Reads the parameters of a request, and answers it. */
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

/** Makes the routes of endpoints. An endpoint without an answering function is a defect. */
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
