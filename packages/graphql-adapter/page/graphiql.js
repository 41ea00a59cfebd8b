"use strict"

/**
 * Signs in, and starts GraphiQL.
 *
 * Requests carry the token, and are answered by event streams, as subscriptions are. A token is tried before it is used, so that the
 * page says when it is wrong. A new key of the element makes GraphiQL read the schema again, with the new token.
 */

const key = "dockline-access-token"
const element = (id) => document.getElementById(id)
const signedIn = () => JSON.parse(sessionStorage.getItem(key) ?? "null")

const send = (params, headers, accept, signal, token = signedIn()?.token) =>
  fetch(location.pathname, {
    method: "POST",
    headers: {
      ...headers,
      accept,
      "content-type": "application/json",
      authorization: "Bearer " + token
    },
    body: JSON.stringify(params),
    signal
  })

async function* fetcher(params, { headers = {} } = {}) {
  const cancellation = new AbortController()
  try {
    const response = await send(params, headers, "text/event-stream", cancellation.signal)
    if (!response.ok || !response.headers.get("content-type")?.startsWith("text/event-stream")) {
      yield await response.json()
      return
    }
    let text = ""
    for await (const chunk of response.body.pipeThrough(new TextDecoderStream())) {
      const events = (text + chunk).split(/\r?\n\r?\n/)
      text = events.pop()
      for (const event of events) {
        const lines = event.split(/\r?\n/)
        if (lines.includes("event: complete")) return
        const data = lines.filter((line) => line.startsWith("data:")).map((line) => line.slice(5).trimStart())
        if (data.join("") !== "") yield JSON.parse(data.join("\n"))
      }
    }
  } finally {
    cancellation.abort()
  }
}

const example = `# The shipments, what is on them, and how far they are.
# The button with the triangle runs it.
query Overview {
  shipments(first: 10) {
    nodes {
      id
      shipmentNumber
      status
      dockSlug
      progress { expectedPallets passedPallets }
      orders { orderNumber items { lpn sku quantity } }
    }
  }
}
`

const root = ReactDOM.createRoot(element("graphiql"))
let sessions = 0
const show = (message = "") => {
  const session = signedIn()
  element("state").value = message
  element("welcome").hidden = session !== null
  element("out").hidden = element("who").hidden = session === null
  element("who").textContent = session === null
    ? ""
    : "Signed in" + (session.client === "" ? "" : " as " + session.client)
  root.render(
    session === null
      ? null
      : React.createElement(GraphiQL, { key: sessions++, fetcher, defaultQuery: example })
  )
  if (session === null && message === "") element("client").focus()
}

const use = async (client, token) => {
  const answer = await send({ query: "{ __typename }" }, {}, "application/json", undefined, token)
  if (answer.ok) {
    sessionStorage.setItem(key, JSON.stringify({ client, token }))
    return show()
  }
  const reason = /error_description="([^"]*)"/.exec(answer.headers.get("www-authenticate") ?? "")?.[1]
  show("The service refuses this token" + (reason === undefined ? "." : ": " + reason + "."))
}

const signIn = async () => {
  const answer = await fetch(element("access").dataset.tokens, {
    method: "POST",
    body: new URLSearchParams({
      grant_type: "client_credentials",
      client_id: element("client").value.trim(),
      client_secret: element("secret").value
    })
  })
  const body = await answer.json().catch(() => ({}))
  if (answer.ok) {
    element("secret").value = ""
    return use(element("client").value.trim(), body.access_token)
  }
  show(
    answer.status === 404
      ? "This service gives no tokens itself: use an access token of the issuer that it trusts."
      : "Not signed in: " + (body.error_description ?? answer.status)
  )
}

const usePasted = () => {
  const token = element("token").value.trim().replace(/^(?:Authorization:\s*)?(?:Bearer\s+)*/i, "")
  element("token").value = ""
  return use("", token)
}

const onSubmit = (form, submit) =>
  element(form).addEventListener("submit", (event) => {
    event.preventDefault()
    element("state").value = "Signing in…"
    submit().catch((error) => show("The service cannot be reached: " + error.message))
  })
onSubmit("access", signIn)
onSubmit("pasted", usePasted)
element("out").addEventListener("click", () => {
  sessionStorage.removeItem(key)
  show()
})

// The editors of GraphiQL have no names of their own.
new MutationObserver(() => {
  for (const editor of document.querySelectorAll(".CodeMirror textarea:not([aria-label])")) {
    const region = editor.closest("[aria-label]") ?? editor.closest(".result-window, .graphiql-response")
    editor.setAttribute("aria-label", region?.getAttribute("aria-label") ?? "Result")
  }
}).observe(element("graphiql"), { childList: true, subtree: true })

show()
