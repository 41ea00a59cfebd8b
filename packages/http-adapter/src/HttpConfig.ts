/** The settings of the HTTP adapter, with their defaults. Only the composing program reads the environment. */
import { defaultItemLimit } from "@dockline/core/document/DocumentInput"
import { graphqlPath } from "@dockline/wire/Path"
import type { Redacted } from "effect"

/** Settings of the HTTP adapter. */
export interface HttpConfig {
  /** The address that clients use, without a trailing slash. The audience of tokens and the reference contain it. */
  readonly baseUrl: string
  /** The largest request body, in bytes (413 beyond it). */
  readonly bodyLimit: number
  /** The most items, and the most orders, of a document (413 beyond it). */
  readonly itemLimit: number
  /** The bearer token that may read the metrics. */
  readonly metricsToken?: Redacted.Redacted | undefined
  /**
   * Whether requests from this machine may read the metrics without a {@link metricsToken}; `false` if absent. Set it to `true` only for a
   * server behind no proxy, because the requests of a proxy may also come from this machine.
   */
  readonly metricsLocally?: boolean | undefined
  /**
   * The address for reports of vulnerabilities, `mailto:` or `https:`, in `/.well-known/security.txt`. Without an address that file does
   * not exist.
   */
  readonly securityContact?: string | undefined
  /** The networks of proxies whose `X-Forwarded-For` is trusted; none when absent. */
  readonly trustedProxies?: ReadonlyArray<string> | undefined
}

/** `http://localhost:8080`, bodies up to 10 MiB, documents up to 10,000 items (D2.7). */
export const defaultHttpConfig: HttpConfig = {
  baseUrl: "http://localhost:8080",
  bodyLimit: 10 * 1024 * 1024,
  itemLimit: defaultItemLimit
}

/** The audience of access tokens: the address of the GraphQL API (WIRE.md, token request). */
export const audienceOf = (baseUrl: string): string => `${baseUrl}${graphqlPath}`
