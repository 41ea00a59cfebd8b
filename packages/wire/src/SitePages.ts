/**
 * The pages of a service for people: the dashboard and the references. Each page links to the others in a header that looks the same on all
 * pages.
 *
 * Guarantee: the header links to the pages that the program has set, and to no others; without pages there is no header.
 */
import { Context } from "effect"

/** Escapes a text for an element or a quoted attribute. */
export const escapeHtml = (text: string): string =>
  text.replaceAll(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)

/** A page of the service, as the header names it. */
export interface SitePage {
  readonly name: string
  /** The path of the page for browsers. */
  readonly path: string
}

/** The pages of the service. A program that serves several pages sets this reference. */
export const SitePages = Context.Reference<ReadonlyArray<SitePage>>("@dockline/wire/SitePages", {
  defaultValue: () => []
})

/** The header as HTML, with a link to each page; `""` without pages. `current` is the name of the page that shows the header. */
export const header = (pages: ReadonlyArray<SitePage>, current: string): string => {
  if (pages.length === 0) return ""
  const links = pages.map(({ name, path }) =>
    `<a href="${escapeHtml(path)}"${name === current ? ` aria-current="page"` : ""}>${escapeHtml(name)}</a>`
  )
  return `<nav class="site-bar" aria-label="Dockline"><span class="site-mark"></span><b>Dockline</b>\n${
    links.join("\n")
  }\n</nav>\n`
}

/** The styles of the header: it looks like the bar of the dashboard. */
export const headerStyles = `.site-bar {
  display: flex; flex-wrap: wrap; align-items: stretch; gap: 0 4px; min-height: 56px; padding: 0 max(24px, calc((100vw - 1860px) / 2 + 24px));
  background: light-dark(#fff, #181d1a); border-bottom: 1px solid light-dark(#dcdfd8, #2b332e); color: light-dark(#18201b, #e9eeea);
  font: 0.9375rem/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", "Liberation Sans", Arial, sans-serif;
}
.site-bar > * { display: flex; align-items: center; }
.site-bar b { margin: 0 20px 0 4px; font-size: 1.0625rem; font-weight: 680; letter-spacing: -0.01em; }
.site-bar a {
  padding: 0 12px; min-height: 44px; box-sizing: border-box; color: light-dark(#525d55, #a3afa7); font-weight: 550; text-decoration: none;
  border: solid transparent; border-width: 2px 0;
}
.site-bar a:hover, .site-bar a[aria-current] { color: inherit; }
.site-bar a[aria-current] { border-bottom-color: light-dark(#14663a, #6fd598); }
.site-bar a:focus-visible { outline: 3px solid light-dark(#0b57d0, #9cc2ff); outline-offset: -3px; }
.site-mark { align-self: center; width: 24px; height: 24px; border-radius: 6px; background: linear-gradient(#fff, #fff) 5px 7px / 14px 2px no-repeat, linear-gradient(#86efac, #86efac) 5px 11px / 14px 2px no-repeat, linear-gradient(#fff, #fff) 5px 15px / 14px 2px no-repeat, #14532d; }
@media (max-width: 600px) {
  .site-bar { padding: 0 12px; }
  .site-bar b { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
  .site-bar a { padding: 0 8px; font-size: 0.875rem; }
}
`
