/**
 * Requests of operators: from the bytes of a request to its answer (D11).
 *
 * Guarantee: refusals come in the order of D3.9, as with every request that writes. Answers are in JSON and never stored
 * by a cache. No answer is kept under an `Idempotency-Key`, as it may hold a secret that is shown once.
 */
import type { Principal } from "@dockline/core/Access"
import { MalformedRequest } from "@dockline/core/Errors"
import type { CatalogueError } from "@dockline/core/internal/Categories"
import * as RequestInput from "@dockline/core/RequestInput"
import { Effect, Redacted, Schema } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import * as Answer from "../answer/Answer.ts"
import * as Parameters from "../answer/Parameters.ts"
import * as Write from "../answer/Write.ts"
import { CurrentPrincipal } from "../api/Authorization.ts"
import type { HttpConfig } from "../api/HttpConfig.ts"
import type * as ContentType from "../body/ContentType.ts"

/** How a request that was carried out is answered: with what it gives, or without a body. */
export type Success<A> =
  | {
    readonly status: 200 | 202
    readonly location?: never
  }
  /** `location` is where what was made is found. */
  | {
    readonly status: 201
    readonly location: (made: A) => string
  }

type Handled = Effect.Effect<
  HttpServerResponse.HttpServerResponse,
  never,
  HttpServerRequest.HttpServerRequest | CurrentPrincipal
>

/** Answers requests of operators. */
export interface OperatorRequests {
  /** A request that reads one thing. */
  readonly read: <A>(run: (principal: Principal) => Effect.Effect<A, CatalogueError>) => Handled
  /** A request that reads a list, whose parameters the API has checked. */
  readonly list: <A>(run: (principal: Principal) => Effect.Effect<A, CatalogueError>) => Handled
  /** A request with a body, which `read` makes sense of. */
  readonly write: <I, A>(
    read: RequestInput.Reader<I>,
    run: (input: I, principal: Principal) => Effect.Effect<A, CatalogueError>,
    success: Success<A>
  ) => Handled
  /** A request that its address says all about: `{}`, or no body at all. */
  readonly act: <A>(
    run: (principal: Principal) => Effect.Effect<A, CatalogueError>,
    success: Success<A>
  ) => Handled
  /** A request that removes something. */
  readonly remove: (run: (principal: Principal) => Effect.Effect<void, CatalogueError>) => Handled
}

const noFields = RequestInput.reader(Schema.Struct({}), "the body")

/** Makes {@link OperatorRequests}. */
export const make = ({ bodyLimit }: Pick<HttpConfig, "bodyLimit">): OperatorRequests => {
  const withBody = <I, A>(
    body: Write.BodyForm<ContentType.Json>,
    read: RequestInput.Reader<I>,
    run: (input: I, principal: Principal) => Effect.Effect<A, CatalogueError>,
    success: Success<A>
  ): Handled =>
    Effect.gen(function*() {
      const request = yield* HttpServerRequest.HttpServerRequest
      const { bytes } = yield* Write.receive(request, body, bodyLimit)
      yield* Parameters.only()
      if (request.method === "POST") yield* withoutKey(request)
      const input = yield* Write.readJson(bytes, read)
      const value = yield* run(input, yield* CurrentPrincipal)
      return answerOf(success, value)
    }).pipe(Effect.catch(refuse))

  const readAfter = <A, E extends CatalogueError>(
    check: Effect.Effect<void, E, HttpServerRequest.HttpServerRequest>,
    run: (principal: Principal) => Effect.Effect<A, CatalogueError>
  ): Handled =>
    Effect.andThen(check, CurrentPrincipal).pipe(
      Effect.flatMap(run),
      Effect.map((value) => answerOf({ status: 200 }, value)),
      Effect.catch(refuse)
    )

  return {
    list: (run) => readAfter(Effect.void, run),
    read: (run) => readAfter(Parameters.only(), run),
    write: (read, run, success) => withBody(Write.json, read, run, success),
    act: (run, success) => withBody(Write.optionalJson, noFields, (_, principal) => run(principal), success),
    remove: (run) =>
      Effect.andThen(Parameters.only(), CurrentPrincipal).pipe(
        Effect.flatMap(run),
        Effect.as(HttpServerResponse.empty({ status: 204 })),
        Effect.catch(refuse)
      )
  }
}

/** Takes the secret that was just made, to be shown this once, out of its wrapping. */
export const unwrapped =
  <Name extends string>(name: Name) =>
  <A extends Readonly<Record<Name, Redacted.Redacted>>>(
    made: A
  ): Omit<A, Name> & Readonly<Record<Name, string>> => ({
    ...made,
    [name]: Redacted.value(made[name])
  })

/** A path under that of the operator side, its parts as they are. */
export const pathOf = (...parts: ReadonlyArray<string>): string =>
  `/v1/operator/${parts.map(encodeURIComponent).join("/")}`

const answerOf = <A>(
  { status, location }: Success<A>,
  value: A
): HttpServerResponse.HttpServerResponse => {
  const headers = {
    "cache-control": "no-store",
    ...(location === undefined ? {} : { location: location(value) })
  }
  return value === undefined
    ? HttpServerResponse.empty({ status, headers })
    : HttpServerResponse.text(JSON.stringify(value), { status, headers, contentType: "application/json" })
}

const refuse = (error: CatalogueError) => Effect.map(Answer.refuse(error), Answer.toResponse)

/** A kept answer could show a secret again. */
const withoutKey = (
  { headers }: HttpServerRequest.HttpServerRequest
): Effect.Effect<void, MalformedRequest> =>
  headers["idempotency-key"] === undefined
    ? Effect.void
    : Effect.fail(
      new MalformedRequest({
        errors: [{
          path: "Idempotency-Key",
          detail:
            "is not taken here, as the answer may hold a secret and is not kept; leave it out, and read what \
there is before you repeat the request"
        }]
      })
    )
