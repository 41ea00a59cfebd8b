/**
 * Calls the declared operations over the REST interface, with a token that is requested before the first call, and again
 * before it expires. Input is sent unchanged, and the service validates it.
 */
import { loosen } from "@dockline/core/access/OpenWords"
import type * as Operation from "@dockline/core/access/Operation"
import type { Page } from "@dockline/core/values/Page"
import { Clock, Context, Effect, Layer, Redacted, Schema } from "effect"
import type { Terminal } from "effect"
import {
  FetchHttpClient,
  HttpBody,
  HttpClient,
  HttpClientRequest,
  HttpClientResponse,
  HttpMethod
} from "effect/http"
import type { NotConnected, Refusal, WrongUsage } from "./Failure.ts"
import * as GlobalFlags from "./GlobalFlags.ts"
import type { Connection } from "./GlobalFlags.ts"
import * as Http from "./Http.ts"

/** What an operation is called with. Parameters of the query that are `undefined` are left out. */
export interface CallInput {
  readonly params?: Readonly<Record<string, string>>
  readonly query?: object
  /** A value that is sent as JSON, or a body of another form. */
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
}

export interface Answer<A> {
  readonly value: A
  readonly body: unknown
  readonly headers: Readonly<Record<string, string | undefined>>
}

export type CallableOperation = Operation.Any | Operation.AnyKeylessWrite

/** What an operation answers over REST. */
export type AnswerOf<Op> = Op extends Operation.AnyWrite ? Operation.RestView<Op>["Type"]
  : Op extends Operation.AnyList ? Page<Op["row"]["Type"]>
  : Op extends { readonly view: Schema.Top } ? Op["view"]["Type"]
  : never

export type Failures = NotConnected | Refusal | WrongUsage | Terminal.QuitError

/** The REST interface of the service that the settings name. */
export class ServiceCalls extends Context.Service<ServiceCalls, {
  /** The settings. They are read at the first use, so the secret is not asked for earlier. */
  readonly connection: Effect.Effect<Connection, Failures>
  /** Sends a request to a path, and reads the answer, for as long as `--timeout` allows. */
  readonly send: <A, E>(
    request: HttpClientRequest.HttpClientRequest,
    read: (response: HttpClientResponse.HttpClientResponse) => Effect.Effect<A, E>
  ) => Effect.Effect<A, Failures>
  /** Requests a token for the use of other programs. */
  readonly token: Effect.Effect<Answer<Redacted.Redacted>, Failures>
}>()("@dockline/cli/ServiceCalls") {}

/** Calls an operation. */
export const call = <Op extends CallableOperation>(
  operation: Op,
  input: CallInput = {}
): Effect.Effect<Answer<AnswerOf<Op>>, Failures, ServiceCalls> =>
  Effect.flatMap(
    ServiceCalls,
    ({ send }) =>
      send(HttpClientRequest.acceptJson(requestOf(operation, input)), (response) =>
        Effect.gen(function*() {
          const body = yield* bodyOf(response)
          const value = yield* Schema.decodeUnknownEffect(answerSchema(operation))(body)
          return { value, body, headers: response.headers }
        }))
  )

/** Asks for a list as a table in CSV: the answer, whose body is still to be read. */
export const csv = (operation: Operation.AnyList, input: CallInput) =>
  Effect.flatMap(
    ServiceCalls,
    ({ send }) => send(HttpClientRequest.accept(requestOf(operation, input), "text/csv"), Effect.succeed)
  )

const requestOf = (
  { rest }: CallableOperation,
  { body, headers = {}, params = {}, query = {} }: CallInput
): HttpClientRequest.HttpClientRequest => {
  // A route is a method and a path.
  const [method = "", path = ""] = rest.split(" ")
  const httpBody = HttpBody.isHttpBody(body)
    ? body
    : body === undefined
    ? HttpBody.empty
    : HttpBody.jsonUnsafe(body)
  return HttpClientRequest.make(method as HttpMethod.HttpMethod)(
    path.replaceAll(/:(\w+)/g, (_, name: string) => encodeURIComponent(params[name] ?? "")),
    { urlParams: { ...query }, headers, body: httpBody }
  )
}

