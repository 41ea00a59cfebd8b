/**
 * Unfinished sign-ins at a provider, stored in a cookie of the browser (D14.4): the sign-in itself, and the choice among the people whom
 * the provider's answer matches. Each expires.
 *
 * Guarantee: only cookies that the service has made are accepted, unchanged and for their own purpose. All instances of the service have
 * the same key.
 */
import { Effect, Option, Redacted, Schema } from "effect"
import { createHmac, scrypt, timingSafeEqual } from "node:crypto"
import type { ProviderConfig } from "../DashboardConfig.ts"

/** The maximum length of a path as JSON: browsers drop cookies that are too long. */
const maxPathLength = 2000

const common = {
  /** The path of the page to open after the sign-in. */
  next: Schema.String,
  /** When the sign-in or the choice expires, in milliseconds since 1970. */
  expiresAt: Schema.Number
}

type Common = Schema.Struct.Type<typeof common>

const of = <A extends Common>(purpose: Purpose, schema: Schema.Codec<A>) => {
  const decode = Schema.decodeUnknownOption(Schema.fromJsonString(schema))
  return {
    /** The value of the cookie. */
    close: (seal: Seal, pending: A): string => {
      const { next } = pending
      const text = JSON.stringify({
        ...pending,
        next: JSON.stringify(next).length > maxPathLength ? "" : next
      })
      return seal.close(purpose, Buffer.from(text).toString("base64url"))
    },
    /** The content of a cookie; `undefined` for one that the service did not make, or that has expired. */
    open: (seal: Seal, cookie: string | undefined, now: number): A | undefined => {
      const text = seal.open(purpose, cookie ?? "")
      if (text === undefined) return undefined
      const pending = Option.getOrUndefined(decode(Buffer.from(text, "base64url").toString()))
      return pending !== undefined && now < pending.expiresAt ? pending : undefined
    }
  }
}

/** A sign-in. State, nonce and PKCE verifier are derived from its secret, which only the browser and the service know. */
export const signIn = of("sign-in", Schema.Struct({ ...common, secret: Schema.String }))

/** A choice among the people of an identity. Its random id ensures that it is used once. */
export const choice = of(
  "choice",
  Schema.Struct({
    ...common,
    id: Schema.String,
    /** The provider's statements about the person who chooses. */
    identity: Schema.Struct({ subject: Schema.String, email: Schema.NullOr(Schema.String) })
  })
)

/** The purpose of a sealed text. */
export type Purpose = "sign-in" | "choice"

/**
 * Makes the seal of a service at a provider. A slow function derives its key from the secret that the provider has given the service,
 * because anyone with a cookie can test guesses of that secret.
 */
export const sealOf = ({ clientId, clientSecret, issuer }: ProviderConfig) =>
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

export type Seal = Effect.Success<ReturnType<typeof sealOf>>

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
