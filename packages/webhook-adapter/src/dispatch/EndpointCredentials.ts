/**
 * The decrypted credentials of an endpoint: its authentication, the keys that sign its deliveries, and its own headers (D9.1, D9.5, D15.3).
 */
import { PayloadProfiles } from "@dockline/core/places/MessageField"
import type { PayloadProfile } from "@dockline/core/places/MessageField"
import { SecretUnreadable } from "@dockline/core/values/OperatorErrors"
import { secretsContext, SecretsVault } from "@dockline/core/webhooks/SecretsVault"
import type { WebhookKey } from "@dockline/core/webhooks/SecretsVault"
import type { WebhookEndpoint } from "@dockline/core/webhooks/WebhookEndpoint"
import { Data, Effect, Redacted, Result } from "effect"
import type { Clock } from "effect"
import { Buffer } from "node:buffer"
import { createHmac, createSecretKey } from "node:crypto"
import type { KeyObject } from "node:crypto"
import { CustomerAuth } from "../auth/CustomerAuth.ts"
import type { EndpointAuth } from "../auth/EndpointAuth.ts"

/**
 * Signs deliveries as Standard Webhooks defines: `v1,` and the base64 of the HMAC-SHA256 over id, time and body; with keys also `v1a,` and
 * the base64 of an Ed25519 signature over the same text. While secrets and keys rotate, there is one signature for each of them (D9.5,
 * D15.3). The arguments are `webhook-id`, the time in milliseconds since 1970, and the body.
 */
export type Sign = (id: string, now: number, body: string) => string

/** A secret is `whsec_` and base64; `until` is in milliseconds since 1970. */
export interface OpenedSecret {
  readonly secret: Redacted.Redacted
  readonly until: number
}

/** Makes a signer. The secret that is valid longest always signs; the other secrets sign while they are valid, in any order. */
export const signer = (
  secrets: ReadonlyArray<OpenedSecret>,
  webhookKeys: ReadonlyArray<WebhookKey> = []
): Result.Result<Sign, SecretUnreadable> => {
  const keys: Array<{ readonly key: KeyObject; readonly until: number }> = []
  for (const { secret, until } of secrets) {
    const bytes = decode(Redacted.value(secret))
    if (bytes === undefined) {
      return Result.fail(new SecretUnreadable({ reason: "a signing secret is not whsec_ and base64" }))
    }
    keys.push({ key: createSecretKey(bytes), until })
  }
  const latest = Math.max(...keys.map(({ until }) => until))
  return Result.succeed((id, now, body) => {
    const content = `${id}.${Math.floor(now / 1000)}.${body}`
    let signatures = ""
    for (const { key, until } of keys) {
      if (until <= now && until < latest) continue
      const signature = createHmac("sha256", key).update(content, "utf8").digest("base64")
      signatures = signatures === "" ? `v1,${signature}` : `${signatures} v1,${signature}`
    }
    for (const { sign } of webhookKeys) signatures += ` v1a,${sign(content)}`
    return signatures
  })
}

/** The forms in which a server may repeat a secret: as it was entered, and its key in base64 and base64url. */
export const keyForms = (secret: Redacted.Redacted): ReadonlyArray<string> => {
  const text = Redacted.value(secret)
  const key = text.replace(/^whsec_/, "")
  return [text, key, key.replaceAll("=", ""), Buffer.from(key, "base64").toString("base64url")]
}

const decode = (secret: string): Buffer | undefined => {
  const base64 = /^whsec_([A-Za-z0-9+/]+={0,2})$/.exec(secret)?.[1]
  if (base64 === undefined) return undefined
  const bytes = Buffer.from(base64, "base64")
  return bytes.toString("base64") === base64 ? bytes : undefined
}

export interface EndpointCredentials {
  readonly endpoint: WebhookEndpoint
  /** The profile of the payloads for the endpoint. */
  readonly profile: PayloadProfile
  readonly auth: EndpointAuth
  readonly sign: Sign
  /** The decrypted headers of the endpoint. */
  readonly headers: Readonly<Record<string, string>>
  /** The signing secrets and the values of headers, which no record of an answer may show; the authorization has further secrets. */
  readonly secrets: ReadonlyArray<string>
}

/** The service lacks the profile of payloads of an endpoint, so nothing can be sent there. */
export class ProfileMissing extends Data.TaggedError("ProfileMissing")<{ readonly error: string }> {}

/** Decrypts the credentials of an endpoint. Keeps the token of `before` if the authentication has not changed. */
export type OpenCredentials = (
  endpoint: WebhookEndpoint,
  before: EndpointCredentials | undefined
) => Effect.Effect<EndpointCredentials, SecretUnreadable | ProfileMissing>

/** Makes the function that decrypts credentials. Secrets expire by this clock. */
export const makeOpen = Effect.fnUntraced(
  function*(clock: Clock.Clock): Effect.fn.Return<OpenCredentials, never, SecretsVault | CustomerAuth> {
    const vault = yield* SecretsVault
    const customerAuth = yield* CustomerAuth
    const profiles = yield* PayloadProfiles
    return Effect.fnUntraced(function*(endpoint, before) {
      const { business, payloadProfile } = endpoint
      const profile = profiles.find(({ name }) => name === payloadProfile)
      if (profile === undefined) {
        return yield* new ProfileMissing({
          error: `this service has no payload profile ${payloadProfile}`
        })
      }
      const context = secretsContext(business)
      const now = clock.currentTimeMillisUnsafe()
      const secrets: Array<OpenedSecret> = []
      for (const { sealed, validUntil } of endpoint.signingSecrets) {
        const until = validUntil === null ? Infinity : Date.parse(validUntil)
        // Expired secrets are not opened: the key that sealed them may have been removed.
        if (now < until) secrets.push({ secret: yield* vault.open(sealed, context), until })
      }
      const headers: Record<string, string> = {}
      for (const { name, sealed } of endpoint.headers) {
        headers[name] = Redacted.value(yield* vault.open(sealed, context))
      }
      const auth = before !== undefined && isSameAuthentication(endpoint, before.endpoint)
        ? before.auth
        : yield* customerAuth.open(endpoint)
      const sign = yield* Effect.fromResult(
        signer(secrets, endpoint.signatures.includes("v1a") ? vault.webhookKeys(business) : [])
      )
      return {
        endpoint,
        profile,
        auth,
        sign,
        headers,
        // The value of a header may be a scheme with a key, and an answer may show only the key.
        secrets: [
          ...secrets.flatMap(({ secret }) => keyForms(secret)),
          ...Object.values(headers).flatMap((value) =>
            Array.from(new Set([value, value.split(" ").at(-1) ?? value]))
          )
        ]
      }
    })
  }
)

const isSameAuthentication = (left: WebhookEndpoint, right: WebhookEndpoint): boolean =>
  left.business === right.business &&
  JSON.stringify(left.authentication) === JSON.stringify(right.authentication)
