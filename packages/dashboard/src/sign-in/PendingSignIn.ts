/**
 * A sign-in under way at a provider, as the cookie of its browser has it (D14.4). It is taken until its end.
 */
import type { Seal } from "./Seal.ts"

/** A sign-in under way. */
export interface PendingSignIn {
  /** What only the browser and the service know: state, nonce and PKCE verifier are derived from it. */
  readonly secret: string
  /** The path that the sign-in leads to. */
  readonly next: string
  /** When it ends, in milliseconds since 1970. */
  readonly expiresAt: number
}

/** What a cookie may hold without being cut by browsers. */
export const maxPathLength = 2000

const pattern = /^([\w-]{43})\.(\d{13})\.([\w-]*)$/

/** The value of the cookie. */
export const close = (seal: Seal, { expiresAt, next, secret }: PendingSignIn): string => {
  const path = Buffer.from(next.length > maxPathLength ? "" : next).toString("base64url")
  return seal.close("sign-in", `${secret}.${expiresAt}.${path}`)
}

/** The sign-in of a cookie; `undefined` for one that the service did not make, or that has ended. */
export const open = (seal: Seal, cookie: string | undefined, now: number): PendingSignIn | undefined => {
  const [, secret = "", end = "", path = ""] = pattern.exec(seal.open("sign-in", cookie ?? "") ?? "") ?? []
  const expiresAt = Number(end)
  return now < expiresAt
    ? { secret, expiresAt, next: Buffer.from(path, "base64url").toString() }
    : undefined
}
