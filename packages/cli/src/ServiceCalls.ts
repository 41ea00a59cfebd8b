/**
 * Calls the declared operations over the REST interface, with a token that is requested before the first call, and again
 * before it expires. Input is sent unchanged, and the service validates it.
 */
import { loosen } from "@dockline/core/access/OpenWords"
import type * as Operation from "@dockline/core/access/Operation"
import type { Page } from "@dockline/core/values/Page"
import { retryAfterSeconds } from "@dockline/core/webhooks/Delivery"
import { graphqlPath } from "@dockline/wire/Path"
import { Clock, Context, Duration, Effect, Layer, Predicate, Redacted, Schema } from "effect"
import type { Terminal } from "effect"
import {
  FetchHttpClient,
  HttpBody,
  HttpClient,
  HttpClientError,
  HttpClientRequest,
  HttpClientResponse,
  HttpMethod
} from "effect/http"
import { readFileSync } from "node:fs"
import { CapabilityTitle, NotConnected, notConnected, Problem, Refusal } from "./Failure.ts"
import type { WrongUsage } from "./Failure.ts"
import * as GlobalFlags from "./GlobalFlags.ts"
import { variables } from "./GlobalFlags.ts"
import type { Connection } from "./GlobalFlags.ts"

const manifest: { readonly version: string } = JSON.parse(
  readFileSync(new URL("../package.json", import.meta.url), "utf8")
)

/** The version of this package. */
export const version: string = manifest.version

/** A client that fails only with the failures of this package. */
export type Client = HttpClient.HttpClient.With<NotConnected | Refusal>

const decodeProblem = Schema.decodeUnknownEffect(Schema.fromJsonString(Problem))

/** A refusal of the token endpoint (RFC 6749, section 5.2). */
const TokenError = Schema.Struct({
  error: Schema.String,
  error_description: Schema.optionalKey(Schema.String)
})

const decodeTokenError = Schema.decodeUnknownEffect(Schema.fromJsonString(TokenError))

const originOf = (url: string): string => URL.parse(url)?.origin ?? url

const notOurs = (response: HttpClientResponse.HttpClientResponse): NotConnected => {
  const at = originOf(response.request.url)
  if (response.status >= 300 && response.status < 400) {
    const to = response.headers["location"] ?? ""
    return notConnected(
      `${at} redirects to ${
        to === "" ? "another address" : to
      }. If that is the address of the service, set --url or ${variables.url}`
    )
  }
  return notConnected(
    `${at} answers ${response.status}, but not as a Dockline service does. Check --url or ${variables.url}`,
    // A proxy gives the same answer while its service is unavailable.
    response.status >= 500
  )
}

const retryAfterOf = ({ headers }: HttpClientResponse.HttpClientResponse) =>
  Effect.map(Clock.currentTimeMillis, (now) => retryAfterSeconds(headers["retry-after"], now))

const refusal = Effect.fnUntraced(
  function*(response: HttpClientResponse.HttpClientResponse, clientId: string) {
    const problem = yield* response.text.pipe(
      Effect.flatMap(decodeProblem),
      Effect.mapError(() => notOurs(response))
    )
    if (response.status === 401) {
      return yield* notConnected(
        `${originOf(response.request.url)} rejects the token: ${problem.detail}. ` +
          `Check that client ${clientId} is enabled, and that this service trusts the issuer at --auth-url`
      )
    }
    return yield* new Refusal({
      problem,
      capability: yield* CapabilityTitle,
      correlationId: response.headers["correlation-id"] ?? "",
      retryAfter: yield* retryAfterOf(response)
    })
  }
)

