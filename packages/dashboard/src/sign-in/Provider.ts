/**
 * Signs people in by an OpenID Connect provider: code with PKCE, by `openid-client` (D14.4).
 *
 * Guarantee: an answer of the provider counts only in the browser, and for the sign-in, that requested it: state, nonce and PKCE verifier
 * are derived from a secret that only that browser has, in a cookie. The claims about a person are signed by the provider's keys. An e-mail
 * address counts only if the provider has verified it. The metadata of the provider is requested at most once a second; once it is known,
 * no sign-in waits for it.
 */
import { emailOf, isSubject } from "@dockline/core/access/Principals"
import type { Identity } from "@dockline/core/access/Principals"
import { isLoopback } from "@dockline/wire/Path"
import { Clock, Data, Effect, Redacted } from "effect"
import { createHash } from "node:crypto"
import * as OpenId from "openid-client"
import type { ProviderConfig } from "../DashboardConfig.ts"

/** The time limit for an answer of the provider. */
const patienceSeconds = 5

/** The largest answer that is read, in bytes. */
const answerLimit = 1_048_576

/** How long the provider's metadata is used before it is requested again. */
const discoveryMillis = 3_600_000

/** The time until the next request for the metadata after a failure. */
const retryMillis = 1000

/** The provider did not let the person sign in, or the person declined. */
export class SignInRefusal extends Data.TaggedError("SignInRefusal")<{ readonly reason: string }> {}

/** The answer is for another sign-in, or has been used. */
export class StaleAnswer extends Data.TaggedError("StaleAnswer")<{}> {}

/** The provider cannot be reached, or its answers are not those of OpenID Connect. */
export class ProviderUnavailable extends Data.TaggedError("ProviderUnavailable")<{
  readonly cause: unknown
}> {}

/** Whether an issuer's address is safe: by https, or by http on the same machine. */
export const isSafeIssuer = (issuer: string): boolean => {
  const { hostname, protocol } = new URL(issuer)
  return protocol === "https:" || isLoopback(hostname)
}

/** Reads an answer up to the limit. */
const limitedFetch: OpenId.CustomFetch = async (url, options) => {
  // The library has a type of its own for the standard's options.
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

/** The secret in the header, as RFC 6749 prefers, or in the body for a provider that accepts it only there. */
const clientAuth = (secret: string): OpenId.ClientAuth => (server, client, body, headers) => {
  const methods = server.token_endpoint_auth_methods_supported ?? ["client_secret_basic"]
  const method = methods.includes("client_secret_basic") ? OpenId.ClientSecretBasic : OpenId.ClientSecretPost
  method(secret)(server, client, body, headers)
}

/** Reads the provider's metadata; rejects if it is not suitable. */
const discover = async (config: ProviderConfig): Promise<OpenId.Configuration> => {
  const insecure = isLoopback(new URL(config.issuer).hostname) ? [OpenId.allowInsecureRequests] : []
  const configuration = await OpenId.discovery(
    new URL(config.issuer),
    config.clientId,
    undefined,
    clientAuth(Redacted.value(config.clientSecret)),
    {
      [OpenId.customFetch]: limitedFetch,
      // By default, the library does not check the signature of an ID token, because it comes over TLS.
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

/** The claims about a person: from the ID token or, if it has no e-mail address, from the provider's user info endpoint. */
const claimsOf = async (
  config: OpenId.Configuration,
  tokens: OpenId.TokenEndpointResponse & OpenId.TokenEndpointResponseHelpers
): Promise<OpenId.IDToken | OpenId.UserInfoResponse> => {
  const claims = tokens.claims()!
  return claims["email"] !== undefined || config.serverMetadata().userinfo_endpoint === undefined
    ? claims
    : OpenId.fetchUserInfo(config, tokens.access_token, claims.sub)
}

const failureOf = (cause: unknown): SignInRefusal | StaleAnswer | ProviderUnavailable => {
  if (cause instanceof OpenId.AuthorizationResponseError) return new SignInRefusal({ reason: cause.error })
  return cause instanceof OpenId.ResponseBodyError && cause.error === "invalid_grant"
    ? new StaleAnswer()
    : new ProviderUnavailable({ cause })
}

/** The provider's metadata. The last answer is used until there is a newer one. */
const metadataOf = (config: ProviderConfig): (now: () => number) => Promise<OpenId.Configuration> => {
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

/** Makes the client of a provider, which sends browsers back to `callback` after signing in, and to `signIn` after signing out. */
export const make = (config: ProviderConfig, callback: string, signIn: string) => {
  const configuration = metadataOf(config)

  const request = <A>(ask: (configuration: OpenId.Configuration) => A | Promise<A>) =>
    Clock.clockWith((clock) =>
      Effect.tryPromise({
        try: async () => ask(await configuration(() => clock.currentTimeMillisUnsafe())),
        catch: failureOf
      })
    )

  /** Runs a request that needs only the metadata: any failure means that the provider is unavailable. */
  const withMetadata = <A>(ask: (configuration: OpenId.Configuration) => A | Promise<A>) =>
    Effect.mapError(
      request(ask),
      (error) => error instanceof ProviderUnavailable ? error : new ProviderUnavailable({ cause: error })
    )

  return {
    /** The host, for people. */
    host: new URL(config.issuer).host,
    /** The address to which a browser is sent to sign in. */
    begin: (secret: string) =>
      withMetadata(async (configuration) => {
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
    /** Whether a query is an answer to the sign-in with this secret; makes no request to the provider. */
    answers: (secret: string, query: string): boolean =>
      new URLSearchParams(query).get("state") === checksOf(secret).expectedState,
    /** The person who has signed in, from the query with which the provider sent the browser back. */
    finish: (secret: string, query: string) =>
      request(async (configuration): Promise<Identity> => {
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
    /** The address to which a browser is sent to sign out at the provider too; `undefined` if the provider has none. */
    end: withMetadata((configuration) =>
      configuration.serverMetadata().end_session_endpoint === undefined
        ? undefined
        : OpenId.buildEndSessionUrl(configuration, {
          client_id: config.clientId,
          post_logout_redirect_uri: signIn
        }).href
    )
  }
}
