/**
 * The path of a request, from what its request line or its address holds.
 *
 * Guarantee: a path is taken as it is written. Another case of its letters, a slash more, an escaped letter and what
 * follows a `;` make another path, of which the interfaces know nothing: what a proxy permits or forbids by path is not
 * walked around, and every part of the service takes a path for the same.
 */

/** The path, without query and fragment, and without the address of the service before it. */
export const pathOf = (target: string): string => {
  const start = /^https?:\/\/[^/?#]*/i.exec(target)?.[0].length ?? 0
  const end = target.search(/[?#]/)
  return target.slice(start, end < 0 ? undefined : end) || "/"
}

/** Core names no platform, so it declares what every runtime has. */
declare const URL: { readonly parse: (url: string) => { readonly pathname: string } | null }

/** The path with its dots resolved, as a `Request` has it; `""` for what is no address, which may be any bytes at all. */
export const resolvedPathOf = (target: string): string =>
  URL.parse(target.startsWith("/") ? `http://localhost${target}` : target)?.pathname ?? ""

/** Whether a path is another one, or below it. */
export const isUnder = (path: string, root: string): boolean => path === root || path.startsWith(`${root}/`)
