/**
 * Issues and verifies access tokens.
 *
 * Guarantee: a verified token was signed by a key that is valid now, for this issuer and audience, and has not expired by the clock of
 * Effect. It names a client, and nothing about the permissions of the client (D10.2, D10.3). A token never chooses the algorithm, and no
 * key is ever taken from a token.
 */
import type { SigningKeyStore } from "@dockline/core/access/Authenticator"
import { Unauthenticated } from "@dockline/core/values/Errors"
import type { StorageUnavailable } from "@dockline/core/values/Errors"
import type { IssuerUnavailable } from "@dockline/core/values/RequestErrors"
import { Clock, Context, Effect, Layer } from "effect"
import { errors, jwtVerify, SignJWT } from "jose"
import type { JWK, JWTHeaderParameters, JWTPayload, JWTVerifyOptions } from "jose"
import { Buffer } from "node:buffer"
import type { IssuerMetadata } from "../api/TokenApi.ts"
import { dropOldest } from "./RateLimits.ts"
import * as TokenKeys from "./TokenKeys.ts"
import type { KeyRing, KeySet } from "./TokenKeys.ts"

/** The largest token that is examined, in characters: 8 KiB. */
export const tokenSizeLimit = 8192

/** An external issuer, whose tokens are accepted instead of the service's own. */
export interface ExternalIssuer {
  /** The `iss` of its tokens. */
  readonly issuer: string
  /** The `aud` of its tokens, or a member of it. */
  readonly audience: string
  /** The address of its JSON Web Key Set. */
  readonly jwksUrl: string
  /**
   * The claim that names the client, `client_id` if absent. A token without this claim is refused. No other claim replaces it: a token of a
   * user that an application obtained must not act as the application.
   */
  readonly clientClaim?: string
}

/** The seconds by which the clock of an external issuer may differ from ours, for `exp` and `nbf`. */
const clockTolerance = 5

/** Settings of the tokens. */
export interface TokensConfig {
  /** `iss` of the service's own tokens: the address of the token service. */
  readonly issuer: string
  /** `aud` of the service's own tokens, and the audience to request: `{base_url}/public_graphql`. */
  readonly audience: string
  /** Further addresses of the service that a request for a token may name as audience; the token is the same. None if absent. */
  readonly otherAudiences?: ReadonlyArray<string>
  /** How long a token is valid. */
  readonly lifetimeSeconds: number
  /** How many verified tokens are remembered. */
  readonly cacheCapacity: number
  /** If set, only tokens of this issuer are accepted, and none are issued. */
  readonly external: ExternalIssuer | undefined
}

/**
 * The default settings: tokens are valid for 86,400 seconds (D10.1), 10,000 verified tokens are cached, and there is no external issuer.
 */
export const defaultTokensConfig: Omit<TokensConfig, "issuer" | "audience"> = {
  lifetimeSeconds: 86_400,
  cacheCapacity: 10_000,
  external: undefined
}

/** A newly issued token. */
export interface IssuedToken {
  readonly accessToken: string
  /** The lifetime of the token, in seconds. */
  readonly expiresIn: number
}

/** A verified token. */
export interface VerifiedToken {
  readonly clientId: string
  /** When the token expires, in milliseconds since 1970. */
  readonly expiresAt: number
}

const metadataOf = (issuer: string): IssuerMetadata => ({
  issuer,
  token_endpoint: `${issuer}/oauth/token`,
  jwks_uri: `${issuer}/.well-known/jwks.json`,
  grant_types_supported: ["client_credentials"],
  // The RFC requires this member; it is empty because no person signs in.
  response_types_supported: [],
  token_endpoint_auth_methods_supported: ["client_secret_basic", "client_secret_post"]
})