const tokenRefusal = Effect.fnUntraced(function*(
  response: HttpClientResponse.HttpClientResponse,
  connection: Connection
) {
  const { error, error_description: description = "" } = yield* response.text.pipe(
    Effect.flatMap(decodeTokenError),
    Effect.mapError(() => notOurs(response))
  )
  const at = originOf(response.request.url)
  const reason = description === "" ? error : `${error}: ${description}`
  switch (error) {
    case "invalid_client":
      return yield* notConnected(
        `${at} does not accept client "${connection.clientId}" with this secret. ` +
          `Check --client-id or ${variables.clientId}, ${variables.clientSecret}, and that the client is enabled`
      )
    case "invalid_target":
      return yield* notConnected(
        `${at} issues no tokens for ${connection.audience} (${reason}). ` +
          `Set --audience or ${variables.audience} to the service's own address with ${graphqlPath}`
      )
    default: {
      const wait = yield* retryAfterOf(response)
      return yield* notConnected(
        `${at} issues no token: ${reason}${wait === undefined ? "" : `; try again after ${wait} s`}`,
        response.status === 429 || response.status >= 500
      )
    }
  }
})

const reasons: Readonly<Record<string, string>> = {
  ECONNREFUSED: "nothing listens there",
  ECONNRESET: "the connection was reset",
  ENOTFOUND: "there is no host with that name",
  EAI_AGAIN: "the name of the host cannot be resolved at the moment",
  EHOSTUNREACH: "the host cannot be reached",
  ENETUNREACH: "the network cannot be reached",
  UND_ERR_SOCKET: "the connection was closed",
  UND_ERR_CONNECT_TIMEOUT: "the host does not answer",
  DEPTH_ZERO_SELF_SIGNED_CERT: "its certificate is self-signed; name its CA in NODE_EXTRA_CA_CERTS",
  SELF_SIGNED_CERT_IN_CHAIN: "its certificate comes from an unknown CA; name the CA in NODE_EXTRA_CA_CERTS",
  UNABLE_TO_VERIFY_LEAF_SIGNATURE:
    "its certificate comes from an unknown CA; name the CA in NODE_EXTRA_CA_CERTS",
  CERT_HAS_EXPIRED: "its certificate has expired"
}

/** Why there was no answer, from the innermost cause. */
export const reasonOf = (error: unknown): string => {
  let text = ""
  for (let each: unknown = error; Predicate.isObject(each); each = Reflect.get(each, "cause")) {
    const code: unknown = Reflect.get(each, "code")
    const message: unknown = Reflect.get(each, "message")
    if (Predicate.isString(code)) {
      return reasons[code] ?? (Predicate.isString(message) && message !== "" ? message : code)
    }
    if (Predicate.isString(message) && message !== "") text = message
  }
  return text || "no answer"
}

const notReached = (error: HttpClientError.HttpClientError): NotConnected =>
  notConnected(
    `Cannot reach ${originOf(error.request.url)}: ${
      reasonOf("cause" in error.reason ? error.reason.cause : error)
    }. Check that the service is running, and that --url or ${variables.url} is its address`,
    true
  )

/**
 * Names this program in requests. Every answer other than success becomes a failure that says what to check. Redirects are never followed,
 * so credentials go only to the configured address.
 */
const failOnRefusal = (
  client: HttpClient.HttpClient,
  refuse: (response: HttpClientResponse.HttpClientResponse) => Effect.Effect<never, NotConnected | Refusal>
): Client => {
  const ownClient = HttpClient.mapRequest(
    client,
    HttpClientRequest.setHeader("user-agent", `dockline/${version}`)
  )
  return HttpClient.transformResponse(
    ownClient,
    (request) =>
      Effect.tap(Effect.mapError(request, asFailure), (response) => {
        if (response.status < 300) return Effect.void
        return response.status < 400 ? Effect.fail(notOurs(response)) : refuse(response)
      })
  )
}

export const forTokens = (client: HttpClient.HttpClient, connection: Connection): Client =>
  failOnRefusal(client, (response) => tokenRefusal(response, connection))

