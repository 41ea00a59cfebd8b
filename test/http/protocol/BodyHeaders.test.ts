/**
 * The headers that describe a body mean the same at every door (D2.5, D2.6): the media type with its parameters, the charset and the
 * content coding.
 */
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { gzipSync } from "node:zlib"
import * as Site from "../../support/Site.ts"
import { unique } from "../../support/TestServer.ts"

let site: Site.Site
let cookie: string

beforeAll(async () => {
  site = await Site.start()
  const signedIn = await fetch(`${site.baseUrl}/dashboard/sign-in`, {
    method: "POST",
    redirect: "manual",
    headers: { origin: site.baseUrl, "content-type": "application/x-www-form-urlencoded" },
    body: signIn
  })
  cookie = signedIn.headers.get("set-cookie")!.split(";", 1)[0]!
})

afterAll(async () => {
  await site?.stop()
})

const signIn = "client_id=acme-client&client_secret=acme-client-secret"

interface Door {
  readonly path: string
  readonly body: () => string
  readonly as: "acme-client" | "operator" | "cookie" | undefined
}

const document = () =>
  JSON.stringify({ business: "acme", facility: "west", direction: "INBOUND", orderNumber: unique("ORDER") })

const query = () => JSON.stringify({ query: "{ __typename }" })

/** The doors that take JSON. */
const jsonDoors: Readonly<Record<string, Door>> = {
  REST: { path: "/v1/documents", body: document, as: "acme-client" },
  "the operator side": {
    path: "/v1/operator/businesses",
    body: () => JSON.stringify({ slug: unique("b").toLowerCase(), name: "B" }),
    as: "operator"
  },
  "the token endpoint": {
    path: "/oauth/token",
    body: () =>
      JSON.stringify({
        client_id: "acme-client",
        client_secret: "acme-client-secret",
        audience: `${site.baseUrl}/public_graphql`,
        grant_type: "client_credentials"
      }),
    as: undefined
  },
  GraphQL: { path: "/public_graphql", body: query, as: "acme-client" },
  "Kargo's path": { path: "/kargo/public_graphql", body: query, as: "acme-client" },
  MCP: {
    path: "/mcp",
    body: () => JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list", params: {} }),
    as: "acme-client"
  },
  "REST of pages": { path: "/dashboard/api/v1/documents", body: document, as: "cookie" },
  "GraphQL of pages": { path: "/dashboard/api/graphql", body: query, as: "cookie" }
}

const edi: Door = { path: "/v1/edi", body: () => "ISA*00*", as: "acme-client" }

const form: Door = { path: "/dashboard/sign-in", body: () => signIn, as: undefined }

const send = async (
  { as, path }: Door,
  headers: Readonly<Record<string, string>>,
  body: string | Uint8Array<ArrayBuffer>
) => {
  const answer = await fetch(`${site.baseUrl}${path}`, {
    method: "POST",
    redirect: "manual",
    headers: {
      accept: "application/json, text/event-stream",
      ...as === undefined
        ? { origin: site.baseUrl }
        : as === "cookie"
        ? { cookie, origin: site.baseUrl }
        : { authorization: `Bearer ${await site.service.token(as)}` },
      ...headers
    },
    body
  })
  return { status: answer.status, headers: answer.headers, text: await answer.text() }
}

const doors = Object.entries(jsonDoors)

