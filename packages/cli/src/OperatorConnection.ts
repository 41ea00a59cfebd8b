/**
 * The REST interface as commands call it, with derived clients and a token that is requested before the first call, and
 * again before it expires. Input is sent unchanged, and the service validates it.
 */
import { IntakeResult } from "@dockline/core/Outcome"
import { Api } from "@dockline/http-adapter/Api"
import { graphqlPath } from "@dockline/wire/internal/Path"
import { Clock, Context, Effect, Layer, Redacted, Schema } from "effect"
import type { Terminal } from "effect"
import { FetchHttpClient, HttpClient, HttpClientRequest, HttpClientResponse } from "effect/http"
import { HttpApi, HttpApiClient } from "effect/http-api"
import { NotConnected } from "./Failure.ts"
import type { Refused, WrongUsage } from "./Failure.ts"
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
    shipments: HttpApiClient.group(api, { ...options, group: "shipments" }),
    pallets: HttpApiClient.group(api, { ...options, group: "pallets" }),
    exceptions: HttpApiClient.group(api, { ...options, group: "exceptions" }),
    messages: HttpApiClient.group(api, { ...options, group: "messages" }),
    documents: HttpApiClient.group(api, { ...options, group: "documents" }),
    businesses: HttpApiClient.group(api, { ...options, group: "businesses" }),
    facilities: HttpApiClient.group(api, { ...options, group: "facilities" }),
    clients: HttpApiClient.group(api, { ...options, group: "clients" }),
    people: HttpApiClient.group(api, { ...options, group: "people" }),
    webhookEndpoints: HttpApiClient.group(api, { ...options, group: "webhookEndpoints" }),
    deliveries: HttpApiClient.group(api, { ...options, group: "deliveries" }),
    messageLogs: HttpApiClient.group(api, { ...options, group: "messageLogs" }),
    audit: HttpApiClient.group(api, { ...options, group: "audit" })
  }
}

type Groups = ReturnType<typeof groups>

export type Group<Name extends keyof Groups> = Effect.Success<Groups[Name]>

/** The result of a request with {@link full}. */
type Sent<A, E> = Effect.Effect<[A, HttpClientResponse.HttpClientResponse], E>

export type Failures = NotConnected | Refused | WrongUsage | Terminal.QuitError

/** A document as it stands in a file, and how it is to be sent. */
export interface FileDocument {
  readonly bytes: Uint8Array
  readonly mediaType: "application/json" | "application/xml"
  readonly dryRun: boolean
  readonly idempotencyKey: string | undefined
}

/** The REST interface of the service that the settings name. */
export class OperatorConnection extends Context.Service<OperatorConnection, {
  readonly call: <Name extends keyof Groups, A, E>(
    name: Name,
    request: (group: Group<Name>) => Sent<A, E>
  ) => Effect.Effect<Answer<A>, Failures>
  /** Asks for a list as a table in CSV: the answer to its request, whose body is still to be read. */
  readonly csv: (
    list: Effect.Effect<Answer<unknown>, Failures, OperatorConnection>
  ) => Effect.Effect<HttpClientResponse.HttpClientResponse, Failures>
  /** How long an answer, or the next part of a long one, may take. */
  readonly patience: Effect.Effect<Pick<Connection, "timeoutMillis" | "url">, Failures>
  /** Sends a document byte for byte: the derived client would send what it has read of it. */
  readonly submit: (document: FileDocument) => Effect.Effect<Answer<IntakeResult>, Failures>
  /** Whether integrations are tried at a business, without real freight; only operators can read that over REST. */
  readonly isSandbox: (business: string) => Effect.Effect<boolean, Failures>
  /** Requests a token for the use of other programs. */
  readonly token: Effect.Effect<Answer<Redacted.Redacted>, Failures>
}>()("@dockline/cli/OperatorConnection") {}

/** Sends requests of one group, each with {@link full}. */
const requesting =
  <Name extends keyof Groups>(name: Name) =>
  <A, E>(request: (api: Group<Name>) => Sent<A, E>): Effect.Effect<Answer<A>, Failures, OperatorConnection> =>
    Effect.flatMap(OperatorConnection, ({ call }) => call(name, request))

export const shipments = requesting("shipments")
export const pallets = requesting("pallets")
export const messages = requesting("messages")
export const documents = requesting("documents")
export const exceptions = requesting("exceptions")
export const audit = requesting("audit")
export const businesses = requesting("businesses")
export const facilities = requesting("facilities")
export const clients = requesting("clients")
export const people = requesting("people")
export const webhookEndpoints = requesting("webhookEndpoints")
export const deliveries = requesting("deliveries")
export const messageLogs = requesting("messageLogs")

export const submit = (document: FileDocument) =>
  Effect.flatMap(OperatorConnection, (connection) => connection.submit(document))

export const isSandbox = (business: string) =>
  Effect.flatMap(OperatorConnection, (connection) => connection.isSandbox(business))

export const token = Effect.flatMap(OperatorConnection, (connection) => connection.token)

const askToken = Effect.fnUntraced(function*(client: HttpClient.HttpClient, connection: Connection) {
  const requestToken = yield* HttpApiClient.endpoint(Api, {
    group: "tokens",
    endpoint: "requestToken",
    httpClient: Http.forTokens(client, connection),
    baseUrl: connection.authUrl
  })
  return yield* requestToken({
    payload: {
      client_id: connection.clientId,
      client_secret: Redacted.value(connection.clientSecret),
      audience: connection.audience,
      grant_type: "client_credentials"
    }
  }).pipe(Http.answered(connection.authUrl, connection))
})

