/**
 * D14.4: sessions of browsers, attacked by people with a page of their own, a cookie of their own, or a link.
 */
import * as Cookie from "@dockline/dashboard/sign-in/Cookie"
import { returnPath } from "@dockline/dashboard/sign-in/SignIn"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { once } from "node:events"
import { WebSocket } from "ws"
import { order } from "../http/Sample.ts"
import * as Site from "../support/Site.ts"

let site: Site.Site

beforeAll(async () => {
  site = await Site.start()
})

afterAll(() => site?.stop())

const evil = "https://evil.example"

/** Origins of other sites: an origin is scheme, host and port. */
const foreignOrigins = (): ReadonlyArray<string> => {
  const { hostname, port } = new URL(site.baseUrl)
  return [
    evil,
    "null",
    `${site.baseUrl}.evil.example`,
    `http://${hostname}:${Number(port) + 1}`,
    `http://${hostname}`,
    `https://${hostname}:${port}`,
    `http://127.0.0.1:${port}`,
    `${site.baseUrl}/`
  ]
}

interface Sent {
  readonly method?: string
  readonly cookie?: string
  readonly origin?: string
  readonly form?: Readonly<Record<string, string>>
  readonly json?: unknown
}

const send = (path: string, { cookie, form, json, method = "GET", origin }: Sent = {}): Promise<Response> =>
  fetch(`${site.baseUrl}${path}`, {
    method,
    redirect: "manual",
    headers: {
      ...(cookie === undefined ? {} : { cookie }),
      ...(origin === undefined ? {} : { origin }),
      ...(json === undefined ? {} : { "content-type": "application/json" })
    },
    ...(form === undefined ? {} : { body: new URLSearchParams(form) }),
    ...(json === undefined ? {} : { body: JSON.stringify(json) })
  })

const post = (path: string, sent: Sent): Promise<Response> =>
  send(path, { method: "POST", origin: site.baseUrl, ...sent })

const credentials = (client: string, secret = `${client}-secret`) => ({
  client_id: client,
  client_secret: secret
})

/** The `Cookie` header that a browser sends after an answer. */
const cookieOf = (response: Response): string => response.headers.get("set-cookie")!.split(";")[0]!

const signIn = async (client: string, cookie?: string): Promise<string> => {
  const response = await post("/dashboard/sign-in", {
    form: credentials(client),
    ...(cookie === undefined ? {} : { cookie })
  })
  assert.strictEqual(response.status, 303, await response.text())
  return cookieOf(response)
}

const sessionStatus = async (cookie: string): Promise<number> => {
  const response = await send("/dashboard/session", { cookie })
  await response.arrayBuffer()
  return response.status
}

/** A socket of a page, with a subscription under way. */
const follow = async (cookie: string): Promise<WebSocket> => {
  const socket = new WebSocket(
    `${site.baseUrl.replace("http", "ws")}/dashboard/api/graphql`,
    "graphql-transport-ws",
    { headers: { cookie, origin: site.baseUrl } }
  )
  await once(socket, "open")
  socket.send(JSON.stringify({ type: "connection_init" }))
  const [first] = await once(socket, "message") as [Buffer]
  assert.deepStrictEqual(JSON.parse(String(first)), { type: "connection_ack" })
  const query = `subscription { pushMessage(filter: { businessSlug: "acme", facilitySlug: "east" }) { id } }`
  socket.send(JSON.stringify({ id: "1", type: "subscribe", payload: { query } }))
  return socket
}

const createClient = async (): Promise<string> => {
  const { body } = await site.service.call("operator", {
    path: "/v1/operator/clients",
    body: {
      name: "A supervisor",
      grants: [{ business: "acme", facilities: ["east"], permissions: ["messages:read"] }]
    }
  })
  return JSON.stringify(body)
}