/** Sends each request with a token that is valid at that time. */
export const forService = (
  client: HttpClient.HttpClient,
  connection: Connection,
  token: Effect.Effect<Redacted.Redacted, NotConnected | Refusal>
): Client =>
  failOnRefusal(client, (response) => refusal(response, connection.clientId)).pipe(
    HttpClient.mapRequestEffect((request) =>
      Effect.map(token, (value) => HttpClientRequest.bearerToken(request, value))
    )
  )

/** Converts any failure of a call, such as no answer, or an answer that is cut off or has another shape. */
const asFailure = (error: unknown): NotConnected | Refusal => {
  if (error instanceof NotConnected || error instanceof Refusal) return error
  if (HttpClientError.isHttpClientError(error)) return notReached(error)
  // The schema's message may quote the answer, and answers hold secrets.
  return notConnected(
    `dockline ${version} does not understand the answer of the service. Check that both have the same version`
  )
}

/** Waits for the answer to a request, for as long as `--timeout` allows. */
export const withTimeout =
  (url: string, { timeoutMillis }: Connection) => <A, E, R>(request: Effect.Effect<A, E, R>) =>
    Effect.timeoutOrElse(Effect.mapError(request, asFailure), {
      duration: timeoutMillis,
      orElse: () =>
        Effect.fail(notConnected(
          `${originOf(url)} has not answered within ${Duration.format(Duration.millis(timeoutMillis))}. ` +
            "The request may have been carried out; allow more time with --timeout",
          true
        ))
    })

/** The arguments of an operation. Query parameters that are `undefined` are left out. */
export interface CallInput {
  readonly params?: Readonly<Record<string, string>>
  readonly query?: object
  /** A value that is sent as JSON, or an `HttpBody` that is sent unchanged. */
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
}

export interface Answer<A> {
  readonly value: A
  readonly body: unknown
  readonly headers: Readonly<Record<string, string | undefined>>
}

export type CallableOperation = Operation.Any | Operation.AnyKeylessWrite

/** The REST answer of an operation. */
export type AnswerOf<Op> = Op extends Operation.AnyWrite ? Operation.RestView<Op>["Type"]
  : Op extends Operation.AnyList ? Page<Op["row"]["Type"]>
  : Op extends { readonly view: Schema.Top } ? Op["view"]["Type"]
  : never

export type Failures = NotConnected | Refusal | WrongUsage | Terminal.QuitError

/** The REST interface of the service that the settings name. */
export class ServiceCalls extends Context.Service<ServiceCalls, {
  /** The settings. They are read at the first use, so that no secret is requested earlier. */
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

/** Requests a list in CSV; returns the answer with an unread body. */
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
  return forTokens(client, connection).execute(HttpClientRequest.acceptJson(request)).pipe(
    Effect.flatMap(bodyOf),
    Effect.flatMap((body) =>
      Effect.map(Schema.decodeUnknownEffect(TokenAnswer)(body), (value) => ({ value, body }))
    ),
    withTimeout(connection.authUrl, connection)
  )
}

/** A token is replaced this long before it expires. */
const marginMillis = 60_000

/** The token of all requests: it is requested before the first request, and again when it is about to expire. */
const tokens = (client: HttpClient.HttpClient, connection: Connection) => {
  let current = { token: Redacted.make(""), until: -Infinity }
  return Effect.gen(function*() {
    const now = yield* Clock.currentTimeMillis
    if (now >= current.until) {
      const { value: { access_token, expires_in } } = yield* askToken(client, connection)
      // A token that expires within the margin still serves the request for which it was obtained.
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
      forService(client, connection, tokens(client, connection)),
      HttpClientRequest.prependUrl(connection.url)
    )
  })))
  return ServiceCalls.of({
    connection,
    send: Effect.fnUntraced(function*(request, read) {
      const { connection, http } = yield* session
      return yield* http.execute(request).pipe(
        Effect.flatMap(read),
        withTimeout(connection.url, connection)
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
