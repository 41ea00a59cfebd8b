/**
 * The page of the interactive reference around Swagger UI, without inline scripts or styles and without other hosts.
 */

import { header, headerStyles } from "@dockline/wire/SitePages"
import type { SitePage } from "@dockline/wire/SitePages"

/** The style sheet of Swagger UI holds icons in `data:` URLs. No other page may frame the page. */
export const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'"
].join("; ")

export const parts = [
  "reference.js",
  "reference.css",
  "swagger-ui-bundle.js",
  "swagger-ui.css",
  "favicon.svg"
] as const

export type Part = typeof parts[number]

/** The name of the page among those of the service. */
const pageName = "REST reference"

/** `GET /v1/docs/`, with relative addresses of its files, as the page may lie under a path of a proxy. */
export const html = (addresses: Readonly<Record<Part, string>>, pages: ReadonlyArray<SitePage>): string =>
  `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Dockline: interactive reference</title>
<link rel="icon" href="${addresses["favicon.svg"]}" type="image/svg+xml">
<link rel="stylesheet" href="${addresses["swagger-ui.css"]}">
<link rel="stylesheet" href="${addresses["reference.css"]}">
<script defer src="${addresses["swagger-ui-bundle.js"]}"></script>
<script defer src="${addresses["reference.js"]}"></script>
</head>
<body>
${
    header(pages, pageName)
  }<noscript>The reference needs JavaScript. Without it, read <a href="../openapi.json">openapi.json</a>.</noscript>
<div id="reference"></div>
</body>
</html>
`

/**
 * The answer to a request comes before the request. Wide content scrolls by itself, so that the page fits a telephone. There is no choice
 * of server, because the only one serves this page, nor of scopes, because none exist. Errors appear where they occur. The colours of
 * Swagger UI are made dark or light enough to read.
 */
export const styles = `body { margin: 0; }
${headerStyles}.site-bar { color-scheme: light dark; }
.swagger-ui textarea.body-param__text { min-height: 28em; }
.swagger-ui .auth-container input { width: 100%; max-width: none; box-sizing: border-box; }
.swagger-ui .responses-inner div:has(> .live-responses-table) { display: flex; flex-direction: column; }
.swagger-ui .responses-inner .curl-command { order: 1; }
.swagger-ui .responses-inner div:has(> .request-url) { order: 2; }
.swagger-ui .responses-wrapper, .swagger-ui .parameters-container { overflow-x: auto; }
.swagger-ui .response-col_links { display: none; }
.swagger-ui .scheme-container .schemes > .schemes-server-container { display: none; }
html:not(.dark-mode) .swagger-ui .info :is(a, .url) { color: #1d5fa6; }
html:not(.dark-mode) .swagger-ui :is(.opblock-summary-method, .version-stamp pre) { color: #1b1b1b; text-shadow: none; }
html:not(.dark-mode) .swagger-ui .btn.authorize { border-color: #187a45; color: #187a45; }
html:not(.dark-mode) .swagger-ui .btn.authorize svg { fill: #187a45; }
.swagger-ui :is(.scope-def, .auth-container .errors b) { display: none; }
.swagger-ui .auth-container .errors { width: auto; margin: 10px 0; }
.swagger-ui .errors-wrapper { display: none; }
.swagger-ui .filter-container .filter { display: block; }
.swagger-ui .filter .operation-filter-input { box-sizing: border-box; max-width: none; }
.swagger-ui .info summary { cursor: pointer; font-weight: 600; }
.swagger-ui .info { margin: 30px 0 20px; }
.swagger-ui .scheme-container { padding: 15px 0; }
html.dark-mode .swagger-ui :is(.example__section-header, .examples-select__section-label, .header-col) { color: #e4e6e6; }
html.dark-mode .swagger-ui .opblock .opblock-section-header .try-out__btn.cancel { border-color: #ff8a8a; color: #ff8a8a; }
html:not(.dark-mode) .swagger-ui .btn.cancel { border-color: #b3261e; color: #b3261e; }
html:not(.dark-mode) .swagger-ui .btn.execute { background-color: #1d5fa6; border-color: #1d5fa6; }
html:not(.dark-mode) .swagger-ui :is(.parameter__in, .parameter__extension) { color: #595959; }
html:not(.dark-mode) .swagger-ui .opblock-section-request-body .opblock-title small,
html:not(.dark-mode) .swagger-ui .parameter__name.required:is(:after, *) { color: #b3261e; }
.swagger-ui .download-contents { background: #4b5563 !important; color: #fff !important; }
.swagger-ui .microlight .language-json span[style*="rgb(211, 99, 99)"] { color: #ff9d9d !important; }
@media (max-width: 600px) {
  .swagger-ui .highlight-code .download-contents { display: none; }
  .swagger-ui .opblock-tag { flex-wrap: wrap; }
  .swagger-ui .opblock-tag small { order: 1; flex: 0 0 100%; padding: 0; }
  .swagger-ui .dialog-ux .modal-ux { width: 100%; min-width: 0; max-width: 100vw; }
}
`

export const icon = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32">\
<rect width="32" height="32" rx="6" fill="#14532d"/>\
<path d="M5 10h13v11H5zM19 14h5l3 4v3h-8z" fill="#fff"/>\
<circle cx="10" cy="23" r="2.5" fill="#fff"/><circle cx="22" cy="23" r="2.5" fill="#fff"/></svg>
`
