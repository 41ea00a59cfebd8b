/**
 * The cookies of the dashboard (RFC 6265; D14.4): the secret of a session, the secret of an unfinished sign-in at a provider, and a choice.
 * No script can read them, and browsers do not send them with changing requests that another site initiates.
 */
import { sessionSeconds } from "@dockline/core/access/BrowserSessions"

/** The time for signing in at a provider, in seconds. */
export const signInSeconds = 600

/** The time to choose an entry, in seconds. */
export const choiceSeconds = 300

/** The cookies of a dashboard at an address. */
export const make = (baseUrl: string) => ({
  session: cookie(baseUrl, "session", sessionSeconds),
  /** The secret of an unfinished sign-in at a provider, and the page to return to. */
  signIn: cookie(baseUrl, "sign-in", signInSeconds),
  /** The identity of a person who has signed in at a provider and must choose an entry, and the page to return to. */
  choice: cookie(baseUrl, "choice", choiceSeconds)
})

export type Cookies = ReturnType<typeof make>

/**
 * Over https, a name begins with `__Host-`: browsers then accept the cookie only from this host, for all its paths, over TLS. Over http, as
 * on localhost, it has a plain name, because Safari refuses such cookies there.
 */
const cookie = (baseUrl: string, purpose: string, seconds: number) => {
  const isSecure = new URL(baseUrl).protocol === "https:"
  const name = `${isSecure ? "__Host-" : ""}dockline-${purpose}`
  const attributes = `Path=/; HttpOnly; SameSite=Lax${isSecure ? "; Secure" : ""}`
  return {
    /** The value in a `Cookie` header; `undefined` when there is none. */
    read: (header = ""): string | undefined =>
      header.split(";").map((pair) => pair.trim()).find((pair) => pair.startsWith(`${name}=`))
        ?.slice(name.length + 1),
    /** The `Set-Cookie` header that keeps a value. */
    keep: (value: string) => `${name}=${value}; Max-Age=${seconds}; ${attributes}`,
    /** The `Set-Cookie` header that removes it. */
    remove: `${name}=; Max-Age=0; ${attributes}`
  }
}
