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
 * Starts Swagger UI, and adds what it leaves to the page and what people without eyes or a mouse need. Browsers load this text and
 * programs bundle it, so its comments are here:
 *
 * - `withOneScheme`: people paste the value that the interface names, "Bearer <ACCESS_TOKEN>", and Swagger UI puts "Bearer "
 *   before it.
 * - `follow`: Swagger UI has dark colours, and leaves it to the page when they are shown.
 * - `fold`: the first screen shows how to begin, the sign-in and the search; what holds for all operations is read on demand.
 * - `search`: Swagger UI searches tags and paths alone, and takes an empty answer for an empty document.
 * - `requestResolvedSubtree`: Swagger UI works through all of the description at each operation that opens, for seconds. Ours
 *   refers to nothing but its own components.
 * - `DeepLink`: Swagger UI puts a link into the button that opens an operation. The address names what is open without it.
 * - `showDefinitions`: its dialog would begin at the token, which comes second, and leave the keyboard nowhere.
 * - `names`: these have none; what scrolls is reached by the keyboard. Enter signs in, Escape closes the dialog.
 * - `validatorUrl`: it would ask a host on the internet.
 */
export const script = `"use strict"

const withOneScheme = (request) => {
  const headers = request.headers ?? {}
  for (const name of Object.keys(headers)) {
    if (name.toLowerCase() === "authorization") {
      headers[name] = headers[name].trim().replace(/^(?:Bearer\\s+)+/i, "Bearer ")
    }
  }
  return request
}

const dark = matchMedia("(prefers-color-scheme: dark)")
const follow = () => document.documentElement.classList.toggle("dark-mode", dark.matches)
dark.addEventListener("change", follow)
follow()

const fold = () => {
  const text = document.querySelector(".information-container .renderedMarkdown")
  const [, ...later] = text?.querySelectorAll("h2") ?? []
  if (later.length === 0 || text.querySelector("details") !== null) return
  const details = document.createElement("details")
  const summary = details.appendChild(document.createElement("summary"))
  summary.textContent = "Rules of all operations: " + later.map(({ textContent }) => textContent).join(", ")
  later[0].before(details)
  while (details.nextSibling !== null) details.append(details.nextSibling)
}

const search = (groups, phrase) => {
  const words = phrase.toLowerCase().split(/\\s+/)
  const matches = (text) => words.every((word) => text.toLowerCase().includes(word))
  return groups.map((group, tag) => matches(tag) ? group : group.update("operations", (operations) =>
    operations.filter((each) =>
      matches([each.get("path"), each.get("method"), each.getIn(["operation", "summary"])].join(" ")))))
    .filter((group) => group.get("operations").size > 0)
}

const resolved = (part, whole, within = []) => {
  if (Array.isArray(part)) return part.map((each) => resolved(each, whole, within))
  if (part === null || typeof part !== "object") return part
  const { $ref: address, ...own } = part
  const members = Object.fromEntries(Object.entries(own).map(([name, each]) => [name, resolved(each, whole, within)]))
  if (typeof address !== "string") return members
  if (within.includes(address)) return part
  const target = address.split("/").slice(1).reduce((found, name) => found?.[name], whole)
  return { ...resolved(target, whole, [...within, address]), ...members, $$ref: address }
}

// The page can ask for the token itself.
const withClient = (spec) => {
  if (spec.components?.securitySchemes?.clientCredentials === undefined) return spec
  const secured = ({ security, ...operation }) =>
    security?.length > 0 ? { ...operation, security: [...security, { clientCredentials: [] }] } : { ...operation, security }
  return { ...spec, paths: mapped(spec.paths, (methods) => mapped(methods, (each) => withXml(secured(each)))) }
}

const mapped = (object, f) => Object.fromEntries(Object.entries(object).map(([key, value]) => [key, f(value, key)]))

/** Swagger UI writes the example of a text as one within a root element, and that of an object as it is. */
const withXml = ({ responses, ...operation }) => {
  const shown = (body) =>
    body?.content === undefined ? body : {
      ...body,
      content: mapped(body.content, (media, type) =>
        type.includes("xml") && media.schema?.type === "string"
          ? { ...media, schema: { ...media.schema, type: "object", xml: { name: "root" } } }
          : media)
    }
  const answered = { ...operation, responses: mapped(responses, shown) }
  return "requestBody" in operation ? { ...answered, requestBody: shown(operation.requestBody) } : answered
}

const ours = {
  fn: { opsFilter: search },
  wrapComponents: {
    DeepLink: (DeepLink, { React }) => (props) =>
      props.path.includes("/") ? React.createElement("span", null, props.text) : React.createElement(DeepLink, props),
    operations: (Operations, { React }) => (props) =>
      props.specSelectors.taggedOperations().size > 0
        ? React.createElement(Operations, props)
        : React.createElement("p", { role: "status" }, "No operation matches what you search for.")
  },
  statePlugins: {
    spec: {
      wrapActions: {
        updateJsonSpec: (update) => (spec) => update(withClient(spec)),
        requestResolvedSubtree: (_, { specActions, specSelectors }) => (path) => {
          if (specSelectors.specResolvedSubtree(path) !== undefined) return
          setTimeout(() => {
            const whole = specSelectors.specJson().toJS()
            specActions.updateResolvedSubtree(path, resolved(path.reduce((part, name) => part?.[name], whole), whole))
          })
        }
      }
    },
    auth: {
      wrapActions: {
        showDefinitions: (show) => (definitions) => {
          const next = definitions ? ".auth-container input" : ".scheme-container .auth-wrapper > .authorize"
          setTimeout(() => document.querySelector(next)?.focus())
          return show(definitions)
        }
      }
    },
    err: {
      wrapActions: {
        newAuthErr: (report) => (error) =>
          report({ ...error, message: "Not signed in: " + error.message.replace(/^[^]*description: /, "") })
      }
    }
  }
}

const names = [
  [".close-modal", () => "Close"],
  [".parameters-col_description :is(select, textarea)", (field) => field.closest("tr").dataset.paramName],
  [".examples-select-element", () => "Example"],
  ["textarea.body-param__text", () => "Request body"],
  [".operation-filter-input", () => "Search the operations"]
]
new MutationObserver(() => {
  for (const [selector, name] of names) {
    for (const field of document.querySelectorAll(selector + ":not([aria-label])")) {
      field.setAttribute("aria-label", name(field) ?? "Value")
      if (field.placeholder?.startsWith("Filter")) field.placeholder = name(field)
    }
  }
  for (const text of document.querySelectorAll(".swagger-ui :is(.microlight, .curl):not([tabindex])")) text.tabIndex = 0
}).observe(document.getElementById("reference"), { childList: true, subtree: true })

addEventListener("keydown", ({ key, target }) => {
  const dialog = document.querySelector(".dialog-ux")
  if (key === "Escape") dialog?.querySelector(".close-modal").click()
  if (key === "Enter" && target.matches(".dialog-ux input")) {
    target.closest(".auth-container").querySelector(".authorize")?.click()
  }
})

SwaggerUIBundle({
  url: "../openapi.json",
  dom_id: "#reference",
  onComplete: fold,
  plugins: [ours],
  deepLinking: true,
  defaultModelsExpandDepth: 0,
  displayRequestDuration: true,
  filter: true,
  persistAuthorization: true,
  requestInterceptor: withOneScheme,
  tryItOutEnabled: true,
  validatorUrl: null
})
`

/**
 * The answer to a request comes first, then how it was sent. Wide content scrolls by itself, so that a page on a telephone stays
 * as wide as the telephone. The one server, which serves this page, and the scopes, which there are not, need no choice. What
 * failed is said where it failed. The colours of Swagger UI are made dark or light enough to read.
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
