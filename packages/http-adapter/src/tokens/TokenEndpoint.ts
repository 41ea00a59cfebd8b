/**
 * `POST /oauth/token`: exchanges the id and secret of a client, in JSON or in the form of RFC 6749, for an access token (WIRE.md, token
 * request; D10.1).
 *
 * Guarantee: every answer is JSON of RFC 6749, section 5, and no cache stores it. A refusal names the wrong parameter. No answer quotes the
 * request, because it may hold a secret, and the log only names a known client. If an external issuer issues the tokens, every request is
 * referred there. After too many failures the secret is not compared for the rest of the minute (`Clients.credentialsLayer`).
 */
import { Credentials } from "@dockline/core/access/Authenticator"
import * as JsonText from "@dockline/core/input/JsonText"
import type { StorageUnavailable } from "@dockline/core/values/Errors"
import * as Metrics from "@dockline/core/values/Metrics"
import { logUnavailable } from "@dockline/core/values/Metrics"
import type { UnsupportedMediaType } from "@dockline/core/values/RequestErrors"
import { secondsInWords } from "@dockline/core/values/Timestamp"
import { contentTypeReader } from "@dockline/wire/MediaType"
import { retryAfterOf } from "@dockline/wire/Problem"
import { Cause, Context, Data, Effect, Layer, Metric, Option, Predicate, Result } from "effect"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import type { TokenRefusal } from "../api/TokenApi.ts"
import * as Charset from "../body/Charset.ts"
import * as LimitedBody from "../body/LimitedBody.ts"
import { credentialsLayer } from "./Clients.ts"
import type { ClientCredentialsConfig, Clients } from "./Clients.ts"
import { Tokens } from "./Tokens.ts"

/** The largest body that is read, in bytes. */
const bodyLimit = 16_384

/** The token endpoint. */
export class TokenEndpoint extends Context.Service<TokenEndpoint, {
  /** Answers a request for a token. Its body must not have been read before. */
  readonly handle: (request: HttpServerRequest) => Effect.Effect<HttpServerResponse.HttpServerResponse>
}>()("@dockline/http-adapter/tokens/TokenEndpoint") {
  /**
   * The endpoint, and the check of secrets for other uses, such as the sign-in of browsers: both share one count of failures. Defaults are in
   * `defaultClientCredentialsConfig`.
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
          const tokenRequest = yield* read(request, bodyLimit, tokens.audience)
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
                  // If the client requests a scope, the answer says that the token has none (RFC 6749 section 5.1).
                  ...(asksForScope ? { scope: "" } : {})
                }),
              onFailure: refuse
            }),
            Effect.catchCause((cause) =>
              // The client is gone: nobody would read an answer, and there is no fault to log.
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
    ).pipe(Layer.provideMerge(credentialsLayer(options)))
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

class TokenError extends Data.TaggedError("TokenError")<
  Pick<TokenRefusal, "error" | "status"> & {
    /** The `error_description` for an integrator: ASCII without quotes and backslashes. */
    readonly description: string
    readonly usedBasic?: boolean
    readonly retryAfterSeconds?: number | undefined
    /** Whether the content coding of the body is not supported. */
    readonly isCoding?: boolean | undefined
  }
> {}

/** Refuses a request with a description for an integrator. */
export const refusal = (
  status: TokenError["status"],
  error: TokenError["error"],
  description: string,
  more: Pick<TokenError, "usedBasic" | "retryAfterSeconds" | "isCoding"> = {}
): TokenError => new TokenError({ status, error, description, ...more })

interface TokenRequest {
  readonly clientId: string
  readonly clientSecret: string
  readonly usedBasic: boolean
  /** The requested audiences; none if a form leaves them out. */
  readonly audiences: ReadonlyArray<string>
  /** Whether the client requests a scope. No token has one, because operators grant permissions to clients. */
  readonly asksForScope: boolean
}

/** Reads a request for a token. `ours` is the audience of the service, for the error if the audience is missing. */
export const read = Effect.fnUntraced(function*(
  request: HttpServerRequest,
  bodyLimitBytes: number,
  ours: string
): Effect.fn.Return<TokenRequest, TokenError> {
  const { format } = yield* Effect.mapError(Effect.fromResult(readType(request.headers)), unsupported)
  const bytes = yield* LimitedBody.read(request, bodyLimitBytes).pipe(
    Effect.catchTags({
      BodyAlreadyRead: ({ message }) => Effect.fail(refusal(500, "server_error", message)),
      Overloaded: ({ message, retryAfterSeconds }) =>
        Effect.fail(refusal(503, "temporarily_unavailable", message, { retryAfterSeconds })),
      PayloadTooLarge: ({ message }) => Effect.fail(refusal(413, "invalid_request", message)),
      RequestAborted: ({ message }) => Effect.fail(invalid(message))
    })
  )
  const members = yield* format === "json" ? fromJson(bytes) : fromForm(bytes)
  const parameters = yield* collect(members)
  const { authorization } = request.headers
  // Other schemes are ignored, because some HTTP clients send their old bearer token with every request.
  const usedBasic = /^Basic(?: |$)/i.test(authorization ?? "")
  const { id, secret } = yield* usedBasic ? fromBasic(parameters, authorization ?? "") : fromBody(parameters)
  const { audience, grant_type: grantType, resource } = parameters
  if (grantType === undefined) return yield* missing("grant_type")
  if (format === "json" && audience === undefined) {
    return yield* invalid(`audience is missing; it must be ${ours}`)
  }
  if (grantType !== "client_credentials") {
    return yield* refusal(400, "unsupported_grant_type", "grant_type must be client_credentials")
  }
  return {
    clientId: id,
    clientSecret: secret,
    usedBasic,
    asksForScope: members.some(([name]) => name === "scope"),
    audiences: [audience, resource].filter((each) => each !== undefined)
  }
})

