/**
 * The operator API as commands call it, with derived clients and a token that is requested before the first call.
 * Input is sent unchanged, and the service validates it.
 */
import { Api } from "@dockline/http-adapter/Api"
import { Context, Effect, Layer, Redacted } from "effect"
import type { Terminal } from "effect"
import { FetchHttpClient, HttpClient } from "effect/http"
import type { HttpClientResponse } from "effect/http"
import { HttpApi, HttpApiClient } from "effect/http-api"
import type { NotConnected, Refused, WrongUsage } from "./Failure.ts"
import * as GlobalFlags from "./GlobalFlags.ts"
import type { Connection } from "./GlobalFlags.ts"
import * as Http from "./Http.ts"

/** An answer: its decoded value, and its JSON; `null` without a body. */
export interface Answer<A> {
  readonly value: A
  readonly body: unknown
}

/** Makes derived clients return both the decoded value and the response. */
export const full = { responseMode: "decoded-and-response" } as const

const api = Api.annotate(HttpApi.PayloadParseOptions, { disableChecks: true })
  .annotate(HttpApi.QueryParseOptions, { disableChecks: true })

/** A client for each group of the API, made on first use. */
const groups = (connection: Connection, httpClient: Http.Client) => {
  const options = { httpClient, baseUrl: connection.url }
  return {
    businesses: HttpApiClient.group(api, { ...options, group: "businesses" }),
    facilities: HttpApiClient.group(api, { ...options, group: "facilities" }),
    clients: HttpApiClient.group(api, { ...options, group: "clients" }),
    people: HttpApiClient.group(api, { ...options, group: "people" }),
    webhookEndpoints: HttpApiClient.group(api, { ...options, group: "webhookEndpoints" }),
    deliveries: HttpApiClient.group(api, { ...options, group: "deliveries" }),
    messageLogs: HttpApiClient.group(api, { ...options, group: "messageLogs" })
  }
}

type Groups = ReturnType<typeof groups>

export type Group<Name extends keyof Groups> = Effect.Success<Groups[Name]>

/** The result of a request with {@link full}. */
type Sent<A, E> = Effect.Effect<[A, HttpClientResponse.HttpClientResponse], E>

export type Failures = NotConnected | Refused | WrongUsage | Terminal.QuitError

/** The operator API of the service that the settings name. */
export class OperatorConnection extends Context.Service<OperatorConnection, {
  readonly call: <Name extends keyof Groups, A, E>(
    name: Name,
    request: (group: Group<Name>) => Sent<A, E>
  ) => Effect.Effect<Answer<A>, Failures>
}>()("@dockline/cli/OperatorConnection") {}

/** Sends requests of one group, each with {@link full}. */
const calling =
  <Name extends keyof Groups>(name: Name) =>
  <A, E>(request: (api: Group<Name>) => Sent<A, E>): Effect.Effect<Answer<A>, Failures, OperatorConnection> =>
    Effect.flatMap(OperatorConnection, ({ call }) => call(name, request))

export const businesses = calling("businesses")
export const facilities = calling("facilities")
export const clients = calling("clients")
export const people = calling("people")
export const webhookEndpoints = calling("webhookEndpoints")
export const deliveries = calling("deliveries")
export const messageLogs = calling("messageLogs")

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
  }).pipe(Http.answered(connection.authUrl, connection))
  return Redacted.make(access_token)
})

/** The settings are read at the first request, so the secret is not asked for earlier. */
const open = Effect.fnUntraced(function*(client: HttpClient.HttpClient) {
  const connection = yield* GlobalFlags.connection
  const token = yield* askToken(client, connection)
  return { connection, groups: groups(connection, Http.forOperator(client, connection, token)) }
})

const make = Effect.gen(function*() {
  const client = yield* HttpClient.HttpClient
  const services = yield* Effect.context<Effect.Services<typeof GlobalFlags.connection>>()
  const opened = yield* Effect.cached(Effect.provideContext(open(client), services))
  return OperatorConnection.of({
    call: Effect.fnUntraced(function*(name, request) {
      const { connection, groups } = yield* opened
      const group = yield* groups[name] as Effect.Effect<Group<typeof name>>
      return yield* request(group).pipe(
        Effect.flatMap(([value, response]) => Effect.map(response.json, (body) => ({ value, body }))),
        Http.answered(connection.url, connection)
      )
    })
  })
})

const fetching = FetchHttpClient.layer.pipe(
  Layer.provide(Layer.succeed(FetchHttpClient.RequestInit, { redirect: "manual" }))
)

export const layer = Layer.effect(OperatorConnection, make).pipe(Layer.provide(fetching))