describe("a session of a browser", () => {
  // @threat browsers.5
  it("D14.4 is in a cookie that no script reads, that goes to this host alone, and not with requests of other sites", async () => {
    const [name, ...attributes] = Cookie.make("https://dockline.example").session.keep("secret").split("; ")
    assert.strictEqual(name, "__Host-dockline-session=secret")
    assert.sameMembers(attributes, ["Max-Age=43200", "Path=/", "HttpOnly", "SameSite=Lax", "Secure"])
    const response = await post("/dashboard/sign-in", { form: credentials("acme-client") })
    const [, ...plain] = response.headers.get("set-cookie")!.split("; ")
    assert.sameMembers(plain, ["Max-Age=43200", "Path=/", "HttpOnly", "SameSite=Lax"])
  })

  // @threat browsers.6
  it("D14.4 begins anew with each sign-in, and the one that the browser brought ends", async () => {
    const planted = await signIn("globex-client")
    const own = await signIn("acme-client", planted)
    assert.notStrictEqual(own, planted)
    assert.strictEqual(await sessionStatus(planted), 401)
    assert.strictEqual(await sessionStatus(own), 200)
    const chosen = await signIn("acme-client", `dockline-session=${"A".repeat(43)}`)
    assert.notInclude(chosen, "AAAA")
  })

  // @threat browsers.5
  it("D14.4 has the rights of its client, and shows no token and no secret to the page", async () => {
    const cookie = await signIn("acme-east-client")
    const text = await (await send("/dashboard/session", { cookie })).text()
    const { businesses, clientId } = JSON.parse(text) as {
      readonly clientId: string
      readonly businesses: ReadonlyArray<
        { readonly slug: string; readonly facilities: ReadonlyArray<{ readonly slug: string }> }
      >
    }
    assert.strictEqual(clientId, "acme-east-client")
    assert.deepStrictEqual(
      businesses.map(({ facilities, slug }) => [slug, facilities.map(({ slug }) => slug)]),
      [
        ["acme", ["east"]]
      ]
    )
    assert.notInclude(text, "secret")
    const foreign = await post("/dashboard/api/v1/documents", { cookie, json: order({ facility: "west" }) })
    assert.strictEqual(foreign.status, 403)
    const own = await post("/dashboard/api/v1/documents", { cookie, json: order({ facility: "east" }) })
    assert.strictEqual(own.status, 201)
    const operator = await send("/dashboard/api/v1/operator/clients", { cookie })
    assert.strictEqual(operator.status, 403)
  })

  // @threat browsers.11
  it("D14.4 ends everywhere when its owner signs out: in requests, and in sockets", async () => {
    const cookie = await signIn("acme-client")
    const other = await signIn("acme-client")
    const socket = await follow(cookie)
    const closed = once(socket, "close")
    const response = await post("/dashboard/sign-out", { cookie })
    assert.deepStrictEqual([response.status, response.headers.get("location")], [303, "/dashboard/sign-in"])
    assert.include(response.headers.get("set-cookie"), "Max-Age=0")
    assert.strictEqual(await sessionStatus(cookie), 401)
    assert.strictEqual((await closed)[0], 4403)
    assert.strictEqual(await sessionStatus(other), 200)
  })

  // @threat browsers.11
  it("D14.4 is withdrawn with its client: from requests, and from sockets", async () => {
    const { clientSecret, id } = JSON.parse(await createClient()) as {
      readonly id: string
      readonly clientSecret: string
    }
    const response = await post("/dashboard/sign-in", { form: credentials(id, clientSecret) })
    const cookie = cookieOf(response)
    const socket = await follow(cookie)
    const closed = once(socket, "close")
    const { status } = await site.service.call("operator", {
      method: "PATCH",
      path: `/v1/operator/clients/${id}`,
      body: { enabled: false }
    })
    assert.strictEqual(status, 200)
    assert.strictEqual(await sessionStatus(cookie), 401)
    assert.strictEqual((await closed)[0], 4403)
    assert.strictEqual(
      (await post("/dashboard/sign-in", { form: credentials(id, clientSecret) })).status,
      401
    )
  })

  // @threat browsers.16
  it("D14.4 tells nobody whether an id exists, and compares no secret after 60 failures a minute", async () => {
    const refuse = async (client: string) => {
      const response = await post("/dashboard/sign-in", { form: credentials(client, "wrong") })
      return [response.status, (await response.text()).replace(`value="${client}"`, "")] as const
    }
    assert.deepStrictEqual(await refuse("globex-client"), await refuse("nobody-at-all"))
    for (let n = 1; n < 60; n++) assert.strictEqual((await refuse("nobody-at-all"))[0], 401)
    assert.strictEqual((await refuse("nobody-at-all"))[0], 429)
    // The failures count at the token endpoint too.
    const { status } = await site.service.askToken("nobody-at-all", "wrong")
    assert.strictEqual(status, 429)
  })
})

