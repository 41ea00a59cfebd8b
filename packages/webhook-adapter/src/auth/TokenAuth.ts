/** Authentication with a token of the customer's login endpoint (D9.2). `HeldToken` holds the token. */
import { defaultSchemes } from "@dockline/core/WebhookEndpoint"
import { Clock, Effect, Redacted } from "effect"
import type { OutboundHttp, OutboundRequest } from "../outbound/OutboundHttp.ts"
import type { AuthenticationProvider } from "./EndpointAuth.ts"
import * as HeldToken from "./HeldToken.ts"

export const provider = (
  http: OutboundHttp["Service"],
  { userAgent }: { readonly userAgent: string }
): AuthenticationProvider => ({
  type: "token",
  open: Effect.fnUntraced(function*(settings, { password = Redacted.make("") }) {
    const clock = yield* Clock.Clock
    const login: Login = (setting) => settings[setting] ?? defaults[setting] ?? ""
    const request = loginRequest(login, password, userAgent)
    return HeldToken.shared(clock, logIn(http, login, request, Redacted.value(password)))
  })
})

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

const loginEndpoint = "login endpoint"

const logIn = Effect.fnUntraced(function*(
  http: OutboundHttp["Service"],
  login: Login,
  request: OutboundRequest,
  secret: string
) {
  const asked = yield* Clock.currentTimeMillis
  const answer = yield* Effect.mapError(http.post(request), ({ error }) => HeldToken.failed(error))
  const body = yield* HeldToken.readAnswer(loginEndpoint, answer)
  return yield* HeldToken.heldOf(loginEndpoint, {
    token: HeldToken.at(body, login("tokenPath")),
    place: login("tokenPath"),
    lifetime: HeldToken.at(body, login("lifetimePath")),
    scheme: login("scheme"),
    secret,
    asked
  })
})
