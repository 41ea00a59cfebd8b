/**
 * The cookie that holds the secret of a session (RFC 6265; D14.4). No script can read it, and no other site makes a
 * browser send it with a request that changes something.
 */
import { sessionSeconds } from "@dockline/core/internal/access/BrowserSessions"

/** The cookies of a dashboard at an address. */
export interface Cookies {
  /** The secret in a `Cookie` header; `undefined` when there is none. */
  readonly read: (header: string | undefined) => string | undefined
  /** The `Set-Cookie` header that keeps a secret. */
  readonly keep: (secret: string) => string
  /** The `Set-Cookie` header that removes it. */
  readonly remove: string
}

/**
 * Over https the name begins with `__Host-`: browsers then take the cookie only from this host, for all its paths, over
 * TLS. Over http, as on localhost, it has a plain name: Safari refuses such cookies there.
 */
export const make = (baseUrl: string): Cookies => {
  const isSecure = new URL(baseUrl).protocol === "https:"
  const name = isSecure ? "__Host-dockline-session" : "dockline-session"
  const attributes = `Path=/; HttpOnly; SameSite=Lax${isSecure ? "; Secure" : ""}`
  return {
    read: (header = "") =>
      header.split(";").map((pair) => pair.trim()).find((pair) => pair.startsWith(`${name}=`))
        ?.slice(name.length + 1),
    keep: (secret) => `${name}=${secret}; Max-Age=${sessionSeconds}; ${attributes}`,
    remove: `${name}=; Max-Age=0; ${attributes}`
  }
}
