/**
 * Seals texts that the service gives a browser in a cookie, and that have to come back unchanged (D14.4).
 *
 * Guarantee: only texts that the service has made are accepted, unchanged and for their own purpose. All instances of the service have the
 * same key.
 */
import { Effect, Redacted } from "effect"
import { createHmac, scrypt, timingSafeEqual } from "node:crypto"
import type { ProviderConfig } from "../DashboardConfig.ts"

/** The purpose of a sealed text. */
export type Purpose = "sign-in" | "choice"

/**
 * Makes the seal of a service at a provider. A slow function derives its key from the secret that the provider has given the service,
 * because anyone with a cookie can test guesses of that secret.
 */
export const make = ({ clientId, clientSecret, issuer }: ProviderConfig) =>
  Effect.map(keyOf(Redacted.value(clientSecret), `dockline sign-in ${issuer} ${clientId}`), (key) => {
    const codeOf = (purpose: Purpose, text: string): Buffer =>
      createHmac("sha256", key).update(`${purpose} ${text}`).digest()
    return {
      /** The text, with a code that authenticates it and its purpose. */
      close: (purpose: Purpose, text: string): string =>
        `${text}.${codeOf(purpose, text).toString("base64url")}`,
      /** The text; `undefined` if the service did not seal it for this purpose. */
      open: (purpose: Purpose, ciphertext: string): string | undefined => {
        const [, text = "", code = ""] = /^(.*)\.([\w-]{43})$/.exec(ciphertext) ?? []
        return timingSafeEqual(codeOf(purpose, text), codeBytes(code)) ? text : undefined
      }
    }
  })

export type Seal = Effect.Success<ReturnType<typeof make>>

/** The bytes of a code, always 32, so that codes can be compared in constant time. */
const codeBytes = (code: string): Buffer => {
  const bytes = Buffer.alloc(32)
  bytes.write(code, "base64url")
  return bytes
}

const keyOf = (secret: string, salt: string): Effect.Effect<Buffer> =>
  Effect.callback((resume) => {
    scrypt(secret, salt, 32, (error, key) => resume(error === null ? Effect.succeed(key) : Effect.die(error)))
  })