/** Access tokens. */
export class Tokens extends Context.Service<Tokens, {
  /** The audience of tokens. */
  readonly audience: string
  /** Whether a request for a token may have this audience. */
  readonly isAudience: (audience: string) => boolean
  /** The external issuer, if it issues the tokens. */
  readonly externalIssuer: string | undefined
  /** The metadata of the issuer (RFC 8414); `undefined` for an external issuer, which publishes its own. */
  readonly metadata: IssuerMetadata | undefined
  /** Issues a token to an authenticated client. With an external issuer, this is a defect. */
  readonly issue: (clientId: string) => Effect.Effect<IssuedToken, StorageUnavailable>
  /** Verifies a token. The client that it names may be unknown or disabled: ask `Clients.principal`. */
  readonly verify: (token: string) => Effect.Effect<
    VerifiedToken,
    Unauthenticated | StorageUnavailable | IssuerUnavailable
  >
  /** The public keys of the service as a JSON Web Key Set; empty before the first token, or with an external issuer. */
  readonly jwks: Effect.Effect<{ readonly keys: ReadonlyArray<JWK> }, StorageUnavailable>
}>()("@dockline/http-adapter/tokens/Tokens") {
  /** Tokens with the keys of the store, or of the external issuer. */
  static readonly layer = (config: TokensConfig): Layer.Layer<Tokens, never, SigningKeyStore> =>
    Layer.effect(Tokens, config.external === undefined ? own(config) : external(config, config.external))
}

const own = Effect.fnUntraced(function*(config: TokensConfig) {
  const { ring, signer } = yield* TokenKeys.own(config.lifetimeSeconds)

  const issue = Effect.fn("Tokens.issue")(function*(clientId: string) {
    const { kid, key } = yield* signer
    const now = Math.floor((yield* Clock.currentTimeMillis) / 1000)
    const token = new SignJWT({ client_id: clientId })
      .setProtectedHeader({ alg: TokenKeys.algorithm, typ: "at+jwt", kid })
      .setIssuer(config.issuer)
      .setSubject(clientId)
      .setAudience(config.audience)
      .setIssuedAt(now)
      .setExpirationTime(now + config.lifetimeSeconds)
      .setJti(crypto.randomUUID())
    return { accessToken: yield* Effect.promise(() => token.sign(key)), expiresIn: config.lifetimeSeconds }
  })

  const verify = verifier(ring, config.cacheCapacity, {
    options: {
      algorithms: [TokenKeys.algorithm],
      typ: "at+jwt",
      issuer: config.issuer,
      audience: config.audience,
      requiredClaims: ["exp", "iat", "jti", "sub", "client_id"]
    },
    // A header without `kid` would match a set of one key.
    clientId: ({ kid }, { sub, client_id: clientId }) =>
      typeof kid === "string" && clientId === sub ? nonEmpty(sub) : undefined
  })

  return Tokens.of({
    audience: config.audience,
    isAudience: (audience) =>
      audience === config.audience || config.otherAudiences?.includes(audience) === true,
    externalIssuer: undefined,
    metadata: metadataOf(config.issuer),
    issue,
    verify,
    jwks: Effect.map(ring.current, ({ jwks }) => ({ keys: jwks }))
  })
})

const external = Effect.fnUntraced(function*(config: TokensConfig, issuer: ExternalIssuer) {
  const ring = yield* TokenKeys.external(issuer.jwksUrl)
  const clientClaim = issuer.clientClaim ?? "client_id"
  return Tokens.of({
    audience: issuer.audience,
    isAudience: (audience) => audience === issuer.audience,
    externalIssuer: issuer.issuer,
    metadata: undefined,
    issue: () => Effect.die(new Error("Tokens come from an external issuer; none are issued here")),
    verify: verifier(ring, config.cacheCapacity, {
      options: {
        algorithms: ["RS256", "ES256", "PS256", "EdDSA"],
        issuer: issuer.issuer,
        audience: issuer.audience,
        requiredClaims: ["exp"],
        clockTolerance
      },
      clientId: ({ typ }, claims) => isAccessTokenType(typ) ? nonEmpty(claims[clientClaim]) : undefined
    }),
    jwks: Effect.succeed({ keys: [] })
  })
})

const nonEmpty = (claim: unknown): string | undefined =>
  typeof claim === "string" && claim !== "" ? claim : undefined

/**
 * Whether a token is an access token. Many issuers do not follow RFC 9068, and write `JWT` or nothing; the check of the audience refuses
 * their id tokens.
 */
const isAccessTokenType = (typ: string | undefined): boolean =>
  typ === undefined || /^(application\/)?(at\+)?jwt$/i.test(typ)

/** Three parts in base64url. The decoder of jose also accepts spaces, which would give one token many spellings. */
const compactForm = /^[\w-]+\.[\w-]+\.[\w-]+$/

