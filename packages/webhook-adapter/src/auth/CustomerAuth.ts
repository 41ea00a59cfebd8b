/**
 * Prepares the authentication of endpoints: finds the provider of the scheme, and passes it the settings and the decrypted secrets (D9.1,
 * D9.2).
 */
import type { SecretUnreadable } from "@dockline/core/values/OperatorErrors"
import { secretsContext, SecretsVault } from "@dockline/core/webhooks/SecretsVault"
import { defaultSchemes, repeatedType } from "@dockline/core/webhooks/WebhookEndpoint"
import type { WebhookEndpoint } from "@dockline/core/webhooks/WebhookEndpoint"
import { Clock, Context, Effect, Layer, Redacted } from "effect"
import { Buffer } from "node:buffer"
import { OutboundHttp } from "../outbound/OutboundHttp.ts"
import type { OutboundAnswer, OutboundRequest } from "../outbound/OutboundHttp.ts"
import { defaultWebhookConfig, InvalidConfig } from "../WebhookConfig.ts"
import type { WebhookConfig } from "../WebhookConfig.ts"
import { at, headersOf, LoginFailed, loginFailure, provider, readAnswer, tokenOf } from "./EndpointAuth.ts"
import type { AuthenticationProvider, Authorization, EndpointAuth } from "./EndpointAuth.ts"

/**
 * Authentication with a token that an OAuth 2.0 provider grants for client credentials (D15.3; RFC 6749, section 4.4).
 * `EndpointAuth.provider` caches the token.
 *
 * The client authenticates itself by HTTP Basic (`client_secret_basic`), which every provider has to support. Some clients are registered
 * to send their secret in the body (`client_secret_post`): if a provider refuses the client, the token is requested once more in that way.
 * From then on the successful way is tried first.
 */
export const oauthProvider = (
  http: OutboundHttp["Service"],
  { userAgent }: { readonly userAgent: string }
): AuthenticationProvider =>
  provider(
    "oauth2",
    "clientSecret",
    (settings, secret) => grants(http, { settings, secret, userAgent })
  )

interface Client {
  readonly settings: Readonly<Record<string, string>>
  readonly secret: string
  readonly userAgent: string
}

type Way = "basic" | "post"

const tokenEndpoint = "token endpoint"

/** Requests a token at each run. */
const grants = (http: OutboundHttp["Service"], client: Client) => {
  let first: Way = "basic"

  const ask = (way: Way) =>
    Effect.mapError(http.post(requestOf(client, way)), ({ error }) => loginFailure(error))

  return Effect.gen(function*() {
    const askedAt = yield* Clock.currentTimeMillis
    let answer = yield* ask(first)
    if (isClientRefused(answer)) {
      const other = first === "basic" ? "post" : "basic"
      const second = yield* ask(other)
      if (!isClientRefused(second)) {
        answer = second
        if (second.status >= 200 && second.status <= 299) first = other
      }
    }
    const body = yield* readAnswer(tokenEndpoint, answer, codeOf(answer))
    const type = at(body, "token_type") ?? "Bearer"
    // Apigee calls the type BearerToken.
    if (typeof type !== "string" || !/^bearer(token)?$/i.test(type)) {
      return yield* loginFailure(`the token of the ${tokenEndpoint} is no bearer token`)
    }
    return yield* tokenOf(tokenEndpoint, {
      token: at(body, "access_token"),
      place: "access_token",
      lifetime: at(body, "expires_in"),
      scheme: "Bearer",
      secret: client.secret,
      askedAt
    })
  })
}

/** The request for a token. Absent parameters are left out, because an empty scope is not permitted (RFC 6749, section 3.3). */
const requestOf = ({ secret, settings, userAgent }: Client, way: Way): OutboundRequest => {
  const { audience = "", clientId = "", scope = "", tokenUrl = "" } = settings
  const form = new URLSearchParams({ grant_type: "client_credentials" })
  if (scope !== "") form.set("scope", scope)
  if (audience !== "") form.set("audience", audience)
  const headers: Record<string, string> = headersOf("application/x-www-form-urlencoded", userAgent)
  if (way === "basic") {
    const pair = `${formEncoded(clientId)}:${formEncoded(secret)}`
    headers["Authorization"] = `Basic ${Buffer.from(pair, "utf8").toString("base64")}`
  } else {
    form.set("client_id", clientId)
    form.set("client_secret", secret)
  }
  return { url: tokenUrl, headers, body: form.toString() }
}

/** Encodes an id or a secret as in a form, before both are joined (RFC 6749, section 2.3.1). */
const formEncoded = (text: string): string => new URLSearchParams({ "": text }).toString().slice(1)

