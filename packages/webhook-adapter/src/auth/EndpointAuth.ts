/**
 * Caches the token of an endpoint, and checks answers with tokens (D9.2). Deliveries share one request for a token.
 *
 * Guarantee: a 401 discards the token that was used, and no newer token. No error shows a secret or a token.
 */
import { clip } from "@dockline/core/values/Clip"
import { saysWhen } from "@dockline/core/webhooks/Delivery"
import { Clock, Deferred, Effect, Exit, Redacted, Schema } from "effect"
import type { OutboundAnswer } from "../outbound/OutboundHttp.ts"

/** The authorization of a request. */
export interface Authorization {
  /** The value of the header `Authorization`; `undefined` if the scheme sends none. */
  readonly header: string | undefined
  /**
   * The secrets in the header, and the secrets that obtained it; the whole header if absent. The delivery record hides them in the answer.
   */
  readonly secrets?: ReadonlyArray<string>
}

/** Signing in failed. This is not a failure of a delivery: the endpoint waits (D9.3). */
export class LoginFailed extends Schema.TaggedError<LoginFailed>()("LoginFailed", {
  /** The reason, for operators, without secrets. */
  error: Schema.String,
  /** The header `Retry-After` of the answer, which the wait of the endpoint respects. */
  retryAfter: Schema.optionalKey(Schema.String)
}) {
  override get message(): string {
    return `Signing in failed: ${this.error}`
  }
}

/**
 * Port: authentication at a customer (D9.1, D9.2). This package implements the schemes none, Basic, token and OAuth 2.0. A service that agrees
 * on another scheme with its customer passes an {@link AuthenticationProvider} to `CustomerAuth`. All deliveries of an endpoint share its
 * authentication, because it may hold a token.
 */
export interface EndpointAuth {
  /** The current authorization while it is valid; `undefined` if a new one must be obtained. */
  readonly current: () => Authorization | undefined
  /** Returns the current authorization, or obtains a new one. Concurrent calls share one login. */
  readonly obtain: Effect.Effect<Authorization, LoginFailed>
  /**
   * Records that the customer answered 401 to this authorization, which is then not used again. Returns whether to repeat the request once
   * with the next authorization from `obtain` (D9.2). If the authorization has been replaced meanwhile, the newer one stays.
   */
  readonly discard: (authorization: Authorization) => boolean
}

/** Implements one scheme. The settings and secrets have the fields that the `AuthenticationScheme` of core with this type declares. */
export interface AuthenticationProvider {
  readonly type: string
  /** Prepares the authentication of an endpoint, without a call. */
  readonly open: (
    settings: Readonly<Record<string, string>>,
    secrets: Readonly<Record<string, Redacted.Redacted>>
  ) => Effect.Effect<EndpointAuth>
}

/** The lifetime of a token if the answer does not give one, in seconds. */
const unsaidLifetime = 3_600

/** The number of seconds before the expiry at which a token is renewed. If nine tenths of its lifetime end later, it is renewed then. */
const margin = 60

/** The longest value of `Authorization`, in characters. */
const headerLimit = 8 * 1024

/** A token. It is used until the time of its renewal, in milliseconds since 1970. */
export interface Token {
  readonly authorization: Authorization
  readonly renewAt: number
}

/** Caches the newest token, and shares one request for a token among all concurrent calls. */
export const shared = (clock: Clock.Clock, fetch: Effect.Effect<Token, LoginFailed>): EndpointAuth => {
  let token: Token | undefined
  let underWay: Deferred.Deferred<Authorization, LoginFailed> | undefined

  const current = () =>
    token !== undefined && clock.currentTimeMillisUnsafe() < token.renewAt ? token.authorization : undefined

  // The request runs in a detached fiber, because the first caller may be interrupted while others wait.
  const start = (result: Deferred.Deferred<Authorization, LoginFailed>) =>
    Effect.forkDetach(Effect.onExit(fetch, (exit) =>
      Effect.sync(() => {
        if (Exit.isSuccess(exit)) token = exit.value
        underWay = undefined
        Deferred.doneUnsafe(result, Exit.map(exit, ({ authorization }) => authorization))
      })))

  return {
    current,
    obtain: Effect.suspend(() => {
      const authorization = current()
      if (authorization !== undefined) return Effect.succeed(authorization)
      if (underWay !== undefined) return Deferred.await(underWay)
      const result = Deferred.makeUnsafe<Authorization, LoginFailed>()
      underWay = result
      return Effect.andThen(Effect.uninterruptible(start(result)), Deferred.await(result))
    }),
    discard: (authorization) => {
      if (token?.authorization === authorization) token = undefined
      return true
    }
  }
}