/**
 * Whether the signature has the spelling of an encoder. Otherwise the unused bits of its last character may differ, which would give one
 * token many spellings. The spelling of the other parts is signed.
 */
const isCanonical = (token: string): boolean => {
  const signature = token.slice(token.lastIndexOf(".") + 1)
  return Buffer.from(signature, "base64url").toString("base64url") === signature
}

interface Rules {
  readonly options: JWTVerifyOptions & { readonly clockTolerance?: number }
  /** The client that the claims of a token name, after its signature and standard claims were verified; `undefined` to refuse the token. */
  readonly clientId: (header: JWTHeaderParameters, claims: JWTPayload) => string | undefined
}

type Reason = NonNullable<Unauthenticated["reason"]>

/** The reason of a refusal. Claims are checked after the signature, so that nobody learns of them without a token of this service. */
const reasonOf = (error: unknown): Reason => {
  if (error instanceof errors.JWTExpired) return "expired"
  if (error instanceof errors.JWSInvalid || error instanceof errors.JWTInvalid) return "malformed"
  return error instanceof errors.JWTClaimValidationFailed && error.claim === "aud" ? "audience" : "invalid"
}

const verifier = <E>(ring: KeyRing<E>, capacity: number, rules: Rules) => {
  const memory = remembering(capacity)

  const check = (token: string, keys: KeySet): Effect.Effect<VerifiedToken | Reason | "unknown key"> =>
    Clock.clockWith((clock) => {
      const now = clock.currentTimeMillisUnsafe()
      if (!compactForm.test(token) || !isCanonical(token)) return Effect.succeed("malformed")
      return Effect.promise(async () => {
        try {
          const currentDate = new Date(now)
          const result = await jwtVerify(token, keys.resolve, { ...rules.options, currentDate })
          const clientId = rules.clientId(result.protectedHeader, result.payload)
          const { exp = 0 } = result.payload
          const expiresAt = (exp + (rules.options.clockTolerance ?? 0)) * 1000
          return clientId === undefined ? "invalid" : memory.add(token, keys, { clientId, expiresAt })
        } catch (error) {
          // A hostile token may make jose or the platform throw anything; then the token is refused.
          return error instanceof errors.JWKSNoMatchingKey ? "unknown key" : reasonOf(error)
        }
      })
    })

  const verify = Effect.fnUntraced(function*(token: string) {
    if (token.length > tokenSizeLimit) return yield* new Unauthenticated({ reason: "malformed" })
    const keys = yield* ring.current
    let outcome = yield* check(token, keys)
    if (outcome === "unknown key") {
      // Another instance, or the issuer, may have begun to sign with a new key.
      const keySet = yield* ring.renewal
      if (keySet !== keys) outcome = yield* check(token, keySet)
    }
    if (typeof outcome === "string") {
      return yield* new Unauthenticated({ reason: outcome === "unknown key" ? "invalid" : outcome })
    }
    return outcome
  })

  return (token: string) =>
    Clock.clockWith((clock) => {
      const keys = ring.fresh(clock)
      const hit = keys && memory.get(token, keys, clock.currentTimeMillisUnsafe())
      return hit === undefined ? verify(token) : Effect.succeed(hit)
    })
}

/**
 * The last verified tokens, because checking a signature is most of the cost of authenticating a request. An entry is valid until the token
 * expires, and only for the keys with which the token was verified.
 */
const remembering = (capacity: number) => {
  const entries = new Map<string, { readonly token: VerifiedToken; readonly keys: KeySet }>()
  return {
    get: (text: string, keys: KeySet, now: number): VerifiedToken | undefined => {
      const entry = entries.get(text)
      if (entry === undefined) return undefined
      // A map keeps the order of insertion: a token that is looked up moves to the end, and the first token is removed first.
      entries.delete(text)
      if (entry.keys !== keys || now >= entry.token.expiresAt) return undefined
      entries.set(text, entry)
      return entry.token
    },
    add: (text: string, keys: KeySet, token: VerifiedToken): VerifiedToken => {
      entries.delete(text)
      entries.set(text, { token, keys })
      dropOldest(entries, capacity)
      return token
    }
  }
}