/**
 * Whether the refusal may mean that the provider does not support the way in which the client authenticated (RFC 6749, section 5.2). A
 * provider that ignores the header reports missing parameters.
 */
const isClientRefused = (answer: OutboundAnswer): boolean =>
  answer.status === 401 ||
  (answer.status === 400 &&
    ["invalid_client", "invalid_request", "unauthorized_client"].includes(errorOf(answer) ?? ""))

/** The error code of a refusal. The description is not shown, because it may repeat parts of the request. */
const codeOf = (answer: OutboundAnswer): string => {
  const code = errorOf(answer)
  return code === undefined ? "" : `: ${code}`
}

const errorOf = ({ body }: OutboundAnswer): string | undefined => {
  const text = Buffer.from(body).toString("utf8")
  const [, code] = /"error"\s*:\s*"([a-z_]{1,64})"/.exec(text) ?? []
  return code
}

/** Authentication with a token of the login endpoint of the customer (D9.2). `EndpointAuth.provider` caches the token. */
export const loginProvider = (
  http: OutboundHttp["Service"],
  { userAgent }: { readonly userAgent: string }
): AuthenticationProvider =>
  provider(
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
  return { url: login("loginUrl"), headers: headersOf(contentType, userAgent), body }
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
  const answer = yield* Effect.mapError(http.post(request), ({ error }) => loginFailure(error))
  const body = yield* readAnswer(loginEndpoint, answer)
  return yield* tokenOf(loginEndpoint, {
    token: at(body, login("tokenPath")),
    place: login("tokenPath"),
    lifetime: at(body, login("lifetimePath")),
    scheme: login("scheme"),
    secret,
    askedAt
  })
})

/** Prepares the authentication of this service at endpoints. */
export class CustomerAuth extends Context.Service<CustomerAuth, {
  /** Prepares the authentication of an endpoint, without a call. If the scheme has no provider, each sign-in fails with that reason. */
  readonly open: (
    endpoint: Pick<WebhookEndpoint, "business" | "authentication">
  ) => Effect.Effect<EndpointAuth, SecretUnreadable>
}>()("@dockline/webhook-adapter/auth/CustomerAuth") {
  /** Supports the schemes none, Basic, token and OAuth 2.0, and those of further providers; fails if two providers have the same type. */
  static readonly layer = (
    providers: ReadonlyArray<AuthenticationProvider> = [],
    config: Pick<WebhookConfig, "userAgent"> = defaultWebhookConfig
  ): Layer.Layer<CustomerAuth, InvalidConfig, SecretsVault | OutboundHttp> =>
    Layer.effect(
      CustomerAuth,
      Effect.gen(function*() {
        const vault = yield* SecretsVault
        const http = yield* OutboundHttp
        const all = [
          none,
          basic,
          loginProvider(http, config),
          oauthProvider(http, config),
          ...providers
        ]
        const twice = repeatedType(all)
        if (twice !== undefined) {
          return yield* new InvalidConfig({
            setting: "authentication",
            reason: `two providers of the type ${twice}`
          })
        }
        const byType = new Map(all.map((provider) => [provider.type, provider]))
        return CustomerAuth.of({
          open: Effect.fn("CustomerAuth.open")(function*({ authentication, business }) {
            const { secrets, settings, type } = authentication
            const provider = byType.get(type)
            if (provider === undefined) return withoutProvider(type)
            const context = secretsContext(business)
            const plaintexts: Record<string, Redacted.Redacted> = {}
            for (const [name, ciphertext] of Object.entries(secrets)) {
              plaintexts[name] = yield* vault.open(ciphertext, context)
            }
            return yield* provider.open(settings, plaintexts)
          })
        })
      })
    )
}

const withoutProvider = (type: string): EndpointAuth => ({
  current: () => undefined,
  obtain: new LoginFailed({ error: `this service has no provider of the authentication ${type}` }),
  discard: () => false
})

/** The authentication of a scheme whose authorization never changes (D9.1; RFC 7617). */
const constantAuth = (authorization: Authorization): Effect.Effect<EndpointAuth> =>
  Effect.succeed({
    current: () => authorization,
    obtain: Effect.succeed(authorization),
    discard: () => false
  })

const none: AuthenticationProvider = { type: "none", open: () => constantAuth({ header: undefined }) }

const basic: AuthenticationProvider = {
  type: "basic",
  open: ({ username = "" }, { password }) => {
    const secret = password === undefined ? "" : Redacted.value(password)
    const pair = `${username}:${secret}`
    // The pair is hidden too: a password that is too short to be hidden everywhere is hidden at least together with its user name.
    return constantAuth({
      header: `Basic ${Buffer.from(pair, "utf8").toString("base64")}`,
      secrets: [pair, secret]
    })
  }
}
