/** Authentication with a token of the customer's login endpoint (D9.2). `HeldToken` holds the token. */
import { defaultSchemes } from "@dockline/core/webhooks/WebhookEndpoint"
import { Clock, Effect } from "effect"
import type { OutboundHttp, OutboundRequest } from "../outbound/OutboundHttp.ts"
import type { AuthenticationProvider } from "./EndpointAuth.ts"
import * as HeldToken from "./HeldToken.ts"

export const provider = (
  http: OutboundHttp["Service"],
  { userAgent }: { readonly userAgent: string }
): AuthenticationProvider =>
  HeldToken.provider(
    "token",
    "password",
    (settings, password) =>
      logIn(http, (setting) => settings[setting] ?? defaults[setting] ?? "", password, userAgent)
  )

const fields = defaultSchemes.find(({ type }) => type === "token")?.fields ?? []

const defaults = Object.fromEntries(fields.map(({ default: standIn = "", name }) => [name, standIn]))

type Login = (setting: string) => string

const loginRequest = (login: Login, password: string, userAgent: string): OutboundRequest => {
  const fields = { [login("usernameField")]: login("username"), [login("passwordField")]: password }
  const [contentType, body] = login("loginFormat") === "form"
    ? ["application/x-www-form-urlencoded", new URLSearchParams(fields).toString()]
    : ["application/json", JSON.stringify(fields)]
  return { url: login("loginUrl"), headers: HeldToken.headersOf(contentType, userAgent), body }
}

const loginEndpoint = "login endpoint"

const logIn = Effect.fnUntraced(function*(
  http: OutboundHttp["Service"],
  login: Login,
  secret: string,
  userAgent: string
) {
  const askedAt = yield* Clock.currentTimeMillis
  const request = loginRequest(login, secret, userAgent)
  const answer = yield* Effect.mapError(http.post(request), ({ error }) => HeldToken.loginFailure(error))
  const body = yield* HeldToken.readAnswer(loginEndpoint, answer)
  return yield* HeldToken.tokenOf(loginEndpoint, {
    token: HeldToken.at(body, login("tokenPath")),
    place: login("tokenPath"),
    lifetime: HeldToken.at(body, login("lifetimePath")),
    scheme: login("scheme"),
    secret,
    askedAt
  })
})
