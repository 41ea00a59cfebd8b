/**
 * The cookies of the dashboard (RFC 6265; D14.4): the secret of a session, that of a sign-in under way at a provider, and a choice. No
 * script can read them, and no other site makes a browser send them with a request that changes something.
 */
import { sessionSeconds } from "@dockline/core/internal/access/BrowserSessions"

/** One cookie of a dashboard at an address. */
export interface Cookie {
  /** The value in a `Cookie` header; `undefined` when there is none. */
  readonly read: (header: string | undefined) => string | undefined
  /** The `Set-Cookie` header that keeps a value. */
  readonly keep: (value: string) => string
  /** The `Set-Cookie` header that removes it. */
  readonly remove: string
}

/** The cookies of a dashboard at an address. */
export interface Cookies {
  readonly session: Cookie
  /** The secret of a sign-in under way at a provider, and where it leads. */
  readonly signIn: Cookie
  /** Holds the entries between which a person who has signed in at a provider must choose. */
  readonly choice: Cookie
}

/** The time for signing in at a provider, in seconds. */
export const signInSeconds = 600

/** The time to choose an entry, in seconds. */
export const choiceSeconds = 300

export const make = (baseUrl: string): Cookies => ({
  session: cookie(baseUrl, "session", sessionSeconds),
  signIn: cookie(baseUrl, "sign-in", signInSeconds),
  choice: cookie(baseUrl, "choice", choiceSeconds)
})

/**
 * Over https a name begins with `__Host-`: browsers then take the cookie only from this host, for all its paths, over
 * TLS. Over http, as on localhost, it has a plain name: Safari refuses such cookies there.
 */
const cookie = (baseUrl: string, purpose: string, seconds: number): Cookie => {
  const isSecure = new URL(baseUrl).protocol === "https:"
  const name = `${isSecure ? "__Host-" : ""}dockline-${purpose}`
  const attributes = `Path=/; HttpOnly; SameSite=Lax${isSecure ? "; Secure" : ""}`
  return {
    read: (header = "") =>
      header.split(";").map((pair) => pair.trim()).find((pair) => pair.startsWith(`${name}=`))
        ?.slice(name.length + 1),
    keep: (value) => `${name}=${value}; Max-Age=${seconds}; ${attributes}`,
    remove: `${name}=; Max-Age=0; ${attributes}`
  }
}
