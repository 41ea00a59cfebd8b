/**
 * Unfinished sign-ins at a provider, as the cookie of the browser holds them (D14.4): the sign-in itself, and the choice among the
 * people that the provider's answer matches. Each is valid until its end.
 */
import { Effect, Option, Redacted, Schema } from "effect"
import { createHmac, scrypt, timingSafeEqual } from "node:crypto"
import type { ProviderConfig } from "../DashboardConfig.ts"

/*
 * Texts that the service gives a browser in a cookie, and that come back unchanged (D14.4).
 *
 * Guarantee: only texts that the service has made are accepted, unchanged and for their own purpose. All instances have the key.
 */

/** What sealed texts are for. */
export type Purpose = "sign-in" | "choice"

/**
 * The seal of a service at a provider. Its key is derived from the secret that the provider has given the service, slowly: a
 * cookie tells who has it whether a guess of that secret is right.
 */
export const make = ({ clientId, clientSecret, issuer }: ProviderConfig) =>
  Effect.map(keyOf(Redacted.value(clientSecret), `dockline sign-in ${issuer} ${clientId}`), (key) => {
    const codeOf = (purpose: Purpose, text: string): Buffer =>
      createHmac("sha256", key).update(`${purpose} ${text}`).digest()
    return {
      /** The text and a code that fits it and its purpose. */
      close: (purpose: Purpose, text: string): string =>
        `${text}.${codeOf(purpose, text).toString("base64url")}`,
      /** The text; `undefined` for what the service did not seal for this purpose. */
      open: (purpose: Purpose, ciphertext: string): string | undefined => {
        const [, text = "", code = ""] = /^(.*)\.([\w-]{43})$/.exec(ciphertext) ?? []
        return timingSafeEqual(codeOf(purpose, text), codeBytes(code)) ? text : undefined
      }
    }
  })

export type Seal = Effect.Success<ReturnType<typeof make>>

/** 32 bytes, whatever the text. */
const codeBytes = (code: string): Buffer => {
  const bytes = Buffer.alloc(32)
  bytes.write(code, "base64url")
  return bytes
}

const keyOf = (secret: string, salt: string): Effect.Effect<Buffer> =>
  Effect.callback((resume) => {
    scrypt(secret, salt, 32, (error, key) => resume(error === null ? Effect.succeed(key) : Effect.die(error)))
  })

/** What a cookie may hold of it, as JSON, without being dropped by browsers. */
const maxPathLength = 2000

const common = {
  /** The path that the sign-in leads to. */
  next: Schema.String,
  /** When it ends, in milliseconds since 1970. */
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
    /** What the cookie holds; `undefined` for one that the service did not make, or that has ended. */
    open: (seal: Seal, cookie: string | undefined, now: number): A | undefined => {
      const text = seal.open(purpose, cookie ?? "")
      if (text === undefined) return undefined
      const pending = Option.getOrUndefined(decode(Buffer.from(text, "base64url").toString()))
      return pending !== undefined && now < pending.expiresAt ? pending : undefined
    }
  }
}

/** A sign-in; state, nonce and PKCE verifier are derived from its secret, which only the browser and the service know. */
export const signIn = of("sign-in", Schema.Struct({ ...common, secret: Schema.String }))

/** A choice among the people of an identity; it counts once, by its random id. */
export const choice = of(
  "choice",
  Schema.Struct({
    ...common,
    id: Schema.String,
    /** What the provider has said of who chooses. */
    identity: Schema.Struct({ subject: Schema.String, email: Schema.NullOr(Schema.String) })
  })
)