const invalid = (description: string): TokenError => refusal(400, "invalid_request", description)

const readType = contentTypeReader("application/json", "application/x-www-form-urlencoded")

const unsupported = ({ isCoding }: UnsupportedMediaType): TokenError =>
  refusal(
    415,
    "invalid_request",
    "send application/json or application/x-www-form-urlencoded, in UTF-8 and without content coding",
    { isCoding }
  )

const names = ["grant_type", "client_id", "client_secret", "audience", "resource"] as const

type Parameters = { readonly [Name in typeof names[number]]?: string }

/** The parameters of a request by their names. */
type Members = ReadonlyArray<readonly [name: string, value: unknown]>

/** Reads the known parameters; others are ignored (RFC 6749 section 3.2). */
const collect = Effect.fnUntraced(function*(members: Members) {
  const parameters: { -readonly [Name in keyof Parameters]: string } = {}
  for (const name of names) {
    const [[, value] = [name, ""], ...more] = members.filter(([each]) => each === name)
    if (more.length > 0) return yield* invalid(`${name} is given twice`)
    if (typeof value !== "string") return yield* invalid(`${name} must be a string`)
    // A parameter without a value counts as absent (RFC 6749 section 3.2).
    if (value !== "") parameters[name] = value
  }
  return parameters
})

const fromJson = Effect.fnUntraced(function*(bytes: Uint8Array) {
  const result = JsonText.parse(bytes)
  if (Result.isFailure(result)) {
    const { line, column, errors } = result.failure
    const twice = names.find((name) => errors.some(({ path }) => path === name))
    return yield* invalid(
      twice === undefined
        ? `the body is not JSON in UTF-8: line ${line}, column ${column}`
        : `${twice} is given twice`
    )
  }
  if (!Predicate.isObject(result.success)) return yield* invalid("the body must be a JSON object")
  return Object.entries(result.success)
})

const fromForm = Effect.fnUntraced(function*(bytes: Uint8Array) {
  const text = Result.getOrUndefined(Charset.decode(bytes, "utf-8"))
  // `URLSearchParams` replaces bytes that are not UTF-8, which would change the secret.
  if (text === undefined || decodeFormText(text) === undefined) {
    return yield* invalid("the body is not a form in UTF-8")
  }
  // `URLSearchParams` drops a leading question mark, which is part of the name.
  return Array.from(new URLSearchParams(`&${text}`))
})

/** The decoded text; `undefined` unless it is form-urlencoded UTF-8. */
const decodeFormText = (text: string): string | undefined => {
  try {
    return decodeURIComponent(text.replaceAll("+", " "))
  } catch {
    return undefined
  }
}

const missing = (name: typeof names[number]): TokenError => invalid(`${name} is missing`)

const fromBody = Effect.fnUntraced(function*({ client_id: id, client_secret: secret }: Parameters) {
  if (id === undefined) return yield* missing("client_id")
  return secret === undefined ? yield* missing("client_secret") : { id, secret }
})

/** Reads id and secret from Basic, for which they are form-urlencoded first (RFC 6749 section 2.3.1). The body may repeat the id. */
const fromBasic = Effect.fnUntraced(function*(parameters: Parameters, header: string) {
  if (parameters.client_secret !== undefined) {
    return yield* invalid("client_secret is in both the body and the Authorization header")
  }
  const [, base64 = ""] = /^Basic +([A-Za-z0-9+/_-]+=*) *$/i.exec(header) ?? []
  const text = Result.getOrElse(Charset.decode(Buffer.from(base64, "base64"), "utf-8"), () => "")
  const colon = text.indexOf(":")
  const [id, secret] = [text.slice(0, colon), text.slice(colon + 1)].map(decodeFormText)
  if (colon < 0 || id === undefined || secret === undefined) {
    return yield* refusal(401, "invalid_client", "the Basic credentials cannot be read", { usedBasic: true })
  }
  return parameters.client_id === undefined || parameters.client_id === id
    ? { id, secret }
    : yield* invalid("client_id differs from that in the Authorization header")
})
