/**
 * Unfinished sign-ins at a provider, stored in a cookie of the browser (D14.4): the sign-in itself, and the choice among the people whom
 * the provider's answer matches. Each expires.
 */
import { Option, Schema } from "effect"
import type { Purpose, Seal } from "./Seal.ts"

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
