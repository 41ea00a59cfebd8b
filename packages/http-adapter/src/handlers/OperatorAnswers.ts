/**
 * Answers the declared operations of operators (D11). Answers are in JSON, lists in CSV too, and never stored by a cache. No answer
 * is kept under an `Idempotency-Key`, as it may hold a secret that is shown once.
 */
import type { Principal } from "@dockline/core/Access"
import { MalformedRequest } from "@dockline/core/Errors"
import * as RequestInput from "@dockline/core/internal/input/RequestInput"
import type { AnyChange, AnyOfOperators } from "@dockline/core/internal/operator/Change"
import { operatorHandlers } from "@dockline/core/internal/operator/OperatorHandlers"
import { operatorOperationsOf } from "@dockline/core/internal/operator/OperatorOperations"
import type { OperatorOperations } from "@dockline/core/internal/operator/OperatorOperations"
import type { CatalogueError } from "@dockline/core/internal/values/CatalogueError"
import { RequestOrigin } from "@dockline/core/internal/values/RequestOrigin"
import type * as Operation from "@dockline/core/Operation"
import type { Page } from "@dockline/core/Page"
import { AuthenticationSchemes } from "@dockline/core/WebhookEndpoint"
import { csv, listType } from "@dockline/wire/internal/Accept"
import { Effect, Layer, Option, Schema } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import * as Answer from "../answer/Answer.ts"
import * as Csv from "../answer/Csv.ts"
import * as Parameters from "../answer/Parameters.ts"
import { CurrentPrincipal } from "../api/Authorization.ts"
import { statusOf } from "../api/Endpoints.ts"
import type { HttpConfig } from "../HttpConfig.ts"
import * as ClientAddress from "../tokens/ClientAddress.ts"
import { group } from "./DeclaredGroup.ts"
import type { Given } from "./DeclaredGroup.ts"
import * as Write from "./Write.ts"

type Params = Readonly<Record<string, string>>

/** What an operation does; only its declaration knows the types. */
type Run<A> = (input: object, principal: Principal) => Effect.Effect<A, CatalogueError>

/** Answers with a list, in CSV too. The API has checked the parameters. */
const list = (table: Operation.Table<never>, query: object, run: Run<Page<never>>) =>
  Effect.gen(function*() {
    const { headers } = yield* HttpServerRequest.HttpServerRequest
    const principal = yield* CurrentPrincipal
    return listType(headers["accept"]) === csv
      ? yield* Csv.respond({
        table,
        query,
        read: (query) => run(query, principal),
        at: (after) => ({ after })
      }, { ...noStore, vary: "accept" })
      : HttpServerResponse.setHeader(answerOf(yield* run(query, principal), 200), "vary", "accept")
  })

const read = (params: Params, run: Run<unknown>) =>
  Effect.andThen(Parameters.only(), Effect.flatMap(CurrentPrincipal, (principal) => run(params, principal)))
    .pipe(Effect.map((value) => answerOf(value, 200)))

/** Runs a change as of the address of its client. */
const changing = ({ bodyLimit, trustedProxies }: HttpConfig) => {
  const addresses = ClientAddress.make(trustedProxies)

  const bodyOf = Effect.fnUntraced(function*(
    { body, isBodyOptional, read = noFields }: AnyChange,
    request: HttpServerRequest.HttpServerRequest
  ) {
    const isOptional = body === undefined || isBodyOptional === true
    const { bytes } = yield* Write.receive(request, isOptional ? Write.optionalJson : Write.json, bodyLimit)
    yield* Parameters.only()
    if (request.method === "POST" && request.headers["idempotency-key"] !== undefined) {
      return yield* keyRefused
    }
    return yield* Write.readJson(bytes, read)
  })

  return Effect.fnUntraced(function*(operation: AnyChange, params: Params, run: Run<never>) {
    const request = yield* HttpServerRequest.HttpServerRequest
    const body = yield* request.method === "DELETE" ? Parameters.only() : bodyOf(operation, request)
    const { headers, remoteAddress } = request
    const address = addresses.of(Option.getOrUndefined(remoteAddress), headers)
    const done = yield* run({ ...params, body }, yield* CurrentPrincipal).pipe(
      Effect.provideService(RequestOrigin, { address })
    )
    const { creates, rest, show } = operation
    const status = statusOf(operation)
    if (status === 204) return HttpServerResponse.empty({ status })
    const value = show === undefined ? done : show(done)
    return answerOf(
      value,
      status,
      creates === undefined ? {} : { location: locationOf(rest, params, creates, value) }
    )
  })
}

const noFields = RequestInput.reader(Schema.Struct({}), "the body")

/** The path of what was created: that of the request, and below it the field that names what was created. */
const locationOf = (
  rest: Operation.Route,
  params: Params,
  creates: string | null,
  value: unknown
): string => {
  const path = rest.replace(/^\w+ /, "").replaceAll(
    /:(\w+)/g,
    (_, name: string) => encodeURIComponent(params[name]!)
  )
  return creates === null ? path : `${path}/${encodeURIComponent((value as Params)[creates]!)}`
}

const noStore = { "cache-control": "no-store" }

const answerOf = (
  value: unknown,
  status: number,
  location: Readonly<Record<string, string>> = {}
): HttpServerResponse.HttpServerResponse => {
  const headers = { ...noStore, ...location }
  return value === undefined
    ? HttpServerResponse.empty({ status, headers })
    : HttpServerResponse.text(JSON.stringify(value), { status, headers, contentType: "application/json" })
}

const keyRefused = new MalformedRequest({
  errors: [{
    path: "Idempotency-Key",
    detail: "is not taken here, as the answer may hold a secret and is not kept; leave it out, and read what \
there is before you repeat the request"
  }]
})

/** Makes the handlers of operations, by their names. */
const answering = Effect.fnUntraced(function*(config: HttpConfig) {
  const operations = operatorOperationsOf(yield* AuthenticationSchemes)
  const handlers = yield* operatorHandlers
  const change = changing(config)
  return (name: string) => {
    const operation: AnyOfOperators = operations[name as keyof OperatorOperations]
    const handle: (input: never, principal: Principal) => Effect.Effect<unknown, CatalogueError> =
      handlers[name as keyof OperatorOperations]
    const run = <A>(input: object, principal: Principal) =>
      handle(input as never, principal) as Effect.Effect<A, CatalogueError>
    return ({ params = {}, query }: Given) => {
      const { kind } = operation
      const answer = kind === "change"
        ? change(operation, params, run)
        : kind === "list"
        ? list(operation.columns, { ...params, ...query }, run)
        : read(params, run)
      return Effect.catch(answer, Answer.respond)
    }
  }
})

/** The groups of the operations of operators. */
export const layer = (config: HttpConfig) =>
  Layer.unwrap(Effect.map(answering(config), (answer) =>
    Layer.mergeAll(
      group("businesses", answer),
      group("facilities", answer),
      group("clients", answer),
      group("people", answer),
      group("webhookEndpoints", answer),
      group("deliveries", answer),
      group("messageLogs", answer),
      group("audit", answer)
    )))
