/**
 * Distinguishes requests of our own pages from those that another site initiated in a browser (D14.4). Browsers name the origin of a page
 * in each unsafe request and when they open a socket, and no page can change it.
 */

/** The headers of a request, by names in lower case. */
export type RequestHeaders = Readonly<Record<string, string | ReadonlyArray<string> | undefined>>

/**
 * Whether the request comes from a page of the service: its origin, which is scheme, host and port, is the origin of the base URL, or
 * the request's host under the scheme of the base URL. A server that browsers reach directly checks that the host is one of its own.
 */
export const isOwn = ({ host, origin }: RequestHeaders, baseUrl: string): boolean => {
  const { origin: own, protocol } = new URL(baseUrl)
  return origin === own || (typeof origin === "string" && origin === originOf(`${protocol}//${String(host)}`))
}

/** The origin of an address, as browsers write it; `undefined` if the address has no origin. */
const originOf = (address: string): string | undefined => {
  const url = URL.parse(address)
  return url === null || !/^https?:$/.test(url.protocol) ? undefined : url.origin
}

/**
 * The reason for refusing a request that does not come from a page of the service, for its reader: the page may belong to another site, or
 * be the service's own at an address other than its base URL.
 */
export const fault = ({ origin }: RequestHeaders, baseUrl: string): string => {
  const { origin: own } = new URL(baseUrl)
  const page = originOf(String(origin ?? ""))
  return page === undefined
    ? `This was not sent by a page of the service, which is at ${own} (the setting BASE_URL).`
    : `You are at ${
      page.slice(0, 200)
    }; this server is set to ${own} (BASE_URL). Open ${own}, or have BASE_URL set to the address that people use.`
}

/** Whether a request with this method changes nothing. */
export const isSafe = (method: string | undefined): boolean => method === "GET" || method === "HEAD"
