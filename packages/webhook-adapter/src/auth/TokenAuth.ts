/**
 * Authentication with a token of the customer's login endpoint (D9.2). Deliveries share one login. A 401 discards the
 * token that was used, and no newer token. No error shows a password or a token.
 */
import { clip } from "@dockline/core/internal/values/Clip"
import { defaultSchemes } from "@dockline/core/WebhookEndpoint"
import { Clock, Deferred, Effect, Exit, Redacted } from "effect"
import type { OutboundAnswer, OutboundHttp, OutboundRequest } from "../outbound/OutboundHttp.ts"
import { LoginFailed } from "./EndpointAuth.ts"
import type { AuthenticationProvider, Authorization, EndpointAuth } from "./EndpointAuth.ts"

/** The lifetime of a token when the login answer does not name one, in seconds. */
const unsaidLifetime = 3_600

/** A token is renewed this many seconds before it expires, or after nine tenths of its lifetime when that is later. */
const margin = 60

/** The longest value of `Authorization`, in characters. */
const headerLimit = 8 * 1024

export const provider = (
  http: OutboundHttp["Service"],
  { userAgent }: { readonly userAgent: string }
): AuthenticationProvider => ({
  type: "token",
  open: Effect.fnUntraced(function*(settings, { password = Redacted.make("") }) {
    const clock = yield* Clock.Clock
    const login: Login = (setting) => settings[setting] ?? defaults[setting] ?? ""
    const request = loginRequest(login, password, userAgent)
    return shared(clock, logIn(http, login, request, Redacted.value(password)))
  })
})

interface Held {
  readonly authorization: Authorization
  readonly renewAt: number
}

/** Holds the newest token, and shares one login among all concurrent calls. */
const shared = (clock: Clock.Clock, fetch: Effect.Effect<Held, LoginFailed>): EndpointAuth => {
  let held: Held | undefined
  let underWay: Deferred.Deferred<Authorization, LoginFailed> | undefined

  const current = () =>
    held !== undefined && clock.currentTimeMillisUnsafe() < held.renewAt ? held.authorization : undefined

  // The login runs detached: the first caller may be interrupted while others still wait.
  const start = (result: Deferred.Deferred<Authorization, LoginFailed>) =>
    Effect.forkDetach(Effect.onExit(fetch, (exit) =>
      Effect.sync(() => {
        if (Exit.isSuccess(exit)) held = exit.value
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
    refused: (authorization) => {
      if (held?.authorization === authorization) held = undefined
      return true
    }
  }
}

const fields = defaultSchemes.find(({ type }) => type === "token")?.fields ?? []

const defaults = Object.fromEntries(fields.map(({ default: standIn = "", name }) => [name, standIn]))

type Login = (setting: string) => string

const loginRequest = (login: Login, password: Redacted.Redacted, userAgent: string): OutboundRequest => {
  const fields = {
    [login("usernameField")]: login("username"),
    [login("passwordField")]: Redacted.value(password)
  }
  const isForm = login("loginFormat") === "form"
  return {
    url: login("loginUrl"),
    headers: {
      "Content-Type": isForm ? "application/x-www-form-urlencoded" : "application/json",
      Accept: "application/json",
      "Accept-Encoding": "identity",
      "User-Agent": userAgent
    },
    body: isForm ? new URLSearchParams(fields).toString() : JSON.stringify(fields)
  }
}

const logIn = Effect.fnUntraced(function*(
  http: OutboundHttp["Service"],
  login: Login,
  request: OutboundRequest,
  password: string
) {
  // The lifetime counts from the request, however slow the answer is.
  const asked = yield* Clock.currentTimeMillis
  const answer = yield* Effect.mapError(http.post(request), ({ error }) => failed(error))
  const body = yield* readAnswer(answer)
  const token = at(body, login("tokenPath"))
  if (typeof token !== "string" || token === "") {
    return yield* failed(`the answer of the login endpoint has no text at ${clip(login("tokenPath"))}`)
  }
  const header = login("scheme") === "" ? token : `${login("scheme")} ${token}`
  if (header.length > headerLimit || !/^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(header)) {
    return yield* failed(
      `the token is longer than ${headerLimit} characters or has some that a header cannot carry`
    )
  }
  const lifetime = seconds(at(body, login("lifetimePath"))) ?? unsaidLifetime
  const authorization: Authorization = { header, secrets: [token, password] }
  return { authorization, renewAt: asked + 1000 * Math.max(lifetime - margin, lifetime * 0.9) }
})

const failed = (error: string): LoginFailed => new LoginFailed({ error: `login: ${error}` })

const utf8 = new TextDecoder("utf-8")

const readAnswer = (
  { body, error, headers, status }: OutboundAnswer
): Effect.Effect<unknown, LoginFailed> => {
  if (status < 200 || status > 299) {
    const remark = status >= 300 && status <= 399 ? "; redirects are not followed" : ""
    return Effect.fail(failed(`the login endpoint answered ${status}${remark}`))
  }
  if (error !== "") return Effect.fail(failed(error))
  const encoding = headers["content-encoding"] ?? "identity"
  if (encoding.toLowerCase() !== "identity") {
    return Effect.fail(failed(`the answer of the login endpoint is encoded (${clip(encoding)})`))
  }
  return Effect.try({
    try: (): unknown => JSON.parse(utf8.decode(body)),
    // The parser's message is left out, as it quotes the answer.
    catch: () => failed("the answer of the login endpoint is not JSON")
  })
}

/** The value at a path of names, each leading into an object or a list. */
const at = (value: unknown, path: string): unknown => {
  let inner = value
  for (const name of path.split(".")) {
    if (typeof inner !== "object" || inner === null) return undefined
    inner = Reflect.get(inner, name)
  }
  return inner
}

/** A lifetime: a positive number, or a text of one. */
const seconds = (value: unknown): number | undefined => {
  const isText = typeof value === "string" && /^\s*\d+(?:\.\d+)?\s*$/.test(value)
  const number = typeof value === "number" || isText ? Number(value) : Number.NaN
  return Number.isFinite(number) && number > 0 ? number : undefined
}
