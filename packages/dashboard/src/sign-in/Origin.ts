/**
 * Tells requests of our own pages from those that another site made a browser send (D14.4). Browsers name the origin of
 * a page in each unsafe request and in each opening of a socket, and no page can change it.
 */

/** The headers of a request, by names in lower case. */
export type RequestHeaders = Readonly<Record<string, string | ReadonlyArray<string> | undefined>>

/**
 * Whether the request comes from a page of the service: one at its base URL, or at the host that the request was sent to.
 * A browser that was led to us under another host has no cookie of ours for that host.
 */
export const isOwn = (headers: RequestHeaders, baseUrl: string): boolean => {
  const origin = URL.parse(String(headers["origin"] ?? ""))
  if (origin === null) return false
  return origin.origin === new URL(baseUrl).origin || origin.host === headers["host"]
}

/** Whether a request with this method changes nothing. */
export const isSafe = (method: string | undefined): boolean => method === "GET" || method === "HEAD"
