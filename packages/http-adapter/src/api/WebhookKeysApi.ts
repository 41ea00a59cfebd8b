/** The route of the keys by which receivers of webhooks verify signatures without a secret (D15.3). */
import { InvalidParameter } from "@dockline/core/Errors"
import { slug } from "@dockline/core/internal/values/Field"
import { Overloaded, Stopping } from "@dockline/core/RequestErrors"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { problems } from "./ApiErrors.ts"
import { about, text } from "./ApiSchemas.ts"

/** A JSON Web Key Set (RFC 7517) of keys of Ed25519 (RFC 8037). */
export const WebhookKeySet = Schema.Struct({
  keys: Schema.Array(
    Schema.Struct({
      kty: Schema.Literal("OKP").annotate({ description: "Always OKP" }),
      crv: Schema.Literal("Ed25519").annotate({ description: "Always Ed25519" }),
      kid: text("The key's id"),
      use: Schema.Literal("sig").annotate({ description: "Always sig" }),
      alg: Schema.Literal("EdDSA").annotate({ description: "Always EdDSA" }),
      x: text("The public key, in base64url"),
      publicKey: text("The public key as Standard Webhooks writes it: whpk_ and base64")
    })
  ).annotate({ description: "The keys that sign deliveries of the business now, the newest first" })
}).annotate({ identifier: "WebhookKeySet" })

/** The keys of webhooks, for receivers. */
export class WebhookKeys extends HttpApiGroup.make("webhook-keys")
  .add(
    HttpApiEndpoint.get("readWebhookKeys", "/.well-known/webhook-keys", {
      query: { business: slug("Slug of the business whose deliveries are verified") },
      success: WebhookKeySet,
      error: problems(InvalidParameter, Overloaded, Stopping)
    }).annotateMerge(about(
      "Read the public keys that sign deliveries",
      "For receivers that verify the signature v1a of Standard Webhooks: each of these keys has signed each delivery of the business to endpoints that ask for it. No other business has them."
    ))
  )
  .annotateMerge(OpenApi.annotations({
    title: "Webhook keys",
    description: "The public keys that verify webhooks without a secret"
  }))
{}
