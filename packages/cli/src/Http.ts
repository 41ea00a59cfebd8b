/**
 * Sends requests to the service. Every answer that is not a success becomes one failure that says what to check.
 * Redirects are never followed, so credentials are sent only to the given address.
 */
import { retryAfterSeconds } from "@dockline/core/webhooks/RetryAfter"
import { graphqlPath } from "@dockline/wire/Path"
import { Clock, Duration, Effect, Predicate, Schema } from "effect"
import type { Redacted } from "effect"
import { HttpClient, HttpClientError, HttpClientRequest } from "effect/http"
import type { HttpClientResponse } from "effect/http"
import { readFileSync } from "node:fs"
import { NotConnected, notConnected, Problem, Refusal } from "./Failure.ts"
import type { Connection } from "./GlobalFlags.ts"
import { variables } from "./GlobalFlags.ts"

const manifest: { readonly version: string } = JSON.parse(
  readFileSync(new URL("../package.json", import.meta.url), "utf8")
)

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
    // So does a proxy while the service behind it is away.
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

/** The reason why there is no answer, from the innermost cause. */
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

/** Names this program in requests, and fails for every answer that is not a success. */
const succeeding = (
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
  succeeding(client, (response) => tokenRefusal(response, connection))

/** Sends requests with the token that is good at that time. */
export const forService = (
  client: HttpClient.HttpClient,
  connection: Connection,
  token: Effect.Effect<Redacted.Redacted, NotConnected | Refusal>
): Client =>
  succeeding(client, (response) => refusal(response, connection.clientId)).pipe(
    HttpClient.mapRequestEffect((request) =>
      Effect.map(token, (value) => HttpClientRequest.bearerToken(request, value))
    )
  )

/** Converts the other failures of calls: answers that are cut off or of another shape. */
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
