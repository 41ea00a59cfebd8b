/**
 * Signs people in by an OpenID Connect provider: code with PKCE, by `openid-client` (D14.4).
 *
 * Guarantee: an answer of the provider counts only in the browser, and for the sign-in, that asked for it: state, nonce and PKCE
 * verifier are derived from a secret that only that browser has, in a cookie. What it says of a person is signed by its keys. An
 * e-mail address counts only if the provider says that it has verified it. The metadata of the provider is requested at most once a
 * second; once it is known, no sign-in waits for it.
 */
import { emailOf, isSubject } from "@dockline/core/access/Person"
import type { Identity } from "@dockline/core/access/Person"
import { isLoopback } from "@dockline/wire/Path"
import { Clock, Data, Effect, Redacted } from "effect"
import { createHash } from "node:crypto"
import * as OpenId from "openid-client"
import type { ProviderConfig } from "../DashboardConfig.ts"

/** How long the provider may take to answer a request. */
const patienceSeconds = 5

/** The largest answer that is read, in bytes. */
const answerLimit = 1_048_576

/** How long what the provider publishes of itself is used before it is asked for again. */
const discoveryMillis = 3_600_000

/** The time after which it is asked for again where there was no answer. */
const retryMillis = 1000

/** The provider says that somebody may not sign in, or they did not want to. */
export class Declined extends Data.TaggedError("Declined")<{ readonly reason: string }> {}

/** The answer is for another sign-in, or has been used. */
export class Stale extends Data.TaggedError("Stale")<{}> {}

/** The provider cannot be reached, or its answers are not those of OpenID Connect. */
export class ProviderUnavailable extends Data.TaggedError("ProviderUnavailable")<{
  readonly cause: unknown
}> {}

/** Whether an issuer may be asked: by https, or by http on the machine itself. */
export const isSafeIssuer = (issuer: string): boolean => {
  const { hostname, protocol } = new URL(issuer)
  return protocol === "https:" || isLoopback(hostname)
}

/** Reads an answer up to the limit. */
const limitedFetch: OpenId.CustomFetch = async (url, options) => {
  // The library names the options of the standard by a type of its own.
  const response = await fetch(url, options as RequestInit)
  const chunks: Array<Uint8Array> = []
  let size = 0
  for await (const chunk of response.body ?? []) {
    size += chunk.byteLength
    if (size > answerLimit) throw new Error(`${url} answers with more than ${answerLimit} bytes`)
    chunks.push(chunk)
  }
  const { headers, status } = response
  return new Response(chunks.length === 0 ? null : Buffer.concat(chunks), { status, headers })
}

/** The secret in the header, as RFC 6749 prefers it, or in the body for a provider that takes it only there. */
const clientAuth = (secret: string): OpenId.ClientAuth => (server, client, body, headers) => {
  const methods = server.token_endpoint_auth_methods_supported ?? ["client_secret_basic"]
  const method = methods.includes("client_secret_basic") ? OpenId.ClientSecretBasic : OpenId.ClientSecretPost
  method(secret)(server, client, body, headers)
}

/** Reads what the provider publishes of itself; rejects where that does not suit. */
const discover = async (config: ProviderConfig): Promise<OpenId.Configuration> => {
  const insecure = isLoopback(new URL(config.issuer).hostname) ? [OpenId.allowInsecureRequests] : []
  const configuration = await OpenId.discovery(
    new URL(config.issuer),
    config.clientId,
    undefined,
    clientAuth(Redacted.value(config.clientSecret)),
    {
      [OpenId.customFetch]: limitedFetch,
      // By default the signature of an ID token is not looked at, as it comes over TLS.
      execute: [...insecure, OpenId.enableNonRepudiationChecks],
      timeout: patienceSeconds
    }
  )
  const server = configuration.serverMetadata()
  for (const name of ["authorization_endpoint", "token_endpoint", "jwks_uri"] as const) {
    if (server[name] === undefined) throw new Error(`${config.issuer} publishes no ${name}`)
  }
  return configuration
}

const derive = (secret: string, purpose: string): string =>
  createHash("sha256").update(`${purpose} ${secret}`).digest("base64url")

const checksOf = (secret: string) => ({
  pkceCodeVerifier: derive(secret, "verifier"),
  expectedState: derive(secret, "state"),
  expectedNonce: derive(secret, "nonce"),
  idTokenExpected: true
})

