/**
 * `POST /oauth/token`: a client's id and secret for an access token (WIRE.md, token request; D10.1).
 *
 * Guarantee: every answer is JSON of RFC 6749, section 5, and is never stored by a cache. No answer and no log quotes the
 * request. When tokens come from an external issuer, every request is referred there. After too many failures the secret
 * is not compared for the rest of the minute (D10.5); each instance counts for itself.
 */
import type { StorageUnavailable } from "@dockline/core/Errors"
import { withDefaults } from "@dockline/core/internal/values/Defaults"
import * as Metrics from "@dockline/core/internal/values/Metrics"
import { retryAfterOf } from "@dockline/core/internal/wire/Categories"
import { Cause, Clock, Context, Effect, Layer, Metric, Option } from "effect"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import { createHash } from "node:crypto"
import * as Answer from "../answer/Answer.ts"
import * as ClientAddress from "./ClientAddress.ts"
import { Clients } from "./Clients.ts"
import { FixedWindows } from "./FixedWindows.ts"
import * as TokenRequest from "./TokenRequest.ts"
import { TokenError } from "./TokenRequest.ts"
import { Tokens } from "./Tokens.ts"

/** Limits of the endpoint. */
export interface TokenEndpointConfig {
  /** How often a client id may be given with a wrong secret from one network within a minute; 0 for no limit. */
  readonly failuresPerMinute: number
  /** The most pairs of client id and network that are counted at once; of more, the oldest count anew. */
  readonly failureCapacity: number
  /** The networks of proxies whose `X-Forwarded-For` says where a request comes from. */
  readonly trustedProxies: ReadonlyArray<string>
}

/** The largest body that is read, in bytes. */
const bodyLimit = 16_384

/** 60 failures a minute, counted for 10,000 pairs; no proxy is trusted. */
export const defaultTokenEndpointConfig: TokenEndpointConfig = {
  failuresPerMinute: 60,
  failureCapacity: 10_000,
  trustedProxies: []
}

/** The token endpoint. */
export class TokenEndpoint extends Context.Service<TokenEndpoint, {
  /** Answers a request for a token; its body must not have been read. */
  readonly handle: (request: HttpServerRequest) => Effect.Effect<HttpServerResponse.HttpServerResponse>
}>()("@dockline/http-adapter/TokenEndpoint") {
  /** The endpoint over the clients and tokens of the service; what is not given is as in {@link defaultTokenEndpointConfig}. */
  static readonly layer = (
    given: Partial<TokenEndpointConfig> = {}
  ): Layer.Layer<TokenEndpoint, never, Clients | Tokens> =>
    Layer.effect(
      TokenEndpoint,
      Effect.gen(function*() {
        const config = withDefaults(defaultTokenEndpointConfig, given)
        const clients = yield* Clients
        const tokens = yield* Tokens
        const attempts = new Attempts(config)

        const grant = Effect.fnUntraced(function*(request: HttpServerRequest) {
          if (tokens.externalIssuer !== undefined) {
            return yield* new TokenError({
              status: 400,
              error: "invalid_request",
              description: `tokens are issued by ${tokens.externalIssuer}`
            })
          }
          const asked = yield* TokenRequest.read(request, bodyLimit, tokens.audience)
          if (asked.audiences.some((audience) => audience !== tokens.audience)) {
            return yield* new TokenError({
              status: 400,
              error: "invalid_target",
              description: `the audience must be ${tokens.audience}`
            })
          }
          const attempt = attempts.keyOf(asked.clientId, request)
          yield* attempts.check(attempt)
          const client = yield* clients.authenticate(asked.clientId, asked.clientSecret).pipe(
            Effect.catchTag("InvalidClient", ({ message }) =>
              Effect.andThen(
                attempts.failed(attempt),
                new TokenError({
                  status: 401,
                  error: "invalid_client",
                  description: message,
                  usedBasic: asked.usedBasic
                })
              ))
          )
          const issued = yield* tokens.issue(client.id)
          return { ...issued, asksForScope: asked.asksForScope }
        })

        const handle = Effect.fn("TokenEndpoint.handle")((request: HttpServerRequest) =>
          grant(request).pipe(
            Effect.catchTag(
              "StorageUnavailable",
              (error) => Effect.andThen(Answer.logUnavailable(error), Effect.fail(unavailableFor(error)))
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
    )
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
  "Requests for a token by what became of them",
  [["outcome", outcomes]]
)

const countToken = (outcome: (typeof outcomes)[number]) => Metric.update(requests.of(outcome), 1)

const outcomeOf = ({ error, status }: TokenError): (typeof outcomes)[number] => {
  if (status === 429) return "rate_limited"
  return status === 503 ? "unavailable" : outcomes.find((outcome) => outcome === error) ?? "failed"
}

/** Failed attempts by client id and remote network. */
class Attempts {
  readonly #windows: FixedWindows
  readonly #limit: number
  readonly #addresses: ClientAddress.ClientAddresses

  constructor({ failuresPerMinute, failureCapacity, trustedProxies }: TokenEndpointConfig) {
    this.#addresses = ClientAddress.make(trustedProxies)
    this.#limit = failuresPerMinute === 0 ? Number.POSITIVE_INFINITY : failuresPerMinute
    this.#windows = new FixedWindows(60_000, failureCapacity)
  }

  keyOf(clientId: string, { headers, remoteAddress }: HttpServerRequest): string {
    const network = ClientAddress.networkOf(this.#addresses.of(Option.getOrUndefined(remoteAddress), headers))
    // A part of a text keeps the whole text in memory, here the body of the request; a hash does not.
    return createHash("sha256").update(`${network} ${clientId}`).digest("base64")
  }

  /** Refuses another attempt where too many have failed. */
  check(key: string): Effect.Effect<void, TokenError> {
    return Effect.flatMap(Clock.currentTimeMillis, (now) => {
      const { count, endsAt } = this.#windows.peek(key, now)
      return count < this.#limit
        ? Effect.void
        : Effect.fail(tooManyFailures(Math.ceil((endsAt - now) / 1000)))
    })
  }

  /** Counts an attempt that has failed. */
  failed(key: string): Effect.Effect<void> {
    return Effect.map(Clock.currentTimeMillis, (now) => void this.#windows.count(key, now))
  }
}

const tooManyFailures = (retryAfterSeconds: number): TokenError =>
  new TokenError({
    status: 429,
    error: "temporarily_unavailable",
    description: `too many failed attempts; repeat the request after ${retryAfterSeconds} seconds`,
    retryAfterSeconds
  })

const unavailableFor = (error: StorageUnavailable): TokenError =>
  new TokenError({
    status: 503,
    error: "temporarily_unavailable",
    description: error.message,
    retryAfterSeconds: retryAfterOf(error)
  })

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
  const { status, error, description, usedBasic = false, retryAfterSeconds } = refusal
  return respond(status, { error, error_description: description }, {
    ...(status === 401 && usedBasic
      ? { "www-authenticate": "Basic realm=\"dockline\", charset=\"UTF-8\"" }
      : {}),
    ...(retryAfterSeconds === undefined ? {} : { "retry-after": String(retryAfterSeconds) })
  })
}
