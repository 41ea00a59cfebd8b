/**
 * Requests to the service as this command line sends them, and its refusals as failures of a run.
 *
 * Guarantee: whatever comes back (a problem, a page of a proxy, a redirect, nothing) becomes one failure that says what
 * to check; a redirect is never followed, so that credentials go nowhere but to the address that was given.
 */
import { TokenError } from "@dockline/http-adapter/Api"
import { Problem } from "@dockline/http-adapter/ApiSchemas"
import { Duration, Effect, Predicate, Schema } from "effect"
import type { Redacted } from "effect"
import { HttpClient, HttpClientError, HttpClientRequest } from "effect/http"
import type { HttpClientResponse } from "effect/http"
import { NotConnected, Refused } from "./Failure.ts"
import type { Connection } from "./Settings.ts"
import { variables } from "./Settings.ts"
import { version } from "./Version.ts"

/** A client whose every failure is one of ours. */
export type Client = HttpClient.HttpClient.With<NotConnected | Refused>

const decodeProblem = Schema.decodeUnknownEffect(Schema.fromJsonString(Problem))

const decodeTokenError = Schema.decodeUnknownEffect(Schema.fromJsonString(TokenError))

const header = (response: HttpClientResponse.HttpClientResponse, name: string): string =>
  response.headers[name] ?? ""

const originOf = (url: string): string => URL.parse(url)?.origin ?? url

const notOurs = (response: HttpClientResponse.HttpClientResponse): NotConnected => {
  const at = originOf(response.request.url)
  if (response.status >= 300 && response.status < 400) {
    const to = header(response, "location")
    return new NotConnected({
      message: `${at} sends us to ${
        to === "" ? "another address" : to
      }. Is that the address to use? Set --url or ${variables.url}`
    })
  }
  return new NotConnected({
    message:
      `${at} answers ${response.status}, and not as a Dockline service does. Check --url or ${variables.url}`
  })
}

/** The failure that a refused operation is. */
const refusal = Effect.fnUntraced(
  function*(response: HttpClientResponse.HttpClientResponse, clientId: string) {
    const problem = yield* response.text.pipe(
      Effect.flatMap(decodeProblem),
      Effect.mapError(() => notOurs(response))
    )
    if (response.status === 401) {
      return yield* new NotConnected({
        message: `${originOf(response.request.url)} does not take our token: ${problem.detail}. ` +
          `Is client ${clientId} enabled, and --auth-url the issuer that this service trusts?`
      })
    }
    return yield* new Refused({
      problem,
      correlationId: header(response, "correlation-id"),
      retryAfter: header(response, "retry-after")
    })
  }
)

/** The failure that a refused request for a token is. */
const tokenRefusal = Effect.fnUntraced(function*(
  response: HttpClientResponse.HttpClientResponse,
  connection: Connection
) {
  const { error, error_description: description = "" } = yield* response.text.pipe(
    Effect.flatMap(decodeTokenError),
    Effect.mapError(() => notOurs(response))
  )
  const at = originOf(response.request.url)
  const said = description === "" ? error : `${error}: ${description}`
  switch (error) {
    case "invalid_client":
      return yield* new NotConnected({
        message: `${at} does not accept client "${connection.clientId}" with this secret. ` +
          `Check --client-id or ${variables.clientId}, and ${variables.clientSecret}; is the client enabled?`
      })
    case "invalid_target":
      return yield* new NotConnected({
        message: `${at} issues no tokens for ${connection.audience} (${said}). ` +
          `Set --audience or ${variables.audience} to the service's own address with /public_graphql`
      })
    default: {
      const wait = header(response, "retry-after")
      return yield* new NotConnected({
        message: `${at} gives no token: ${said}${wait === "" ? "" : `; try again after ${wait} s`}`
      })
    }
  }
})

/** What the error codes of Node say to a person. */
const reasons: Readonly<Record<string, string>> = {
  ECONNREFUSED: "nothing listens there",
  ECONNRESET: "the connection was reset",
  ENOTFOUND: "there is no host of that name",
  EAI_AGAIN: "the name of the host cannot be resolved now",
  EHOSTUNREACH: "the host cannot be reached",
  ENETUNREACH: "the network cannot be reached",
  UND_ERR_SOCKET: "the connection was closed",
  UND_ERR_CONNECT_TIMEOUT: "the host does not answer",
  DEPTH_ZERO_SELF_SIGNED_CERT: "its certificate is self-signed; name its CA in NODE_EXTRA_CA_CERTS",
  SELF_SIGNED_CERT_IN_CHAIN: "its certificate is of a CA not known here; name it in NODE_EXTRA_CA_CERTS",
  UNABLE_TO_VERIFY_LEAF_SIGNATURE:
    "its certificate is of a CA not known here; name it in NODE_EXTRA_CA_CERTS",
  CERT_HAS_EXPIRED: "its certificate has expired"
}

/** Why nothing came back, from the innermost cause. */
const reasonOf = (error: unknown): string => {
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

/** The failure that an error of the transport is. */
export const notReached = (error: HttpClientError.HttpClientError): NotConnected =>
  new NotConnected({
    message: `Cannot reach ${originOf(error.request.url)}: ${
      reasonOf("cause" in error.reason ? error.reason.cause : error)
    }. Is the service running, and --url or ${variables.url} its address?`
  })

/** The failure that an answer in time that never came is. */
export const tooLate = (url: string, connection: Connection): NotConnected =>
  new NotConnected({
    message:
      `${originOf(url)} has not answered within ${
        Duration.format(Duration.millis(connection.timeoutMillis))
      }. ` +
      "Nothing is known of what it did; allow it more with --timeout"
  })

type Refusal = (
  response: HttpClientResponse.HttpClientResponse
) => Effect.Effect<never, NotConnected | Refused>

/** Every answer that is no success fails. */
const succeeding = (client: HttpClient.HttpClient, refuse: Refusal): Client =>
  HttpClient.transformResponse(client, (sent) =>
    Effect.mapError(sent, notReached).pipe(
      Effect.flatMap((response) => {
        if (response.status < 300) return Effect.succeed(response)
        const read = response.status < 400 ? Effect.fail(notOurs(response)) : refuse(response)
        return read as Effect.Effect<never, NotConnected | Refused>
      })
    ))

const named = HttpClient.mapRequest(HttpClientRequest.setHeader("user-agent", `dockline/${version}`))

/** Sends requests for tokens. */
export const forTokens = (client: HttpClient.HttpClient, connection: Connection): Client =>
  named(succeeding(client, (response) => tokenRefusal(response, connection)))

/** Sends requests to the operator API, with a token. */
export const forOperator = (
  client: HttpClient.HttpClient,
  connection: Connection,
  token: Redacted.Redacted
): Client =>
  named(succeeding(client, (response) => refusal(response, connection.clientId))).pipe(
    HttpClient.mapRequest(HttpClientRequest.bearerToken(token))
  )

/** Whatever a derived client fails with besides: an answer that is cut off, or one of another shape. */
export const asFailure = (error: unknown): NotConnected | Refused => {
  if (error instanceof NotConnected || error instanceof Refused) return error
  if (HttpClientError.isHttpClientError(error)) return notReached(error)
  // What a schema has to say about an answer may quote it, and answers hold secrets.
  return new NotConnected({
    message:
      `The service answers in a way that dockline ${version} does not understand. Is it of the same version?`
  })
}