/** Makes the provider of a scheme with tokens; `ask` requests a token with the settings and the secret of an endpoint. */
export const provider = (
  type: string,
  secretName: string,
  ask: (settings: Readonly<Record<string, string>>, secret: string) => Effect.Effect<Token, LoginFailed>
): AuthenticationProvider => ({
  type,
  open: (settings, { [secretName]: secret = Redacted.make("") }) =>
    Effect.map(Clock.Clock, (clock) => shared(clock, ask(settings, Redacted.value(secret))))
})

/** The headers of a request for a token. */
export const headersOf = (contentType: string, userAgent: string) => ({
  "Content-Type": contentType,
  Accept: "application/json",
  "Accept-Encoding": "identity",
  "User-Agent": userAgent
})

/** The token in an answer, not checked yet. */
export interface TokenAnswer {
  readonly token: unknown
  /** The place in the answer where the token was expected, for operators. */
  readonly place: string
  readonly lifetime: unknown
  /** The word before the token in `Authorization`; `""` for none. */
  readonly scheme: string
  /** The secret that obtained the token. */
  readonly secret: string
  /** The time of the request for the token, in milliseconds since 1970. The lifetime counts from this time, however slow the answer is. */
  readonly askedAt: number
}

/** Makes the token to cache, unless a header cannot carry it; `what` names the server. */
export const tokenOf = (
  what: string,
  { askedAt, lifetime, place, scheme, secret, token }: TokenAnswer
): Effect.Effect<Token, LoginFailed> => {
  if (typeof token !== "string" || token === "") {
    return Effect.fail(loginFailure(`the answer of the ${what} has no text at ${clip(place)}`))
  }
  const header = scheme === "" ? token : `${scheme} ${token}`
  if (header.length > headerLimit || !/^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(header)) {
    return Effect.fail(
      loginFailure(
        `the token is longer than ${headerLimit} characters or has some that a header cannot carry`
      )
    )
  }
  const lives = seconds(lifetime) ?? unsaidLifetime
  return Effect.succeed({
    authorization: { header, secrets: [token, secret] },
    renewAt: askedAt + 1000 * Math.max(lives - margin, lives * 0.9)
  })
}

/** A failed login, with the reason for operators and the header `Retry-After` of the answer. */
export const loginFailure = (error: string, retryAfter?: string): LoginFailed =>
  new LoginFailed({ error: `login: ${error}`, ...(retryAfter === undefined ? {} : { retryAfter }) })

const utf8 = new TextDecoder("utf-8")

/** The target of a redirect, without the query, which may repeat secrets. */
const redirectOf = ({ location = "" }: OutboundAnswer["headers"]): string => {
  const [address = ""] = location.split(/[?#]/)
  return `${address === "" ? "" : `, a redirect to ${clip(address, 1024)}`}; redirects are not followed`
}

/** Reads the JSON of an answer with a status of 2xx; `what` names the server, and `remark` may explain another status. */
export const readAnswer = (
  what: string,
  { body, error, headers, status }: OutboundAnswer,
  remark = ""
): Effect.Effect<unknown, LoginFailed> => {
  if (status < 200 || status > 299) {
    const more = status >= 300 && status <= 399 ? redirectOf(headers) : remark
    const retryAfter = saysWhen(status) ? headers["retry-after"] : undefined
    return Effect.fail(loginFailure(`the ${what} answered ${status}${more}`, retryAfter))
  }
  if (error !== "") return Effect.fail(loginFailure(error))
  return Effect.try({
    try: (): unknown => JSON.parse(utf8.decode(body)),
    // The message of the parser is left out, because it quotes the answer.
    catch: () => loginFailure(`the answer of the ${what} is not JSON`)
  })
}

/** The value at a path of names, each of which leads into an object or a list. */
export const at = (value: unknown, path: string): unknown => {
  let inner = value
  for (const name of path.split(".")) {
    if (typeof inner !== "object" || inner === null) return undefined
    inner = Reflect.get(inner, name)
  }
  return inner
}

/** Reads a lifetime: a positive number, or a text with one. */
const seconds = (value: unknown): number | undefined => {
  const isText = typeof value === "string" && /^\s*\d+(?:\.\d+)?\s*$/.test(value)
  const number = typeof value === "number" || isText ? Number(value) : Number.NaN
  return Number.isFinite(number) && number > 0 ? number : undefined
}
