/**
 * Paths, and the path in the target of a request line or in a URL. A path is compared in its written form: another case, an additional
 * slash, an escaped letter, or text after `;` makes a different path, so the rules of a proxy by path cannot be evaded.
 */
import { Context } from "effect"

/** The path of the GraphQL API below the base URL. The audience of access tokens contains it (WIRE.md, token request). */
export const graphqlPath = "/public_graphql"

/** The path of the Model Context Protocol below the base URL (WIRE.md, D16.3). */
export const mcpPath = "/mcp"

/** The path without query, fragment, scheme and host. */
export const pathOf = (target: string): string => {
  // Nearly every target begins with its path.
  const start = target.startsWith("/") ? 0 : /^https?:\/\/[^/?#]*/i.exec(target)?.[0].length ?? 0
  const end = target.search(/[?#]/)
  return target.slice(start, end < 0 ? undefined : end) || "/"
}

/** The path with its dot segments resolved, as in a `Request`; `""` if the target is no valid URL. */
export const resolvedPathOf = (target: string): string =>
  URL.parse(target.startsWith("/") ? `http://localhost${target}` : target)?.pathname ?? ""

/** A path as routers compare it: unescaped, in lower case, without repeated and trailing slashes, and without the part after a `;`. */
export const asRouted = (path: string): string => {
  const plain = path.replaceAll(
    /%[\da-f]{2}/gi,
    (escape) => String.fromCharCode(parseInt(escape.slice(1), 16))
  )
  const segments = plain.toLowerCase().replace(/;.*/s, "").split("/").filter((segment) => segment !== "")
  return `/${segments.join("/")}`
}

/** Whether a host, in a URL or as an address to listen on, is the machine itself. */
export const isLoopback = (host: string): boolean =>
  /^(?:localhost|127(?:\.\d{1,3}){3}|\[?::1\]?)$/i.test(host)

/** Whether a path is `root` or lies below it. `/v1x` does not lie below `/v1`. */
export const isUnder = (path: string, root: string): boolean => path === root || path.startsWith(`${root}/`)

/** Removes the prefix from a path or URL of a host, if it begins with the prefix: the host may already have removed it. */
export const withoutPrefix = (url: string, prefix: string): string =>
  prefix !== "" && (isUnder(url, prefix) || url.startsWith(`${prefix}?`))
    ? url.slice(prefix.length).replace(/^(?!\/)/, "/")
    : url

/** Checks how paths are spelt. Without an interface, no path is misspelt. */
export const PathSpelling = Context.Reference<{
  /** Whether the path is another spelling of a known path, which a router may accept. */
  readonly isMisspelt: (path: string) => boolean
}>("@dockline/wire/PathSpelling", { defaultValue: () => ({ isMisspelt: () => false }) })
