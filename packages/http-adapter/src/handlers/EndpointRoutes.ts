/**
 * Serves the endpoints of an API: admits the client if the endpoint needs a token, reads the parameters that the endpoint declares, and
 * calls the function that answers the request. The token is checked before parameters and body are read.
 *
 * Guarantee: each further page of a long answer, such as a whole list in CSV (D13), counts as a request of its client (D10.5) and takes its
 * turn among the requests. At most `pagesAtOnce` pages of a client are read at once, however many answers it has in progress. If a client
 * has used up its window, its answer waits for the next window: the answer becomes slower, but does not break off.
 *
 * The builder of Effect merges two contexts for each request and encodes answers by schema. Here the answering functions get their services
 * when they are made, and write the answers themselves.
 */
import type { Principal } from "@dockline/core/access/Access"
import { Authenticator } from "@dockline/core/access/Authenticator"
import { AnswerMemory, Capacity, OpenAnswerMemory, RequestLimits } from "@dockline/core/access/RequestLimits"
import type { AdmitWork } from "@dockline/core/access/RequestLimits"
import * as RequestLog from "@dockline/core/values/RequestLog"
import * as RequestAdmission from "@dockline/wire/RequestAdmission"
import { Context, Effect, Result, Schema, SchemaParser, Semaphore } from "effect"
import type { SchemaIssue } from "effect"
import { HttpRouter, HttpServerRequest } from "effect/http"
import type { HttpServerResponse } from "effect/http"
import type { HttpApiEndpoint } from "effect/http-api"
import * as Answer from "../answer/Answer.ts"
import { refusalOf, sentTo } from "../answer/Parameters.ts"
import { CurrentPrincipal, FurtherPages } from "../api/Parts.ts"
import type { Answering, CallInput } from "../api/Parts.ts"

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
    const forClients = yield* makeAuthorization
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

/**
 * Makes the check of the bearer token of a request. The wrapped effect then answers the request for the client that the token authenticates.
 */
const makeAuthorization = Effect.gen(function*() {
  const { authenticate } = yield* Authenticator
  const admit = yield* RequestAdmission.make
  const pagesOf = furtherPages(yield* RequestLimits, yield* Capacity, yield* OpenAnswerMemory)

  const authorize = (authorization: string | undefined) =>
    Effect.flatMap(authenticate(authorization), ({ principal }) =>
      Effect.withFiber(({ context }) => {
        RequestLog.addUnsafe(context, { clientId: principal.clientId })
        return Effect.map(admit(principal), (memory) => ({ memory, principal }))
      }))

  return <E, R>(handler: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>) =>
    Effect.flatMap(
      HttpServerRequest.HttpServerRequest,
      ({ headers }) =>
        Effect.matchEffect(authorize(headers["authorization"]), {
          onFailure: Answer.respond,
          onSuccess: ({ memory, principal }) =>
            Effect.updateContext(
              handler,
              // Services are added one by one, because a merge would copy the whole context.
              (outer: Context.Context<Exclude<R, CurrentPrincipal | FurtherPages>>) =>
                outer.pipe(
                  Context.add(CurrentPrincipal, principal),
                  Context.add(FurtherPages, pagesOf(principal)),
                  Context.add(AnswerMemory, memory)
                ) as Context.Context<R>
            )
        })
    )
})

/** The most pages that are read at once for one client. */
const pagesAtOnce = 2

/** Makes the function that gives each client its reader of the pages of a long answer after the first. */
export const furtherPages = (
  limits: RequestLimits["Service"],
  admitWork: AdmitWork,
  openMemory: OpenAnswerMemory
): (principal: Principal) => FurtherPages["Service"] => {
  const turns = new Map<string, { readonly permits: Semaphore.Semaphore; users: number }>()

  const inTurn = <A, E, R>(clientId: string, effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.suspend(() => {
      const turn = turns.get(clientId) ?? { permits: Semaphore.makeUnsafe(pagesAtOnce), users: 0 }
      turn.users++
      turns.set(clientId, turn)
      return turn.permits.withPermit(effect).pipe(
        Effect.ensuring(Effect.sync(() => --turn.users === 0 && turns.delete(clientId)))
      )
    })

  /** Counts a request; if the client has used up its window, waits for the window to end. */
  const countPage = (clientId: string): Effect.Effect<void> =>
    Effect.catch(
      Effect.asVoid(limits.count(clientId)),
      ({ retryAfterSeconds }) => Effect.andThen(Effect.sleep(retryAfterSeconds * 1000), countPage(clientId))
    )

  return (principal: Principal): FurtherPages["Service"] => ({
    read: (page) =>
      Effect.suspend(() => {
        const { clientId } = principal
        const { memory, release } = openMemory(principal)
        const work = Effect.ensuring(Effect.provideService(page, AnswerMemory, memory), Effect.sync(release))
        return Effect.andThen(countPage(clientId), inTurn(clientId, admitWork(principal, work)))
      })
  })
}
