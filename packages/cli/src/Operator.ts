/**
 * The operator API as commands call it: clients derived from the one definition of the REST interface, a token asked
 * for at the first request, every failure one of ours.
 *
 * Guarantee: what the service is sent is what was given, and what is wrong with it is for the service to say; an answer
 * is at hand as it was sent, besides what its schema makes of it.
 */
import { Api } from "@dockline/http-adapter/Api"
import { Context, Effect, Layer, Redacted } from "effect"
import type { Terminal } from "effect"
import { FetchHttpClient, HttpClient } from "effect/http"
import type { HttpClientResponse } from "effect/http"
import { HttpApi, HttpApiClient } from "effect/http-api"
import type { NotConnected, Refused, WrongUsage } from "./Failure.ts"
import * as Http from "./Http.ts"
import * as Settings from "./Settings.ts"
import type { Connection } from "./Settings.ts"

/** An answer: its value, and the JSON that it was read from; `null` without a body. */
export interface Answer<A> {
  readonly value: A
  readonly body: unknown
}

/** How derived clients are asked for both. */
export const full = { responseMode: "decoded-and-response" } as const

const api = Api.annotate(HttpApi.PayloadParseOptions, { disableChecks: true })
  .annotate(HttpApi.QueryParseOptions, { disableChecks: true })

/** A client for each group; it is made when it is used. */
const groups = (connection: Connection, httpClient: Http.Client) => {
  const options = { httpClient, baseUrl: connection.url }
  return {
    businesses: HttpApiClient.group(api, { ...options, group: "businesses" }),
    facilities: HttpApiClient.group(api, { ...options, group: "facilities" }),
    clients: HttpApiClient.group(api, { ...options, group: "clients" }),
    webhookEndpoints: HttpApiClient.group(api, { ...options, group: "webhookEndpoints" }),
    deliveries: HttpApiClient.group(api, { ...options, group: "deliveries" }),
    messageLogs: HttpApiClient.group(api, { ...options, group: "messageLogs" })
  }
}

type Groups = ReturnType<typeof groups>

/** A client of one group of the operator API. */
export type Group<Name extends keyof Groups> = Effect.Success<Groups[Name]>

/** What a request gives when it is sent with {@link full}. */
type Sent<A, E> = Effect.Effect<[A, HttpClientResponse.HttpClientResponse], E>

/** The failures of a request. */
export type Failures = NotConnected | Refused | WrongUsage | Terminal.QuitError

/** The operator API of the service that the settings name. */
export class Operator extends Context.Service<Operator, {
  /** Sends a request of a group. */
  readonly call: <Name extends keyof Groups, A, E>(
    name: Name,
    request: (group: Group<Name>) => Sent<A, E>
  ) => Effect.Effect<Answer<A>, Failures>
}>()("@dockline/cli/Operator") {}

const askToken = Effect.fnUntraced(function*(client: HttpClient.HttpClient, connection: Connection) {
  const requestToken = yield* HttpApiClient.endpoint(Api, {
    group: "tokens",
    endpoint: "requestToken",
    httpClient: Http.forTokens(client, connection),
    baseUrl: connection.authUrl
  })
  const { access_token } = yield* requestToken({
    payload: {
      client_id: connection.clientId,
      client_secret: Redacted.value(connection.clientSecret),
      audience: connection.audience,
      grant_type: "client_credentials"
    }
  }).pipe(
    Effect.mapError(Http.asFailure),
    Effect.timeoutOrElse({
      duration: connection.timeoutMillis,
      orElse: () => Effect.fail(Http.tooLate(connection.authUrl, connection))
    })
  )
  return Redacted.make(access_token)
})

/** The connection is made of the settings when the first request needs it: a secret is not asked for before. */
const open = Effect.fnUntraced(function*(client: HttpClient.HttpClient) {
  const connection = yield* Settings.connection
  const token = yield* askToken(client, connection)
  return { connection, groups: groups(connection, Http.forOperator(client, connection, token)) }
})

const make = Effect.gen(function*() {
  const client = yield* HttpClient.HttpClient
  const services = yield* Effect.context<Effect.Services<typeof Settings.connection>>()
  const opened = yield* Effect.cached(Effect.provideContext(open(client), services))
  return Operator.of({
    call: Effect.fnUntraced(function*(name, request) {
      const { connection, groups } = yield* opened
      const group = yield* groups[name] as Effect.Effect<Group<typeof name>>
      return yield* request(group).pipe(
        Effect.flatMap(([value, response]) => Effect.map(response.json, (body) => ({ value, body }))),
        Effect.mapError(Http.asFailure),
        Effect.timeoutOrElse({
          duration: connection.timeoutMillis,
          orElse: () => Effect.fail(Http.tooLate(connection.url, connection))
        })
      )
    })
  })
})

const fetching = FetchHttpClient.layer.pipe(
  Layer.provide(Layer.succeed(FetchHttpClient.RequestInit, { redirect: "manual" }))
)

/** The API as the settings of the run say. */
export const layer = Layer.effect(Operator, make).pipe(Layer.provide(fetching))
