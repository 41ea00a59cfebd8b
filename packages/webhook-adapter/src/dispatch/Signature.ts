/**
 * Signs deliveries as Standard Webhooks defines: `v1,` and base64 of the HMAC-SHA256 over id, time and body, and where keys are given
 * `v1a,` and base64 of an Ed25519 signature of the same; while secrets and keys rotate, one signature for each (D9.5, D15.3).
 */
import { SecretUnreadable } from "@dockline/core/values/OperatorErrors"
import type { WebhookKey } from "@dockline/core/webhooks/SecretsVault"
import { Redacted, Result } from "effect"
import { Buffer } from "node:buffer"
import { createHmac, createSecretKey } from "node:crypto"
import type { KeyObject } from "node:crypto"

/** Returns the value of `webhook-signature` for this `webhook-id`, time in milliseconds since 1970, and body. */
export type Sign = (id: string, now: number, body: string) => string

/** A secret is `whsec_` and base64; `until` is in milliseconds since 1970. */
export interface OpenedSecret {
  readonly secret: Redacted.Redacted
  readonly until: number
}

/** The newest secret comes first and always signs; the others sign while they are valid. */
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
  return Result.succeed((id, now, body) => {
    const content = `${id}.${Math.floor(now / 1000)}.${body}`
    let signatures = ""
    for (const { key, until } of keys) {
      if (signatures !== "" && until <= now) break
      const signature = createHmac("sha256", key).update(content, "utf8").digest("base64")
      signatures = signatures === "" ? `v1,${signature}` : `${signatures} v1,${signature}`
    }
    for (const { sign } of webhookKeys) signatures += ` v1a,${sign(content)}`
    return signatures
  })
}

/** The forms in which a server may repeat a secret: as it was given, and its key in base64. */
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