/** A token is replaced so long before it expires. */
const marginMillis = 60_000

/** The token of all requests: asked for before the first one, and anew when it is about to expire. */
const tokens = (client: HttpClient.HttpClient, connection: Connection) => {
  let held = { token: Redacted.make(""), until: -Infinity }
  return Effect.gen(function*() {
    const now = yield* Clock.currentTimeMillis
    if (now >= held.until) {
      const { access_token, expires_in } = yield* askToken(client, connection)
      // One that is good for less than the margin still serves the request that it was asked for.
      held = { token: Redacted.make(access_token), until: now + expires_in * 1000 - marginMillis }
    }
    return held.token
  })
}

/** The settings are read at the first request, so the secret is not asked for earlier. */
const open = Effect.fnUntraced(function*(client: HttpClient.HttpClient) {
  const connection = yield* GlobalFlags.connection
  const http = Http.forService(client, connection, tokens(client, connection))
  return { connection, http, groups: groups(connection, http) }
})

const documentRequest = (url: string, document: FileDocument): HttpClientRequest.HttpClientRequest =>
  HttpClientRequest.post(`${url}/v1/documents`, {
    headers: {
      accept: "application/json",
      ...(document.dryRun ? { prefer: "dry-run" } : {}),
      ...(document.idempotencyKey === undefined ? {} : { "idempotency-key": document.idempotencyKey })
    }
  }).pipe(HttpClientRequest.bodyUint8Array(document.bytes, document.mediaType))

/** Calls derived clients. */
const calling = (
  opened: Effect.Effect<{ readonly connection: Connection; readonly groups: Groups }, Failures>
): OperatorConnection["Service"]["call"] =>
  Effect.fnUntraced(function*(name, request) {
    const { connection, groups } = yield* opened
    const group = yield* groups[name] as Effect.Effect<Group<typeof name>>
    return yield* request(group).pipe(
      Effect.flatMap(([value, response]) => Effect.map(response.json, (body) => ({ value, body }))),
      Http.answered(connection.url, connection)
    )
  })

const BusinessAnswer = Schema.Struct({
  data: Schema.optionalKey(
    Schema.NullOr(Schema.Struct({ business: Schema.NullOr(Schema.Struct({ sandbox: Schema.Boolean })) }))
  )
})

const sandboxRequest = (url: string, slug: string): HttpClientRequest.HttpClientRequest =>
  HttpClientRequest.post(`${url}${graphqlPath}`, { headers: { accept: "application/json" } }).pipe(
    HttpClientRequest.bodyText(
      JSON.stringify({
        query: "query($slug: String!) { business(slug: $slug) { sandbox } }",
        variables: { slug }
      }),
      "application/json"
    )
  )

const make = Effect.gen(function*() {
  const client = yield* HttpClient.HttpClient
  const services = yield* Effect.context<Effect.Services<typeof GlobalFlags.connection>>()
  const opened = yield* Effect.cached(Effect.provideContext(open(client), services))
  const service = OperatorConnection.of({
    call: calling(opened),
    csv: Effect.fnUntraced(function*(list) {
      const { connection, http } = yield* opened
      let taken: HttpClientResponse.HttpClientResponse | undefined
      // A derived client would decode the answer, so it gets none.
      const taking = HttpClient.transformResponse(
        HttpClient.mapRequest(http, HttpClientRequest.accept("text/csv")),
        Effect.flatMap((response) => {
          taken = response
          return Effect.fail(new NotConnected({ message: "The answer was taken" }))
        })
      )
      const call = calling(Effect.succeed({ connection, groups: groups(connection, taking) }))
      return yield* Effect.provideService(list, OperatorConnection, { ...service, call }).pipe(
        Effect.matchEffect({
          onFailure: (failure) => taken === undefined ? Effect.fail(failure) : Effect.succeed(taken),
          onSuccess: () => Effect.die("a derived client answered without a response")
        })
      )
    }),
    patience: Effect.map(opened, ({ connection }) => connection),
    submit: Effect.fnUntraced(function*(document) {
      const { connection, http } = yield* opened
      return yield* http.execute(documentRequest(connection.url, document)).pipe(
        Effect.flatMap((response) =>
          Effect.all({
            value: HttpClientResponse.schemaBodyJson(IntakeResult)(response),
            body: response.json
          })
        ),
        Http.answered(connection.url, connection)
      )
    }),
    isSandbox: Effect.fnUntraced(function*(business) {
      const { connection, http } = yield* opened
      const { data } = yield* http.execute(sandboxRequest(connection.url, business)).pipe(
        Effect.flatMap(HttpClientResponse.schemaBodyJson(BusinessAnswer)),
        Http.answered(connection.url, connection)
      )
      return data?.business?.sandbox === true
    }),
    token: Effect.gen(function*() {
      const { connection } = yield* opened
      const body = yield* askToken(client, connection)
      return { value: Redacted.make(body.access_token), body }
    })
  })
  return service
})

const fetching = FetchHttpClient.layer.pipe(
  Layer.provide(Layer.succeed(FetchHttpClient.RequestInit, { redirect: "manual" }))
)

export const layer = Layer.effect(OperatorConnection, make).pipe(Layer.provide(fetching))