/** The JSON of an answer; `undefined` without a body. */
const bodyOf = ({ text }: HttpClientResponse.HttpClientResponse) =>
  Effect.flatMap(text, (text) => Effect.try((): unknown => text === "" ? undefined : JSON.parse(text)))

const answerSchema = <Op extends CallableOperation>(operation: Op): Schema.Decoder<AnswerOf<Op>> => {
  const schema: Schema.Top = operation.kind === "list"
    ? Schema.Struct({ items: Schema.Array(loosen(operation.row)), next: Schema.NullOr(Schema.String) })
    : operation.kind === "write" && operation.takesKey
    ? loosen(operation.receipt?.view ?? operation.view)
    : loosen(operation.view)
  // The type of an answer derives from the same schemas.
  return schema as Schema.Decoder<AnswerOf<Op>>
}

const TokenAnswer = Schema.Struct({ access_token: Schema.String, expires_in: Schema.Int })

const askToken = (client: HttpClient.HttpClient, connection: Connection) => {
  const request = HttpClientRequest.post(`${connection.authUrl}/oauth/token`, {
    body: HttpBody.jsonUnsafe({
      client_id: connection.clientId,
      client_secret: Redacted.value(connection.clientSecret),
      audience: connection.audience,
      grant_type: "client_credentials"
    })
  })
  return Http.forTokens(client, connection).execute(HttpClientRequest.acceptJson(request)).pipe(
    Effect.flatMap(bodyOf),
    Effect.flatMap((body) =>
      Effect.map(Schema.decodeUnknownEffect(TokenAnswer)(body), (value) => ({ value, body }))
    ),
    Http.withTimeout(connection.authUrl, connection)
  )
}

/** How long before its expiry a token is replaced. */
const marginMillis = 60_000

/** The token of all requests, which is requested before the first one and again when it is about to expire. */
const tokens = (client: HttpClient.HttpClient, connection: Connection) => {
  let current = { token: Redacted.make(""), until: -Infinity }
  return Effect.gen(function*() {
    const now = yield* Clock.currentTimeMillis
    if (now >= current.until) {
      const { value: { access_token, expires_in } } = yield* askToken(client, connection)
      // A token that expires within the margin still serves the request that it was asked for.
      current = { token: Redacted.make(access_token), until: now + expires_in * 1000 - marginMillis }
    }
    return current.token
  })
}

const make = Effect.gen(function*() {
  const client = yield* HttpClient.HttpClient
  const services = yield* Effect.context<Effect.Services<typeof GlobalFlags.connection>>()
  const connection = yield* Effect.cached(Effect.provideContext(GlobalFlags.connection, services))
  const session = yield* Effect.cached(Effect.map(connection, (connection) => ({
    connection,
    http: HttpClient.mapRequest(
      Http.forService(client, connection, tokens(client, connection)),
      HttpClientRequest.prependUrl(connection.url)
    )
  })))
  return ServiceCalls.of({
    connection,
    send: Effect.fnUntraced(function*(request, read) {
      const { connection, http } = yield* session
      return yield* http.execute(request).pipe(
        Effect.flatMap(read),
        Http.withTimeout(connection.url, connection)
      )
    }),
    token: Effect.gen(function*() {
      const { body, value } = yield* askToken(client, yield* connection)
      return { value: Redacted.make(value.access_token), body, headers: {} }
    })
  })
})

const fetching = FetchHttpClient.layer.pipe(
  Layer.provide(Layer.succeed(FetchHttpClient.RequestInit, { redirect: "manual" }))
)

export const layer = Layer.effect(ServiceCalls, make).pipe(Layer.provide(fetching))
