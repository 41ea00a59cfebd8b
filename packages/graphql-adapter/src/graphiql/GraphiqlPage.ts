/**
 * The page around GraphiQL, without inline scripts and without other hosts.
 */

/** GraphiQL's editor measures and places itself by inline styles; scripts come from files of the service alone. */
export const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'"
].join("; ")

export const parts = [
  "react.js",
  "react-dom.js",
  "graphiql.js",
  "graphiql.css",
  "page.js",
  "page.css"
] as const

export type Part = typeof parts[number]

/** The page. The addresses of its files are relative, as it may stand under a path of a proxy. */
export const html = (folder: string, addresses: Readonly<Record<Part, string>>): string =>
  `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Dockline: GraphiQL</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${folder}/${addresses["graphiql.css"]}">
<link rel="stylesheet" href="${folder}/${addresses["page.css"]}">
<script defer src="${folder}/${addresses["react.js"]}"></script>
<script defer src="${folder}/${addresses["react-dom.js"]}"></script>
<script defer src="${folder}/${addresses["graphiql.js"]}"></script>
<script defer src="${folder}/${addresses["page.js"]}"></script>
</head>
<body>
<noscript>GraphiQL needs JavaScript.</noscript>
<form id="access">
<label for="token">Access token</label>
<input id="token" type="password" autocomplete="off" spellcheck="false"
  placeholder="Paste the access_token of POST /oauth/token">
<button type="submit">Use it</button>
<output id="state"></output>
</form>
<div id="graphiql"></div>
</body>
</html>
`

/** Starts GraphiQL. Its requests carry the pasted token; subscriptions run as event streams. */
export const script = `"use strict"

const key = "dockline-access-token"
const input = document.getElementById("token")
const state = document.getElementById("state")
input.value = sessionStorage.getItem(key) ?? ""

// People paste the whole header as well.
const token = () => input.value.trim().replace(/^(?:Authorization:\\s*)?(?:Bearer\\s+)*/i, "")

const isSubscription = (params, ast) =>
  (ast?.definitions ?? []).some((node) =>
    node.kind === "OperationDefinition" && node.operation === "subscription" &&
    (!params.operationName || node.name?.value === params.operationName))

const send = (params, headers, accept, signal) =>
  fetch(location.pathname, {
    method: "POST",
    headers: {
      ...headers,
      accept,
      "content-type": "application/json",
      ...(token() === "" ? {} : { authorization: "Bearer " + token() })
    },
    body: JSON.stringify(params),
    signal
  })

async function* follow(params, headers) {
  const aborted = new AbortController()
  try {
    const response = await send(params, headers, "text/event-stream", aborted.signal)
    if (!response.ok || !response.headers.get("content-type")?.startsWith("text/event-stream")) {
      yield await response.json()
      return
    }
    let text = ""
    for await (const chunk of response.body.pipeThrough(new TextDecoderStream())) {
      const events = (text + chunk).split(/\\r?\\n\\r?\\n/)
      text = events.pop()
      for (const event of events) {
        const lines = event.split(/\\r?\\n/)
        if (lines.includes("event: complete")) return
        const data = lines.filter((line) => line.startsWith("data:")).map((line) => line.slice(5).trimStart())
        if (data.join("") !== "") yield JSON.parse(data.join("\\n"))
      }
    }
  } finally {
    aborted.abort()
  }
}

const fetcher = (params, { headers = {}, documentAST } = {}) =>
  isSubscription(params, documentAST)
    ? follow(params, headers)
    : send(params, headers, "application/graphql-response+json, application/json").then((r) => r.json())

const example = \`# The messages of a business since a time. Then follow with the subscription pushMessage.
query History {
  pushMessages(input: { businessSlug: "acme", since: "2026-01-01T00:00:00Z" }) {
    id
    facilitySlug
    messageType
    message
    sentAt
  }
}
\`

const root = ReactDOM.createRoot(document.getElementById("graphiql"))
let used = 0
const show = () => {
  sessionStorage.setItem(key, input.value)
  state.value = token() === "" ? "Without a token every request is answered 401." : "Requests carry the token."
  // A new key: the schema is asked for again with the new token.
  root.render(React.createElement(GraphiQL, { key: used++, fetcher, defaultQuery: example }))
}
document.getElementById("access").addEventListener("submit", (event) => {
  event.preventDefault()
  show()
})
show()
`

export const styles = `body { margin: 0; display: flex; flex-direction: column; height: 100dvh; }
#access { display: flex; gap: 0.75em; align-items: center; padding: 0.5em 1em; font: 14px system-ui, sans-serif; }
#access input { flex: 1; font: 13px ui-monospace, monospace; padding: 0.35em 0.5em; }
#access button { padding: 0.35em 0.9em; }
#graphiql { flex: 1; min-height: 0; }
`