describe.each(doors)("%s", (_, door) => {
  it.each([
    "application/json",
    "APPLICATION/JSON",
    "  application/json  ",
    "application/json;",
    "application/json; charset=utf-8",
    "application/json;charset=UTF8",
    "application/json; charset=\"utf-8\"",
    "application/json ; Charset = \"UTF-8\" ; odata=verbose",
    "application/json; odata=verbose",
    "application/json; profile=\"a;charset=latin1\"",
    "application/json; charset=us-ascii"
  ])("takes %s", async (type) => {
    const answer = await send(door, { "content-type": type }, door.body())
    assert.isBelow(answer.status, 300, answer.text)
  })

  it.each([
    "text/plain",
    "application/json; charset=iso-8859-1",
    "application/json; charset=utf-16",
    "application/json; charset=\"utf-8",
    "application/json, text/plain",
    "application/jsonp"
  ])("answers 415 to %s", async (type) => {
    const answer = await send(door, { "content-type": type }, door.body())
    assert.strictEqual(answer.status, 415, answer.text)
    assert.isNull(answer.headers.get("accept-encoding"))
  })

  it("takes a body that says it has no coding", async () => {
    const headers = { "content-type": "application/json", "content-encoding": "Identity" }
    const answer = await send(door, headers, door.body())
    assert.isBelow(answer.status, 300, answer.text)
  })
})

describe.each([...doors, ["the intake of EDI", edi], ["signing in", form]] as const)("%s", (_, door) => {
  const type = door === edi
    ? "application/edi-x12"
    : door === form
    ? "application/x-www-form-urlencoded"
    : "application/json"

  it.each(["gzip", "x-gzip", "br", "deflate", "identity, gzip", "unknown"])(
    "answers 415 to a body with the coding %s, and names the one that it takes",
    async (coding) => {
      // Whatever the body is: it is not read.
      const bytes = coding === "unknown" ? door.body() : Uint8Array.from(gzipSync(door.body()))
      const answer = await send(door, { "content-type": type, "content-encoding": coding }, bytes)
      assert.strictEqual(answer.status, 415, answer.text)
      assert.strictEqual(answer.headers.get("accept-encoding"), "identity")
      if (door !== form) assert.include(answer.text, "coding")
    }
  )

  it("takes its media type whatever its parameters", async () => {
    const answer = await send(
      door,
      { "content-type": `${type.toUpperCase()};charset="UTF8"; v=1` },
      door.body()
    )
    assert.notStrictEqual(answer.status, 415, answer.text)
  })
})

describe("signing in", () => {
  it("answers 415 to what is no form", async () => {
    const answer = await send(form, { "content-type": "text/plain" }, signIn)
    assert.strictEqual(answer.status, 415)
  })
})

describe("GraphQL with files", () => {
  it.each(["/public_graphql", "/kargo/public_graphql", "/dashboard/api/graphql"])(
    "answers 415 at %s to a coding, whatever the media type",
    async (path) => {
      const door: Door = {
        path,
        body: () => "",
        as: path.startsWith("/dashboard") ? "cookie" : "acme-client"
      }
      const headers = { "content-type": "multipart/form-data; boundary=x", "content-encoding": "gzip" }
      const answer = await send(door, headers, Uint8Array.from(gzipSync("--x--")))
      assert.strictEqual(answer.status, 415, answer.text)
    }
  )
})

describe("a text in ISO-8859-1", () => {
  // Bytes 80 to 9F are what senders mean: windows-1252 (the label's rule of the WHATWG Encoding Standard).
  const latin = Buffer.from("\x80uro \x93quoted\x94 \x96 \xe9", "latin1")
  const text = "€uro “quoted” – é"
  const xml = (declared: string) =>
    Buffer.concat([
      Buffer.from(`${declared}<Document><business>acme</business><facility>west</facility>
        <direction>INBOUND</direction><orderNumber>${unique("L1")}</orderNumber><carrier>`),
      latin,
      Buffer.from("</carrier></Document>")
    ])

  it.each([
    ["the header", "application/xml; charset=iso-8859-1", ""],
    ["the header, in short", "text/xml; charset=Latin1", ""],
    ["the declaration", "application/xml", `<?xml version="1.0" encoding="ISO-8859-1"?>`]
  ])("is read as senders mean it, by %s", async (_, type, declared) => {
    const answer = await send(jsonDoors["REST"]!, { "content-type": type }, Uint8Array.from(xml(declared)))
    assert.strictEqual(answer.status, 201, answer.text)
    assert.include(answer.text, text)
  })
})
