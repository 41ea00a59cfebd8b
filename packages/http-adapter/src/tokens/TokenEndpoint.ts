/**
 * `POST /oauth/token`: a client's id and secret for an access token (WIRE.md, token request; D10.1).
 *
 * Guarantee: every answer is JSON of RFC 6749, section 5, and is never stored by a cache. No answer and no log quotes the
 * request. When tokens come from an external issuer, every request is referred there. After too many failures the secret
 * is not compared for the rest of the minute (D10.5); each instance counts for itself.
 */
import { Credentials } from "@dockline/core/access/Authenticator"
import type { StorageUnavailable } from "@dockline/core/values/Errors"
import * as Metrics from "@dockline/core/values/Metrics"
import { logUnavailable } from "@dockline/core/values/Metrics"
import { secondsInWords } from "@dockline/core/values/Timestamp"
import { retryAfterOf } from "@dockline/wire/Categories"
import { Cause, Context, Effect, Layer, Metric, Option } from "effect"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as ClientCredentials from "./ClientCredentials.ts"
import type { ClientCredentialsConfig } from "./ClientCredentials.ts"
import type { Clients } from "./Clients.ts"
import * as TokenRequest from "./TokenRequest.ts"
import { refusal } from "./TokenRequest.ts"
import type { TokenError } from "./TokenRequest.ts"
import { Tokens } from "./Tokens.ts"

/** The largest body that is read, in bytes. */
const bodyLimit = 16_384

/** The token endpoint. */
export class TokenEndpoint extends Context.Service<TokenEndpoint, {
  /** Answers a request for a token; its body must not have been read. */
  readonly handle: (request: HttpServerRequest) => Effect.Effect<HttpServerResponse.HttpServerResponse>
}>()("@dockline/http-adapter/tokens/TokenEndpoint") {
  /**
   * The endpoint over the clients and tokens of the service, and the check of their secrets, whose count of failures browsers may share;
   * defaults are in `defaultClientCredentialsConfig`.
   */
  static readonly layer = (
    options: Partial<ClientCredentialsConfig> = {}
  ): Layer.Layer<TokenEndpoint | Credentials, never, Clients | Tokens> =>
    Layer.effect(
      TokenEndpoint,
      Effect.gen(function*() {
        const credentials = yield* Credentials
        const tokens = yield* Tokens

        const grant = Effect.fnUntraced(function*(request: HttpServerRequest) {
          if (tokens.externalIssuer !== undefined) {
            return yield* refusal(400, "invalid_request", `tokens are issued by ${tokens.externalIssuer}`)
          }
          const tokenRequest = yield* TokenRequest.read(request, bodyLimit, tokens.audience)
          if (!tokenRequest.audiences.every(tokens.isAudience)) {
            return yield* refusal(400, "invalid_target", `the audience must be ${tokens.audience}`)
          }
          const { clientId, clientSecret, usedBasic } = tokenRequest
          const remoteAddress = Option.getOrUndefined(request.remoteAddress)
          const isKnown = yield* credentials.check({
            clientId,
            clientSecret,
            remoteAddress,
            headers: request.headers
          }).pipe(
            Effect.catchTag(
              "RateLimited",
              ({ retryAfterSeconds }) => Effect.fail(tooManyFailures(retryAfterSeconds))
            )
          )
          if (!isKnown) {
            return yield* refusal(401, "invalid_client", "unknown client, or wrong secret", { usedBasic })
          }
          const token = yield* tokens.issue(clientId)
          return { ...token, asksForScope: tokenRequest.asksForScope }
        })

        const handle = Effect.fn("TokenEndpoint.handle")((request: HttpServerRequest) =>
          grant(request).pipe(
            Effect.catchTag(
              "StorageUnavailable",
              (error) => Effect.andThen(logUnavailable(error), Effect.fail(unavailableFor(error)))
            ),
            Effect.tap(() => countToken("issued")),
            Effect.tapError((refusal) => countToken(outcomeOf(refusal))),
            Effect.match({
              onSuccess: ({ accessToken, asksForScope, expiresIn }) =>
                respond(200, {
                  access_token: accessToken,
                  token_type: "Bearer",
                  expires_in: expiresIn,
                  // A client that asks for a scope is told that the token has none (RFC 6749 section 5.1).
                  ...(asksForScope ? { scope: "" } : {})
                }),
              onFailure: refuse
            }),
            Effect.catchCause((cause) =>
              // The client is gone; nobody reads an answer, and it is no fault to log.
              Cause.hasInterruptsOnly(cause)
                ? Effect.failCause(cause)
                : Effect.as(
                  Effect.andThen(countToken("failed"), Effect.logError("Request failed", cause)),
                  respond(500, { error: "server_error" })
                )
            )
          )
        )

        return TokenEndpoint.of({ handle })
      })
    ).pipe(Layer.provideMerge(ClientCredentials.layer(options)))
}

const outcomes = [
  "issued",
  "invalid_request",
  "unsupported_grant_type",
  "invalid_target",
  "invalid_client",
  "rate_limited",
  "unavailable",
  "failed"
] as const

const requests = Metrics.counter(
  "dockline_token_requests_total",
  "Requests for a token by outcome",
  [["outcome", outcomes]]
)

const countToken = (outcome: (typeof outcomes)[number]) => Metric.update(requests.of(outcome), 1)

const outcomeOf = ({ error, status }: TokenError): (typeof outcomes)[number] => {
  if (status === 429) return "rate_limited"
  return status === 503 ? "unavailable" : outcomes.find((outcome) => outcome === error) ?? "failed"
}

const tooManyFailures = (retryAfterSeconds: number): TokenError =>
  refusal(
    429,
    "temporarily_unavailable",
    `too many failed attempts; repeat the request after ${secondsInWords(retryAfterSeconds)}`,
    { retryAfterSeconds }
  )

const unavailableFor = (error: StorageUnavailable): TokenError =>
  refusal(503, "temporarily_unavailable", error.message, { retryAfterSeconds: retryAfterOf(error) })

const respond = (
  status: number,
  body: Readonly<Record<string, string | number>>,
  headers: Readonly<Record<string, string>> = {}
): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.jsonUnsafe(body, {
    status,
    headers: { "cache-control": "no-store", pragma: "no-cache", ...headers }
  })

const refuse = (refusal: TokenError): HttpServerResponse.HttpServerResponse => {
  const { status, error, description, isCoding = false, usedBasic = false, retryAfterSeconds } = refusal
  return respond(status, { error, error_description: description }, {
    ...(status === 401 && usedBasic
      ? { "www-authenticate": "Basic realm=\"dockline\", charset=\"UTF-8\"" }
      : {}),
    ...(isCoding ? { "accept-encoding": "identity" } : {}),
    ...(retryAfterSeconds === undefined ? {} : { "retry-after": String(retryAfterSeconds) })
  })
}
