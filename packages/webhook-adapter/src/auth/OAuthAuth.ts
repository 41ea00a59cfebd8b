/**
 * Authentication with a token that a provider of OAuth 2.0 grants for client credentials (D15.3; RFC 6749, section 4.4).
 * `HeldToken` holds the token.
 *
 * The client authenticates itself by HTTP Basic (`client_secret_basic`), which every provider has to support. Some clients are
 * registered to send their secret in the body (`client_secret_post`): where a provider refuses the client, it is asked once more in
 * this way, and the way that it took is used first from then on.
 */
import { Clock, Effect } from "effect"
import { Buffer } from "node:buffer"
import type { OutboundAnswer, OutboundHttp, OutboundRequest } from "../outbound/OutboundHttp.ts"
import type { AuthenticationProvider } from "./EndpointAuth.ts"
import * as HeldToken from "./HeldToken.ts"

export const provider = (
  http: OutboundHttp["Service"],
  { userAgent }: { readonly userAgent: string }
): AuthenticationProvider =>
  HeldToken.provider(
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

/** Asks for a token at each run. */
const grants = (http: OutboundHttp["Service"], client: Client) => {
  let first: Way = "basic"

  const ask = (way: Way) =>
    Effect.mapError(http.post(requestOf(client, way)), ({ error }) => HeldToken.loginFailure(error))

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
    const body = yield* HeldToken.readAnswer(tokenEndpoint, answer, codeOf(answer))
    const type = HeldToken.at(body, "token_type") ?? "Bearer"
    // Apigee calls it BearerToken.
    if (typeof type !== "string" || !/^bearer(token)?$/i.test(type)) {
      return yield* HeldToken.loginFailure(`the token of the ${tokenEndpoint} is no bearer token`)
    }
    return yield* HeldToken.tokenOf(tokenEndpoint, {
      token: HeldToken.at(body, "access_token"),
      place: "access_token",
      lifetime: HeldToken.at(body, "expires_in"),
      scheme: "Bearer",
      secret: client.secret,
      askedAt
    })
  })
}

/** Absent parameters are left out: an empty scope is none (RFC 6749, section 3.3). */
const requestOf = ({ secret, settings, userAgent }: Client, way: Way): OutboundRequest => {
  const { audience = "", clientId = "", scope = "", tokenUrl = "" } = settings
  const form = new URLSearchParams({ grant_type: "client_credentials" })
  if (scope !== "") form.set("scope", scope)
  if (audience !== "") form.set("audience", audience)
  const headers: Record<string, string> = HeldToken.headersOf("application/x-www-form-urlencoded", userAgent)
  if (way === "basic") {
    const pair = `${formEncoded(clientId)}:${formEncoded(secret)}`
    headers["Authorization"] = `Basic ${Buffer.from(pair, "utf8").toString("base64")}`
  } else {
    form.set("client_id", clientId)
    form.set("client_secret", secret)
  }
  return { url: tokenUrl, headers, body: form.toString() }
}

/** RFC 6749, section 2.3.1: id and secret are encoded as in a form before they are joined. */
const formEncoded = (text: string): string => new URLSearchParams({ "": text }).toString().slice(1)

/**
 * Whether the provider may not know the client by the way in which it authenticated itself (RFC 6749, section 5.2). A provider that does not
 * look at the header reports missing parameters.
 */
const isClientRefused = (answer: OutboundAnswer): boolean =>
  answer.status === 401 ||
  (answer.status === 400 &&
    ["invalid_client", "invalid_request", "unauthorized_client"].includes(errorOf(answer) ?? ""))

/** The code of a refusal. Its description is not shown: it may repeat what was sent. */
const codeOf = (answer: OutboundAnswer): string => {
  const code = errorOf(answer)
  return code === undefined ? "" : `: ${code}`
}

const errorOf = ({ body }: OutboundAnswer): string | undefined => {
  const text = Buffer.from(body).toString("utf8")
  const [, code] = /"error"\s*:\s*"([a-z_]{1,64})"/.exec(text) ?? []
  return code
}
