/** Tokens, and the keys that verify them, in the REST interface as data (D10.1, D10.2; RFC 6749, RFC 7517, RFC 8414). */
import { InvalidParameter, StorageUnavailable } from "@dockline/core/values/Errors"
import { slug } from "@dockline/core/values/Field"
import { Overloaded, Stopping } from "@dockline/core/values/RequestErrors"
import { graphqlPath } from "@dockline/wire/Path"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { about, count, problems, text } from "./ApiSchemas.ts"

const always = <const Word extends string>(word: Word) =>
  Schema.Literal(word).annotate({ description: `Always ${word}` })

/** A JSON Web Key Set (RFC 7517) of Ed25519 keys (RFC 8037). */
const WebhookKeySet = Schema.Struct({
  keys: Schema.Array(
    Schema.Struct({
      kty: always("OKP"),
      crv: always("Ed25519"),
      kid: text("The key's id"),
      use: always("sig"),
      alg: always("EdDSA"),
      x: text("The public key, in base64url"),
      publicKey: text("The public key as Standard Webhooks writes it: whpk_ and base64")
    })
  ).annotate({ description: "The keys that sign deliveries of the business now, the newest first" })
}).annotate({ identifier: "WebhookKeySet" })

/** The keys that verify webhooks, for receivers. */
export class WebhookKeys extends HttpApiGroup.make("webhook-keys")
  .add(
    HttpApiEndpoint.get("readWebhookKeys", "/.well-known/webhook-keys", {
      query: { business: slug("Slug of the business whose deliveries are verified") },
      success: WebhookKeySet,
      error: problems(InvalidParameter, Overloaded, Stopping)
    }).annotateMerge(about(
      "Read the public keys that sign deliveries",
      "For receivers that verify the signature v1a of Standard Webhooks: each of these keys has signed each delivery of the business to endpoints that use v1a. Every business has its own keys."
    ))
  )
  .annotateMerge(OpenApi.annotations({
    title: "Webhook keys",
    description: "The public keys that verify webhooks without a secret"
  }))
{}

/** The body of a refusal of the token endpoint (RFC 6749, section 5.2). */
export const TokenError = Schema.Struct({
  error: text("The code of RFC 6749, such as invalid_client"),
  error_description: Schema.optionalKey(text("The fault of this request, and the remedy"))
}).annotate({ identifier: "TokenError" })

export const TokenRequest = Schema.Struct({
  client_id: text("The client's id"),
  client_secret: text("One of its secrets"),
  audience: text(`The GraphQL API address, {base_url}${graphqlPath}`),
  grant_type: always("client_credentials")
}).annotate({ identifier: "TokenRequest" })

export const TokenResponse = Schema.Struct({
  access_token: text("The token: send it as Authorization: Bearer <access_token>"),
  token_type: always("Bearer"),
  expires_in: count("Lifetime of the token, in seconds"),
  scope: Schema.optionalKey(text("Empty, present if a scope was requested: no scopes exist"))
}).annotate({ identifier: "TokenResponse" })

/** The metadata of the issuer of tokens, for clients of OAuth (RFC 8414, section 2). */
const IssuerMetadata = Schema.Struct({
  issuer: text("`iss` of our tokens"),
  token_endpoint: text("Where tokens are requested"),
  jwks_uri: text("The public keys of our tokens"),
  grant_types_supported: Schema.Array(Schema.Literals(["client_credentials"])).annotate({
    description: "Client credentials, the grant for programs"
  }),
  response_types_supported: Schema.Array(Schema.String).annotate({
    description: "None: nobody signs in here"
  }),
  token_endpoint_auth_methods_supported: Schema.Array(
    Schema.Literals(["client_secret_basic", "client_secret_post"])
  ).annotate({ description: "Where id and secret may be: in Authorization, or in the body" })
}).annotate({ identifier: "IssuerMetadata" })

export type IssuerMetadata = typeof IssuerMetadata.Type

