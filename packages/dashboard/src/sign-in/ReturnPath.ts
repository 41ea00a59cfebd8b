/**
 * The page to return to after signing in. Only paths of the dashboard are accepted, so that a link to the sign-in page cannot lead to
 * another site.
 */

/** A placeholder for the origin: only the path matters. */
const anywhere = "http://dockline.invalid"

/** The path and query to return to, under the root of the dashboard; the root itself for anything else. */
export const returnPath = (path: string | null | undefined, root: string): string => {
  const url = URL.parse(path ?? "", anywhere)
  if (url === null || url.origin !== anywhere || url.pathname.includes("//")) return root
  const isInside = url.pathname === root || url.pathname.startsWith(`${root}/`)
  const isPage = isInside && !url.pathname.startsWith(`${root}/sign-`)
  return isPage ? `${url.pathname}${url.search}` : root
}
