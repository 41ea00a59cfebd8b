/**
 * Signatures of deliveries after Standard Webhooks: `v1,` and base64 of the HMAC-SHA256 over id, time and body; one
 * for each secret while rotating (D9.5).
 */
import { SecretUnreadable } from "@dockline/core/OperatorErrors"
import { Redacted, Result } from "effect"
import { Buffer } from "node:buffer"
import { createHmac, createSecretKey } from "node:crypto"
import type { KeyObject } from "node:crypto"
import type { Secret } from "../outbound/HiddenSecrets.ts"

/** The value of `webhook-signature` for a delivery: its `webhook-id`, its time in whole seconds, its body. */
export type Sign = (id: string, timestampSeconds: number, body: string) => string

/**
 * What signs with all the secrets given, each `whsec_` and base64, in their order; `SecretUnreadable` when one is not.
 * The keys are prepared here, so that signing is cheap.
 */
export const signer = (secrets: ReadonlyArray<Redacted.Redacted>): Result.Result<Sign, SecretUnreadable> => {
  const keys: Array<KeyObject> = []
  for (const secret of secrets) {
    const bytes = decode(Redacted.value(secret))
    if (bytes === undefined) {
      return Result.fail(new SecretUnreadable({ reason: "a signing secret is not whsec_ and base64" }))
    }
    keys.push(createSecretKey(bytes))
  }
  return Result.succeed((id, timestampSeconds, body) => {
    const content = `${id}.${timestampSeconds}.${body}`
    let signatures = ""
    for (const key of keys) {
      const signature = createHmac("sha256", key).update(content, "utf8").digest("base64")
      signatures = signatures === "" ? `v1,${signature}` : `${signatures} v1,${signature}`
    }
    return signatures
  })
}

/** The key of a secret as it is written and as it is: whoever repeats it may leave `whsec_` out, or write it in other digits. */
export const keyForms = (secret: Redacted.Redacted): ReadonlyArray<Secret> => {
  const text = Redacted.value(secret)
  const bytes = decode(text)
  return bytes === undefined ? [text] : [text, text.slice(prefix.length), bytes]
}

const prefix = "whsec_"

const decode = (secret: string): Buffer | undefined => {
  const encoded = /^whsec_([A-Za-z0-9+/]+={0,2})$/.exec(secret)?.[1]
  if (encoded === undefined) return undefined
  const bytes = Buffer.from(encoded, "base64")
  return bytes.toString("base64") === encoded ? bytes : undefined
}
