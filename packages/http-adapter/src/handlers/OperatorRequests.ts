/**
 * Requests of operators (D11). Answers are in JSON, lists in CSV too, and never stored by a cache. No answer is kept under an
 * `Idempotency-Key`, as it may hold a secret that is shown once.
 */
import type { Principal } from "@dockline/core/Access"
import { MalformedRequest } from "@dockline/core/Errors"
import * as RequestInput from "@dockline/core/internal/input/RequestInput"
import type { CatalogueError } from "@dockline/core/internal/values/CatalogueError"
import { RequestOrigin } from "@dockline/core/internal/values/RequestOrigin"
import type { Table } from "@dockline/core/Operation"
import type { Page, PageQuery } from "@dockline/core/Page"
import { csv, listType } from "@dockline/wire/internal/Accept"
import { Effect, Option, Redacted, Schema } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import * as Answer from "../answer/Answer.ts"
import * as Csv from "../answer/Csv.ts"
import * as Parameters from "../answer/Parameters.ts"
import { CurrentPrincipal } from "../api/Authorization.ts"
import type { HttpConfig } from "../HttpConfig.ts"
import * as ClientAddress from "../tokens/ClientAddress.ts"
import * as Write from "./Write.ts"

export interface Success<A> {
  /** 201 with a location, else 200, when absent. */
  readonly status?: 202
  /** The path of the entity that was created. */
  readonly location?: (made: A) => string
}

type Run<A> = (principal: Principal) => Effect.Effect<A, CatalogueError>

/** Answers with a list, in CSV too. The API has checked the parameters. */
export const list = <Query extends PageQuery, Row>(
  table: Table<Row>,
  query: Query,
  read: (query: Query, principal: Principal) => Effect.Effect<Page<Row>, CatalogueError>
) =>
  Effect.gen(function*() {
    const { headers } = yield* HttpServerRequest.HttpServerRequest
    const principal = yield* CurrentPrincipal
    return listType(headers["accept"]) === csv
      ? yield* Csv.respond({
        table,
        query,
        read: (query) => read(query, principal),
        at: (after) => ({ after }) as Partial<Query>
      }, { ...noStore, vary: "accept" })
      : HttpServerResponse.setHeader(answerOf(yield* read(query, principal), {}), "vary", "accept")
  }).pipe(Effect.catch(Answer.respond))

export const read = <A>(run: Run<A>) =>
  Effect.andThen(Parameters.only(), Effect.flatMap(CurrentPrincipal, run)).pipe(
    Effect.map((value) => answerOf(value, {})),
    Effect.catch(Answer.respond)
  )

/** `write` reads a body; `writeOptional` takes none for `{}`; `act` needs none and takes `{}`; `remove` answers with none. Each runs as of its client's address. */
export const make = ({ bodyLimit, trustedProxies }: HttpConfig) => {
  const addresses = ClientAddress.make(trustedProxies)

  const fromClient = <A, E, R>(
    { headers, remoteAddress }: HttpServerRequest.HttpServerRequest,
    effect: Effect.Effect<A, E, R>
  ) =>
    Effect.provideService(effect, RequestOrigin, {
      address: addresses.of(Option.getOrUndefined(remoteAddress), headers)
    })

  const withBody = <I, A>(
    body: Write.BodyForm,
    read: RequestInput.Reader<I>,
    run: (input: I, principal: Principal) => Effect.Effect<A, CatalogueError>,
    success: Success<A> = {}
  ) =>
    Effect.gen(function*() {
      const request = yield* HttpServerRequest.HttpServerRequest
      const { bytes } = yield* Write.receive(request, body, bodyLimit)
      yield* Parameters.only()
      if (
        request.method === "POST" && request.headers["idempotency-key"] !== undefined
      ) return yield* keyRefused
      const input = yield* Write.readJson(bytes, read)
      return answerOf(yield* fromClient(request, run(input, yield* CurrentPrincipal)), success)
    }).pipe(Effect.catch(Answer.respond))

  return {
    write: <I, A>(
      read: RequestInput.Reader<I>,
      run: (input: I, principal: Principal) => Effect.Effect<A, CatalogueError>,
      success?: Success<A>
    ) => withBody(Write.json, read, run, success),
    writeOptional: <I, A>(
      read: RequestInput.Reader<I>,
      run: (input: I, principal: Principal) => Effect.Effect<A, CatalogueError>
    ) => withBody(Write.optionalJson, read, run),
    act: <A>(run: Run<A>, success?: Success<A>) =>
      withBody(Write.optionalJson, noFields, (_, principal) => run(principal), success),
    remove: (run: Run<void>) =>
      Effect.gen(function*() {
        yield* Parameters.only()
        yield* fromClient(yield* HttpServerRequest.HttpServerRequest, run(yield* CurrentPrincipal))
        return HttpServerResponse.empty({ status: 204 })
      }).pipe(Effect.catch(Answer.respond))
  }
}

const noFields = RequestInput.reader(Schema.Struct({}), "the body")

/** Takes a new secret out of its wrapping, to show it in this answer alone. */
export const unwrapped =
  <Name extends string>(name: Name) =>
  <A extends Readonly<Record<Name, Redacted.Redacted>>>(
    made: A
  ): Omit<A, Name> & Readonly<Record<Name, string>> => ({
    ...made,
    [name]: Redacted.value(made[name])
  })

export const locationOf = (...parts: ReadonlyArray<string>): string =>
  `/v1/operator/${parts.map(encodeURIComponent).join("/")}`

const noStore = { "cache-control": "no-store" }

const answerOf = <A>(value: A, given: Success<A>): HttpServerResponse.HttpServerResponse => {
  const { location, status = location === undefined ? 200 : 201 } = given
  const headers = {
    ...noStore,
    ...(location === undefined ? {} : { location: location(value) })
  }
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