/** The claims of a person: those of the token, or where it has no address, those of the provider's page about them. */
const claimsOf = async (
  config: OpenId.Configuration,
  tokens: OpenId.TokenEndpointResponse & OpenId.TokenEndpointResponseHelpers
): Promise<OpenId.IDToken | OpenId.UserInfoResponse> => {
  const claims = tokens.claims()!
  return claims["email"] !== undefined || config.serverMetadata().userinfo_endpoint === undefined
    ? claims
    : OpenId.fetchUserInfo(config, tokens.access_token, claims.sub)
}

const failureOf = (cause: unknown): Declined | Stale | ProviderUnavailable => {
  if (cause instanceof OpenId.AuthorizationResponseError) return new Declined({ reason: cause.error })
  return cause instanceof OpenId.ResponseBodyError && cause.error === "invalid_grant"
    ? new Stale()
    : new ProviderUnavailable({ cause })
}

/** What a provider publishes of itself, by the present time: what was found is used until something newer is. */
const published = (config: ProviderConfig): (now: () => number) => Promise<OpenId.Configuration> => {
  let configuration: Promise<OpenId.Configuration> | undefined
  let latest: Promise<OpenId.Configuration>
  let askAt = Number.NEGATIVE_INFINITY
  return (now) => {
    if (now() >= askAt) {
      askAt = Number.POSITIVE_INFINITY
      const discovery = discover(config)
      latest = discovery
      discovery.then(() => {
        configuration = discovery
        askAt = now() + discoveryMillis
      }, () => {
        askAt = now() + retryMillis
      })
    }
    return configuration ?? latest
  }
}

/** A provider; `callback` is the address of ours to which it sends browsers back. */
export const make = (config: ProviderConfig, callback: string, signIn: string) => {
  const configuration = published(config)

  const asking = <A>(ask: (configuration: OpenId.Configuration) => A | Promise<A>) =>
    Clock.clockWith((clock) =>
      Effect.tryPromise({
        try: async () => ask(await configuration(() => clock.currentTimeMillisUnsafe())),
        catch: failureOf
      })
    )

  /** What asks nothing but for what the provider publishes fails for one reason only. */
  const knowing = <A>(ask: (configuration: OpenId.Configuration) => A | Promise<A>) =>
    Effect.mapError(
      asking(ask),
      (error) => error instanceof ProviderUnavailable ? error : new ProviderUnavailable({ cause: error })
    )

  return {
    /** The host, as people know it. */
    host: new URL(config.issuer).host,
    /** Where a browser is sent to sign in. */
    begin: (secret: string) =>
      knowing(async (configuration) => {
        const { expectedNonce, expectedState, pkceCodeVerifier } = checksOf(secret)
        return OpenId.buildAuthorizationUrl(configuration, {
          redirect_uri: callback,
          scope: "openid email",
          state: expectedState,
          nonce: expectedNonce,
          code_challenge: await OpenId.calculatePKCECodeChallenge(pkceCodeVerifier),
          code_challenge_method: "S256"
        }).href
      }),
    /** Whether a query is an answer to the sign-in of this secret; the provider is not asked. */
    answers: (secret: string, query: string): boolean =>
      new URLSearchParams(query).get("state") === checksOf(secret).expectedState,
    /** Who has signed in, by the query with which the provider sent the browser back: an answer to the sign-in. */
    finish: (secret: string, query: string) =>
      asking(async (configuration): Promise<Identity> => {
        const tokens = await OpenId.authorizationCodeGrant(
          configuration,
          new URL(`${callback}?${query}`),
          checksOf(secret)
        )
        const { email, email_verified: isVerified, sub } = await claimsOf(configuration, tokens)
        if (!isSubject(sub)) throw new Error("The subject is not one of OpenID Connect")
        return {
          subject: sub,
          email: isVerified === true && typeof email === "string" ? emailOf(email) ?? null : null
        }
      }),
    /** Where a browser is sent to sign out at the provider too; `undefined` where the provider has no such page. */
    end: knowing((configuration) =>
      configuration.serverMetadata().end_session_endpoint === undefined
        ? undefined
        : OpenId.buildEndSessionUrl(configuration, {
          client_id: config.clientId,
          post_logout_redirect_uri: signIn
        }).href
    )
  }
}
