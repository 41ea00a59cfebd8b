"use strict"

/** Starts Swagger UI, and adds what it leaves to the page, and what people need who cannot see or cannot use a mouse. */

/** People paste the value that the interface names, "Bearer <ACCESS_TOKEN>", and Swagger UI puts "Bearer " before it. */
const withOneScheme = (request) => {
  const headers = request.headers ?? {}
  for (const name of Object.keys(headers)) {
    if (name.toLowerCase() === "authorization") {
      headers[name] = headers[name].trim().replace(/^(?:Bearer\s+)+/i, "Bearer ")
    }
  }
  return request
}

const dark = matchMedia("(prefers-color-scheme: dark)")
/** Swagger UI has dark colours, but the page has to switch them on. */
const follow = () => document.documentElement.classList.toggle("dark-mode", dark.matches)
dark.addEventListener("change", follow)
follow()

/** The first screen shows how to begin, the sign-in and the search; the rules of all operations unfold on demand. */
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

/** Swagger UI searches only tags and paths, and treats an empty answer as an empty document. */
const search = (groups, phrase) => {
  const words = phrase.toLowerCase().split(/\s+/)
  const matches = (text) => words.every((word) => text.toLowerCase().includes(word))
  return groups.map((group, tag) =>
    matches(tag) ?
      group :
      group.update("operations", (operations) =>
        operations.filter((each) =>
          matches([each.get("path"), each.get("method"), each.getIn(["operation", "summary"])].join(" "))
        ))
  )
    .filter((group) => group.get("operations").size > 0)
}

/** A part of the document, with its references replaced by their targets. All targets are components of the document itself. */
const resolve = (part, whole, within = []) => {
  if (Array.isArray(part)) return part.map((each) => resolve(each, whole, within))
  if (part === null || typeof part !== "object") return part
  const { $ref: address, ...own } = part
  const members = Object.fromEntries(
    Object.entries(own).map(([name, each]) => [name, resolve(each, whole, within)])
  )
  if (typeof address !== "string") return members
  if (within.includes(address)) return part
  const target = address.split("/").slice(1).reduce((part, name) => part?.[name], whole)
  return { ...resolve(target, whole, [...within, address]), ...members, $$ref: address }
}

/** Adds the scheme by which the page requests the token itself to each operation that needs a token. */
const withClient = (spec) => {
  if (spec.components?.securitySchemes?.clientCredentials === undefined) return spec
  const withSecurity = ({ security, ...operation }) =>
    security?.length > 0
      ? { ...operation, security: [...security, { clientCredentials: [] }] }
      : { ...operation, security }
  return {
    ...spec,
    paths: mapValues(spec.paths, (methods) => mapValues(methods, (each) => withXml(withSecurity(each))))
  }
}

const mapValues = (object, f) =>
  Object.fromEntries(Object.entries(object).map(([key, value]) => [key, f(value, key)]))

/** Swagger UI wraps an example that is a text in a root element, and shows an object as it is. */
const withXml = ({ responses, ...operation }) => {
  const withRoot = (body) =>
    body?.content === undefined ? body : {
      ...body,
      content: mapValues(body.content, (media, type) =>
        type.includes("xml") && media.schema?.type === "string"
          ? { ...media, schema: { ...media.schema, type: "object", xml: { name: "root" } } }
          : media)
    }
  const withResponses = { ...operation, responses: mapValues(responses, withRoot) }
  return "requestBody" in operation
    ? { ...withResponses, requestBody: withRoot(operation.requestBody) }
    : withResponses
}

const ours = {
  fn: { opsFilter: search },
  wrapComponents: {
    // Swagger UI puts a link into the button that opens an operation. The address names what is open without it.
    DeepLink: (DeepLink, { React }) => (props) =>
      props.path.includes("/")
        ? React.createElement("span", null, props.text)
        : React.createElement(DeepLink, props),
    operations: (Operations, { React }) => (props) =>
      props.specSelectors.taggedOperations().size > 0
        ? React.createElement(Operations, props)
        : React.createElement("p", { role: "status" }, "No operation matches your search.")
  },
  statePlugins: {
    spec: {
      wrapActions: {
        updateJsonSpec: (update) => (spec) => update(withClient(spec)),
        // Swagger UI processes the whole document whenever an operation opens, which takes seconds.
        requestResolvedSubtree: (_, { specActions, specSelectors }) => (path) => {
          if (specSelectors.specResolvedSubtree(path) !== undefined) return
          setTimeout(() => {
            const whole = specSelectors.specJson().toJS()
            specActions.updateResolvedSubtree(
              path,
              resolve(path.reduce((part, name) => part?.[name], whole), whole)
            )
          })
        }
      }
    },
    auth: {
      wrapActions: {
        // Swagger UI would focus the token, which is the second field, and nothing once the dialog closes.
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

/** Names for fields that have none. Below, they are set, and scrolling parts become reachable by keyboard. */
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
  for (const text of document.querySelectorAll(".swagger-ui :is(.microlight, .curl):not([tabindex])")) {
    text.tabIndex = 0
  }
}).observe(document.getElementById("reference"), { childList: true, subtree: true })

// Enter signs in, Escape closes the dialog.
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
  // The default would send the document to a host on the internet.
  validatorUrl: null
})