const JsonWebKeySet = Schema.Struct({
  keys: Schema.Array(
    Schema.Struct({
      kty: text("The kind of the key: RSA"),
      kid: text("The id of the key, as kid in the head of a token"),
      use: text("Its purpose: sig, signatures"),
      alg: text("The algorithm of the signatures"),
      n: text("The modulus, in base64url"),
      e: text("The exponent, in base64url")
    })
  ).annotate({ description: "The keys that verify tokens now" })
}).annotate({ identifier: "JsonWebKeySet" })

/** The errors of the token endpoint, with codes of RFC 6749 (sections 4.1.2.1 and 5.2) or RFC 8707 (section 2). */
export const tokenRefusals = [
  {
    status: 400,
    error: "invalid_request",
    when:
      "the body cannot be read, a parameter is missing, given twice or of a wrong type, or tokens are issued elsewhere: `error_description` names the issuer"
  },
  { status: 400, error: "unsupported_grant_type", when: "`grant_type` is not `client_credentials`" },
  { status: 400, error: "invalid_target", when: "`audience` is not the GraphQL API address of this service" },
  { status: 401, error: "invalid_client", when: "the client is unknown or disabled, or its secret is wrong" },
  { status: 413, error: "invalid_request", when: "the body is larger than the endpoint reads" },
  { status: 415, error: "invalid_request", when: "the body is neither JSON nor a form" },
  {
    status: 429,
    error: "temporarily_unavailable",
    when:
      "the client id was sent with a wrong secret too often from this address within a minute; repeat the request after Retry-After seconds"
  },
  {
    status: 500,
    error: "server_error",
    when: "the service failed; its operator finds the reason by the Correlation-Id"
  },
  {
    status: 503,
    error: "temporarily_unavailable",
    when: "the database cannot be reached at the moment, or the service has too much to do"
  }
] as const

/** An error of the token endpoint. */
export type TokenRefusal = (typeof tokenRefusals)[number]

const statuses = new Set(tokenRefusals.map(({ status }) => status))

export class Tokens extends HttpApiGroup.make("tokens")
  .add(
    HttpApiEndpoint.post("requestToken", "/oauth/token", {
      payload: [TokenRequest, TokenRequest.pipe(HttpApiSchema.asFormUrlEncoded())],
      success: TokenResponse,
      error: [
        ...problems(),
        ...Array.from(statuses, (status) => TokenError.pipe(HttpApiSchema.status(status)))
      ]
    }).annotateMerge(about(
      "Request an access token",
      "Client credentials grant. Keep the token and use it until shortly before it expires."
    ))
  )
  .annotateMerge(OpenApi.annotations({
    title: "Access tokens",
    description: "Start here: a client's id and secret for a bearer token"
  }))
{}

const describeIssuer = <const Name extends string, const Path extends `/${string}`>(name: Name, path: Path) =>
  HttpApiEndpoint.get(name, path, { success: IssuerMetadata, error: problems(Overloaded, Stopping) })
    .annotateMerge(about(
      "Find the token endpoint and the keys",
      "For OAuth clients that configure themselves. 404 if an external issuer issues the tokens."
    ))

/** The keys and the metadata of the issuer, for clients and for verifiers of tokens. */
export class Keys extends HttpApiGroup.make("keys")
  .add(
    describeIssuer("describeAuthorizationServer", "/.well-known/oauth-authorization-server"),
    describeIssuer("describeOpenIdProvider", "/.well-known/openid-configuration"),
    HttpApiEndpoint.get("listKeys", "/.well-known/jwks.json", {
      success: JsonWebKeySet,
      error: problems(Overloaded, Stopping, StorageUnavailable)
    }).annotateMerge(about(
      "Read the public keys of our tokens",
      "For programs that verify tokens themselves (RFC 7517). A key is listed until the last token that it signed has expired."
    ))
  )
  .annotateMerge(OpenApi.annotations({
    title: "Token keys",
    description: "The public keys that verify our access tokens"
  }))
{}