describe("another site", () => {
  // @threat browsers.7
  it("D14.4 signs nobody in or out, and makes no browser change anything", async () => {
    const cookie = await signIn("acme-client")
    const count = async () => (await (await send("/dashboard/api/v1/shipments", { cookie })).text()).length
    const before = await count()
    for (const origin of [...foreignOrigins(), undefined]) {
      const sent = { method: "POST", cookie, ...(origin === undefined ? {} : { origin }) }
      const signedIn = await send("/dashboard/sign-in", { ...sent, form: credentials("globex-client") })
      assert.deepStrictEqual([signedIn.status, signedIn.headers.get("set-cookie")], [403, null])
      const signedOut = await send("/dashboard/sign-out", sent)
      assert.deepStrictEqual([signedOut.status, signedOut.headers.get("set-cookie")], [403, null])
      for (const path of ["/dashboard/api/v1/documents", "/dashboard/api/graphql"]) {
        const response = await send(path, { ...sent, json: order() })
        assert.strictEqual(response.status, 403, path)
        assert.strictEqual((await response.json() as { readonly code: string }).code, "FORBIDDEN")
      }
    }
    assert.strictEqual(await count(), before)
    assert.strictEqual(await sessionStatus(cookie), 200)
  })

  it("D14.4 is told which address it is at, and which one the service is set to", async () => {
    const sent = { origin: "https://docks.example", form: credentials("acme-client") }
    const page = await (await send("/dashboard/sign-in", { method: "POST", ...sent })).text()
    assert.include(page, `You are at https://docks.example; this server is set to ${site.baseUrl} (BASE_URL)`)
    const response = await send("/dashboard/api/v1/documents", { method: "POST", ...sent })
    const { detail } = await response.json() as { readonly detail: string }
    assert.include(
      detail,
      `You are at https://docks.example; this server is set to ${site.baseUrl} (BASE_URL)`
    )
    const script = await (await send("/dashboard/sign-in", {
      method: "POST",
      origin: "https://<script>",
      form: credentials("acme-client")
    })).text()
    assert.notInclude(script, "<script>")
  })

  // @threat browsers.7
  it("D14.4 opens no socket with the cookie of somebody else", async () => {
    const cookie = await signIn("acme-client")
    for (const origin of foreignOrigins()) {
      const socket = new WebSocket(
        `${site.baseUrl.replace("http", "ws")}/dashboard/api/graphql`,
        "graphql-transport-ws",
        { headers: { cookie, origin } }
      )
      const [, response] = await once(socket, "unexpected-response") as [
        unknown,
        { readonly statusCode: number }
      ]
      assert.strictEqual(response.statusCode, 403)
    }
  })

  // @threat browsers.7
  it("D14.4 has no use of the cookie at the public interfaces, and of other headers at the dashboard", async () => {
    const cookie = await signIn("acme-client")
    assert.strictEqual((await send("/v1/shipments", { cookie })).status, 401)
    const token = await site.service.token("acme-client")
    const response = await fetch(`${site.baseUrl}/dashboard/api/v1/shipments`, {
      headers: { authorization: `Bearer ${token}` }
    })
    assert.strictEqual(response.status, 401)
  })

  // @threat browsers.8 browsers.9
  it("D14.4 frames no page, and adds no script to one", async () => {
    const cookie = await signIn("acme-client")
    for (const path of ["/dashboard", "/dashboard/shipments/1", "/dashboard/sign-in"]) {
      const { headers } = await send(path, { cookie })
      const policy = headers.get("content-security-policy")!
      assert.include(policy, "default-src 'none'")
      assert.include(policy, "frame-ancestors 'none'")
      assert.include(policy, "script-src 'self'")
      assert.notInclude(policy, "unsafe-")
      assert.strictEqual(headers.get("x-frame-options"), "DENY")
      assert.strictEqual(headers.get("cache-control"), "no-store")
    }
    // Text of an attacker in the page is text.
    const page = await (await send(`/dashboard/sign-in?next=${encodeURIComponent("/dashboard/\"><script>")}`))
      .text()
    assert.notInclude(page, "<script>")
  })

  // @threat browsers.10
  it("D14.4 is not where a sign-in leads, whatever its link says", async () => {
    for (
      const next of [
        evil,
        "//evil.example/dashboard",
        "/\\evil.example/dashboard",
        "/dashboard/..//evil.example",
        "/dashboard/../v1/docs/",
        "/dashboard\t//evil.example",
        "javascript:alert(1)",
        "/dashboard@evil.example",
        "/dashboard/sign-out",
        ""
      ]
    ) {
      const response = await post("/dashboard/sign-in", { form: { ...credentials("acme-client"), next } })
      assert.deepStrictEqual([response.status, response.headers.get("location")], [303, "/dashboard"], next)
    }
    const good = "/dashboard/shipments/7/pallets/9?at=acme/east"
    assert.strictEqual(returnPath(good, "/dashboard"), good)
  })
})
