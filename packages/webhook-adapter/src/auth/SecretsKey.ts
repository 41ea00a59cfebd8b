/**
 * Implements the vault of core with AES-256-GCM and keys from the settings: passwords and signing secrets of customers are stored
 * encrypted.
 *
 * Guarantee: a sealed secret opens only with the key and the context that sealed it, and only if it is unchanged. The first key seals and
 * all keys open, so a key can be replaced without losing the secrets that it sealed.
 */
import { SecretUnreadable } from "@dockline/core/values/OperatorErrors"
import { SecretsVault } from "@dockline/core/webhooks/SecretsVault"
import type { SealedText, WebhookKey } from "@dockline/core/webhooks/SecretsVault"
import { Effect, Layer, Redacted, Result } from "effect"
import { Buffer } from "node:buffer"
import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createPrivateKey,
  createPublicKey,
  createSecretKey,
  hkdfSync,
  randomBytes,
  sign
} from "node:crypto"
import type { KeyObject } from "node:crypto"
import { InvalidConfig } from "../WebhookConfig.ts"

const keyBytes = 32
const nonceBytes = 12
const tagBytes = 16

/** The version with which a sealed secret begins. Its form is `1.<key>.<nonce, text and tag in base64url>`. */
const version = "1"

/** Reads the setting: keys of 32 bytes in base64, the newest first, separated by commas. */
export const parse = (text: string): Result.Result<ReadonlyArray<Redacted.Redacted>, InvalidConfig> => {
  const keys = text.split(",").map((key) => Redacted.make(key.trim()))
  return Result.map(prepare(keys), () => keys)
}

/** The vault with the given keys, each 32 bytes in base64, the newest first. */
export const layer = (keys: ReadonlyArray<Redacted.Redacted>): Layer.Layer<SecretsVault, InvalidConfig> =>
  Layer.effect(SecretsVault, Effect.fromResult(Result.map(prepare(keys), vaultOf)))

interface Key {
  /** Identifies the key in sealed secrets without revealing it. */
  readonly id: string
  readonly key: KeyObject
  readonly webhookKeyOf: (business: string) => WebhookKey
}

type Keys = readonly [Key, ...ReadonlyArray<Key>]

const prepare = (texts: ReadonlyArray<Redacted.Redacted>): Result.Result<Keys, InvalidConfig> => {
  const keys: Array<Key> = []
  for (const [at, text] of texts.entries()) {
    const bytes = decode(Redacted.value(text))
    if (bytes === undefined) return Result.fail(malformed(texts.length === 1 ? "" : `key ${at + 1} `))
    keys.push({
      id: keyId(bytes),
      key: createSecretKey(bytes),
      webhookKeyOf: (business) => webhookKeyOf(bytes, business)
    })
  }
  const [first, ...others] = keys
  return first === undefined ? Result.fail(malformed("")) : Result.succeed([first, ...others])
}

const malformed = (which: string): InvalidConfig =>
  new InvalidConfig({
    setting: "secrets key",
    reason:
      `${which}must be base64 of ${keyBytes} random bytes; make one with: openssl rand -base64 ${keyBytes}`
  })

/** Decodes base64 as `openssl` writes it, or base64url; with or without padding. */
const decode = (text: string): Buffer | undefined => {
  const bytes = /^[A-Za-z0-9+/_-]{43}=?$/.test(text) ? Buffer.from(text, "base64") : undefined
  return bytes?.byteLength === keyBytes ? bytes : undefined
}

const keyId = (key: Buffer): string =>
  createHash("sha256").update("dockline secrets key ").update(key).digest("hex").slice(0, 8)

const vaultOf = (keys: Keys): SecretsVault["Service"] => ({
  seal: (secret, context) => Effect.sync(() => seal(keys[0], Redacted.value(secret), context)),
  open: (ciphertext, context) => Effect.fromResult(open(keys, ciphertext, context)),
  webhookKeys: (business) => keys.map(({ webhookKeyOf }) => webhookKeyOf(business))
})

/** The prefix of an Ed25519 private key of 32 bytes in PKCS #8 (RFC 8410). */
const pkcs8Head = Buffer.from("302e020100300506032b657004220420", "hex")

/**
 * The key that signs deliveries of a business, derived from a key of the vault (HKDF, RFC 5869). Every instance with these keys has it,
 * nothing is stored, and the derived key reveals nothing about the key of the vault.
 */
const webhookKeyOf = (key: Buffer, business: string): WebhookKey => {
  const seed = Buffer.from(hkdfSync("sha256", key, "", `dockline webhook key v1a ${business}`, keyBytes))
  const privateKey = createPrivateKey({ key: Buffer.concat([pkcs8Head, seed]), format: "der", type: "pkcs8" })
  const { x = "" } = createPublicKey(privateKey).export({ format: "jwk" })
  const publicKey = Buffer.from(x, "base64url")
  return {
    id: createHash("sha256").update(publicKey).digest("hex").slice(0, 16),
    publicKey: publicKey.toString("base64"),
    sign: (text) => sign(null, Buffer.from(text, "utf8"), privateKey).toString("base64")
  }
}

/** The data that bind a sealed secret to its context and to the id of its key, so that neither can be exchanged. */
const associatedData = (id: string, context: string): Buffer =>
  Buffer.from(`${version}.${id}.${context}`, "utf8")

/** Seals a secret. No other function makes a `SealedText`. */
const seal = ({ id, key }: Key, secret: string, context: string): SealedText => {
  const nonce = randomBytes(nonceBytes)
  const cipher = createCipheriv("aes-256-gcm", key, nonce, { authTagLength: tagBytes })
  cipher.setAAD(associatedData(id, context))
  const bytes = Buffer.concat([nonce, cipher.update(secret, "utf8"), cipher.final(), cipher.getAuthTag()])
  return `${version}.${id}.${bytes.toString("base64url")}` as SealedText
}

const open = (
  keys: Keys,
  ciphertext: string,
  context: string
): Result.Result<Redacted.Redacted, SecretUnreadable> => {
  const unreadable = (reason: string) => Result.fail(new SecretUnreadable({ reason }))
  const [, id, base64] = /^1\.([0-9a-f]{8})\.([\w-]+)$/.exec(ciphertext) ?? []
  if (id === undefined || base64 === undefined) return unreadable("it is not in the form of a sealed secret")
  const key = keys.find((key) => key.id === id)
  if (key === undefined) return unreadable(`it was encrypted with another key (${id})`)
  const bytes = Buffer.from(base64, "base64url")
  if (bytes.byteLength < nonceBytes + tagBytes) return unreadable("it is damaged")
  const decipher = createDecipheriv("aes-256-gcm", key.key, bytes.subarray(0, nonceBytes), {
    authTagLength: tagBytes
  })
  decipher.setAAD(associatedData(id, context))
  decipher.setAuthTag(bytes.subarray(-tagBytes))
  try {
    const text = Buffer.concat([decipher.update(bytes.subarray(nonceBytes, -tagBytes)), decipher.final()])
    return Result.succeed(Redacted.make(text.toString("utf8")))
  } catch {
    return unreadable("it is damaged, or was sealed for something else")
  }
}
